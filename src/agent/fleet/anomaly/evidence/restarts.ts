// Whether a miner has restarted since the sample before, and whether one of our own tasks did it. Pure.
import type { Reading } from '../../../../model/reading.ts';

/** Uptime counters of devices jitter by a few seconds. */
const UPTIME_JITTER_S = 10;
/** Devices count in steps, and from when they are ready. */
const EARLY_MS = 60_000;
/** What a task changes makes some devices restart their mining more than once, and minutes later. */
const LATE_MS = 15 * 60_000;

/** A task that may restart the mining: when it began and ended, by the clock of `nowMs`; not ended = undefined. */
export type OwnAction = { readonly startedMs: number; readonly finishedMs: number | undefined };

/** What has restarted is younger than the last look at it, give or take a clock that is set while the device boots. */
const YOUNG_SLACK_S = 300;
/** Between polls of the ordinary rhythm. Over longer gaps the clock of this host may have been set. */
const MAX_GAP_S = 600;

type Clocks = { readonly [K in 'uptimeS' | 'systemUptimeS']?: number | undefined };

/** A clock that is set, or that of another part, goes back as well: it is not the age of what began since the last look. */
function hasBegunAgain(beforeS: number | undefined, nowS: number | undefined, sinceS: number): boolean {
  if (beforeS === undefined || nowS === undefined || nowS === beforeS) return false;
  if (nowS < beforeS - UPTIME_JITTER_S) return nowS <= sinceS + YOUNG_SLACK_S;
  // It went on, from a later start: what restarts once per poll never goes back.
  return sinceS <= MAX_GAP_S && 2 * nowS < sinceS;
}

/** Since the reading that told `before`, `sinceMs` ago. Some tell only one of the two clocks; they are never held against each other. */
export const hasRestarted = (before: Clocks, now: Clocks, sinceMs: number): boolean =>
  hasBegunAgain(before.uptimeS, now.uptimeS, sinceMs / 1_000) ||
  hasBegunAgain(before.systemUptimeS, now.systemUptimeS, sinceMs / 1_000);

/** Without the time since: true for all that has restarted, and for others. */
export const mayHaveRestarted = (before: Clocks, now: Clocks): boolean =>
  hasRestarted(before, now, Infinity) ||
  [now.uptimeS, now.systemUptimeS].some((ageS) => (ageS ?? MAX_GAP_S) < MAX_GAP_S);

/** How long ago the miner says that it restarted. */
export const restartAgeMs = ({ uptimeS, systemUptimeS }: Reading): number => (uptimeS ?? systemUptimeS ?? 0) * 1_000;

/** `actions`: those of the miner since some time; `nowMs` by the same clock as theirs. */
export function isOurs(reading: Reading, actions: readonly OwnAction[], nowMs: number): boolean {
  const restartMs = nowMs - restartAgeMs(reading);
  return actions.some(
    ({ startedMs, finishedMs = nowMs }) => restartMs >= startedMs - EARLY_MS && restartMs <= finishedMs + LATE_MS,
  );
}
