// A day of one miner in a text of 384 characters, 16 to each hour of UTC, always of the same length: the row does not
// grow while the day goes on. Rates and watts keep four digits (to 0.013 %), temperatures a tenth of a degree. It knows
// no miner.
//
// An hour is four numbers of 24 bits: minutes with a report, minutes with an answer and the mean temperature; minutes
// that know the hashrate and its mean; the same of power; minutes that know the temperature and its peak.
import { addHours, type HourSums, isEmpty, NO_HOUR } from './hour-sums.ts';

export const HOURS = 24;
const HOUR_BYTES = 12;
const BYTES_OF_NUMBER = 3;
const HOUR_MINUTES = 60;

/** A count has six bits. */
const COUNT = 64;
const TENTHS = 4_096;
const COLDEST_C = -100;
const RATE = 2 ** 18;
const MANTISSA = 4_096;
/** Of the smallest rate that is not 0: an eighth. */
const FIRST_EXPONENT = -3;
const EXPONENTS = 64;

export type PackedDay = Buffer;

export const emptyDay = (): PackedDay => Buffer.alloc(HOURS * HOUR_BYTES);
export const readDay = (text: string): PackedDay => Buffer.from(text, 'base64');
export const writeDay = (day: PackedDay): string => day.toString('base64');

/** Undefined = nothing is known of the hour. */
export function hourOf(day: PackedDay, hour: number): HourSums | undefined {
  const number = (index: number) => day.readUIntBE(hour * HOUR_BYTES + index * BYTES_OF_NUMBER, BYTES_OF_NUMBER);
  const [minutes, hashrate, power, peak] = [number(0), number(1), number(2), number(3)];
  const hashrateCount = Math.floor(hashrate / RATE);
  const powerCount = Math.floor(power / RATE);
  const temperatureCount = Math.floor(peak / RATE);
  const sums: HourSums = {
    accounted: Math.floor(minutes / RATE),
    online: Math.floor(minutes / TENTHS) % COUNT,
    hashrate: readRate(hashrate % RATE) * hashrateCount,
    hashrateCount,
    power: readRate(power % RATE) * powerCount,
    powerCount,
    temperature: (readTenths(minutes % TENTHS) ?? 0) * temperatureCount,
    temperatureCount,
    temperatureMax: readTenths(peak % TENTHS),
  };
  return isEmpty(sums) ? undefined : sums;
}

export function setHour(day: PackedDay, hour: number, sums: HourSums): void {
  const mean = (sum: number, of: number) => (of === 0 ? 0 : sum / of);
  const numbers = [
    (count(sums.accounted) * COUNT + count(sums.online)) * TENTHS +
      (sums.temperatureCount === 0 ? 0 : toTenths(sums.temperature / sums.temperatureCount)),
    count(sums.hashrateCount) * RATE + toRate(mean(sums.hashrate, sums.hashrateCount)),
    count(sums.powerCount) * RATE + toRate(mean(sums.power, sums.powerCount)),
    count(sums.temperatureCount) * RATE + (sums.temperatureMax === null ? 0 : toTenths(sums.temperatureMax)),
  ];
  for (const [index, number] of numbers.entries())
    day.writeUIntBE(number, hour * HOUR_BYTES + index * BYTES_OF_NUMBER, BYTES_OF_NUMBER);
}

export const addToDay = (day: PackedDay, hour: number, sums: HourSums): void =>
  setHour(day, hour, addHours(hourOf(day, hour) ?? NO_HOUR, sums));

const count = (minutes: number) => Math.min(HOUR_MINUTES, minutes);

/** 0 = none. */
const toTenths = (celsius: number) => Math.min(TENTHS - 1, Math.max(1, Math.round((celsius - COLDEST_C) * 10) + 1));
const readTenths = (tenths: number) => (tenths === 0 ? null : (tenths - 1) / 10 + COLDEST_C);

/** A floating number with 6 bits of exponent and 12 of mantissa, never negative. */
function toRate(value: number): number {
  if (value < 2 ** FIRST_EXPONENT) return 0;
  let exponent = Math.floor(Math.log2(value));
  if (2 ** exponent > value) exponent--;
  const mantissa = Math.round((value / 2 ** exponent - 1) * MANTISSA);
  // A mantissa that is rounded up to the next power carries into the exponent.
  return Math.min(EXPONENTS * MANTISSA - 1, (exponent - FIRST_EXPONENT + 1) * MANTISSA + mantissa);
}

const readRate = (code: number) =>
  code < MANTISSA ? 0 : (1 + (code % MANTISSA) / MANTISSA) * 2 ** (Math.floor(code / MANTISSA) - 1 + FIRST_EXPONENT);
