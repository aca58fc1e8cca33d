// `pithead audit list` and `pithead audit verify`: the audit trails of this host, of its agent and of its service. They
// are read beside the running programs; no entry is written.
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { type ChainHead, type ChainVerdict, readShownHead, shownHead } from '../../base/storage/hash-chain.ts';
import { readDuration } from '../options.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import { formatTime } from '../output/format.ts';
import { type Column, screenWidth, table } from '../output/table.ts';
import type { CliContext } from '../output/terminal.ts';
import { databaseOf } from '../run/local-service.ts';
import { stateDirOrDefault } from '../setup/config-file.ts';
import { addCommand, type DatabaseFlags, onDatabase, print, withAdmin } from './database.ts';

const LIST = ['pithead audit list', 'pithead audit list --since 12h --json'];
const VERIFY = ['pithead audit verify', 'pithead audit verify --head 1842:9f86d081884c7d65…'];
const VERIFY_HELP = `
A trail is a chain of hashes: what was changed, removed, inserted or moved is found. With the key file of the service, so is what was written anew with
all its hashes, and an end that was cut. \`--head\` takes a head that was noted before, as the log of the service shows it every hour: it finds also a trail
that was put back to an earlier state with everything that belongs to it.

Exit codes: 0 the trail is whole, 1 it is not, 2 wrong usage.`;

/** Entries of a list, the newest. */
const MOST_LISTED = 1_000;

type ListFlags = DatabaseFlags & { since?: string };
type VerifyFlags = DatabaseFlags & { head?: string };

export function addAudit(program: Command, context: CliContext): void {
  const audit = addCommand(program, 'audit', 'who did what: the audit trail', ...LIST, ...VERIFY);
  onDatabase(audit, 'list', 'what was done, the oldest first', ...LIST)
    .option('--since <duration>', 'only what was done within it, e.g. 12h (default: 7d)')
    .action((flags: ListFlags) => list(flags, context));
  onDatabase(audit, 'verify', 'check that the trail is whole and as it was written', ...VERIFY)
    .option('--head <seq:hash>', 'a head of the trail that was noted before')
    .addHelpText('after', VERIFY_HELP)
    .action((flags: VerifyFlags) => verify(flags, context));
}

const WEEK_MS = 7 * 86_400_000;

async function list(flags: ListFlags, context: CliContext): Promise<void> {
  const sinceMs = systemClock.nowMs() - (flags.since === undefined ? WEEK_MS : readDuration('--since', flags.since));
  const entries = await withAdmin(flags, context, (admin) => admin.newestAudit({ sinceMs, limit: MOST_LISTED }));
  const items = entries.map(({ seq, at, action, workspace_id, hash, ...entry }) => ({
    ...{ trail: 'service', seq, at: new Date(at).toISOString(), action },
    actor: { type: entry.actor_type, id: entry.actor_id, name: entry.actor_name },
    ...{ workspace_id, subject: entry.subject, detail: entry.detail, hash },
  }));
  const shown = items.map(({ subject, detail, ...item }) => ({
    ...{ ...item, subject: toRecord(subject), detail: toRecord(detail) },
  }));
  const text = items.length === 0 ? 'none' : table(COLUMNS, items, { width: screenWidth(context.stdout) });
  print(flags, context, shown, text);
}

function toRecord(json: string): Readonly<Record<string, unknown>> {
  const value: Readonly<Record<string, unknown>> = JSON.parse(json);
  return value;
}

type Item = {
  readonly seq: number;
  readonly at: string;
  readonly action: string;
  readonly actor: { readonly type: string; readonly id: string; readonly name: string };
  readonly subject: string;
  readonly detail: string;
};

const COLUMNS: readonly Column<Item>[] = [
  { title: 'entry', text: ({ seq }) => String(seq) },
  { title: 'time', text: ({ at }) => formatTime(at) },
  { title: 'action', text: ({ action }) => action },
  { title: 'by', text: ({ actor }) => actor.name || actor.id },
  { title: 'what', text: ({ subject }) => wordsOf(subject) },
  { title: 'detail', text: ({ detail }) => wordsOf(detail) },
];

const wordsOf = (json: string) =>
  Object.entries(toRecord(json))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');

/** Others would begin an empty database, and that one is whole. */
function mustExist({ config, database }: VerifyFlags, context: CliContext): void {
  const path = database ?? databaseOf(stateDirOrDefault(config, context));
  if (!/^postgres(ql)?:/i.test(path) && !existsSync(path))
    throw new CommandFailed(
      `there is no database of a service at ${path}: name it with --database, or its configuration with --config`,
    );
}

async function verify(flags: VerifyFlags, context: CliContext): Promise<void> {
  const noted = flags.head === undefined ? undefined : readShownHead(flags.head);
  if (flags.head !== undefined && noted === undefined)
    throw new CommandFailed(
      `--head: received '${flags.head}', accepted: the number of an entry, a colon and its hash of 64 hex digits`,
      EXIT.usage,
    );
  mustExist(flags, context);
  const { verdict, keyId } = await withAdmin(flags, context, async (admin) => ({
    verdict: await admin.checkTrail(noted),
    keyId: admin.trailKeyId,
  }));
  const { problem } = verdict;
  const value = {
    ...{ trail: 'service', whole: problem === undefined, entries: verdict.entries, head: shownHead(verdict.last) },
    ...{ key: keyId ?? null, unsigned: verdict.unsigned, problem: problem ?? null },
  };
  print(flags, context, value, linesOf(verdict, keyId, noted));
  if (problem !== undefined) throw new CommandFailed('', EXIT.failed);
}

function linesOf(
  { problem, entries, last, unsigned }: ChainVerdict,
  keyId: string | undefined,
  noted: Pick<ChainHead, 'seq' | 'hash'> | undefined,
): string {
  if (problem !== undefined)
    return `the audit trail of the service is NOT whole: ${problem.text} (entry ${problem.seq}, ${problem.fault}).\nKeep the database as it is, and compare it with a backup: pithead restore --list`;
  const proof =
    keyId === undefined
      ? 'there is no key here: what was written anew with all its hashes cannot be found'
      : unsigned === 0
        ? `all of them are signed with the key ${keyId}`
        : `the first ${unsigned} are of a time without the key ${keyId}: only their hashes are checked`;
  return [
    `the audit trail of the service is whole: ${entries} entries`,
    proof,
    ...(noted === undefined ? [] : [`the noted entry ${noted.seq} is there as it was`]),
    `its head, to be noted elsewhere: ${shownHead(last)}`,
  ].join('\n');
}
