import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeRestart, type Seen } from '../../../../../../src/agent/tasks/execution/proof/restart.ts';

const seen = (more: Partial<Seen>): Seen => ({
  baseline: { atMs: 0, uptimeS: 5_000 },
  reading: { uptimeS: 40 },
  sinceActS: 100,
  sinceBaselineS: 101,
  mayHaveBeenAway: true,
  ...more,
});

test.each([
  ['went back', {}, 'restarted'],
  ['grew on', { reading: { uptimeS: 5_100 } }, 'not-restarted'],
  [
    'stands still for a moment',
    {
      baseline: { atMs: 0, uptimeS: 20 },
      reading: { uptimeS: 20 },
      sinceActS: 18,
      sinceBaselineS: 20,
      mayHaveBeenAway: false,
    },
    'open',
  ],
  [
    'is younger than the order, nothing known from before',
    { baseline: undefined, reading: { uptimeS: 60 } },
    'restarted',
  ],
  [
    'is older than the order, nothing known from before',
    { baseline: undefined, reading: { uptimeS: 160 } },
    'not-restarted',
  ],
  ['is absent', { reading: {} }, 'open'],
  [
    'of the system goes on but that of mining went back, as after a trip of its watchdog',
    { baseline: { atMs: 0, uptimeS: 5_000, systemUptimeS: 9_000 }, reading: { uptimeS: 40, systemUptimeS: 9_100 } },
    'not-restarted',
  ],
  [
    'of the system is told only now, and that of mining went back',
    { baseline: { atMs: 0, uptimeS: 5_000 }, reading: { uptimeS: 40, systemUptimeS: 160 } },
    'restarted',
  ],
  ['went back, but not as far as the order', { reading: { uptimeS: 400 } }, 'not-restarted'],
] as const)('a clock that %s', (_what, more, kind) => {
  expect(judgeRestart(seen(more)).kind).toBe(kind);
});

test('a miner that keeps counting is never taken for restarted, one that restarted is never taken for the other', () => {
  const times = fc.record({
    beforeS: fc.integer({ min: 0, max: 1e8 }),
    sinceActS: fc.integer({ min: 0, max: 1_200 }),
    readS: fc.integer({ min: 0, max: 30 }),
    driftS: fc.integer({ min: -5, max: 5 }),
    bootS: fc.integer({ min: 0, max: 1_200 }),
  });
  fc.assert(
    fc.property(times, fc.boolean(), ({ beforeS, sinceActS, readS, driftS, bootS }, mayHaveBeenAway) => {
      const baseline = { atMs: 0, uptimeS: beforeS };
      const sinceBaselineS = sinceActS + readS;
      const common = { baseline, sinceActS, sinceBaselineS };
      const goesOn = { uptimeS: Math.max(beforeS, beforeS + sinceBaselineS + driftS) };
      expect(judgeRestart({ ...common, reading: goesOn, mayHaveBeenAway }).kind).not.toBe('restarted');
      const restarted = { uptimeS: Math.max(0, sinceActS - bootS) };
      expect(judgeRestart({ ...common, reading: restarted, mayHaveBeenAway: true }).kind).not.toBe('not-restarted');
    }),
    { numRuns: 2_000 },
  );
});
