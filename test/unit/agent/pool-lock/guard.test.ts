// What the guard of locked pools leaves to others: miners that a task is about, and places in the gate.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPoolGuard } from '../../../../src/agent/pool-lock/guard.ts';
import { openPoolWishes, poolLockMigrations } from '../../../../src/agent/pool-lock/store.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/sqlite.ts';
import { createVirtualClock } from '../../../virtual-clock.ts';

const POOLS = [{ url: 'stratum+tcp://ours.example:3333', user: 'farm.1' }];
const MOST_AT_ONCE = 20;

let db: ReturnType<typeof openSqlite>;
beforeEach(() => {
  db = openSqlite(':memory:', [poolLockMigrations]);
});
afterEach(() => db.close());

/** All of its miners show other pools, and no update ever ends. */
function createBench() {
  const busy = new Set<string>();
  const updated: string[] = [];
  const guard = createPoolGuard({
    clock: createVirtualClock(),
    log: silentLog,
    settings: () => ({ tries: 3, dailyCap: 6, retryS: 60 }),
    wishes: openPoolWishes(db),
    shows: () => false,
    isBusy: (key) => busy.has(key),
    updatesSince: () => 0,
    update(key) {
      updated.push(key);
      return new Promise(() => {});
    },
    audit() {},
  });
  return {
    busy,
    updated,
    locked(key: string) {
      guard.wanted(key, POOLS);
      guard.lock(key);
    },
    polls(key: string, count: number) {
      for (let poll = 0; poll < count; poll++) guard.onReading(key, {});
    },
  };
}

test('what a miner shows while a task is about it counts for nothing, nor does what it showed before', () => {
  const bench = createBench();
  bench.locked('a');
  bench.polls('a', 1);
  bench.busy.add('a');
  bench.polls('a', 5);
  bench.busy.clear();
  bench.polls('a', 1);
  expect(bench.updated).toEqual([]);
  bench.polls('a', 1);
  expect(bench.updated).toEqual(['a']);
});

test('a farm whose pools were all changed at once leaves places in the gate', () => {
  const bench = createBench();
  for (let miner = 0; miner < 2 * MOST_AT_ONCE; miner++) {
    bench.locked(`m${miner}`);
    bench.polls(`m${miner}`, 2);
  }
  expect(bench.updated).toHaveLength(MOST_AT_ONCE);
});
