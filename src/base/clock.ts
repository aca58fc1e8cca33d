// The only place that reads time and waits for it. Other code gets a Clock, so that a test runs hours in milliseconds.
// It knows no calendars and no zones.
import { uptime } from 'node:os';
import { CancelledError } from './errors.ts';
import { createElapsedTime } from './time/elapsed-time.ts';

export type Cancel = () => void;

export type Clock = {
  /** Wall time, ms since the epoch. May step. For stamps only. */
  nowMs(): number;
  /**
   * Monotonic ms since an arbitrary start, for durations and deadlines. On Linux it stops while the host is suspended.
   */
  monotonicMs(): number;
  /** Monotonic ms since an arbitrary start that go on while the host is suspended. For lives that others have set. */
  elapsedMs(): number;
  /** Calls `run` once after `delayMs`. Does not keep the process alive by itself when `unref` is true. */
  after(delayMs: number, run: () => void, options?: { unref?: boolean }): Cancel;
  /** Resolves after `delayMs`; rejects with CancelledError as soon as `signal` aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
};

/** `sleep` for any clock that has `after`. */
export function sleepOn(clock: Pick<Clock, 'after'>, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new CancelledError('wait', signal.reason));
      return;
    }
    const onAbort = () => {
      cancel();
      reject(new CancelledError('wait', signal?.reason));
    };
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  elapsedMs: createElapsedTime({
    monotonicMs: () => performance.now(),
    wallMs: () => Date.now(),
    uptimeMs: () => uptime() * 1_000,
  }),
  after(delayMs, run, options) {
    const timer = setTimeout(run, Math.max(0, delayMs));
    if (options?.unref) timer.unref();
    return () => clearTimeout(timer);
  },
  sleep: (delayMs, signal) => sleepOn(systemClock, delayMs, signal),
};

/** Resolves when everything that waits for the event loop has run once. For use between the parts of long work. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Runs `step` every `intervalMs` until the signal aborts. A step that throws goes to `onError`; the loop goes on. */
export async function loop(
  clock: Clock,
  { intervalMs, signal, onError }: { intervalMs: number; signal: AbortSignal; onError: (error: unknown) => void },
  step: () => Promise<void> | void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await step();
    } catch (error) {
      if (signal.aborted) return;
      onError(error);
    }
    try {
      await clock.sleep(intervalMs, signal);
    } catch {
      return;
    }
  }
}
