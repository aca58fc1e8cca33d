// The arithmetic of historical metrics: what a report adds to a cell of ten minutes, how cells make an hour, which
// averages follow from sums. Pure.
//
// A cell counts miner-minutes. Within a cell the minutes in which something was known stand for those in which it was
// not: an average is the sum over the miner-minutes that know it / how many they are x the miners that reported it in
// the cell. So neither a restart of the agent nor a reading without the value makes a dip, and a miner that did not
// report it in ten minutes adds nothing. Longer buckets are the mean of their cells that have data.
import { OFFLINE_SOURCE } from '../../../model/document.ts';
import type { MinerRecord } from '../../../wire/records.ts';
import type { Row } from '../schema.ts';

export const MINUTE_MS = 60_000;
export const CELL_MS = 10 * MINUTE_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** What a farm has the sum of. */
export const QUANTITIES = ['hashrate', 'expected', 'power'] as const;
export type Quantity = (typeof QUANTITIES)[number];

/** Sums over cells; `online`, `hashrate`, `expected` and `power` are sums of the cells' averages. */
export type CellSums = Readonly<Omit<Row<'history_hours'>, 'farm_id' | 'from_at' | 'algorithm'>>;
/**
 * `…_count` says how many miner-minutes (in an hour: cells) know the value, `…_miners` how many miners (in an hour: the
 * sum over its cells); an unreachable miner is known to give nothing.
 */
export type Sums = Omit<CellSums, 'cells'>;

const ZEROS = {
  miners: 0,
  accounted: 0,
  online: 0,
  hashrate: 0,
  hashrate_count: 0,
  hashrate_miners: 0,
  expected: 0,
  expected_count: 0,
  expected_miners: 0,
  power: 0,
  power_count: 0,
  power_miners: 0,
  paired_power: 0,
  paired_hashrate: 0,
  temperature: 0,
  temperature_count: 0,
};
/** Which sums are added; of the largest temperature the larger one stays. */
export const ADDED = Object.keys(ZEROS).filter((name): name is keyof typeof ZEROS => name in ZEROS);
export const NO_SUMS: Sums = { ...ZEROS, temperature_max: null };
export const NO_CELLS: CellSums = { ...NO_SUMS, cells: 0 };

/** Null = not known. */
export function quantitiesOf({ document, extras }: MinerRecord): Readonly<Record<Quantity, number | null>> {
  const isOnline = document.last_check_succeed;
  // One missed or unreadable answer proves nothing about the work of the miner.
  const missing = extras.flags.some(({ type, source }) => type === 'network' && source === OFFLINE_SOURCE) ? 0 : null;
  return {
    hashrate: isOnline ? document.hashrate : missing,
    expected: extras.expected_hashrate,
    power: isOnline ? document.power : missing,
  };
}

/**
 * What one report adds for so many minutes. `isFirst`: whether the miner, or that it knows the quantity, has not been
 * counted in this cell.
 */
export function sumsOf(record: MinerRecord, minutes: number, isFirst: (what: 'miner' | Quantity) => boolean): Sums {
  const { document } = record;
  const isOnline = document.last_check_succeed;
  const { hashrate, expected, power } = quantitiesOf(record);
  const temperature = isOnline ? document.temp : null;
  const isPaired = isOnline && hashrate !== null && power !== null;
  const counted = (value: number | null) => (value === null ? 0 : minutes);
  const first = (what: 'miner' | Quantity) => (isFirst(what) ? 1 : 0);
  return {
    miners: first('miner'),
    accounted: minutes,
    online: isOnline ? minutes : 0,
    hashrate: (hashrate ?? 0) * minutes,
    hashrate_count: counted(hashrate),
    hashrate_miners: first('hashrate'),
    expected: (expected ?? 0) * minutes,
    expected_count: counted(expected),
    expected_miners: first('expected'),
    power: (power ?? 0) * minutes,
    power_count: counted(power),
    power_miners: first('power'),
    paired_power: isPaired ? power * minutes : 0,
    paired_hashrate: isPaired ? hashrate * minutes : 0,
    temperature: (temperature ?? 0) * minutes,
    temperature_count: counted(temperature),
    temperature_max: temperature,
  };
}

/** Null = none. */
export const larger = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.max(a, b);

export function add(a: Sums, b: Sums): Sums {
  const sums = { ...a, temperature_max: larger(a.temperature_max, b.temperature_max) };
  for (const name of ADDED) sums[name] += b[name];
  return sums;
}

/** A cell of miner-minutes as the first of a sum of cells. */
export function ofCell(cell: Sums): CellSums {
  if (cell.accounted === 0) return NO_CELLS;
  const known = (count: number) => (count > 0 ? 1 : 0);
  const total = (sum: number, miners: number, count: number) => (count === 0 ? 0 : (sum * miners) / count);
  return {
    ...cell,
    cells: 1,
    online: total(cell.online, cell.miners, cell.accounted),
    hashrate: total(cell.hashrate, cell.hashrate_miners, cell.hashrate_count),
    hashrate_count: known(cell.hashrate_count),
    expected: total(cell.expected, cell.expected_miners, cell.expected_count),
    expected_count: known(cell.expected_count),
    power: total(cell.power, cell.power_miners, cell.power_count),
    power_count: known(cell.power_count),
  };
}

export function addCells(a: CellSums, b: CellSums): CellSums {
  return { ...add(a, b), miners: Math.max(a.miners, b.miners), cells: a.cells + b.cells };
}

/** Null where nothing is known. H/s, W, J/TH, degrees Celsius. */
export type Averages = {
  readonly hashrate_avg: number | null;
  readonly expected_hashrate_avg: number | null;
  readonly power_avg: number | null;
  readonly efficiency: number | null;
  readonly temperature_avg: number | null;
  readonly temperature_max: number | null;
  readonly miners_online_avg: number | null;
};

const HS_PER_THS = 1e12;
const mean = (sum: number, count: number) => (count === 0 ? null : sum / count);

export function averagesOf(sums: CellSums): Averages {
  return {
    hashrate_avg: mean(sums.hashrate, sums.hashrate_count),
    expected_hashrate_avg: mean(sums.expected, sums.expected_count),
    power_avg: mean(sums.power, sums.power_count),
    efficiency: mean(sums.paired_power, sums.paired_hashrate / HS_PER_THS),
    temperature_avg: mean(sums.temperature, sums.temperature_count),
    temperature_max: sums.temperature_max,
    miners_online_avg: mean(sums.online, sums.cells),
  };
}
