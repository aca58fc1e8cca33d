// `pithead capture <ip>`: records the answers of one device, private parts replaced, in a case folder.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ALSO_FORMS, readAlso } from '../../agent/capture/recording/also.ts';
import { type CaptureRequest, captureOnce } from '../../agent/capture/recording/record.ts';
import type { ShownCapture } from '../../agent/control/control-client.ts';
import { singleAddress, withDrivers } from '../../agent/standalone/reach.ts';
import { ConfigError } from '../../base/errors.ts';
import { writeCase } from '../../case/folder.ts';
import { loadHere } from '../driver/load-here.ts';
import { CommandFailed } from '../output/exit.ts';
import { type CliContext, withProgress } from '../output/terminal.ts';
import { type AccessFlags, addAccessOptions, readAccessConfig } from './access-options.ts';
import { captureText } from './capture-text.ts';
import { givenLogin } from './given-login.ts';
import { throughRunning } from './running-agent.ts';

type Flags = AccessFlags & {
  json?: boolean;
  output: string;
  also?: string[];
  login?: boolean;
  driver?: string;
};

export function addCapture(program: Command, context: CliContext): void {
  const command = program
    .command('capture')
    .description('record what one device answers, passwords and names replaced, for the author of its driver')
    .argument('<ip>', 'its address')
    .option('-o, --output <folder>', 'where to put the case folder', '.')
    .option('--also <request>', `ask this too, may be repeated: ${ALSO_FORMS}`, collect)
    .option('--login', 'log in: with the login that --config has for this address, else with one that is typed here')
    .option('--driver <folder>', 'ask what this driver asks, and log in as it does: one that is being written')
    .option('--json', 'one JSON object about what was recorded');
  addAccessOptions(command)
    .addHelpText('after', HELP)
    .action((ip: string, flags: Flags) => run(ip, flags, context));
}

const HELP = `
It changes nothing: the questions that a scan asks, then every request of the driver that knows the device, one at a
time. An unknown device gets the questions of all drivers that need no login. Passwords, workers, wallets, pools,
addresses and serial numbers are replaced, the same one always by the same placeholder; look at the folder before you
send it. Equal answers are kept once: case.json names the file of each.

--also asks what no driver knows, with the login if there is one: a page on port 80 ('/path'), on another port
('http:8080/path'), a command of CGMiner's API ('tcp:devs', on another port 'tcp:8359:devs', with a parameter
'tcp:asc|0'). A request whose name says that it changes something is refused.

A request that needs a login gets the one that is configured, else once that of the factory (not with
--no-factory-defaults). --login also sends one to a device that no driver knows. It is tried once. Only a driver can
log in on a page of the device: write its asks and its session first (pithead driver new), then capture with --driver
and --login.

Where an agent runs on this host that watches the device, it asks the questions, and does not poll the device meanwhile.

Examples:
  $ pithead capture 10.31.0.17
  $ pithead capture 10.31.0.17 --output cases
  $ pithead capture 10.31.0.17 --also /api/v1/status --also tcp:devs
  $ pithead capture 10.31.0.17 --login --also /cgi-bin/status.cgi
  $ pithead capture 10.31.0.17 --driver ./my-miner --login
  $ pithead capture 10.31.0.17 --config pithead.yaml --json`;

const collect = (value: string, before: string[] = []): string[] => [...before, value];

async function run(ip: string, flags: Flags, context: CliContext): Promise<void> {
  singleAddress(ip);
  const { also = [] } = flags;
  readAlso(also);
  const login = flags.login ? await givenLogin(ip, readAccessConfig(flags, context), context) : undefined;
  const driver = flags.driver === undefined ? undefined : loadHere(flags.driver).driver;
  const request: CaptureRequest = {
    ip,
    ...(also.length > 0 && { also }),
    ...(login !== undefined && { login }),
  };
  const capture = await withProgress(context, 'capturing', ({ update }) => {
    const alone = (config: ReturnType<typeof readAccessConfig>): Promise<ShownCapture | undefined> =>
      withDrivers(config, (trust, inUse) =>
        captureOnce({ ...request, config, trust, inUse, driver }, update, context.signal),
      );
    // A driver that is being written is none of the agent's.
    if (driver !== undefined) return alone(readAccessConfig(flags, context));
    return throughRunning(flags, context, { ask: (agent) => agent.capture(request, update, context.signal), alone });
  });
  const answered = capture?.case.responses.filter(({ failure }) => failure === undefined).length ?? 0;
  const folder = capture && answered > 0 ? save(capture, flags.output) : undefined;
  if (flags.json) context.stdout.write(`${JSON.stringify(toJson(ip, folder, capture, answered))}\n`);
  else if (capture !== undefined && folder !== undefined)
    context.stdout.write(captureText({ ip, folder, capture, answered, hasLogin: login !== undefined }));
  if (folder === undefined) throw new CommandFailed(`Nothing that ${ip} answers could be recorded.`);
}

/** An existing folder may hold a person's work: it is never written over. */
function save({ case: about, files }: ShownCapture, output: string): string {
  const folder = resolve(output, about.id);
  if (existsSync(folder)) {
    const message = `${folder} exists already: move it away, or name another folder`;
    throw new ConfigError('write the capture', [{ path: '--output', message }]);
  }
  writeCase(folder, about, files);
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
    login_wall: capture?.loginWall ?? null,
    files: [...(capture?.files.keys() ?? [])],
  };
}
