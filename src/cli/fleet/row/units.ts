// A hashrate in the unit of its algorithm, for lists.
import { unitOf } from '../../../model/board/algorithm-units.ts';
import { formatHashrate, UNKNOWN } from '../../output/format.ts';

/** `104.2 TH/s`, and `0.52 TH/s` of a miner that hashes at half a TH/s: rows of one algorithm have one unit. */
export function rateText(hashrateHs: number | null, algorithm: string | null): string {
  if (hashrateHs === null) return UNKNOWN;
  if (algorithm === null) return formatHashrate(hashrateHs);
  const { name, sizeHs } = unitOf(algorithm);
  const rate = hashrateHs / sizeHs;
  return `${rate.toFixed(rate >= 100 ? 1 : 2)} ${name}`;
}
