// The overview of a farm: algorithms apart, what is not known never 0, counts that are those of the list behind them,
// and the worst first.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterOfGroup, isInFilter, NO_FILTER } from '../../../src/page/model/list/filter.ts';
import { figuresOf, GROUPINGS, groupsOf, worstFirst } from '../../../src/page/model/overview.ts';
import { farmSums } from '../../../src/page/model/sums.ts';
import { knownHours, uptimeOf } from '../../../src/page/screens/overview/uptime.ts';
import { anyMiner, boardMiner, NOW_MS } from '../model/board/board-miners.ts';

const farms = fc
  .array(fc.nat(), { maxLength: 12 })
  .chain((numbers) => fc.tuple(...numbers.map((_, index) => anyMiner(`m${index}`))));

describe('figures', () => {
  it('are apart for each algorithm, with watts for a unit of work of those that report both', () => {
    const { algorithms, powerW } = figuresOf(
      [
        boardMiner(1),
        boardMiner(2, { powerW: null }),
        boardMiner(3, { algorithm: 'scrypt', hashrateHs: 9e9, expectedHs: 1e10, powerW: 3_600 }),
      ],
      NOW_MS,
    );
    expect(algorithms).toMatchObject([
      { algorithm: 'scrypt', hashrateHs: 9e9, expectedHs: 1e10, share: 0.9, powerW: 3_600, withoutPower: 0 },
      { algorithm: 'sha256', hashrateHs: 2e14, share: 1, powerW: 3_000, wattsPerHs: 3e-11, withoutPower: 1 },
    ]);
    expect(powerW).toBe(6_600);
  });

  it('of miners that do not say are unknown, and it is said of how many', () => {
    const dumb = { hashrateHs: null, expectedHs: null, powerW: null };
    const figures = figuresOf([boardMiner(1, dumb), boardMiner(2, dumb)], NOW_MS);
    expect(figures.powerW).toBeNull();
    expect(figures.algorithms).toMatchObject([
      {
        hashrateHs: null,
        expectedHs: null,
        share: null,
        powerW: null,
        wattsPerHs: null,
        withoutRate: 2,
        withoutPower: 2,
      },
    ]);
  });

  it('do not add up miners of which it is not known what they compute, but of one model they do', () => {
    const unknown = { algorithm: null, model: 'A' };
    const one = figuresOf([boardMiner(1, unknown), boardMiner(2, unknown)], NOW_MS);
    const two = figuresOf([boardMiner(1, unknown), boardMiner(2, { ...unknown, model: 'B' })], NOW_MS);
    expect([one, two].map(({ algorithms: [sum] }) => sum?.hashrateHs)).toEqual([2e14, null]);
    expect(two.algorithms[0]).toMatchObject({ share: null, wattsPerHs: null, powerW: 6_000 });
  });

  it('say the same as the sums of Now', () => {
    fc.assert(
      fc.property(farms, (some) => {
        // Now takes an algorithm without a name for one of its own.
        const miners = some.map((miner) => ({ ...miner, algorithm: miner.algorithm || null }));
        const sums = farmSums(miners);
        const figures = figuresOf(miners, NOW_MS);
        expect([figures.online, figures.onSite, figures.unknown]).toEqual([sums.online, sums.expected, sums.unknown]);
        expect(figures.powerW ?? -1).toBeCloseTo(sums.powerW ?? -1, 3);
        for (const { algorithm, share } of figures.algorithms) {
          const same = sums.algorithms.find((each) => each.algorithm === algorithm);
          if (share !== null) expect(share).toBeCloseTo(same?.share ?? Number.NaN, 9);
        }
      }),
    );
  });
});

describe('groups', () => {
  it('count just the miners of the list behind them, and those of it that need a person', () => {
    fc.assert(
      fc.property(farms, fc.constantFrom(...GROUPINGS), (miners, by) => {
        for (const { name, miners: count, ill } of groupsOf(miners, by, NOW_MS)) {
          const filter = filterOfGroup(by, name);
          expect(count).toBe(miners.filter(isInFilter(filter, NOW_MS)).length);
          expect(ill).toBe(miners.filter(isInFilter({ ...filter, cause: 'any' }, NOW_MS)).length);
        }
      }),
    );
  });

  it('of algorithms too', () => {
    fc.assert(
      fc.property(farms, (miners) => {
        for (const { algorithm, miners: count } of figuresOf(miners, NOW_MS).algorithms) {
          expect(count).toBe(miners.filter(isInFilter({ ...NO_FILTER, algorithm: algorithm ?? '' }, NOW_MS)).length);
        }
      }),
    );
  });

  it('stand by name as people count, those without one last', () => {
    const miners = ['C10', null, 'C2'].map((rack, n) => boardMiner(n, { rack }));
    expect(groupsOf(miners, 'rack', NOW_MS).map(({ name }) => name)).toEqual(['C2', 'C10', null]);
  });

  it('begin with what makes least of what it should; a dead rack is the worst, an unknown one is not', () => {
    const miners = [
      boardMiner(1, { rack: 'good' }),
      boardMiner(2, { rack: 'slow', hashrateHs: 5e13 }),
      boardMiner(3, { rack: 'dead', isOnline: false }),
      boardMiner(4, { rack: 'unknown', isOnline: false, isUnknown: true }),
    ];
    const groups = worstFirst(groupsOf(miners, 'rack', NOW_MS));
    expect(groups.map(({ name }) => name)).toEqual(['dead', 'slow', 'good', 'unknown']);
  });
});

it('the uptime is of the hours of which something is known, each by how much of it is', () => {
  const hour = { miners_online_avg: 9, miners_total: 10, coverage: 1 };
  const buckets = [
    hour,
    { ...hour, miners_online_avg: null, coverage: 0 },
    { ...hour, miners_online_avg: 4, coverage: 0.5 },
  ];
  expect(uptimeOf(buckets)).toBeCloseTo(11 / 15, 9);
  expect(knownHours(buckets)).toBe(1.5);
  expect(uptimeOf([])).toBeNull();
  expect(uptimeOf(buckets.slice(1, 2))).toBeNull();
});
