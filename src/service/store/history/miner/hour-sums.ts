// The arithmetic of one miner's history: what is added up within an hour, how hours make longer times, which averages
// follow. Pure. A minute is in it once: presence-intervals.ts sees to that.
import type { MinerRecord } from '../../../../wire/records.ts';
import { larger, quantitiesOf } from '../history-sums.ts';

/**
 * Sums over minutes; `…_count` = how many minutes know the value. A miner that is known to be unreachable gives 0, see
 * history-sums.ts.
 */
export type HourSums = {
  /** Minutes with a report, good or not; `online` of them with an answer. */
  readonly accounted: number;
  readonly online: number;
  readonly hashrate: number;
  readonly hashrateCount: number;
  readonly power: number;
  readonly powerCount: number;
  readonly temperature: number;
  readonly temperatureCount: number;
  readonly temperatureMax: number | null;
};

export const NO_HOUR: HourSums = {
  ...{ accounted: 0, online: 0, hashrate: 0, hashrateCount: 0, power: 0, powerCount: 0 },
  ...{ temperature: 0, temperatureCount: 0, temperatureMax: null },
};

/** What a report gives for so many minutes. With none of them only its peak counts. */
export function minutesOf(record: MinerRecord, minutes: number): HourSums {
  const { last_check_succeed: isOnline, temp } = record.document;
  const { hashrate, power } = quantitiesOf(record);
  const temperature = isOnline ? temp : null;
  const counted = (value: number | null) => (value === null ? 0 : minutes);
  return {
    accounted: minutes,
    online: isOnline ? minutes : 0,
    hashrate: (hashrate ?? 0) * minutes,
    hashrateCount: counted(hashrate),
    power: (power ?? 0) * minutes,
    powerCount: counted(power),
    temperature: (temperature ?? 0) * minutes,
    temperatureCount: counted(temperature),
    temperatureMax: temperature,
  };
}

export const addHours = (a: HourSums, b: HourSums): HourSums => ({
  accounted: a.accounted + b.accounted,
  online: a.online + b.online,
  hashrate: a.hashrate + b.hashrate,
  hashrateCount: a.hashrateCount + b.hashrateCount,
  power: a.power + b.power,
  powerCount: a.powerCount + b.powerCount,
  temperature: a.temperature + b.temperature,
  temperatureCount: a.temperatureCount + b.temperatureCount,
  temperatureMax: larger(a.temperatureMax, b.temperatureMax),
});

export const isEmpty = ({ accounted, temperatureMax }: HourSums): boolean => accounted === 0 && temperatureMax === null;

/** Null where nothing is known. H/s, W, J/TH, degrees Celsius; `online` is a share. */
export type HourAverages = {
  readonly hashrate: number | null;
  readonly power: number | null;
  readonly efficiency: number | null;
  readonly temperature: number | null;
  readonly temperatureMax: number | null;
  readonly online: number | null;
};

const HS_PER_THS = 1e12;
const mean = (sum: number, count: number) => (count === 0 ? null : sum / count);

/** Over the minutes that know the value. `paired` are those of its hours that know power as often as hashrate. */
export function hourAverages(sums: HourSums, paired: HourSums): HourAverages {
  return {
    hashrate: mean(sums.hashrate, sums.hashrateCount),
    power: mean(sums.power, sums.powerCount),
    efficiency: mean(paired.power, paired.hashrate / HS_PER_THS),
    temperature: mean(sums.temperature, sums.temperatureCount),
    temperatureMax: sums.temperatureMax,
    online: mean(sums.online, sums.accounted),
  };
}

/** The efficiency counts hours in which both are known equally often: else the one would stand for other minutes. */
export const pairedOf = (sums: HourSums): HourSums => (sums.hashrateCount === sums.powerCount ? sums : NO_HOUR);
