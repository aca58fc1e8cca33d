// `pithead demo`: a simulated farm, the agent and the service in one go, in a temporary folder that is removed at the end. It reaches nothing but
// loopback addresses. The only place where the program knows the simulated farm.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { request } from 'undici';
import { z } from 'zod';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { parseConfig } from '../agent/config.ts';
import { systemClock } from '../base/clock.ts';
import { DURATION_FORMS, parseDurationMs } from '../base/duration.ts';
import { CancelledError, ConfigError } from '../base/errors.ts';
import { CommandFailed } from './exit.ts';
import { createLog, type Level } from './logging.ts';
import { type Stack, startStack } from './stack.ts';
import { type CliContext, progressBar } from './terminal.ts';

type Flags = {
  miners: string;
  network: string;
  mix: string;
  port: string;
  poll: string;
  seed: string;
  json?: boolean;
  for?: string;
  logLevel: Level;
  bootSeconds: string;
};

const READY_LIMIT_MS = 120_000;

export function addDemo(program: Command, context: CliContext): void {
  program
    .command('demo')
    .description('a simulated farm, the agent and the service, with requests to try')
    .option('--miners <n>', 'how many miners', '50')
    .option('--mix <mix>', "families and their shares, e.g. antminer-stock=3,whatsminer=1, or 'all'", 'all')
    .option('--network <range>', 'loopback range that the miners stand in', '127.20.0.0/20')
    .option('--port <port>', 'port of the service (0 = a free one)', '0')
    .option('--poll <duration>', 'how often each miner is polled', '10s')
    .option('--boot-seconds <s>', 'how long a rebooting miner is off the network', '15')
    .option('--seed <n>', 'same seed, same farm', '1')
    .option(
      '--json',
      'first line on stdout, once every miner has been reported: one JSON object with url, key, workspace_id, farm_id, miners',
    )
    .option('--for <duration>', 'end by itself that long after every miner has been reported, e.g. 2m')
    .option('--log-level <level>', 'debug, info, warn or error, on stderr', 'warn')
    .addHelpText('after', '\nExamples:\n  $ pithead demo\n  $ pithead demo --miners 300 --json --for 5m')
    .action((flags: Flags) => runDemo(flags, context));
}

async function runDemo(flags: Flags, context: CliContext): Promise<void> {
  const miners = wholeNumber(flags.miners, '--miners', 1, 20_000);
  const forMs = flags.for === undefined ? undefined : durationOf(flags.for, '--for');
  const stop = context.signal;
  const stateDir = mkdtempSync(join(tmpdir(), 'pithead-demo-'));
  const progress = progressBar(context, 'first reports');
  let farm: Farm | undefined;
  let stack: Stack | undefined;
  try {
    const portMap = await suitablePortMap();
    farm = await startFarm({
      network: flags.network,
      miners,
      mix: flags.mix,
      seed: wholeNumber(flags.seed, '--seed', 0, 2 ** 31),
      bootS: wholeNumber(flags.bootSeconds, '--boot-seconds', 1, 3_600),
      warmUpS: 10,
      portMap,
    });
    const config = parseConfig(
      JSON.stringify({
        stateDir,
        networks: [{ name: 'demo farm', range: flags.network }],
        portMap,
        poll: { interval: flags.poll },
      }),
      { baseDir: stateDir, environment: context.environment, name: 'demo' },
    );
    stack = await startStack({
      config,
      host: '127.0.0.1',
      port: wholeNumber(flags.port, '--port', 0, 65_535),
      log: createLog(context, 'stderr', flags.logLevel),
    });
    const { key } = await stack.service.admin.createKey({ workspaceId: stack.workspaceId, name: 'demo' });
    await untilAllReported(stack, key, miners, (done) => progress.update(done, miners, ''), stop);
    progress.stop();
    const facts = { url: stack.url, key, workspace_id: stack.workspaceId, farm_id: stack.farmId, miners };
    context.stdout.write(flags.json ? `${JSON.stringify(facts)}\n` : introduce(facts));
    await (forMs === undefined ? untilAborted(stop) : systemClock.sleep(forMs, stop));
  } catch (error) {
    if (!(stop.aborted && error instanceof CancelledError)) throw error;
  } finally {
    progress.stop();
    await stack?.stop();
    await farm?.stop();
    rmSync(stateDir, { recursive: true, force: true });
  }
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

const pageSchema = z.object({
  data: z.array(z.object({ id: z.string() })),
  pagination: z.object({ total: z.number() }),
});

/** Asks the interface itself, as an integrator would, until it knows every miner. */
async function untilAllReported(
  stack: Stack,
  key: string,
  miners: number,
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const endMs = systemClock.monotonicMs() + READY_LIMIT_MS;
  for (;;) {
    const url = `${stack.url}/private-api/v1/${stack.workspaceId}/farms/${stack.farmId}/miner/latest?pageSize=1`;
    const { body } = await request(url, { headers: { 'x-api-key': key } });
    const { total } = pageSchema.parse(await body.json()).pagination;
    onProgress(total);
    if (total >= miners) return;
    if (systemClock.monotonicMs() > endMs)
      throw new CommandFailed(`only ${total} of ${miners} miners were reported within ${READY_LIMIT_MS / 1_000} s`);
    await systemClock.sleep(200, signal);
  }
}

function introduce({
  url,
  key,
  workspace_id,
  farm_id,
  miners,
}: {
  url: string;
  key: string;
  workspace_id: string;
  farm_id: string;
  miners: number;
}): string {
  const farm = `${url}/private-api/v1/${workspace_id}/farms/${farm_id}`;
  const header = `-H 'x-api-key: ${key}'`;
  return `
${miners} simulated miners are scanned, polled and reported.

  service   ${url}          OpenAPI: ${url}/openapi.json
  key       ${key}

Try:
  curl -s ${header} '${farm}/miner/latest?pageSize=3'
  curl -s ${header} '${farm}/miner/latest?has_anomaly=true'
  curl -s ${header} '${url}/private-api/v1/${workspace_id}/agents/search' --json '{}'

Ctrl-C ends it and leaves nothing behind.
`;
}

function wholeNumber(text: string, option: string, min: number, max: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new ConfigError('read the command line', [
    { path: option, message: `'${text}' is not a whole number from ${min} to ${max}` },
  ]);
}

function durationOf(text: string, option: string): number {
  const durationMs = parseDurationMs(text);
  if (durationMs !== undefined) return durationMs;
  throw new ConfigError('read the command line', [{ path: option, message: `'${text}' is not ${DURATION_FORMS}` }]);
}
