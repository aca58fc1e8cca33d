// The unit in which people count the hashrate of an algorithm, in lists and spreadsheets. Where the algorithm is not
// known it is TH/s.
import { formatHashrate, UNKNOWN } from '../../output/format.ts';

export type RateUnit = { readonly name: string; readonly sizeHs: number; readonly efficiency: string };

const TH: RateUnit = { name: 'TH/s', sizeHs: 1e12, efficiency: 'J/TH' };
const GH: RateUnit = { name: 'GH/s', sizeHs: 1e9, efficiency: 'J/GH' };
const MH: RateUnit = { name: 'MH/s', sizeHs: 1e6, efficiency: 'J/MH' };
const KH: RateUnit = { name: 'kH/s', sizeHs: 1e3, efficiency: 'J/kH' };

/** All others have machines of some TH/s. */
const OTHERS: ReadonlyMap<string, RateUnit> = new Map([
  ['scrypt', GH],
  ['x11', GH],
  ['ethash', MH],
  ['cryptonight', KH],
  ['equihash', KH],
  ['randomx', KH],
  ['tensority', KH],
]);

export const unitOf = (algorithm: string | null): RateUnit => OTHERS.get(algorithm ?? '') ?? TH;

/** `104.2 TH/s`, and `0.52 TH/s` of a miner that hashes at half a TH/s: rows of one algorithm have one unit. */
export function rateText(hashrateHs: number | null, algorithm: string | null): string {
  if (hashrateHs === null) return UNKNOWN;
  if (algorithm === null) return formatHashrate(hashrateHs);
  const { name, sizeHs } = unitOf(algorithm);
  const rate = hashrateHs / sizeHs;
  return `${rate.toFixed(rate >= 100 ? 1 : 2)} ${name}`;
}

/** Joules for one unit of work; null where one of both is not known, or it does not hash. */
export const efficiencyOf = (
  powerW: number | null,
  hashrateHs: number | null,
  algorithm: string | null,
): number | null =>
  powerW === null || hashrateHs === null || hashrateHs <= 0 ? null : powerW / (hashrateHs / unitOf(algorithm).sizeHs);
