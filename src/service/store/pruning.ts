// Removes old records, so that no table grows without end.
import { yieldToEventLoop } from '../../base/clock.ts';
import { EVENTS_KEPT_DAYS, pruneFullMiners } from './events/sizes.ts';
import { DAY_MS, HOUR_MS } from './history/history-sums.ts';
import { CELLS_KEPT_MS, HOURS_KEPT_MS } from './history/history-write.ts';
import { pruneDays } from './history/miner/miner-days.ts';
import { TAKEN_MS } from './locations/taken-work.ts';
import { removeMiners } from './miners/identity/removal.ts';
import { chunks, countAll } from './rows.ts';
import type { Db, Row, Tables } from './schema.ts';
import { pruneDeadLetters } from './webhooks/dead-letters.ts';

/** Spec decisions, "Tasks". */
export const IDEMPOTENCY_MS = DAY_MS;
const EVENT_MS = EVENTS_KEPT_DAYS * DAY_MS;
const GAP_MS = 90 * DAY_MS;
const CURSOR_MS = 365 * DAY_MS;
/** Batches with their tasks: as long as history. */
const TASKS_MS = HOURS_KEPT_MS;

/** What a scan found at each address: what is there now is in the list of miners. */
const SCANNED_MS = 30 * DAY_MS;

type Kept = { [T in keyof Tables]: readonly [table: T, since: keyof Tables[T], forMs: number] }[keyof Tables];
/** How long rows are kept, and since when. */
const KEPT = [
  ['idempotency_keys', 'created_at', IDEMPOTENCY_MS],
  ['events', 'at', EVENT_MS],
  ['held_events', 'held_at', DAY_MS],
  ['scan_addresses', 'at', SCANNED_MS],
  ['agent_questions', 'asked_at', HOUR_MS],
  ['taken_work', 'taken_at', TAKEN_MS],
  ['gaps', 'to_at', GAP_MS],
  ['enrolment_codes', 'expires_at', GAP_MS],
  ['person_codes', 'expires_at', DAY_MS],
  // Until then a browser hears why its session is no good.
  ['sessions', 'ended_at', DAY_MS],
  ['sessions', 'expires_at', DAY_MS],
  ['people', 'deleted_at', CURSOR_MS],
  ['ingest_cursors', 'updated_at', CURSOR_MS],
  ['history_cells', 'from_at', CELLS_KEPT_MS],
  ['history_hours', 'from_at', HOURS_KEPT_MS],
] as const satisfies readonly Kept[];

/** Rows removed at a time; between them the event loop goes on. */
const PORTION = 2_000;

export async function prune(write: Db, nowMs: number): Promise<void> {
  for (const [table, since, forMs] of KEPT)
    await write
      .deleteFrom(table)
      .where(since, '<=', nowMs - forMs)
      .execute();
  await pruneFullMiners(write);
  await pruneDays(write, nowMs, yieldToEventLoop);
  await pruneEvents(write);
  await pruneDeadLetters(write);
  await pruneTasks(write, nowMs - TASKS_MS);
  await prunePassing(write, nowMs);
}

/** Of a farm, whatever its agents do; two a day of each miner where those are more. */
const EVENTS_OF_FARM = 2_000_000;
const EVENTS_OF_MINER = 2 * EVENTS_KEPT_DAYS;

/** All but the newest are those below a number. */
async function pruneEvents(write: Db): Promise<void> {
  const full = await write.selectFrom('event_counts').selectAll().where('position', '>', EVENTS_OF_FARM).execute();
  for (const { farm_id, position } of full) {
    const miners = await countAll(write.selectFrom('miners').where('farm_id', '=', farm_id));
    await write
      .deleteFrom('events')
      .where('farm_id', '=', farm_id)
      .where('position', '<=', position - Math.max(EVENTS_OF_FARM, EVENTS_OF_MINER * miners))
      .execute();
  }
}

/** A miner that was there for less than this, and then never again for so long, was none of the farm's. */
const PASSING_MS = HOUR_MS;
const NEVER_AGAIN_MS = 7 * DAY_MS;
/** While its agent still reports it, it would come back as another one. */
const UNREPORTED_MS = DAY_MS;

/**
 * What was seen in passing, with no word of an operator and no task: miners that an attacker invents, guests of an
 * hour. Real miners stay for ever.
 */
async function prunePassing(write: Db, nowMs: number): Promise<void> {
  for (let last = 0; ; ) {
    const rows = await write
      .selectFrom('miners')
      .select(['row_id', 'created_at', 'reported_at', 'seen_at', 'ops_status', 'rack', 'position'])
      .where('row_id', '>', last)
      .orderBy('row_id')
      .limit(PORTION)
      .execute();
    const passing = rows.filter((row) => isPassing(row, nowMs)).map(({ row_id }) => row_id);
    if (passing.length > 0) await removeMiners(write, await unmentioned(write, passing));
    if (rows.length < PORTION) return;
    last = rows.at(-1)?.row_id ?? last;
    await yieldToEventLoop();
  }
}

type Seen = Pick<Row<'miners'>, 'created_at' | 'reported_at' | 'seen_at' | 'ops_status' | 'rack' | 'position'>;

export function isPassing(miner: Seen, nowMs: number): boolean {
  const lastMs = miner.seen_at ?? miner.reported_at;
  return (
    lastMs - miner.created_at < PASSING_MS &&
    lastMs < nowMs - NEVER_AGAIN_MS &&
    miner.reported_at < nowMs - UNREPORTED_MS &&
    miner.ops_status === null &&
    miner.rack === null &&
    miner.position === null
  );
}

/** Those that no task and no note is about. */
async function unmentioned(write: Db, rowIds: readonly number[]): Promise<number[]> {
  const kept = new Set<number>();
  for (const part of chunks(rowIds))
    for (const table of ['tasks', 'miner_notes'] as const) {
      const rows = await write.selectFrom(table).select('row_id').where('row_id', 'in', part).distinct().execute();
      for (const { row_id } of rows) kept.add(row_id);
    }
  return rowIds.filter((id) => !kept.has(id));
}

/** A batch goes after its tasks; what is left halfway is taken up the next time. */
async function pruneTasks(write: Db, beforeMs: number): Promise<void> {
  for (;;) {
    const batch = await write
      .selectFrom('task_batches')
      .select('id')
      .where('created_at', '<=', beforeMs)
      .orderBy('created_at')
      .limit(1)
      .executeTakeFirst();
    if (batch === undefined) return;
    for (let removed = PORTION; removed >= PORTION; ) {
      const result = await write
        .deleteFrom('tasks')
        .where('id', 'in', (eb) => eb.selectFrom('tasks').select('id').where('batch_id', '=', batch.id).limit(PORTION))
        .executeTakeFirst();
      removed = Number(result.numDeletedRows);
      await yieldToEventLoop();
    }
    await write.deleteFrom('task_batches').where('id', '=', batch.id).execute();
  }
}
