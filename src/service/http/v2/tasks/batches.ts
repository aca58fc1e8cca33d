// Task batches of a farm in v2: list, search, one batch with its counts, its tasks. Creating and cancelling is
// batch-commands.ts.
import { z } from 'zod';
import { shownParams } from '../../../../model/task.ts';
import { answerOf, listOf, searchPage } from '../../../../wire/api/envelope.ts';
import { anyId, closedObject } from '../../../../wire/api/forms.ts';
import { batchDetailSchema, batchV2Schema, taskV2Schema } from '../../../../wire/api/tasks.ts';
import { notFound } from '../../../auth/authorise.ts';
import { V2_FARM } from '../../../auth/rules.data.ts';
import type { Batch, BatchDetail, BatchFilter } from '../../../store/store.ts';
import { farmOf, farmParams } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import { sendPage } from '../../pages/send-page.ts';
import type { App, RouteParts } from '../../server.ts';
import { good, type PageQuery, toPastIso } from '../../shared/envelope.ts';
import { batchListShape, batchSearchShape, toListFilter, toSearchFilter } from '../../shared/filters.ts';
import { goodList, pageShape, windowOf } from '../envelope.ts';

export const batchParams = farmParams.extend({ task_batch_id: anyId });

export function registerBatches(app: App, { store: { batches, batchDetail }, pages, clock }: RouteParts): void {
  const described = { tags: ['tasks'], params: farmParams, response: answers(listOf(batchV2Schema)) };
  const answerList = async (farmId: string, filter: BatchFilter, query: PageQuery) => {
    const { batches: found, total } = await batches.list({ farmId, filter, window: windowOf(query) });
    return goodList(
      found.map((batch) => toItem(batch, clock.nowMs())),
      query,
      total,
    );
  };
  app.route({
    method: 'GET',
    url: `${V2_FARM}/task-batches`,
    schema: {
      ...described,
      operationId: 'listTaskBatchesV2',
      summary: 'Task batches of a farm, newest first',
      querystring: z.object({ ...pageShape, ...batchListShape }),
    },
    handler: (request) => answerList(farmOf(request).id, toListFilter(request.query), request.query),
  });
  app.route({
    method: 'POST',
    url: `${V2_FARM}/task-batches/search`,
    schema: {
      ...described,
      operationId: 'searchTaskBatchesV2',
      summary: 'Search the task batches of a farm',
      body: closedObject({ ...batchSearchShape, ...searchPage }).prefault({}),
    },
    handler: (request) => answerList(farmOf(request).id, toSearchFilter(request.body), request.body),
  });
  app.route({
    method: 'GET',
    url: `${V2_FARM}/task-batches/:task_batch_id`,
    schema: {
      tags: ['tasks'],
      operationId: 'getTaskBatchV2',
      summary: 'A task batch with its counts',
      params: batchParams,
      response: answers(answerOf(batchDetailSchema)),
    },
    handler: async (request) => {
      const found = await batchDetail.find(farmOf(request).id, request.params.task_batch_id);
      if (found === undefined) throw notFound();
      return good(toDetail(found, clock.nowMs()));
    },
  });
  app.route({
    method: 'GET',
    url: `${V2_FARM}/task-batches/:task_batch_id/tasks`,
    schema: {
      tags: ['tasks'],
      operationId: 'listTasksV2',
      summary: 'Tasks of a batch, newest first',
      params: batchParams,
      querystring: z.object(pageShape),
      response: answers(listOf(taskV2Schema)),
    },
    handler: (request, reply) => {
      const { page, page_size } = request.query;
      const query = {
        farmId: farmOf(request).id,
        id: request.params.task_batch_id,
        window: windowOf(request.query),
      };
      return sendPage(pages, request, reply, {
        ...{ version: 'v2', page: { page, page_size }, nowMs: clock.nowMs() },
        ...{ list: 'tasks', query },
      });
    },
  });
}

function toItem(batch: Batch, nowMs: number): z.infer<typeof batchV2Schema> {
  return {
    id: batch.id,
    task_name: batch.name,
    status: batch.status,
    task_count: batch.taskCount,
    succeed_count: batch.succeedCount,
    unsuccessful_count: batch.failedCount,
    task_params: shownParams(batch.params),
    created_by: batch.actor,
    created_at: toPastIso(batch.createdAtMs, nowMs),
    metadata: batch.metadata,
  };
}

export function toDetail(batch: BatchDetail, nowMs: number): z.infer<typeof batchDetailSchema> {
  const { counts } = batch;
  return {
    ...toItem(batch, nowMs),
    pending_count: counts.pending,
    running_count: counts.running,
    failed_count: counts.failed,
    timeout_count: counts.timeout,
    cancelled_count: counts.cancelled,
  };
}
