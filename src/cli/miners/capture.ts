// `pithead capture <ip>`: records the answers of one device, private parts replaced, in a folder that contract tests
// can read.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { captureOnce } from '../../agent/capture/record.ts';
import type { ShownCapture } from '../../agent/control/control-client.ts';
import { singleAddress, withTrust } from '../../agent/standalone/reach.ts';
import { ConfigError } from '../../base/errors.ts';
import { CommandFailed } from '../output/exit.ts';
import { type CliContext, withProgress } from '../output/terminal.ts';
import { type AccessFlags, addAccessOptions } from './access-options.ts';
import { throughRunning } from './running-agent.ts';

type Flags = AccessFlags & { json?: boolean; output: string };

export function addCapture(program: Command, context: CliContext): void {
  const command = program
    .command('capture')
    .description('record what one device answers, passwords and names replaced, for the author of its driver')
    .argument('<ip>', 'its address')
    .option('-o, --output <folder>', 'where to put the case folder', '.')
    .option('--json', 'one JSON object about what was recorded');
  addAccessOptions(command)
    .addHelpText(
      'after',
      `
It changes nothing: the questions that a scan asks, then every request of the driver that knows the device, one at a time. A request that needs a
login gets the one that is configured, else once that of the factory (not with --no-factory-defaults). An unknown device gets the questions of all
drivers that need no login. Passwords, workers, wallets, pools, addresses and serial numbers are replaced, the
same one always by the same placeholder; look at the folder before you send it. Where an agent runs on this host that watches the device, it asks
the questions, and does not poll the device meanwhile.

Examples:
  $ pithead capture 10.31.0.17
  $ pithead capture 10.31.0.17 --output cases
  $ pithead capture 10.31.0.17 --config pithead.yaml --json`,
    )
    .action((ip: string, flags: Flags) => run(ip, flags, context));
}

async function run(ip: string, flags: Flags, context: CliContext): Promise<void> {
  singleAddress(ip);
  const capture = await withProgress(context, 'capturing', ({ update }) =>
    throughRunning<ShownCapture | undefined>(flags, context, {
      ask: (agent) => agent.capture(ip, update, context.signal),
      alone: (config) => withTrust(config, (trust) => captureOnce({ config, trust, ip }, update, context.signal)),
    }),
  );
  const answered = capture?.case.responses.filter(({ failure }) => failure === undefined).length ?? 0;
  const folder = capture && answered > 0 ? save(capture, flags.output) : undefined;
  if (flags.json) context.stdout.write(`${JSON.stringify(toJson(ip, folder, capture, answered))}\n`);
  else if (capture !== undefined && folder !== undefined) context.stdout.write(describe(folder, capture, answered));
  if (folder === undefined) throw new CommandFailed(`Nothing that ${ip} answers could be recorded.`);
}

/** An existing folder may hold a person's work: it is never written over. */
function save({ case: about, files }: ShownCapture, output: string): string {
  const folder = resolve(output, about.id);
  if (existsSync(folder)) {
    const message = `${folder} exists already: move it away, or name another folder`;
    throw new ConfigError('write the capture', [{ path: '--output', message }]);
  }
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(folder, name), text, 'latin1');
  writeFileSync(join(folder, 'case.json'), `${JSON.stringify(about, null, 2)}\n`);
  return folder;
}

function toJson(ip: string, folder: string | undefined, capture: ShownCapture | undefined, answered: number) {
  return {
    ip,
    folder: folder ?? null,
    case: capture?.case.id ?? null,
    driver: capture?.driver ?? null,
    requests: capture?.case.responses.length ?? 0,
    answered,
    login_refused: capture?.isLoginRefused ?? false,
    files: [...(capture?.files.keys() ?? [])],
  };
}

function describe(folder: string, { case: about, driver, isLoginRefused }: ShownCapture, answered: number): string {
  return [
    `${folder}`,
    `${answered} of ${about.responses.length} requests answered, ${driver === undefined ? 'no driver knows the device' : `driver ${driver}`}`,
    ...(isLoginRefused
      ? ['The device refuses the login: set its password in the configuration (credentials.logins) and capture again.']
      : []),
    'Passwords, workers, pools, addresses and serial numbers are replaced. Look at the files before you send them.',
    'What to do with them: drivers/README.md.',
    '',
  ].join('\n');
}
