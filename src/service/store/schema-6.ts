// Step 6 of the schema: farms that are no longer run.
import type { Db } from './schema.ts';

export async function addFarmArchive(db: Db): Promise<void> {
  await db.schema.alterTable('farms').addColumn('archived_at', 'bigint').execute();
}
