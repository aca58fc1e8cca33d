// The runner of schema steps with made-up ones, on either database: from every version forward, after a copy where that
// is ours to make. Newer databases are left alone.
import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { Databases } from '../../../../../src/service/store/databases.ts';
import { migrate, STEPS, type Step } from '../../../../../src/service/store/migrations/migrations.ts';
import { openDatabases, openStore } from '../../../../../src/service/store/store.ts';
import { queryDatabase, temporaryDatabase } from '../../../../support/database.ts';

const isPostgres = inject('postgres') !== undefined;

const MADE_UP: readonly Step[] = [
  async (db, { autoNumber }) => {
    await db.schema
      .createTable('things')
      .addColumn('row_id', 'integer', (column) => autoNumber(column.primaryKey()))
      .addColumn('name', 'text', (column) => column.notNull())
      .execute();
  },
  async (db) => {
    await db.schema.alterTable('things').addColumn('size', 'bigint').execute();
    await sql`UPDATE things SET size = row_id * 1000`.execute(db);
  },
  async (db) => {
    await db.schema.createTable('boxes').addColumn('id', 'text').execute();
    await db.schema.createIndex('things_name').on('things').column('name').unique().execute();
  },
];
const EARLIER = [1, 2];
const NAMES = ['a', 'b', 'c'];

function open(target: string): Databases {
  const databases = openDatabases(target);
  onTestFinished(() => databases.close());
  return databases;
}

async function databaseAt(version: number): Promise<string> {
  const target = await temporaryDatabase();
  const databases = open(target);
  await migrate(databases, 'test', { steps: MADE_UP.slice(0, version) });
  for (const name of NAMES) await queryDatabase(target, 'INSERT INTO things (name) VALUES (?)', name);
  await databases.close();
  return target;
}

const versionOf = async (target: string) => (await queryDatabase(target, 'SELECT version FROM schema_version'))[0];
const namesIn = async (target: string) =>
  (await queryDatabase(target, 'SELECT name FROM things ORDER BY row_id')).map(({ name }) => name);
const backupOf = (target: string, version: number) => `${target}.schema-${version}.backup`;

test.each(EARLIER)('from step %i the missing ones are applied once, and nothing is lost', async (version) => {
  const target = await databaseAt(version);
  for (let start = 0; start < 2; start++) await migrate(open(target), 'test', { steps: MADE_UP });
  expect(await versionOf(target)).toEqual({ version: MADE_UP.length });
  const sizes = version === 1 ? [1_000, 2_000, 3_000] : [null, null, null];
  expect(await queryDatabase(target, 'SELECT name, size FROM things ORDER BY row_id')).toEqual(
    NAMES.map((name, index) => ({ name, size: sizes[index] })),
  );
  expect(await queryDatabase(target, 'SELECT * FROM boxes')).toEqual([]);
  await expect(queryDatabase(target, "INSERT INTO things (name) VALUES ('a')")).rejects.toThrow(/unique/i);
});

test.each(EARLIER)('what was there at step %i is copied before the change, where the file is ours', async (version) => {
  const target = await databaseAt(version);
  if (!isPostgres) expect(existsSync(backupOf(target, version))).toBe(false);
  const broken: Step = async (db) => {
    await sql`DELETE FROM things`.execute(db);
    throw new Error('broken step');
  };
  await expect(migrate(open(target), 'test', { steps: [...MADE_UP.slice(0, version), broken] })).rejects.toThrow(
    'broken step',
  );
  expect(await namesIn(target)).toEqual(NAMES);
  expect(await versionOf(target)).toEqual({ version });
  await migrate(open(target), 'test', { steps: MADE_UP });
  if (isPostgres) return;
  // The copy is a database of the step before: it opens, and goes forward.
  const copy = backupOf(target, version);
  expect(await namesIn(copy)).toEqual(NAMES);
  expect(await versionOf(copy)).toEqual({ version });
  await migrate(open(copy), 'copy', { steps: MADE_UP });
  expect(await namesIn(copy)).toEqual(NAMES);
});

test('a new database is not copied', async () => {
  const target = await temporaryDatabase();
  await migrate(open(target), 'test', { steps: MADE_UP });
  expect(await versionOf(target)).toEqual({ version: MADE_UP.length });
  if (isPostgres) return;
  expect(readdirSync(dirname(target)).filter((name) => name.endsWith('.backup'))).toEqual([]);
});

test('a database of a newer version is refused with what to do, and stays as it is', async () => {
  const target = await temporaryDatabase();
  await (await openStore(target)).close();
  await queryDatabase(target, 'UPDATE schema_version SET version = ?', STEPS.length + 1);
  await expect(openStore(target)).rejects.toThrow(
    new RegExp(`schema ${STEPS.length + 1}, this version knows ${STEPS.length}; use the newer version`),
  );
  expect(await versionOf(target)).toEqual({ version: STEPS.length + 1 });
  if (!isPostgres) expect(existsSync(backupOf(target, STEPS.length + 1))).toBe(false);
});
