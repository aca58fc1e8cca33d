// Metrics of v2: how many miners of each kind a farm has, and historical metrics in buckets.
import { z } from 'zod';
import { anomalyTypeSchema } from '../../model/flags/flags.ts';
import { OPS_STATUSES, RUN_STATUSES } from '../../model/miner.ts';
import { orDefault, orNull } from '../../model/tasks/or-null.ts';
import { named } from './components.ts';
import { closedObject, isoUtc } from './forms.ts';

const counts = <V extends z.ZodType>(value: V) => z.array(z.strictObject({ value, count: z.int().min(0) }));
const known = z.string().nullable();

export const GROUP_KEYS = ['algorithm', 'container', 'rack', 'model', 'firmware', 'agent'] as const;
export type GroupKey = (typeof GROUP_KEYS)[number];

const nullableNumber = (description: string) => z.number().nullable().meta({ description });
const algorithmList = z.array(z.string().nullable());
const SEVERAL_ALGORITHMS =
  'Present where the miners have several algorithms, null = of some it is not known: hashrates of different ones are not added up. Figures of hashrates are those of the one that is known, null where several are';

const groupFiguresSchema = named(
  'MinerGroup',
  z.strictObject({
    value: known.meta({ description: 'Null = of miners that have none; of agents the id' }),
    count: z.int().min(0),
    online: z.int().min(0).meta({ description: 'Status `online`; the figures are of these' }),
    with_anomalies: z.int().min(0).meta({ description: 'Miners with at least one anomaly' }),
    hashrate: nullableNumber('H/s'),
    expected_hashrate: nullableNumber('H/s'),
    power: nullableNumber('W'),
    algorithms: algorithmList.optional().meta({ description: SEVERAL_ALGORITHMS }),
  }),
);

export const classificationQuerySchema = closedObject({
  group_by: orNull(z.enum(GROUP_KEYS)).meta({ description: 'The answer has `groups` too, most miners first' }),
}).prefault({});

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
    groups: z.array(groupFiguresSchema).optional().meta({ description: 'Present where `group_by` is given' }),
  }),
);

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
    algorithms: algorithmList.optional().meta({ description: SEVERAL_ALGORITHMS }),
  }),
);

export const metricsSeriesSchema = named(
  'MetricsSeries',
  z.strictObject({
    group: known.meta({ description: 'Null = of miners that have none; of agents the id' }),
    buckets: z.array(metricsBucketSchema).meta({ description: 'In order of time, also those without data' }),
  }),
);

export const GRANULARITY_NAMES = ['10min', 'hour', 'day', 'week'] as const;
export type Granularity = (typeof GRANULARITY_NAMES)[number];

const windowShape = {
  from_time: isoUtc.meta({ description: 'Buckets that overlap the window are answered, whole' }),
  to_time: isoUtc.meta({ description: 'Not part of the window' }),
};

export const metricsQuerySchema = closedObject({
  ...windowShape,
  granularity: orDefault(z.enum(GRANULARITY_NAMES), 'hour').meta({
    default: 'hour',
    description: 'Longest window: 10min 1 day, hour 7 days, day 90 days, week 365 days; weeks begin on Monday',
  }),
  group_by: orNull(z.enum(GROUP_KEYS)).meta({
    description:
      'The answer is a series for each value. By algorithm with each granularity; by the others with granularity hour, of miners as they are grouped now, at most 600,000 hours of miners and 20,000 buckets',
  }),
});

export const MINER_GRANULARITY_NAMES = ['hour', 'day', 'week'] as const satisfies readonly Granularity[];
export type MinerGranularity = (typeof MINER_GRANULARITY_NAMES)[number];

export const minerMetricsQuerySchema = closedObject({
  ...windowShape,
  granularity: orDefault(z.enum(MINER_GRANULARITY_NAMES), 'hour').meta({
    default: 'hour',
    description:
      'Longest window: hour 7 days, day 90 days, week 365 days; weeks begin on Monday. Nothing finer is kept of one miner',
  }),
});

const KNOWN_MINUTES =
  'over the minutes that know it; 0 while it is known to be unreachable; null where nothing is known';

export const minerMetricsBucketSchema = named(
  'MinerMetricsBucket',
  z.strictObject({
    from: z.iso.datetime().meta({ description: 'Begin of the bucket' }),
    to: z.iso.datetime().meta({ description: 'Not part of the bucket' }),
    hashrate_avg: nullableNumber(`H/s, ${KNOWN_MINUTES}`),
    power_avg: nullableNumber(`W, ${KNOWN_MINUTES}`),
    efficiency: nullableNumber('J/TH, over the hours that know power as often as hashrate'),
    temperature_avg: nullableNumber('Degrees Celsius'),
    temperature_max: nullableNumber('Degrees Celsius'),
    online_avg: z.number().min(0).max(1).nullable().meta({ description: 'Share of its reports with an answer' }),
    coverage: z.number().min(0).max(1).meta({ description: 'Share of the bucket that was reported on' }),
  }),
);
