// Applies what agents report of tasks to the tasks and their batches. Sending tasks is tasks.ts.

import type { SelectQueryBuilder } from 'kysely';
import { z } from 'zod';
import { batchStatus, isFinal, type TaskStatus, taskStatusSchema } from '../../../model/task.ts';
import type { TaskRecord } from '../../../wire/records.ts';
import type { Db, Tables } from '../schema.ts';

/**
 * Applies the records that belong to tasks of this agent; a final status stays, unless the service had only presumed
 * it. Gives how many records named no task of the agent, and the tasks that ended.
 */
export async function applyTaskRecords(
  db: Db,
  agentId: string,
  records: readonly TaskRecord[],
  nowMs: number,
): Promise<{ strangers: number; ended: readonly EndedTask[] }> {
  const ended: EndedTask[] = [];
  const batches = new Set<string>();
  const stops = new Map<string, object>();
  let strangers = 0;
  // All writers of tasks use this order, so that none waits for another in a circle; the records of one task stay in
  // their order.
  for (const record of records.toSorted((a, b) => (a.task_id < b.task_id ? -1 : a.task_id > b.task_id ? 1 : 0))) {
    const task = await db
      .selectFrom('tasks')
      .select(['batch_id', 'status', 'is_presumed', 'received_at'])
      .where('id', '=', record.task_id)
      .where('agent_id', '=', agentId)
      .executeTakeFirst();
    if (task === undefined) {
      strangers++;
      continue;
    }
    if (isFinal(taskStatusSchema.parse(task.status)) && !(task.is_presumed === 1 && isFinal(record.status))) continue;
    await db
      .updateTable('tasks')
      .set({
        status: record.status,
        message: record.message,
        evidence: JSON.stringify(record.evidence),
        updated_at: nowMs,
        received_at: task.received_at ?? nowMs,
        is_presumed: 0,
      })
      .where('id', '=', record.task_id)
      .where((eb) => eb.or([eb('status', 'in', OPEN_STATUSES), eb('is_presumed', '=', 1)]))
      .execute();
    batches.add(task.batch_id);
    if (isFinal(record.status)) ended.push({ id: record.task_id, batch_id: task.batch_id, status: record.status });
    const stop = stopSchema.safeParse(record.evidence).data;
    if (stop !== undefined) stops.set(task.batch_id, { ...stop.stopped, message: record.message });
  }
  await recountBatches(db, batches);
  for (const [id, stopped] of stops)
    await addToMetadata(db, id, ({ rollout }) => (rollout === undefined ? {} : { stopped }));
  return { strangers, ended };
}

export type EndedTask = { readonly id: string; readonly batch_id: string; readonly status: TaskStatus };

/** What an agent reports of a task that it did not begin because its batch was stopped. */
const stopSchema = z.object({
  stopped: z.object({ reason: z.string().max(64), succeeded: z.int().min(0), failed: z.int().min(0) }),
});

/** After `recountBatches`, which locks the row. What stands there already stays. */
export async function addToMetadata(db: Db, id: string, toAdd: (metadata: Metadata) => Metadata): Promise<void> {
  const row = await db.selectFrom('task_batches').select('metadata').where('id', '=', id).executeTakeFirst();
  const metadata = z.record(z.string(), z.unknown()).parse(JSON.parse(row?.metadata ?? '{}'));
  await db
    .updateTable('task_batches')
    .set({ metadata: JSON.stringify({ ...toAdd(metadata), ...metadata }) })
    .where('id', '=', id)
    .execute();
}

type Metadata = Readonly<Record<string, unknown>>;

export const OPEN_STATUSES = ['pending', 'running'] as const satisfies readonly TaskStatus[];

/** Brings status and counts of the batches in line with their tasks. */
export async function recountBatches(db: Db, batchIds: Iterable<string>): Promise<void> {
  for (const id of [...batchIds].toSorted()) {
    // Locks the row: another change to tasks of the batch is either counted here, or counts after this.
    await db
      .updateTable('task_batches')
      .set((eb) => ({ status: eb.ref('status') }))
      .where('id', '=', id)
      .execute();
    const tasks = await db.selectFrom('tasks').select('status').where('batch_id', '=', id).execute();
    const statuses = tasks.map(({ status }) => taskStatusSchema.parse(status));
    const count = (...wanted: TaskStatus[]) => statuses.filter((status) => wanted.includes(status)).length;
    await db
      .updateTable('task_batches')
      .set({
        status: batchStatus(statuses),
        succeed_count: count('succeeded'),
        failed_count: count('failed', 'timeout', 'cancelled'),
      })
      .where('id', '=', id)
      .execute();
  }
}

/** How many of the tasks have each status. */
export async function countStatuses(
  tasks: SelectQueryBuilder<Tables, 'tasks', object>,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tasks
    .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute();
  return new Map(rows.map(({ status, count }) => [status, Number(count)]));
}
