// GET …/farms/{farm_id}/agents: the agents of a farm, without what they run on.
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { AGENT_STATUSES, agentV1Schema } from '../../../model/host.ts';
import type { AgentStore } from '../../store/store.ts';
import { toAgentFields } from '../agent-fields.ts';
import { accessOf, farmOf, farmParams } from '../guard.ts';
import { answers, named } from '../openapi.ts';
import type { App } from '../server.ts';
import { toWindow } from '../window.ts';
import { listOf, pageShape, paginate, V2_FARM } from './envelope.ts';

export const agentV2Schema = named('AgentV2', agentV1Schema.omit({ farm: true, host: true }));

export function registerFarmAgents(app: App, agents: Pick<AgentStore, 'search' | 'statusAt'>, clock: Clock): void {
  app.get(
    `${V2_FARM}/agents`,
    {
      schema: {
        tags: ['agents'],
        operationId: 'listAgentsV2',
        summary: 'Agents of a farm, last online first',
        params: farmParams,
        querystring: z.object(pageShape),
        response: answers(listOf(agentV2Schema)),
      },
    },
    async (request, reply) => {
      const farm = farmOf(accessOf(request));
      const { page, page_size } = request.query;
      const nowMs = clock.nowMs();
      const filter = { farmIds: [farm.id], statuses: AGENT_STATUSES };
      const { rows, total } = await agents.search({ filter, window: toWindow(page, page_size), nowMs });
      const data = rows.map((row) => toAgentFields(row, farm.workspaceId, agents.statusAt(row, nowMs)));
      return reply.send({ success: true, data, pagination: paginate(request.query, total), error: null });
    },
  );
}
