// Miners of a farm in v2: the list with the filters of v1, and the search.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { toBitmask } from '../../../model/flags/anomaly-types.ts';
import { RUN_STATUSES } from '../../../model/miner.ts';
import { EXTENSION } from '../../../wire/api/components.ts';
import { listOf } from '../../../wire/api/envelope.ts';
import { type MinerConditions, minerSearchSchema, minerV2Schema } from '../../../wire/api/miners.ts';
import { V2_FARM } from '../../auth/rules.data.ts';
import { type Farm, type Item, isMatch, type MinerFilter, type MinerSearch } from '../../store/store.ts';
import { accessOf, farmOf, farmParams } from '../guard.ts';
import { answers } from '../openapi.ts';
import { sendPage } from '../pages/send-page.ts';
import type { App, RouteParts } from '../server.ts';
import type { PageQuery } from '../shared/envelope.ts';
import { SERVICE_FIELDS } from '../shared/fields.ts';
import { minerFilterShape, toMinerFilter } from '../shared/miner-parameters.ts';
import { single } from '../shared/parameters.ts';
import { selectedBy } from '../shared/selected.ts';
import { pageShape, windowOf } from './envelope.ts';

/** Longer ones do not fit in an address: they are for the search. */
const MAX_SELECT = 4_096;

const selector = single(
  'a selector, such as rack:C03 flag:fan; the words are in the handbook: pithead help interface',
  (text) => (text.length <= MAX_SELECT ? text : undefined),
  { maxLength: MAX_SELECT, ...EXTENSION },
);

export function registerFarmMiners(app: App, { pages, boards, clock }: RouteParts): void {
  const described = { tags: ['miners'], params: farmParams, response: answers(listOf(minerV2Schema)) };
  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    query: PageQuery,
    conditions: { filter: MinerFilter; search?: MinerSearch },
  ) => {
    const farm = farmOf(request);
    const item = minerItem(farm, { isGuest: accessOf(request).granted !== null });
    const { page, page_size } = query;
    return sendPage(pages, request, reply, {
      ...{ version: 'v2', page: { page, page_size }, nowMs: clock.nowMs() },
      ...{ list: 'miners', query: { farmId: farm.id, ...conditions, window: windowOf(query), item } },
    });
  };
  app.route({
    method: 'GET',
    url: `${V2_FARM}/miners`,
    schema: {
      ...described,
      operationId: 'listMinersV2',
      summary: 'Latest status of the miners of a farm',
      querystring: z.object({ ...pageShape, ...minerFilterShape, select: selector }),
    },
    handler: async (request, reply) => {
      const selected = await selectedBy(boards, farmOf(request).id, request.query.select, 'select');
      return send(request, reply, request.query, { filter: { ...toMinerFilter(request.query), ...selected } });
    },
  });
  app.route({
    method: 'POST',
    url: `${V2_FARM}/miners/search`,
    schema: {
      ...described,
      operationId: 'searchMinersV2',
      summary: 'Search the miners of a farm: all conditions must hold',
      body: minerSearchSchema,
    },
    handler: async (request, reply) => {
      const filter = await selectedBy(boards, farmOf(request).id, request.body.select, 'body.select');
      return send(request, reply, request.body, { filter, search: toMinerSearch(request.body) });
    },
  });
}

/**
 * A miner of this farm (schema: minerV2Schema): the stored documents one after the other, with what only the service
 * knows in front. A guest, who came by a grant, does not learn which miners accept a login that everybody can look up.
 */
export function minerItem(farm: Farm, { isGuest }: { readonly isGuest: boolean }): Item {
  const farmPart = `"farm_id":${JSON.stringify(farm.id)},"workspace_id":${JSON.stringify(farm.workspaceId)}`;
  return [
    `{${farmPart},`,
    ...SERVICE_FIELDS,
    ',',
    { membersOf: 'document', replace: ['"temp":', '"temperature":'] },
    ',',
    isGuest ? { membersOf: 'extras', replace: [',"default_password":true', ''] } : { membersOf: 'extras' },
    '}',
  ];
}

/** But for the words of its selector. */
export function toMinerSearch(body: MinerConditions): MinerSearch {
  const { status, anomaly_flags, last_updated_at } = body;
  return {
    runStatuses: status && RUN_STATUSES.filter((one) => isMatch(status, one)),
    anomalyMask: anomaly_flags && toBitmask(anomaly_flags.in),
    opsStatus: body.ops_status,
    miningMode: body.mining_mode,
    model: body.model,
    firmware: body.firmware,
    rack: body.rack,
    agentId: body.agent_id,
    text: body.search,
    lastUpdatedAt: last_updated_at,
  };
}
