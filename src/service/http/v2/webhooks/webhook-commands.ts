// …/webhooks/{webhook_id}/rotate, test, dead letters and resend. An extension of the interface.
import { z } from 'zod';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { answerOf, listOf } from '../../../../wire/api/envelope.ts';
import {
  deadLetterSchema,
  resendSchema,
  resentSchema,
  rotationSchema,
  testedSchema,
  webhookWithSecretSchema,
} from '../../../../wire/api/webhooks.ts';
import { notFound } from '../../../auth/authorise.ts';
import { accessOf } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { allowNoBody } from '../../shared/body.ts';
import { good } from '../../shared/envelope.ts';
import { goodList, pageShape, windowOf } from '../envelope.ts';
import { toDeadLetterItem, toTestItem } from './items.ts';
import { createItem, doerOf, V2_WEBHOOKS, webhookParams } from './webhooks.ts';

const HOUR_MS = 3_600_000;

export function registerWebhookCommands(app: App, parts: RouteParts): void {
  const { store, webhooks, testWebhook } = parts;
  const itemOf = createItem(parts);
  const described = { ...EXTENSION, tags: ['webhooks'], params: webhookParams };
  app.route({
    method: 'POST',
    url: `${V2_WEBHOOKS}/:webhook_id/rotate`,
    onRequest: allowNoBody,
    schema: {
      ...described,
      operationId: 'rotateWebhookV2',
      summary: 'Sign with a new secret',
      description:
        'The new secret is shown this once. For `overlap_hours` messages are signed with the one before as well; one that was older than that ends at once.',
      body: rotationSchema,
      response: answers(answerOf(webhookWithSecretSchema)),
    },
    handler: async (request) => {
      const overlapMs = request.body.overlap_hours * HOUR_MS;
      const made = await webhooks.rotate(doerOf(request), request.params.webhook_id, overlapMs);
      if (made === undefined) throw notFound();
      return good({ ...(await itemOf(made.webhook)), secret: made.secret });
    },
  });
  app.route({
    method: 'POST',
    url: `${V2_WEBHOOKS}/:webhook_id/test`,
    onRequest: allowNoBody,
    schema: {
      ...described,
      operationId: 'testWebhookV2',
      summary: 'Send a test message now',
      description:
        'One message of the type `webhook.test`, whatever the state of the webhook. It waits for the answer, at most 10 seconds, and changes nothing of the webhook.',
      response: answers(testedSchema),
    },
    handler: async (request) => {
      const webhook = await store.webhooks.find(accessOf(request).workspaceId, request.params.webhook_id);
      if (webhook === undefined) throw notFound();
      return good(toTestItem(await testWebhook(webhook)));
    },
  });
  app.route({
    method: 'GET',
    url: `${V2_WEBHOOKS}/:webhook_id/dead-letters`,
    schema: {
      ...described,
      operationId: 'listWebhookDeadLettersV2',
      summary: 'Events that a webhook was given up for, newest first',
      description: 'They are kept as long as their events; of a webhook the newest 100,000.',
      querystring: z.object(pageShape),
      response: answers(listOf(deadLetterSchema)),
    },
    handler: async (request) => {
      const { workspaceId } = accessOf(request);
      const id = request.params.webhook_id;
      if ((await store.webhooks.find(workspaceId, id)) === undefined) throw notFound();
      const { deadLetters, total } = await store.webhooks.deadLetters(workspaceId, id, windowOf(request.query));
      return goodList(deadLetters.map(toDeadLetterItem), request.query, total);
    },
  });
  app.route({
    method: 'POST',
    url: `${V2_WEBHOOKS}/:webhook_id/dead-letters/resend`,
    onRequest: allowNoBody,
    schema: {
      ...described,
      operationId: 'resendWebhookDeadLettersV2',
      summary: 'Send dead letters once more',
      description:
        'With the same webhook-id as before, so a receiver drops what it has. Ids of other webhooks count as none.',
      body: resendSchema,
      response: answers(resentSchema),
    },
    handler: async (request) => {
      const count = await webhooks.resend(doerOf(request), request.params.webhook_id, request.body.ids);
      if (count === undefined) throw notFound();
      return good({ resend_count: count });
    },
  });
}
