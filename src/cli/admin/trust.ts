// `pithead trust list | accept | forget`: the devices that wait for a person before they get the configured login, and
// the person's decision. All programs of this host share the record; a running agent reads a change within a second.

import { join } from 'node:path';
import type { Command } from 'commander';
import type { RunningAgent } from '../../agent/control/control-client.ts';
import { WITHHELD_TEXT } from '../../agent/device/trust/rules.ts';
import {
  openTrustRecord,
  type StoredPin,
  TRUST_FILE,
  type TrustRecord,
} from '../../agent/device/trust/trust-record.ts';
import {
  acceptableDevices,
  readSelector,
  type Selector,
  toAccept,
  type Waiting,
  waitingDevices,
} from '../../agent/device/trust/waiting.ts';
import { driverFacts } from '../../agent/standalone/reach.ts';
import { systemClock } from '../../base/clock.ts';
import { ConfigError, PeerError, RefusedError, renderError } from '../../base/errors.ts';
import { nearestNames } from '../../base/nearest-names.ts';
import { userName } from '../../base/platform/user-name.ts';
import { shortKey } from '../../transport/http/tls-keys.ts';
import { type RunningFlags, seekAgent } from '../miners/running-agent.ts';
import { CommandFailed } from '../output/exit.ts';
import { formatText, formatTime } from '../output/format.ts';
import { type Column, screenWidth, table } from '../output/table.ts';
import { type CliContext, painter } from '../output/terminal.ts';
import { CONFIG_FOR_STATE } from '../setup/config-file.ts';

type ListFlags = RunningFlags & { accepted?: boolean };
type AcceptFlags = RunningFlags & { all?: boolean; as?: string };
type ForgetFlags = RunningFlags & { all?: boolean };

const DRIVER_IDS: readonly string[] = driverFacts().map(({ id }) => id);
const SELECTORS = 'addresses (10.31.0.17), ranges (10.31.0.0/24), MAC addresses, ids of drivers (whatsminer)';
const HELP = `
A device that only looks like a miner gives no proof of its family: it is not polled and not reported until a person says what it is (accept --as).
A login of the configuration (credentials.logins) goes to devices that proved their family and that a person accepted. A device that shows another MAC,
family, realm or TLS key than it was accepted with waits again. One that has the login of the factory is accepted by name, before its password is changed. With credentials.trust: network every device of the networks that proved its family gets it.
Exit codes: 0 done, 1 something that was named could not be done, 78 a wrong selector.

`;
const LIST = '  $ pithead trust list\n';
const ACCEPT = `  $ pithead trust accept --all
  $ pithead trust accept 10.31.0.0/24 whatsminer
  $ pithead trust accept 10.31.4.7 --as iceriver     it gives no proof of its own: you say what it is
`;
const RETRY = '  $ pithead trust retry 10.31.0.17     its password is that of the configuration now\n';
const FORGET = '  $ pithead trust forget 10.31.0.17\n';
const helpWith = (...examples: readonly string[]) => `${HELP}Examples:\n${examples.join('')}`;

export function addTrust(program: Command, context: CliContext): void {
  const trust = program
    .command('trust')
    .description('which devices get the logins of the configuration: those that a person accepted')
    .addHelpText('after', helpWith(LIST, ACCEPT, FORGET));
  trust
    .command('list')
    .description('devices that wait for a person')
    .option('--accepted', 'those that were accepted')
    .option('--json', 'one JSON object: devices with ip, family, model, mac, tls_key, why, since')
    .option('-c, --config <file>', CONFIG_FOR_STATE)
    .addHelpText('after', helpWith(LIST))
    .action((flags: ListFlags) => withRecord(flags, context, (record) => list(record, flags, context)));
  trust
    .command('accept')
    .description('let devices have the login that is configured for them')
    .argument('[devices...]', SELECTORS)
    .option('--all', 'all that wait')
    .option('--as <driver>', 'for devices that give no proof: this is what they are')
    .option('--json', 'one JSON object: accepted, unproven, unknown')
    .option('-c, --config <file>', CONFIG_FOR_STATE)
    .addHelpText('after', helpWith(ACCEPT, LIST))
    .action((named: string[], flags: AcceptFlags) =>
      withRecord(flags, context, (record, agent) => accept(record, named, flags, context, agent)),
    );
  trust
    .command('retry')
    .description('try a login of the configuration once more where it was refused within the last 24 hours')
    .argument('[devices...]', SELECTORS)
    .option('--all', 'all that were met')
    .option('-c, --config <file>', CONFIG_FOR_STATE)
    .addHelpText('after', helpWith(RETRY, LIST))
    .action((named: string[], flags: ForgetFlags) =>
      withRecord(flags, context, (record) => retry(record, named, flags, context)),
    );
  trust
    .command('forget')
    .description('let devices wait again, accepted or not')
    .argument('[devices...]', SELECTORS)
    .option('--all', 'all that were accepted')
    .option('--json', 'one JSON object: forgotten, unknown')
    .option('-c, --config <file>', CONFIG_FOR_STATE)
    .addHelpText('after', helpWith(FORGET, LIST))
    .action((named: string[], flags: ForgetFlags) =>
      withRecord(flags, context, (record) => forget(record, named, flags, context)),
    );
}

/** The record of the agent that runs here, else that of the configuration, else this user's. */
async function withRecord(
  flags: RunningFlags,
  context: CliContext,
  work: (record: TrustRecord, agent: RunningAgent | undefined) => void | Promise<void>,
) {
  const { stateDir, found } = await seekAgent(flags, context);
  const agent = found.kind === 'running' ? found.agent : undefined;
  const record = openTrustRecord(join(stateDir, TRUST_FILE), systemClock);
  try {
    const fault = record.fault();
    if (fault !== undefined) throw new CommandFailed(`the record of trust cannot be used: ${fault}`);
    await work(record, agent);
  } finally {
    record.close();
    await agent?.close();
  }
}

function list(record: TrustRecord, { accepted = false, json = false }: ListFlags, context: CliContext): void {
  const devices = accepted ? record.allPins().map(shownPin) : waitingDevices(record, systemClock.nowMs()).map(shown);
  if (json) {
    print(context, { devices });
    return;
  }
  const paint = painter(context.stdout);
  if (devices.length === 0) {
    context.stdout.write(accepted ? 'no device was accepted yet\n' : 'no device waits for a person\n');
    return;
  }
  const columns = devices.some(({ tls_key }) => tls_key !== null) ? [...COLUMNS, TLS_KEY, WHY] : [...COLUMNS, WHY];
  const options = { width: screenWidth(context.stdout), paintHead: (text: string) => paint('bold', text) };
  context.stdout.write(`${table(columns, devices, options)}\n`);
  if (!accepted)
    context.stdout.write(`${devices.length} wait; let them have their login: pithead trust accept --all\n`);
}

/** Field names are those of `--json`. */
const shown = ({ why, sinceMs, confidence, isHeldUp, ...device }: Waiting) => ({
  ...shownFacts(device),
  ...{ proven: confidence === 'sure', held_up: isHeldUp, why, since: new Date(sinceMs).toISOString() },
});
type Shown = Omit<ReturnType<typeof shown>, 'why'> & { readonly why: Waiting['why'] | 'accepted' };

const shownPin = ({ isVouchedFor, acceptedAtMs, ...device }: StoredPin): Shown => ({
  ...shownFacts(device),
  ...{ proven: !isVouchedFor, held_up: false, why: 'accepted', since: new Date(acceptedAtMs).toISOString() },
});

type Facts = Pick<StoredPin, 'ip' | 'family' | 'model' | 'networkMac' | 'mac' | 'serialNumber' | 'tlsKey'>;

const shownFacts = (device: Facts) => {
  const { ip, family, model, networkMac, mac, tlsKey } = device;
  return { ip, family, model, mac: networkMac ?? mac, by: byOf(device), tls_key: tlsKey };
};

/** What a pin of it goes by. */
function byOf({ networkMac, mac, serialNumber, tlsKey }: Facts): keyof typeof BY_WHAT {
  if (networkMac !== null) return 'network';
  if (mac !== null || serialNumber !== null) return 'device';
  return tlsKey === null ? 'address' : 'tls-key';
}
const BY_WHAT = {
  network: '',
  device: 'by serial number',
  'tls-key': 'by TLS key',
  address: 'by address only',
} as const;

const COLUMNS: readonly Column<Shown>[] = [
  { title: 'ADDRESS', isWhole: true, text: ({ ip }) => ip },
  { title: 'FAMILY', text: ({ family }) => family },
  { title: 'MODEL', text: ({ model }) => formatText(model), under: 'FAMILY' },
  { title: 'MAC', isWhole: true, text: ({ mac, by }) => mac ?? BY_WHAT[by] },
  { title: 'SINCE', text: ({ since }) => formatTime(since), under: 'MAC' },
];
/** Shown where a device has one. */
const TLS_KEY: Column<Shown> = {
  title: 'TLS KEY',
  text: ({ tls_key }) => formatText(tls_key && shortKey(tls_key)),
};
const WHY: Column<Shown> = {
  title: 'WHY',
  text: ({ why }) => (why === 'accepted' ? why : WITHHELD_TEXT[why]),
};

async function accept(
  record: TrustRecord,
  named: readonly string[],
  flags: AcceptFlags,
  context: CliContext,
  agent: RunningAgent | undefined,
): Promise<void> {
  const { all = false, as: vouchedFor, json = false } = flags;
  if (vouchedFor !== undefined) mustBeDriver(vouchedFor, '--as');
  const candidates = (all ? waitingDevices : acceptableDevices)(record, systemClock.nowMs());
  const { selected, unknown } = select(candidates, named, all);
  const { accepted, unproven } = toAccept(selected, vouchedFor, all);
  if (accepted.length > 0 && !record.accept(accepted, vouchedFor, userName()))
    throw new CommandFailed(`nothing was accepted: ${record.fault() ?? 'the record could not be written'}`);
  if (json) print(context, { accepted: accepted.map(shown), unproven: unproven.map(shown), unknown });
  else context.stdout.write(`${counted(accepted.length)} accepted\n`);
  if (vouchedFor !== undefined && accepted.length > 0 && agent !== undefined) {
    const read = await readNow(agent, accepted, context);
    if (!json) context.stdout.write(`${read}\n`);
  }
  const reasons = [
    ...(all ? [] : unproven).map(({ ip, family, confidence }) =>
      confidence === 'sure'
        ? `${ip} proved that it is ${family}: accept it without --as`
        : `${ip} looks like ${family} and gives no proof: pithead trust accept ${ip} --as ${family}`,
    ),
    ...unknown.map((name) => `${name}: no device that waits; one that was never met is met by a scan`),
  ];
  if (all && unproven.length > 0)
    context.stderr.write(`${counted(unproven.length)} without a proof wait on: pithead trust list\n`);
  if (reasons.length > 0) throw new CommandFailed(reasons.join('\n'));
}

/**
 * A device without proof was no miner until now: the running agent reads it at once and polls it from then on. Returns
 * a sentence.
 */
async function readNow(agent: RunningAgent, accepted: readonly Waiting[], context: CliContext): Promise<string> {
  const asked = { ranges: accepted.map(({ ip }) => ip), exclude: [] };
  try {
    const { counts } = await agent.scan(asked, { onUnderstood() {}, onFound() {}, onProgress() {} }, context.signal);
    return `${counts.identified + counts.login_refused} of them read by the running agent`;
  } catch (error) {
    if (!(error instanceof RefusedError || error instanceof PeerError)) throw error;
    return `the running agent reads them with its next scan: ${renderError(error)}`;
  }
}

/** Its password was set to that of the configuration: nothing but a person knows. */
function retry(record: TrustRecord, named: readonly string[], { all = false }: ForgetFlags, context: CliContext): void {
  const { selected, unknown } = select(record.devices(), named, all);
  const devices = selected.map(({ ip, mac, networkMac }) => ({
    ip,
    macs: [mac, networkMac].flatMap((each) => each ?? []),
  }));
  if (!record.attempts.retry(devices) || !record.decisions.noteRetry(selected, userName()))
    throw new CommandFailed(`nothing was noted: ${record.fault() ?? 'the record could not be written'}`);
  context.stdout.write(`${counted(selected.length)} asked with the login of the configuration once more\n`);
  if (unknown.length > 0) throw new CommandFailed(unknown.map((name) => `${name}: no such device`).join('\n'));
}

function forget(record: TrustRecord, named: readonly string[], flags: ForgetFlags, context: CliContext): void {
  const { all = false, json = false } = flags;
  const pins = select(record.allPins(), named, all);
  const met = select(all ? [] : record.devices(), named, all);
  if (!record.forget(pins.selected, met.selected, userName()))
    throw new CommandFailed(`nothing was forgotten: ${record.fault() ?? 'the record could not be written'}`);
  const unknown = pins.unknown.filter((name) => met.unknown.includes(name));
  if (json) print(context, { forgotten: pins.selected.map(shownPin), unknown });
  else context.stdout.write(`${counted(pins.selected.length)} forgotten\n`);
  if (unknown.length > 0) throw new CommandFailed(unknown.map((name) => `${name}: no such device`).join('\n'));
}

type Selected<T> = { readonly selected: readonly T[]; readonly unknown: readonly string[] };

/** Throws ConfigError for a text that selects nothing by its form, or where nothing is named. */
function select<T extends Parameters<Selector['matches']>[0]>(
  devices: readonly T[],
  named: readonly string[],
  all: boolean,
): Selected<T> {
  if (all && named.length === 0) return { selected: devices, unknown: [] };
  if (all || named.length === 0) {
    const message = all ? 'name devices or --all, not both' : `name some: ${SELECTORS}; or --all`;
    throw new ConfigError('read what was named', [{ path: 'devices', message }]);
  }
  const selectors = named.map((text) => {
    const selector = readSelector(text, DRIVER_IDS);
    if (selector === undefined) mustBeDriver(text, 'devices');
    return selector;
  });
  const selected = devices.filter((device) => selectors.some((selector) => selector?.matches(device)));
  const unknown = selectors.flatMap((selector) =>
    selector === undefined || devices.some((device) => selector.matches(device)) ? [] : [selector.text],
  );
  return { selected, unknown };
}

function mustBeDriver(text: string, path: string): void {
  if (DRIVER_IDS.includes(text)) return;
  const nearest = nearestNames(text, DRIVER_IDS);
  const meant = nearest.length > 0 ? `; do you mean ${nearest.join(' or ')}?` : '';
  const what = path === '--as' ? 'the id of a driver' : SELECTORS;
  throw new ConfigError('read what was named', [{ path, message: `'${text}' is not ${what}${meant}` }]);
}

const counted = (count: number) => `${count} device${count === 1 ? '' : 's'}`;
const print = (context: CliContext, value: unknown) => void context.stdout.write(`${JSON.stringify(value)}\n`);
