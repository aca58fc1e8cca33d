// `pithead driver replay <case>`: a recorded device on this host, until Ctrl-C.
import type { Command } from 'commander';
import { ConfigError } from '../../base/errors.ts';
import { parseIpv4 } from '../../base/net/ipv4.ts';
import { caseFoldersIn, readCase } from '../../case/folder.ts';
import { type Case, wantsLogin } from '../../case/format.ts';
import { REPLAY_LOGIN, type Replayed, replay } from '../../case/replay/replay.ts';
import { readPortMap } from '../miners/access-options.ts';
import { wrongOption } from '../options.ts';
import type { CliContext } from '../output/terminal.ts';

type Flags = { ip: string; portMap?: string[]; user: string; json?: boolean };

const HELP = `
It answers what the recorded device answered, byte for byte, and knows nothing else: no command changes it. Where the
device wanted a login, the login is ${REPLAY_LOGIN.user} / ${REPLAY_LOGIN.password}. Each port of the device is at a port of this host, which is printed as
--port-map for the other commands. <case> is a folder of pithead capture, or the folder of a driver with one in cases/.

Examples:
  $ pithead driver replay ./acme-one-1.0
  $ pithead driver replay ./my-miner --port-map 80=8080 4028=14028
  $ pithead driver replay ./my-miner --json`;

export function addReplay(driver: Command, context: CliContext): void {
  driver
    .command('replay')
    .description('serve a recorded device on this host, until Ctrl-C')
    .argument('<case>', 'folder of the case')
    .option('--ip <ip>', 'address of this host to listen on: 127.x.x.x', '127.0.0.1')
    .option('--port-map <from=to...>', 'port FROM of the device is port TO here (default: ports that are free)')
    .option('--json', 'one JSON object with the addresses')
    .addHelpText('after', HELP)
    .action((path: string, flags: Flags) => run(path, flags, context));
}

async function run(path: string, flags: Flags, context: CliContext): Promise<void> {
  // What it serves is the device of another: it stays on this host.
  if (parseIpv4(flags.ip) === undefined || !flags.ip.startsWith('127.'))
    throw wrongOption('--ip', `'${flags.ip}' is not an address of this host alone, such as 127.0.0.1`);
  const portMap = new Map(Object.entries(readPortMap(flags.portMap ?? [])).map(([from, to]) => [Number(from), to]));
  const recorded = readCase(oneCaseIn(path));
  const device = await replay(recorded, { ip: flags.ip, portMap });
  try {
    context.stdout.write(
      flags.json ? `${JSON.stringify(toJson(recorded.about, device))}\n` : describe(recorded.about, device),
    );
    await stopped(context.signal);
  } finally {
    await device.close();
  }
}

/** The case itself, or the only one of a driver. */
export function oneCaseIn(path: string): string {
  const [folder, ...more] = caseFoldersIn(path);
  const wrong = (message: string) => new ConfigError('find the case', [{ path, message }]);
  if (folder === undefined) throw wrong('holds no case: name a folder that pithead capture has written');
  if (more.length > 0) throw wrong(`holds more than one case, name one: ${[folder, ...more].join(', ')}`);
  return folder;
}

const stopped = (signal: AbortSignal): Promise<void> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

function toJson(about: Case, { ip, portMap, login }: Replayed) {
  return { case: about.id, ip, port_map: Object.fromEntries(portMap), login: wantsLogin(about) ? login : null };
}

function describe(about: Case, { ip, portMap, login }: Replayed): string {
  const loginWords = wantsLogin(about) ? `, login ${login.user} / ${login.password}` : '';
  const pairs = [...portMap].map(([from, to]) => `${from}=${to}`).join(' ');
  return [
    `${about.id} is at ${ip}${loginWords}, until Ctrl-C`,
    '',
    `  pithead miner ${ip} --port-map ${pairs}`,
    `  pithead capture ${ip} --port-map ${pairs}`,
    '',
  ].join('\n');
}
