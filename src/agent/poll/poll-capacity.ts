// How many visits may run at once: a limit for fast ones, another for slow ones, and a share for miners that fail, so
// that hung miners never block healthy ones. It counts; it neither starts nor ends a visit.
import type { PollSettings } from './settings.ts';

type Visit = { readonly startMs: number; readonly isSuspect: boolean };

export function createPollCapacity({ maxInFlight, maxSlow, slowAfterMs }: PollSettings) {
  /** In order of their start. */
  const fast = new Set<Visit>();
  const slow = new Set<Visit>();
  const maxSuspects = Math.ceil((maxInFlight + maxSlow) / 2);
  let suspects = 0;
  return {
    /** Counts visits that take long as slow. Call it before `hasRoom`. */
    sortOutSlow(nowMs: number): void {
      for (const visit of fast) {
        if (visit.startMs + slowAfterMs > nowMs) return;
        fast.delete(visit);
        slow.add(visit);
      }
    },
    hasRoom: () => fast.size < maxInFlight && slow.size < maxSlow,
    hasRoomForSuspect: () => suspects < maxSuspects,
    begin(startMs: number, isSuspect: boolean): Visit {
      const visit = { startMs, isSuspect };
      fast.add(visit);
      if (isSuspect) suspects++;
      return visit;
    },
    end(visit: Visit): void {
      fast.delete(visit);
      slow.delete(visit);
      if (visit.isSuspect) suspects--;
    },
    /** When there may be room again although no visit ends; undefined when only the end of one helps. */
    nextRoomMs(): number | undefined {
      const oldest = fast.values().next().value;
      return oldest === undefined || slow.size >= maxSlow ? undefined : oldest.startMs + slowAfterMs;
    },
    inFlight: () => fast.size + slow.size,
  };
}
