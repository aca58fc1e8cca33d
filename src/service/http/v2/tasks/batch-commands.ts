// POST …/task-batches and …/cancel: run a task on miners or agents, and cancel a batch. An extension of the interface.
import { isAboutAgents } from '../../../../model/task.ts';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { answerOf } from '../../../../wire/api/envelope.ts';
import { batchCreationSchema, batchDetailSchema, createdAnswerSchema } from '../../../../wire/api/tasks.ts';
import { notFound } from '../../../auth/authorise.ts';
import { V2_FARM } from '../../../auth/rules.data.ts';
import { accessOf, farmOf, farmParams } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { creationHeaders, sendCreated } from '../../shared/batch-creation.ts';
import { allowNoBody } from '../../shared/body.ts';
import { good } from '../../shared/envelope.ts';
import { batchParams, toDetail } from './batches.ts';
import { poolParamsOf } from './pool-sets.ts';

export function registerBatchCommands(app: App, { store, clock, createBatches, deliver }: RouteParts): void {
  app.route({
    method: 'POST',
    url: `${V2_FARM}/task-batches`,
    schema: {
      ...EXTENSION,
      tags: ['tasks'],
      operationId: 'createTaskBatchV2',
      summary: 'Run a task on selected miners or agents',
      description:
        'One batch per agent. Who gets no task is listed with the reason. With the header Idempotency-Key, the same key and body within 24 hours give the same answer and create nothing.',
      params: farmParams,
      headers: creationHeaders,
      body: batchCreationSchema,
      response: answers(createdAnswerSchema, 409),
    },
    handler: async (request, reply) => {
      const { body } = request;
      const creation = {
        name: body.task_name,
        ...(body.task_name === 'miner.pool.update'
          ? await poolParamsOf(request, store, body.params)
          : { params: { ...body.params } }),
        expiresInS: body.expires_in_s,
        wording: 'v2' as const,
        ...('miner_ids' in body ? { ids: body.miner_ids, rollout: body.rollout } : { ids: body.agent_ids }),
      };
      return sendCreated(request, reply, createBatches, creation, {
        toBatch: ({ id, taskCount }, fields) => ({ id, task_count: taskCount, ...fields }),
        toSkipped: ({ reason, message, ids }) => ({
          reason,
          message,
          miner_ids: isAboutAgents(creation.name) ? [] : ids,
          agent_ids: isAboutAgents(creation.name) ? ids : [],
        }),
      });
    },
  });
  app.route({
    method: 'POST',
    url: `${V2_FARM}/task-batches/:task_batch_id/cancel`,
    onRequest: allowNoBody,
    schema: {
      ...EXTENSION,
      tags: ['tasks'],
      operationId: 'cancelTaskBatchV2',
      summary: 'Give a task batch up',
      description:
        'Tasks that no agent has taken end at once; an agent gives up what it has not started. What has been started goes on to its outcome, but a scan ends with what it has found. A batch that is over stays as it is.',
      params: batchParams,
      response: answers(answerOf(batchDetailSchema)),
    },
    handler: async (request) => {
      const { id: farmId } = farmOf(request);
      const id = request.params.task_batch_id;
      const agentIds = await store.batchDetail.cancel(farmId, id, accessOf(request).caller.actor, clock.nowMs());
      for (const agentId of agentIds ?? []) await deliver(agentId);
      const batch = await store.batchDetail.find(farmId, id);
      if (batch === undefined) throw notFound();
      return good(toDetail(batch, clock.nowMs()));
    },
  });
}
