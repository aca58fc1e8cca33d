// Passwords in the params of tasks and in locked pools: encrypted on disk where there is a key, gone when the task is
// over, readable from older files.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDesiredPools, poolLockMigrations } from '../../../../src/agent/pool-lock/desired-pools.ts';
import { newRow } from '../../../../src/agent/tasks/queue/admission.ts';
import { openJournal, tasksMigrations } from '../../../../src/agent/tasks/queue/journal.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import { createVault } from '../../../../src/base/storage/vault.ts';

const PASSWORD = 'canary-of-a-pool-77c1';
const POOLS = [{ url: 'stratum+tcp://pool.example:3333', user: 'farm.1', password: PASSWORD }];
const vault = createVault(Buffer.alloc(32, 7));

let folder: string;
let db: ReturnType<typeof openSqlite>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-encrypted-'));
  db = open();
});
afterEach(() => {
  if (db.isOpen) db.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = () => openSqlite(join(folder, 'agent.sqlite'), [tasksMigrations, poolLockMigrations]);
const isOnDisk = () =>
  readdirSync(folder).some((name) => readFileSync(join(folder, name), 'latin1').includes(PASSWORD));
const row = (taskId: string) =>
  newRow(
    {
      taskId,
      batchId: null,
      name: 'miner.pool.update',
      minerKey: 'a',
      params: { pools: POOLS },
      source: 'service',
      uplink: null,
      expiresMs: 9e12,
    },
    1,
  );
const outcome = { status: 'succeeded', message: null, evidence: {} } as const;

test('with a key no password is on disk, and the next run of the agent reads it all the same', () => {
  openJournal(db, vault).insert([row('1')]);
  openDesiredPools(db, vault).set('a', { pools: POOLS, isLocked: true, failures: 0, nextMs: 0 });
  expect(isOnDisk()).toBe(false);
  db.close();
  expect(isOnDisk()).toBe(false);
  db = open();
  expect(openJournal(db, vault).open()).toMatchObject([{ params: { pools: POOLS }, isLegible: true }]);
  expect(openDesiredPools(db, vault).get('a')?.pools).toEqual(POOLS);
});

test('without a key it lies in the open, until a key is there', () => {
  openJournal(db).insert([row('1'), row('2')]);
  openJournal(db).finished([{ row: row('2'), outcome }], 2, () => {});
  openDesiredPools(db).set('a', { pools: POOLS, isLocked: true, failures: 0, nextMs: 0 });
  expect(isOnDisk()).toBe(true);
  const journal = openJournal(db, vault);
  const desiredPools = openDesiredPools(db, vault);
  expect(isOnDisk()).toBe(false);
  expect(journal.open()).toMatchObject([{ params: { pools: POOLS } }]);
  expect(desiredPools.get('a')?.pools).toEqual(POOLS);
  expect(desiredPools.locked()).toEqual(['a']);
});

test('a task that is over keeps nothing of its params', () => {
  const journal = openJournal(db);
  journal.insert([row('1'), row('2'), { ...row('3'), state: 'final', status: 'failed' }]);
  journal.finished([{ row: row('1'), outcome }], 2, () => {});
  expect(journal.get('1')?.params).toEqual({});
  expect(journal.get('3')?.params).toEqual({});
  journal.finished([{ row: row('2'), outcome }], 3, () => {});
  expect(journal.get('2')?.params).toEqual({});
});

test('with another key the params are said to be unreadable, not taken for empty', () => {
  openJournal(db, vault).insert([row('1')]);
  openDesiredPools(db, vault).set('a', { pools: POOLS, isLocked: true, failures: 0, nextMs: 0 });
  const other = createVault(Buffer.alloc(32, 8));
  expect(openJournal(db, other).open()).toMatchObject([{ params: {}, isLegible: false }]);
  expect(openJournal(db).open()).toMatchObject([{ isLegible: false }]);
  expect(openDesiredPools(db, other).get('a')).toBeUndefined();
});
