// Step 9 of the schema: the key that an agent proves with each connection.
import type { Db } from './schema.ts';

export async function addIdentityKeys(db: Db): Promise<void> {
  await db.schema.alterTable('agents').addColumn('identity_key', 'text').execute();
}
