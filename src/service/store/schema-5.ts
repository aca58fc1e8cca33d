// Step 5 of the schema: an index for each filter of the miner lists that had none, and one that answers "how many of this agent" by itself.
import { sql } from 'kysely';
import type { Db } from './schema.ts';

/** Actual of expected hashrate, null where there is nothing to compare. The filter asks in exactly these words, or the index does not serve it. */
export const REALIZATION = sql<number>`(hashrate / nullif(expected_hashrate, 0))`;

const FILTERED = ['mining_mode', 'model', 'firmware', 'seen_at'] as const;

export async function addFilterIndexes(db: Db): Promise<void> {
  for (const column of FILTERED)
    await db.schema.createIndex(`miners_farm_id_${column}`).on('miners').columns(['farm_id', column]).execute();
  await db.schema
    .createIndex('miners_farm_id_realization')
    .on('miners')
    .column('farm_id')
    .expression(REALIZATION)
    .execute();
  await db.schema.dropIndex('miners_agent_id').execute();
  await db.schema.createIndex('miners_agent_id_farm_id').on('miners').columns(['agent_id', 'farm_id']).execute();
}
