// Checks the audit trail of the service from its oldest entry to its newest, in pages; and removes what has had its
// time, so that the rest can still be checked.

import { yieldToEventLoop } from '../../../base/clock.ts';
import {
  type ChainHead,
  type ChainKey,
  type ChainProblem,
  type ChainStart,
  type ChainVerdict,
  createChainCheck,
  FULL_CHAIN,
} from '../../../base/storage/hash-chain.ts';
import { canonicalText, SYSTEM } from '../../../model/audit/entry.ts';
import { HISTORY_KEPT_DAYS } from '../../../model/events/history-kept.data.ts';
import type { AppendAudit, Databases } from '../databases.ts';
import { DAY_MS } from '../history/history-sums.ts';
import type { Db, Row } from '../schema.ts';
import { readHead } from './audit.ts';

const PAGE = 1_000;

/** `noted` = a head that a person kept: that entry must be there, as it was. */
export async function checkTrail(
  { read }: Pick<Databases, 'read'>,
  key: ChainKey | undefined,
  noted?: Pick<ChainHead, 'seq' | 'hash'>,
): Promise<ChainVerdict> {
  const start = await findStart(read);
  const check = createChainCheck(start, key);
  let other: ChainProblem | undefined;
  let notedHash = noted?.seq === start.seq ? start.hash : undefined;
  // Before the entries: what is appended meanwhile is not judged.
  const head = await readHead(read);
  for (let afterSeq = 0; ; ) {
    const rows = await readPage(read, afterSeq, head.seq);
    for (const row of rows) {
      if (!check.take(toEntry(row))) return check.end(head);
      if (row.action === 'trail.damaged') other ??= damaged(row);
      if (row.seq === noted?.seq) notedHash = row.hash;
    }
    afterSeq = rows.at(-1)?.seq ?? afterSeq;
    if (rows.length < PAGE) break;
    await yieldToEventLoop();
  }
  const verdict = check.end(head);
  const problem = verdict.problem ?? other ?? notedProblem(noted, notedHash, start) ?? (await beyondHead(read, head));
  return { ...verdict, problem };
}

/** Entries beyond the head, which only a hand can have written there: the head is written with each entry. */
async function beyondHead(read: Db, head: ChainHead): Promise<ChainProblem | undefined> {
  const newest = await read
    .selectFrom('audit_entries')
    .select('seq')
    .where('seq', '>', head.seq)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined) return undefined;
  // Others may have been appended since the head was read.
  const { seq } = await readHead(read);
  if (newest.seq <= seq) return undefined;
  return { seq: seq + 1, fault: 'inserted', text: `entry ${newest.seq} was inserted: the newest one is ${seq}` };
}

const damaged = ({ seq }: Pick<Row<'audit_entries'>, 'seq'>): ChainProblem => ({
  seq,
  fault: 'head',
  text: `when entry ${seq} was written, the head was not what the service had left: the end before it may have been cut`,
});

function notedProblem(
  noted: Pick<ChainHead, 'seq' | 'hash'> | undefined,
  found: string | undefined,
  start: ChainStart,
): ChainProblem | undefined {
  if (noted === undefined || found === noted.hash) return undefined;
  if (noted.seq < start.seq) return undefined;
  const { seq } = noted;
  return found === undefined
    ? { seq, fault: 'cut', text: `entry ${seq}, which was noted, is not there: the end was cut, or a backup put back` }
    : { seq, fault: 'changed', text: `entry ${seq} is not the one that was noted: the trail was written anew` };
}

const readPage = (db: Db, afterSeq: number, throughSeq: number) =>
  db
    .selectFrom('audit_entries')
    .selectAll()
    .where('seq', '>', afterSeq)
    .where('seq', '<=', throughSeq)
    .orderBy('seq')
    .limit(PAGE)
    .execute();

const toEntry = (row: Row<'audit_entries'>) => ({
  ...{ seq: row.seq, text: canonicalText(row), previous: row.previous, hash: row.hash },
  ...{ keyId: row.key_id, mac: row.mac },
});

/** What was pruned, by the newest entry that says so. */
async function findStart(db: Db): Promise<ChainStart> {
  const row = await db
    .selectFrom('audit_entries')
    .select('detail')
    .where('action', '=', 'trail.pruned')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return FULL_CHAIN;
  const { through, hash }: { through?: unknown; hash?: unknown } = JSON.parse(row.detail);
  return typeof through === 'number' && typeof hash === 'string' ? { seq: through, hash } : FULL_CHAIN;
}

const KEPT_MS = HISTORY_KEPT_DAYS.audit * DAY_MS;
/** However much is refused and done: about 1 GiB. */
const MOST_ENTRIES = 2_000_000;

/** Removes what is older than it is kept for. An entry says how far, so that the rest is still a whole chain. */
export function pruneTrail(
  { transact }: Pick<Databases, 'transact'>,
  append: AppendAudit,
  nowMs: number,
  { keptMs = KEPT_MS, most = MOST_ENTRIES } = {},
): Promise<void> {
  return transact(async (trx) => {
    const head = await readHead(trx);
    // The first that stays: all after it stay too, whatever their times say.
    const fresh = await trx
      .selectFrom('audit_entries')
      .select('seq')
      .where('at', '>', nowMs - keptMs)
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    const through = Math.max((fresh?.seq ?? head.seq + 1) - 1, head.seq - most);
    const last = await trx
      .selectFrom('audit_entries')
      .select(['seq', 'hash'])
      .where('seq', '<=', through)
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (last === undefined) return;
    await trx.deleteFrom('audit_entries').where('seq', '<=', last.seq).execute();
    const detail = { through: last.seq, hash: last.hash };
    await append(trx, [{ action: 'trail.pruned', actor: SYSTEM, detail, atMs: nowMs }]);
  });
}
