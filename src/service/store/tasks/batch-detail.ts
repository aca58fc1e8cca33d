// One task batch of a farm: its counts, its tasks, giving it up. Making and listing batches is batches.ts.
import { type TaskStatus, taskNameSchema, taskStatusSchema } from '../../../model/task.ts';
import type { Databases } from '../databases.ts';
import type { Encryption } from '../encryption.ts';
import type { Window } from '../rows.ts';
import type { Db, Row } from '../schema.ts';
import { type Batch, toBatch } from './batches.ts';
import { recountBatches } from './task-outcomes.ts';

export type BatchDetail = Batch & { readonly counts: Readonly<Record<TaskStatus, number>> };

/** Times in ms. `minerId` null = the task is about an agent; `agentId` null = the service did it itself. */
export type Task = Readonly<ReturnType<typeof toTask>>;

type BatchDetailStore = {
  /** Undefined when the farm has no such batch. */
  find(farmId: string, id: string): Promise<BatchDetail | undefined>;
  /** Newest first; undefined when the farm has no such batch. */
  listTasks(query: {
    farmId: string;
    id: string;
    window: Window;
  }): Promise<{ tasks: readonly Task[]; total: number } | undefined>;
  /**
   * Ends the tasks that no agent has taken, and asks for the others to be given up where they have not been started. Gives the agents to tell;
   * undefined when the farm has no such batch.
   */
  cancel(farmId: string, id: string, nowMs: number): Promise<readonly string[] | undefined>;
};

const CANCELLED = 'Cancelled before an agent took it';

export function createBatchDetailStore({ read, transact }: Databases, encryption: Encryption): BatchDetailStore {
  return {
    async find(farmId, id) {
      const row = await selectBatch(read, farmId, id).selectAll().executeTakeFirst();
      if (row === undefined) return undefined;
      const groups = await read
        .selectFrom('tasks')
        .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
        .where('batch_id', '=', id)
        .groupBy('status')
        .execute();
      const count = (status: TaskStatus) => Number(groups.find((group) => group.status === status)?.count ?? 0);
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
    async listTasks({ farmId, id, window }) {
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
    cancel: (farmId, id, nowMs) =>
      transact(async (trx) => {
        if ((await selectBatch(trx, farmId, id).select('id').executeTakeFirst()) === undefined) return undefined;
        // Takes the rows: whoever claims one now to send it sees that it was given up, and of what was claimed before the agent is told.
        const open = await trx
          .updateTable('tasks')
          .set((eb) => ({ status: eb.ref('status') }))
          .where('batch_id', '=', id)
          .where('status', 'in', ['pending', 'running'])
          .returning(['id', 'agent_id', 'sent_at', 'received_at'])
          .execute();
        const toTell = new Set<string>();
        for (const task of open) {
          // What was sent may have arrived: the agent is told too, and its own word counts.
          const isSent = task.sent_at !== null;
          const cancelAt = task.sent_at === null ? null : Math.max(nowMs, task.sent_at);
          if (isSent) toTell.add(task.agent_id);
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
        if (open.length > 0) await recountBatches(trx, [id]);
        return [...toTell];
      }),
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
