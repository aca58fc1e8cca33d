// GET /workspaces: the workspace of the key and those that grants open to it, with what the key may do there; and GET
// …/farms: the farms of one of them, of a granted one those that the grant names.
import { z } from 'zod';
import { PERMISSIONS } from '../../../model/permissions/permissions.ts';
import { listOf } from '../../../wire/api/envelope.ts';
import { anyId } from '../../../wire/api/forms.ts';
import { farmV2Schema, type WorkspaceV2, workspacesSchema } from '../../../wire/api/tenants.ts';
import { V2_WORKSPACE } from '../../auth/rules.data.ts';
import type { Workspace } from '../../store/store.ts';
import { accessOf } from '../guard.ts';
import { answers } from '../openapi.ts';
import type { App, RouteParts } from '../server.ts';
import { good, toIsoOrNull } from '../shared/envelope.ts';
import { goodList, pageShape, windowOf } from './envelope.ts';

export function registerWorkspaces(app: App, { store: { tenants }, clock }: RouteParts): void {
  app.route({
    method: 'GET',
    url: '/public-api/v2/workspaces',
    schema: {
      tags: ['workspaces'],
      operationId: 'listWorkspacesV2',
      summary: 'Workspaces that the key may use (beta)',
      response: answers(workspacesSchema),
    },
    handler: async (request) => {
      const { caller } = accessOf(request);
      const own = await tenants.findWorkspace(caller.workspaceId);
      const grants = await tenants.listActiveGrants(caller.workspaceId, clock.nowMs());
      const ways: Way[] = grants.map(({ grantor, permissions }) => ['grantee', grantor, permissions]);
      if (own !== undefined) ways.unshift(['member', own, PERMISSIONS]);
      return good(merge(ways, caller.permissions));
    },
  });
  app.route({
    method: 'GET',
    url: `${V2_WORKSPACE}/farms`,
    schema: {
      tags: ['farms'],
      operationId: 'listFarmsV2',
      summary: 'Farms of a workspace, archived ones included, oldest first',
      params: z.object({ workspace_id: anyId }),
      querystring: z.object(pageShape),
      response: answers(listOf(farmV2Schema)),
    },
    handler: async (request) => {
      const { workspaceId, farmIds } = accessOf(request);
      const farms = (await tenants.listFarms(workspaceId)).filter(({ id }) => farmIds === null || farmIds.includes(id));
      const { offset, limit } = windowOf(request.query);
      const data = farms.slice(offset, offset + limit).map(({ id, name, archivedAtMs }) => ({
        id,
        name,
        workspace_id: workspaceId,
        archived_at: toIsoOrNull(archivedAtMs),
      }));
      return goodList(data, request.query, farms.length);
    },
  });
}

/** How a key comes to a workspace, and what that allows. */
type Way = [relation: WorkspaceV2['relations'][number], workspace: Workspace, permissions: readonly string[]];

/**
 * One entry per workspace: several grants add up, and what is the key's own may have been granted to it too.
 * Nowhere may the key do more than what it `held`.
 */
function merge(ways: readonly Way[], held: readonly string[]): WorkspaceV2[] {
  const perId = new Map<string, WorkspaceV2>();
  for (const [relation, { id, name, slug }, permissions] of ways) {
    const before = perId.get(id) ?? { relations: [], permissions: [] };
    const allowed = [...before.permissions, ...permissions.filter((one) => held.includes(one))];
    perId.set(id, {
      id,
      name,
      slug,
      relations: [...new Set([...before.relations, relation])],
      permissions: PERMISSIONS.filter((one) => allowed.includes(one)),
    });
  }
  return [...perId.values()];
}
