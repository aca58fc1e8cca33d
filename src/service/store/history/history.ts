// Reading historical metrics: buckets of a farm over a window, with the gaps in it. Rolling up is history-write.ts.
import { sql } from 'kysely';
import type { Granularity } from '../../../wire/api/metrics.ts';
import type { Databases } from '../databases.ts';
import type { Db } from '../schema.ts';
import {
  type Averages,
  addCells,
  averagesOf,
  CELL_MS,
  type CellSums,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  NO_CELLS,
  ofCell,
} from './history-sums.ts';

/** The longest range that one query may ask for. Interface document, "Versioning" 6. */
export const GRANULARITIES = {
  '10min': { stepMs: CELL_MS, maxRangeMs: DAY_MS },
  hour: { stepMs: HOUR_MS, maxRangeMs: 7 * DAY_MS },
  day: { stepMs: DAY_MS, maxRangeMs: 90 * DAY_MS },
  week: { stepMs: 7 * DAY_MS, maxRangeMs: 365 * DAY_MS },
} as const satisfies Readonly<Record<Granularity, object>>;

/** The epoch was a Thursday; weeks begin on Monday. All buckets are of UTC. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** A miner is missed for so long after its last report; then it is gone and its silence is no gap. */
export const MISSED_MS = DAY_MS;

/** `toMs` is not part of the bucket. `coverage` is the share of its miner-minutes that were reported on, 0 to 1. */
export type HistoryBucket = Averages & {
  readonly fromMs: number;
  readonly toMs: number;
  readonly minersTotal: number;
  readonly coverage: number;
};

type HistoryQuery = {
  readonly farmId: string;
  readonly granularity: Granularity;
  /** Every bucket that overlaps [fromMs, toMs) is answered, whole. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Nothing is due of what has not been yet. */
  readonly nowMs: number;
};

type HistoryStore = { query(query: HistoryQuery): Promise<readonly HistoryBucket[]> };

type Part = { readonly fromMs: number; readonly sums: CellSums };

export function createHistoryStore({ read }: Pick<Databases, 'read'>): HistoryStore {
  return {
    async query({ farmId, granularity, fromMs, toMs, nowMs }) {
      const { begin, end, stepMs } = bucketsOf(granularity, fromMs, toMs);
      const partMs = granularity === '10min' ? CELL_MS : HOUR_MS;
      const parts = await (granularity === '10min' ? readCells : readHours)(read, farmId, begin, end);
      const sumsAt = new Map(parts.map((part) => [part.fromMs, part.sums]));
      const countMiners = await readLifetimes(read, farmId, { begin, end, partMs, nowMs });
      const buckets: HistoryBucket[] = [];
      for (let from = begin; from < end; from += stepMs) buckets.push(bucketOf(from));
      return buckets;

      function bucketOf(from: number): HistoryBucket {
        let sums = NO_CELLS;
        let due = 0;
        for (let at = from; at < from + stepMs; at += partMs) {
          const part = sumsAt.get(at) ?? NO_CELLS;
          sums = addCells(sums, part);
          const lengthMs = Math.min(partMs, nowMs - at);
          due += Math.max(part.accounted, (countMiners(at, at + partMs) * lengthMs) / MINUTE_MS);
        }
        return {
          fromMs: from,
          toMs: from + stepMs,
          ...averagesOf(sums),
          minersTotal: Math.max(sums.miners, countMiners(from, from + stepMs)),
          coverage: due === 0 ? 0 : sums.accounted / due,
        };
      }
    },
  };
}

/** The buckets that overlap [fromMs, toMs): where the first begins, where the last ends. */
export function bucketsOf(granularity: Granularity, fromMs: number, toMs: number) {
  const { stepMs } = GRANULARITIES[granularity];
  const offsetMs = granularity === 'week' ? FIRST_MONDAY_MS : 0;
  const begin = Math.floor((fromMs - offsetMs) / stepMs) * stepMs + offsetMs;
  return { begin, end: Math.ceil((toMs - offsetMs) / stepMs) * stepMs + offsetMs, stepMs };
}

/** The cells that begin in [begin, end), in their order, as parts of a sum. */
export async function readCells(db: Db, farmId: string, begin: number, end: number): Promise<Part[]> {
  const rows = await selectParts(db, 'history_cells', farmId, begin, end).execute();
  return rows.map(({ farm_id: _farm, from_at, ...cell }) => ({ fromMs: from_at, sums: ofCell(cell) }));
}

async function readHours(db: Db, farmId: string, begin: number, end: number): Promise<Part[]> {
  const rows = await selectParts(db, 'history_hours', farmId, begin, end).execute();
  return rows.map(({ farm_id: _farm, from_at, ...sums }) => ({ fromMs: from_at, sums }));
}

type PartTable = 'history_cells' | 'history_hours';
const selectParts = (db: Db, table: PartTable, farmId: string, begin: number, end: number) =>
  db
    .selectFrom(table)
    .selectAll()
    .where('farm_id', '=', farmId)
    .where('from_at', '>=', begin)
    .where('from_at', '<', end)
    .orderBy('from_at');

/**
 * Counts the miners of the farm that were there at some time of a span of whole parts: registered before its end and
 * not gone before its begin; none in one that has not begun. The database counts them by the parts in which they came
 * and went: a farm is too large to be read for it.
 */
async function readLifetimes(
  read: Db,
  farmId: string,
  { begin, end, partMs, nowMs }: { begin: number; end: number; partMs: number; nowMs: number },
): Promise<(from: number, to: number) => number> {
  const rows = await read
    .selectFrom('miners')
    .select((eb) => [
      partOf(sql`${eb.ref('created_at')}`).as('came'),
      partOf(sql`(${eb.ref('reported_at')} + ${whole(MISSED_MS)})`).as('went'),
      eb.fn.countAll<number>().as('count'),
    ])
    .where('farm_id', '=', farmId)
    .where('created_at', '<', end)
    .where('reported_at', '>=', begin - MISSED_MS)
    .groupBy(['came', 'went'])
    .execute();
  const parts = (end - begin) / partMs;
  const came = sumsBefore(
    parts,
    rows.map((row) => [row.came, row.count]),
  );
  const went = sumsBefore(
    parts,
    rows.map((row) => [row.went, row.count]),
  );
  const before = (sums: Float64Array, at: number) => sums[(at - begin) / partMs] ?? 0;
  return (from, to) => (from >= nowMs ? 0 : before(came, to) - before(went, from));

  /** -1 = before the first. */
  function partOf(ms: ReturnType<typeof sql>) {
    const since = sql`${ms} - ${whole(begin)}`;
    return sql<number>`case when ${since} < 0 then -1 else (${since}) / ${whole(partMs)} end`;
  }
}

/** Some databases take a bound number for a floating one, and divide accordingly. */
const whole = (value: number) => sql`cast(${value} as bigint)`;

/** At each index the sum of the counts of the parts before it. */
function sumsBefore(parts: number, counts: readonly (readonly [part: number, count: number])[]): Float64Array {
  const sums = new Float64Array(parts + 1);
  for (const [part, count] of counts) {
    const next = Number(part) + 1;
    if (next <= parts) sums[next] = (sums[next] ?? 0) + Number(count);
  }
  for (let index = 1; index <= parts; index++) sums[index] = (sums[index] ?? 0) + (sums[index - 1] ?? 0);
  return sums;
}
