// Step 7 of the schema: the few miners of an agent that have an ops status, without looking at the others.
import { sql } from 'kysely';
import type { Db } from './schema.ts';

export async function addOpsStatusIndex(db: Db): Promise<void> {
  await db.schema
    .createIndex('miners_ops_status_agent_id')
    .on('miners')
    .column('agent_id')
    .where(sql.ref('ops_status'), 'is not', null)
    .execute();
}
