// `pithead audit list` and `pithead audit verify`: the audit trails of this host, of its agent and of its service. They
// are read beside the running programs; no entry is written.
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { checkAgentTrail, enrolledIds, listAgentTrail } from '../../agent/state/audit-check.ts';
import { agentDatabasePath } from '../../agent/state/database.ts';
import { systemClock } from '../../base/clock.ts';
import {
  type ChainHead,
  type ChainVerdict,
  chainKeyOf,
  readShownHead,
  shownHead,
} from '../../base/storage/hash-chain.ts';
import { openVault } from '../../base/storage/vault.ts';
import type { AuditFields } from '../../model/audit/entry.ts';
import type { OpenedAdmin } from '../../service/admin.ts';
import { readDuration } from '../options.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import { formatTime } from '../output/format.ts';
import { type Column, screenWidth, table } from '../output/table.ts';
import type { CliContext } from '../output/terminal.ts';
import { databaseOf } from '../run/local-service.ts';
import { keyFilesOrDefault, stateDirOrDefault } from '../setup/config-file.ts';
import { addCommand, type DatabaseFlags, onDatabase, print, withAdmin } from './database.ts';

const LIST = ['pithead audit list', 'pithead audit list --since 12h --json', 'pithead audit list --trail agent'];
const VERIFY = ['pithead audit verify', 'pithead audit verify --trail service --head 1842:9f86d081884c7d65…'];
const VERIFY_HELP = `
A trail is a chain of hashes: what was changed, removed, inserted or moved is found. With the key file, so is what was written anew with
all its hashes, and an end that was cut. \`--head\` takes a head that was noted before, as the log of the service shows it every hour: it finds also a trail
that was put back to an earlier state with everything that belongs to it. Agents report to the service the newest entry of their own trails: one that goes back is
found, and that of the agent of this host must reach it.

Exit codes: 0 each trail is whole, 1 one is not or there is none, 2 wrong usage.`;
const TRAIL = 'agent or service (default: those that there are)';

/** Entries of a list, the newest of each trail. */
const MOST_LISTED = 1_000;
const WEEK_MS = 7 * 86_400_000;

const TRAILS = ['service', 'agent'] as const;
type Trail = (typeof TRAILS)[number];
type Flags = DatabaseFlags & { trail?: string; since?: string; head?: string };
type Noted = Pick<ChainHead, 'seq' | 'hash'>;

export function addAudit(program: Command, context: CliContext): void {
  const audit = addCommand(program, 'audit', 'who did what: the audit trails', ...LIST, ...VERIFY);
  onDatabase(audit, 'list', 'what was done, the oldest first', ...LIST)
    .option('--since <duration>', 'only what was done within it, e.g. 12h (default: 7d)')
    .option('--trail <name>', TRAIL)
    .action((flags: Flags) => list(flags, context));
  onDatabase(audit, 'verify', 'check that the trails are whole and as they were written', ...VERIFY)
    .option('--head <seq:hash>', 'a head that was noted before; with --trail')
    .option('--trail <name>', TRAIL)
    .addHelpText('after', VERIFY_HELP)
    .action((flags: Flags) => verify(flags, context));
}

/** Where the trails of this host lie: those that there are, or the one that is named. */
function trailsOf({ trail, config, database }: Flags, context: CliContext) {
  const named = TRAILS.find((each) => each === trail);
  if (trail !== undefined && named === undefined)
    throw new CommandFailed(`--trail: received '${trail}', accepted: ${TRAILS.join(', ')}`, EXIT.usage);
  const stateDir = () => stateDirOrDefault(config, context);
  const paths: readonly (readonly [Trail, string])[] = [
    ...(named === 'agent' ? [] : [['service', database ?? databaseOf(stateDir())] as const]),
    // A database that is named is of a service.
    ...(named === 'service' || database !== undefined ? [] : [['agent', agentDatabasePath(stateDir())] as const]),
  ];
  const there = paths.filter(([, path]) => /^postgres(ql)?:/i.test(path) || existsSync(path));
  if (there.length === 0)
    throw new CommandFailed(
      `there is no audit trail here: ${paths.map(([name, path]) => `none of the ${name} at ${path}`).join(', ')}. Name the database with --database, or its configuration with --config`,
    );
  return there;
}

const vaultOf = ({ config }: Flags, context: CliContext) => openVault(keyFilesOrDefault(config, context).own);

type Entry = AuditFields & { readonly seq: number; readonly hash: string };

async function list(flags: Flags, context: CliContext): Promise<void> {
  const sinceMs = systemClock.nowMs() - (flags.since === undefined ? WEEK_MS : readDuration('--since', flags.since));
  const wanted = { sinceMs, limit: MOST_LISTED };
  const items: Item[] = [];
  for (const [trail, path] of trailsOf(flags, context)) {
    const entries: readonly Entry[] =
      trail === 'agent'
        ? listAgentTrail(path, wanted)
        : await withAdmin(flags, context, (admin) => admin.newestAudit(wanted));
    items.push(...entries.map((entry) => toItem(trail, entry)));
  }
  items.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.seq - b.seq));
  const text = items.length === 0 ? 'none' : table(COLUMNS, items, { width: screenWidth(context.stdout) });
  print(flags, context, items, text);
}

type Item = ReturnType<typeof toItem>;
const toItem = (trail: Trail, { seq, at, action, workspace_id, hash, ...entry }: Entry) => ({
  ...{ trail, seq, at: new Date(at).toISOString(), action },
  actor: { type: entry.actor_type, id: entry.actor_id, name: entry.actor_name },
  ...{ workspace_id, subject: toRecord(entry.subject), detail: toRecord(entry.detail), hash },
});

function toRecord(json: string): Readonly<Record<string, unknown>> {
  const value: Readonly<Record<string, unknown>> = JSON.parse(json);
  return value;
}

const COLUMNS: readonly Column<Item>[] = [
  { title: 'trail', text: ({ trail }) => trail },
  { title: 'entry', text: ({ seq }) => String(seq) },
  { title: 'time', text: ({ at }) => formatTime(at) },
  { title: 'action', text: ({ action }) => action },
  { title: 'by', text: ({ actor }) => actor.name || actor.id },
  { title: 'what', text: ({ subject }) => wordsOf(subject) },
  { title: 'detail', text: ({ detail }) => wordsOf(detail) },
];

const wordsOf = (record: Readonly<Record<string, unknown>>) =>
  Object.entries(record)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');

async function verify(flags: Flags, context: CliContext): Promise<void> {
  const noted = flags.head === undefined ? undefined : readShownHead(flags.head);
  if (flags.head !== undefined && noted === undefined)
    throw new CommandFailed(
      `--head: received '${flags.head}', accepted: the number of an entry, a colon and its hash of 64 hex digits`,
      EXIT.usage,
    );
  const trails = trailsOf(flags, context);
  if (noted !== undefined && trails.length > 1)
    throw new CommandFailed('--head: of which trail is it? Name it with --trail agent or --trail service', EXIT.usage);
  const agents = trails.some(([trail]) => trail === 'service')
    ? await withAdmin(flags, context, (admin) => admin.agentTrails())
    : [];
  const found: Checked[] = [];
  for (const [trail, path] of trails)
    found.push(
      await check(trail, path, noted ?? (trail === 'agent' ? reportedHead(path, agents) : undefined), flags, context),
    );
  const values = found.map(({ trail, verdict, keyId }) => ({
    ...{ trail, whole: verdict.problem === undefined, entries: verdict.entries, head: shownHead(verdict.last) },
    ...{ key: keyId ?? null, unsigned: verdict.unsigned, problem: verdict.problem ?? null },
  }));
  const cut = agents.filter(({ cutAtMs }) => cutAtMs !== null);
  const isWhole = values.every(({ whole }) => whole) && cut.length === 0;
  const lines = [...found.map((each) => linesOf(each, noted)), ...linesOfAgents(agents)];
  print(flags, context, { whole: isWhole, trails: values, agents: agents.map(toReported) }, lines.join('\n'));
  if (!isWhole) throw new CommandFailed('', EXIT.failed);
}

type AgentTrail = Awaited<ReturnType<OpenedAdmin['agentTrails']>>[number];

/** The newest entry that the agent of this host has named to the service of this host. */
function reportedHead(path: string, agents: readonly AgentTrail[]): Noted | undefined {
  const ids = enrolledIds(path);
  const heads = agents.flatMap(({ id, head }) => (head !== null && ids.includes(id) ? [head] : []));
  return heads.toSorted((a, b) => a.seq - b.seq).at(-1);
}

const toReported = ({ id, name, head, cutAtMs }: AgentTrail) => ({
  ...{ id, name, head: head === null ? null : shownHead(head) },
  cut_at: cutAtMs === null ? null : new Date(cutAtMs).toISOString(),
});

/** Nothing of those that were never cut but how many they are. */
function linesOfAgents(agents: readonly AgentTrail[]): string[] {
  const named = agents.filter(({ head }) => head !== null).length;
  const cut = agents.flatMap(({ id, name, cutAtMs }) =>
    cutAtMs === null
      ? []
      : [
          `the audit trail of agent ${id} (${name}) went BACK at ${new Date(cutAtMs).toISOString()}: its end was cut, it was written anew or its database was lost. See: pithead audit list`,
        ],
  );
  return [...(named === 0 ? [] : [`${named} agents have named the newest entry of their trails here`]), ...cut];
}

type Checked = { readonly trail: Trail; readonly verdict: ChainVerdict; readonly keyId: string | undefined };

async function check(
  trail: Trail,
  path: string,
  noted: Noted | undefined,
  flags: Flags,
  context: CliContext,
): Promise<Checked> {
  if (trail === 'service')
    return withAdmin(flags, context, async (admin) => ({
      ...{ trail, verdict: await admin.checkTrail(noted), keyId: admin.trailKeyId },
    }));
  const vault = vaultOf(flags, context);
  return { trail, verdict: checkAgentTrail(path, vault, noted), keyId: chainKeyOf(vault)?.id };
}

function linesOf({ trail, verdict, keyId }: Checked, noted: Noted | undefined): string {
  const { problem, entries, last, unsigned } = verdict;
  if (problem !== undefined)
    return `the audit trail of the ${trail} is NOT whole: ${problem.text} (entry ${problem.seq}, ${problem.fault}).\nKeep the database as it is, and compare it with a backup: pithead restore --list`;
  const proof =
    keyId === undefined
      ? 'there is no key here: what was written anew with all its hashes cannot be found'
      : unsigned === 0
        ? `all of them are signed with the key ${keyId}`
        : `the first ${unsigned} are of a time without the key ${keyId}: only their hashes are checked`;
  return [
    `the audit trail of the ${trail} is whole: ${entries} entries`,
    `  ${proof}`,
    ...(noted === undefined ? [] : [`  the noted entry ${noted.seq} is there as it was`]),
    `  its head, to be noted elsewhere: ${shownHead(last)}`,
  ].join('\n');
}
