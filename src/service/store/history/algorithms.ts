// History by algorithm: which rows hold what, and what a whole farm is. Hashrates of different algorithms are never
// added up: the hashrate of a whole farm is that of its only algorithm, or none. Pure.
import type { MinerRecord } from '../../../wire/records.ts';
import { ADDED, addCells, type CellSums, larger, NO_CELLS } from './history-sums.ts';

/** In the column: all algorithms together; and the miners of which it is not known. */
export const WHOLE = '';
export const NOT_KNOWN = '-';

/** Those that have rows: an agent that reports other words must not make rows without end. */
export const ALGORITHMS = [
  'blake256r14',
  'blake2b',
  'blake2s',
  'blake3',
  'cryptonight',
  'eaglesong',
  'equihash',
  'ethash',
  'handshake',
  'kheavyhash',
  'randomx',
  'scrypt',
  'sha256',
  'tensority',
  'x11',
] as const;

export const algorithmOf = ({ extras }: MinerRecord): string =>
  ALGORITHMS.find((algorithm) => algorithm === extras.algorithm) ?? NOT_KNOWN;
export const shownAlgorithm = (algorithm: string): string | null => (algorithm === NOT_KNOWN ? null : algorithm);

/** By name, those that are not known last. */
export const sortAlgorithms = (algorithms: Iterable<string>): string[] =>
  [...new Set(algorithms)].toSorted((a, b) => (a === NOT_KNOWN ? 1 : b === NOT_KNOWN ? -1 : a < b ? -1 : 1));
export const listAlgorithms = (algorithms: Iterable<string>): (string | null)[] =>
  sortAlgorithms(algorithms).map(shownAlgorithm);

export type OfAlgorithm = { readonly algorithm: string; readonly sums: CellSums };

/** The algorithms of the same ten minutes as one, without hashrates. */
export function togetherInCell(parts: readonly CellSums[]): CellSums {
  const sums = { ...NO_CELLS, cells: Math.min(1, parts.length) };
  for (const part of parts) {
    for (const name of ADDED) sums[name] += part[name];
    sums.temperature_max = larger(sums.temperature_max, part.temperature_max);
  }
  return withoutHashrates({ ...sums, power_count: Math.min(1, sums.power_count) });
}

export const withoutHashrates = (sums: CellSums): CellSums => ({
  ...sums,
  ...{ hashrate: 0, hashrate_count: 0, hashrate_miners: 0, expected: 0, expected_count: 0, expected_miners: 0 },
  ...{ paired_power: 0, paired_hashrate: 0 },
});

/** Of several algorithms the one that is known, if it is one: miners of unknown ones are not added to it. */
export function onlyAlgorithm(algorithms: readonly string[]): string | undefined {
  const known = algorithms.filter((algorithm) => algorithm !== NOT_KNOWN);
  return known.length === 0 ? algorithms[0] : known.length === 1 ? known[0] : undefined;
}

/** One time of a farm: its algorithms, and all of it in sums without hashrates. */
export type FarmPart = { readonly fromMs: number; readonly of: readonly OfAlgorithm[]; readonly whole: CellSums };

/** What a bucket adds up to. */
export type BucketSums = { readonly whole: CellSums; readonly of: ReadonlyMap<string, CellSums> };

export function addParts(parts: readonly FarmPart[]): BucketSums {
  let whole = NO_CELLS;
  const of = new Map<string, CellSums>();
  for (const part of parts) {
    whole = addCells(whole, part.whole);
    for (const { algorithm, sums } of part.of) of.set(algorithm, addCells(of.get(algorithm) ?? NO_CELLS, sums));
  }
  return { whole, of };
}

/** The sums of all with the hashrates of its only algorithm. */
export function shownSums({ whole, of }: BucketSums): CellSums {
  const only = onlyAlgorithm([...of.keys()]);
  const { hashrate, hashrate_count, hashrate_miners, ...more } = (only !== undefined && of.get(only)) || NO_CELLS;
  const { expected, expected_count, expected_miners, paired_power, paired_hashrate } = more;
  return {
    ...{ ...whole, hashrate, hashrate_count, hashrate_miners, expected, expected_count, expected_miners },
    ...{ paired_power, paired_hashrate },
  };
}
