// What a device answered, read field by field into our units. A field that is not there, or that makes no sense, is
// undefined and costs nothing but itself. It judges no device and keeps nothing.
import {
  isFillerName,
  toBoolean,
  toKnownText,
  toNumber,
  toPartSerial,
  toPoolAddress,
  toTempC,
  toText,
} from '../fields.ts';
import { positive, type RateUnit, rateHs, rateTextHs, toDifficulty } from './figures.ts';

type Range = { readonly min?: number; readonly max?: number };
type Fields = Readonly<Record<string, unknown>>;

/** Most rows of a list that are read: what a device has a number of (boards, fans, pools) is far below. */
const MOST_ROWS = 64;
/** Twenty years in seconds and more than any counter of time that is meant as one. */
const MOST_S = 4e9;
const NO_FIELDS: Fields = {};

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * One answer, or an object inside one. It is there for answers that did not come, too: then every field is undefined,
 * so that no driver needs to ask.
 */
export class Answer {
  /** JSON value or text as the link gave it; undefined = not answered. */
  readonly raw: unknown;
  readonly #fields: Fields;

  constructor(raw: unknown) {
    this.raw = raw;
    this.#fields = isFields(raw) ? raw : NO_FIELDS;
  }

  /** Whether it is an object. */
  get isThere(): boolean {
    return this.#fields !== NO_FIELDS;
  }

  /** Of an answer that is text. */
  get body(): string | undefined {
    return typeof this.raw === 'string' ? this.raw : undefined;
  }

  /** What its text holds as JSON, for answers that only some builds give as such; of nothing where it holds none. */
  parsed(): Answer {
    try {
      return new Answer(JSON.parse(this.body ?? ''));
    } catch {
      return new Answer(undefined);
    }
  }

  /** All fields as the device wrote them, for a configuration that goes back whole. */
  get fields(): Fields {
    return this.#fields;
  }

  /** The field as the device wrote it. */
  value(key: string): unknown {
    return this.#fields[key];
  }

  /** A text, number or boolean as a form takes it back; undefined for what is none. */
  written(key: string): string | undefined {
    const value = this.#fields[key];
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return isPlain ? String(value) : undefined;
  }

  /** Whether the device wrote anything but null under this key. */
  has(key: string): boolean {
    const value = this.#fields[key];
    return value !== undefined && value !== null;
  }

  keys(): string[] {
    return Object.keys(this.#fields);
  }

  /** The object under the key, or under keys inside one another. */
  at(...keys: readonly string[]): Answer {
    let value: unknown = this.#fields;
    for (const key of keys) value = isFields(value) ? value[key] : undefined;
    return new Answer(value);
  }

  /**
   * The objects of the list under the key, without it of the answer itself. Undefined where there is no list, and where
   * none of its entries is an object: only a list that is empty itself says that there are none.
   */
  rows(key?: string, most = MOST_ROWS): Answer[] | undefined {
    const list = key === undefined ? this.raw : this.#fields[key];
    if (!Array.isArray(list)) return undefined;
    const rows: Answer[] = [];
    for (const entry of list.slice(0, most)) if (isFields(entry)) rows.push(new Answer(entry));
    return rows.length === 0 && list.length > 0 ? undefined : rows;
  }

  /** The first object of the list under the key: answers of the CGMiner kind have one row. */
  row(key: string): Answer {
    return this.rows(key, 4)?.[0] ?? new Answer(undefined);
  }

  /** The entries of a list, objects or not, as they are. */
  list(key: string, most = MOST_ROWS): readonly unknown[] | undefined {
    const list = this.#fields[key];
    return Array.isArray(list) ? list.slice(0, most) : undefined;
  }

  /** A finite number in the range, also from text (`"37,603.30"`). */
  number(key: string, range?: Range): number | undefined {
    return toNumber(this.#fields[key], range);
  }

  /** A number above 0, where 0 means that it is not known. */
  positive(key: string, max?: number): number | undefined {
    return positive(toNumber(this.#fields[key], max === undefined ? { min: 0 } : { min: 0, max }));
  }

  /** A number that is written in thousandths, such as mV, as the whole unit; the range is that of what is written. */
  milli(key: string, range?: Range): number | undefined {
    const number = toNumber(this.#fields[key], range);
    return number === undefined ? undefined : number / 1_000;
  }

  /** A whole number, rounded from `"156.0000"`. */
  int(key: string, range?: Range): number | undefined {
    const number = toNumber(this.#fields[key], range);
    return number === undefined ? undefined : Math.round(number);
  }

  /** Shares, errors and what else is counted from 0 up. */
  count(key: string, max = 1e15): number | undefined {
    return this.int(key, { min: 0, max });
  }

  seconds(key: string): number | undefined {
    return toNumber(this.#fields[key], { min: 0, max: MOST_S });
  }

  rpm(key: string): number | undefined {
    return toNumber(this.#fields[key], { min: 0, max: 30_000 });
  }

  percent(key: string): number | undefined {
    return toNumber(this.#fields[key], { min: 0, max: 100 });
  }

  mhz(key: string): number | undefined {
    return positive(toNumber(this.#fields[key], { min: 0, max: 10_000 }));
  }

  /** Wall power or that of a part, W, also as text with its unit (`3411 W`). A miner that answers does not draw 0. */
  watts(key: string): number | undefined {
    const value = this.#fields[key];
    const bare = typeof value === 'string' ? value.slice(0, 64).replace(/\s*w(atts?)?\s*$/i, '') : value;
    return positive(toNumber(bare, { min: 0, max: 100_000 }));
  }

  /** Celsius; 0 is a sensor that is not there. */
  tempC(key: string): number | undefined {
    return toTempC(this.#fields[key]);
  }

  /** `unit` hashes per second as H/s. */
  rateHs(key: string, unit: RateUnit): number | undefined {
    return rateHs(this.#fields[key], unit);
  }

  /** The same of a text that may name another unit: `6226G`, `16.3 GH/s`. */
  rateText(key: string, unit: RateUnit | undefined): number | undefined {
    return rateTextHs(this.#fields[key], unit);
  }

  /** Of a pool; also `1.05M`. */
  difficulty(key: string): number | undefined {
    return toDifficulty(this.#fields[key]);
  }

  /** Text that says something: without what is not seen, and not `N/A`. */
  text(key: string, maxLength?: number): string | undefined {
    return toKnownText(this.#fields[key], maxLength);
  }

  /** Name of a thing (a model, a version, a host): `none`, zeros and what else names nothing are undefined. */
  name(key: string, maxLength?: number): string | undefined {
    const text = this.text(key, maxLength);
    return text === undefined || isFillerName(text) ? undefined : text;
  }

  /** Serial number or MAC of the miner: what is malformed is judged elsewhere and must arrive as written. */
  asWritten(key: string): string | undefined {
    return toText(this.#fields[key], 128);
  }

  /** Serial number of a part, to join rows of several answers. */
  partSerial(key: string): string | undefined {
    return toPartSerial(this.#fields[key]);
  }

  /** true and false from booleans, 0/1, `"Y"`, `"off"`. */
  bool(key: string): boolean | undefined {
    return toBoolean(this.#fields[key]);
  }

  /** Address of a pool: `''` where the device shows none, undefined where it cannot be read or is hidden. */
  poolAddress(key: string): string | undefined {
    return toPoolAddress(this.#fields[key]);
  }

  /** One of the words, in any case. */
  word<const W extends string>(key: string, words: readonly W[]): W | undefined {
    const written = toText(this.#fields[key], 64)?.toLowerCase();
    return written === undefined ? undefined : words.find((word) => word.toLowerCase() === written);
  }
}

/** In place of an answer that did not come. */
export const NOTHING = new Answer(undefined);
