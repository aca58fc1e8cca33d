// Runs items from a source with a bound on how many at once and on how fast they start. It asks the source only when a place is free, so a
// range of any size costs no more than what is in flight. It neither orders nor keeps items.
import type { Clock } from '../../base/clock.ts';

/** Stops a scan from starting anything new while it is held, so that a more urgent one has the network. */
export type Brake = ReturnType<typeof createBrake>;

export function createBrake() {
  const waiting = new Set<() => void>();
  let isHeld = false;
  return {
    isHeld: (): boolean => isHeld,
    hold(): void {
      isHeld = true;
    },
    release(): void {
      isHeld = false;
      for (const run of waiting) run();
    },
    /** Calls `run` at each release; returns the way to unsubscribe. */
    onRelease(run: () => void): () => void {
      waiting.add(run);
      return () => waiting.delete(run);
    },
  };
}

type LaneOptions<T> = {
  readonly clock: Clock;
  /** At most this many at once. */
  readonly limit: number;
  /** Least time between two starts, ms; 0 = no pace. */
  readonly paceMs?: number;
  readonly brake?: Brake | undefined;
  /** The next item, or undefined when there is none now. */
  readonly next: () => T | undefined;
  /** A rejection is a defect: it ends the lane. */
  readonly run: (item: T) => Promise<void>;
};

export type Lane = ReturnType<typeof createLane>;

/** Starts per loop turn: enough for 64,000 a second, too few to hold up the loop. */
const STARTS_PER_TURN = 64;
/** A late timer may be made up for by this much, so that coarse timers do not slow the pace. */
const CATCH_UP_MS = 20;
const LEAST_LIMIT = 4;

export function createLane<T>({ clock, limit, paceMs = 0, brake, next, run }: LaneOptions<T>) {
  let most = limit;
  let active = 0;
  let mayStart = true;
  let isClosed = false;
  let isDry = false;
  let nextStartMs = 0;
  let cancelTimer: (() => void) | undefined;
  const { promise: drained, ...settle } = Promise.withResolvers<void>();
  const unsubscribe = brake?.onRelease(() => plan(0));

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
  const plan = (delayMs: number) => {
    if (cancelTimer !== undefined || !mayStart) return;
    cancelTimer = clock.after(delayMs, turn);
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
      plan(0);
      settleIfDone();
    }
  };
  const turn = () => {
    cancelTimer = undefined;
    if (!mayStart || brake?.isHeld()) return;
    isDry = false;
    for (let budget = STARTS_PER_TURN; active < most; budget--) {
      if (budget === 0) return plan(0);
      const nowMs = clock.monotonicMs();
      if (paceMs > 0 && nextStartMs > nowMs) return plan(nextStartMs - nowMs);
      const item = next();
      if (item === undefined) {
        isDry = true;
        return settleIfDone();
      }
      nextStartMs = Math.max(nextStartMs, nowMs - CATCH_UP_MS) + paceMs;
      void start(item);
    }
  };

  plan(0);
  return {
    /** There may be new items. */
    wake: () => plan(0),
    /** No further items will come; `drained` resolves when all are done. */
    close(): void {
      isClosed = true;
      plan(0);
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
    /** An item took more than its share of the pace: the next start waits that much longer. */
    charge(ms: number): void {
      nextStartMs += ms;
    },
    drained,
  };
}
