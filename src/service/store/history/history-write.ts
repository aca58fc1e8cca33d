// Adds reports to history, in the transaction that stores their slice: the minutes that they newly account for, the
// farm's cells of ten minutes, and the hours made of those cells. A lock makes one writer per farm, over all copies.

import type { ExpressionBuilder } from 'kysely';
import { HISTORY_KEPT_DAYS } from '../../../model/events/history-kept.data.ts';
import type { MinerRecord } from '../../../wire/records.ts';
import type { Lock } from '../databases.ts';
import { chunks } from '../rows.ts';
import type { Db, Tables } from '../schema.ts';
import { ABSENT, accountFor, type Presence } from './accounting.ts';
import { addParts, algorithmOf, WHOLE } from './algorithms.ts';
import { readCells } from './history.ts';
import { ADDED, add, CELL_MS, DAY_MS, HOUR_MS, MINUTE_MS, NO_SUMS, QUANTITIES, type Sums } from './history-sums.ts';
import { foldHours } from './miner/miner-days.ts';
import { type OpenHours, readOpenHours, splitDue, writeOpenHours } from './miner/open-hours.ts';
import { readLists, readSpans, writeLists, writeSpans } from './presence-intervals.ts';

/** Cells are kept a little longer than records for them are taken. Hours serve ranges of up to a year. */
export const CELLS_KEPT_MS = HISTORY_KEPT_DAYS.cells * DAY_MS;
const TAKEN_MS = 31 * DAY_MS;
export const HOURS_KEPT_MS = HISTORY_KEPT_DAYS.hours * DAY_MS;

const MAX_REACH = 60;

type Reports = {
  readonly farmId: string;
  readonly nowMs: number;
  /** Null when the agent has not reported it. */
  readonly pollIntervalMs: number | null;
  readonly records: readonly MinerRecord[];
  /** The stored miner of an agent's key. */
  readonly rowOf: (key: string) => number | undefined;
};

/** By algorithm, then by cell. */
type Cells = Map<string, Map<number, Sums>>;

/** Reports from the future count as of now; those of more than a month ago are not counted. */
export async function rollUp(
  db: Db,
  lock: Lock,
  { farmId, nowMs, pollIntervalMs, records, rowOf }: Reports,
): Promise<void> {
  const samples = records
    .flatMap((record) => {
      const rowId = rowOf(record.key);
      const atMs = Math.min(Date.parse(record.at), nowMs);
      return rowId === undefined || atMs < nowMs - TAKEN_MS ? [] : [{ rowId, atMs, record }];
    })
    .toSorted((a, b) => a.atMs - b.atMs);
  if (samples.length === 0) return;
  const reach = Math.min(MAX_REACH, Math.max(1, Math.ceil((pollIntervalMs ?? 0) / MINUTE_MS)));
  await lock(db, `history ${farmId}`);
  const presence = await readPresence(db, [...new Set(samples.map(({ rowId }) => rowId))]);
  const cells: Cells = new Map();
  const changed = new Map<number, Presence>();
  const due = new Map<number, OpenHours>();
  for (const { rowId, atMs, record } of samples) {
    const before = changed.get(rowId) ?? presence.get(rowId) ?? ABSENT;
    const minute = Math.floor(atMs / MINUTE_MS);
    const algorithm = algorithmOf(record);
    const ofAlgorithm = cells.get(algorithm) ?? new Map<number, Sums>();
    cells.set(algorithm, ofAlgorithm);
    const after = accountFor(before, { record, minute }, reach, (cell, sums) =>
      ofAlgorithm.set(cell, add(ofAlgorithm.get(cell) ?? NO_SUMS, sums)),
    );
    if (after === before) continue;
    const hours = splitDue(after.open, rowId, minute);
    changed.set(rowId, { ...after, open: hours.kept });
    if (hours.due.length > 0) due.set(rowId, [...(due.get(rowId) ?? []), ...hours.due]);
  }
  await foldHours(db, due);
  await writePresence(db, changed);
  await writeCells(db, farmId, cells);
}

export async function readPresence(db: Db, rowIds: readonly number[]): Promise<Map<number, Presence>> {
  const rows = await db.selectFrom('miner_presence').selectAll().where('row_id', 'in', rowIds).execute();
  return new Map(
    rows.map(({ row_id, spans, known, open_hours }) => {
      const [hashrate = [], expected = [], power = []] = readLists(known);
      const lists = { hashrate, expected, power };
      return [row_id, { spans: readSpans(spans), known: lists, open: readOpenHours(open_hours) }];
    }),
  );
}

export async function writePresence(db: Db, presence: ReadonlyMap<number, Presence>): Promise<void> {
  const rows = [...presence].map(([row_id, { spans, known, open }]) => ({
    row_id,
    spans: writeSpans(spans),
    known: writeLists(QUANTITIES.map((quantity) => known[quantity])),
    open_hours: writeOpenHours(open),
  }));
  for (const part of chunks(rows))
    await db
      .insertInto('miner_presence')
      .values(part)
      .onConflict((conflict) =>
        conflict.column('row_id').doUpdateSet((eb) => ({
          spans: eb.ref('excluded.spans'),
          known: eb.ref('excluded.known'),
          open_hours: eb.ref('excluded.open_hours'),
        })),
      )
      .execute();
}

/** Colder than any miner reports. */
const NO_TEMPERATURE = -1_000;

type CellBuilder = ExpressionBuilder<Tables & { excluded: Tables['history_cells'] }, 'history_cells' | 'excluded'>;

const increase = (eb: CellBuilder) => ({
  ...Object.fromEntries(
    ADDED.map((column) => [column, eb(`history_cells.${column}`, '+', eb.ref(`excluded.${column}`))]),
  ),
  temperature_max: eb
    .case()
    .when(
      eb.fn.coalesce('excluded.temperature_max', eb.lit(NO_TEMPERATURE)),
      '>',
      eb.fn.coalesce('history_cells.temperature_max', eb.lit(NO_TEMPERATURE)),
    )
    .then(eb.ref('excluded.temperature_max'))
    .else(eb.ref('history_cells.temperature_max'))
    .end(),
});

async function writeCells(db: Db, farmId: string, cells: Cells): Promise<void> {
  const rows = [...cells]
    .flatMap(([algorithm, ofAlgorithm]) =>
      [...ofAlgorithm].map(([cell, sums]) => ({ farm_id: farmId, from_at: cell * CELL_MS, algorithm, ...sums })),
    )
    .toSorted((a, b) => a.from_at - b.from_at);
  const hours = [...new Set(rows.map(({ from_at }) => Math.floor(from_at / HOUR_MS) * HOUR_MS))];
  for (const part of chunks(rows))
    await db
      .insertInto('history_cells')
      .values(part)
      .onConflict((conflict) => conflict.columns(['farm_id', 'from_at', 'algorithm']).doUpdateSet(increase))
      .execute();
  for (const hour of hours) await writeHour(db, farmId, hour);
}

/** Made anew of its cells: a row for each algorithm, and where there are several one of all of them. */
export async function writeHour(db: Db, farmId: string, hour: number): Promise<void> {
  const { whole, of } = addParts(await readCells(db, farmId, hour, hour + HOUR_MS));
  const rows = [...of, ...(of.size > 1 ? [[WHOLE, whole] as const] : [])];
  for (const [algorithm, sums] of rows)
    await db
      .insertInto('history_hours')
      .values({ farm_id: farmId, from_at: hour, algorithm, ...sums })
      .onConflict((conflict) => conflict.columns(['farm_id', 'from_at', 'algorithm']).doUpdateSet(sums))
      .execute();
}
