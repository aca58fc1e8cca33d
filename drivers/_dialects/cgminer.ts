// The CGMiner dialect (atlas 1.1, 1.4): reply schemas of `summary`, `pools`, `devs`, `version`, and readers from their
// rows to our units. Rows are loose: a family extends them with its keys. It sends nothing and changes nothing.
import { z } from 'zod';
import { bool, field, first, int, list, num, poolAddress, temp, text, toNumber } from '../../src/driver/fields.ts';
import { poolIsAlive, positive, present, toDifficulty } from '../../src/driver/kit/figures.ts';
import { setPools } from '../../src/driver/kit/pool-rows.ts';
import type { PoolReading } from '../../src/model/reading.ts';

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

export { versionTexts } from '../../src/driver/kit/cgminer.ts';
export {
  aliveByWord,
  poolIsAlive,
  positive,
  present,
  rateHs,
  rateUnit,
  toDifficulty,
} from '../../src/driver/kit/figures.ts';
