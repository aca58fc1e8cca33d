// Miners' hours after the clock of the service was set back: as ../history-set-back.ts does for the farm. The hour in
// which the clock now is goes aside whole, also the part of it that had been: what is kept is never counted twice.
import type { Db } from '../../schema.ts';
import { NO_HOUR } from './hour-sums.ts';
import { type DayTable, dayOf, deleteDays, hourOfDay, readDays, writeDays } from './miner-days.ts';
import type { OpenHours } from './open-hours.ts';
import { addToDay, emptyDay, HOURS, hourOf, type PackedDay, setHour } from './packed-day.ts';

/** Days that have rows from this one on, on any farm. */
async function daysSince(db: Db, table: DayTable, day: number): Promise<number[]> {
  const rows = await db.selectFrom(table).select('day').distinct().where('day', '>=', day).execute();
  return rows.map((row) => row.day);
}

/**
 * From this hour on, for these miners; `open` are their open hours of then. Newer hours replace what was set aside
 * before.
 */
export async function setHoursAside(
  db: Db,
  rowIds: readonly number[],
  hour: number,
  open: ReadonlyMap<number, OpenHours>,
): Promise<void> {
  const ofOpen = [...open].flatMap(([rowId, hours]) => hours.map((one) => ({ ...one, rowId })));
  const known = [
    ...(await daysSince(db, 'miner_days', dayOf(hour))),
    ...(await daysSince(db, 'miner_days_aside', dayOf(hour))),
    ...ofOpen.map((one) => dayOf(one.hour)),
  ];
  for (const day of new Set(known)) {
    const from = day === dayOf(hour) ? hourOfDay(hour) : 0;
    const rows = await readDays(db, 'miner_days', day, rowIds);
    const aside = await readDays(db, 'miner_days_aside', day, rowIds);
    const opened = Map.groupBy(
      ofOpen.filter((one) => dayOf(one.hour) === day),
      ({ rowId }) => rowId,
    );
    const kept = new Map<number, PackedDay>();
    const moved = new Map<number, PackedDay>();
    for (const rowId of new Set([...rows.keys(), ...aside.keys(), ...opened.keys()])) {
      const row = rows.get(rowId) ?? emptyDay();
      for (const { hour: at, sums } of opened.get(rowId) ?? []) addToDay(row, hourOfDay(at), sums);
      moved.set(rowId, joined(aside.get(rowId) ?? emptyDay(), row, from));
      kept.set(rowId, joined(row, emptyDay(), from));
    }
    await put(db, 'miner_days_aside', day, moved);
    await put(db, 'miner_days', day, kept);
  }
}

/** The hours of the one before this one, the hours of the other from it on. */
function joined(before: PackedDay, after: PackedDay, from: number): PackedDay {
  const day = emptyDay();
  for (let hour = 0; hour < HOURS; hour++) setHour(day, hour, hourOf(hour < from ? before : after, hour) ?? NO_HOUR);
  return day;
}

const isBlank = (day: PackedDay) => day.every((byte) => byte === 0);

async function put(db: Db, table: DayTable, day: number, days: ReadonlyMap<number, PackedDay>): Promise<void> {
  const [blank, filled] = [[...days].filter(([, row]) => isBlank(row)), [...days].filter(([, row]) => !isBlank(row))];
  await deleteDays(
    db,
    table,
    day,
    blank.map(([rowId]) => rowId),
  );
  await writeDays(db, table, day, new Map(filled));
}

/**
 * Hours set aside that are over now come back where nothing else has been counted, for these miners; `open` are their
 * open hours. Gives whether there was any.
 */
export async function bringHoursBack(
  db: Db,
  rowIds: readonly number[],
  days: readonly number[],
  hour: number,
  open: ReadonlyMap<number, OpenHours>,
): Promise<boolean> {
  let isAny = false;
  for (const day of days) {
    const aside = await readDays(db, 'miner_days_aside', day, rowIds);
    const rows = await readDays(db, 'miner_days', day, [...aside.keys()]);
    for (const [rowId, row] of aside) {
      const target = rows.get(rowId) ?? emptyDay();
      const opened = new Set(open.get(rowId)?.map((one) => one.hour));
      for (let at = 0; at < HOURS && day * HOURS + at < hour; at++) {
        const sums = hourOf(row, at);
        if (sums === undefined || hourOf(target, at) !== undefined || opened.has(day * HOURS + at)) continue;
        setHour(target, at, sums);
        setHour(row, at, NO_HOUR);
        isAny = true;
        rows.set(rowId, target);
      }
    }
    await put(db, 'miner_days_aside', day, aside);
    await writeDays(db, 'miner_days', day, rows);
  }
  return isAny;
}

/** Days that may come back at this time. */
export async function daysAside(db: Db, hour: number): Promise<number[]> {
  const rows = await db
    .selectFrom('miner_days_aside')
    .select('day')
    .distinct()
    .where('day', '<=', dayOf(hour))
    .execute();
  return rows.map((row) => row.day);
}
