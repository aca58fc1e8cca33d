// Task batches: create, list, search.
import { z } from 'zod';
import {
  actorSchema,
  BATCH_STATUSES,
  type EXECUTION_TASK_NAMES,
  shownParams,
  taskNameSchema,
} from '../../../model/task.ts';
import { MAX_PARAMS_LENGTH } from '../../../wire/protocol.ts';
import type { Batch, BatchFilter, BatchStore, Window } from '../../store/store.ts';
import { batchListShape, batchSearchShape, toListFilter, toSearchFilter } from '../batch-filters.ts';
import { accessOf, farmOf, farmParams } from '../guard.ts';
import { givenId } from '../ids.ts';
import { answers, named } from '../openapi.ts';
import { actorOf, type CreateBatches, idempotencyOf, type Made, orderHeaders, summarise } from '../orders.ts';
import { wholeNumber } from '../parameters.ts';
import type { App } from '../server.ts';
import { closedObject } from '../validation.ts';
import { toIso, toWindow } from '../window.ts';
import { listOf, paginate, searchPage } from './envelope.ts';

const V1_FARM = '/private-api/v1/:workspace_id/farms/:farm_id';

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

export const createAnswerSchema = z.strictObject({
  success: z.literal(true),
  data: z.array(createdBatchSchema),
  error: z.null(),
  meta: z.strictObject({
    summary: z.strictObject({ created_count: z.number(), skipped_count: z.number() }),
    skipped: z.array(z.strictObject({ reason: z.string(), message: z.string(), miner_ids: z.array(z.string()) })),
  }),
});

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
  task_name: z.enum(['miner.system.reboot'] satisfies (typeof EXECUTION_TASK_NAMES)[number][]),
  miner_ids: z.array(givenId).min(1).max(1_000),
  params: z
    .looseObject({
      force: z
        .boolean()
        .optional()
        .meta({ description: 'Reboot even if the miner is flagged as updating or was rebooted just now' }),
    })
    .optional()
    .meta({ description: `At most ${MAX_PARAMS_LENGTH} characters of JSON` }),
});

const listQuerySchema = z.object({
  page: wholeNumber({ min: 1, fallback: 1, description: 'Pages count from 1' }),
  pageSize: wholeNumber({ min: 1, max: 10_000, fallback: 10, description: 'Batches per page' }),
  ...batchListShape,
});

const searchBodySchema = closedObject({ ...batchSearchShape, ...searchPage }).prefault({});

export function registerBatches(app: App, batches: Pick<BatchStore, 'list'>, createBatches: CreateBatches): void {
  const described = { tags: ['tasks'], params: farmParams };
  app.post(
    `${V1_FARM}/tasks/batches`,
    {
      schema: {
        ...described,
        operationId: 'createTaskBatch',
        summary: 'Run a task on selected miners',
        description:
          'With the header Idempotency-Key, the same key and body within 24 hours give the same answer and create nothing.',
        headers: orderHeaders,
        body: createBodySchema,
        response: answers(createAnswerSchema, 409),
      },
    },
    async (request, reply) => {
      const access = accessOf(request);
      const farm = farmOf(access);
      const { task_name, miner_ids, params } = request.body;
      const actor = actorOf(access.caller);
      const text = await createBatches({
        workspaceId: farm.workspaceId,
        farmId: farm.id,
        name: task_name,
        targets: 'miners',
        ids: miner_ids,
        params: params ?? {},
        actor,
        idempotency: idempotencyOf(access.caller, request.headers),
        wording: 'v1',
        toAnswer: (made) => toCreated(made, { task_name, task_params: shownParams(params ?? {}), created_by: actor }),
      });
      return reply.type('application/json; charset=utf-8').send(text);
    },
  );

  const answerList = async (farmId: string, filter: BatchFilter, window: Window) => {
    const { batches: found, total } = await batches.list({ farmId, filter, window });
    return { success: true as const, data: found.map(toSummary), pagination: paginate(window, total), error: null };
  };
  app.get(
    `${V1_FARM}/tasks/batches`,
    {
      schema: {
        ...described,
        operationId: 'listTaskBatches',
        summary: 'Task batches of a farm, newest first',
        querystring: listQuerySchema,
        response: answers(listOf(batchSummarySchema)),
      },
    },
    async (request, reply) => {
      const { page, pageSize } = request.query;
      const filter = toListFilter(request.query);
      return reply.send(await answerList(farmOf(accessOf(request)).id, filter, toWindow(page, pageSize)));
    },
  );
  app.post(
    `${V1_FARM}/tasks/search`,
    {
      schema: {
        ...described,
        operationId: 'searchTaskBatches',
        summary: 'Search the task batches of a farm',
        body: searchBodySchema,
        response: answers(listOf(batchSummarySchema)),
      },
    },
    async (request, reply) => {
      const { page, limit } = request.body;
      const filter = toSearchFilter(request.body);
      return reply.send(await answerList(farmOf(accessOf(request)).id, filter, toWindow(page, limit)));
    },
  );
}

function toCreated(
  made: Made,
  order: Pick<z.infer<typeof createdBatchSchema>, 'task_name' | 'task_params' | 'created_by'>,
): z.infer<typeof createAnswerSchema> {
  const created_at = toIso(made.createdAtMs);
  return {
    success: true,
    data: made.batches.map(({ id, taskCount }) => ({ batch_id: id, task_count: taskCount, ...order, created_at })),
    error: null,
    meta: {
      summary: summarise(made),
      skipped: made.skipped.map(({ reason, message, ids }) => ({ reason, message, miner_ids: [...ids] })),
    },
  };
}

function toSummary(batch: Batch): z.infer<typeof batchSummarySchema> {
  return {
    batch_id: batch.id,
    task_name: batch.name,
    status: batch.status,
    task_count: batch.taskCount,
    succeed_count: batch.succeedCount,
    failed_count: batch.failedCount,
    task_params: shownParams(batch.params),
    created_by: batch.actor,
    created_at: toIso(batch.createdAtMs),
    metadata: batch.metadata,
  };
}
