// The schema, step by step forward. A step is never edited once released; the next version adds one. It does not go
// back.
import { BugError } from '../../../base/errors.ts';
import type { AutoNumber, Databases } from '../databases.ts';
import type { Db } from '../schema.ts';
import { createFirstSchema } from './first-schema.ts';

export type Step = (db: Db, autoNumber: AutoNumber) => Promise<void>;

const OWNER = 'service';
export const STEPS: readonly Step[] = [createFirstSchema];

/**
 * Applies what is missing, in one transaction, after a copy of what was there. Throws when the database was written by
 * a newer version.
 */
export async function migrate(databases: Databases, name: string, steps: readonly Step[] = STEPS): Promise<void> {
  const before = await databases.transact(async (trx) => {
    await databases.lock(trx, 'schema');
    await trx.schema
      .createTable('schema_version')
      .ifNotExists()
      .addColumn('owner', 'text', (column) => column.primaryKey())
      .addColumn('version', 'integer', (column) => column.notNull())
      .execute();
    return readVersion(trx);
  });
  // What is too new is refused below, before anything is changed.
  if (before > 0 && before < steps.length) await databases.backUp(before);
  await databases.transact(async (trx) => {
    await databases.lock(trx, 'schema');
    const version = await readVersion(trx);
    if (version > steps.length) {
      throw new BugError(
        `open database ${name}: it has schema ${version}, this version knows ${steps.length}; use the newer version`,
      );
    }
    if (version === steps.length) return;
    for (const step of steps.slice(version)) await step(trx, databases.autoNumber);
    await databases.afterMigration(trx);
    await trx
      .insertInto('schema_version')
      .values({ owner: OWNER, version: steps.length })
      .onConflict((conflict) => conflict.column('owner').doUpdateSet({ version: steps.length }))
      .execute();
  });
}

/** 0 = there is no schema. */
async function readVersion(db: Db): Promise<number> {
  const row = await db.selectFrom('schema_version').select('version').where('owner', '=', OWNER).executeTakeFirst();
  return row?.version ?? 0;
}
