// Events of miners that the agent names before it has reported them: they wait here until the miner has an id, so that
// a reader of the feed always gets it. One whose miner does not come within a day is removed by pruning.ts.
import { DEFAULT_MAX_MINERS } from '../../../model/grant.ts';
import type { EventRecord } from '../../../wire/records.ts';
import { chunks, countAll } from '../rows.ts';
import type { Db } from '../schema.ts';
import { detailText, type NewEvent } from './append.ts';

/** Types that are about a miner that may be new. */
const OF_NEW_MINERS: ReadonlySet<string> = new Set(['appeared', 'duplicate', 'model_contradicted']);

export const mustWait = ({ type }: Pick<EventRecord, 'type'>): boolean => OF_NEW_MINERS.has(type);

/**
 * Of one agent: a farm of the size that it was granted, each miner with what it may be about. An agent that names more
 * miners than that reports none of them.
 */
const FOR_AGENT = 1_000;
const FOR_MINER = 2;
/** A longer detail is left out and its length noted: that of a miner with many twins is shorter. */
const MAX_DETAIL_LENGTH = 4_096;

type Owner = { readonly agentId: string; readonly farmId: string; readonly nowMs: number };

/** Gives how many were refused. */
export async function holdEvents(
  db: Db,
  { agentId, nowMs }: Owner,
  records: readonly Pick<EventRecord, 'key' | 'type' | 'at' | 'detail'>[],
): Promise<number> {
  if (records.length === 0) return 0;
  const held = await countAll(db.selectFrom('held_events').where('agent_id', '=', agentId));
  const agent = await db.selectFrom('agents').select('max_miners').where('id', '=', agentId).executeTakeFirst();
  // Only stores of tests know no agents.
  const most = FOR_AGENT + FOR_MINER * (agent?.max_miners ?? DEFAULT_MAX_MINERS);
  const taken = records.slice(0, Math.max(0, most - held));
  const rows = taken.map(({ key, type, at, detail }) => ({
    agent_id: agentId,
    key,
    type,
    at: Math.min(Date.parse(at), nowMs),
    detail: detailText(detail, MAX_DETAIL_LENGTH),
    held_at: nowMs,
  }));
  for (const part of chunks(rows)) await db.insertInto('held_events').values(part).execute();
  return records.length - taken.length;
}

/** Takes out what waits for these keys; `minerOf` gives undefined where the events of a key are not to be kept. */
export async function releaseEvents(
  db: Db,
  { agentId, farmId }: Owner,
  keys: readonly string[],
  minerOf: (key: string) => string | undefined,
): Promise<NewEvent[]> {
  const released: NewEvent[] = [];
  for (const part of chunks(keys)) {
    const rows = await db
      .deleteFrom('held_events')
      .where('agent_id', '=', agentId)
      .where('key', 'in', part)
      .returning(['key', 'type', 'at', 'detail'])
      .execute();
    for (const { key, type, at, detail } of rows) {
      const minerId = minerOf(key);
      if (minerId !== undefined)
        released.push({ farmId, agentId, minerId, type, atMs: at, detail: JSON.parse(detail) });
    }
  }
  return released.toSorted((a, b) => a.atMs - b.atMs);
}
