// The flags of a dead pool name the pool, so that all who use it can be one finding.
import { expect, test } from 'vitest';
import { createBench, healthy, put } from './fixture.ts';

const pools = (healthy(0).pools ?? []).map((pool) => ({ ...pool, isAlive: false, isActive: false }));
const dead = put({ pools, hashrateHs: 0, hashrateSettledHs: 0, isMining: false });

test('a miner whose pools are all dead points at the first of them, and its lack of hashrate does too', () => {
  const bench = createBench();
  bench.polls(40);
  bench.polls(5, dead);
  expect(bench.flag('pool')).toMatchObject({ severity: 'critical', finding: 'pool:eu.pool.example:3333' });
  expect(bench.flag('low_hashrate')).toMatchObject({ finding: 'pool:eu.pool.example:3333' });
  bench.restart();
  expect(bench.flag('pool')?.finding).toBe('pool:eu.pool.example:3333');
});

test('a hashrate that was low before the pool died has a cause of its own', () => {
  const bench = createBench();
  bench.polls(40);
  bench.polls(5, put({ hashrateSettledHs: 20e12 }));
  bench.polls(5, dead);
  expect(bench.flag('pool')?.finding).toBe('pool:eu.pool.example:3333');
  expect(bench.flag('low_hashrate')).toBeDefined();
  expect(bench.flag('low_hashrate')?.finding).toBeUndefined();
});

test('a miner that has its pool back is not low for the time without: that flag ends with its cause', () => {
  const bench = createBench();
  bench.polls(40);
  bench.polls(25, dead);
  expect(bench.types()).toEqual(['low_hashrate', 'pool']);
  // The device's own average still reaches back.
  const reaching = put({ hashrateSettledHs: 40e12 });
  bench.polls(3, reaching);
  expect(bench.types()).toEqual([]);
  bench.polls(29, reaching);
  expect(bench.types()).toEqual([]);
  bench.polls(4, reaching);
  expect(bench.types()).toEqual(['low_hashrate']);
});

test('one that still hashes nothing with its pool back has a trouble of its own, and one that was low before stays low', () => {
  const bench = createBench();
  bench.polls(40);
  bench.polls(25, dead);
  bench.polls(16, put({ hashrateHs: 0, hashrateSettledHs: 0, isMining: false }));
  expect(bench.flag('low_hashrate')).toMatchObject({ message: 'does not hash' });
  expect(bench.flag('low_hashrate')?.finding).toBeUndefined();
  const low = createBench();
  low.polls(45, put({ hashrateSettledHs: 20e12 }));
  low.polls(25, dead);
  low.polls(5, put({ hashrateSettledHs: 20e12 }));
  expect(low.types()).toEqual(['low_hashrate']);
});
