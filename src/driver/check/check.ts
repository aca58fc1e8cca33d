// The contract that every driver is held to, as plain functions: what a driver owes, checked with its own cases. For
// the tests of all drivers, and for `driver check` of one.
import { damageChecks } from './answers/damage.ts';
import { fillerHunt } from './answers/filler-hunt.ts';
import { goneHunt } from './answers/gone-hunt.ts';
import { listEnd } from './answers/list-end.ts';
import { unreadPools } from './answers/unread-pools.ts';
import { zeroHunt } from './answers/zero-hunt.ts';
import { CASE_CHECKS } from './cases/cases.ts';
import { DATA_CHECKS } from './data.ts';
import { type Check, type Finding, runCheck, type Subject } from './finding.ts';
import { form } from './form.ts';
import { PROOF_CHECKS } from './proofs.ts';
import { SILENCE_CHECKS } from './silence.ts';

/** Damaged answers of a first look. */
export const FIRST_LOOK = 60;

/** Seconds for a driver with many cases. */
export const QUICK_CHECKS: readonly Check<Subject>[] = [
  ...DATA_CHECKS,
  ...PROOF_CHECKS,
  ...SILENCE_CHECKS,
  ...CASE_CHECKS,
  ...damageChecks(FIRST_LOOK),
];
/** Each value of each case is damaged in turn. */
export const HUNTS: readonly Check<Subject>[] = [goneHunt, listEnd, unreadPools, zeroHunt, fillerHunt];

/**
 * All that can be said of a driver without a device. Nothing is sent. Empty = it keeps the contract. `onStep` = what
 * begins.
 */
export async function checkDriver(
  subject: Subject,
  checks: readonly Check<Subject>[] = [...QUICK_CHECKS, ...HUNTS],
  onStep: (name: string) => void = () => {},
): Promise<readonly Finding[]> {
  const unfit = await runCheck(form, subject);
  if (unfit.length > 0) return unfit;
  const found: Finding[] = [];
  for (const check of checks) {
    onStep(check.name);
    found.push(...(await runCheck(check, subject)));
  }
  return found;
}
