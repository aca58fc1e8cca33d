// The embedded database file: durable settings, and a lock that another process holds, copies of it before its schema
// changes.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { Databases } from '../../../../../src/service/store/databases.ts';
import { migrate, STEPS, type Step } from '../../../../../src/service/store/migrations/migrations.ts';
import { openSqliteDatabases } from '../../../../../src/service/store/sqlite/sqlite.ts';
import { openStore } from '../../../../../src/service/store/store.ts';
import { temporaryDatabase } from '../../../../support/database.ts';

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

/** A made-up step after the released ones. */
const NEXT: Step = async () => {};
const backupOf = (path: string, version: number) => `${path}.schema-${version}.backup`;

function open(path: string): Databases {
  const databases = openSqliteDatabases(path);
  onTestFinished(() => databases.close());
  return databases;
}

test('what was there before is beside the file, readable by the version that wrote it', async () => {
  const target = await temporaryDatabase();
  await (await openStore(target)).close();
  const databases = open(target);
  await databases.write.insertInto('workspaces').values({ id: 'w', name: 'W', slug: 'w', created_at: 1 }).execute();
  await migrate(databases, 'test', { steps: [...STEPS, NEXT] });
  const copy = open(backupOf(target, STEPS.length));
  await migrate(copy, 'copy');
  expect(await copy.read.selectFrom('workspaces').select('id').execute()).toEqual([{ id: 'w' }]);
  expect(statSync(backupOf(target, STEPS.length)).mode).toBe(statSync(target).mode);
  // Opened again there is nothing to copy.
  await migrate(databases, 'test', { steps: [...STEPS, NEXT] });
  expect(existsSync(backupOf(target, STEPS.length + 1))).toBe(false);
});

test('only the two newest copies are kept; what else lies there is left alone', async () => {
  const target = await temporaryDatabase();
  const databases = open(target);
  for (let count = 1; count <= 6; count++)
    await migrate(databases, 'test', {
      steps: [...STEPS, ...Array.from({ length: count - STEPS.length }, () => NEXT)],
    });
  const others = readdirSync(dirname(target)).filter((name) => name !== basename(target) && !/-(wal|shm)$/.test(name));
  expect(others.toSorted()).toEqual([4, 5].map((version) => basename(backupOf(target, version))));
});
