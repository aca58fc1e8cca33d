// What waits under a deadline ends in time, whatever it does itself.
import { expect, test } from 'vitest';
import { CancelledError, PeerError } from '../../../../src/base/errors.ts';
import { withDeadline } from '../../../../src/base/time/deadline.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const tooLate = () => new PeerError('peer.timeout', 'wait for work', 'soon');

test('work that ends in time settles as it does itself and leaves no timer', async () => {
  const clock = createVirtualClock();
  const bounds = { deadlineMs: 1_000, onDeadline: tooLate };
  await expect(clock.finish(withDeadline(clock, bounds, async () => 7))).resolves.toBe(7);
  const broken = withDeadline(clock, bounds, () => {
    throw new TypeError('at once');
  });
  await expect(clock.finish(broken)).rejects.toThrow(TypeError);
  expect(clock.pending()).toBe(0);
});

test('work that does not listen is left behind at the deadline plus the grace', async () => {
  const clock = createVirtualClock();
  const startMs = clock.monotonicMs();
  const hung = withDeadline(
    clock,
    { deadlineMs: 1_000, graceMs: 250, onDeadline: tooLate },
    () => new Promise(() => {}),
  );
  await expect(clock.finish(hung)).rejects.toMatchObject({ code: 'peer.timeout' });
  expect(clock.monotonicMs() - startMs).toBe(1_250);
});

test('work that is told to stop may still hand over its result within the grace', async () => {
  const clock = createVirtualClock();
  const bounds = { deadlineMs: 1_000, graceMs: 250, onDeadline: tooLate };
  const late = withDeadline(clock, bounds, async (signal) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    return 'partial';
  });
  await expect(clock.finish(late)).resolves.toBe('partial');
});

test('the signal of the caller ends the work early, and its own error does not hide that', async () => {
  const clock = createVirtualClock();
  const abort = new AbortController();
  const bounds = { deadlineMs: 1_000, signal: abort.signal, onDeadline: tooLate };
  const waiting = withDeadline(clock, bounds, (signal) => clock.sleep(500, signal));
  abort.abort();
  await expect(clock.finish(waiting)).rejects.toBeInstanceOf(CancelledError);
  await expect(withDeadline(clock, bounds, async () => 1)).rejects.toBeInstanceOf(CancelledError);
});
