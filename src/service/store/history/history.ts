// Reading historical metrics: buckets of a farm over a window, with the gaps in it. Rolling up is history-write.ts.
import { sql } from 'kysely';
import type { Granularity } from '../../../wire/api/metrics.ts';
import type { Databases } from '../databases.ts';
import type { Db } from '../schema.ts';
import {
  addParts,
  type FarmPart,
  listAlgorithms,
  type OfAlgorithm,
  shownAlgorithm,
  shownSums,
  sortAlgorithms,
  togetherInCell,
  WHOLE,
} from './algorithms.ts';
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
  /** Of its miners, by name; null = of some of them it is not known. */
  readonly algorithms: readonly (string | null)[];
};

/** `group` null = of miners that have none. */
export type HistorySeries = { readonly group: string | null; readonly buckets: readonly HistoryBucket[] };

type HistoryQuery = {
  readonly farmId: string;
  readonly granularity: Granularity;
  /** Every bucket that overlaps [fromMs, toMs) is answered, whole. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Nothing is due of what has not been yet. */
  readonly nowMs: number;
};

type HistoryStore = {
  query(query: HistoryQuery): Promise<readonly HistoryBucket[]>;
  /** A series for each algorithm that the window has, by name; those of unknown algorithms last. */
  queryByAlgorithm(query: HistoryQuery): Promise<readonly HistorySeries[]>;
};

type Frame = { readonly begin: number; readonly end: number; readonly stepMs: number; readonly partMs: number };

export function createHistoryStore({ read }: Pick<Databases, 'read'>): HistoryStore {
  const partsOf = async ({ farmId, granularity, fromMs, toMs }: HistoryQuery) => {
    const isFine = granularity === '10min';
    const frame: Frame = { ...bucketsOf(granularity, fromMs, toMs), partMs: isFine ? CELL_MS : HOUR_MS };
    const parts = await (isFine ? readCells : readHours)(read, farmId, frame.begin, frame.end);
    return { frame, parts };
  };
  return {
    async query(query) {
      const { farmId, nowMs } = query;
      const { frame, parts } = await partsOf(query);
      const countMiners = await readLifetimes(read, farmId, { ...frame, nowMs });
      const partAt = new Map(parts.map((part) => [part.fromMs, part]));
      return bucketsIn(frame).map((from) => {
        const inBucket = timesIn(frame, from);
        const found = inBucket.flatMap((at) => partAt.get(at) ?? []);
        const { whole, of } = addParts(found);
        let due = 0;
        for (const at of inBucket) {
          const lengthMs = Math.min(frame.partMs, nowMs - at);
          const accounted = partAt.get(at)?.whole.accounted ?? 0;
          due += Math.max(accounted, (countMiners(at, at + frame.partMs) * lengthMs) / MINUTE_MS);
        }
        return {
          fromMs: from,
          toMs: from + frame.stepMs,
          ...averagesOf(shownSums({ whole, of })),
          minersTotal: Math.max(whole.miners, countMiners(from, from + frame.stepMs)),
          coverage: due === 0 ? 0 : whole.accounted / due,
          algorithms: listAlgorithms(of.keys()),
        };
      });
    },
    async queryByAlgorithm(query) {
      const { frame, parts } = await partsOf(query);
      const names = sortAlgorithms(parts.flatMap(({ of }) => of.map(({ algorithm }) => algorithm)));
      return names.map((name) => {
        const ofOne = parts.flatMap(({ fromMs, of }) => {
          const sums = of.find(({ algorithm }) => algorithm === name)?.sums;
          return sums === undefined ? [] : [[fromMs, sums] as const];
        });
        const sumsAt = new Map(ofOne);
        const buckets = bucketsIn(frame).map((from) => seriesBucket(frame, from, sumsAt, query.nowMs));
        return { group: shownAlgorithm(name), buckets };
      });
    },
  };
}

const bucketsIn = ({ begin, end, stepMs }: Frame) =>
  Array.from({ length: (end - begin) / stepMs }, (_, index) => begin + index * stepMs);
const timesIn = ({ stepMs, partMs }: Frame, from: number) =>
  Array.from({ length: stepMs / partMs }, (_, index) => from + index * partMs);

/** How many miners of the group there were is not known beside its reports: due is what they were when most came. */
function seriesBucket(frame: Frame, from: number, sumsAt: ReadonlyMap<number, CellSums>, nowMs: number): HistoryBucket {
  const times = timesIn(frame, from);
  const sums = times.map((at) => sumsAt.get(at) ?? NO_CELLS).reduce(addCells, NO_CELLS);
  const lengthMs = Math.max(0, Math.min(frame.stepMs, nowMs - from));
  const due = Math.max(sums.accounted, (sums.miners * lengthMs) / MINUTE_MS);
  return {
    fromMs: from,
    toMs: from + frame.stepMs,
    ...averagesOf(sums),
    minersTotal: sums.miners,
    coverage: due === 0 ? 0 : sums.accounted / due,
    algorithms: [],
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
export async function readCells(db: Db, farmId: string, begin: number, end: number): Promise<FarmPart[]> {
  const rows = await selectParts(db, 'history_cells', farmId, begin, end).execute();
  const parts = rows.map(({ farm_id: _farm, from_at, algorithm, ...cell }) => ({
    ...{ fromMs: from_at, algorithm, sums: ofCell(cell) },
  }));
  return byTime(parts, (of) => togetherInCell(of.map(({ sums }) => sums)));
}

export async function readHours(db: Db, farmId: string, begin: number, end: number): Promise<FarmPart[]> {
  const rows = await selectParts(db, 'history_hours', farmId, begin, end).execute();
  const parts = rows.map(({ farm_id: _farm, from_at, algorithm, ...sums }) => ({ fromMs: from_at, algorithm, sums }));
  // An hour of one algorithm has one row.
  return byTime(parts, (of) => of.find(({ algorithm }) => algorithm === WHOLE)?.sums ?? of[0]?.sums ?? NO_CELLS);
}

function byTime(
  rows: readonly (OfAlgorithm & { readonly fromMs: number })[],
  wholeOf: (of: readonly OfAlgorithm[]) => CellSums,
): FarmPart[] {
  return [...Map.groupBy(rows, ({ fromMs }) => fromMs)].map(([fromMs, of]) => ({
    ...{ fromMs, of: of.filter(({ algorithm }) => algorithm !== WHOLE), whole: wholeOf(of) },
  }));
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
