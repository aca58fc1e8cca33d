// The embedded database file: durable settings, and a lock that another process holds.
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../../src/service/store/migrations.ts';
import { openSqliteDatabases } from '../../../src/service/store/sqlite.ts';
import { openStore } from '../../../src/service/store/store.ts';
import { temporaryDatabase } from '../../database.ts';

test('both connections keep what they commit through a power cut', async () => {
  const databases = openSqliteDatabases(await temporaryDatabase());
  onTestFinished(() => databases.close());
  await migrate(databases, 'test');
  for (const db of [databases.read, databases.write]) {
    expect((await sql`PRAGMA synchronous`.execute(db)).rows).toEqual([{ synchronous: 2 }]);
    expect((await sql`PRAGMA journal_mode`.execute(db)).rows).toEqual([{ journal_mode: 'wal' }]);
  }
});

test('a lock that somebody else holds is waited for without standing still', async () => {
  const path = await temporaryDatabase();
  const store = await openStore(path);
  onTestFinished(() => store.close());
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
