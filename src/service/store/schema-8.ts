// Step 8 of the schema: the keys that orders are signed with.
import type { Db } from './schema.ts';

export async function addTaskKeys(db: Db): Promise<void> {
  await db.schema
    .createTable('task_keys')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('private_key', 'text', (column) => column.notNull())
    .addColumn('endorsement', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
}
