// GET …/farms: the farms of a workspace, of a granted one those that the grant names.
import { z } from 'zod';
import type { TenantStore } from '../../store/store.ts';
import { accessOf } from '../guard.ts';
import { anyId } from '../ids.ts';
import { answers, named } from '../openapi.ts';
import type { App } from '../server.ts';
import { toIso, toWindow } from '../window.ts';
import { listOf, pageShape, paginate, V2_WORKSPACE } from './envelope.ts';

export const farmV2Schema = named(
  'FarmV2',
  z.strictObject({
    id: z.uuid(),
    name: z.string().nullable(),
    workspace_id: z.string(),
    archived_at: z.iso.datetime().nullable().meta({ description: 'null = the farm is run' }),
  }),
);

export function registerFarms(app: App, tenants: Pick<TenantStore, 'listFarms'>): void {
  app.get(
    `${V2_WORKSPACE}/farms`,
    {
      schema: {
        tags: ['farms'],
        operationId: 'listFarmsV2',
        summary: 'Farms of a workspace, archived ones included, oldest first',
        params: z.object({ workspace_id: anyId }),
        querystring: z.object(pageShape),
        response: answers(listOf(farmV2Schema)),
      },
    },
    async (request, reply) => {
      const { workspaceId, farmIds } = accessOf(request);
      const { page, page_size } = request.query;
      const farms = (await tenants.listFarms(workspaceId)).filter(({ id }) => farmIds === null || farmIds.includes(id));
      const { offset, limit } = toWindow(page, page_size);
      const data = farms.slice(offset, offset + limit).map(({ id, name, archivedAtMs }) => ({
        id,
        name,
        workspace_id: workspaceId,
        archived_at: archivedAtMs === null ? null : toIso(archivedAtMs),
      }));
      return reply.send({ success: true, data, pagination: paginate(request.query, farms.length), error: null });
    },
  );
}
