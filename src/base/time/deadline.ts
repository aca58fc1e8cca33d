// A total bound on anything that waits. It settles in time even when the work ignores its signal; it cannot stop such
// work.
import type { Clock } from '../clock.ts';
import { CancelledError } from '../errors.ts';

type Deadline = {
  readonly deadlineMs: number;
  /** Ends it early, with CancelledError. */
  readonly signal?: AbortSignal;
  /** How long after the abort the work may still settle in its own way; default 0. */
  readonly graceMs?: number;
  /** What to reject with when the time is over. */
  readonly onDeadline: () => Error;
};

/**
 * Runs `work` with a signal that aborts after `deadlineMs` or with `signal`. Settles with the work if that settles
 * before the deadline or within the grace; else rejects with `onDeadline()`, or CancelledError when `signal` ended it.
 */
export function withDeadline<T>(
  clock: Pick<Clock, 'after'>,
  { deadlineMs, signal, graceMs = 0, onDeadline }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new CancelledError('start work', signal.reason));
      return;
    }
    const abort = new AbortController();
    let cancelTimer = () => {};
    const finish = () => {
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
    };
    const end = (error: Error) => {
      finish();
      cancelTimer = clock.after(graceMs, () => reject(error));
      abort.abort(error);
    };
    const onAbort = () => end(new CancelledError('wait for work', signal?.reason));
    cancelTimer = clock.after(deadlineMs, () => end(onDeadline()));
    signal?.addEventListener('abort', onAbort, { once: true });
    // `work` may throw before its first await.
    new Promise<T>((begin) => begin(work(abort.signal))).then(
      (value) => {
        finish();
        resolve(value);
      },
      (error: unknown) => {
        finish();
        reject(abort.signal.aborted ? abort.signal.reason : error);
      },
    );
  });
}
