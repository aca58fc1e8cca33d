// Whether a miner has restarted since the sample before, and whether one of our own tasks did it. Pure.
import type { Reading } from '../../../../model/reading.ts';
import type { History } from '../state.ts';

/** Uptime counters of devices jitter by a few seconds. */
const UPTIME_JITTER_S = 10;
/** Devices count in steps, and from when they are ready. */
const EARLY_MS = 60_000;
/** What a task changes makes some devices restart their mining more than once, and minutes later. */
const LATE_MS = 15 * 60_000;

/** A task that may restart the mining: when it began and ended, by the clock of `nowMs`; not ended = undefined. */
export type OwnAction = { readonly startedMs: number; readonly finishedMs: number | undefined };

const wentBack = (beforeS: number | undefined, nowS: number | undefined): boolean =>
  beforeS !== undefined && nowS !== undefined && nowS < beforeS - UPTIME_JITTER_S;

/** Some tell only one of the two clocks; they are never held against each other. */
export const hasRestarted = (before: Pick<History, 'uptimeS' | 'systemUptimeS'>, reading: Reading): boolean =>
  wentBack(before.uptimeS, reading.uptimeS) || wentBack(before.systemUptimeS, reading.systemUptimeS);

/** How long ago the miner says that it restarted. */
export const restartAgeMs = ({ uptimeS, systemUptimeS }: Reading): number => (uptimeS ?? systemUptimeS ?? 0) * 1_000;

/** `actions`: those of the miner since some time; `nowMs` by the same clock as theirs. */
export function isOurs(reading: Reading, actions: readonly OwnAction[], nowMs: number): boolean {
  const restartMs = nowMs - restartAgeMs(reading);
  return actions.some(
    ({ startedMs, finishedMs = nowMs }) => restartMs >= startedMs - EARLY_MS && restartMs <= finishedMs + LATE_MS,
  );
}
