// Events of tasks: a batch was created, a task ended; each names who ordered it. Called in the transaction that does
// so, as the last thing in it.
import { type Actor, actorSchema } from '../../../model/task.ts';
import { chunks } from '../rows.ts';
import type { Db } from '../schema.ts';
import { actorOf, appendEvents, type NewEvent } from './append.ts';

/** One event for each task, about its miner. `isPresumed` = the service says so, and the agent may still correct it. */
export async function recordTasksEnded(
  transaction: Db,
  tasks: readonly { readonly id: string }[],
  nowMs: number,
): Promise<void> {
  const events: NewEvent[] = [];
  for (const part of chunks(tasks.map(({ id }) => id))) {
    const rows = await transaction
      .selectFrom('tasks')
      .innerJoin('task_batches', 'task_batches.id', 'tasks.batch_id')
      .leftJoin('miners', 'miners.row_id', 'tasks.row_id')
      .select(['tasks.id', 'batch_id', 'task_batches.farm_id', 'tasks.agent_id', 'miners.id as miner_id'])
      .select(['tasks.name', 'tasks.status', 'tasks.message', 'tasks.is_presumed', 'actor'])
      .where('tasks.id', 'in', part)
      .orderBy('tasks.id')
      .execute();
    for (const { id, batch_id, farm_id: farmId, agent_id: agentId, miner_id: minerId, ...task } of rows) {
      const { name, status, message } = task;
      const actor = actorOf(actorSchema.parse(JSON.parse(task.actor)));
      const detail = { task_id: id, task_batch_id: batch_id, name, status, message, actor };
      const more = task.is_presumed === 1 ? { is_presumed: true } : {};
      events.push({ farmId, agentId, minerId, type: 'task_ended', atMs: nowMs, detail: { ...detail, ...more } });
    }
  }
  await appendEvents(transaction, events);
}

type Created = {
  readonly id: string;
  readonly farmId: string;
  readonly agentId: string;
  readonly name: string;
  readonly taskCount: number;
  readonly actor: Actor;
  readonly nowMs: number;
};

export async function recordBatchCreated(transaction: Db, batch: Created): Promise<void> {
  const { id, farmId, agentId, name, taskCount, actor, nowMs } = batch;
  const detail = { task_batch_id: id, name, task_count: taskCount, actor: actorOf(actor) };
  await appendEvents(transaction, [{ farmId, agentId, minerId: null, type: 'task_created', atMs: nowMs, detail }]);
}
