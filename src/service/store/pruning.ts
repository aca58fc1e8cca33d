// Removes what has had its time: records that only help for a while may not grow without end.
import { turn } from '../../base/clock.ts';
import { DAY_MS } from './history-sums.ts';
import { CELLS_KEPT_MS, HOURS_KEPT_MS } from './history-write.ts';
import type { Db } from './schema.ts';

/** How long things are kept. Idempotency keys: spec decisions, "Tasks". */
export const IDEMPOTENCY_MS = DAY_MS;
const EVENT_MS = 90 * DAY_MS;
const CURSOR_MS = 365 * DAY_MS;
/** Batches with their tasks: as long as history. */
const TASKS_MS = HOURS_KEPT_MS;

/** Rows removed at a time; between them others have their turn. */
const PORTION = 2_000;

export async function prune(write: Db, nowMs: number): Promise<void> {
  await write
    .deleteFrom('idempotency_keys')
    .where('created_at', '<=', nowMs - IDEMPOTENCY_MS)
    .execute();
  await write
    .deleteFrom('events')
    .where('at', '<=', nowMs - EVENT_MS)
    .execute();
  await write
    .deleteFrom('gaps')
    .where('to_at', '<=', nowMs - EVENT_MS)
    .execute();
  await write
    .deleteFrom('enrolment_codes')
    .where('expires_at', '<=', nowMs - EVENT_MS)
    .execute();
  await write
    .deleteFrom('ingest_cursors')
    .where('updated_at', '<=', nowMs - CURSOR_MS)
    .execute();
  await write
    .deleteFrom('history_cells')
    .where('from_at', '<=', nowMs - CELLS_KEPT_MS)
    .execute();
  await write
    .deleteFrom('history_hours')
    .where('from_at', '<=', nowMs - HOURS_KEPT_MS)
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
