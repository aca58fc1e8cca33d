// Reading the hours of miners: the rows of their days, and what is still added to.
import type { Db } from '../../schema.ts';
import { addHours, type HourSums, NO_HOUR } from './hour-sums.ts';
import { dayOf } from './miner-days.ts';
import { readOpenHours } from './open-hours.ts';
import { HOURS, hourOf, readDay } from './packed-day.ts';

/**
 * By row and hour since the epoch, those in [first, end) that have data. One statement: an hour that is folded
 * meanwhile is read once.
 */
export async function readHoursOf(
  read: Db,
  rowIds: readonly number[],
  first: number,
  end: number,
): Promise<Map<number, Map<number, HourSums>>> {
  const days = Array.from({ length: dayOf(end - 1) - dayOf(first) + 1 }, (_, index) => dayOf(first) + index);
  const rows = await read
    .selectFrom('miner_presence')
    .leftJoin('miner_days', (join) =>
      join.onRef('miner_days.row_id', '=', 'miner_presence.row_id').on('miner_days.day', 'in', days),
    )
    .select(['miner_presence.row_id', 'miner_presence.open_hours', 'miner_days.day', 'miner_days.hours'])
    .where('miner_presence.row_id', 'in', rowIds)
    .execute();
  const found = new Map<number, Map<number, HourSums>>();
  for (const [rowId, ofMiner] of Map.groupBy(rows, ({ row_id }) => row_id)) {
    const hours = new Map<number, HourSums>();
    const put = (hour: number, sums: HourSums) => {
      if (hour >= first && hour < end) hours.set(hour, addHours(hours.get(hour) ?? NO_HOUR, sums));
    };
    for (const { day, hours: text } of ofMiner) if (day !== null && text !== null) readHours(day, text, put);
    for (const { hour, sums } of readOpenHours(ofMiner[0]?.open_hours ?? '')) put(hour, sums);
    found.set(rowId, hours);
  }
  return found;
}

function readHours(day: number, text: string, put: (hour: number, sums: HourSums) => void): void {
  const packed = readDay(text);
  for (let hour = 0; hour < HOURS; hour++) {
    const sums = hourOf(packed, hour);
    if (sums !== undefined) put(day * HOURS + hour, sums);
  }
}
