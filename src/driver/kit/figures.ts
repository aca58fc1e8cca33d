// Figures that devices write in units of their own, as ours: hashrates in H/s, difficulties of pools; and the words for
// what is alive. Absent stays absent.
import { scale, toKnownText, toNumber } from '../fields.ts';

const MAX_HASHRATE_HS = 1e18;
const UNIT_HS = { '': 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 } as const;
export type RateUnit = keyof typeof UNIT_HS;

/** `value` in `unit` hashes per second (`K`, `M`, `G`, `T`, `P` or none) as H/s; numbers may be text. */
export function rateHs(value: unknown, unit: RateUnit): number | undefined {
  const number = scale(toNumber(value, { min: 0 }), UNIT_HS[unit]);
  return number !== undefined && number <= MAX_HASHRATE_HS ? number : undefined;
}

/** Unit letter of texts such as `GH`, `GH/s`, `MHS`, `KSol/s`, `G`; undefined when it is not one of ours. */
export function rateUnit(written: string | undefined): RateUnit | undefined {
  const [found] = written?.trim().match(/^([kmgtp]?(?=h|sol)|[kmgtp]$)/i) ?? [];
  const letter = found?.toUpperCase();
  return letter === '' || letter === 'K' || letter === 'M' || letter === 'G' || letter === 'T' || letter === 'P'
    ? letter
    : undefined;
}

/** A rate that may name its unit: `6226G`, `15.1 T`, `16.3 GH/s`; else it is in `unit`, where that is known. */
export function rateTextHs(value: unknown, unit: RateUnit | undefined): number | undefined {
  const text = typeof value === 'string' ? value.slice(0, 64) : '';
  const [, number = value, name] = text.match(/^\s*([\d.,]+)\s*([a-z/]+)\s*$/i) ?? [];
  const own = name === undefined ? unit : rateUnit(name);
  return own === undefined ? undefined : rateHs(number, own);
}

/** What all of them are; undefined where they differ, and of none. */
export function common<T>(values: readonly T[]): T | undefined {
  const [value, ...others] = new Set(values);
  return others.length === 0 ? value : undefined;
}

/**
 * Pool difficulty from a number or from shortened text: `524K` is 524288, `1.05M` is 1048576, because pools hand out
 * powers of two and the device cuts or rounds them. Other text is taken as written.
 */
export function toDifficulty(value: unknown): number | undefined {
  const written = toKnownText(value);
  const plain = toNumber(value, { min: 0 });
  if (plain !== undefined || written === undefined) return plain;
  const [, digits = '', letter = ''] = written.match(/^([\d.]+)\s*([kmgtp])$/i) ?? [];
  const unit = rateUnit(`${letter}h`);
  const shown = toNumber(digits, { min: 0 });
  if (unit === undefined || unit === '' || shown === undefined) return undefined;
  const asWritten = shown * UNIT_HS[unit];
  if (shown === 0) return 0;
  const decimals = 10 ** (digits.split('.')[1]?.length ?? 0);
  const power = Math.log2(asWritten);
  return (
    [2 ** Math.ceil(power), 2 ** Math.floor(power)].find((exact) => {
      const scaled = (exact / UNIT_HS[unit]) * decimals;
      const wanted = Math.round(shown * decimals);
      return Math.trunc(scaled) === wanted || Math.round(scaled) === wanted;
    }) ?? asWritten
  );
}

/** `Alive` or `Dead`; other words (`Disabled`, `Rejecting`) say neither. */
export function poolIsAlive(status: string | undefined): boolean | undefined {
  switch (status?.toLowerCase()) {
    case 'alive':
      return true;
    case 'dead':
      return false;
    default:
      return undefined;
  }
}

/** `Alive`, or a word for what does not work; others (`Initialising`, `NoStart`) say neither. */
export function aliveByWord(status: string | undefined): boolean | undefined {
  if (status === undefined) return undefined;
  if (/^alive$/i.test(status)) return true;
  return /^(dead|sick|disabled|failed|error)$/i.test(status) ? false : undefined;
}

/** The value if it is above 0: for figures whose 0 means that they are not known. */
export function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}

type OptionalKeys<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];
type Present<T> = Omit<T, OptionalKeys<T>> & { [K in OptionalKeys<T>]?: Exclude<T[K], undefined> };

/** The object without its undefined fields: a Reading has absent fields, never undefined ones. */
export function present<T extends object>(fields: T): Present<T>;
export function present(fields: object): object {
  // No entries, no filter: this runs for each board, fan and pool of each poll.
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) kept[name] = value;
  return kept;
}
