// A step of the wall clock is told from time that passes, from a suspend of the host and from a clock that is slewed.
import { expect, test } from 'vitest';
import { ageOf, lookAtClocks, stepBetween, wallTimeAt, wallTimeOf } from '../../../../src/base/time/clock-steps.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

test.each([-86_400_000, -3_600_000, -1_201, 1_201, 3_600_000, 86_400_000])(
  'a step of %i ms is seen',
  async (stepMs) => {
    const clock = createVirtualClock();
    const before = lookAtClocks(clock);
    await clock.advance(1_000);
    clock.stepWall(stepMs);
    expect(stepBetween(before, lookAtClocks(clock))).toBe(stepMs);
  },
);

test('time that passes, a suspend and a clock that is slewed are no steps', async () => {
  const clock = createVirtualClock();
  let before = lookAtClocks(clock);
  const look = () => {
    const now = lookAtClocks(clock);
    const stepMs = stepBetween(before, now);
    before = now;
    return stepMs;
  };
  await clock.advance(3_600_000);
  expect(look()).toBe(0);
  clock.suspend(8 * 3_600_000);
  expect(look()).toBe(0);
  for (let second = 0; second < 100; second++) {
    await clock.advance(1_000);
    clock.stepWall(-100);
    expect(look()).toBe(0);
  }
});

test('a process that is put to sleep between the two readings does not see a step', () => {
  let elapsedMs = 0;
  let sleeps = 1;
  const clock = {
    nowMs: () => {
      const wallMs = 1_000_000 + elapsedMs;
      if (sleeps-- > 0) elapsedMs += 30_000;
      return wallMs;
    },
    elapsedMs: () => elapsedMs,
  };
  const before = { wallMs: 1_000_000, elapsedMs: 0 };
  expect(stepBetween(before, lookAtClocks(clock))).toBe(0);
});

test.each([-86_400_000, -7_200_000, 7_200_000, 86_400_000])(
  'what was seen before a step of %i ms is called by the clock as it is now',
  async (stepMs) => {
    const clock = createVirtualClock();
    const seen = lookAtClocks(clock);
    await clock.advance(5_000);
    clock.stepWall(stepMs);
    const now = lookAtClocks(clock);
    expect(ageOf(seen, now)).toBe(5_000);
    expect(wallTimeOf(seen, now)).toBe(now.wallMs - 5_000);
    expect(wallTimeAt(seen.elapsedMs, now)).toBe(now.wallMs - 5_000);
  },
);

test('a clock that is slewed moves no date, and no date is after now', async () => {
  const clock = createVirtualClock();
  const seen = lookAtClocks(clock);
  clock.stepWall(-800);
  expect(wallTimeOf(seen, lookAtClocks(clock))).toBe(seen.wallMs - 800);
  await clock.advance(1_000);
  expect(wallTimeOf(seen, lookAtClocks(clock))).toBe(seen.wallMs);
});
