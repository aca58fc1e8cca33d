// The store on either database: a schema brought forward and never back, several that open it at once, what is pruned.
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { Databases } from '../../../../src/service/store/databases.ts';
import { createFirstSchema } from '../../../../src/service/store/migrations/first-schema.ts';
import { migrate, type Step } from '../../../../src/service/store/migrations/migrations.ts';
import { newId, openDatabases, openStore, type Store } from '../../../../src/service/store/store.ts';
import { queryDatabase, temporaryDatabase } from '../../../support/database.ts';

async function newStore(target?: string): Promise<Store> {
  const store = await openStore(target ?? (await temporaryDatabase()));
  onTestFinished(() => store.close());
  return store;
}

async function newDatabases(target?: string): Promise<Databases> {
  const databases = openDatabases(target ?? (await temporaryDatabase()));
  onTestFinished(() => databases.close());
  return databases;
}

test('what is opened for reading refuses to write', async () => {
  const databases = await newDatabases();
  await migrate(databases, 'test');
  const workspace = { id: 'a', name: 'a', slug: 'a', created_at: 1 };
  await expect(databases.read.insertInto('workspaces').values(workspace).execute()).rejects.toThrow(/read-?only/);
});

test('a transaction that fails leaves nothing behind', async () => {
  const databases = await newDatabases();
  await migrate(databases, 'test');
  const work = databases.write.transaction().execute(async (trx) => {
    await trx.insertInto('workspaces').values({ id: 'a', name: 'a', slug: 'a', created_at: 1 }).execute();
    throw new Error('no');
  });
  await expect(work).rejects.toThrow('no');
  expect(await databases.read.selectFrom('workspaces').selectAll().execute()).toEqual([]);
});

test('values of types that no table has are refused', async () => {
  const databases = await newDatabases();
  await migrate(databases, 'test');
  await expect(sql`SELECT ${true}`.execute(databases.read)).rejects.toThrow('boolean');
});

test('the schema moves forward step by step and keeps the data; an older version refuses the newer file', async () => {
  const path = await temporaryDatabase();
  const secondStep: Step = async (db) => {
    await db.schema.alterTable('farms').addColumn('country', 'text').execute();
  };
  const first = openDatabases(path);
  await migrate(first, path, { steps: [createFirstSchema] });
  await first.write.insertInto('workspaces').values({ id: 'w', name: 'W', slug: 'w', created_at: 1 }).execute();
  await first.close();

  const second = openDatabases(path);
  await migrate(second, path, { steps: [createFirstSchema, secondStep] });
  await migrate(second, path, { steps: [createFirstSchema, secondStep] });
  expect(await second.read.selectFrom('workspaces').select('id').execute()).toEqual([{ id: 'w' }]);
  await second.close();

  const third = openDatabases(path);
  await expect(migrate(third, path, { steps: [createFirstSchema] })).rejects.toThrow('newer version');
  await third.close();
});

test('a step that fails leaves the schema as it was', async () => {
  const path = await temporaryDatabase();
  const databases = await newDatabases(path);
  const broken: Step = async (db) => {
    await db.schema.createTable('half').addColumn('id', 'text').execute();
    throw new Error('broken step');
  };
  await migrate(databases, path, { steps: [createFirstSchema] });
  await expect(migrate(databases, path, { steps: [createFirstSchema, broken] })).rejects.toThrow('broken step');
  await migrate(databases, path, { steps: [createFirstSchema] });
  await expect(queryDatabase(path, 'SELECT * FROM half')).rejects.toThrow('half');
});

test('two that open the same new file at once both find it ready', async () => {
  const path = await temporaryDatabase();
  const stores = await Promise.all([newStore(path), newStore(path), newStore(path)]);
  await stores[0]?.tenants.createWorkspace({ id: 'w', name: 'W', slug: 'w' }, 1);
  for (const store of stores) expect(await store.tenants.listWorkspaces()).toHaveLength(1);
});

test('pruning removes what has had its time and nothing else', async () => {
  const path = await temporaryDatabase();
  const store = await newStore(path);
  const dayMs = 86_400_000;
  const nowMs = 1_000 * dayMs;
  for (const ageDays of [0.5, 2, 89, 91, 364, 366, 399, 401]) {
    const at = nowMs - ageDays * dayMs;
    await queryDatabase(path, 'INSERT INTO events VALUES (?, ?, ?, NULL, ?, ?, ?)', 'f', at, 'a', 'moved', at, '{}');
    await queryDatabase(path, 'INSERT INTO gaps VALUES (?, ?, 1, ?, ?, ?, 1)', 'a', 'e', at, at, 'restart');
    await queryDatabase(path, 'INSERT INTO ingest_cursors VALUES (?, ?, 1, ?)', 'a', `e${ageDays}`, at);
    await queryDatabase(path, 'INSERT INTO idempotency_keys VALUES (?, ?, ?, ?, ?)', 'k', `i${ageDays}`, 'h', '{}', at);
  }
  await store.prune(nowMs);
  const count = async (table: string) => (await queryDatabase(path, `SELECT count(*) AS n FROM ${table}`))[0]?.n;
  const tables = ['events', 'gaps', 'ingest_cursors', 'idempotency_keys'];
  expect(await Promise.all(tables.map(count))).toEqual([7, 3, 5, 1]);
});

test('ids sort by the time of their making', () => {
  const ids = [3_000, 1_000, 2_000].map((nowMs) => [nowMs, newId(nowMs)] as const);
  const sorted = ids.toSorted(([, a], [, b]) => (a < b ? -1 : 1)).map(([nowMs]) => nowMs);
  expect(sorted).toEqual([1_000, 2_000, 3_000]);
});
