// The poll path: polls per second of the whole agent path (turn, exchange, repair, driver, identity, flags, document,
// outbox) against a bare socket client that does the same exchanges with the same simulated miners, in turns in one
// run. Then the delay of the event loop while a farm is polled at its normal rhythm.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { createAgent } from '../../src/agent/agent.ts';
import { type AgentConfig, parseConfig } from '../../src/agent/config/config.ts';
import type { DeviceClient } from '../../src/agent/device/device-client.ts';
import { isMiner, type RecognisedMiner } from '../../src/agent/device/recognised.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import type { LoadedDriver } from '../../src/driver/load/loaded-driver.ts';
import { freshClient } from '../support/fresh-client.ts';
import { bareExchanges, runFor } from './bare-client.ts';
import { type BenchDevice, startFarmProcess } from './farm-process.ts';

const NETWORK = '127.40.0.0/19';
const CGMINER_PORT = 4028;
const WIDTH = 128;

export async function benchPoll(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      miners: { type: 'string', default: '2000' },
      seconds: { type: 'string', default: '8' },
      rounds: { type: 'string', default: '3' },
      rhythm: { type: 'string', default: '60' },
    },
  });
  const [miners, seconds, rounds, rhythmS] = [values.miners, values.seconds, values.rounds, values.rhythm].map(Number);
  if (miners === undefined || seconds === undefined || rounds === undefined || rhythmS === undefined) return;
  const farm = await startFarmProcess([
    '--miners',
    String(miners),
    '--network',
    NETWORK,
    '--mix',
    'all',
    '--for',
    '15m',
  ]);
  const stateDir = mkdtempSync(join(tmpdir(), 'pithead-bench-'));
  try {
    const config = parseConfig(JSON.stringify({ stateDir, networks: [NETWORK], poll: { interval: '15s' } }), {
      baseDir: stateDir,
      environment: {},
      name: 'bench',
    });
    await throughput(config, farm.devices, { seconds, rounds });
    await rhythm(config, miners, rhythmS);
  } finally {
    await farm.stop();
    rmSync(stateDir, { recursive: true, force: true });
  }
}

/**
 * The exchanges that a poll of this driver makes over CGMiner TCP, as the lines that are sent. Undefined: this family
 * also needs other servers.
 */
function pollLines(driver: LoadedDriver, generation: string | undefined): string[] | undefined {
  const due = Object.values(driver.asks).filter(
    (ask) =>
      ask.every === 'poll' &&
      ask.insteadOf === undefined &&
      (ask.generations === undefined || ask.generations.includes(generation ?? '')),
  );
  const lines: string[] = [];
  for (const ask of due) {
    if (ask.via !== 'cgminer') return undefined;
    const { command, parameter, newApi } = ask;
    lines.push(
      `${JSON.stringify({ command, ...(parameter !== undefined && { parameter }), ...(newApi && { new_api: true }) })}\n`,
    );
  }
  return lines;
}

type Subject = { readonly found: RecognisedMiner; readonly lines: readonly string[] };

async function recogniseAll(client: DeviceClient, devices: readonly BenchDevice[]): Promise<Subject[]> {
  const signal = new AbortController().signal;
  const subjects: Subject[] = [];
  const pending = [...devices];
  const worker = async () => {
    for (let device = pending.pop(); device !== undefined; device = pending.pop()) {
      // Some have it at another port, where the bare side does not ask.
      if ((await client.transport.probe(device.ip, CGMINER_PORT, 2_000, signal)) !== 'open') continue;
      const found = await client.recognise(device.ip, new Set([80, CGMINER_PORT]), signal);
      if (!isMiner(found) || found.outcome === undefined) continue;
      const lines = pollLines(found.target.driver, found.target.known.generation);
      if (lines !== undefined && lines.length > 0) subjects.push({ found, lines });
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  return subjects;
}

async function throughput(
  config: AgentConfig,
  devices: readonly BenchDevice[],
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<void> {
  // Slow and static asks are left out by long rhythms, so that both sides make the same exchanges.
  const steady: AgentConfig = {
    ...config,
    poll: { ...config.poll, interval: 3_600_000, slowEvery: 60, staticEvery: 86_400_000 },
  };
  const client = freshClient({ config: steady });
  const agent = createAgent({
    config: { ...steady, scan: { ...steady.scan, every: 86_400_000 } },
    uplinks: [],
    clock: systemClock,
    log: silentLog,
  });
  const signal = new AbortController().signal;
  const startCpu = process.cpuUsage();
  const subjects = await recogniseAll(client, devices);
  const recognisedCpu = process.cpuUsage(startCpu);
  for (const { found } of subjects) await agent.fleet.recognised(found.target.ip, found, signal);
  const metCpu = process.cpuUsage(startCpu);
  const states = [...agent.fleet.all()];
  const linesOf = new Map(subjects.map(({ found, lines }) => [found.target.ip, lines]));
  const exchanges = subjects.reduce((sum, { lines }) => sum + lines.length, 0) / subjects.length;
  print(
    `poll path: ${subjects.length} of ${devices.length} miners are polled over CGMiner TCP alone, ${exchanges.toFixed(2)} exchanges per poll, ${WIDTH} at a time`,
  );

  const [recognisedUs, metUs] = [recognisedCpu, metCpu].map(({ user, system }) => user + system);
  if (recognisedUs === undefined || metUs === undefined) return;
  print(
    `  first contact, in no round: ${(recognisedUs / devices.length).toFixed(0)} us CPU to recognise a device and read it, ${((metUs - recognisedUs) / subjects.length).toFixed(0)} us to register it`,
  );

  const bare = (ip: string) => bareExchanges(ip, CGMINER_PORT, linesOf.get(ip) ?? []);
  const whole = async (state: (typeof states)[number]) =>
    agent.fleet.polled(state.key, await client.read(state.target, signal), signal);
  await runFor(states, WIDTH, 2_000, ({ target }) => bare(target.ip));
  await runFor(states, WIDTH, 4_000, whole);
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const bareRun = await runFor(states, WIDTH, seconds * 1_000, ({ target }) => bare(target.ip));
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const wholeRun = await runFor(states, WIDTH, seconds * 1_000, whole);
    delay.disable();
    const [barePerS, wholePerS] = [bareRun, wholeRun].map(({ done, elapsedMs }) => (1_000 * done) / elapsedMs);
    if (barePerS === undefined || wholePerS === undefined) return;
    ratios.push(wholePerS / barePerS);
    print(
      `  round ${round}: bare ${barePerS.toFixed(0)}/s (${(bareRun.cpuUs / bareRun.done).toFixed(0)} us CPU), agent ${wholePerS.toFixed(0)}/s (${(wholeRun.cpuUs / wholeRun.done).toFixed(0)} us CPU), ratio ${(wholePerS / barePerS).toFixed(2)}, loop delay p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms`,
    );
  }
  const median = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)];
  print(`  agent path / bare sockets = ${median?.toFixed(2)} (median of ${rounds})`);
  await client.close();
  await agent.stop();
}

/** The whole agent at its normal rhythm: every miner each 15 s. */
async function rhythm(config: AgentConfig, miners: number, rhythmS: number): Promise<void> {
  const stateDir = mkdtempSync(join(tmpdir(), 'pithead-bench-'));
  const agent = createAgent({ config: { ...config, stateDir }, uplinks: [], clock: systemClock, log: silentLog });
  await agent.start();
  const account = await agent.scan();
  await systemClock.sleep(15_000);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const cpu = process.cpuUsage();
  delay.enable();
  await systemClock.sleep(rhythmS * 1_000);
  delay.disable();
  const { user, system } = process.cpuUsage(cpu);
  const ms = (nanoseconds: number) => (nanoseconds / 1e6).toFixed(1);
  print(
    `${miners} miners each 15 s, ${account.counts.identified} found, for ${rhythmS} s: loop delay p50 ${ms(delay.percentile(50))}, p99 ${ms(delay.percentile(99))}, max ${ms(delay.max)} ms; CPU ${((user + system) / 1e4 / rhythmS).toFixed(1)} % of a core; RSS ${(process.memoryUsage.rss() / 1e6).toFixed(0)} MB`,
  );
  await agent.stop();
  rmSync(stateDir, { recursive: true, force: true });
}

const print = (line: string) => void process.stdout.write(`${line}\n`);
