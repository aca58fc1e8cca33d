// Removes what has had its time: records that only help for a while may not grow without end.
import { turn } from '../../base/clock.ts';
import { DAY_MS } from './history/history-sums.ts';
import { CELLS_KEPT_MS, HOURS_KEPT_MS } from './history/history-write.ts';
import type { Db, Tables } from './schema.ts';

/** Spec decisions, "Tasks". */
export const IDEMPOTENCY_MS = DAY_MS;
const EVENT_MS = 90 * DAY_MS;
const CURSOR_MS = 365 * DAY_MS;
/** Batches with their tasks: as long as history. */
const TASKS_MS = HOURS_KEPT_MS;

type Kept = { [T in keyof Tables]: readonly [table: T, since: keyof Tables[T], forMs: number] }[keyof Tables];
/** How long rows are kept, and since when. */
const KEPT = [
  ['idempotency_keys', 'created_at', IDEMPOTENCY_MS],
  ['events', 'at', EVENT_MS],
  ['gaps', 'to_at', EVENT_MS],
  ['enrolment_codes', 'expires_at', EVENT_MS],
  ['ingest_cursors', 'updated_at', CURSOR_MS],
  ['history_cells', 'from_at', CELLS_KEPT_MS],
  ['history_hours', 'from_at', HOURS_KEPT_MS],
] as const satisfies readonly Kept[];

/** Rows removed at a time; between them others have their turn. */
const PORTION = 2_000;

export async function prune(write: Db, nowMs: number): Promise<void> {
  for (const [table, since, forMs] of KEPT)
    await write
      .deleteFrom(table)
      .where(since, '<=', nowMs - forMs)
      .execute();
  await pruneTasks(write, nowMs - TASKS_MS);
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
      await turn();
    }
    await write.deleteFrom('task_batches').where('id', '=', batch.id).execute();
  }
}
