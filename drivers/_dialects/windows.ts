// The windows of hashrate of a row in the CGMiner dialect (atlas 1.4): `MHS 5s`, `GHS av`, ...
import { first, toNumber } from '../../src/driver/fields.ts';
import type { Reading } from '../../src/model/reading.ts';
import { present, rateHs } from './cgminer.ts';

type Window = '5s' | '1m' | '5m' | '15m' | '30m' | '24h' | 'av';

/** One window of a row with keys such as `MHS 5s` or `GHS av`, as H/s. */
export function windowHs(row: Readonly<Record<string, unknown>>, window: Window): number | undefined {
  return first(
    rateHs(row[`MHS ${window}`], 'M'),
    rateHs(row[`GHS ${window}`], 'G'),
    rateHs(row[`THS ${window}`], 'T'),
    rateHs(row[`KHS ${window}`], 'K'),
  );
}

type Hashrates = Pick<
  Reading,
  'hashrateHs' | 'hashrateWindow' | 'hashrateSettledHs' | 'hashrateAverageHs' | 'hashrate24hHs'
>;

const NOW = [
  ['5s', '5s'],
  ['1m', '1m'],
  ['5m', '5m'],
  ['av', 'average'],
] as const;

const SETTLED = [
  ['15m', 900],
  ['5m', 300],
  ['30m', 1_800],
] as const;

/**
 * The hashrate fields of a Reading from a `summary` row: now = shortest window, settled = 15, 5 or 30 min. A window
 * longer than the program has run counts the time before as 0, so it is not settled.
 */
export function hashrates(row: Readonly<Record<string, unknown>>): Hashrates {
  const now = NOW.find(([window]) => windowHs(row, window) !== undefined);
  const runsS = toNumber(row.Elapsed, { min: 0 }) ?? Infinity;
  const settled = SETTLED.find(([window, lastsS]) => lastsS <= runsS && windowHs(row, window) !== undefined);
  return present({
    hashrateHs: now && windowHs(row, now[0]),
    hashrateWindow: now?.[1],
    hashrateSettledHs: settled && windowHs(row, settled[0]),
    hashrateAverageHs: windowHs(row, 'av'),
    hashrate24hHs: windowHs(row, '24h'),
  });
}
