// POST …/miner-metrics/query: how many miners of a farm there are of each kind.
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { anomalyTypeSchema } from '../../../model/flags.ts';
import { OPS_STATUSES, RUN_STATUSES } from '../../../model/miner.ts';
import type { ClassificationStore } from '../../store/store.ts';
import { accessOf, farmOf, farmParams } from '../guard.ts';
import { answers, named } from '../openapi.ts';
import type { App } from '../server.ts';
import { oneOf, V2_FARM } from './envelope.ts';
import { allowNoBody } from './no-body.ts';

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

export function registerClassification(app: App, store: ClassificationStore, clock: Clock): void {
  app.post(
    `${V2_FARM}/miner-metrics/query`,
    {
      onRequest: allowNoBody,
      schema: {
        tags: ['metrics'],
        operationId: 'queryMinerMetricsV2',
        summary: 'How many miners of a farm there are of each kind (beta)',
        description: 'Most frequent first; value null = the miner has none.',
        params: farmParams,
        response: answers(oneOf(classificationSchema)),
      },
    },
    async (request, reply) => {
      const found = await store.classify(farmOf(accessOf(request)).id, clock.nowMs());
      const { total, status, opsStatus, anomalyType, miningMode, model, firmware, rack } = found;
      const data = {
        total,
        status,
        ops_status: opsStatus,
        anomaly_type: anomalyType,
        mining_mode: miningMode,
        model,
        firmware,
        rack,
      };
      return reply.type('application/json; charset=utf-8').send(JSON.stringify({ success: true, data, error: null }));
    },
  );
}
