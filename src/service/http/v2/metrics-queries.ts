// POST …/miner-metrics/query: how many miners of a farm there are of each kind. POST …/metrics/query: historical metrics of a farm, in buckets of UTC.
import { z } from 'zod';
import { formatDurationMs } from '../../../base/time/duration.ts';
import { anomalyTypeSchema } from '../../../model/flags.ts';
import { OPS_STATUSES, RUN_STATUSES } from '../../../model/miner.ts';
import { V2_FARM } from '../../auth/rules.data.ts';
import { GRANULARITIES, type HistoryBucket } from '../../store/store.ts';
import { farmOf, farmParams } from '../guard.ts';
import { answers, named } from '../openapi.ts';
import type { App, RouteParts } from '../server.ts';
import { allowNoBody } from '../shared/body.ts';
import { answerOf, good, toIso } from '../shared/envelope.ts';
import { invalidRequest } from '../shared/errors.ts';
import { isoUtc } from '../shared/filters.ts';
import { closedObject } from '../shared/validation.ts';

const counts = <V extends z.ZodType>(value: V) => z.array(z.strictObject({ value, count: z.int().min(0) }));
const known = z.string().nullable();

export const classificationSchema = named(
  'ClassificationV2',
  z.strictObject({
    total: z.int().min(0),
    status: counts(z.enum(RUN_STATUSES)),
    ops_status: counts(z.enum(OPS_STATUSES).nullable()),
    anomaly_type: counts(anomalyTypeSchema).meta({ description: 'A miner counts once for each anomaly that it has' }),
    mining_mode: counts(z.string()),
    model: counts(known),
    firmware: counts(known),
    rack: counts(known),
  }),
);

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

export function registerClassification(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'POST',
    url: `${V2_FARM}/miner-metrics/query`,
    onRequest: allowNoBody,
    schema: {
      tags: ['metrics'],
      operationId: 'queryMinerMetricsV2',
      summary: 'How many miners of a farm there are of each kind (beta)',
      description: 'Most frequent first; value null = the miner has none.',
      params: farmParams,
      response: answers(answerOf(classificationSchema)),
    },
    handler: async (request) => {
      const found = await store.classification.classify(farmOf(request).id, clock.nowMs());
      const { total, status, opsStatus: ops_status, anomalyType: anomaly_type, miningMode: mining_mode } = found;
      const { model, firmware, rack } = found;
      return good({ total, status, ops_status, anomaly_type, mining_mode, model, firmware, rack });
    },
  });
}

export function registerHistory(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'POST',
    url: `${V2_FARM}/metrics/query`,
    schema: {
      tags: ['metrics'],
      operationId: 'queryHistoricalMetricsV2',
      summary: 'Historical metrics of a farm',
      params: farmParams,
      body: bodySchema,
      response: answers(answerOf(z.array(metricsBucketSchema))),
    },
    handler: async (request) => {
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
      const farmId = farmOf(request).id;
      const buckets = await store.history.query({ farmId, granularity, fromMs, toMs, nowMs: clock.nowMs() });
      return good(buckets.map(toItem));
    },
  });
}

function toItem(bucket: HistoryBucket): z.infer<typeof metricsBucketSchema> {
  const { fromMs, toMs, minersTotal, coverage, ...averages } = bucket;
  return { from: toIso(fromMs), to: toIso(toMs), ...averages, miners_total: minersTotal, coverage };
}
