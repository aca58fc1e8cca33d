// What a farm makes and draws: never of two algorithms in one sum, and never 0 for what is not known.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { farmSums } from '../../../src/page/model/sums.ts';
import { anyMiner, boardMiner } from '../model/board/board-miners.ts';

it('algorithms are apart, by name, what has no known one last', () => {
  const miners = [null, 'scrypt', 'sha256', 'sha256'].map((algorithm, n) => boardMiner(n, { algorithm }));
  const { algorithms } = farmSums(miners);
  expect(algorithms.map(({ algorithm, hashrateHs }) => [algorithm, hashrateHs])).toEqual([
    ['scrypt', 1e14],
    ['sha256', 2e14],
    [null, 1e14],
  ]);
});

it('a silent miner makes nothing, and is missing in the share', () => {
  const { algorithms, online, expected } = farmSums([boardMiner(1), boardMiner(2, { isOnline: false })]);
  expect(algorithms).toEqual([{ algorithm: 'sha256', hashrateHs: 1e14, share: 0.5 }]);
  expect([online, expected]).toEqual([1, 2]);
});

it('of a miner whose agent is not heard nothing is counted but that it is there', () => {
  const sums = farmSums([boardMiner(1, { isUnknown: true, isOnline: false })]);
  expect(sums).toEqual({ algorithms: [], powerW: null, online: 0, expected: 1, unknown: 1 });
});

it('power is unknown where no miner reports it, and 0 where they report 0', () => {
  expect(farmSums([boardMiner(1, { powerW: null })]).powerW).toBeNull();
  expect(farmSums([boardMiner(1, { powerW: null }), boardMiner(2, { powerW: 0 })]).powerW).toBe(0);
  expect(farmSums([boardMiner(1, { isOnline: false })]).powerW).toBeNull();
  expect(farmSums([]).powerW).toBeNull();
});

it('sleep, maintenance and miners without an expectation do not lower the share', () => {
  const { algorithms, expected } = farmSums([
    boardMiner(1),
    boardMiner(2, { mode: 'sleep', hashrateHs: 0 }),
    boardMiner(3, { opsStatus: 'maintenance', hashrateHs: 0 }),
    boardMiner(4, { expectedHs: null }),
    boardMiner(5, { hashrateHs: null }),
    boardMiner(6, { opsStatus: 'retired' }),
  ]);
  expect(algorithms).toEqual([{ algorithm: 'sha256', hashrateHs: 2e14, share: 1 }]);
  expect(expected).toBe(5);
});

it('of any farm the counts add up', () => {
  fc.assert(
    fc.property(fc.array(anyMiner('x')), (miners) => {
      const { online, unknown, expected, algorithms } = farmSums(miners);
      expect(online + unknown).toBeLessThanOrEqual(expected);
      expect(expected).toBeLessThanOrEqual(miners.length);
      for (const { share } of algorithms) expect(share ?? 0).toBeGreaterThanOrEqual(0);
    }),
  );
});
