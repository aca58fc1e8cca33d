// POST …/task-batches and …/cancel: run a task on miners or agents, and cancel a batch. An extension of the interface.
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { isAboutAgents } from '../../../../model/task.ts';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { answerOf } from '../../../../wire/api/envelope.ts';
import {
  batchCreationSchema,
  batchDetailSchema,
  createdAnswerSchema,
  MAX_TARGETS,
  type outlookSchema,
} from '../../../../wire/api/tasks.ts';
import { notFound, requirePermission } from '../../../auth/authorise.ts';
import { V2_FARM } from '../../../auth/rules.data.ts';
import type { DryRun } from '../../../tasks/creation.ts';
import { accessOf, farmOf, farmParams } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { sendCreated } from '../../shared/batch-creation.ts';
import { allowNoBody } from '../../shared/body.ts';
import { good } from '../../shared/envelope.ts';
import { invalidRequest } from '../../shared/errors.ts';
import { selectedBy } from '../../shared/selected.ts';
import { idempotencyHeaders } from '../../transfer/idempotency.ts';
import { toMinerSearch } from '../miners.ts';
import { batchParams, toDetail } from './batches.ts';
import { poolParamsOf } from './pool-sets.ts';

export function registerBatchCommands(app: App, parts: RouteParts): void {
  const { store, clock, createBatches, deliver } = parts;
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
      headers: idempotencyHeaders,
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
        ...('agent_ids' in body ? { ids: body.agent_ids } : await targetsOf(parts, request, body)),
      };
      return sendCreated(request, reply, createBatches, creation, {
        toBatch: ({ id, taskCount }, fields) => ({ id, task_count: taskCount, ...fields }),
        toSkipped: ({ reason, message, ids }) => ({
          reason,
          message,
          miner_ids: isAboutAgents(creation.name) ? [] : ids,
          agent_ids: isAboutAgents(creation.name) ? ids : [],
        }),
        toDryRun: ({ targets, outlooks }) => ({
          targets: targets.map(({ id, ip, reason }) => ({ miner_id: id, ip, reason })),
          outlooks: outlooks.map(toOutlook),
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

function toOutlook({ agentId, taskCount, outlook }: DryRun['outlooks'][number]): z.output<typeof outlookSchema> {
  const common = { agent_id: agentId, task_count: taskCount };
  if (outlook === undefined)
    return { ...common, is_known: false, at_once: null, kw: null, eta_s: null, eta_is_guess: null };
  const { at_once, draw_w: drawW, eta_s: etaS, is_eta_guessed } = outlook;
  return {
    ...common,
    is_known: true,
    at_once,
    kw: drawW === null ? null : Math.round(drawW / 100) / 10,
    eta_s: etaS === null ? null : Math.ceil(etaS),
    eta_is_guess: is_eta_guessed,
  };
}

type ForMiners = Exclude<z.output<typeof batchCreationSchema>, { readonly agent_ids: unknown }>;

/**
 * Throws RefusedError where the caller may not read miners, and where the filter fits more miners than a batch may
 * have.
 */
async function targetsOf({ store, boards, clock }: RouteParts, request: FastifyRequest, body: ForMiners) {
  const { filter, miner_ids, rollout, expect_count: expectCount, dry_run: isDryRun } = body;
  const { id: farmId } = farmOf(request);
  // Both show which miners there are.
  if (filter !== undefined || isDryRun === true) requirePermission(accessOf(request), 'miners.read');
  const common = { filter, rollout, expectCount, isDryRun };
  if (filter === undefined) return { ...common, ids: miner_ids ?? [] };
  const selected = await selectedBy(boards, farmId, filter.select, 'body.filter.select');
  const query = { farmId, filter: selected, search: toMinerSearch(filter), nowMs: clock.nowMs() };
  const ids = await store.miners.ids(query, MAX_TARGETS + 1);
  if (ids.length > MAX_TARGETS)
    throw invalidRequest(`body.filter: fits more than ${MAX_TARGETS} miners, accepted: one that fits fewer`);
  return { ...common, ids };
}
