// POST …/agents/search: the agents of a workspace that have reported their host. v1 requires the fields that only they
// have; v2 lists the others too.
import { z } from 'zod';
import { AGENT_STATUSES, type AgentV1, agentV1Schema, hostSchema } from '../../../model/host.ts';
import { orNull } from '../../../model/tasks/or-null.ts';
import { anyId, closedObject, givenId, valueFilter } from '../../../wire/api/forms.ts';
import { type Access, farmDenied } from '../../auth/authorise.ts';
import { V1_WORKSPACE } from '../../auth/rules.data.ts';
import { type AgentRow, isMatch, type ValueFilter } from '../../store/store.ts';
import { accessOf } from '../guard.ts';
import { answers } from '../openapi.ts';
import type { App, RouteParts } from '../server.ts';
import { toPastIso } from '../shared/envelope.ts';
import { toAgentFields } from '../shared/fields.ts';
import { toWindow } from '../shared/parameters.ts';
import { goodList, listOf, searchPage } from './envelope.ts';

const searchBodySchema = closedObject({
  farm_id: orNull(valueFilter(givenId)),
  status: orNull(valueFilter(z.enum(AGENT_STATUSES))),
  ...searchPage,
}).prefault({});

export function registerAgents(app: App, { store: { agents, tenants }, clock }: RouteParts): void {
  app.route({
    method: 'POST',
    url: `${V1_WORKSPACE}/agents/search`,
    schema: {
      tags: ['agents'],
      operationId: 'searchAgents',
      summary: 'Search the agents of a workspace',
      params: z.object({ workspace_id: anyId }),
      body: searchBodySchema,
      response: answers(listOf(agentV1Schema)),
    },
    handler: async (request) => {
      const access = accessOf(request);
      const { farm_id, status, page, limit } = request.body;
      const farms = await tenants.listFarms(access.workspaceId);
      const ids = farms.map(({ id }) => id);
      const statuses = AGENT_STATUSES.filter((one) => status === undefined || isMatch(status, one));
      const filter = { farmIds: selectFarms(access, ids, farm_id), statuses, hasReported: true };
      const window = toWindow(page, limit);
      const nowMs = clock.nowMs();
      const { rows, total } = await agents.search({ filter, window, nowMs });
      const data = rows.map((row) => toAgent(row, access.workspaceId, agents.statusAt(row, nowMs), nowMs));
      return goodList(data, window, total);
    },
  });
}

/**
 * A filter that names a farm which the caller may not use is refused like a farm in the path; it does not silently find
 * nothing.
 */
function selectFarms({ farmIds }: Access, ofWorkspace: readonly string[], filter: ValueFilter | undefined) {
  const usable = ofWorkspace.filter((id) => farmIds === null || farmIds.includes(id));
  if (filter === undefined) return usable;
  const asked = [...(filter.eq === undefined ? [] : [filter.eq]), ...(filter.in ?? [])];
  if (asked.some((id) => !usable.includes(id))) throw farmDenied();
  return usable.filter((id) => isMatch(filter, id));
}

function toAgent(row: AgentRow, workspaceId: string, status: AgentV1['status'], nowMs: number): AgentV1 {
  const host = hostSchema.parse(JSON.parse(row.host ?? 'null'));
  return {
    ...toAgentFields(row, workspaceId, status),
    // What the search finds has them.
    last_updated_at: toPastIso(row.host_at ?? row.enrolled_at, nowMs),
    last_online_at: toPastIso(row.last_seen_at ?? row.enrolled_at, nowMs),
    uptime: row.uptime_s ?? 0,
    farm: { id: row.farm_id, name: row.farm_name },
    host: { ...host, timestamp: Math.min(host.timestamp, Math.floor(nowMs / 1_000)) },
  };
}
