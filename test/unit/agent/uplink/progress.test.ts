// What an uplink shows of itself, and how long it waits between its tries. Pure.
import { expect, test } from 'vitest';
import { retryDelayMs, shownAs } from '../../../../src/agent/uplink/uplink.ts';

const welcome = { skewMs: 500, offsetMs: 1_000 };

test('times are shown by the wall clock as it is set now', () => {
  const progress = { phase: 'waiting' as const, connectedAtMs: 10, nextTryAtMs: 20, lastError: 'lost' };
  expect(shownAs(progress, { offsetMs: 1_000, isOtherHost: true })).toEqual({
    ...{ phase: 'waiting', lastError: 'lost', connectedSince: 1_010, nextTryAt: 1_020, skewMs: undefined },
  });
});

test('a step of our clock moves the skew, but not where the service shares the clock', () => {
  const progress = { phase: 'online' as const, welcome };
  expect(shownAs(progress, { offsetMs: 61_000, isOtherHost: true }).skewMs).toBe(-59_500);
  expect(shownAs(progress, { offsetMs: 61_000, isOtherHost: false }).skewMs).toBe(500);
});

test('tries come less and less often; a refused agent waits five minutes, give or take, one of a restart less', () => {
  const timing = {
    ...{ refusedMs: 300_000, restart: { leastMs: 5_000, mostMs: 45_000, tries: 5 } },
    backoff: { baseMs: 1_000, capMs: 60_000 },
  };
  const most = () => 1;
  expect([0, 1, 2, 10].map((tries) => retryDelayMs('lost', tries, timing, most))).toEqual([
    1_000, 2_000, 4_000, 60_000,
  ]);
  expect(retryDelayMs('restarting', 0, timing, () => 0)).toBe(5_000);
  expect(retryDelayMs('restarting', 7, timing, most)).toBe(45_000);
  expect(retryDelayMs('refused', 7, timing, () => 0)).toBe(270_000);
  expect(retryDelayMs('refused', 7, timing, most)).toBe(330_000);
});
