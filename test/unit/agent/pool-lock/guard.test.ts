// What the guard of locked pools leaves to others: miners that a task is about, and places in the task queue.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDesiredPools, poolLockMigrations } from '../../../../src/agent/pool-lock/desired-pools.ts';
import { PoolGuard } from '../../../../src/agent/pool-lock/guard.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const POOLS = [{ url: 'stratum+tcp://ours.example:3333', user: 'farm.1' }];
const MOST_AT_ONCE = 20;

let db: ReturnType<typeof openSqlite>;
beforeEach(() => {
  db = openSqlite(':memory:', [poolLockMigrations]);
});
afterEach(() => db.close());

/** All of its miners show other pools, and no update ever ends. */
function createBench(audit: () => void = () => {}) {
  let refusal: string | undefined;
  const lines: string[] = [];
  const busy = new Set<string>();
  const updated: string[] = [];
  const wanted: unknown[] = [];
  const guard = new PoolGuard({
    clock: createVirtualClock(),
    log: { ...silentLog, error: (_fields, message) => void lines.push(message) },
    settings: () => ({ tries: 3, dailyCap: 6, retryS: 60 }),
    desiredPools: openDesiredPools(db),
    shows: () => false,
    refusal: () => refusal,
    isBusy: (key) => busy.has(key),
    updatesSince: () => 0,
    update(key, { pools }) {
      updated.push(key);
      wanted.push(...pools);
      return new Promise(() => {});
    },
    audit,
  });
  return {
    lines,
    trouble: (key: string) => guard.trouble(key),
    refuse(words: string | undefined) {
      refusal = words;
    },
    busy,
    updated,
    wanted,
    locked(key: string, pools: readonly object[] = POOLS) {
      guard.setDesired(key, pools);
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

test('a farm whose pools were all changed at once leaves places in the task queue', () => {
  const bench = createBench();
  for (let miner = 0; miner < 2 * MOST_AT_ONCE; miner++) {
    bench.locked(`m${miner}`);
    bench.polls(`m${miner}`, 2);
  }
  expect(bench.updated).toHaveLength(MOST_AT_ONCE);
});

test('pools are set again as they are: a brace in them is no template', () => {
  const bench = createBench();
  bench.locked('a', [{ url: 'stratum+tcp://ours.example:3333', user: 'farm.{1}', password: '{p}' }]);
  bench.polls('a', 2);
  expect(bench.wanted).toEqual([{ url: 'stratum+tcp://ours.example:3333', user: 'farm.{{1}}', password: '{p}' }]);
});

test('where nothing may be set, nothing is ordered and the miner says why; it is set when it may be', () => {
  const bench = createBench();
  bench.locked('a');
  bench.refuse('not allowed here');
  bench.polls('a', 4);
  expect(bench.updated).toEqual([]);
  expect(bench.trouble('a')).toContain('not allowed here');
  bench.refuse(undefined);
  bench.polls('a', 2);
  expect(bench.updated).toEqual(['a']);
  expect(bench.trouble('a')).toBeUndefined();
});

test('a record that cannot be kept is an error of ours, and the next polls try again', async () => {
  let isBroken = true;
  const bench = createBench(() => {
    if (isBroken) throw new Error('disk full');
  });
  bench.locked('a');
  bench.polls('a', 2);
  await Promise.resolve();
  await Promise.resolve();
  expect(bench.updated).toEqual([]);
  expect(bench.lines).toEqual(['keep locked pools']);
  isBroken = false;
  bench.polls('a', 2);
  expect(bench.updated).toEqual(['a']);
});
