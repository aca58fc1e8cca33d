// The rows of miners' days in the database: what is folded into them and how they are read. Who writes holds the lock
// of the farm's history.
import { chunks } from '../../rows.ts';
import type { Db } from '../../schema.ts';
import { DAY_MS } from '../history-sums.ts';
import { NO_HOUR } from './hour-sums.ts';
import type { OpenHours } from './open-hours.ts';
import { addToDay, emptyDay, HOURS, hourOf, type PackedDay, readDay, writeDay } from './packed-day.ts';

/** Rows removed at a time. */
const PORTION = 2_000;

export type DayTable = 'miner_days' | 'miner_days_aside';

/** Of one day, by miner. */
export type DaysOf = Map<number, PackedDay>;

export const dayOf = (hour: number): number => Math.floor(hour / HOURS);
export const hourOfDay = (hour: number): number => hour - dayOf(hour) * HOURS;

/** Adds the hours to the rows of their days. */
export async function foldHours(db: Db, due: ReadonlyMap<number, OpenHours>): Promise<void> {
  const all = [...due].flatMap(([rowId, hours]) => hours.map((one) => ({ ...one, rowId })));
  const byDay = [...Map.groupBy(all, ({ hour }) => dayOf(hour))].toSorted(([a], [b]) => a - b);
  for (const [day, hours] of byDay) {
    const rows = await readDays(db, 'miner_days', day, [...new Set(hours.map(({ rowId }) => rowId))]);
    for (const { rowId, hour, sums } of hours) {
      const packed = rows.get(rowId) ?? emptyDay();
      addToDay(packed, hourOfDay(hour), sums);
      rows.set(rowId, packed);
    }
    await writeDays(db, 'miner_days', day, rows);
  }
}

export async function readDays(db: Db, table: DayTable, day: number, rowIds: readonly number[]): Promise<DaysOf> {
  const found: DaysOf = new Map();
  for (const part of chunks(rowIds)) {
    const rows = await db
      .selectFrom(table)
      .select(['row_id', 'hours'])
      .where('day', '=', day)
      .where('row_id', 'in', part)
      .execute();
    for (const { row_id, hours } of rows) found.set(row_id, readDay(hours));
  }
  return found;
}

export async function writeDays(db: Db, table: DayTable, day: number, days: DaysOf): Promise<void> {
  const rows = [...days]
    .toSorted(([a], [b]) => a - b)
    .map(([row_id, packed]) => ({ day, row_id, hours: writeDay(packed) }));
  for (const part of chunks(rows))
    await db
      .insertInto(table)
      .values(part)
      .onConflict((conflict) =>
        conflict.columns(['day', 'row_id']).doUpdateSet((eb) => ({ hours: eb.ref('excluded.hours') })),
      )
      .execute();
}

export async function deleteDays(db: Db, table: DayTable, day: number, rowIds: readonly number[]): Promise<void> {
  for (const part of chunks(rowIds))
    await db.deleteFrom(table).where('day', '=', day).where('row_id', 'in', part).execute();
}

/** As long as the hours of farms. */
export const DAYS_KEPT = 400;
/** How long before a miner was created its history may begin: what is older is not counted. */
const DAYS_BEFORE = 32;

/** Of miners that are removed. Day by day, as the table is ordered. */
export async function removeDays(db: Db, rowIds: readonly number[]): Promise<void> {
  await db.deleteFrom('miner_days_aside').where('row_id', 'in', rowIds).execute();
  const days = await daysOf(db, rowIds);
  if (days.length > 0)
    await db.deleteFrom('miner_days').where('day', 'in', days).where('row_id', 'in', rowIds).execute();
}

/** Of two rows that become one: adds the days of the one to those of the other. */
export async function mergeDays(db: Db, from: number, to: number): Promise<void> {
  const days = await daysOf(db, [from]);
  if (days.length === 0) return;
  const rows = await db
    .selectFrom('miner_days')
    .select(['day', 'hours'])
    .where('day', 'in', days)
    .where('row_id', '=', from)
    .execute();
  for (const { day, hours } of rows) {
    const added = readDay(hours);
    const packed = (await readDays(db, 'miner_days', day, [to])).get(to) ?? emptyDay();
    for (let hour = 0; hour < HOURS; hour++) addToDay(packed, hour, hourOf(added, hour) ?? NO_HOUR);
    await writeDays(db, 'miner_days', day, new Map([[to, packed]]));
  }
}

/** On which these miners may have rows. */
async function daysOf(db: Db, rowIds: readonly number[]): Promise<number[]> {
  const span = await db
    .selectFrom('miners')
    .select((eb) => [eb.fn.min('created_at').as('first'), eb.fn.max('reported_at').as('last')])
    .where('row_id', 'in', rowIds)
    .executeTakeFirst();
  if (span === undefined || span.first === null) return [];
  const last = Math.floor(span.last / DAY_MS) + 1;
  const first = Math.max(Math.floor(span.first / DAY_MS), last - DAYS_KEPT) - DAYS_BEFORE;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** What is too old, in portions. `onPortion` is called between them. */
export async function pruneDays(write: Db, nowMs: number, onPortion: () => Promise<void>): Promise<void> {
  const before = Math.floor(nowMs / DAY_MS) - DAYS_KEPT;
  for (const table of ['miner_days', 'miner_days_aside'] as const)
    for (let isMore = true; isMore; ) {
      const rows = await write
        .selectFrom(table)
        .select(['day', 'row_id'])
        .where('day', '<', before)
        .orderBy('day')
        .orderBy('row_id')
        .limit(PORTION)
        .execute();
      for (const [day, ofDay] of Map.groupBy(rows, (row) => row.day))
        await deleteDays(
          write,
          table,
          day,
          ofDay.map(({ row_id }) => row_id),
        );
      isMore = rows.length === PORTION;
      await onPortion();
    }
}
