// When the agent says of itself that it stands still, and when it does not although things are bad.
import { expect, test } from 'vitest';
import { createWatchdog } from '../../../../src/agent/watchdog/watchdog.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

function watched() {
  const clock = createVirtualClock();
  const now = {
    overdueMs: 0,
    pendingRecords: 0,
    lastCommitAt: undefined as number | undefined,
    fault: undefined as string | undefined,
  };
  const watchdog = createWatchdog({
    clock,
    maxOverdueMs: () => 80_000,
    overdueMs: () => now.overdueMs,
    outbox: () => now,
  });
  return { clock, now, watchdog };
}

test('polls that do not start are a watchdog once they are later than any ordinary delay', () => {
  const { now, watchdog } = watched();
  now.overdueMs = 79_000;
  expect(watchdog.stalled()).toBeUndefined();
  now.overdueMs = 81_000;
  expect(watchdog.stalled()).toBe('the next poll is 81 s late');
});

test('records that wait while nothing is committed are a watchdog; a commit in between is not', async () => {
  const { clock, now, watchdog } = watched();
  now.pendingRecords = 3;
  expect(watchdog.stalled()).toBeUndefined();
  await clock.advance(50_000);
  now.lastCommitAt = 1;
  expect(watchdog.stalled()).toBeUndefined();
  await clock.advance(50_000);
  expect(watchdog.stalled()).toBeUndefined();
  await clock.advance(11_000);
  expect(watchdog.stalled()).toBe('nothing was written for 61 s');
});

test('a disk that refuses is not cured by a restart', async () => {
  const { clock, now, watchdog } = watched();
  now.pendingRecords = 3;
  now.fault = 'database or disk is full';
  watchdog.stalled();
  await clock.advance(600_000);
  expect(watchdog.stalled()).toBeUndefined();
});

test('the newest watchdog is remembered with when it began, also when it is over', async () => {
  const { clock, now, watchdog } = watched();
  expect(watchdog.last()).toBeUndefined();
  now.overdueMs = 90_000;
  const beganMs = clock.elapsedMs();
  watchdog.stalled();
  await clock.advance(5_000);
  now.overdueMs = 95_000;
  watchdog.stalled();
  now.overdueMs = 0;
  watchdog.stalled();
  expect(watchdog.last()).toEqual({ reason: 'the next poll is 95 s late', atMs: beganMs });
});
