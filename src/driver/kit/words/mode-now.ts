// The mode of a machine that says apart what it is set to and whether it sleeps.
import type { Reading } from '../../../model/reading.ts';
import { positive } from '../figures.ts';

/** What it is set to holds for one that is awake: by its own word, and where that is missing because it hashes. */
export function modeNow(
  isAsleep: boolean | undefined,
  hashrateHs: number | undefined,
  set: Reading['miningMode'] | undefined,
): Reading['miningMode'] | undefined {
  if (isAsleep === true) return 'sleep';
  return isAsleep === false || positive(hashrateHs) !== undefined ? set : undefined;
}
