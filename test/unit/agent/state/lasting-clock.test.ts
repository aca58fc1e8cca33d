// The elapsed time of an agent goes on over its runs, whatever is done to the wall clock in any of them.
import { expect, test } from 'vitest';
import { clockMigrations, openLastingClock } from '../../../../src/agent/state/lasting-clock.ts';
import { type Log, silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const HOUR_MS = 3_600_000;
const newDatabase = () => openSqlite(':memory:', [clockMigrations]);
/** A host that was started anew: its own elapsed time begins again. */
const hostAt = (wallMs: number) => createVirtualClock(wallMs);

/** Each another start of the host. */
let boots = 0;
const anew = () => ({ id: `boot ${++boots}`, uptimeMs: 30_000 });
const open = (db: ReturnType<typeof newDatabase>, clock: ReturnType<typeof hostAt>, boot = anew()) =>
  openLastingClock(db, clock, silentLog, boot);

test('it begins with the wall time, and counts the time between two runs', async () => {
  const db = newDatabase();
  const first = hostAt(1_000_000);
  const { clock, keep } = open(db, first);
  expect(clock.elapsedMs()).toBe(1_000_000);
  await first.advance(HOUR_MS);
  first.suspend(HOUR_MS);
  keep();
  const second = open(db, hostAt(1_000_000 + 5 * HOUR_MS));
  expect(second.clock.elapsedMs()).toBe(1_000_000 + 5 * HOUR_MS);
});

test.each([-24, -1, 1, 24])('a step of %i hours in a run is no time, in that run and after it', async (hours) => {
  const db = newDatabase();
  const host = hostAt(1_000_000_000);
  const { clock, keep } = open(db, host);
  await host.advance(HOUR_MS);
  host.stepWall(hours * HOUR_MS);
  expect(clock.elapsedMs()).toBe(1_000_000_000 + HOUR_MS);
  keep();
  const next = open(db, hostAt(host.nowMs() + HOUR_MS));
  expect(next.clock.elapsedMs()).toBe(1_000_000_000 + 2 * HOUR_MS);
});

test('set back between two runs it does not go back', async () => {
  const db = newDatabase();
  const host = hostAt(1_000_000_000);
  const { clock, keep } = open(db, host);
  await host.advance(HOUR_MS);
  keep();
  const next = open(db, hostAt(1_000_000_000 - 24 * HOUR_MS));
  expect(next.clock.elapsedMs()).toBe(clock.elapsedMs());
  expect(next.earlierWallMs).toBe(host.nowMs());
});

test('a disk that refuses stops nothing', () => {
  const db = newDatabase();
  open(db, hostAt(1_000));
  db.exec('PRAGMA query_only = ON');
  const errors: string[] = [];
  const log: Log = { ...silentLog, error: (_fields, message) => errors.push(message) };
  const { clock, keep } = openLastingClock(db, hostAt(9_000), log, anew());
  expect(clock.elapsedMs()).toBe(9_000);
  keep();
  expect(errors).toEqual(['write the time for the next start', 'write the time for the next start']);
});

test.each([-24, -1, 1, 24])(
  'a step of %i hours between two runs of one start of the host is no time',
  async (hours) => {
    const db = newDatabase();
    const host = hostAt(1_000_000_000);
    const { keep } = open(db, host, { id: 'one', uptimeMs: 60_000 });
    await host.advance(HOUR_MS);
    keep();
    const wallMs = host.nowMs() + 5_000;
    const next = open(db, hostAt(wallMs + hours * HOUR_MS), { id: 'one', uptimeMs: 65_000 + HOUR_MS });
    expect(next.clock.elapsedMs()).toBe(1_000_000_000 + HOUR_MS + 5_000);
    expect(next).toMatchObject({ expectedWallMs: wallMs, isTimeUnsure: false });
  },
);

test.each([
  ['in 1970', -1_000_000_000 + 30_000, true],
  ['an hour earlier', -HOUR_MS, true],
  ['where it ended, and says how long it is up', 20_000, true],
  ['a minute later', 60_000, false],
])('a host that starts %s: how long it was off', async (_name, laterMs, isTimeUnsure) => {
  const db = newDatabase();
  const host = hostAt(1_000_000_000);
  open(db, host);
  const next = open(db, hostAt(1_000_000_000 + laterMs));
  expect(next).toMatchObject({ isTimeUnsure, expectedWallMs: undefined });
});
