// How fast a farm is put to sleep, woken, given pools and rebooted, by the agent's own queue on simulated miners; and
// how right the time that was told before is. The farm runs in a process of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { OWNERS_ENVIRONMENT, OWNERS_LOGINS } from '../../fixtures/farm/owners.ts';
import { createAgent } from '../../src/agent/agent.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import type { LocalCommand } from '../../src/agent/tasks/queue/admission.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { startFarmProcess } from './farm-process.ts';

const NETWORK = '127.40.0.0/19';
const POOLS = [{ url: 'stratum+tcp://bench.example:3333', user: 'bench.1', password: 'x' }];
/** They teach how long such tasks take here. */
const FIRST = 60;

type Agent = ReturnType<typeof createAgent>;
type Act = Pick<LocalCommand, 'name' | 'params'> & { readonly what: string };

export async function benchPace(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      miners: { type: 'string', default: '2000' },
      /** Of the power budget: by default a tenth of what is usual, so that the bench ends soon. */
      window: { type: 'string', default: '3' },
      /** sleep (and wake after it), pools, reboot; default all. */
      only: { type: 'string', default: 'sleep,pools,reboot' },
    },
  });
  const [miners, windowS, only] = [Number(values.miners), Number(values.window), values.only.split(',')];
  const farm = await startFarmProcess([
    ...['--miners', String(miners), '--network', NETWORK, '--mix', 'all', '--for', '60m'],
    ...['--boot-seconds', '10', '--warm-up-seconds', '20'],
  ]);
  const stateDir = mkdtempSync(join(tmpdir(), 'pithead-bench-'));
  const config = parseConfig(
    JSON.stringify({
      ...{ stateDir, networks: [NETWORK], scan: { maxPerSecond: 50_000 }, poll: { interval: '30s' } },
      credentials: { trust: 'network', logins: OWNERS_LOGINS },
      tasks: { powerGate: { windowS }, reboot: { checkEveryS: 2 } },
    }),
    { baseDir: stateDir, environment: OWNERS_ENVIRONMENT, name: 'bench' },
  );
  const agent = createAgent({ config, uplinks: [], clock: systemClock, log: silentLog });
  try {
    await agent.start();
    await agent.scan();
    await systemClock.sleep(45_000);
    const keys = [...agent.fleet.all()].map(({ key }) => key);
    print(`${keys.length} miners; power budget per ${windowS} s`);
    const mode = (what: string, wanted: string): Act => ({
      what,
      name: 'miner.power_mode.update',
      params: { mode: wanted },
    });
    if (only.includes('sleep')) await both(agent, mode('sleep', 'sleep'), keys);
    if (only.includes('sleep')) await both(agent, mode('wake', 'normal'), keys);
    if (only.includes('pools'))
      await both(agent, { what: 'pools', name: 'miner.pool.update', params: { pools: POOLS } }, keys.slice(0, 500));
    if (only.includes('reboot'))
      await both(agent, { what: 'reboot', name: 'miner.system.reboot', params: { force: true } }, keys.slice(-300));
  } finally {
    await agent.stop();
    await farm.stop();
    rmSync(stateDir, { recursive: true, force: true });
  }
}

/** A few first, then the others, whose time is foretold from these. */
async function both(agent: Agent, act: Act, keys: readonly string[]): Promise<void> {
  await run(agent, { ...act, what: `${act.what}, nothing learnt` }, keys.slice(0, FIRST));
  await run(agent, act, keys.slice(FIRST));
}

async function run({ tasks }: Agent, { what, name, params = {} }: Act, keys: readonly string[]): Promise<void> {
  const commands = keys.map((minerKey) => ({ name, minerKey, params, expiresInS: 4 * 3_600 }));
  const { selected, leftOut, atOnce, drawW, etaS } = await tasks.outlook(commands);
  const going = new Set(selected.map(({ minerKey }) => minerKey));
  const cpu = process.cpuUsage();
  const startMs = systemClock.monotonicMs();
  const { runs } = tasks.runLocalBatch(commands.filter(({ minerKey }) => going.has(minerKey)));
  const afterS: number[] = [];
  const failures = new Map<string, number>();
  await Promise.all(
    runs.map(async ({ outcome }) => {
      const { status, message } = await outcome;
      afterS.push((systemClock.monotonicMs() - startMs) / 1_000);
      const cause = (message ?? '').replaceAll(/\d+(\.\d+){3}(:\d+)?/g, '<ip>').slice(0, 120);
      if (status !== 'succeeded') failures.set(cause, (failures.get(cause) ?? 0) + 1);
    }),
  );
  const sorted = afterS.toSorted((a, b) => a - b);
  const [p50, p99, last] = [0.5, 0.99, 1].map((share) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
  const { user, system } = process.cpuUsage(cpu);
  const kw = drawW === undefined ? 'kW not known' : `${Math.round(drawW / 1_000)} kW`;
  print(
    `${what}: ${runs.length} miners (${leftOut.length} left out), ${kw}, ${atOnce} at once: half after ${p50?.toFixed(1)} s, 99 % after ${p99?.toFixed(1)} s, all after ${last?.toFixed(1)} s; told before: ${etaS?.toFixed(1)} s (${percent(etaS, last)}); CPU of the agent ${((user + system) / 1e6).toFixed(1)} s`,
  );
  for (const [message, count] of failures) print(`  ${count} failed: ${message}`);
}

const percent = (told: number | null, was = 0): string =>
  told === null || was === 0 ? '-' : `${told >= was ? '+' : ''}${((100 * (told - was)) / was).toFixed(0)} %`;

const print = (line: string) => void process.stdout.write(`${line}\n`);
