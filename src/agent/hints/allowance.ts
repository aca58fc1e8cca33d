// At most so many in any window of time. It counts what it lets through and keeps no more than that.
import type { Clock } from '../../base/clock.ts';

export type Allowance = {
  /** Whether one more may pass now; if so, it counts. */
  take(): boolean;
};

export function createAllowance(clock: Pick<Clock, 'monotonicMs'>, most: number, windowMs: number): Allowance {
  const passed: number[] = [];
  return {
    take() {
      const nowMs = clock.monotonicMs();
      while (passed.length > 0 && nowMs - (passed[0] ?? 0) >= windowMs) passed.shift();
      if (passed.length >= most) return false;
      passed.push(nowMs);
      return true;
    },
  };
}
