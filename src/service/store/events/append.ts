// Appends events to the feed of their farm. Within a farm, the order of positions is the order in which events became
// visible: a reader that has seen a position never misses a lower one. It decides nothing about what is an event.
import { chunks } from '../rows.ts';
import type { Db } from '../schema.ts';
import { addSizes } from './sizes.ts';

/** Instead of the id of an agent. */
export const OF_SERVICE = '';

/** A longer detail, as JSON, is left out and its length noted. */
export const MAX_DETAIL_LENGTH = 16_384;

export type NewEvent = {
  readonly farmId: string;
  /** `OF_SERVICE` = of no agent. */
  readonly agentId: string;
  /** Null = about the agent or the service. */
  readonly minerId: string | null;
  readonly type: string;
  readonly atMs: number;
  readonly detail: Readonly<Record<string, unknown>>;
};

/**
 * Only in a transaction, as the last thing that it does but for the audit trail: the count of the farm stays locked
 * until the transaction ends, so that no later position is visible before this one. Farms in one order, so that two
 * transactions never wait for each other.
 */
export async function appendEvents(transaction: Db, events: readonly NewEvent[]): Promise<void> {
  for (const [farmId, ofFarm] of [...Map.groupBy(events, (event) => event.farmId)].toSorted(byFarm)) {
    const { length } = ofFarm;
    const { position: last } = await transaction
      .insertInto('event_counts')
      .values({ farm_id: farmId, position: length })
      .onConflict((conflict) =>
        conflict.column('farm_id').doUpdateSet((eb) => ({ position: eb('event_counts.position', '+', length) })),
      )
      .returning('position')
      .executeTakeFirstOrThrow();
    const rows = ofFarm.map(({ agentId, minerId, type, atMs, detail }, index) => ({
      farm_id: farmId,
      position: last - length + 1 + index,
      agent_id: agentId,
      miner_id: minerId,
      type,
      at: atMs,
      detail: detailText(detail),
    }));
    for (const part of chunks(rows)) await transaction.insertInto('events').values(part).execute();
    await addSizes(transaction, rows);
  }
}

const byFarm = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);

/** As it is stored. */
export function detailText(detail: NewEvent['detail'], most = MAX_DETAIL_LENGTH): string {
  const text = JSON.stringify(detail);
  return text.length <= most ? text : JSON.stringify({ omitted_length: text.length });
}
