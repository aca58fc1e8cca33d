// Runs items from a source with a bound on how many run at once and on how fast they start. It asks the source only
// when a worker is free, so a range of any size costs no more than what is in flight.
import type { Clock } from '../../base/clock.ts';

/** While a scan is paused it starts nothing new, so that a more urgent one has the network. */
export type Pause = ReturnType<typeof createPause>;

export function createPause() {
  const waiting = new Set<() => void>();
  let isPaused = false;
  return {
    isPaused: (): boolean => isPaused,
    pause(): void {
      isPaused = true;
    },
    resume(): void {
      isPaused = false;
      for (const run of waiting) run();
    },
    /** Calls `run` at each `resume`; returns the way to unsubscribe. */
    onResume(run: () => void): () => void {
      waiting.add(run);
      return () => waiting.delete(run);
    },
  };
}

type PoolOptions<T> = {
  readonly clock: Clock;
  /** At most this many at once. */
  readonly limit: number;
  /** Least time between two starts, ms; 0 = none. */
  readonly spacingMs?: number;
  readonly pause?: Pause | undefined;
  /** The next item, or undefined when there is none now. */
  readonly next: () => T | undefined;
  /** A rejection is a defect: it ends the pool. */
  readonly run: (item: T) => Promise<void>;
};

export type WorkerPool = ReturnType<typeof createWorkerPool>;

/** Starts per tick of the loop: enough for 64,000 a second, too few to hold up the loop. */
const STARTS_PER_TICK = 64;
/** A late timer may be made up for by this much, so that coarse timers do not slow the starts. */
const CATCH_UP_MS = 20;
const LEAST_LIMIT = 4;

export function createWorkerPool<T>({ clock, limit, spacingMs = 0, pause, next, run }: PoolOptions<T>) {
  let most = limit;
  let active = 0;
  let mayStart = true;
  let isClosed = false;
  let isDry = false;
  let nextStartMs = 0;
  let cancelTimer: (() => void) | undefined;
  const { promise: drained, ...settle } = Promise.withResolvers<void>();
  const unsubscribe = pause?.onResume(() => schedule(0));

  const finish = () => {
    mayStart = false;
    cancelTimer?.();
    unsubscribe?.();
  };
  const settleIfDone = () => {
    if (active > 0 || (mayStart && !(isClosed && isDry))) return;
    finish();
    settle.resolve();
  };
  const schedule = (delayMs: number) => {
    if (cancelTimer !== undefined || !mayStart) return;
    cancelTimer = clock.after(delayMs, tick);
  };
  const start = async (item: T) => {
    active++;
    try {
      await run(item);
    } catch (error) {
      finish();
      settle.reject(error);
    } finally {
      active--;
      schedule(0);
      settleIfDone();
    }
  };
  const tick = () => {
    cancelTimer = undefined;
    if (!mayStart || pause?.isPaused()) return;
    isDry = false;
    for (let budget = STARTS_PER_TICK; active < most; budget--) {
      if (budget === 0) return schedule(0);
      const nowMs = clock.monotonicMs();
      if (spacingMs > 0 && nextStartMs > nowMs) return schedule(nextStartMs - nowMs);
      const item = next();
      if (item === undefined) {
        isDry = true;
        return settleIfDone();
      }
      nextStartMs = Math.max(nextStartMs, nowMs - CATCH_UP_MS) + spacingMs;
      void start(item);
    }
  };

  schedule(0);
  return {
    /** There may be new items. */
    wake: () => schedule(0),
    /** No further items will come; `drained` resolves when all are done. */
    close(): void {
      isClosed = true;
      schedule(0);
    },
    /** Starts nothing any more; `drained` resolves when what is in flight is done. */
    stop(): void {
      mayStart = false;
      settleIfDone();
    },
    /** Stops, and resolves `drained` without waiting. */
    abandon(): void {
      finish();
      settle.resolve();
    },
    /** Lowers the limit when the host runs out of something. */
    shrink(): void {
      most = Math.max(Math.min(LEAST_LIMIT, limit), most >> 1);
    },
    /** An item cost more than one start: the next start waits that much longer. */
    charge(ms: number): void {
      nextStartMs += ms;
    },
    drained,
  };
}
