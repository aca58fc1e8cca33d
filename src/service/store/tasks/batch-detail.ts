// One task batch of a farm: its counts, its tasks, its cancel. Creating and listing batches is batches.ts.
import { type Actor, shownActor, type TaskStatus, taskNameSchema, taskStatusSchema } from '../../../model/task.ts';
import { batchCancelled } from '../audit/task-acts.ts';
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
