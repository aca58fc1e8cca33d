// When locked pools are set again, and what a failed attempt changes.
import { expect, test } from 'vitest';
import { afterAttempt, restoreVerdict } from '../../../../src/agent/pool-lock/restore.ts';

const SETTINGS = { tries: 3, dailyCap: 6, retryS: 60 };
const DESIRED = { pools: [{ url: 'stratum+tcp://ours.example:3333', user: 'farm.1' }], isLocked: true };
const FACTS = {
  desired: { failures: 0, nextMs: 1_000 },
  settings: SETTINGS,
  nowMs: 1_000,
  refusal: undefined,
  updatesToday: 0,
};

test.each([
  ['nothing speaks against it', {}, 'restore'],
  ['the pause after a failure is not over', { nowMs: 999 }, 'wait'],
  ['the last try is left', { desired: { failures: 2, nextMs: 0 } }, 'restore'],
  ['no try is left', { desired: { failures: 3, nextMs: 0 } }, { trouble: expect.stringContaining('in 3 attempts') }],
  ['one update is left today', { updatesToday: 5 }, 'restore'],
  ['no update is left today', { updatesToday: 6 }, { trouble: expect.stringContaining('6 times in 24 hours') }],
  ['it may not', { refusal: 'read-only', updatesToday: 6 }, { trouble: expect.stringContaining(': read-only') }],
])('locked pools are set again or not, where %s', (_, facts, expected) => {
  expect(restoreVerdict({ ...FACTS, ...facts })).toEqual(expected);
});

test.each([
  [0, 1, 60],
  [1, 2, 120],
  [2, 3, 240],
  [9, 10, 3_600],
])('after %i failures another one makes %i, and the pause is %i s', (failures, after, pauseS) => {
  expect(afterAttempt({ ...DESIRED, failures, nextMs: 0 }, false, SETTINGS, 5_000)).toEqual({
    ...DESIRED,
    failures: after,
    nextMs: 5_000 + pauseS * 1_000,
  });
});

test('an attempt that succeeded ends the row of failures', () => {
  expect(afterAttempt({ ...DESIRED, failures: 2, nextMs: 0 }, true, SETTINGS, 0)).toMatchObject({ failures: 0 });
});
