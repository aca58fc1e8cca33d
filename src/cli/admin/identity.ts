// `pithead identity list | settle`: the units that show the same facts, and a person's decision which of them is the
// miner. It asks the running agent: no other program knows the disputes.
import { userInfo } from 'node:os';
import { confirm, isCancel } from '@clack/prompts';
import type { Command } from 'commander';
import type { Identities, RunningAgent, SettledUnits } from '../../agent/control/control-client.ts';
import { ConfigError } from '../../base/errors.ts';
import { type RunningFlags, withRunning } from '../miners/running-agent.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import { formatText, formatTime } from '../output/format.ts';
import { type CliContext, type Paint, painter } from '../output/terminal.ts';
import { CONFIG_FOR_STATE } from '../setup/config-file.ts';

type SettleFlags = RunningFlags & { all?: boolean; dryRun?: boolean; yes?: boolean };
type Dispute = Identities['disputes'][number];

const HELP = `
Where two units show the same MAC or serial number, one of them at most is the miner: neither gets a login, or a task that changes it. Stand before them,
see which is the miner, and name that one. It keeps the identity, the history and the tasks, or gets them. The other one is a unit of its own from then on:
flagged, without a login, and no doubt to the miner any more while the network shows the same MAC at its address. Another device, or another address,
is disputed anew. To take it back, settle the other one. It takes an agent that runs on this host.
Exit codes: 0 done, 1 something that was named could not be settled, 3 no agent runs, 78 nothing was named.

`;
const LIST = '  $ pithead identity list\n';
const SETTLE = `  $ pithead identity settle 10.31.0.50               the unit there is the miner whose facts it shows, the others are not
  $ pithead identity settle 10.31.0.0/24             the same of each that is disputed in a range
  $ pithead identity settle --all --dry-run          after a move: what would be settled
  $ pithead identity settle --all                    all that moved away from a silent address and that no other unit claims
`;
const helpWith = (...examples: readonly string[]) => `${HELP}Examples:\n${examples.join('')}`;

export function addIdentity(program: Command, context: CliContext): void {
  const identity = program
    .command('identity')
    .description('which of two units that show the same facts is the miner: a person says so')
    .addHelpText('after', helpWith(LIST, SETTLE));
  identity
    .command('list')
    .description('units that show the facts of another miner')
    .option('--json', 'one JSON object: disputes with miner, claimant, facts, state, since, withheld')
    .option('-c, --config <file>', CONFIG_FOR_STATE)
    .addHelpText('after', helpWith(LIST))
    .action((flags: RunningFlags) => list(flags, context));
  identity
    .command('settle')
    .description('say which unit is the miner')
    .argument('[units...]', 'addresses (10.31.0.50), ranges (10.31.0.0/24) or keys of the units that are the miners')
    .option('--all', 'all that moved away from a silent address and that no other unit claims')
    .option('--dry-run', 'show what would be settled and settle nothing')
    .option('-y, --yes', 'ask nothing')
    .option('--json', 'one JSON object: settled with ip, outcome, reason, key, from, rejected')
    .option('-c, --config <file>', CONFIG_FOR_STATE)
    .addHelpText('after', helpWith(SETTLE, LIST))
    .action((units: string[], flags: SettleFlags) => settle(units, flags, context));
}

async function list(flags: RunningFlags, context: CliContext): Promise<void> {
  const identities = await askAgent(flags, context, (agent) => agent.identities());
  if (flags.json) context.stdout.write(`${JSON.stringify(identities)}\n`);
  else if (identities.disputes.length === 0) context.stdout.write('no unit shows the facts of another miner\n');
  else
    context.stdout.write(identities.disputes.map((dispute) => describe(dispute, painter(context.stdout))).join('\n'));
}

const STATES: Readonly<Record<Dispute['state'], string>> = {
  undecided: 'being looked at',
  open: 'open: too little says who is the miner',
  refuted: 'the miner answered at the same time, or the network shows another MAC',
  rejected: 'settled: a person said that it is not the miner',
};

function describe(dispute: Dispute, paint: Paint): string {
  const { miner, claimant, facts, state, since, withheld } = dispute;
  const shows = facts.length === 0 ? '' : ` shows its ${facts.map((fact) => FACTS.get(fact) ?? fact).join(', ')}`;
  const rows = [
    ['miner', `${miner.ip}  ${unitText(miner)}`],
    ['other', `${claimant.ip}  ${unitText(claimant)}`],
    ['state', `${STATES[state]}${since === null ? '' : `, since ${formatTime(since)}`}`],
    ['withheld', `logins, and tasks that change it: ${withheld.join(', ')}`],
    ['next', nextStep(dispute)],
  ];
  const text = rows.map(([about = '', what = '']) => `  ${about.padEnd(9)} ${what}\n`).join('');
  return `${paint('bold', `${claimant.ip}${shows === '' ? ' may be' : shows}: ${formatText(miner.model)} at ${miner.ip}`)}\n${text}`;
}

const FACTS: ReadonlyMap<string, string> = new Map([
  ['mac', 'MAC'],
  ['serial', 'serial number'],
  ['boards', 'hashboards'],
]);

function unitText({ key, network_mac, mac, serial_number, boards, last_seen }: Dispute['miner']): string {
  const facts = [
    `MAC in the network ${formatText(network_mac)}`,
    `MAC ${formatText(mac)}`,
    `serial number ${formatText(serial_number)}`,
    ...(boards > 0 ? [`${boards} hashboard${boards === 1 ? '' : 's'}`] : []),
    ...(last_seen === null ? [] : [`seen ${last_seen.slice(0, 16).replace('T', ' ')}`]),
    ...(key === null ? [] : [key]),
  ];
  return facts.join('  ');
}

function nextStep({ miner, claimant, state }: Dispute): string {
  const either = `pithead identity settle ${miner.ip}, or ${claimant.ip}: the one that is the miner`;
  switch (state) {
    case 'undecided':
      return 'wait a few minutes and list again';
    case 'rejected':
      return `find ${claimant.ip} and take it off the network; was it the miner after all: pithead identity settle ${claimant.ip}`;
    case 'open':
    case 'refuted':
      return `look at both, then ${either}`;
  }
}

async function settle(units: readonly string[], flags: SettleFlags, context: CliContext): Promise<void> {
  const { all = false, dryRun = false, json = false } = flags;
  if (all === units.length > 0) {
    const message = all ? 'name units or --all, not both' : 'name the units that are the miners, or --all';
    throw new ConfigError('read what was named', [{ path: 'units', message }]);
  }
  const settled = await askAgent(flags, context, async (agent) => {
    const ask = (dry_run: boolean) =>
      agent.settle({ ...(all ? {} : { units }), dry_run, by: whoAsks(context) }, context.signal);
    if (all && !dryRun && flags.yes !== true) await mustConfirm(await ask(true), context);
    return ask(dryRun);
  });
  if (json) context.stdout.write(`${JSON.stringify({ settled })}\n`);
  else for (const one of settled) context.stdout.write(`${lineOf(one)}\n`);
  const left = settled.filter(({ outcome }) => outcome === 'left').length;
  const word = dryRun ? 'would be settled' : 'settled';
  if (!json) context.stdout.write(`${settled.length - left} ${word}, ${left} left as they are\n`);
  if (left > 0 && !all) throw new CommandFailed('');
}

function lineOf({ ip, outcome, reason, from, rejected }: SettledUnits[number]): string {
  if (outcome === 'left') return `${ip.padEnd(15)}  left: ${reason ?? 'no reason given'}`;
  const is = outcome === 'settled' ? 'is' : 'would be';
  const where = from === null ? 'the miner that it shows' : `the miner that was at ${from}`;
  const others = rejected.length === 0 ? '' : `; not the miner: ${rejected.join(', ')}`;
  return `${ip.padEnd(15)}  ${is} ${where}${others}`;
}

async function mustConfirm(planned: SettledUnits, { stdout, stderr, signal }: CliContext): Promise<void> {
  const count = planned.filter(({ outcome }) => outcome === 'would_settle').length;
  if (count === 0) return;
  if (!process.stdin.isTTY || !stdout.isTTY)
    throw new CommandFailed(`this settles ${count} unit${count === 1 ? '' : 's'}: add --yes, or --dry-run`, EXIT.usage);
  const message = `${count} moved away from a silent address. Is each of them the miner whose facts it shows?`;
  const answer = await confirm({ output: stderr, signal, message, initialValue: false });
  if (isCancel(answer) || !answer) throw new CommandFailed('nothing was settled');
}

/** For the record; a command started by sudo is the word of the user who typed it. */
function whoAsks({ environment }: CliContext): string {
  return (environment.SUDO_USER || ownName()).slice(0, 128);
}

function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without an entry among the users of the host, as in a container.
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Throws CommandFailed where none runs that may be asked. */
async function askAgent<T>(
  flags: RunningFlags,
  context: CliContext,
  work: (agent: RunningAgent) => Promise<T>,
): Promise<T> {
  try {
    return await withRunning(flags, context, work);
  } catch (error) {
    if (!(error instanceof CommandFailed) || error.exitCode !== EXIT.notRunning) throw error;
    throw new CommandFailed(
      `${error.message}: start it first, only a running agent knows who is disputed`,
      error.exitCode,
    );
  }
}
