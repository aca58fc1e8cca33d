// The embedded database file: durable settings, and a lock that another process holds, copies of it before its schema changes.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { Databases } from '../../../src/service/store/databases.ts';
import { migrate, STEPS, type Step } from '../../../src/service/store/migrations.ts';
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

const backupOf = (path: string, version: number) => `${path}.schema-${version}.backup`;

function open(path: string): Databases {
  const databases = openSqliteDatabases(path);
  onTestFinished(() => databases.close());
  return databases;
}

test('what was there before is beside the file, readable by the version that wrote it', async () => {
  const target = await temporaryDatabase();
  const last = STEPS.length - 1;
  const old = openSqliteDatabases(target);
  await migrate(old, 'test', STEPS.slice(0, last));
  await old.write.insertInto('workspaces').values({ id: 'w', name: 'W', slug: 'w', created_at: 1 }).execute();
  await old.close();
  await (await openStore(target)).close();
  const copy = open(backupOf(target, last));
  await migrate(copy, 'copy', STEPS.slice(0, last));
  expect(await copy.read.selectFrom('workspaces').select('id').execute()).toEqual([{ id: 'w' }]);
  expect(statSync(backupOf(target, last)).mode).toBe(statSync(target).mode);
  // Opened again there is nothing to copy.
  await (await openStore(target)).close();
  expect(existsSync(backupOf(target, STEPS.length))).toBe(false);
});

test('only the two newest copies are kept; what else lies there is left alone', async () => {
  const target = await temporaryDatabase();
  const more: Step = async () => {};
  const databases = open(target);
  for (let count = 1; count <= 6; count++)
    await migrate(databases, 'test', [...STEPS.slice(0, 1), ...Array.from({ length: count - 1 }, () => more)]);
  const others = readdirSync(dirname(target)).filter((name) => name !== basename(target) && !/-(wal|shm)$/.test(name));
  expect(others.toSorted()).toEqual([4, 5].map((version) => basename(backupOf(target, version))));
});

/** Of the schema after each step: a new step adds one, and none ever changes. */
const PRINTS = [
  '13f7b6a32e5a013a',
  '7ac018c2c51e22a1',
  'ee316d8d40e16f65',
  '5dd55476ae316db8',
  '9b1545fffaf8ac96',
  '1f7fa14b75b86597',
  'ef2a188a7a763b00',
  'deac5306ff18c3cc',
  '7bd34701f2022a9e',
  '5b7ac8638bb7aaa3',
  '23610e604177ca12',
];

test('released steps are never edited', async () => {
  const target = await temporaryDatabase();
  const databases = open(target);
  const prints: string[] = [];
  for (const [index] of STEPS.entries()) {
    await migrate(databases, 'test', STEPS.slice(0, index + 1));
    const { rows } = await sql<{ sql: string }>`SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL
      AND name NOT LIKE 'sqlite_%' ORDER BY name`.execute(databases.read);
    prints.push(
      createHash('sha256')
        .update(rows.map((row) => row.sql).join('\n'))
        .digest('hex')
        .slice(0, 16),
    );
  }
  expect(prints).toEqual(PRINTS);
});
