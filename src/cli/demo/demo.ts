// `pithead demo`: a simulated farm, the agent and the service in one go, with requests to try, until it is stopped.
import { once } from 'node:events';
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { CancelledError } from '../../base/errors.ts';
import { readDuration, readWhole } from '../options.ts';
import { createLog, type Level } from '../output/logging.ts';
import { type CliContext, progressBar } from '../output/terminal.ts';
import { type DemoFacts, withDemo } from './demo-farm.ts';

type WithDefault = 'miners' | 'network' | 'mix' | 'port' | 'poll' | 'seed' | 'bootSeconds';
type Flags = Record<WithDefault, string> & { json?: boolean; for?: string; logLevel: Level };

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
      'first line on stdout, once every miner has been reported: one JSON object with url, key, workspace_id, farm_id, miners, page',
    )
    .option('--for <duration>', 'end by itself that long after every miner has been reported, e.g. 2m')
    .option('--log-level <level>', 'debug, info, warn or error, on stderr', 'warn')
    .addHelpText('after', '\nExamples:\n  $ pithead demo\n  $ pithead demo --miners 300 --json --for 5m')
    .action((flags: Flags) => runDemo(flags, context));
}

async function runDemo(flags: Flags, context: CliContext): Promise<void> {
  const miners = readWhole('--miners', flags.miners, 1, 20_000);
  const forMs = flags.for === undefined ? undefined : readDuration('--for', flags.for);
  const { network, mix, poll } = flags;
  const { signal } = context;
  const progress = progressBar(context, 'first reports');
  const options = {
    ...{ miners, network, mix, poll, signal },
    seed: readWhole('--seed', flags.seed, 0, 2 ** 31),
    bootS: readWhole('--boot-seconds', flags.bootSeconds, 1, 3_600),
    port: readWhole('--port', flags.port, 0, 65_535),
    log: createLog(context, 'stderr', flags.logLevel),
    onProgress: (done: number) => progress.update(done, miners, ''),
  };
  try {
    await withDemo(options, async (facts) => {
      progress.stop();
      context.stdout.write(flags.json ? `${JSON.stringify(facts)}\n` : introduce(facts));
      if (forMs !== undefined) await systemClock.sleep(forMs, signal);
      else if (!signal.aborted) await once(signal, 'abort');
    });
  } catch (error) {
    if (!(signal.aborted && error instanceof CancelledError)) throw error;
  } finally {
    progress.stop();
  }
}

function introduce({ url, key, workspace_id, farm_id, miners, page }: DemoFacts): string {
  const farm = `${url}/private-api/v1/${workspace_id}/farms/${farm_id}`;
  const header = `-H 'x-api-key: ${key}'`;
  return `
${miners} simulated miners are scanned, polled and reported.

  page      ${page}
            open it within 15 minutes, once: it asks for your name and a password
  service   ${url}          its interface: ${url}/docs
  key       ${key}

Try:
  curl -s ${header} '${farm}/miner/latest?pageSize=3'
  curl -s ${header} '${farm}/miner/latest?has_anomaly=true'
  curl -s ${header} '${url}/private-api/v1/${workspace_id}/agents/search' --json '{}'

Ctrl-C ends it and leaves nothing behind.
`;
}
