// Tasks on their way to the agents: which are still to be handed over, what was received, what has waited too long.
import type { ExpressionBuilder } from 'kysely';
import { z } from 'zod';
import { type TaskStatus, taskNameSchema } from '../../../model/task.ts';
import { rolloutSchema, type TaskCommand } from '../../../wire/frames.ts';
import type { Databases } from '../databases.ts';
import type { Encryption } from '../encryption.ts';
import { CLOCKS_DIFFER_MS, chunks } from '../rows.ts';
import type { Db, Row, Tables } from '../schema.ts';
import { recountBatches } from './task-outcomes.ts';

/** Claimed tasks: from now on the agent may have them, so whoever gives them up tells it. */
type Claim = {
  readonly orders: readonly TaskCommand[];
  /** Whose params were encrypted with another key than ours: without them they would be other orders. */
  readonly unopened: readonly string[];
  /** There may be more. */
  readonly isFull: boolean;
};

export type TaskStore = {
  /**
   * Marks unexpired tasks as sent at `sentMs` that the agent has not confirmed and that were not sent after `sentBeforeMs`; the oldest, `limit` of
   * both kinds together. What is not sent then has to be marked as due again.
   */
  claim(query: { agentId: string; nowMs: number; sentBeforeMs: number; sentMs: number; limit: number }): Promise<Claim>;
  /** Ends those of the tasks that are open. The agent's own word replaces this verdict: it may have had them before the key was lost. */
  endUnopened(taskIds: readonly string[], nowMs: number): Promise<void>;
  /** Tasks that the agent shall give up and that it was not told of after `sentBeforeMs`; those after `afterId`, at most `limit`. */
  listCancels(query: {
    agentId: string;
    nowMs: number;
    sentBeforeMs: number;
    afterId: string;
    limit: number;
  }): Promise<readonly string[]>;
  /** Agents with tasks that they have not confirmed, or that they were not told to give up. */
  listWaitedFor(nowMs: number): Promise<readonly string[]>;
  markSent(taskIds: readonly string[], nowMs: number): Promise<void>;
  /** Only for a task of that agent. */
  markReceived(agentId: string, taskId: string, nowMs: number): Promise<void>;
  /**
   * Ends tasks that no agent confirmed before they expired, and confirmed ones of which nothing was heard for `outcomeGraceMs` beyond that.
   * The agent's own word replaces this verdict if it comes later. Gives how many.
   */
  expire(nowMs: number, outcomeGraceMs: number): Promise<number>;
  countByStatus(): Promise<ReadonlyMap<string, number>>;
};

/** Open, or taken to be cancelled while the agent may have it. A task that expired before it began needs no word: the agent gives it up by itself. */
const CANCELLABLE = ['pending', 'running', 'cancelled'] as const satisfies readonly TaskStatus[];

/** Kept with the batch, where people see it. */
const metadataSchema = z.object({ rollout: rolloutSchema.optional() });

function rolloutIn(metadata: string): Pick<TaskCommand, 'rollout'> {
  const { rollout } = metadataSchema.parse(JSON.parse(metadata));
  return rollout === undefined ? {} : { rollout };
}

export function createTaskStore(
  { read, write, transact }: Pick<Databases, 'read' | 'write' | 'transact'>,
  encryption: Encryption,
): TaskStore {
  return {
    async claim({ agentId, nowMs, sentBeforeMs, sentMs, limit }) {
      const isDue = (eb: ExpressionBuilder<Tables, 'tasks'>) =>
        eb.and([
          eb('tasks.status', '=', 'pending'),
          eb('received_at', 'is', null),
          eb.or([
            eb('sent_at', 'is', null),
            eb('sent_at', '<=', sentBeforeMs),
            eb('sent_at', '>', nowMs + CLOCKS_DIFFER_MS),
          ]),
        ]);
      const rows = await read
        .selectFrom('tasks')
        .innerJoin('task_batches', 'task_batches.id', 'tasks.batch_id')
        .select([
          'tasks.id',
          'batch_id',
          'tasks.name',
          'miner_key',
          'params',
          'metadata',
          'tasks.created_at',
          'expires_at',
        ])
        .where('tasks.agent_id', '=', agentId)
        .where('expires_at', '>', nowMs)
        .where('tasks.created_at', '<=', nowMs + CLOCKS_DIFFER_MS)
        .where(isDue)
        .orderBy('tasks.created_at')
        .orderBy('tasks.id')
        .limit(limit)
        .execute();
      // Some may have been given up since they were read: they are not sent.
      const claimed = new Set<string>();
      for (const part of chunks(rows.map(({ id }) => id))) {
        const marked = await write
          .updateTable('tasks')
          .set({ sent_at: sentMs })
          .where('id', 'in', part)
          .where(isDue)
          .returning('id')
          .execute();
        for (const { id } of marked) claimed.add(id);
      }
      const orders: TaskCommand[] = [];
      const unopened: string[] = [];
      for (const row of rows.filter(({ id }) => claimed.has(id))) {
        const params = encryption.decryptParams(row.params);
        if (params === undefined) {
          unopened.push(row.id);
          continue;
        }
        orders.push({
          type: 'task',
          task_id: row.id,
          batch_id: row.batch_id,
          name: taskNameSchema.parse(row.name),
          miner_key: row.miner_key,
          params,
          created_at: new Date(row.created_at).toISOString(),
          expires_at: new Date(row.expires_at).toISOString(),
          ...rolloutIn(row.metadata),
        });
      }
      return { orders, unopened, isFull: rows.length >= limit };
    },
    endUnopened: (taskIds, nowMs) =>
      transact(async (trx) => {
        for (const part of chunks(taskIds)) {
          const tasks = await trx
            .selectFrom('tasks')
            .select(['id', 'batch_id'])
            .where('id', 'in', part)
            .orderBy('id')
            .execute();
          await presume(
            trx,
            tasks.map((task) => ({ ...task, status: 'failed', message: UNOPENED })),
            nowMs,
          );
        }
      }),
    async listCancels({ agentId, nowMs, sentBeforeMs, afterId, limit }) {
      const rows = await read
        .selectFrom('tasks')
        .select('id')
        .where('agent_id', '=', agentId)
        .where('status', 'in', CANCELLABLE)
        .where('id', '>', afterId)
        .where('cancel_at', 'is not', null)
        .where((eb) => eb.or([eb('expires_at', '>', nowMs), eb('status', '=', 'running')]))
        .where((eb) =>
          eb.or([
            eb('sent_at', '<=', eb.ref('cancel_at')),
            eb('sent_at', '<=', sentBeforeMs),
            eb('sent_at', '>', nowMs + CLOCKS_DIFFER_MS),
          ]),
        )
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    async countByStatus() {
      const rows = await read
        .selectFrom('tasks')
        .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
        .groupBy('status')
        .execute();
      return new Map(rows.map(({ status, count }) => [status, Number(count)]));
    },
    async listWaitedFor(nowMs) {
      const rows = await read
        .selectFrom('tasks')
        .select('agent_id')
        .distinct()
        .where('status', 'in', CANCELLABLE)
        .where((eb) => eb.or([eb('expires_at', '>', nowMs), eb('status', '=', 'running')]))
        .where((eb) =>
          eb.or([
            eb.and([eb('status', '=', 'pending'), eb('received_at', 'is', null)]),
            eb('sent_at', '<=', eb.ref('cancel_at')),
          ]),
        )
        .execute();
      return rows.map(({ agent_id }) => agent_id);
    },
    async markSent(taskIds, nowMs) {
      for (const part of chunks(taskIds))
        await write.updateTable('tasks').set({ sent_at: nowMs }).where('id', 'in', part).execute();
    },
    async markReceived(agentId, taskId, nowMs) {
      await write
        .updateTable('tasks')
        .set({ received_at: nowMs })
        .where('id', '=', taskId)
        .where('agent_id', '=', agentId)
        .where('received_at', 'is', null)
        .execute();
    },
    async expire(nowMs, outcomeGraceMs) {
      const due = read
        .selectFrom('tasks')
        .select('id')
        .where('status', 'in', ['pending', 'running'])
        .where((eb) =>
          eb.or([
            eb.and([eb('received_at', 'is', null), eb('expires_at', '<=', nowMs)]),
            eb.and([eb('received_at', 'is', null), eb('created_at', '>', nowMs + CLOCKS_DIFFER_MS)]),
            // One that still says how far it is has not fallen silent.
            eb.and([eb('expires_at', '<=', nowMs - outcomeGraceMs), eb('updated_at', '<=', nowMs - outcomeGraceMs)]),
          ]),
        );
      if ((await due.limit(1).executeTakeFirst()) === undefined) return 0;
      return transact(async (trx) => {
        const tasks = await trx
          .selectFrom('tasks')
          .select(['id', 'batch_id', 'created_at', 'sent_at', 'received_at'])
          .where('id', 'in', due)
          .orderBy('id')
          .execute();
        const verdicts = tasks.map(({ id, batch_id, ...task }): Verdict => {
          return { id, batch_id, status: 'timeout', message: timeoutMessage(task, nowMs) };
        });
        return presume(trx, verdicts, nowMs);
      });
    },
  };
}

type TaskTimes = Pick<Row<'tasks'>, 'created_at' | 'sent_at' | 'received_at'>;

function timeoutMessage({ created_at, sent_at, received_at }: TaskTimes, nowMs: number): string {
  if (received_at !== null) return 'The agent took the task but did not say what became of it';
  if (created_at > nowMs + CLOCKS_DIFFER_MS)
    return 'The clock of the service was set back after the task was ordered, so how long it may still wait is not known; order it again';
  if (sent_at === null) return 'The agent was not there to take the task before it expired';
  return 'The agent was sent the task but did not confirm it before it expired; if it refused it, its log and its events say why';
}

const UNOPENED =
  'What the task needs was encrypted with a key file that the service no longer has, so it could not be given to the agent; order it again';

type Verdict = {
  readonly id: string;
  readonly batch_id: string;
  readonly status: TaskStatus;
  readonly message: string;
};

/** Ends those that are open, until the agent says otherwise; gives how many. */
async function presume(trx: Db, verdicts: readonly Verdict[], nowMs: number): Promise<number> {
  const ended: Verdict[] = [];
  for (const verdict of verdicts) {
    const { id, status, message } = verdict;
    const { numUpdatedRows } = await trx
      .updateTable('tasks')
      .set({ status, is_presumed: 1, message, updated_at: nowMs })
      .where('id', '=', id)
      // On another copy the agent may just have said otherwise.
      .where('status', 'in', ['pending', 'running'])
      .executeTakeFirst();
    if (numUpdatedRows > 0n) ended.push(verdict);
  }
  await recountBatches(trx, new Set(ended.map(({ batch_id }) => batch_id)));
  return ended.length;
}
