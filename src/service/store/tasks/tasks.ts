// Tasks on their way to the agents: which still have to be sent, which were received, which an agent has to cancel.
// What waits too long ends in task-expiry.ts.
import type { ExpressionBuilder } from 'kysely';
import { z } from 'zod';
import { type TaskStatus, taskNameSchema } from '../../../model/task.ts';
import { rolloutSchema, type TaskCommand } from '../../../wire/frames.ts';
import type { Audited, Databases } from '../databases.ts';
import type { Encryption } from '../encryption.ts';
import { CLOCKS_DIFFER_MS, chunks } from '../rows.ts';
import type { Row, Tables } from '../schema.ts';
import { endUndecryptable, expireTasks } from './task-expiry.ts';
import { countStatuses } from './task-outcomes.ts';

type TaskDatabases = Audited<Pick<Databases, 'read' | 'write' | 'transact'>>;
type Builder = ExpressionBuilder<Tables, 'tasks'>;

/** What was sent to the agent after `sentBeforeMs` is not due again. */
type Due = { readonly agentId: string; readonly nowMs: number; readonly sentBeforeMs: number; readonly limit: number };
type ClaimQuery = Due & { readonly sentMs: number };

/** Claimed tasks may have reached the agent: when one is cancelled from now on, the agent gets a cancel. */
type Claim = {
  readonly commands: readonly TaskCommand[];
  /** Ids of tasks whose params were encrypted with another key than ours. */
  readonly undecryptable: readonly string[];
  /** There may be more. */
  readonly isFull: boolean;
};

export type TaskStore = ReturnType<typeof createTaskStore>;

export function createTaskStore(databases: TaskDatabases, encryption: Encryption) {
  const { read, write } = databases;
  return {
    /**
     * Marks due tasks that the agent has not confirmed as sent at `sentMs`; the oldest `limit` of them. A task that is
     * then not sent has to be marked as due again.
     */
    claim: (query: ClaimQuery) => claim(databases, encryption, query),
    /**
     * Ends those of the tasks that are open. An outcome from the agent replaces this one: the agent may have had the
     * task before the key was lost.
     */
    endUndecryptable: (taskIds: readonly string[], nowMs: number) => endUndecryptable(databases, taskIds, nowMs),
    /** Ids of due tasks that the agent has to cancel, after `afterId`. */
    async listCancels({ agentId, nowMs, sentBeforeMs, afterId, limit }: Due & { afterId: string }) {
      const rows = await read
        .selectFrom('tasks')
        .select('id')
        .where('agent_id', '=', agentId)
        .where('status', 'in', CANCELLABLE)
        .where('id', '>', afterId)
        .where('cancel_at', 'is not', null)
        .where(mayStillRun(nowMs))
        .where((eb) => eb.or([eb('sent_at', '<=', eb.ref('cancel_at')), ...isDueAgain(eb, sentBeforeMs, nowMs)]))
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    countByStatus: () => countStatuses(read.selectFrom('tasks')),
    /** Agents with tasks that they have not confirmed, or cancels that they were not sent. */
    async listWaitedFor(nowMs: number) {
      const rows = await read
        .selectFrom('tasks')
        .select('agent_id')
        .distinct()
        .where('status', 'in', CANCELLABLE)
        .where(mayStillRun(nowMs))
        .where((eb) =>
          eb.or([
            eb.and([eb('status', '=', 'pending'), eb('is_held', '=', 0), eb('received_at', 'is', null)]),
            eb('sent_at', '<=', eb.ref('cancel_at')),
          ]),
        )
        .execute();
      return rows.map(({ agent_id }) => agent_id);
    },
    async markSent(taskIds: readonly string[], nowMs: number): Promise<void> {
      for (const part of chunks(taskIds))
        await write.updateTable('tasks').set({ sent_at: nowMs }).where('id', 'in', part).execute();
    },
    /** Does nothing for a task of another agent. */
    async markReceived(agentId: string, taskId: string, nowMs: number): Promise<void> {
      await write
        .updateTable('tasks')
        .set({ received_at: nowMs })
        .where('id', '=', taskId)
        .where('agent_id', '=', agentId)
        .where('received_at', 'is', null)
        .execute();
    },
    /**
     * Ends tasks that no agent confirmed before they expired, and confirmed ones without news for `outcomeGraceMs`
     * beyond that. An outcome from the agent replaces this one. Gives how many.
     */
    expire: (nowMs: number, outcomeGraceMs: number) => expireTasks(databases, nowMs, outcomeGraceMs),
  };
}

/** Open, or presumed to be cancelled while the agent may have it. */
const CANCELLABLE = ['pending', 'running', 'cancelled'] as const satisfies readonly TaskStatus[];

/** A task that expired before it began needs no cancel: the agent ends it by itself. */
const mayStillRun = (nowMs: number) => (eb: Builder) =>
  eb.or([eb('expires_at', '>', nowMs), eb('status', '=', 'running')]);

/** A time that is later than now was written before the clock was set back. */
const isDueAgain = (eb: Builder, sentBeforeMs: number, nowMs: number) => [
  eb('sent_at', '<=', sentBeforeMs),
  eb('sent_at', '>', nowMs + CLOCKS_DIFFER_MS),
];

async function claim(
  { read, write }: TaskDatabases,
  encryption: Encryption,
  { agentId, nowMs, sentBeforeMs, sentMs, limit }: ClaimQuery,
): Promise<Claim> {
  const isDue = (eb: Builder) =>
    eb.and([
      eb('tasks.status', '=', 'pending'),
      eb('is_held', '=', 0),
      eb('received_at', 'is', null),
      eb.or([eb('sent_at', 'is', null), ...isDueAgain(eb, sentBeforeMs, nowMs)]),
    ]);
  const rows = await read
    .selectFrom('tasks')
    .innerJoin('task_batches', 'task_batches.id', 'tasks.batch_id')
    .select(['tasks.id', 'batch_id', 'tasks.name', 'miner_key', 'metadata', 'tasks.created_at', 'expires_at'])
    .select(['task_batches.params', 'tasks.params as own_params'])
    .where('tasks.agent_id', '=', agentId)
    .where('expires_at', '>', nowMs)
    .where('tasks.created_at', '<=', nowMs + CLOCKS_DIFFER_MS)
    .where(isDue)
    .orderBy('tasks.created_at')
    .orderBy('tasks.id')
    .limit(limit)
    .execute();
  // Some may have been cancelled since they were read: they are not sent.
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
  const commands: TaskCommand[] = [];
  const undecryptable: string[] = [];
  for (const row of rows.filter(({ id }) => claimed.has(id))) {
    const params = encryption.decryptParams(row.params);
    if (params === undefined) undecryptable.push(row.id);
    else commands.push(toCommand(row, { ...params, ...paramsSchema.parse(JSON.parse(row.own_params ?? '{}')) }));
  }
  return { commands, undecryptable, isFull: rows.length >= limit };
}

const paramsSchema = z.record(z.string(), z.unknown());
/** Kept with the batch, where people see it. */
const metadataSchema = z.object({ rollout: rolloutSchema.optional() });

type CommandRow = Pick<Row<'tasks'>, 'id' | 'batch_id' | 'name' | 'miner_key' | 'created_at' | 'expires_at'> &
  Pick<Row<'task_batches'>, 'metadata'>;

function toCommand(row: CommandRow, params: TaskCommand['params']): TaskCommand {
  const { rollout } = metadataSchema.parse(JSON.parse(row.metadata));
  return {
    type: 'task',
    task_id: row.id,
    batch_id: row.batch_id,
    name: taskNameSchema.parse(row.name),
    miner_key: row.miner_key,
    params,
    created_at: new Date(row.created_at).toISOString(),
    expires_at: new Date(row.expires_at).toISOString(),
    ...(rollout !== undefined && { rollout }),
  };
}
