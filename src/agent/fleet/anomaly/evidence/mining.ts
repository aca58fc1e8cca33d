// Whether a miner mines, and since when that is known. What a device does not say is no "no": the last proof stands, and rule `unknown` says so in time.
import type { Reading } from '../../../../model/reading.ts';
import type { History } from '../state.ts';

/** `true` or `false` by what this reading proves; undefined when it proves nothing. */
function proof(reading: Reading, acceptedBefore: number | undefined): boolean | undefined {
  const { hashrateHs, isMining, miningMode } = reading;
  if (miningMode === 'sleep' || isMining === false) return false;
  if (hashrateHs !== undefined && hashrateHs > 0) return true;
  const accepted = acceptedShares(reading);
  // A counter that went back was reset: that is no share.
  if (accepted !== undefined && acceptedBefore !== undefined && accepted > acceptedBefore) return true;
  return hashrateHs === 0 ? false : isMining;
}

/** After this reading: a state that is proven now, or the last proven one with its time. */
export function miningOf(before: History, reading: Reading, t: number): History['mining'] {
  const proven = proof(reading, before.shares?.accepted);
  return proven === undefined ? (before.mining ?? { knownT: t }) : { is: proven, knownT: t };
}

/** Accepted shares of all pools that tell theirs. */
export function acceptedShares({ pools }: Reading): number | undefined {
  let sum: number | undefined;
  for (const { accepted } of pools ?? []) if (accepted !== undefined) sum = (sum ?? 0) + accepted;
  return sum;
}
