// The database file: durable settings, schema brought forward and never back, two processes at once, what is pruned.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { migrate, type Step } from '../../../src/service/store/migrations.ts';
import { createFirstSchema } from '../../../src/service/store/schema-1.ts';
import { openSqliteDatabases } from '../../../src/service/store/sqlite.ts';
import { newId, openStore, type Store } from '../../../src/service/store/store.ts';

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'service.sqlite');
}

async function newStore(path = newPath()): Promise<Store> {
  const store = await openStore(path);
  onTestFinished(() => store.close());
  return store;
}

test('both connections keep what they commit through a power cut, and only one of them writes', async () => {
  const databases = openSqliteDatabases(newPath());
  onTestFinished(() => databases.close());
  await migrate(databases, 'test');
  for (const db of [databases.read, databases.write]) {
    expect((await sql`PRAGMA synchronous`.execute(db)).rows).toEqual([{ synchronous: 2 }]);
    expect((await sql`PRAGMA journal_mode`.execute(db)).rows).toEqual([{ journal_mode: 'wal' }]);
  }
  const workspace = { id: 'a', name: 'a', slug: 'a', created_at: 1 };
  await expect(databases.read.insertInto('workspaces').values(workspace).execute()).rejects.toThrow('readonly');
});

test('a transaction that fails leaves nothing behind', async () => {
  const databases = openSqliteDatabases(newPath());
  onTestFinished(() => databases.close());
  await migrate(databases, 'test');
  const work = databases.write.transaction().execute(async (trx) => {
    await trx.insertInto('workspaces').values({ id: 'a', name: 'a', slug: 'a', created_at: 1 }).execute();
    throw new Error('no');
  });
  await expect(work).rejects.toThrow('no');
  expect(await databases.read.selectFrom('workspaces').selectAll().execute()).toEqual([]);
});

test('values of types that no table has are refused', async () => {
  const databases = openSqliteDatabases(newPath());
  onTestFinished(() => databases.close());
  await migrate(databases, 'test');
  await expect(sql`SELECT ${true}`.execute(databases.read)).rejects.toThrow('boolean');
});

test('the schema moves forward step by step and keeps the data; an older version refuses the newer file', async () => {
  const path = newPath();
  const secondStep: Step = async (db) => {
    await db.schema.alterTable('farms').addColumn('country', 'text').execute();
  };
  const first = openSqliteDatabases(path);
  await migrate(first, path, [createFirstSchema]);
  await first.write.insertInto('workspaces').values({ id: 'w', name: 'W', slug: 'w', created_at: 1 }).execute();
  await first.close();

  const second = openSqliteDatabases(path);
  await migrate(second, path, [createFirstSchema, secondStep]);
  await migrate(second, path, [createFirstSchema, secondStep]);
  expect(await second.read.selectFrom('workspaces').select('id').execute()).toEqual([{ id: 'w' }]);
  await second.close();

  const third = openSqliteDatabases(path);
  await expect(migrate(third, path, [createFirstSchema])).rejects.toThrow('newer version');
  await third.close();
});

test('a step that fails leaves the schema as it was', async () => {
  const path = newPath();
  const databases = openSqliteDatabases(path);
  onTestFinished(() => databases.close());
  const broken: Step = async (db) => {
    await db.schema.createTable('half').addColumn('id', 'text').execute();
    throw new Error('broken step');
  };
  await migrate(databases, path, [createFirstSchema]);
  await expect(migrate(databases, path, [createFirstSchema, broken])).rejects.toThrow('broken step');
  await migrate(databases, path, [createFirstSchema]);
  const beside = new DatabaseSync(path);
  expect(beside.prepare("SELECT name FROM sqlite_master WHERE name = 'half'").all()).toEqual([]);
  beside.close();
});

test('two that open the same new file at once both find it ready', async () => {
  const path = newPath();
  const stores = await Promise.all([newStore(path), newStore(path), newStore(path)]);
  await stores[0]?.tenants.createWorkspace({ id: 'w', name: 'W', slug: 'w' }, 1);
  for (const store of stores) expect(await store.tenants.listWorkspaces()).toHaveLength(1);
});

test('a lock that somebody else holds is waited for without standing still', async () => {
  const path = newPath();
  const store = await newStore(path);
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  let isDone = false;
  const waiting = store.tenants.createWorkspace({ id: 'w', name: 'W', slug: 'w' }, 1).then(() => {
    isDone = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isDone).toBe(false);
  expect(await store.tenants.listWorkspaces()).toEqual([]);
  other.exec('COMMIT');
  await waiting;
  expect(await store.tenants.listWorkspaces()).toHaveLength(1);
});

test('pruning removes what has had its time and nothing else', async () => {
  const path = newPath();
  const store = await newStore(path);
  const dayMs = 86_400_000;
  const nowMs = 1_000 * dayMs;
  const db = new DatabaseSync(path);
  onTestFinished(() => db.close());
  for (const ageDays of [0.5, 2, 89, 91, 364, 366]) {
    const at = nowMs - ageDays * dayMs;
    db.prepare('INSERT INTO events VALUES (?, ?, NULL, ?, ?, ?)').run('f', 'a', 'moved', at, '{}');
    db.prepare('INSERT INTO gaps VALUES (?, ?, 1, ?, ?, ?, 1)').run('a', 'e', at, at, 'restart');
    db.prepare('INSERT INTO ingest_cursors VALUES (?, ?, 1, ?)').run('a', `e${ageDays}`, at);
    db.prepare('INSERT INTO idempotency_keys VALUES (?, ?, ?, ?, ?)').run('k', `i${ageDays}`, 'h', '{}', at);
  }
  await store.prune(nowMs);
  const count = (table: string) => db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n;
  expect([count('events'), count('gaps'), count('ingest_cursors'), count('idempotency_keys')]).toEqual([3, 3, 5, 1]);
});

test('ids sort by the time of their making', () => {
  const ids = [3_000, 1_000, 2_000].map((nowMs) => [nowMs, newId(nowMs)] as const);
  const sorted = ids.toSorted(([, a], [, b]) => (a < b ? -1 : 1)).map(([nowMs]) => nowMs);
  expect(sorted).toEqual([1_000, 2_000, 3_000]);
});
