// GET /workspaces: the workspace of the key and those that grants open to it, with what the key may do there.
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { PERMISSIONS } from '../../auth/rules.data.ts';
import type { TenantStore, Workspace } from '../../store/store.ts';
import { accessOf } from '../guard.ts';
import { answers, named } from '../openapi.ts';
import type { App } from '../server.ts';

const workspaceV2Schema = named(
  'WorkspaceV2',
  z.strictObject({
    id: z.string(),
    name: z.string(),
    slug: z.string(),
    relations: z
      .array(z.enum(['member', 'grantee']))
      .min(1)
      .meta({ description: 'member = the workspace of the key, grantee = another that a grant opens to it' }),
    permissions: z.array(z.string()).meta({ description: 'What the key may do there' }),
  }),
);
type Item = z.infer<typeof workspaceV2Schema>;

export const workspacesSchema = z.strictObject({
  success: z.literal(true),
  data: z.array(workspaceV2Schema),
  error: z.null(),
});

export function registerWorkspaces(
  app: App,
  tenants: Pick<TenantStore, 'findWorkspace' | 'listActiveGrants'>,
  clock: Clock,
): void {
  app.get(
    '/public-api/v2/workspaces',
    {
      schema: {
        tags: ['workspaces'],
        operationId: 'listWorkspacesV2',
        summary: 'Workspaces that the key may use (beta)',
        response: answers(workspacesSchema),
      },
    },
    async (request, reply) => {
      const { caller } = accessOf(request);
      const own = await tenants.findWorkspace(caller.workspaceId);
      const grants = await tenants.listActiveGrants(caller.workspaceId, clock.nowMs());
      const held = caller.permissions ?? PERMISSIONS;
      const data = merge([
        ...(own === undefined ? [] : [toItem(own, 'member', held)]),
        ...grants.map(({ grantor, permissions }) =>
          toItem(
            grantor,
            'grantee',
            held.filter((permission) => permissions.includes(permission)),
          ),
        ),
      ]);
      return reply.send({ success: true, data, error: null });
    },
  );
}

const toItem = (
  { id, name, slug }: Workspace,
  relation: Item['relations'][number],
  permissions: readonly string[],
): Item => ({
  id,
  name,
  slug,
  relations: [relation],
  permissions: [...permissions],
});

/** One entry per workspace: several grants add up, and what is the key's own may have been granted to it too. */
function merge(items: readonly Item[]): Item[] {
  const perId = new Map<string, Item>();
  for (const item of items) {
    const before = perId.get(item.id) ?? { relations: [], permissions: [] };
    perId.set(item.id, {
      ...item,
      relations: [...new Set([...before.relations, ...item.relations])],
      permissions: PERMISSIONS.filter((one) => [...before.permissions, ...item.permissions].includes(one)),
    });
  }
  return [...perId.values()];
}
