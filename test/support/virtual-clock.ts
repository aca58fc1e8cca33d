// A Clock whose time moves only when a test says so: due timers run in order, and what they set off settles before the
// next instant. It does not speed up real I/O: use it with simulated peers only.
import { type Clock, sleepOn } from '../../src/base/clock.ts';

type Timer = { readonly atMs: number; readonly order: number; readonly run: () => void; isCancelled: boolean };

export type VirtualClock = Clock & {
  /** Moves time on by `ms`, running every timer that falls due on the way, also those that are set on the way. */
  advance(ms: number): Promise<void>;
  /**
   * Moves time from timer to timer until `promise` settles; throws when that takes more than `limitMs` of virtual time.
   */
  finish<T>(promise: Promise<T>, limitMs?: number): Promise<T>;
  /** Lets everything that is ready now happen, without moving time. */
  settle(): Promise<void>;
  /** Steps the wall clock only, as NTP or an operator does. */
  stepWall(ms: number): void;
  /** The host sleeps: no timer runs and the monotonic clock stands still, the others go on. */
  suspend(ms: number): void;
  /** Timers that wait now. */
  pending(): number;
};

const START_MONOTONIC_MS = 7_000;

export function createVirtualClock(startWallMs = Date.UTC(2026, 0, 2, 3, 4, 5)): VirtualClock {
  const heap: Timer[] = [];
  let monotonicMs = START_MONOTONIC_MS;
  let wallOffsetMs = startWallMs - START_MONOTONIC_MS;
  let suspendedMs = 0;
  let order = 0;
  let live = 0;

  const isBefore = (a: Timer | undefined, b: Timer | undefined) =>
    a !== undefined && b !== undefined && (a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order));

  const swap = (i: number, j: number) => {
    const a = heap[i];
    const b = heap[j];
    if (a === undefined || b === undefined) return;
    heap[i] = b;
    heap[j] = a;
  };

  const push = (timer: Timer) => {
    heap.push(timer);
    for (let i = heap.length - 1; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (!isBefore(heap[i], heap[parent])) return;
      swap(i, parent);
      i = parent;
    }
  };

  const pop = () => {
    swap(0, heap.length - 1);
    const top = heap.pop();
    for (let i = 0; ; ) {
      let least = i;
      if (isBefore(heap[2 * i + 1], heap[least])) least = 2 * i + 1;
      if (isBefore(heap[2 * i + 2], heap[least])) least = 2 * i + 2;
      if (least === i) return top;
      swap(i, least);
      i = least;
    }
  };

  const settle = async () => {
    for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
  };

  const nextAtMs = () => {
    while (heap[0]?.isCancelled) pop();
    return heap[0]?.atMs;
  };

  /** Runs all timers of the earliest instant, if it is not after `limitMs`; says whether there were any. */
  const runNextInstant = async (limitMs: number) => {
    const atMs = nextAtMs();
    if (atMs === undefined || atMs > limitMs) return false;
    monotonicMs = Math.max(monotonicMs, atMs);
    while (heap[0] !== undefined && heap[0].atMs <= atMs) {
      const timer = pop();
      if (timer === undefined || timer.isCancelled) continue;
      timer.isCancelled = true;
      live--;
      timer.run();
    }
    await settle();
    return true;
  };

  const clock: VirtualClock = {
    nowMs: () => wallOffsetMs + monotonicMs,
    monotonicMs: () => monotonicMs,
    elapsedMs: () => monotonicMs + suspendedMs,
    after(delayMs, run) {
      const timer: Timer = { atMs: monotonicMs + Math.max(0, delayMs), order: order++, run, isCancelled: false };
      push(timer);
      live++;
      return () => {
        if (timer.isCancelled) return;
        timer.isCancelled = true;
        live--;
      };
    },
    sleep: (delayMs, signal) => sleepOn(clock, delayMs, signal),
    async advance(ms) {
      const targetMs = monotonicMs + ms;
      await settle();
      while (await runNextInstant(targetMs));
      monotonicMs = targetMs;
    },
    async finish(promise, limitMs = 24 * 3_600_000) {
      const endMs = monotonicMs + limitMs;
      let isSettled = false;
      const watched = promise.finally(() => {
        isSettled = true;
      });
      watched.catch(() => {});
      await settle();
      while (!isSettled) {
        if (!(await runNextInstant(endMs))) {
          await settle();
          if (!isSettled)
            throw new Error(`nothing left to wait for within ${limitMs} ms, but the promise has not settled`);
        }
      }
      return watched;
    },
    settle,
    stepWall(ms) {
      wallOffsetMs += ms;
    },
    suspend(ms) {
      wallOffsetMs += ms;
      suspendedMs += ms;
    },
    pending: () => live,
  };
  return clock;
}
