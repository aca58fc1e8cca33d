// How many miners an agent may have here: what it was granted when it was enrolled. Miners that are known stay whatever
// it invents; new ones beyond the grant are refused, counted as a gap and named in an event. How fast it may add new
// ones is bounded too: a farm comes in whole, but an agent that makes up other miners again and again gets no further
// than a tenth of its grant an hour.
import type { NewEvent } from '../../events/append.ts';
import { countAll } from '../../rows.ts';
import type { Db } from '../../schema.ts';

const HOUR_MS = 3_600_000;
const REFUSED_EVENT_MS = HOUR_MS;

type Reporter = { readonly agentId: string; readonly farmId: string; readonly nowMs: number };
type Budget = { readonly left: number; readonly atMs: number };

/**
 * New miners that may be added now: as many as granted at first; what was used comes back at a tenth of the grant and
 * 100 more an hour.
 */
export function budgetAt({ left, atMs }: Budget, maxMiners: number, nowMs: number): number {
  const regained = (Math.max(0, nowMs - atMs) / HOUR_MS) * (maxMiners / 10 + 100);
  return Math.min(maxMiners, left + regained);
}

/** How many of `wanted` new miners the agent may add; they count from now on. */
export async function admitNew(db: Db, { agentId, nowMs }: Reporter, wanted: number): Promise<number> {
  if (wanted === 0) return 0;
  const agent = await db
    .selectFrom('agents')
    .select(['max_miners', 'new_miners_left', 'new_miners_at'])
    .where('id', '=', agentId)
    .executeTakeFirst();
  // Only stores of tests know no agents.
  if (agent === undefined) return wanted;
  const known = await countAll(db.selectFrom('registrations').where('agent_id', '=', agentId));
  const budget = budgetAt({ left: agent.new_miners_left, atMs: agent.new_miners_at }, agent.max_miners, nowMs);
  const admitted = Math.max(0, Math.min(wanted, agent.max_miners - known, Math.floor(budget)));
  await db
    .updateTable('agents')
    .set({ new_miners_left: budget - admitted, new_miners_at: nowMs })
    .where('id', '=', agentId)
    .execute();
  return admitted;
}

/** The event, at most once an hour: undefined where it is not time for one. */
export async function refusedEvent(
  db: Db,
  { agentId, farmId, nowMs }: Reporter,
  refused: number,
): Promise<NewEvent | undefined> {
  const agent = await db
    .selectFrom('agents')
    .select(['max_miners', 'miners_refused_at'])
    .where('id', '=', agentId)
    .executeTakeFirstOrThrow();
  // Also when the clock of the service was set back since.
  if (agent.miners_refused_at !== null && Math.abs(nowMs - agent.miners_refused_at) < REFUSED_EVENT_MS) return;
  await db.updateTable('agents').set({ miners_refused_at: nowMs }).where('id', '=', agentId).execute();
  const known = await countAll(db.selectFrom('registrations').where('agent_id', '=', agentId));
  const detail = { refused, known, max_miners: agent.max_miners };
  return { farmId, agentId, minerId: null, type: 'miners_refused', atMs: nowMs, detail };
}
