// The schema, step by step forward. A step is never edited once released; the next version adds one. It does not go
// back. Copies of other versions that share the database write nothing on a schema that they do not know: those that
// notice take no more work, and beside those that do not nothing is changed.
import { BugError, RefusedError } from '../../../base/errors.ts';
import { type Log, silentLog } from '../../../base/log.ts';
import { VERSION } from '../../../base/version.ts';
import type { Databases } from '../databases.ts';
import type { Db } from '../schema.ts';
import { completeSchema } from './complete-schema.ts';
import { createFirstSchema } from './first-schema.ts';
import type { Step } from './step.ts';

export type { Step } from './step.ts';

const OWNER = 'service';
export const STEPS: readonly Step[] = [createFirstSchema, completeSchema];

type Migration = {
  readonly steps?: readonly Step[];
  /** The version of the program that applies them: other copies name it. */
  readonly program?: string;
  /** The database may be changed where it has an older schema. A new one is always made. */
  readonly mayUpgrade?: boolean;
  readonly log?: Log;
};

/**
 * Applies what is missing, in one transaction, after a copy of what was there. Throws BugError when the database was
 * written by a newer version, RefusedError where it may not be changed now.
 */
export async function migrate(databases: Databases, name: string, migration: Migration = {}): Promise<void> {
  const { steps = STEPS } = migration;
  const before = await databases.transact(async (trx) => {
    await databases.lock(trx, 'schema');
    await createVersionTables(trx);
    return readVersion(trx);
  });
  // What is too new is refused below, before anything is changed.
  if (before > 0 && before < steps.length) {
    if (migration.mayUpgrade === false) throw tooOld(name, before, steps.length);
    await databases.backUp(before);
  }
  await databases.transact(async (trx) => {
    await databases.lock(trx, 'schema');
    const version = await readVersion(trx);
    if (version > steps.length) throw tooNew(name, version, steps.length, await readProgram(trx, version));
    if (version < steps.length) await upgrade(trx, databases, name, version, { ...migration, steps });
  });
}

async function upgrade(
  trx: Db,
  databases: Databases,
  name: string,
  version: number,
  { steps, program = VERSION, log = silentLog }: Migration & { readonly steps: readonly Step[] },
): Promise<void> {
  const { autoNumber, schemaChanges } = databases;
  if (version > 0) {
    await schemaChanges.lockWriters(trx);
    const { unaware, aware } = await schemaChanges.findOlderCopies(trx);
    if (unaware.length > 0) throw besideUnaware(name, version, steps.length, unaware);
    const copies = { copies: aware, from: version, to: steps.length, program };
    log.warn(copies, 'the schema of the database is upgraded: these copies take no more work until they have it too');
  }
  for (const step of steps.slice(version)) await step(trx, { autoNumber, ...schemaChanges });
  await databases.afterMigration(trx);
  await trx
    .insertInto('schema_version')
    .values({ owner: OWNER, version: steps.length })
    .onConflict((conflict) => conflict.column('owner').doUpdateSet({ version: steps.length }))
    .execute();
  await trx
    .insertInto('schema_programs')
    .values({ version: steps.length, program })
    .onConflict((conflict) => conflict.column('version').doUpdateSet({ program }))
    .execute();
}

/** Every version reads these, whatever the schema is: they never change. */
async function createVersionTables(trx: Db): Promise<void> {
  await trx.schema
    .createTable('schema_version')
    .ifNotExists()
    .addColumn('owner', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .execute();
  await trx.schema
    .createTable('schema_programs')
    .ifNotExists()
    .addColumn('version', 'integer', (column) => column.primaryKey())
    .addColumn('program', 'text', (column) => column.notNull())
    .execute();
}

/** 0 = there is no schema. */
async function readVersion(db: Db): Promise<number> {
  const row = await db.selectFrom('schema_version').select('version').where('owner', '=', OWNER).executeTakeFirst();
  return row?.version ?? 0;
}

async function readProgram(db: Db, version: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('schema_programs')
    .select('program')
    .where('version', '=', version)
    .executeTakeFirst();
  return row?.program;
}

const tooNew = (name: string, version: number, known: number, program: string | undefined) =>
  new BugError(
    `open database ${name}: it has schema ${version}, this version knows ${known}; use the newer version${program === undefined ? '' : `, ${program}`}`,
  );

const tooOld = (name: string, version: number, known: number) =>
  new RefusedError(
    'service.old-schema',
    `open database ${name}: it has schema ${version}, this version needs ${known}. Start the service of this version first, or use the version of the service that runs`,
  );

const besideUnaware = (name: string, from: number, to: number, copies: readonly string[]) =>
  new RefusedError(
    'service.older-copies',
    `upgrade database ${name} from schema ${from} to ${to}: copies of an older version work on it and would write wrong values: ${copies.join('; ')}. Stop them, then start this version again`,
  );
