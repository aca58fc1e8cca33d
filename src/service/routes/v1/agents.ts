// POST …/agents/search: the agents of a workspace that have said what they run on.
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { AGENT_STATUSES, type AgentV1, agentV1Schema, hostSchema } from '../../../model/host.ts';
import { type Access, farmDenied } from '../../auth/authorise.ts';
import { type AgentRow, type AgentStore, isMatch, type TenantStore, type ValueFilter } from '../../store/store.ts';
import { toAgentFields } from '../agent-fields.ts';
import { valueFilter } from '../filters.ts';
import { accessOf } from '../guard.ts';
import { anyId, givenId } from '../ids.ts';
import { answers } from '../openapi.ts';
import type { App } from '../server.ts';
import { closedObject } from '../validation.ts';
import { toWindow } from '../window.ts';
import { listOf, paginate, searchPage } from './envelope.ts';

const searchBodySchema = closedObject({
  farm_id: valueFilter(givenId).optional(),
  status: valueFilter(z.enum(AGENT_STATUSES)).optional(),
  ...searchPage,
}).prefault({});

export function registerAgents(
  app: App,
  parts: { agents: Pick<AgentStore, 'search' | 'statusAt'>; tenants: Pick<TenantStore, 'listFarms'>; clock: Clock },
): void {
  app.post(
    '/private-api/v1/:workspace_id/agents/search',
    {
      schema: {
        tags: ['agents'],
        operationId: 'searchAgents',
        summary: 'Search the agents of a workspace',
        params: z.object({ workspace_id: anyId }),
        body: searchBodySchema,
        response: answers(listOf(agentV1Schema)),
      },
    },
    async (request, reply) => {
      const access = accessOf(request);
      const { farm_id, status, page, limit } = request.body;
      const farms = await parts.tenants.listFarms(access.workspaceId);
      const farmIds = selectFarms(
        access,
        farms.map(({ id }) => id),
        farm_id,
      );
      const statuses = AGENT_STATUSES.filter((one) => status === undefined || isMatch(status, one));
      const window = toWindow(page, limit);
      const nowMs = parts.clock.nowMs();
      const { rows, total } = await parts.agents.search({ filter: { farmIds, statuses }, window, nowMs });
      const data = rows.map((row) => toAgent(row, access.workspaceId, parts.agents.statusAt(row, nowMs)));
      return reply.send({ success: true, data, pagination: paginate(window, total), error: null });
    },
  );
}

/** Naming a farm that the caller may not use is refused like a farm in the path; it does not silently find nothing. */
function selectFarms(
  access: Access,
  ofWorkspace: readonly string[],
  filter: ValueFilter | undefined,
): readonly string[] {
  const usable = ofWorkspace.filter((id) => access.farmIds === null || access.farmIds.includes(id));
  if (filter === undefined) return usable;
  const asked = [...(filter.eq === undefined ? [] : [filter.eq]), ...(filter.in ?? [])];
  if (asked.some((id) => !usable.includes(id))) throw farmDenied();
  return usable.filter((id) => isMatch(filter, id));
}

function toAgent(row: AgentRow, workspaceId: string, status: AgentV1['status']): AgentV1 {
  return {
    ...toAgentFields(row, workspaceId, status),
    farm: { id: row.farm_id, name: row.farm_name },
    host: hostSchema.parse(JSON.parse(row.host ?? 'null')),
  };
}
