// History after the clock of the service was set back. History that is now in the future is set aside, so that those
// minutes can be counted when they come. It is not removed, because it is not known which clock was wrong. When the
// clock is set forward again, it comes back where nothing else was counted.
import type { Databases } from '../databases.ts';
import { CLOCKS_DIFFER_MS } from '../rows.ts';
import type { Db } from '../schema.ts';
import type { Presence } from './accounting.ts';
import { CELL_MS, HOUR_MS, MINUTE_MS, QUANTITIES } from './history-sums.ts';
import { readPresence, writeHour, writePresence } from './history-write.ts';
import { bringHoursBack, daysAside, setHoursAside } from './miner/days-set-back.ts';
import type { OpenHours } from './miner/open-hours.ts';
import { spansBefore } from './presence-intervals.ts';

type Parts = Pick<Databases, 'transact' | 'lock'>;

/** Replaces the farm's id. */
const asideOf = (farmId: string) => `${farmId} set back`;
const MINERS_AT_ONCE = 500;

/** Gives whether there was something to set aside. */
export async function setHistoryAside({ transact, lock }: Parts, farmId: string, nowMs: number): Promise<boolean> {
  return transact(async (trx) => {
    await lock(trx, `history ${farmId}`);
    const ahead = await trx
      .selectFrom('history_cells')
      .select('from_at')
      .where('farm_id', '=', farmId)
      .where('from_at', '>', nowMs + CLOCKS_DIFFER_MS)
      .limit(1)
      .executeTakeFirst();
    if (ahead === undefined) return false;
    const cell = Math.floor(nowMs / CELL_MS);
    const hour = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
    await moveAside(trx, 'history_cells', farmId, cell * CELL_MS);
    await moveAside(trx, 'history_hours', farmId, hour);
    await writeHour(trx, farmId, hour);
    await forgetPresence(trx, farmId, cell);
    return true;
  });
}

/** Newer history replaces what was set aside before. */
async function moveAside(
  trx: Db,
  table: 'history_cells' | 'history_hours',
  farmId: string,
  sinceMs: number,
): Promise<void> {
  const aside = asideOf(farmId);
  await trx.deleteFrom(table).where('farm_id', '=', aside).where('from_at', '>=', sinceMs).execute();
  await trx
    .updateTable(table)
    .set({ farm_id: aside })
    .where('farm_id', '=', farmId)
    .where('from_at', '>=', sinceMs)
    .execute();
}

/** From the cell on no minute of the farm's miners is accounted for, and their hours are set aside. */
async function forgetPresence(trx: Db, farmId: string, cell: number): Promise<void> {
  const hour = Math.floor((cell * CELL_MS) / HOUR_MS);
  await eachMiners(trx, farmId, async (rowIds, presence) => {
    const ahead = new Map<number, OpenHours>();
    for (const [rowId, { spans, known, open }] of presence) {
      const [hashrate, expected, power] = QUANTITIES.map((quantity) => spansBefore(known[quantity], cell));
      const minute = (cell * CELL_MS) / MINUTE_MS;
      ahead.set(
        rowId,
        open.filter((one) => one.hour >= hour),
      );
      presence.set(rowId, {
        spans: spansBefore(spans, minute),
        known: { hashrate: hashrate ?? [], expected: expected ?? [], power: power ?? [] },
        open: open.filter((one) => one.hour < hour),
      });
    }
    await setHoursAside(trx, rowIds, hour, ahead);
    await writePresence(trx, presence);
  });
}

async function bringDaysBack(trx: Db, farmId: string, nowMs: number): Promise<boolean> {
  const hour = Math.floor(nowMs / HOUR_MS);
  const days = await daysAside(trx, hour);
  if (days.length === 0) return false;
  let isAny = false;
  await eachMiners(trx, farmId, async (rowIds, presence) => {
    const open = new Map([...presence].map(([rowId, one]) => [rowId, one.open]));
    if (await bringHoursBack(trx, rowIds, days, hour, open)) isAny = true;
  });
  return isAny;
}

/** In portions. */
async function eachMiners(
  trx: Db,
  farmId: string,
  visit: (rowIds: readonly number[], presence: Map<number, Presence>) => Promise<void>,
): Promise<void> {
  for (let afterId = 0; ; ) {
    const miners = await trx
      .selectFrom('miners')
      .select('row_id')
      .where('farm_id', '=', farmId)
      .where('row_id', '>', afterId)
      .orderBy('row_id')
      .limit(MINERS_AT_ONCE)
      .execute();
    const rowIds = miners.map(({ row_id }) => row_id);
    await visit(rowIds, await readPresence(trx, rowIds));
    afterId = rowIds.at(-1) ?? 0;
    if (rowIds.length < MINERS_AT_ONCE) return;
  }
}

/**
 * Brings back what was set aside and lies in the past now, where nothing else has been counted. Gives whether there was
 * any.
 */
export async function bringHistoryBack({ transact, lock }: Parts, farmId: string, nowMs: number): Promise<boolean> {
  return transact(async (trx) => {
    await lock(trx, `history ${farmId}`);
    const cells = await bringBack(trx, 'history_cells', farmId, nowMs - CELL_MS);
    const hours = await bringBack(trx, 'history_hours', farmId, nowMs - HOUR_MS);
    for (const hour of new Set(cells.map((at) => Math.floor(at / HOUR_MS) * HOUR_MS)))
      await writeHour(trx, farmId, hour);
    const isAny = await bringDaysBack(trx, farmId, nowMs);
    return cells.length + hours.length > 0 || isAny;
  });
}

async function bringBack(
  trx: Db,
  table: 'history_cells' | 'history_hours',
  farmId: string,
  untilMs: number,
): Promise<number[]> {
  const ofFarm = (id: string) =>
    trx.selectFrom(table).select('from_at').where('farm_id', '=', id).where('from_at', '<=', untilMs);
  const rows = await trx
    .updateTable(table)
    .set({ farm_id: farmId })
    .where('farm_id', '=', asideOf(farmId))
    .where('from_at', '<=', untilMs)
    .where('from_at', 'not in', ofFarm(farmId))
    .returning('from_at')
    .execute();
  return rows.map(({ from_at }) => from_at);
}
