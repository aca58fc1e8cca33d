// What to do about a miner that shows other pools than its locked ones. Pure.
import type { DesiredPools } from './desired-pools.ts';

/** `tries` = attempts in a row; `retryS` = pause after the first that failed, doubled with each further one. */
type RestoreSettings = { readonly tries: number; readonly dailyCap: number; readonly retryS: number };

const LONGEST_PAUSE_S = 3_600;

type RestoreFacts = {
  readonly desired: Pick<DesiredPools, 'failures' | 'nextMs'>;
  readonly settings: RestoreSettings;
  /** As `DesiredPools.nextMs`. */
  readonly nowMs: number;
  /** Why nothing may be set here now, for people. */
  readonly refusal: string | undefined;
  /** Updates of the miner's pools in the last 24 hours. */
  readonly updatesToday: number;
};

/** A text says why the pools are not set again, for people. */
export function restoreVerdict(facts: RestoreFacts): 'restore' | 'wait' | { readonly trouble: string } {
  const { desired, settings, refusal } = facts;
  if (refusal !== undefined) return { trouble: `the locked pools are others now, and are not set again: ${refusal}` };
  if (desired.failures >= settings.tries)
    return { trouble: `the locked pools could not be set again in ${desired.failures} attempts` };
  if (facts.updatesToday >= settings.dailyCap)
    return { trouble: `the locked pools were set ${settings.dailyCap} times in 24 hours, and are others again` };
  return facts.nowMs >= desired.nextMs ? 'restore' : 'wait';
}

export function afterAttempt(
  desired: DesiredPools,
  isSuccess: boolean,
  { retryS }: RestoreSettings,
  nowMs: number,
): DesiredPools {
  const failures = isSuccess ? 0 : desired.failures + 1;
  const pauseS = Math.min(LONGEST_PAUSE_S, retryS * 2 ** Math.max(0, failures - 1));
  return { ...desired, failures, nextMs: Math.round(nowMs + pauseS * 1_000) };
}
