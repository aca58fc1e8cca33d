// Protects the farm's breakers: at most `count` miners start into full load in any `windowS` seconds, over all
// who ask for it. First come, first served.
import type { Cancel, Clock } from '../../../base/clock.ts';
import { CancelledError } from '../../../base/errors.ts';

export type PowerBudget = ReturnType<typeof createPowerBudget>;

/** `recentMs` = starts of an earlier run that still count, as ages in ms. */
export function createPowerBudget(
  clock: Clock,
  { count, windowS, recentMs }: { count: number; windowS: number; recentMs: readonly number[] },
) {
  const windowMs = windowS * 1_000;
  let starts = recentMs.map((ageMs) => clock.monotonicMs() - ageMs).sort((a, b) => a - b);
  let waiting: (() => void)[] = [];
  let timer: Cancel | undefined;

  const admit = () => {
    timer?.();
    timer = undefined;
    const nowMs = clock.monotonicMs();
    starts = starts.filter((startMs) => startMs > nowMs - windowMs);
    while (waiting.length > 0 && starts.length < count) {
      starts.push(nowMs);
      waiting.shift()?.();
    }
    const oldest = starts[0];
    if (waiting.length > 0 && oldest !== undefined) timer = clock.after(oldest + windowMs - nowMs, admit);
  };

  return {
    /**
     * Resolves when one more may start now, and counts it. Rejects with CancelledError when the signal aborts first.
     */
    pass: (signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        if (signal.aborted) return reject(new CancelledError('wait for the power budget', signal.reason));
        const onAbort = () => {
          waiting = waiting.filter((entry) => entry !== go);
          if (waiting.length === 0) timer?.();
          reject(new CancelledError('wait for the power budget', signal.reason));
        };
        const go = () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        };
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.push(go);
        admit();
      }),
  };
}
