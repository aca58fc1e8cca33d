// At most so many in any window of time: a sliding window, without a timer.
import type { Clock } from '../clock.ts';

/** Returns whether one more may pass now, and counts it if so: at most `most` in any window. */
export function createRateLimit(clock: Pick<Clock, 'monotonicMs'>, most: number, windowMs: number): () => boolean {
  const passed: number[] = [];
  return () => {
    const nowMs = clock.monotonicMs();
    while (passed.length > 0 && nowMs - (passed[0] ?? 0) >= windowMs) passed.shift();
    if (passed.length >= most) return false;
    passed.push(nowMs);
    return true;
  };
}
