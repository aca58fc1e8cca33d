// The unit in which people count the hashrate of an algorithm, and the energy that one of it takes. Where the algorithm
// is not known it is TH/s. Pure.

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

/** Joules for one unit of work; null where one of both is not known, or it does not hash. */
export const efficiencyOf = (
  powerW: number | null,
  hashrateHs: number | null,
  algorithm: string | null,
): number | null =>
  powerW === null || hashrateHs === null || hashrateHs <= 0 ? null : powerW / (hashrateHs / unitOf(algorithm).sizeHs);
