// POST …/miner-metrics/query: how many miners of a farm there are of each kind. POST …/metrics/query: historical
// metrics of a farm, in buckets of UTC.
import { z } from 'zod';
import { formatDurationMs } from '../../../base/time/duration.ts';
import { EXTENSION } from '../../../wire/api/components.ts';
import { answerOf } from '../../../wire/api/envelope.ts';
import { anyId } from '../../../wire/api/forms.ts';
import {
  classificationQuerySchema,
  classificationSchema,
  type Granularity,
  metricsBucketSchema,
  metricsQuerySchema,
  metricsSeriesSchema,
  minerMetricsBucketSchema,
  minerMetricsQuerySchema,
} from '../../../wire/api/metrics.ts';
import { notFound } from '../../auth/authorise.ts';
import { V2_FARM } from '../../auth/rules.data.ts';
import { GRANULARITIES, type HistoryBucket, type HistorySeries, type MinerBucket } from '../../store/store.ts';
import { farmOf, farmParams } from '../guard.ts';
import { answers } from '../openapi.ts';
import type { App, RouteParts } from '../server.ts';
import { allowNoBody } from '../shared/body.ts';
import { good, toIso } from '../shared/envelope.ts';
import { invalidRequest } from '../shared/errors.ts';

/** Years have four digits; the buckets at both ends need room. */
const EARLIEST_MS = Date.UTC(1971, 0);
const LATEST_MS = Date.UTC(9999, 0);

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
      body: classificationQuerySchema,
      response: answers(answerOf(classificationSchema)),
    },
    handler: async (request) => {
      const { id: farmId } = farmOf(request);
      const groupBy = request.body?.group_by;
      const found = await store.classification.classify(farmId, clock.nowMs());
      const { total, status, opsStatus: ops_status, anomalyType: anomaly_type, miningMode: mining_mode } = found;
      const { model, firmware, rack } = found;
      const answer = { total, status, ops_status, anomaly_type, mining_mode, model, firmware, rack };
      if (groupBy === undefined) return good(answer);
      const groups = await store.classification.groups(farmId, groupBy, clock.nowMs());
      return good({
        ...answer,
        groups: groups.map(({ value, count, online, ill, hashrate, expected, power, algorithms }) => ({
          ...{ value, count, online, with_anomalies: ill, hashrate, expected_hashrate: expected, power },
          ...several(algorithms),
        })),
      });
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
      summary: 'Historical metrics of a farm (beta)',
      params: farmParams,
      body: metricsQuerySchema,
      response: answers(answerOf(z.union([z.array(metricsBucketSchema), z.array(metricsSeriesSchema)]))),
    },
    handler: async (request) => {
      const { group_by: groupBy } = request.body;
      const query = { farmId: farmOf(request).id, ...windowOf(request.body), nowMs: clock.nowMs() };
      if (groupBy === undefined) return good((await store.history.query(query)).map(toItem));
      if (groupBy === 'algorithm') return good(toSeries(await store.history.queryByAlgorithm(query)));
      if (query.granularity !== 'hour')
        throw invalidRequest(`granularity: received ${query.granularity}, accepted with group_by ${groupBy}: hour`);
      const found = await store.farmGroups.query({ ...query, groupBy });
      if (found.kind === 'too-much')
        throw invalidRequest(
          `to_time: received a window that is too long for ${found.miners} miners in ${found.groups} groups, accepted with group_by ${groupBy}: up to ${found.maxHours} hours`,
        );
      return good(toSeries(found.series));
    },
  });
}

const toSeries = (series: readonly HistorySeries[]) =>
  series.map(({ group, buckets }) => ({ group, buckets: buckets.map(toItem) }));

const several = (algorithms: readonly (string | null)[]) =>
  algorithms.length > 1 ? { algorithms: [...algorithms] } : {};

export function registerMinerHistory(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'POST',
    url: `${V2_FARM}/miners/:miner_id/metrics/query`,
    schema: {
      tags: ['metrics'],
      operationId: 'queryMinerHistoryV2',
      summary: 'Historical metrics of one miner',
      description: 'Hours of UTC, kept for 400 days. Rates and watts have four digits.',
      ...EXTENSION,
      params: farmParams.extend({ miner_id: anyId }),
      body: minerMetricsQuerySchema,
      response: answers(answerOf(z.array(minerMetricsBucketSchema))),
    },
    handler: async (request) => {
      const about = { farmId: farmOf(request).id, minerId: request.params.miner_id };
      // Before the window: of a miner of others it is not even said what is wrong with the question.
      if (!(await store.minerHistory.has(about.farmId, about.minerId))) throw notFound();
      const window = windowOf(request.body);
      const buckets = await store.minerHistory.query({ ...about, ...window, nowMs: clock.nowMs() });
      if (buckets === undefined) throw notFound();
      return good(buckets.map(toMinerItem));
    },
  });
}

function windowOf<G extends Granularity>(body: { from_time: string; to_time: string; granularity: G }) {
  const { from_time, to_time, granularity } = body;
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
  return { granularity, fromMs, toMs };
}

function toMinerItem(bucket: MinerBucket): z.infer<typeof minerMetricsBucketSchema> {
  const { fromMs, toMs, hashrate, power, efficiency, temperature, temperatureMax, online, coverage } = bucket;
  return {
    from: toIso(fromMs),
    to: toIso(toMs),
    hashrate_avg: hashrate,
    power_avg: power,
    efficiency,
    temperature_avg: temperature,
    temperature_max: temperatureMax,
    online_avg: online,
    coverage,
  };
}

function toItem(bucket: HistoryBucket): z.infer<typeof metricsBucketSchema> {
  const { fromMs, toMs, minersTotal, coverage, algorithms, ...averages } = bucket;
  const item = { from: toIso(fromMs), to: toIso(toMs), ...averages, miners_total: minersTotal, coverage };
  return { ...item, ...several(algorithms) };
}
