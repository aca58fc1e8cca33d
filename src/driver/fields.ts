// What devices write in single fields, as numbers and texts, or as undefined, never as 0: numbers in texts, separators,
// `nan` and sentinels (atlas section 1.4).
import { macState, serialState } from '../model/identity-facts.ts';
import { plainText } from '../model/plain-text.ts';

export { largest, mean, sumOfAll } from '../base/numbers.ts';

type Range = { readonly min?: number; readonly max?: number };

/** A finite number in the range, also from text (`"37,603.30"`, `" 12 "`); otherwise undefined. */
export function toNumber(
  value: unknown,
  { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Range = {},
): number | undefined {
  const number = typeof value === 'number' ? value : typeof value === 'string' ? textToNumber(value) : Number.NaN;
  return Number.isFinite(number) && number >= min && number <= max ? number : undefined;
}

const NUMERIC = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

function textToNumber(text: string): number {
  const trimmed = text.trim();
  const bare = trimmed.includes(',') ? trimmed.replaceAll(',', '') : trimmed;
  return NUMERIC.test(bare) ? Number(bare) : Number.NaN;
}

/** Celsius; absent on an empty sensor. `zeroIsAbsent` is the usual case: sensors that are not there report 0. */
export function toTempC(value: unknown, { zeroIsAbsent = true }: { zeroIsAbsent?: boolean } = {}): number | undefined {
  const tempC = toNumber(value, { min: -50, max: 200 });
  return tempC === 0 && zeroIsAbsent ? undefined : tempC;
}

/**
 * Trimmed text without anything that is not seen, at most 256 characters; undefined when blank. Numbers become text.
 */
export function toText(value: unknown, maxLength = 256): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  // Terminal codes of a hostile device end here. Blanks around a text do not count as its length.
  return plainText(String(value).slice(0, MAX_WRITTEN).trim(), maxLength);
}
const MAX_WRITTEN = 64 * 1024;

/** Address of a pool: `''` where the device shows none, undefined where it cannot be read or is hidden (`*`). */
export function toPoolAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || /^\s*\*+\s*$/.test(value)) return undefined;
  return value.trim() === '' ? '' : toKnownText(value, 512);
}

/** Serial number of a part, to join rows of several answers; undefined where it names nothing (`N/A`, `0x0`). */
export function toPartSerial(value: unknown): string | undefined {
  const written = toText(value, 128);
  return serialState(written) === 'ok' ? written : undefined;
}

/** As `toText`; undefined too where the device does not know it (`N/A`, `null`, `-`). */
export function toKnownText(value: unknown, maxLength = 256): string | undefined {
  const written = toText(value, maxLength);
  return written === undefined || isFiller(written) ? undefined : written;
}

const YES: ReadonlySet<string> = new Set(['true', '1', 'y', 'yes', 'on']);
const NO: ReadonlySet<string> = new Set(['false', '0', 'n', 'no', 'off']);

/** true/false from booleans, 0/1, "true"/"false", "Y"/"N", "on"/"off". */
export function toBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const word = String(value).trim().toLowerCase();
  if (YES.has(word)) return true;
  return NO.has(word) ? false : undefined;
}

/** First defined value. */
export function first<T>(...values: readonly (T | undefined)[]): T | undefined {
  return values.find((value) => value !== undefined);
}

/** The first that can identify a miner; else the first that is reported, for checks of it. */
export const firstMac = (...texts: readonly (string | undefined)[]): string | undefined =>
  first(...texts.filter((text) => macState(text) === 'ok'), ...texts);
export const firstSerial = (...texts: readonly (string | undefined)[]): string | undefined =>
  first(...texts.filter((text) => serialState(text) === 'ok'), ...texts);

/** `value * factor`, keeping absence. */
export function scale(value: number | undefined, factor: number): number | undefined {
  return value === undefined ? undefined : value * factor;
}

/** Longest of the fillers: what devices write when they have nothing to say. */
const MOST = 16;
const FILLER =
  /^[(<]?(n[./]a\.?|null|nil|undefined|nan|unknown?|not (available|set|found|known))[)>]?$|^([-?]+|<>|\(\))$/i;

/** Whatever field it stands in, it says that the device does not know. */
export const isFiller = (text: string): boolean => text.length <= MOST && FILLER.test(text);

/** As the name of a thing (a model, a version, a host) it names none. */
export const isFillerName = (text: string): boolean =>
  isFiller(text) || /^([(<]?(none|na)[)>]?|(0x)?0+|\.+)$/i.test(text);

/** Of a part or a fault: zeros in any spelling (`0`, ` 0X0 `), a blank, and words for "nothing is wrong". */
export const isNoFault = (word: string): boolean =>
  /^\s*((0x)?0*|none|no|false|ok|okay|fine|good|normal|no[ _-]?(error|fault)s?)\s*$/i.test(word) ||
  isFiller(word.trim());

/** Whether the word of a device names a fault. */
export const isFault = (word: string | undefined): word is string => word !== undefined && !isNoFault(word);
