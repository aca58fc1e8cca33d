// Protects the farm's breakers: what starts into full load in any window of time stays within a power, over all who ask
// for it. First come, first served.
import type { Cancel, Clock } from '../../../base/clock.ts';
import { CancelledError } from '../../../base/errors.ts';

export type PowerBudget = ReturnType<typeof createPowerBudget>;

/** `limitW` = the sum of what may start within the window. */
export type BudgetBounds = { readonly limitW: number; readonly windowMs: number };

type Start = { readonly atMs: number; readonly powerW: number };
type Waiter = { readonly powerW: number; readonly go: () => void };

/**
 * `recent` = starts of an earlier run that still count. `bounds` is asked anew each time: the farm grows, and settings
 * change.
 */
export function createPowerBudget(
  clock: Clock,
  options: {
    readonly bounds: () => BudgetBounds;
    readonly recent: readonly { readonly ageMs: number; readonly powerW: number }[];
  },
) {
  let starts: Start[] = options.recent
    .map(({ ageMs, powerW }) => ({ atMs: clock.monotonicMs() - ageMs, powerW }))
    .sort((a, b) => a.atMs - b.atMs);
  let waiting: Waiter[] = [];
  let timer: Cancel | undefined;

  const admit = () => {
    timer?.();
    timer = undefined;
    const { limitW, windowMs } = options.bounds();
    const nowMs = clock.monotonicMs();
    starts = starts.filter(({ atMs }) => atMs > nowMs - windowMs);
    let usedW = starts.reduce((sum, { powerW }) => sum + powerW, 0);
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      // One that is larger than the whole budget goes alone: otherwise it never would.
      if (starts.length > 0 && usedW + next.powerW > limitW) break;
      waiting.shift();
      starts.push({ atMs: nowMs, powerW: next.powerW });
      usedW += next.powerW;
      next.go();
    }
    const oldest = starts[0];
    if (waiting.length > 0 && oldest !== undefined) timer = clock.after(oldest.atMs + windowMs - nowMs, admit);
  };

  return {
    /**
     * Resolves when so much more may start now, and counts it. Rejects with CancelledError when the signal aborts
     * first.
     */
    pass: (powerW: number, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        if (signal.aborted) return reject(new CancelledError('wait for the power budget', signal.reason));
        const onAbort = () => {
          waiting = waiting.filter((entry) => entry !== waiter);
          if (waiting.length === 0) timer?.();
          else admit();
          reject(new CancelledError('wait for the power budget', signal.reason));
        };
        const go = () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        };
        const waiter = { powerW, go };
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.push(waiter);
        admit();
      }),
  };
}
