// Step 7 of the schema: the few miners of an agent that have an ops status, without looking at the others.
import type { Db } from './schema.ts';

export async function addOpsStatusIndex(db: Db): Promise<void> {
  await db.schema
    .createIndex('miners_agent_id_ops_status')
    .on('miners')
    .columns(['agent_id', 'ops_status'])
    .where('ops_status', 'is not', null)
    .execute();
}
