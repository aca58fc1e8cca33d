// GET …/farms/{farm_id}/agents: the agents of a farm, without what they run on.
import { z } from 'zod';
import { AGENT_STATUSES, agentV1Schema } from '../../../model/host.ts';
import { V2_FARM } from '../../auth/rules.data.ts';
import type { AgentRow } from '../../store/store.ts';
import { farmOf, farmParams } from '../guard.ts';
import { answers, EXTENSION, named } from '../openapi.ts';
import type { App, RouteParts } from '../server.ts';
import { toPastIso } from '../shared/envelope.ts';
import { toAgentFields } from '../shared/fields.ts';
import { goodList, listOf, pageShape, windowOf } from './envelope.ts';

export const agentV2Schema = named(
  'AgentV2',
  agentV1Schema.omit({ farm: true, host: true }).extend({
    clock_ahead_ms: z
      .int()
      .nullable()
      .meta({
        ...EXTENSION,
        description:
          'How far the clock of the agent was ahead of that of the service when it last connected, ms; negative = behind, null = by no more than a minute',
      }),
    storage_fault: z
      .strictObject({ reason: z.string(), since: z.iso.datetime() })
      .nullable()
      .meta({
        ...EXTENSION,
        description:
          'Why the agent cannot keep what it reports, such as a full disk: its miners show live values, and history has a gap from then on. null = it can',
      }),
  }),
);

export function registerFarmAgents(app: App, { store: { agents }, clock }: RouteParts): void {
  app.route({
    method: 'GET',
    url: `${V2_FARM}/agents`,
    schema: {
      tags: ['agents'],
      operationId: 'listAgentsV2',
      summary: 'Agents of a farm, last online first',
      params: farmParams,
      querystring: z.object(pageShape),
      response: answers(listOf(agentV2Schema)),
    },
    handler: async (request) => {
      const farm = farmOf(request);
      const nowMs = clock.nowMs();
      const filter = { farmIds: [farm.id], statuses: AGENT_STATUSES };
      const { rows, total } = await agents.search({ filter, window: windowOf(request.query), nowMs });
      const data = rows.map((row) => ({
        ...toAgentFields(row, farm.workspaceId, agents.statusAt(row, nowMs), nowMs),
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
