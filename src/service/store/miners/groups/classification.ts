// How many miners of a farm there are of each kind, in the words of the v2 classification metrics. Two passes over the
// narrow table.
import { type RawBuilder, sql } from 'kysely';
import { ANOMALY_TYPES, fromBitmask } from '../../../../model/flags/anomaly-types.ts';
import { OPS_STATUSES } from '../../../../model/miner.ts';
import type { GroupKey } from '../../../../wire/api/metrics.ts';
import type { Databases } from '../../databases.ts';
import { listAlgorithms, NOT_KNOWN, onlyAlgorithm } from '../../history/algorithms.ts';
import { MODE_NOT_REPORTED } from '../miner-filter.ts';
import { groupColumn } from './group-keys.ts';

/** `value` null = the miner has none. */
export type Count = { readonly value: string | null; readonly count: number };

export function createClassificationStore({ read }: Databases) {
  return {
    /** Most frequent first. Status, ops status and anomaly type have every word of theirs, the others what occurs. */
    async classify(farmId: string, nowMs: number) {
      const groups = await read
        .selectFrom('miners')
        .select(['ops_status', 'anomaly_flags', 'mining_mode', 'model', 'firmware'])
        .select((eb) => [
          eb.fn.countAll<number>().as('count'),
          sql<number>`sum(case when ${eb.ref('stale_at')} > ${nowMs} then 1 else 0 end)`.as('online'),
        ])
        .where('farm_id', '=', farmId)
        .groupBy(['ops_status', 'anomaly_flags', 'mining_mode', 'model', 'firmware'])
        .execute();
      const racks = await read
        .selectFrom('miners')
        .select((eb) => ['rack', eb.fn.countAll<number>().as('count')])
        .where('farm_id', '=', farmId)
        .groupBy('rack')
        .execute();
      const status = tally(['online', 'stale']);
      const opsStatus = tally(OPS_STATUSES);
      const anomalyType = tally(ANOMALY_TYPES);
      const miningMode = tally();
      const model = tally();
      const firmware = tally();
      let total = 0;
      for (const group of groups) {
        const count = Number(group.count);
        const online = Number(group.online);
        total += count;
        status.add('online', online);
        status.add('stale', count - online);
        opsStatus.add(group.ops_status, count);
        for (const type of fromBitmask(group.anomaly_flags)) anomalyType.add(type, count);
        miningMode.add(group.mining_mode === MODE_NOT_REPORTED ? null : group.mining_mode, count);
        model.add(group.model, count);
        firmware.add(group.firmware, count);
      }
      const rack = tally();
      for (const group of racks) rack.add(group.rack, Number(group.count));
      return {
        total,
        status: status.counts(),
        opsStatus: opsStatus.counts(),
        anomalyType: anomalyType.counts(),
        miningMode: miningMode.counts(),
        model: model.counts(),
        firmware: firmware.counts(),
        rack: rack.counts(),
      };
    },
    /** With the figures of those that are online. Most miners first. */
    async groups(farmId: string, groupBy: GroupKey, nowMs: number): Promise<readonly MinerGroup[]> {
      const rows = await read
        .selectFrom('miners')
        .select((eb) => {
          const whenOnline = (what: RawBuilder<unknown>) =>
            sql<number | null>`sum(case when ${eb.ref('stale_at')} > ${nowMs} then ${what} end)`;
          return [
            groupColumn(eb, groupBy).as('value'),
            'algorithm',
            eb.fn.countAll<number>().as('count'),
            whenOnline(sql`1`).as('online'),
            sql<number>`sum(case when ${eb.ref('anomaly_flags')} <> 0 then 1 else 0 end)`.as('ill'),
            whenOnline(sql`${eb.ref('hashrate')}`).as('hashrate'),
            whenOnline(sql`${eb.ref('expected_hashrate')}`).as('expected'),
            whenOnline(sql`${eb.ref('power')}`).as('power'),
          ];
        })
        .where('farm_id', '=', farmId)
        .groupBy(['value', 'algorithm'])
        .execute();
      return [...Map.groupBy(rows, ({ value }) => value)]
        .map(([value, of]) => ({ value, ...figuresOf(of) }))
        .toSorted(byCount);
    },
  };
}

/** `value` null = of miners that have none. H/s and W; null = not known, or of several algorithms. */
export type MinerGroup = Count & {
  readonly online: number;
  readonly ill: number;
  readonly hashrate: number | null;
  readonly expected: number | null;
  readonly power: number | null;
  readonly algorithms: readonly (string | null)[];
};

type Figures = Readonly<Record<'count' | 'online' | 'ill' | 'hashrate' | 'expected' | 'power', number | null>>;

function figuresOf(rows: readonly (Figures & { readonly algorithm: string | null })[]): Omit<MinerGroup, 'value'> {
  const sum = (name: keyof Figures) => rows.reduce((total, row) => total + Number(row[name] ?? 0), 0);
  const known = (value: number | null | undefined) => (value === null || value === undefined ? null : Number(value));
  const algorithms = rows.map(({ algorithm }) => algorithm ?? NOT_KNOWN);
  const only = onlyAlgorithm(algorithms);
  const ofOnly = rows.find(({ algorithm }) => only !== undefined && (algorithm ?? NOT_KNOWN) === only);
  return {
    ...{ count: sum('count'), online: sum('online'), ill: sum('ill') },
    hashrate: known(ofOnly?.hashrate),
    expected: known(ofOnly?.expected),
    power: rows.some(({ power }) => power !== null) ? sum('power') : null,
    algorithms: listAlgorithms(algorithms),
  };
}

const byCount = (a: Count, b: Count) => b.count - a.count || ((a.value ?? '') < (b.value ?? '') ? -1 : 1);

function tally(words: readonly string[] = []) {
  const counts = new Map<string | null, number>(words.map((word) => [word, 0]));
  return {
    add(value: string | null, count: number): void {
      counts.set(value, (counts.get(value) ?? 0) + count);
    },
    counts: (): Count[] => [...counts].map(([value, count]) => ({ value, count })).toSorted(byCount),
  };
}
