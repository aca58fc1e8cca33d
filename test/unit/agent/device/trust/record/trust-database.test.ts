// The database of the trust record, driven directly on a real file: restarts, what another process writes, a disk that
// refuses, and how many rows it keeps.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { TrustDatabase } from '../../../../../../src/agent/device/trust/record/trust-database.ts';
import type { MetDevice } from '../../../../../../src/agent/device/trust/trust-record.ts';
import type { Statements } from '../../../../../../src/base/storage/sqlite.ts';
import { createVirtualClock, type VirtualClock } from '../../../../../support/virtual-clock.ts';

let folder = '';
let clock: VirtualClock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-trust-database-'));
  clock = createVirtualClock();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(path = join(folder, 'trust.sqlite')) {
  const calls = { changes: 0, failures: 0 };
  const database = new TrustDatabase({
    ...{ path, clock, hostUptimeMs: () => clock.elapsedMs() },
    onChange: () => void calls.changes++,
    onFailure: () => void calls.failures++,
  });
  onTestFinished(() => database.close());
  return { database, calls, path };
}

const addAttempt =
  (who: string, at = 1) =>
  (db: Statements) =>
    void db.prepare('INSERT INTO attempt VALUES (?, ?, 0, ?)').run(who, 'vnish', at);
const attemptsOf = (database: TrustDatabase) =>
  database.read((db) => db.prepare('SELECT who FROM attempt ORDER BY who').all(), []).map(({ who }) => who);
const device = (ip: string): MetDevice => ({
  ...{ ip, family: 'vnish', driver: 'vnish', confidence: 'sure', model: null, realm: null, networkMac: null },
  ...{ mac: null, serialNumber: null, tlsKey: null, why: 'new', isCovered: false, sinceMs: 0, seenAtMs: 0 },
});
const ipsOf = (database: TrustDatabase) =>
  database.read((db) => db.prepare('SELECT ip FROM device ORDER BY ip').all(), []).map(({ ip }) => ip);

test('what was written is there after a restart; the devices that waited are written at the close', () => {
  const { database } = open();
  expect(database.write(addAttempt('a'))).toBe(true);
  database.met.add(device('10.0.0.5'), undefined);
  expect(ipsOf(database)).toEqual([]);
  database.close();
  const { database: next } = open();
  expect([attemptsOf(next), ipsOf(next)]).toEqual([['a'], ['10.0.0.5']]);
});

test('after the close it reads and writes nothing, and opens nothing', () => {
  const { database, calls } = open();
  expect(attemptsOf(database)).toEqual([]);
  database.close();
  expect(database.write(addAttempt('a'))).toBe(false);
  expect(database.read(() => 'read', 'otherwise')).toBe('otherwise');
  expect(calls).toEqual({ changes: 1, failures: 0 });
});

test('a write that throws leaves nothing of itself, and takes no waiting device with it', () => {
  const { database } = open();
  database.met.add(device('10.0.0.5'), undefined);
  const isWritten = database.write((db) => {
    addAttempt('a')(db);
    throw new Error('no space');
  });
  expect(isWritten).toBe(false);
  expect([attemptsOf(database), ipsOf(database)]).toEqual([[], []]);
  expect(database.met.get('10.0.0.5')).toBeDefined();
});

test('the write of another process is noticed after a second, or at once when asked to reread', async () => {
  const { database, calls } = open();
  const { database: other } = open();
  const refresh = () => database.read((db) => database.refresh(db), undefined);
  refresh();
  const before = calls.changes;
  other.write(addAttempt('a'));
  await clock.advance(999);
  refresh();
  expect(calls.changes).toBe(before);
  await clock.advance(1);
  refresh();
  expect(calls.changes).toBe(before + 1);
  other.write(addAttempt('b'));
  refresh();
  expect(calls.changes).toBe(before + 1);
  database.reread();
  refresh();
  expect(calls.changes).toBe(before + 2);
  database.reread();
  database.write(addAttempt('c'));
  refresh();
  expect(calls.changes, 'its own writes are no news').toBe(before + 2);
});

test('a disk that refuses writes is still read, and is tried again after half a minute', async () => {
  const { database, path, calls } = open();
  database.write(addAttempt('a'));
  const other = new DatabaseSync(path);
  other.exec("CREATE TRIGGER no BEFORE INSERT ON attempt BEGIN SELECT RAISE(ABORT, 'no space'); END");
  expect(database.canWrite()).toBe(true);
  expect(database.write(addAttempt('b'))).toBe(false);
  expect(database.canWrite()).toBe(false);
  expect(attemptsOf(database)).toEqual(['a']);
  expect(database.fault()).toMatch(/trust\.sqlite: .*no space/);
  other.exec('DROP TRIGGER no');
  other.close();
  await clock.advance(29_999);
  expect(database.write(addAttempt('b'))).toBe(false);
  await clock.advance(1);
  expect(database.canWrite()).toBe(true);
  expect(database.fault()).toBeUndefined();
  expect(database.write(addAttempt('b'))).toBe(true);
  expect(calls.failures).toBe(0);
});

test('a file that is no database is a fault, not an error; half a minute later a good one is taken up', async () => {
  const path = join(folder, 'later', 'trust.sqlite');
  const { database, calls } = open(path);
  expect(database.read(() => 'read', 'otherwise')).toBe('otherwise');
  expect(database.fault()).toContain('its folder does not exist');
  mkdirSync(join(folder, 'later'));
  writeFileSync(path, 'this is no database, and longer than the header of one would be '.repeat(9));
  await clock.advance(29_999);
  expect(database.fault()).toContain('does not exist');
  await clock.advance(1);
  expect(database.fault()).toContain('not a database');
  expect(calls).toEqual({ changes: 0, failures: 2 });
  rmSync(path);
  await clock.advance(30_000);
  expect(database.fault()).toBeUndefined();
  expect(database.write(addAttempt('a'))).toBe(true);
  expect(calls.changes).toBe(1);
});

test('of each table the newest 50,000 rows stay, counted after every thousand new ones', () => {
  const { database } = open();
  const add = (from: number, count: number) =>
    database.write((db) => {
      for (let i = from; i < from + count; i++) addAttempt(String(i).padStart(6, '0'), i)(db);
      database.trim(db, 'attempt', count);
    });
  const kept = () => attemptsOf(database);
  add(0, 51_000);
  expect([kept().length, kept()[0]]).toEqual([50_000, '001000']);
  add(51_000, 999);
  expect(kept().length).toBe(50_999);
  add(51_999, 1);
  expect([kept().length, kept()[0]]).toEqual([50_000, '002000']);
});
