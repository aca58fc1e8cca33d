// The hours of a miner that are still added to, as exact sums in a short text beside its presence: two of them, so that
// a late backlog and what is live do not push each other out. Older ones are due for the row of their day. Pure.
import { addHours, type HourSums, NO_HOUR } from './hour-sums.ts';

/** `hour` since the epoch. */
export type OpenHour = { readonly hour: number; readonly sums: HourSums };
/** The one that was added to last is the last one. */
export type OpenHours = readonly OpenHour[];

const KEPT_OPEN = 2;
const HOUR_MINUTES = 60;
/** Sums are kept to a hundredth, large ones whole: nothing that miners report is finer. */
const FINEST = 100;
const LARGE = 1e9;

export function addToHour(open: OpenHours, hour: number, sums: HourSums): OpenHours {
  const before = open.find((one) => one.hour === hour)?.sums ?? NO_HOUR;
  return [...open.filter((one) => one.hour !== hour), { hour, sums: addHours(before, sums) }];
}

/**
 * Which of the hours go to the rows of their days. All miners begin an hour at the same time: each may wait until
 * another minute of it, so that the rows are written evenly.
 */
export function splitDue(open: OpenHours, rowId: number, minute: number): { kept: OpenHours; due: OpenHours } {
  const mayWait = minute % HOUR_MINUTES < rowId % HOUR_MINUTES;
  const dueCount = Math.max(0, open.length - KEPT_OPEN - (mayWait ? 1 : 0));
  return { kept: open.slice(dueCount), due: open.slice(0, dueCount) };
}

export function readOpenHours(text: string): OpenHours {
  if (text === '') return [];
  return text.split(';').map((part) => {
    const [hour = 0, accounted = 0, online = 0, hashrateCount = 0, hashrate = 0, powerCount = 0, power = 0, ...rest] =
      part.split(',').map(Number);
    const [temperatureCount = 0, temperature = 0, temperatureMax = null] = rest;
    const rates = { hashrate, hashrateCount, power, powerCount };
    return { hour, sums: { accounted, online, ...rates, temperature, temperatureCount, temperatureMax } };
  });
}

export const writeOpenHours = (open: OpenHours): string => open.map(writeHour).join(';');

function writeHour({ hour, sums }: OpenHour): string {
  const { hashrate, power, temperature, temperatureMax } = sums;
  const numbers = [hour, sums.accounted, sums.online, sums.hashrateCount, fine(hashrate), sums.powerCount, fine(power)];
  const text = `${numbers.join(',')},${sums.temperatureCount},${fine(temperature)}`;
  return temperatureMax === null ? text : `${text},${temperatureMax}`;
}

const fine = (sum: number) => (sum < LARGE ? Math.round(sum * FINEST) / FINEST : Math.round(sum));
