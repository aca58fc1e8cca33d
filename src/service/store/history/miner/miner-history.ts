// Reading the history of one miner, in buckets of UTC. An hour is the finest that is kept of it.
import type { MinerGranularity } from '../../../../wire/api/metrics.ts';
import type { Databases } from '../../databases.ts';
import type { Db } from '../../schema.ts';
import { bucketsOf, MISSED_MS } from '../history.ts';
import { HOUR_MS, MINUTE_MS } from '../history-sums.ts';
import { addHours, type HourAverages, hourAverages, NO_HOUR, pairedOf } from './hour-sums.ts';
import { readHoursOf } from './miner-hours.ts';

/** `toMs` is not part of the bucket. `coverage`: share of its minutes that were reported on, 0 to 1. */
export type MinerBucket = HourAverages & { readonly fromMs: number; readonly toMs: number; readonly coverage: number };

type MinerHistoryQuery = {
  readonly farmId: string;
  readonly minerId: string;
  readonly granularity: MinerGranularity;
  /** Every bucket that overlaps [fromMs, toMs) is answered, whole. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Nothing is due of what has not been yet. */
  readonly nowMs: number;
};

type MinerHistoryStore = {
  /** Whether the farm has such a miner. */
  has(farmId: string, minerId: string): Promise<boolean>;
  /** Undefined = the farm has no such miner. */
  query(query: MinerHistoryQuery): Promise<readonly MinerBucket[] | undefined>;
};

export function createMinerHistoryStore({ read }: Pick<Databases, 'read'>): MinerHistoryStore {
  return {
    has: async (farmId, minerId) => (await findMiner(read, farmId, minerId)) !== undefined,
    async query({ farmId, minerId, granularity, fromMs, toMs, nowMs }) {
      const miner = await findMiner(read, farmId, minerId);
      if (miner === undefined) return undefined;
      const { row_id, created_at, reported_at } = miner;
      const { begin, end, stepMs } = bucketsOf(granularity, fromMs, toMs);
      const hours = (await readHoursOf(read, [row_id], begin / HOUR_MS, end / HOUR_MS)).get(row_id);
      // It is missed for a while after its last report; then it is gone and its silence is no gap.
      const goneMs = Math.min(nowMs, reported_at + MISSED_MS);
      const buckets: MinerBucket[] = [];
      for (let from = begin; from < end; from += stepMs) buckets.push(bucketOf(from));
      return buckets;

      function bucketOf(from: number): MinerBucket {
        let [sums, paired, due] = [NO_HOUR, NO_HOUR, 0];
        for (let at = from; at < from + stepMs; at += HOUR_MS) {
          const hour = hours?.get(at / HOUR_MS) ?? NO_HOUR;
          sums = addHours(sums, hour);
          paired = addHours(paired, pairedOf(hour));
          const wasThereMs = Math.min(at + HOUR_MS, goneMs) - Math.max(at, created_at);
          due += Math.max(hour.accounted, wasThereMs / MINUTE_MS);
        }
        const coverage = due === 0 ? 0 : sums.accounted / due;
        return { fromMs: from, toMs: from + stepMs, ...hourAverages(sums, paired), coverage };
      }
    },
  };
}

const findMiner = (read: Db, farmId: string, minerId: string) =>
  read
    .selectFrom('miners')
    .select(['row_id', 'created_at', 'reported_at'])
    .where('id', '=', minerId)
    .where('farm_id', '=', farmId)
    .executeTakeFirst();
