// What the registry writes, when, and what it brings back.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { identityMigrations } from '../../../../../src/agent/fleet/identity/storage/store.ts';
import { openSqlite } from '../../../../../src/base/storage/sqlite.ts';
import { benchOn, createBench, MAC } from './fixture.ts';

const changes = (db: DatabaseSync): number => Number(db.prepare('SELECT total_changes() AS n').get()?.n);
const lastSeen = (db: DatabaseSync, key: string) =>
  db.prepare('SELECT last_seen_ms AS at FROM identity_miner WHERE key = ?').get(key)?.at;

test('a miner is on disk before observe returns, and keeps its key in the next process', () => {
  const dir = mkdtempSync(join(tmpdir(), 'pithead-identity-'));
  try {
    const path = join(dir, 'agent.db');
    const first = benchOn(openSqlite(path, [identityMigrations]));
    first.see(
      '10.0.0.1',
      { mac: MAC.a, serialNumber: 'S1' },
      { generation: 'c', make: 'Bitmain', model: 'S19', firmwareVersion: '1.2' },
    );
    // No close, no flush: as after a kill.
    const second = benchOn(openSqlite(path, [identityMigrations]));
    expect(second.registry.get('key-1')).toEqual(first.registry.get('key-1'));
    expect(second.see('10.0.0.1', { mac: MAC.a, serialNumber: 'S1' })).toMatchObject({ key: 'key-1', events: [] });
    first.db.close();
    second.db.close();
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('seeing the same thing again writes nothing within the minute', () => {
  const bench = createBench();
  bench.see('10.0.0.1', { mac: MAC.a });
  const before = changes(bench.db);
  for (let poll = 0; poll < 5; poll++) {
    bench.clock.now += 10_000;
    bench.see('10.0.0.1', { mac: MAC.a });
  }
  expect(changes(bench.db)).toBe(before);
  expect(bench.registry.get('key-1')?.lastSeenMs).toBe(bench.clock.now);
});

test('last-seen times reach the disk each minute, and at a clean stop', () => {
  const bench = createBench();
  const start = bench.clock.now;
  bench.see('10.0.0.1', { mac: MAC.a });
  bench.clock.now += 61_000;
  bench.see('10.0.0.1', { mac: MAC.a });
  expect(lastSeen(bench.db, 'key-1')).toBe(start + 61_000);
  bench.clock.now += 30_000;
  bench.see('10.0.0.2', { mac: MAC.b });
  bench.clock.now += 59_000;
  bench.see('10.0.0.2', { mac: MAC.b });
  bench.clock.now += 500;
  bench.see('10.0.0.1', { mac: MAC.a });
  bench.registry.flush();
  expect(lastSeen(bench.db, 'key-1')).toBe(bench.clock.now);
});

test('while the disk takes nothing every miner that is as it was is known, and its time is written once it does', () => {
  const bench = createBench();
  // More than are written at once.
  const ips = Array.from({ length: 1_200 }, (_, n) => `10.0.${n >> 8}.${n & 255}`);
  const macOf = (n: number) =>
    `AA:00:00:00:${(n >> 8).toString(16).padStart(2, '0')}:${(n & 255).toString(16).padStart(2, '0')}`;
  const seeAll = () => ips.map((ip, n) => bench.see(ip, { mac: macOf(n) }).events);
  seeAll();
  bench.db.exec('PRAGMA query_only = ON');
  for (let minute = 0; minute < 3; minute++) {
    bench.clock.now += 61_000;
    expect(seeAll().flat()).toEqual([]);
  }
  bench.db.exec('PRAGMA query_only = OFF');
  bench.clock.now += 61_000;
  seeAll();
  bench.clock.now += 61_000;
  seeAll();
  for (const key of ['key-1', 'key-600', 'key-1200'])
    expect(Number(lastSeen(bench.db, key))).toBeGreaterThanOrEqual(bench.clock.now - 61_000);
});

test('a sighting that cannot be written changes nothing in memory either', () => {
  const bench = createBench();
  bench.see('10.0.0.1', { mac: MAC.a });
  bench.db.close();
  expect(() => bench.see('10.0.0.1', { mac: MAC.b })).toThrow();
  expect(bench.registry.byIp('10.0.0.1')?.mac).toBe(MAC.a);
  expect(bench.registry.all()).toHaveLength(1);
});

test('a full registry drops units that stand nowhere, and refuses when there are none', () => {
  const bench = createBench({ maxMiners: () => 3 });
  bench.see('10.0.0.1', { mac: MAC.a });
  bench.see('10.0.0.1', { mac: MAC.b });
  bench.see('10.0.0.2', { mac: MAC.c });
  // What is forgotten is told, so that it is not polled on under a key that nothing knows.
  expect(bench.see('10.0.0.3', { mac: 'AA:00:00:00:00:04' })).toMatchObject({ events: ['appeared'], left: ['key-1'] });
  expect(
    bench.registry
      .all()
      .map((entry) => entry.mac)
      .sort(),
  ).toEqual([MAC.b, MAC.c, 'AA:00:00:00:00:04']);
  expect(() => bench.see('10.0.0.4', {})).toThrow(expect.objectContaining({ code: 'identity.full' }));
  expect(bench.see('10.0.0.3', { mac: 'AA:00:00:00:00:04' }).events).toEqual([]);
});

test('another driver at the same miner takes over, and the generation word of the old one does not stay', () => {
  const bench = createBench();
  bench.see('10.0.0.1', { mac: MAC.a }, { generation: 'c' });
  bench.see('10.0.0.1', { mac: MAC.a }, { driverId: 'braiins-os' });
  expect(bench.registry.get('key-1')).toMatchObject({ driverId: 'braiins-os', generation: null });
});

test('names with control codes are stored clean', () => {
  const bench = createBench();
  bench.see('10.0.0.1', { mac: MAC.a }, { model: 'S19\u001b[31m', make: `\u202e${'x'.repeat(5_000)}` });
  expect(bench.registry.get('key-1')?.model).toBe('S19 [31m');
  expect(bench.registry.get('key-1')?.make?.length).toBeLessThanOrEqual(256);
});
