// …/webhooks: where the events of a workspace are sent to, and what is sent. An extension of the interface.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { answerOf, listOf } from '../../../../wire/api/envelope.ts';
import { anyId } from '../../../../wire/api/forms.ts';
import {
  removedSchema,
  webhookCreationSchema,
  webhookEditSchema,
  webhookSchema,
  webhookWithSecretSchema,
} from '../../../../wire/api/webhooks.ts';
import { notFound } from '../../../auth/authorise.ts';
import { V2_WORKSPACE } from '../../../auth/rules.data.ts';
import type { Webhook } from '../../../store/store.ts';
import type { Doer } from '../../../webhooks/manage.ts';
import { accessOf } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { allowNoBody } from '../../shared/body.ts';
import { good } from '../../shared/envelope.ts';
import { goodList, pageShape, windowOf } from '../envelope.ts';
import { toWebhookItem } from './items.ts';

export const V2_WEBHOOKS = `${V2_WORKSPACE}/webhooks`;
const V2_WEBHOOK = `${V2_WEBHOOKS}/:webhook_id`;
const workspaceParams = z.object({ workspace_id: anyId });
export const webhookParams = workspaceParams.extend({ webhook_id: anyId });

/** Of the request: who does it, and where. */
export function doerOf(request: FastifyRequest): Doer {
  const { caller, workspaceId } = accessOf(request);
  return { actor: caller.actor, workspaceId };
}

export const createItem =
  ({ store, clock }: RouteParts) =>
  async (webhook: Webhook) =>
    toWebhookItem(webhook, await store.webhooks.pending(webhook), clock.nowMs());

export function registerWebhooks(app: App, parts: RouteParts): void {
  const { store, webhooks } = parts;
  const itemOf = createItem(parts);
  app.route({
    method: 'GET',
    url: V2_WEBHOOKS,
    schema: {
      ...EXTENSION,
      tags: ['webhooks'],
      operationId: 'listWebhooksV2',
      summary: 'Webhooks of a workspace, oldest first',
      params: workspaceParams,
      querystring: z.object(pageShape),
      response: answers(listOf(webhookSchema)),
    },
    handler: async (request) => {
      const all = await store.webhooks.list(accessOf(request).workspaceId);
      const { offset, limit } = windowOf(request.query);
      const items = await Promise.all(all.slice(offset, offset + limit).map(itemOf));
      return goodList(items, request.query, all.length);
    },
  });
  app.route({
    method: 'POST',
    url: V2_WEBHOOKS,
    schema: {
      ...EXTENSION,
      tags: ['webhooks'],
      operationId: 'createWebhookV2',
      summary: 'Have events sent to a URL',
      description:
        'It begins with the next event of each farm. Messages follow Standard Webhooks; the secret that they are signed with is shown this once. A workspace may have 20.',
      params: workspaceParams,
      body: webhookCreationSchema,
      response: answers(answerOf(webhookWithSecretSchema), 409),
    },
    handler: async (request) => {
      const { url, name, farm_ids: farmIds = null, event_types: types = null } = request.body;
      const { webhook, secret } = await webhooks.create(doerOf(request), { url, name, farmIds, types });
      return good({ ...(await itemOf(webhook)), secret });
    },
  });
}

export function registerWebhook(app: App, parts: RouteParts): void {
  const { store, webhooks } = parts;
  const itemOf = createItem(parts);
  const described = { ...EXTENSION, tags: ['webhooks'], params: webhookParams };
  app.route({
    method: 'GET',
    url: V2_WEBHOOK,
    schema: {
      ...described,
      operationId: 'getWebhookV2',
      summary: 'A webhook: its state, what waits, its last failure',
      response: answers(answerOf(webhookSchema)),
    },
    handler: async (request) => {
      const webhook = await store.webhooks.find(accessOf(request).workspaceId, request.params.webhook_id);
      if (webhook === undefined) throw notFound();
      return good(await itemOf(webhook));
    },
  });
  app.route({
    method: 'PATCH',
    url: V2_WEBHOOK,
    schema: {
      ...described,
      operationId: 'updateWebhookV2',
      summary: 'Change a webhook, pause it, or make it active again',
      description:
        'Fields that are not given stay. A farm that is added begins with its next event. One that was paused or disabled goes on where it stopped when it is active again.',
      body: webhookEditSchema,
      response: answers(answerOf(webhookSchema)),
    },
    handler: async (request) => {
      const { farm_ids: farmIds, event_types: types, ...others } = request.body;
      const changes = { ...others, farmIds, types };
      const webhook = await webhooks.update(doerOf(request), request.params.webhook_id, changes);
      if (webhook === undefined) throw notFound();
      return good(await itemOf(webhook));
    },
  });
  app.route({
    method: 'DELETE',
    url: V2_WEBHOOK,
    onRequest: allowNoBody,
    schema: {
      ...described,
      operationId: 'removeWebhookV2',
      summary: 'Remove a webhook with its dead letters',
      response: answers(removedSchema),
    },
    handler: async (request) => {
      const id = request.params.webhook_id;
      if (!(await webhooks.remove(doerOf(request), id))) throw notFound();
      return good({ id });
    },
  });
}
