// Step 11 of the schema: indexes for what is cancelled, which is rare among tasks, and for what is removed because of its age.
import { sql } from 'kysely';
import type { Db } from './schema.ts';

export async function addPruningIndexes(db: Db): Promise<void> {
  await db.schema
    .createIndex('tasks_cancelled')
    .on('tasks')
    .columns(['agent_id', 'id'])
    .where(sql`cancel_at`, 'is not', null)
    .execute();
  await db.schema.createIndex('task_batches_created_at').on('task_batches').column('created_at').execute();
  await db.schema.createIndex('gaps_to_at').on('gaps').column('to_at').execute();
  await db.schema.createIndex('ingest_cursors_updated_at').on('ingest_cursors').column('updated_at').execute();
}
