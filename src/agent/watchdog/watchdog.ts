// Sees when the agent no longer gets on although it should: polls that do not start, records that do not reach the
// disk. A dead uplink or a full disk is not that: a restart would help neither. It only looks; who asks decides.
import type { Clock } from '../../base/clock.ts';

export type Watchdog = ReturnType<typeof createWatchdog>;

type Parts = {
  readonly clock: Clock;
  /** A poll may start this late at worst. */
  readonly maxOverdueMs: () => number;
  readonly overdueMs: () => number;
  readonly outbox: () => {
    readonly pendingRecords: number;
    readonly lastCommitAt: number | undefined;
    readonly fault: string | undefined;
  };
};

/** Records wait a few hundred milliseconds for their slice, and as long again for the disk. */
const MAX_UNWRITTEN_MS = 60_000;

export function createWatchdog({ clock, maxOverdueMs, overdueMs, outbox }: Parts) {
  let waiting: { readonly sinceMs: number; readonly lastCommitAt: number | undefined } | undefined;
  const unwrittenMs = (): number => {
    const { pendingRecords, lastCommitAt, fault } = outbox();
    const isWaiting = pendingRecords > 0 && fault === undefined;
    if (!isWaiting) waiting = undefined;
    else if (waiting === undefined || waiting.lastCommitAt !== lastCommitAt)
      waiting = { sinceMs: clock.monotonicMs(), lastCommitAt };
    return waiting === undefined ? 0 : clock.monotonicMs() - waiting.sinceMs;
  };
  const look = () => {
    const unwritten = unwrittenMs();
    if (unwritten > MAX_UNWRITTEN_MS) return `nothing was written for ${Math.round(unwritten / 1_000)} s`;
    const overdue = overdueMs();
    return overdue > maxOverdueMs() ? `the next poll is ${Math.round(overdue / 1_000)} s late` : undefined;
  };
  let last: { readonly reason: string; readonly atMs: number } | undefined;
  let isStalled = false;
  return {
    /** What stands still; undefined while all is well. To be asked now and then. */
    stalled(): string | undefined {
      const reason = look();
      if (reason !== undefined)
        last = { reason, atMs: isStalled && last !== undefined ? last.atMs : clock.elapsedMs() };
      isStalled = reason !== undefined;
      return reason;
    },
    /** The newest one that was seen, over or not; `atMs` = when it was seen first, by `Clock.elapsedMs`. */
    last: () => last,
  };
}
