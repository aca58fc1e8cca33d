// For how much of the last day the miners of a farm answered, by what the service keeps of each hour. Pure.
import type { z } from 'zod';
import type { metricsBucketSchema, metricsSeriesSchema } from '../../../wire/api/metrics.ts';

type Bucket = Pick<z.infer<typeof metricsBucketSchema>, 'miners_online_avg' | 'miners_total' | 'coverage'>;
type Series = z.infer<typeof metricsSeriesSchema>;
/** Of a farm, or of its groups. */
export type HistoryItem = Bucket | Series;

export const HOURS = 24;

/** 0 to 1, of the hours of which something is known; null = nothing is. */
export function uptimeOf(buckets: readonly Bucket[]): number | null {
  let [online, all] = [0, 0];
  for (const { miners_online_avg, miners_total, coverage } of buckets) {
    if (miners_online_avg === null) continue;
    online += miners_online_avg * coverage;
    all += miners_total * coverage;
  }
  return all > 0 ? Math.min(1, online / all) : null;
}

/** How many hours of the last day something is known of. */
export const knownHours = (buckets: readonly Bucket[]): number =>
  buckets.reduce((sum, { miners_online_avg, coverage }) => (miners_online_avg === null ? sum : sum + coverage), 0);

export const bucketsOf = (answer: readonly HistoryItem[]): readonly Bucket[] =>
  answer.filter((each) => 'coverage' in each);

export const uptimeOfGroups = (answer: readonly HistoryItem[]): ReadonlyMap<string | null, number | null> =>
  new Map(answer.flatMap((each) => ('group' in each ? [[each.group, uptimeOf(each.buckets)] as const] : [])));
