// GET /me/grants: what other workspaces have opened to the workspace of the key.
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import type { Grant, TenantStore } from '../../store/store.ts';
import { accessOf } from '../guard.ts';
import { answers, named } from '../openapi.ts';
import type { App } from '../server.ts';
import { toIso } from '../window.ts';

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

export function registerGrants(app: App, tenants: Pick<TenantStore, 'listActiveGrants'>, clock: Clock): void {
  app.get(
    '/private-api/v1/me/grants',
    {
      schema: {
        tags: ['grants'],
        operationId: 'listMyGrants',
        summary: 'Active grants to the workspace of the key',
        response: answers(z.strictObject({ success: z.literal(true), data: z.array(grantSchema), error: z.null() })),
      },
    },
    async (request, reply) => {
      const grants = await tenants.listActiveGrants(accessOf(request).workspaceId, clock.nowMs());
      return reply.send({ success: true, data: grants.map(toItem), error: null });
    },
  );
}

function toItem(grant: Grant): z.infer<typeof grantSchema> {
  return {
    id: grant.id,
    grantor: grant.grantor,
    grantee: grant.grantee,
    farm_ids: grant.farmIds === null ? null : [...grant.farmIds],
    permissions: [...grant.permissions],
    created_at: toIso(grant.createdAtMs),
    expires_at: grant.expiresAtMs === null ? null : toIso(grant.expiresAtMs),
  };
}
