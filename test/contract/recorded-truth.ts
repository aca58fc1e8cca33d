// Which parts of a reading stand in `recorded-truth.data.ts`: what the device reported, in our units. Not what the
// driver adds of its own.
import type { Reading } from '../../src/model/reading.ts';

/** What a driver adds: the window of a rate, our words for a fault, what the table of models expects. */
const OWN = /(^|\.)(hashrateWindow|category|severity|message|make)$|^expected\.(?!hashrateHs$)/;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** By what an entry of a list is found again, whatever is missing before it. */
function nameOf(list: string, entry: unknown, nth: number): string {
  if (!isRecord(entry)) return `${nth}`;
  const { slot, index, code } = entry;
  return list === 'errors' ? `${code}${index === undefined ? '' : `@${index}`}` : `${slot ?? index ?? nth}`;
}

/** Every value that the device reported, by its place: `boards[1].hashrateHs`, `fans[0].rpm`. */
export function valuesOf(part: unknown, place = ''): [string, unknown][] {
  if (Array.isArray(part))
    return part.flatMap((entry, nth) => valuesOf(entry, `${place}[${nameOf(place, entry, nth)}]`));
  if (isRecord(part))
    return Object.entries(part).flatMap(([name, value]) => valuesOf(value, place === '' ? name : `${place}.${name}`));
  return part === undefined || OWN.test(place) ? [] : [[place, part]];
}

/** Of one recording: values by place. */
export type Truth = Readonly<Record<string, string | number | boolean>>;

export const isSame = (found: unknown, wanted: unknown): boolean =>
  typeof found === 'number' && typeof wanted === 'number'
    ? Math.abs(found - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted))
    : found === wanted;

export type Values = ReadonlyMap<string, unknown>;
export const readingValues = (reading: Reading): Values => new Map(valuesOf(reading));
