// History of a farm by rack, model and the like, hour by hour: made of the hours of its miners, which are grouped as
// they are now. Groups without hashrates of different algorithms; an expected hashrate is not kept of single miners.
import { yieldToEventLoop } from '../../../base/clock.ts';
import type { GroupKey } from '../../../wire/api/metrics.ts';
import type { Databases } from '../databases.ts';
import { groupColumn } from '../miners/groups/group-keys.ts';
import type { FarmPart } from './algorithms.ts';
import { type Group, groupBucket, groupsOf } from './group-sums.ts';
import { type HistorySeries, MISSED_MS, readHours } from './history.ts';
import { HOUR_MS } from './history-sums.ts';
import { readHoursOf } from './miner/miner-hours.ts';

export type FarmGroupsQuery = {
  readonly farmId: string;
  readonly groupBy: GroupKey;
  /** Whole hours. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
};

/** What one query may read and answer: half a second of work, some MB. */
const MOST_MINER_HOURS = 600_000;
const MOST_BUCKETS = 20_000;
const MINERS_AT_ONCE = 500;

export type FarmGroups =
  | { readonly kind: 'series'; readonly series: readonly HistorySeries[] }
  /** Beyond the limits; `maxHours` is the longest window for this farm and key, 0 = none. */
  | { readonly kind: 'too-much'; readonly miners: number; readonly groups: number; readonly maxHours: number };

export function createFarmGroupStore({ read }: Pick<Databases, 'read'>) {
  return {
    async query({ farmId, groupBy, fromMs, toMs, nowMs }: FarmGroupsQuery): Promise<FarmGroups> {
      const [first, end] = [Math.floor(fromMs / HOUR_MS), Math.ceil(toMs / HOUR_MS)];
      const rows = await read
        .selectFrom('miners')
        .select(['row_id', 'algorithm', 'created_at', 'reported_at'])
        .select((eb) => groupColumn(eb, groupBy).as('group'))
        .where('farm_id', '=', farmId)
        .where('created_at', '<', end * HOUR_MS)
        .where('reported_at', '>=', first * HOUR_MS - MISSED_MS)
        .orderBy('row_id')
        .execute();
      const groups = groupsOf(rows, first, end);
      const maxHours = Math.floor(Math.min(MOST_MINER_HOURS / rows.length, MOST_BUCKETS / groups.size));
      if (end - first > maxHours) return { kind: 'too-much', miners: rows.length, groups: groups.size, maxHours };
      for (let start = 0; start < rows.length; start += MINERS_AT_ONCE) {
        const part = new Map(rows.slice(start, start + MINERS_AT_ONCE).map((row) => [row.row_id, row]));
        for (const [rowId, hours] of await readHoursOf(read, [...part.keys()], first, end)) {
          const row = part.get(rowId);
          const group = row && groups.get(row.group);
          if (row !== undefined) group?.add(row.algorithm, hours);
        }
        await yieldToEventLoop();
      }
      const ofFarm = await readHours(read, farmId, first * HOUR_MS, end * HOUR_MS);
      const partAt = new Map(ofFarm.map((part) => [part.fromMs / HOUR_MS, part]));
      return { kind: 'series', series: seriesOf(groups, partAt, { first, end, nowMs }) };
    },
  };
}

function seriesOf(
  groups: ReadonlyMap<string | null, Group>,
  partAt: ReadonlyMap<number, FarmPart>,
  { first, end, nowMs }: { readonly first: number; readonly end: number; readonly nowMs: number },
): HistorySeries[] {
  const hours = Array.from({ length: end - first }, (_, index) => first + index);
  return [...groups]
    .toSorted(([a], [b]) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1))
    .map(([value, group]) => ({
      group: value,
      buckets: hours.map((hour) => groupBucket(group, hour, partAt.get(hour), nowMs)),
    }));
}
