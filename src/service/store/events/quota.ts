// How many events an agent may add: enough for a farm in trouble, not for a flood. A long one counts as several. What
// is refused is counted in an event, at most once an hour, and as a gap.

import { jsonLength } from '../../../wire/json-length.ts';
import { countAll } from '../rows.ts';
import type { Db } from '../schema.ts';
import { MAX_DETAIL_LENGTH, type NewEvent } from './append.ts';

const DAY_MS = 86_400_000;
const REFUSED_EVENT_MS = 3_600_000;
/** At once, and regained within a day: for the agent, and for each of its miners. */
const FOR_AGENT = 2_000;
const FOR_MINER = 20;
/** Of the detail, as characters of its JSON: more counts as one event more. */
const DETAIL_LENGTH = 1_024;

/** Events that still count at `nowMs`, of those that counted at `atMs`. */
export function usedAt(used: number, atMs: number, capacity: number, nowMs: number): number {
  return Math.max(0, used - (Math.max(0, nowMs - atMs) / DAY_MS) * capacity);
}

/** What a longer detail than may be stored leaves behind is as short as any. */
function costOf({ detail }: NewEvent): number {
  const length = jsonLength(detail, MAX_DETAIL_LENGTH);
  return length > MAX_DETAIL_LENGTH ? 1 : Math.max(1, Math.ceil(length / DETAIL_LENGTH));
}

/** The first events, as many as may be added for so much. */
function affordable(events: readonly NewEvent[], most: number): { admitted: readonly NewEvent[]; cost: number } {
  let cost = 0;
  const count = events.findIndex((event) => {
    const withIt = cost + costOf(event);
    if (withIt > most) return true;
    cost = withIt;
    return false;
  });
  return { admitted: count < 0 ? events : events.slice(0, count), cost };
}

type Owner = { readonly agentId: string; readonly farmId: string; readonly nowMs: number };

/**
 * The first of the events, as many as the agent may add; they count from now on. Where it is time for that, an event
 * follows them that says how many were refused.
 */
export async function admitEvents(
  db: Db,
  { agentId, farmId, nowMs }: Owner,
  events: readonly NewEvent[],
): Promise<{ admitted: readonly NewEvent[]; refused: number }> {
  if (events.length === 0) return { admitted: events, refused: 0 };
  const agent = await db
    .selectFrom('agents')
    .select(['events_used', 'events_used_at', 'events_refused_at'])
    .where('id', '=', agentId)
    .executeTakeFirst();
  // Only stores of tests know no agents.
  if (agent === undefined) return { admitted: events, refused: 0 };
  const miners = await countAll(db.selectFrom('registrations').where('agent_id', '=', agentId));
  const capacity = FOR_AGENT + FOR_MINER * miners;
  const used = usedAt(agent.events_used, agent.events_used_at, capacity, nowMs);
  const { admitted, cost } = affordable(events, capacity - used);
  const refused = events.length - admitted.length;
  // Also when the clock of the service was set back since.
  const isReported = agent.events_refused_at !== null && Math.abs(nowMs - agent.events_refused_at) < REFUSED_EVENT_MS;
  const isDue = refused > 0 && !isReported;
  await db
    .updateTable('agents')
    .set({ events_used: used + cost, events_used_at: nowMs, ...(isDue ? { events_refused_at: nowMs } : {}) })
    .where('id', '=', agentId)
    .execute();
  const detail = { refused, allowed_per_day: capacity };
  const notice = { farmId, agentId, minerId: null, type: 'events_refused', atMs: nowMs, detail };
  return { admitted: isDue ? [...admitted, notice] : admitted, refused };
}
