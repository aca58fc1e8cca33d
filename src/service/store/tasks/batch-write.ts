// Writes a batch with its tasks, which wait or are already done. It does not decide who gets a task.
import type { Actor, TaskStatus } from '../../../model/task.ts';
import { recordBatchCreated, recordTasksEnded } from '../events/task-events.ts';
import { chunks } from '../rows.ts';
import type { Db } from '../schema.ts';

/** Times in ms. */
type Request = {
  readonly workspaceId: string;
  readonly farmId: string;
  readonly name: string;
  readonly actor: Actor;
  readonly nowMs: number;
  /** Their agents do not get them before another person has confirmed them. */
  readonly isHeld?: boolean;
  /** As asked for; absent where the name says all. */
  readonly params?: Readonly<Record<string, unknown>>;
};

type Batch = {
  readonly id: string;
  /** '' = it is for no agent. */
  readonly agentId: string;
  readonly status: Extract<TaskStatus, 'pending' | 'succeeded'>;
  /** JSON text, encrypted where it has to be. */
  readonly params: string;
  readonly metadata: object;
  readonly expiresAtMs: number;
  readonly tasks: readonly {
    readonly id: string;
    readonly rowId: number;
    readonly minerKey: string;
    readonly params?: object;
    readonly evidence?: object;
  }[];
};

export async function insertBatch(db: Db, request: Request, batch: Batch): Promise<void> {
  const { name, nowMs } = request;
  const { tasks, status } = batch;
  await db
    .insertInto('task_batches')
    .values({
      id: batch.id,
      workspace_id: request.workspaceId,
      farm_id: request.farmId,
      agent_id: batch.agentId,
      name,
      params: batch.params,
      actor_type: request.actor.type,
      actor: JSON.stringify(request.actor),
      metadata: JSON.stringify(batch.metadata),
      status,
      task_count: tasks.length,
      succeed_count: status === 'succeeded' ? tasks.length : 0,
      failed_count: 0,
      created_at: nowMs,
    })
    .execute();
  const rows = tasks.map(({ id, rowId, minerKey, params, evidence = {} }) => ({
    id,
    batch_id: batch.id,
    agent_id: batch.agentId,
    row_id: rowId,
    miner_key: minerKey,
    params: params === undefined ? null : JSON.stringify(params),
    name,
    status,
    created_at: nowMs,
    expires_at: batch.expiresAtMs,
    updated_at: nowMs,
    is_presumed: 0,
    is_held: request.isHeld === true ? 1 : 0,
    evidence: JSON.stringify(evidence),
  }));
  for (const part of chunks(rows)) await db.insertInto('tasks').values(part).execute();
  await recordBatchCreated(db, { ...request, id: batch.id, agentId: batch.agentId, taskCount: tasks.length });
  if (status !== 'pending') await recordTasksEnded(db, rows, nowMs);
}
