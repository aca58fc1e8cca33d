// The agents of a farm that a task about themselves is wanted for. What the order does with them is batches.ts.
import type { TaskName } from '../../model/task.ts';
import type { TaskCandidate } from './batches.ts';
import type { Db } from './schema.ts';

/** Every agent takes tasks about itself; what it cannot do it says in the outcome. Its own id stands for the key of a miner. */
export async function findAgentCandidates(
  db: Db,
  { farmId, ids, name }: { readonly farmId: string; readonly ids: readonly string[]; readonly name: TaskName },
): Promise<TaskCandidate[]> {
  const agents = await db
    .selectFrom('agents')
    .select('id')
    .where('farm_id', '=', farmId)
    .where('id', 'in', ids)
    .where('revoked_at', 'is', null)
    .execute();
  if (agents.length === 0) return [];
  const busy = await db
    .selectFrom('tasks')
    .select('agent_id')
    .where(
      'agent_id',
      'in',
      agents.map(({ id }) => id),
    )
    .where('name', '=', name)
    .where('status', 'in', ['pending', 'running'])
    .execute();
  const busyAgents = new Set(busy.map(({ agent_id }) => agent_id));
  return agents.map(({ id }) => ({
    rowId: 0,
    id,
    agentId: id,
    agentKey: id,
    opsStatus: null,
    abilities: [name],
    isBusy: busyAgents.has(id),
  }));
}
