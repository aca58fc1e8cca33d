// Task batches: create, list, search.
import { z } from 'zod';
import { actorSchema, BATCH_STATUSES, shownParams, taskNameSchema } from '../../../model/task.ts';
import { orNull } from '../../../model/tasks/or-null.ts';
import type { ExecutionTaskName } from '../../../model/tasks/task-kinds.data.ts';
import { PARAMS_FIELDS } from '../../../model/tasks/task-params.ts';
import { named } from '../../../wire/api/components.ts';
import { closedObject, givenId } from '../../../wire/api/forms.ts';
import { createdAnswerOf } from '../../../wire/api/tasks.ts';
import { MAX_PARAMS_LENGTH } from '../../../wire/protocol.ts';
import { V1_FARM } from '../../auth/rules.data.ts';
import type { Batch, BatchFilter, Window } from '../../store/store.ts';
import { farmOf, farmParams } from '../guard.ts';
import { answers } from '../openapi.ts';
import type { App, RouteParts } from '../server.ts';
import { sendCreated } from '../shared/batch-creation.ts';
import { toPastIso } from '../shared/envelope.ts';
import { batchListShape, batchSearchShape, toListFilter, toSearchFilter } from '../shared/filters.ts';
import { toWindow } from '../shared/parameters.ts';
import { idempotencyHeaders } from '../transfer/idempotency.ts';
import { goodList, listOf, pageShape, searchPage } from './envelope.ts';

const shownParamsSchema = z.record(z.string(), z.unknown()).meta({ description: 'Secrets in it are not shown' });

const createdBatchSchema = named(
  'CreatedTaskBatch',
  z.strictObject({
    batch_id: z.uuid(),
    task_name: taskNameSchema,
    task_count: z.number(),
    task_params: shownParamsSchema,
    created_by: actorSchema,
    created_at: z.iso.datetime(),
  }),
);

export const createAnswerSchema = createdAnswerOf(
  createdBatchSchema,
  z.strictObject({ reason: z.string(), message: z.string(), miner_ids: z.array(z.string()) }),
  z.number(),
  {},
);

export const batchSummarySchema = named(
  'TaskBatch',
  z.strictObject({
    batch_id: z.uuid(),
    task_name: taskNameSchema,
    status: z.enum(BATCH_STATUSES),
    task_count: z.number(),
    succeed_count: z.number(),
    failed_count: z.number().meta({ description: 'Failed, timed out and cancelled' }),
    task_params: shownParamsSchema,
    created_by: actorSchema,
    created_at: z.iso.datetime(),
    metadata: z.record(z.string(), z.unknown()),
  }),
);

const createBodySchema = z.object({
  task_name: z.enum(['miner.system.reboot'] satisfies ExecutionTaskName[]),
  miner_ids: z.array(givenId).min(1).max(1_000),
  params: orNull(z.looseObject(PARAMS_FIELDS['miner.system.reboot'])).meta({
    description: `At most ${MAX_PARAMS_LENGTH} characters of JSON`,
  }),
});

const searchBodySchema = closedObject({ ...batchSearchShape, ...searchPage }).prefault({});

export function registerBatches(app: App, { store, clock, createBatches }: RouteParts): void {
  const described = { tags: ['tasks'], params: farmParams };
  app.route({
    method: 'POST',
    url: `${V1_FARM}/tasks/batches`,
    schema: {
      ...described,
      operationId: 'createTaskBatch',
      summary: 'Run a task on selected miners',
      description:
        'With the header Idempotency-Key, the same key and body within 24 hours give the same answer and create nothing.',
      headers: idempotencyHeaders,
      body: createBodySchema,
      response: answers(createAnswerSchema, 409),
    },
    handler: (request, reply) => {
      const { task_name: name, miner_ids, params = {} } = request.body;
      const creation = { name, ids: miner_ids, params, wording: 'v1' } as const;
      return sendCreated(request, reply, createBatches, creation, {
        toBatch: ({ id, taskCount }, fields) => ({ batch_id: id, task_count: taskCount, ...fields }),
        toSkipped: ({ reason, message, ids }) => ({ reason, message, miner_ids: ids }),
      });
    },
  });

  const answerList = async (farmId: string, filter: BatchFilter, window: Window) => {
    const { batches, total } = await store.batches.list({ farmId, filter, window });
    return goodList(
      batches.map((batch) => toSummary(batch, clock.nowMs())),
      window,
      total,
    );
  };
  app.route({
    method: 'GET',
    url: `${V1_FARM}/tasks/batches`,
    schema: {
      ...described,
      operationId: 'listTaskBatches',
      summary: 'Task batches of a farm, newest first',
      querystring: z.object({ ...pageShape('Batches'), ...batchListShape }),
      response: answers(listOf(batchSummarySchema)),
    },
    handler: (request) => {
      const { page, pageSize } = request.query;
      return answerList(farmOf(request).id, toListFilter(request.query), toWindow(page, pageSize));
    },
  });
  app.route({
    method: 'POST',
    url: `${V1_FARM}/tasks/search`,
    schema: {
      ...described,
      operationId: 'searchTaskBatches',
      summary: 'Search the task batches of a farm',
      body: searchBodySchema,
      response: answers(listOf(batchSummarySchema)),
    },
    handler: (request) => {
      const { page, limit } = request.body;
      return answerList(farmOf(request).id, toSearchFilter(request.body), toWindow(page, limit));
    },
  });
}

function toSummary(batch: Batch, nowMs: number): z.infer<typeof batchSummarySchema> {
  return {
    batch_id: batch.id,
    task_name: batch.name,
    status: batch.status,
    task_count: batch.taskCount,
    succeed_count: batch.succeedCount,
    failed_count: batch.failedCount,
    task_params: shownParams(batch.params),
    created_by: batch.actor,
    created_at: toPastIso(batch.createdAtMs, nowMs),
    metadata: batch.metadata,
  };
}
