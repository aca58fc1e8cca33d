// The CGMiner dialect (atlas 1.1, 1.4): reply schemas of `summary`, `pools`, `devs`, `version`, and readers from their
// rows to our units. Rows are loose: a family extends them with its keys. It sends nothing and changes nothing.
import { z } from 'zod';
import {
  bool,
  field,
  first,
  int,
  list,
  num,
  poolAddress,
  scale,
  temp,
  text,
  toKnownText,
  toNumber,
} from '../../src/driver/fields.ts';
import type { PoolReading } from '../../src/model/reading.ts';
import { setPools } from './pool-rows.ts';

const MAX_HASHRATE_HS = 1e18;
const UNIT_HS = { '': 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 } as const;

const count = () => int({ min: 0, max: 1e15 });
const seconds = () => num({ min: 0, max: 4e9 });
const difficulty = () => num({ min: 0, max: 1e30 });

/** A list of one row, an object, or text beside `Code`, `Msg` and `When` (the flat form of Whatsminer): see `whenS`. */
const STATUS = { STATUS: z.unknown().optional(), When: seconds() };

/** Keys of a hashrate row are `MHS 5s`, `GHS av`, ...: read them with `hashrates` (windows.ts). */
export const summaryRow = z.looseObject({
  Elapsed: seconds(),
  Accepted: count(),
  Rejected: count(),
  Stale: count(),
  'Hardware Errors': count(),
});

const poolRow = z.looseObject({
  POOL: int({ min: 0, max: 63 }),
  URL: poolAddress(),
  User: text(512),
  Status: text(),
  Priority: int({ min: 0 }),
  'Stratum Active': bool(),
  Accepted: count(),
  Rejected: count(),
  Stale: count(),
  'Difficulty Accepted': difficulty(),
  'Difficulty Rejected': difficulty(),
  'Difficulty Stale': difficulty(),
  'Stratum Difficulty': difficulty(),
  'Last Share Difficulty': difficulty(),
  'Work Difficulty': difficulty(),
  Diff: field(toDifficulty),
});
export type PoolRow = z.output<typeof poolRow>;

/** One device (hashboard, stick) of `devs` or `edevs`. */
export const devRow = z.looseObject({
  ASC: int({ min: 0 }),
  PGA: int({ min: 0 }),
  ID: int({ min: 0 }),
  Name: text(),
  Enabled: bool(),
  Status: text(),
  Temperature: temp(),
  Accepted: count(),
  Rejected: count(),
  'Hardware Errors': count(),
  'Device Elapsed': seconds(),
});

export const versionRow = z.looseObject({
  API: text(),
  CGMiner: text(),
  Miner: text(),
  Type: text(),
  CompileTime: text(),
});

export const summaryReply = z.looseObject({ ...STATUS, SUMMARY: list(summaryRow, 4) });
export const poolsReply = z.looseObject({ ...STATUS, POOLS: list(poolRow, 64) });
export const devsReply = z.looseObject({ ...STATUS, DEVS: list(devRow, 64) });
export const versionReply = z.looseObject({ ...STATUS, VERSION: list(versionRow, 4) });

/** Texts of a raw `version` answer, also when the answer is broken JSON; empty when it has none. Never throws. */
export function versionTexts(raw: string | undefined): Readonly<Record<string, string>> {
  const pairs = raw?.slice(0, 64 * 1024).matchAll(/"([^"\\]{1,64})"\s*:\s*"([^"\\]{0,256})"/g) ?? [];
  return Object.fromEntries(
    [...pairs].flatMap(([, key, value]) => {
      const written = toKnownText(value);
      return key === undefined || written === undefined ? [] : [[key, written]];
    }),
  );
}

/** Device clock of an answer, seconds since the epoch: `When` of `STATUS` (a list or an object), or beside it. */
export function whenS(reply: { readonly STATUS?: unknown; readonly When?: unknown } | undefined): number | undefined {
  const status: unknown = Array.isArray(reply?.STATUS) ? reply.STATUS[0] : reply?.STATUS;
  const { When, when } = statusObject.safeParse(status).data ?? {};
  return first(When, when, toSeconds(reply?.When));
}

const statusObject = z.looseObject({ When: field(toSeconds), when: field(toSeconds) });

function toSeconds(value: unknown): number | undefined {
  return positive(toNumber(value, { min: 0, max: 4e9 }));
}

/** `value` in `unit` hashes per second (`K`, `M`, `G`, `T`, `P` or none) as H/s; numbers may be text, see fields.ts. */
export function rateHs(value: unknown, unit: keyof typeof UNIT_HS): number | undefined {
  const number = scale(toNumber(value, { min: 0 }), UNIT_HS[unit]);
  return number !== undefined && number <= MAX_HASHRATE_HS ? number : undefined;
}

/** Unit letter of texts such as `GH`, `GH/s`, `MHS`, `KSol/s`; undefined when it is not one of ours. */
export function rateUnit(written: string | undefined): keyof typeof UNIT_HS | undefined {
  const letter = written
    ?.trim()
    .match(/^([kmgtp]?)(h|sol)/i)?.[1]
    ?.toUpperCase();
  return letter === '' || letter === 'K' || letter === 'M' || letter === 'G' || letter === 'T' || letter === 'P'
    ? letter
    : undefined;
}

/** The pools that are set, see `setPools`. */
export const poolReadings = (rows: readonly PoolRow[] | undefined) => setPools(rows, ({ URL }) => URL, poolReading);

function poolReading(row: PoolRow, url: string, place: number): PoolReading {
  return present({
    index: row.POOL ?? place,
    url,
    user: row.User ?? '',
    isAlive: poolIsAlive(row.Status),
    isActive: row['Stratum Active'],
    accepted: row.Accepted,
    rejected: row.Rejected,
    stale: row.Stale,
    difficultyAccepted: row['Difficulty Accepted'],
    difficultyRejected: row['Difficulty Rejected'],
    difficultyStale: row['Difficulty Stale'],
    difficulty: first(
      positive(row['Stratum Difficulty']),
      positive(row['Last Share Difficulty']),
      positive(row['Work Difficulty']),
      positive(row.Diff),
    ),
  });
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
