// Removes implausible values from a reading; rule `unknown` reports them. The bounds are wide on purpose: no working
// device reaches them, but wrong units and broken sensors do.
import type { BoardReading, PoolReading, PsuReading, Reading } from '../../../../model/reading.ts';
import type { Expectations, Expected, Suspect } from '../rule.ts';
import type { AnomalySettings } from '../settings.ts';

export type Believed = { readonly reading: Reading; readonly suspects: readonly Suspect[] };

const MAX_RPM = 20_000;
/** No chip works beyond this: the sensor is broken or absent. */
const MAX_PART_C = 150;
/** Air or coolant on its way in or out. */
const MAX_FLOW_C = 110;
/** The largest units of 2026 draw about 20 kW. */
const MAX_POWER_W = 40_000;
/** Ten years; a start time of 0 gives more than fifty. */
const MAX_UPTIME_S = 10 * 365 * 86_400;
/** Far above the difficulty of any network. */
const MAX_DIFFICULTY = 1e20;
/** A learned expectation, or one of one table, may be far too low. A wrong unit is off by a factor of 1,000. */
const SLACK = 20;

/** Whether the value is above the limit; then it is noted as a suspect. */
type Check = (source: string, value: number | undefined, limit: number) => boolean;

/** The reading without implausible values, and those values. The same object when it has none. */
export function plausible(reading: Reading, expected: Expectations, { unknown }: AnomalySettings): Believed {
  const suspects: Suspect[] = [];
  const isFalse: Check = (source, value, limit) => {
    if (value === undefined || value <= limit) return false;
    suspects.push({ source, value, limit });
    return true;
  };
  const limitHs = rateLimit(expected.hashrateHs, reading, unknown);
  const perBoardHs = limitHs.ofAll / Math.max(1, Math.min(expected.boards?.value ?? 1, reading.boards?.length ?? 1));
  const boards = each(reading.boards, (board, index) =>
    believedBoard(board, `boards[${index}]`, boardLimit(board, limitHs, perBoardHs), isFalse),
  );
  const psus = each(reading.psus, (psu, index) => believedPsu(psu, `psus[${index}]`, isFalse));
  const pools = each(reading.pools, (pool) => believedPool(pool, `pools[${pool.index}]`, isFalse));
  // The fan is there, but its speed is not known.
  const fans = each(reading.fans, (fan) =>
    isFalse(`fans[${fan.index}].rpm`, fan.rpm, MAX_RPM) ? without(fan, ['rpm']) : fan,
  );
  const wrong = wholeLimits(limitHs.ofAll, expected).flatMap(([name, limit]) =>
    isFalse(name, reading[name], limit) ? [name] : [],
  );
  const isExpectationWrong = isFalse('expected.hashrateHs', reading.expected?.hashrateHs, unknown.maxHashrateHs);
  // 0 W while it hashes: the sensor is wrong, which a rule of `power` reports.
  const isPowerBlind = reading.powerW === 0 && (reading.hashrateHs ?? 0) > 0;
  if (suspects.length === 0 && !isPowerBlind) return { reading, suspects };
  // Values of the whole miner come first.
  suspects.sort((a, b) => Number(a.source.includes('[')) - Number(b.source.includes('[')));
  const clean: Reading = {
    ...without(reading, wrong),
    ...(boards && { boards }),
    ...(psus && { psus }),
    ...(pools && { pools }),
    ...(fans && { fans }),
  };
  if (isPowerBlind) delete clean.powerW;
  if (isExpectationWrong && reading.expected !== undefined) clean.expected = without(reading.expected, ['hashrateHs']);
  return { reading: clean, suspects };
}

type RateLimit = {
  /** Of the whole miner. */
  readonly ofAll: number;
  /** A board may reach this multiple of its own expectation. */
  readonly boardRatio: number;
  readonly ceiling: number;
};

function rateLimit(
  expected: Expected | undefined,
  reading: Reading,
  { implausibleRatio, maxHashrateHs: ceiling }: AnomalySettings['unknown'],
): RateLimit {
  const isWeak = expected?.from === 'learned' || reading.expected?.unproven === true;
  const boardRatio = implausibleRatio * (isWeak ? SLACK : 1);
  // An impossible expectation proves nothing.
  const isSane = expected !== undefined && expected.value > 0 && expected.value <= ceiling;
  return { ofAll: isSane ? Math.min(ceiling, expected.value * boardRatio) : ceiling, boardRatio, ceiling };
}

/** A board may reach its share of the miner's limit; a higher expectation of its own counts instead. */
function boardLimit(
  { expectedHashrateHs: own }: BoardReading,
  { boardRatio, ceiling }: RateLimit,
  share: number,
): number {
  return own === undefined || own <= 0 || own > ceiling ? share : Math.min(ceiling, Math.max(share, own * boardRatio));
}

type Whole = Extract<keyof Reading, `${string}${'Hs' | 'W' | 'S' | 'C'}`>;

function wholeLimits(rateHs: number, { powerW }: Expectations) {
  const watts = Math.min(MAX_POWER_W, powerW === undefined ? MAX_POWER_W : powerW.value * SLACK);
  return [
    ['hashrateHs', rateHs],
    ['hashrateSettledHs', rateHs],
    ['hashrateAverageHs', rateHs],
    ['hashrate24hHs', rateHs],
    ['powerW', watts],
    ['psuOutputPowerW', watts],
    ['uptimeS', MAX_UPTIME_S],
    ['systemUptimeS', MAX_UPTIME_S],
    ['tempC', MAX_PART_C],
    ['inletTempC', MAX_FLOW_C],
    ['outletTempC', MAX_FLOW_C],
  ] as const satisfies readonly (readonly [Whole, number])[];
}

function believedBoard(board: BoardReading, where: string, limitHs: number, isFalse: Check): BoardReading {
  const limits = [
    ['hashrateHs', limitHs],
    ['chipTempMaxC', MAX_PART_C],
    ['chipTempAvgC', MAX_PART_C],
    ['inletTempC', MAX_FLOW_C],
    ['outletTempC', MAX_FLOW_C],
  ] as const;
  const wrong = limits.flatMap(([name, limit]) => (isFalse(`${where}.${name}`, board[name], limit) ? [name] : []));
  const sensors = each(board.boardTempsC, (tempC) =>
    isFalse(`${where}.boardTempsC`, tempC, MAX_PART_C) ? undefined : tempC,
  );
  if (wrong.length === 0 && sensors === board.boardTempsC) return board;
  return { ...without(board, wrong), ...(sensors && { boardTempsC: sensors }) };
}

function believedPsu(psu: PsuReading, where: string, isFalse: Check): PsuReading {
  const limits = [
    ['tempC', MAX_PART_C],
    ['inputPowerW', MAX_POWER_W],
    ['outputPowerW', MAX_POWER_W],
  ] as const;
  const wrong = limits.flatMap(([name, limit]) => (isFalse(`${where}.${name}`, psu[name], limit) ? [name] : []));
  return wrong.length === 0 ? psu : without(psu, wrong);
}

function believedPool(pool: PoolReading, where: string, isFalse: Check): PoolReading {
  const names = ['difficulty', 'difficultyAccepted', 'difficultyRejected', 'difficultyStale'] as const;
  const wrong = names.filter((name) => isFalse(`${where}.${name}`, pool[name], MAX_DIFFICULTY));
  return wrong.length === 0 ? pool : without(pool, wrong);
}

/** The same list when nothing in it changes; items that become undefined are left out. */
function each<T>(list: T[] | undefined, change: (item: T, index: number) => T | undefined): T[] | undefined {
  let changed: T[] | undefined;
  for (const [index, item] of (list ?? []).entries()) {
    const now = change(item, index);
    if (now !== item) changed ??= (list ?? []).slice(0, index);
    if (changed !== undefined && now !== undefined) changed.push(now);
  }
  return changed ?? list;
}

function without<T extends object>(from: T, names: readonly (keyof T)[]): T {
  const copy = { ...from };
  for (const name of names) Reflect.deleteProperty(copy, name);
  return copy;
}
