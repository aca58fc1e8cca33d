// The values of a reading by their place, `boards[1].hashrateHs`, `fans[0].rpm`, to compare two of them. Not our words
// for what a device reports.

/** Our words for a fault. */
const OUR_WORDS = /(^|\.)(category|severity|message)$/;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** By what an entry of a list is found again, whatever is missing before it. */
function nameOf(list: string, entry: unknown, nth: number): string {
  if (!isRecord(entry)) return `${nth}`;
  const { slot, index, code } = entry;
  return list === 'errors' ? `${code}${index === undefined ? '' : `@${index}`}` : `${slot ?? index ?? nth}`;
}

/** Every value with its place. */
export function valuesOf(part: unknown, place = ''): [string, unknown][] {
  if (Array.isArray(part))
    return part.flatMap((entry, nth) => valuesOf(entry, `${place}[${nameOf(place, entry, nth)}]`));
  if (isRecord(part))
    return Object.entries(part).flatMap(([name, value]) => valuesOf(value, place === '' ? name : `${place}.${name}`));
  return part === undefined || OUR_WORDS.test(place) ? [] : [[place, part]];
}

/** Sums of fractions differ in their last digits. */
export const isSame = (found: unknown, wanted: unknown): boolean =>
  typeof found === 'number' && typeof wanted === 'number'
    ? Math.abs(found - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted))
    : found === wanted;
