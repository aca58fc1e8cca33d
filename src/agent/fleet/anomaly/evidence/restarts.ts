// Whether a miner has restarted since the last sample, and whether one of our own tasks did it. Pure.
import type { Reading } from '../../../../model/reading.ts';

/** Uptime counters of devices jitter by a few seconds. */
const UPTIME_JITTER_S = 10;
/** Devices count uptime in steps, and from when they are ready. */
const EARLY_MS = 60_000;
/** After a change some devices restart their mining more than once, and minutes later. */
const LATE_MS = 15 * 60_000;

/** A task that may restart the mining: when it began and ended, by the clock of `nowMs`; not ended = undefined. */
export type OwnAction = { readonly startedMs: number; readonly finishedMs: number | undefined };

/**
 * After a restart the uptime is at most this much longer than the time since the last look: a boot may set the clock.
 */
const YOUNG_SLACK_S = 300;
/** Between two ordinary polls. In a longer gap the clock of this host may have been set. */
const MAX_GAP_S = 600;

type Clocks = { readonly [K in 'uptimeS' | 'systemUptimeS']?: number | undefined };

/** An uptime may also go back because a clock was set: then it is longer than the time since the last look. */
function hasBegunAgain(beforeS: number | undefined, nowS: number | undefined, sinceS: number): boolean {
  if (beforeS === undefined || nowS === undefined || nowS === beforeS) return false;
  if (nowS < beforeS - UPTIME_JITTER_S) return nowS <= sinceS + YOUNG_SLACK_S;
  // An uptime much shorter than the time since the last look, without going back: it restarts once per poll.
  return sinceS <= MAX_GAP_S && 2 * nowS < sinceS;
}

/** Since the reading with `before`, `sinceMs` ago. The two uptimes are never compared with each other. */
export const hasRestarted = (before: Clocks, now: Clocks, sinceMs: number): boolean =>
  hasBegunAgain(before.uptimeS, now.uptimeS, sinceMs / 1_000) ||
  hasBegunAgain(before.systemUptimeS, now.systemUptimeS, sinceMs / 1_000);

/** Without the time since then: true for every restarted miner, and for some others. */
export const mayHaveRestarted = (before: Clocks, now: Clocks): boolean =>
  hasRestarted(before, now, Infinity) ||
  [now.uptimeS, now.systemUptimeS].some((ageS) => (ageS ?? MAX_GAP_S) < MAX_GAP_S);

/** Time since the restart, as the miner reports it. */
export const restartAgeMs = ({ uptimeS, systemUptimeS }: Reading): number => (uptimeS ?? systemUptimeS ?? 0) * 1_000;

/** `actions`: those of the miner since some time; `nowMs` by the same clock as theirs. */
export function isOurs(reading: Reading, actions: readonly OwnAction[], nowMs: number): boolean {
  const restartMs = nowMs - restartAgeMs(reading);
  return actions.some(
    ({ startedMs, finishedMs = nowMs }) => restartMs >= startedMs - EARLY_MS && restartMs <= finishedMs + LATE_MS,
  );
}
