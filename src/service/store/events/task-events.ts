// Events of tasks: a batch was created, a task ended; each names who ordered it, or who cancelled it. Called in the
// transaction that does so, as the last thing in it.
import { z } from 'zod';
import { ACTOR_TYPES, type Actor, actorSchema, isEventTask, shownActor } from '../../../model/task.ts';
import { commandWords } from '../../../model/tasks/command-words.ts';
import { chunks } from '../rows.ts';
import type { Db } from '../schema.ts';
import { appendEvents, type NewEvent } from './append.ts';

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
      .leftJoin('agents', 'agents.id', 'tasks.agent_id')
      .select(['tasks.id', 'batch_id', 'task_batches.farm_id', 'tasks.agent_id', 'miners.id as miner_id'])
      .select(['tasks.name', 'tasks.status', 'tasks.message', 'tasks.is_presumed', 'actor', 'tasks.evidence'])
      .select(['metadata', 'agents.name as agent_name'])
      .where('tasks.id', 'in', part)
      .orderBy('tasks.id')
      .execute();
    for (const { id, batch_id, farm_id: farmId, agent_id: agentId, miner_id: minerId, ...task } of rows) {
      const { name, status, message } = task;
      const orderedBy = shownActor(actorSchema.parse(JSON.parse(task.actor)));
      const who =
        status === 'cancelled'
          ? { actor: cancellerOf(task.metadata) ?? agentOf(agentId, task.agent_name), ordered_by: orderedBy }
          : { actor: orderedBy };
      const detail = { task_id: id, task_batch_id: batch_id, name, status, message, ...who };
      const more = {
        ...(task.is_presumed === 1 && { is_presumed: true }),
        // What an operator changed: before and after.
        ...(isEventTask(name) && evidenceSchema.parse(JSON.parse(task.evidence))),
      };
      events.push({ farmId, agentId, minerId, type: 'task_ended', atMs: nowMs, detail: { ...detail, ...more } });
    }
  }
  await appendEvents(transaction, events);
}

const evidenceSchema = z.record(z.string(), z.unknown());

const namedSchema = z.object({
  ...{ type: z.enum(ACTOR_TYPES), id: z.string(), name: z.string() },
  via: z.string().exactOptional(),
});
const metadataSchema = z.object({ cancelled: z.object({ by: namedSchema }).optional() });

/** Who cancelled the batch. */
const cancellerOf = (metadata: string) => metadataSchema.parse(JSON.parse(metadata)).cancelled?.by;

/** An agent cancels by itself what is left of a batch that has failed too often. */
const agentOf = (id: string, name: string | null) => ({ type: 'agent' as const, id, name: name ?? '' });

type Created = {
  readonly id: string;
  readonly farmId: string;
  readonly agentId: string;
  readonly name: string;
  /** As asked for; absent where the name says all. */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly taskCount: number;
  readonly actor: Actor;
  readonly nowMs: number;
};

export async function recordBatchCreated(transaction: Db, batch: Created): Promise<void> {
  const { id, farmId, agentId, name, params = {}, taskCount, actor, nowMs } = batch;
  const command = commandWords(name, params);
  const detail = {
    ...{ task_batch_id: id, name, task_count: taskCount, actor: shownActor(actor) },
    ...(command !== undefined && { command }),
  };
  await appendEvents(transaction, [{ farmId, agentId, minerId: null, type: 'task_created', atMs: nowMs, detail }]);
}
