// Step 3 of the schema: which connection of an agent is the newest, for copies of the service that serve side by side.
import type { Db } from './schema.ts';

export async function addAgentLinks(db: Db): Promise<void> {
  await db.schema
    .createTable('agent_links')
    .addColumn('agent_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('link_id', 'text', (column) => column.notNull())
    .addColumn('linked_at', 'bigint', (column) => column.notNull())
    .execute();
}
