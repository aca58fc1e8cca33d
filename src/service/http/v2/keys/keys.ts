// …/keys: with what programs ask in a workspace, and what each may do. An extension of the interface. The text of a key
// is in the one answer that makes it, and nowhere else.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isRole } from '../../../../model/permissions/permissions.ts';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { anyId } from '../../../../wire/api/forms.ts';
import {
  type KeyItem,
  keyAnswerSchema,
  keyCreationSchema,
  keysSchema,
  keyWithTextAnswerSchema,
} from '../../../../wire/api/keys.ts';
import { notFound } from '../../../auth/authorise.ts';
import { V2_KEYS } from '../../../auth/rules.data.ts';
import { requireUsable } from '../../../people/manage-keys.ts';
import type { ApiKey } from '../../../store/store.ts';
import { accessOf } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { allowNoBody } from '../../shared/body.ts';
import { good, toIso, toIsoOrNull } from '../../shared/envelope.ts';
import { goodList, pageShape, windowOf } from '../envelope.ts';

const workspaceParams = z.object({ workspace_id: anyId });
const described = { ...EXTENSION, tags: ['keys'] };

function doerOf(request: FastifyRequest) {
  const { caller, workspaceId } = accessOf(request);
  return { actor: caller.actor, workspaceId, permissions: caller.permissions };
}

/** A role that this version does not know allows nothing. */
const toKeyItem = ({ id, name, role, permissions, ...times }: ApiKey): KeyItem => ({
  ...{ id, name, role: role !== null && isRole(role) ? role : null, permissions: [...permissions] },
  created_at: toIso(times.createdAtMs),
  expires_at: toIsoOrNull(times.expiresAtMs),
  last_used_at: toIsoOrNull(times.lastUsedAtMs),
  revoked_at: toIsoOrNull(times.revokedAtMs),
});

/** A workspace has so few that are not revoked that the largest page has them all. */
const byUse = (a: ApiKey, b: ApiKey): number =>
  Number(a.revokedAtMs !== null) - Number(b.revokedAtMs !== null) ||
  b.createdAtMs - a.createdAtMs ||
  // Of one moment in an order that stays, whatever the database gives first.
  compareText(a.name, b.name) ||
  compareText(a.id, b.id);

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

export function registerKeys(app: App, { store, keys, clock }: RouteParts): void {
  app.route({
    method: 'GET',
    url: V2_KEYS,
    schema: {
      ...{ ...described, operationId: 'listKeysV2' },
      summary: 'API keys of a workspace, without their texts: newest first, and revoked ones at the end',
      params: workspaceParams,
      querystring: z.object(pageShape),
      response: answers(keysSchema),
    },
    handler: async (request) => {
      const all = (await store.keys.list(accessOf(request).workspaceId)).toSorted(byUse);
      const { offset, limit } = windowOf(request.query);
      return goodList(all.slice(offset, offset + limit).map(toKeyItem), request.query, all.length);
    },
  });
  app.route({
    method: 'POST',
    url: V2_KEYS,
    schema: {
      ...{ ...described, operationId: 'createKeyV2' },
      summary: 'Make an API key',
      description:
        'Its text is in this answer and is not kept. A workspace may have 1000 that are not revoked. A key that may do what the caller may not is refused.',
      params: workspaceParams,
      body: keyCreationSchema,
      response: answers(keyWithTextAnswerSchema, 409),
    },
    handler: async (request) => {
      const { name, role = null, permissions = [], expires_at: expiresAt } = request.body;
      const expiresAtMs = typeof expiresAt === 'string' ? Date.parse(expiresAt) : null;
      const wanted = { name, role, permissions, expiresAtMs };
      requireUsable(wanted, clock.nowMs());
      const { key, text } = await keys.create(doerOf(request), wanted);
      return good({ ...toKeyItem(key), key: text });
    },
  });
}

export function registerKey(app: App, { keys }: RouteParts): void {
  app.route({
    method: 'DELETE',
    url: `${V2_KEYS}/:key_id`,
    onRequest: allowNoBody,
    schema: {
      ...{ ...described, operationId: 'revokeKeyV2' },
      summary: 'End an API key now',
      description: 'It stays in the list. One that was ended before stays as it is.',
      params: workspaceParams.extend({ key_id: anyId }),
      response: answers(keyAnswerSchema),
    },
    handler: async (request) => {
      const revoked = await keys.revoke(doerOf(request), request.params.key_id);
      if (revoked === undefined) throw notFound();
      return good(toKeyItem(revoked));
    },
  });
}
