// POST …/metrics/query: historical metrics of a farm, in buckets of UTC.
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { formatDurationMs } from '../../../base/time/duration.ts';
import { GRANULARITIES, type HistoryBucket, type HistoryStore } from '../../store/store.ts';
import { invalidRequest } from '../errors.ts';
import { isoUtc } from '../filters.ts';
import { accessOf, farmOf, farmParams } from '../guard.ts';
import { answers, named } from '../openapi.ts';
import type { App } from '../server.ts';
import { closedObject } from '../validation.ts';
import { toIso } from '../window.ts';
import { oneOf, V2_FARM } from './envelope.ts';

const nullableNumber = (description: string) => z.number().nullable().meta({ description });

const COUNTED =
  'the sum over the miners that told it in ten minutes, averaged over the ten minutes that have one; an unreachable miner gives 0; null where nothing is known';

export const metricsBucketSchema = named(
  'MetricsBucket',
  z.strictObject({
    from: z.iso.datetime(),
    to: z.iso.datetime().meta({ description: 'Not part of the bucket' }),
    hashrate_avg: nullableNumber(`Of the farm, H/s: ${COUNTED}`),
    expected_hashrate_avg: nullableNumber(`Of the farm, H/s: ${COUNTED}`),
    power_avg: nullableNumber(`Of the farm, W: ${COUNTED}`),
    efficiency: nullableNumber('J/TH, of the miners that tell both power and hashrate'),
    temperature_avg: nullableNumber('Over the miners, degrees Celsius'),
    temperature_max: nullableNumber('Of any miner, degrees Celsius'),
    miners_online_avg: nullableNumber('Miners that answered'),
    miners_total: z.number().meta({ description: 'Miners that were there at any time of the bucket' }),
    coverage: z.number().min(0).max(1).meta({ description: 'Share of the bucket that has data' }),
  }),
);

/** Buckets at the ends of what four digits of a year can say would go beyond it. */
const EARLIEST_MS = Date.UTC(1971, 0);
const LATEST_MS = Date.UTC(9999, 0);

const bodySchema = closedObject({
  from_time: isoUtc.meta({ description: 'Buckets that overlap the window are answered, whole' }),
  to_time: isoUtc.meta({ description: 'Not part of the window' }),
  granularity: z.enum(['10min', 'hour', 'day', 'week']).default('hour').meta({
    description: 'Longest window: 10min 1 day, hour 7 days, day 90 days, week 365 days; weeks begin on Monday',
  }),
});

export function registerHistory(app: App, history: HistoryStore, clock: Clock): void {
  app.post(
    `${V2_FARM}/metrics/query`,
    {
      schema: {
        tags: ['metrics'],
        operationId: 'queryHistoricalMetricsV2',
        summary: 'Historical metrics of a farm',
        params: farmParams,
        body: bodySchema,
        response: answers(oneOf(z.array(metricsBucketSchema))),
      },
    },
    async (request, reply) => {
      const { from_time, to_time, granularity } = request.body;
      const fromMs = Date.parse(from_time);
      const toMs = Date.parse(to_time);
      if (fromMs < EARLIEST_MS || toMs > LATEST_MS)
        throw invalidRequest('from_time, to_time: accepted: years 1971 to 9998');
      const { maxRangeMs } = GRANULARITIES[granularity];
      if (toMs <= fromMs) throw invalidRequest('to_time: received a time that is not after from_time');
      if (toMs - fromMs > maxRangeMs)
        throw invalidRequest(
          `to_time: received a window of ${formatDurationMs(toMs - fromMs)}, accepted with granularity ${granularity}: up to ${formatDurationMs(maxRangeMs)}`,
        );
      const farmId = farmOf(accessOf(request)).id;
      const buckets = await history.query({ farmId, granularity, fromMs, toMs, nowMs: clock.nowMs() });
      return reply.send({ success: true, data: buckets.map(toItem), error: null });
    },
  );
}

function toItem(bucket: HistoryBucket): z.infer<typeof metricsBucketSchema> {
  const { fromMs, toMs, minersTotal, coverage, ...averages } = bucket;
  return { from: toIso(fromMs), to: toIso(toMs), ...averages, miners_total: minersTotal, coverage };
}
