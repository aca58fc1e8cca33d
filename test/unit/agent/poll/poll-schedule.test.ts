// What a failed visit counts, when the next poll is due, and who may be visited at the same time. No clock.
import { describe, expect, test } from 'vitest';
import { createPollCapacity } from '../../../../src/agent/poll/poll-capacity.ts';
import { PollQueues, URGENT } from '../../../../src/agent/poll/poll-queues.ts';
import { nextDueMs, noteFailure, noteSuccess, PolledMiner } from '../../../../src/agent/poll/poll-schedule.ts';
import { POLL_SETTINGS } from '../../../../src/agent/poll/settings.ts';
import { CancelledError, PeerError } from '../../../../src/base/errors.ts';
import { CostlyAnswer } from '../../../../src/driver/visit/costly.ts';

const miner = (key = 'm0', phase = 0) => new PolledMiner({ key, ip: '10.0.0.1' }, phase);
const SOON = new PeerError('peer.timeout', 'read', 'soon');
const NEVER = new PeerError('peer.auth', 'read', 'never');

describe('a failed visit', () => {
  test('is tried once more before it counts', () => {
    const one = miner();
    expect(noteFailure(one, SOON, false)).toEqual({ kind: 'retried' });
    expect(one).toMatchObject({ failures: 0, isConfirming: true, isSuspect: true });
    expect(noteFailure(one, SOON, false)).toEqual({ kind: 'failed', error: SOON, isDefect: false });
    expect(one).toMatchObject({ failures: 1, isConfirming: false, isSuspect: true });
    expect(noteFailure(one, SOON, false).kind).toBe('failed');
    noteSuccess(one);
    expect(one).toMatchObject({ failures: 0, isSuspect: false });
  });

  test.each([
    ['an error that does not pass', NEVER, false, false],
    ['a visit that goes on after its abort', SOON, true, true],
    ['a defect of this program', new TypeError('broken'), false, true],
  ])('%s counts at once', (_, error, isStuck, isDefect) => {
    expect(noteFailure(miner(), error, isStuck)).toEqual({ kind: 'failed', error, isDefect });
  });

  test('one that was cancelled counts as nothing and ends a second try', () => {
    const one = miner();
    noteFailure(one, SOON, false);
    expect(noteFailure(one, new CancelledError('stop'), false)).toEqual({ kind: 'skipped' });
    expect(one).toMatchObject({ failures: 0, isConfirming: false });
  });
});

test('slots keep their phase, and failures double the pause up to the cap', () => {
  const one = miner('m0', 0.5);
  const slots = [0, 1, 2, 3, 4, 9].map((failures) => {
    one.failures = failures;
    return nextDueMs(one, 30_000, POLL_SETTINGS, () => 0);
  });
  expect(slots).toEqual([90_000, 90_000, 150_000, 270_000, 330_000, 330_000]);
  one.failures = 1;
  one.defects = 1;
  expect(nextDueMs(one, 30_000, POLL_SETTINGS, () => 0)).toBe(150_000);
});

test('what costs too much pauses for a hundred times of it, then twice as long each time, up to an hour', () => {
  const one = miner();
  const pausesMs = [1, 2, 3, 4, 5].map(() => {
    expect(noteFailure(one, new CostlyAnswer('read', 5_000), false)).toMatchObject({ kind: 'failed', isDefect: false });
    expect(one.setAside).toBe('costly');
    return nextDueMs(one, 0, POLL_SETTINGS, () => 0);
  });
  expect(pausesMs).toEqual([480_000, 960_000, 1_980_000, 3_600_000, 3_600_000]);
  noteFailure(one, new TypeError('broken'), false);
  expect(one.setAside).toBe('defect');
  noteFailure(one, NEVER, false);
  expect(one.setAside).toBeUndefined();
  noteSuccess(one);
  expect(nextDueMs(one, 0, POLL_SETTINGS, () => 0)).toBe(60_000);
});

test('slow visits make room for fast ones up to their own limit; failing miners have a share of both', () => {
  const capacity = createPollCapacity({ ...POLL_SETTINGS, maxInFlight: 2, maxSlow: 2, slowAfterMs: 100 });
  const [first] = [capacity.begin(0, true), capacity.begin(50, true)];
  expect([capacity.hasRoom(), capacity.hasRoomForSuspect(), capacity.nextRoomMs()]).toEqual([false, false, 100]);
  capacity.sortOutSlow(120);
  expect([capacity.hasRoom(), capacity.inFlight()]).toEqual([true, 2]);
  capacity.sortOutSlow(150);
  expect([capacity.hasRoom(), capacity.nextRoomMs()]).toEqual([false, undefined]);
  if (first !== undefined) capacity.end(first);
  expect([capacity.hasRoom(), capacity.hasRoomForSuspect(), capacity.inFlight()]).toEqual([true, true, 1]);
});

test('healthy miners go first when both are due, and an urgent one before all', () => {
  const queues = new PollQueues();
  const [healthy, failing, urgent] = [miner('healthy'), miner('failing'), miner('urgent')];
  failing.failures = 1;
  urgent.failures = 1;
  queues.add(healthy, 20);
  queues.add(failing, 10);
  expect(queues.next(15, true)).toBe(failing);
  expect(queues.next(15, false)).toBe(healthy);
  expect(queues.next(20, true)).toBe(healthy);
  queues.add(urgent, URGENT);
  expect(queues.next(15, false)).toBe(urgent);
  queues.remove(urgent);
  queues.remove(healthy);
  expect(queues.next(15, true)).toBe(failing);
});
