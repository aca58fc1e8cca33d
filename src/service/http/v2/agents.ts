// GET …/farms/{farm_id}/agents: the agents of a farm, without their hosts.
import { z } from 'zod';
import { AGENT_STATUSES } from '../../../model/host.ts';
import { listOf } from '../../../wire/api/envelope.ts';
import { agentV2Schema } from '../../../wire/api/tenants.ts';
import { V2_FARM } from '../../auth/rules.data.ts';
import type { AgentRow } from '../../store/store.ts';
import { farmOf, farmParams } from '../guard.ts';
import { answers } from '../openapi.ts';
import type { App, RouteParts } from '../server.ts';
import { toPastIso } from '../shared/envelope.ts';
import { toAgentFields } from '../shared/fields.ts';
import { goodList, pageShape, windowOf } from './envelope.ts';

export function registerFarmAgents(app: App, { store: { agents }, clock }: RouteParts): void {
  app.route({
    method: 'GET',
    url: `${V2_FARM}/agents`,
    schema: {
      tags: ['agents'],
      operationId: 'listAgentsV2',
      summary: 'Agents of a farm, last online first, those that never connected at the end',
      params: farmParams,
      querystring: z.object(pageShape),
      response: answers(listOf(agentV2Schema)),
    },
    handler: async (request) => {
      const farm = farmOf(request);
      const nowMs = clock.nowMs();
      const filter = { farmIds: [farm.id], statuses: AGENT_STATUSES, hasReported: false };
      const { rows, total } = await agents.search({ filter, window: windowOf(request.query), nowMs });
      const data = rows.map((row) => ({
        ...toAgentFields(row, farm.workspaceId, agents.statusAt(row, nowMs)),
        last_updated_at: row.host_at === null ? null : toPastIso(row.host_at, nowMs),
        last_online_at: row.last_seen_at === null ? null : toPastIso(row.last_seen_at, nowMs),
        uptime: row.uptime_s,
        enrolled_at: toPastIso(row.enrolled_at, nowMs),
        clock_ahead_ms: row.clock_ahead_ms,
        storage_fault: toStorageFault(row, nowMs),
      }));
      return goodList(data, request.query, total);
    },
  });
}

const toStorageFault = ({ storage_fault, storage_fault_at }: AgentRow, nowMs: number) =>
  storage_fault === null || storage_fault_at === null
    ? null
    : { reason: storage_fault, since: toPastIso(storage_fault_at, nowMs) };
