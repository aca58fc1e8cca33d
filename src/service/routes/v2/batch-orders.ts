// POST …/task-batches and …/cancel: run a task on miners or agents, and give a batch up. An extension of the interface.
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { actorSchema, shownParams, taskNameSchema } from '../../../model/task.ts';
import { notFound } from '../../auth/authorise.ts';
import type { BatchDetailStore } from '../../store/store.ts';
import { accessOf, farmOf, farmParams } from '../guard.ts';
import { answers, EXTENSION, named } from '../openapi.ts';
import { actorOf, type CreateBatches, idempotencyOf, type Made, orderHeaders, summarise } from '../orders.ts';
import type { App } from '../server.ts';
import { toIso } from '../window.ts';
import { batchDetailSchema, batchParams, toDetail } from './batches.ts';
import { oneOf, V2_FARM } from './envelope.ts';
import { allowNoBody } from './no-body.ts';
import { orderSchema } from './task-params.ts';

const createdSchema = named(
  'CreatedTaskBatchV2',
  z.strictObject({
    id: z.uuid(),
    task_name: taskNameSchema,
    task_count: z.int().min(0),
    task_params: z.record(z.string(), z.unknown()),
    created_by: actorSchema,
    created_at: z.iso.datetime(),
  }),
);

const skippedSchema = z.strictObject({
  reason: z.string(),
  message: z.string(),
  miner_ids: z.array(z.string()),
  agent_ids: z.array(z.string()),
});

export const createdAnswerSchema = z.strictObject({
  success: z.literal(true),
  data: z.array(createdSchema),
  error: z.null(),
  meta: z.strictObject({
    summary: z.strictObject({ created_count: z.int().min(0), skipped_count: z.int().min(0) }),
    skipped: z.array(skippedSchema),
  }),
});

export type BatchOrderParts = {
  readonly createBatches: CreateBatches;
  /** Called for each agent that has to be told of a change, after it is stored. */
  readonly deliver: (agentId: string) => Promise<void>;
};

export function registerBatchOrders(
  app: App,
  detail: Pick<BatchDetailStore, 'cancel' | 'find'>,
  { createBatches, deliver }: BatchOrderParts,
  clock: Clock,
): void {
  app.post(
    `${V2_FARM}/task-batches`,
    {
      schema: {
        ...EXTENSION,
        tags: ['tasks'],
        operationId: 'createTaskBatchV2',
        summary: 'Run a task on selected miners or agents',
        description:
          'One batch per agent. Who gets no task is listed with the reason. With the header Idempotency-Key, the same key and body within 24 hours give the same answer and create nothing.',
        params: farmParams,
        headers: orderHeaders,
        body: orderSchema,
        response: answers(createdAnswerSchema, 409),
      },
    },
    async (request, reply) => {
      const access = accessOf(request);
      const farm = farmOf(access);
      const { body } = request;
      const actor = actorOf(access.caller);
      const params = { ...body.params };
      const targets = 'miner_ids' in body ? 'miners' : 'agents';
      const text = await createBatches({
        workspaceId: farm.workspaceId,
        farmId: farm.id,
        name: body.task_name,
        targets,
        ids: 'miner_ids' in body ? body.miner_ids : body.agent_ids,
        params,
        rollout: 'rollout' in body ? body.rollout : undefined,
        expiresInS: body.expires_in_s,
        actor,
        idempotency: idempotencyOf(access.caller, request.headers),
        wording: 'v2',
        toAnswer: (made) => toCreated(made, targets, { task_name: body.task_name, params, created_by: actor }),
      });
      return reply.type('application/json; charset=utf-8').send(text);
    },
  );
  app.post(
    `${V2_FARM}/task-batches/:task_batch_id/cancel`,
    {
      onRequest: allowNoBody,
      schema: {
        ...EXTENSION,
        tags: ['tasks'],
        operationId: 'cancelTaskBatchV2',
        summary: 'Give a task batch up',
        description:
          'Tasks that no agent has taken end at once; an agent gives up what it has not started. What has been started goes on to its outcome, but a scan ends with what it has found. A batch that is over stays as it is.',
        params: batchParams,
        response: answers(oneOf(batchDetailSchema)),
      },
    },
    async (request, reply) => {
      const farm = farmOf(accessOf(request));
      const id = request.params.task_batch_id;
      const agentIds = await detail.cancel(farm.id, id, clock.nowMs());
      for (const agentId of agentIds ?? []) await deliver(agentId);
      const batch = await detail.find(farm.id, id);
      if (batch === undefined) throw notFound();
      return reply.send({ success: true, data: toDetail(batch), error: null });
    },
  );
}

function toCreated(
  made: Made,
  targets: 'miners' | 'agents',
  {
    task_name,
    params,
    created_by,
  }: Pick<z.infer<typeof createdSchema>, 'task_name' | 'created_by'> & { params: Record<string, unknown> },
): z.infer<typeof createdAnswerSchema> {
  const order = { task_name, task_params: shownParams(params), created_by, created_at: toIso(made.createdAtMs) };
  return {
    success: true,
    data: made.batches.map(({ id, taskCount }) => ({ id, task_count: taskCount, ...order })),
    error: null,
    meta: {
      summary: summarise(made),
      skipped: made.skipped.map(({ reason, message, ids }) => ({
        reason,
        message,
        miner_ids: targets === 'miners' ? [...ids] : [],
        agent_ids: targets === 'agents' ? [...ids] : [],
      })),
    },
  };
}
