// One task batch of a farm: its counts, its tasks, its cancel. Creating and listing batches is batches.ts.
import { RefusedError } from '../../../base/errors.ts';
import {
  type Actor,
  actorSchema,
  shownActor,
  type TaskStatus,
  taskNameSchema,
  taskStatusSchema,
} from '../../../model/task.ts';
import { batchCancelled, batchConfirmed } from '../audit/task-acts.ts';
import type { Audited } from '../databases.ts';
import type { Encryption } from '../encryption.ts';
import { recordTasksEnded } from '../events/task-events.ts';
import type { Window } from '../rows.ts';
import type { Db, Row } from '../schema.ts';
import { type Batch, toBatch } from './batches.ts';
import { addToMetadata, countStatuses, OPEN_STATUSES, recountBatches } from './task-outcomes.ts';

export type BatchDetail = Batch & { readonly counts: Readonly<Record<TaskStatus, number>> };

/** Times in ms. `minerId` null = the task is about an agent; `agentId` null = the service did it itself. */
export type Task = Readonly<ReturnType<typeof toTask>>;

const CANCELLED = 'Cancelled before an agent took it';

export function createBatchDetailStore({ read, transact, audit }: Audited, encryption: Encryption) {
  return {
    ...createTaskLists(read),
    /** Undefined when the farm has no such batch. */
    async find(farmId: string, id: string): Promise<BatchDetail | undefined> {
      const row = await selectBatch(read, farmId, id).selectAll().executeTakeFirst();
      if (row === undefined) return undefined;
      const found = await countStatuses(read.selectFrom('tasks').where('batch_id', '=', id));
      const count = (status: TaskStatus) => found.get(status) ?? 0;
      const counts = {
        pending: count('pending'),
        running: count('running'),
        succeeded: count('succeeded'),
        failed: count('failed'),
        timeout: count('timeout'),
        cancelled: count('cancelled'),
      };
      return { ...toBatch(row, encryption), counts };
    },
    /**
     * What waits for a second person waits no longer, and its time to be begun begins anew. Gives the agents that have
     * tasks now; undefined when the farm has no such batch. Throws RefusedError `people.second-person` for who ordered
     * it, `request.conflict` where nothing waits.
     */
    confirm: (farmId: string, id: string, actor: Actor, nowMs: number): Promise<readonly string[] | undefined> =>
      transact(async (trx) => {
        const columns = ['id', 'workspace_id', 'actor'] as const;
        const batch = await selectBatch(trx, farmId, id).select(columns).executeTakeFirst();
        if (batch === undefined) return undefined;
        const released = await release(trx, batch, actor, nowMs);
        const where = { id, farmId, workspaceId: batch.workspace_id };
        await audit(trx, [batchConfirmed(where, { actor, tasks: released.length, nowMs })]);
        return [...new Set(released.map(({ agent_id }) => agent_id))];
      }),
    /**
     * Ends the tasks that no agent has taken; marks the others so that their agents cancel what has not started. Gives
     * the agents to notify; undefined when the farm has no such batch.
     */
    cancel: (farmId: string, id: string, actor: Actor, nowMs: number): Promise<readonly string[] | undefined> =>
      transact(async (trx) => {
        const batch = await selectBatch(trx, farmId, id).select(['id', 'workspace_id']).executeTakeFirst();
        if (batch === undefined) return undefined;
        // Locks the rows: a claim after this sees that the task is cancelled; for a claim before this the agent is
        // notified.
        const open = await trx
          .updateTable('tasks')
          .set((eb) => ({ status: eb.ref('status') }))
          .where('batch_id', '=', id)
          .where('status', 'in', OPEN_STATUSES)
          .returning(['id', 'agent_id', 'sent_at', 'received_at'])
          .execute();
        const toNotify = new Set<string>();
        for (const task of open) {
          // What was sent may have arrived: the agent gets the cancel too, and its own outcome counts.
          const isSent = task.sent_at !== null;
          const cancelAt = task.sent_at === null ? null : Math.max(nowMs, task.sent_at);
          if (isSent) toNotify.add(task.agent_id);
          const change =
            task.received_at === null
              ? { status: 'cancelled', message: CANCELLED, is_presumed: isSent ? 1 : 0, updated_at: nowMs }
              : {};
          await trx
            .updateTable('tasks')
            .set({ ...change, cancel_at: cancelAt })
            .where('id', '=', task.id)
            .execute();
        }
        if (open.length > 0) {
          await recountBatches(trx, [id]);
          await addToMetadata(trx, id, () => ({
            cancelled: { by: shownActor(actor), at: new Date(nowMs).toISOString() },
          }));
        }
        const ended = open.filter(({ received_at }) => received_at === null);
        await recordTasksEnded(trx, ended, nowMs);
        const where = { id, farmId, workspaceId: batch.workspace_id };
        await audit(trx, [batchCancelled(where, { actor, tasks: open.length, nowMs })]);
        return [...toNotify];
      }),
  };
}

async function release(
  db: Db,
  { id, actor: text }: Pick<Row<'task_batches'>, 'id' | 'actor'>,
  by: Actor,
  nowMs: number,
) {
  if (actorSchema.parse(JSON.parse(text)).id === by.id)
    throw new RefusedError('people.second-person', `Confirm the tasks: ${by.name} has ordered them`);
  const released = await db
    .updateTable('tasks')
    .set((eb) => ({ is_held: 0, expires_at: eb('expires_at', '+', eb(eb.val(nowMs), '-', eb.ref('created_at'))) }))
    .where('batch_id', '=', id)
    .where('status', '=', 'pending')
    .where('is_held', '=', 1)
    .returning('agent_id')
    .execute();
  if (released.length === 0)
    throw new RefusedError('request.conflict', 'Confirm the tasks: none of them waits for a second person');
  await recountBatches(db, [id]);
  const confirmed = { by: shownActor(by), at: new Date(nowMs).toISOString() };
  await addToMetadata(db, id, () => ({ confirmed }));
  return released;
}

export type TaskListQuery = { readonly farmId: string; readonly id: string; readonly window: Window };

export function createTaskLists(read: Db) {
  return {
    /** Newest first; undefined when the farm has no such batch. */
    async listTasks({ farmId, id, window }: TaskListQuery) {
      const batch = await selectBatch(read, farmId, id).select('task_count').executeTakeFirst();
      if (batch === undefined) return undefined;
      const rows = await read
        .selectFrom('tasks')
        .leftJoin('miners', 'miners.row_id', 'tasks.row_id')
        .selectAll('tasks')
        .select('miners.id as miner_id')
        .where('batch_id', '=', id)
        .orderBy('tasks.created_at', 'desc')
        .orderBy('tasks.id', 'desc')
        .limit(window.limit)
        .offset(window.offset)
        .execute();
      return { tasks: rows.map(toTask), total: batch.task_count };
    },
  };
}

function toTask(row: Row<'tasks'> & { readonly miner_id: string | null }) {
  const evidence: Record<string, unknown> = JSON.parse(row.evidence);
  return {
    id: row.id,
    batchId: row.batch_id,
    name: taskNameSchema.parse(row.name),
    status: taskStatusSchema.parse(row.status),
    minerId: row.miner_id,
    agentId: row.agent_id === '' ? null : row.agent_id,
    message: row.message,
    evidence,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
    expiresAtMs: row.expires_at,
  };
}

const selectBatch = (db: Db, farmId: string, id: string) =>
  db.selectFrom('task_batches').where('farm_id', '=', farmId).where('id', '=', id);
