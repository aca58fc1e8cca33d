// When the agent says of itself that it stands still, and when it does not although things are bad.
import { expect, test } from 'vitest';
import { createStandstill } from '../../../../src/agent/watchdog/watchdog.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

function watched() {
  const clock = createVirtualClock();
  const now = {
    overdueMs: 0,
    pendingRecords: 0,
    lastCommitAt: undefined as number | undefined,
    fault: undefined as string | undefined,
  };
  const standstill = createStandstill({
    clock,
    maxOverdueMs: () => 80_000,
    overdueMs: () => now.overdueMs,
    outbox: () => now,
  });
  return { clock, now, standstill };
}

test('polls that do not start are a standstill once they are later than any ordinary delay', () => {
  const { now, standstill } = watched();
  now.overdueMs = 79_000;
  expect(standstill.stalled()).toBeUndefined();
  now.overdueMs = 81_000;
  expect(standstill.stalled()).toBe('the next poll is 81 s late');
});

test('records that wait while nothing is committed are a standstill; a commit in between is not', async () => {
  const { clock, now, standstill } = watched();
  now.pendingRecords = 3;
  expect(standstill.stalled()).toBeUndefined();
  await clock.advance(50_000);
  now.lastCommitAt = 1;
  expect(standstill.stalled()).toBeUndefined();
  await clock.advance(50_000);
  expect(standstill.stalled()).toBeUndefined();
  await clock.advance(11_000);
  expect(standstill.stalled()).toBe('nothing was written for 61 s');
});

test('a disk that refuses is not cured by a restart', async () => {
  const { clock, now, standstill } = watched();
  now.pendingRecords = 3;
  now.fault = 'database or disk is full';
  standstill.stalled();
  await clock.advance(600_000);
  expect(standstill.stalled()).toBeUndefined();
});

test('the newest standstill is remembered with when it began, also when it is over', async () => {
  const { clock, now, standstill } = watched();
  expect(standstill.last()).toBeUndefined();
  now.overdueMs = 90_000;
  const beganMs = clock.elapsedMs();
  standstill.stalled();
  await clock.advance(5_000);
  now.overdueMs = 95_000;
  standstill.stalled();
  now.overdueMs = 0;
  standstill.stalled();
  expect(standstill.last()).toEqual({ reason: 'the next poll is 95 s late', atMs: beganMs });
});
