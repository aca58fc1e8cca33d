// GET /me/grants: what other workspaces have opened to the workspace of the key.
import { z } from 'zod';
import { named } from '../../../wire/api/components.ts';
import { answerOf } from '../../../wire/api/envelope.ts';
import type { Grant } from '../../store/store.ts';
import { accessOf } from '../guard.ts';
import { answers } from '../openapi.ts';
import type { App, RouteParts } from '../server.ts';
import { good, toIsoOrNull, toPastIso } from '../shared/envelope.ts';

const workspaceSchema = named('Workspace', z.strictObject({ id: z.string(), name: z.string(), slug: z.string() }));

const grantSchema = named(
  'Grant',
  z.strictObject({
    id: z.uuid(),
    grantor: workspaceSchema,
    grantee: workspaceSchema,
    farm_ids: z.array(z.uuid()).nullable().meta({ description: 'null = every farm of the grantor' }),
    permissions: z.array(z.string()),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
  }),
);

export function registerGrants(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'GET',
    url: '/private-api/v1/me/grants',
    schema: {
      tags: ['grants'],
      operationId: 'listMyGrants',
      summary: 'Active grants to the workspace of the key',
      response: answers(answerOf(z.array(grantSchema))),
    },
    handler: async (request) => {
      const nowMs = clock.nowMs();
      const grants = await store.tenants.listActiveGrants(accessOf(request).workspaceId, nowMs);
      return good(grants.map((grant) => toItem(grant, nowMs)));
    },
  });
}

function toItem(grant: Grant, nowMs: number): z.infer<typeof grantSchema> {
  return {
    id: grant.id,
    grantor: grant.grantor,
    grantee: grant.grantee,
    farm_ids: grant.farmIds === null ? null : [...grant.farmIds],
    permissions: [...grant.permissions],
    created_at: toPastIso(grant.createdAtMs, nowMs),
    expires_at: toIsoOrNull(grant.expiresAtMs),
  };
}
