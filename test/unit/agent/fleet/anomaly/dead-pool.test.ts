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
