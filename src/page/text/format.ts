// Numbers, times and ages as people of a language write them. An unknown value is a dash, never 0.

import { HASHRATE_UNITS } from '../../model/hashrate-units.ts';
import type { Language } from './texts.ts';

export const UNKNOWN = '–';

/** Lengths of units of time, and what they are called; units of physics are the same in each language. */
const TIMES = [86_400, 3_600, 60, 1] as const;
const INTERNATIONAL = [' d', ' h', ' min', ' s'];
const TIME_UNITS: Readonly<Record<Language, readonly string[]>> = {
  en: INTERNATIONAL,
  es: INTERNATIONAL,
  ru: [' д', ' ч', ' мин', ' с'],
  zh: ['天', '小时', '分钟', '秒'],
};

/** What would be written as 1,000 of a unit is 1 of the next. */
const ROUNDED_UP = 0.999_995;

const isKnown = (value: number | null | undefined): value is number =>
  value !== null && value !== undefined && Number.isFinite(value);

export type Format = ReturnType<typeof createFormat>;

export function createFormat(locale: Language) {
  const numbers = [0, 1, 2].map(
    (digits) =>
      new Intl.NumberFormat(locale, {
        ...{ minimumFractionDigits: digits, maximumFractionDigits: digits },
        // A little less than 0 is 0, and not -0.
        signDisplay: 'negative',
      }),
  );
  const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const dated = new Intl.DateTimeFormat(locale, {
    ...{ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  });
  const datedInYear = new Intl.DateTimeFormat(locale, {
    ...{ year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  });
  const whole = new Intl.DateTimeFormat(locale, {
    ...{ year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    timeZoneName: 'short',
  });
  const number = (value: number | null | undefined, digits: 0 | 1 | 2 = 0): string =>
    !isKnown(value) ? UNKNOWN : (numbers[digits]?.format(value) ?? UNKNOWN);
  const withUnit = (value: number | null | undefined, unit: string, digits: 0 | 1 | 2 = 0): string =>
    !isKnown(value) ? UNKNOWN : `${number(value, digits)} ${unit}`;
  return {
    locale,
    number,
    withUnit,
    hashrate(hashrateHs: number | null | undefined): string {
      if (!isKnown(hashrateHs)) return UNKNOWN;
      const [size, unit] = HASHRATE_UNITS.find(([least]) => hashrateHs >= least * ROUNDED_UP) ?? [1, 'H/s'];
      return `${number(hashrateHs / size, size === 1 ? 0 : 2)} ${unit}`;
    },
    power(powerW: number | null | undefined): string {
      if (!isKnown(powerW)) return UNKNOWN;
      if (powerW >= 999_950) return withUnit(powerW / 1e6, 'MW', 2);
      return powerW >= 1e4 ? withUnit(powerW / 1e3, 'kW', 1) : withUnit(powerW, 'W');
    },
    tempC: (value: number | null | undefined): string => withUnit(value, '°C'),
    percent: (share: number | null | undefined): string => (!isKnown(share) ? UNKNOWN : `${number(share * 100)} %`),
    /** Its largest unit: `14 min`. */
    duration(ms: number | null | undefined): string {
      if (!isKnown(ms)) return UNKNOWN;
      const seconds = Math.max(0, Math.floor(ms / 1_000));
      const index = TIMES.findIndex((least) => seconds >= least);
      const at = index === -1 ? TIMES.length - 1 : index;
      return `${Math.floor(seconds / (TIMES[at] ?? 1))}${TIME_UNITS[locale][at] ?? ''}`;
    },
    /** The time of a day that is known from elsewhere. */
    clock: (ms: number): string => clock.format(ms),
    /** With its year and the time zone of this device, as a sheet of paper needs it. */
    dated: (ms: number): string => whole.format(ms),
    /** The time of today, else with its day; of another year with that. */
    moment(ms: number | null | undefined, nowMs: number): string {
      if (!isKnown(ms)) return UNKNOWN;
      const [date, now] = [new Date(ms), new Date(nowMs)];
      if (date.toDateString() === now.toDateString()) return clock.format(date);
      return (date.getFullYear() === now.getFullYear() ? dated : datedInYear).format(date);
    },
  };
}
