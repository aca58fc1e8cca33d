// Miners of a farm in v2: the list with the filters of v1, and the search.
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { ANOMALY_TYPES, anomalyTypeSchema, toBitmask } from '../../../model/flags.ts';
import { OPS_STATUSES, RUN_STATUSES } from '../../../model/miner.ts';
import {
  type Farm,
  isMatch,
  type MinerFilter,
  type MinerSearch,
  type MinerSearchStore,
  SEARCH_FIELDS,
} from '../../store/store.ts';
import { dateFilter, toTimes, valueFilter } from '../filters.ts';
import { accessOf, farmOf, farmParams } from '../guard.ts';
import { givenId } from '../ids.ts';
import { minerFilterShape, toMinerFilter } from '../miner-parameters.ts';
import { answers } from '../openapi.ts';
import { sendPage, type WantedPage, writePage } from '../page-answer.ts';
import type { PageCache } from '../page-cache.ts';
import type { App } from '../server.ts';
import { closedObject } from '../validation.ts';
import { toWindow } from '../window.ts';
import { listOf, pageShape, paginate, searchPage, V2_FARM } from './envelope.ts';
import { minerItem, minerV2Schema } from './miner-row.ts';

const words = () => valueFilter(z.string().max(256)).optional();

const searchBodySchema = closedObject({
  status: valueFilter(z.enum(RUN_STATUSES)).optional(),
  ops_status: valueFilter(z.enum(OPS_STATUSES)).optional(),
  anomaly_flags: closedObject({
    in: z
      .array(anomalyTypeSchema)
      .min(1)
      .max(ANOMALY_TYPES.length)
      .meta({ description: 'Miners with any of these anomalies' }),
  }).optional(),
  mining_mode: words(),
  model: words(),
  firmware: words(),
  rack: words(),
  agent_id: valueFilter(givenId).optional(),
  search: closedObject({
    field: z.enum(SEARCH_FIELDS),
    value: z
      .string()
      .min(1)
      .max(256)
      .regex(/^\P{Cc}*$/u, { error: 'accepted: printable text' })
      .meta({ description: 'A part of the value; case does not matter' }),
  }).optional(),
  last_updated_at: dateFilter().optional(),
  ...searchPage,
}).prefault({});

export function registerFarmMiners(app: App, miners: MinerSearchStore, pages: PageCache, clock: Clock): void {
  const described = { tags: ['miners'], params: farmParams, response: answers(listOf(minerV2Schema)) };
  const answer = (
    farm: Farm,
    page: { page: number; page_size: number },
    wanted: { filter?: MinerFilter; search?: MinerSearch },
  ): WantedPage => {
    const window = toWindow(page.page, page.page_size);
    return {
      size: page.page_size,
      key: ['v2', farm.id, window, wanted],
      async make() {
        const nowMs = clock.nowMs();
        const item = minerItem(farm);
        const { items, total } = await miners.page({ farmId: farm.id, ...wanted, window, item, nowMs });
        return writePage(items, paginate(page, total));
      },
    };
  };
  app.get(
    `${V2_FARM}/miners`,
    {
      schema: {
        ...described,
        operationId: 'listMinersV2',
        summary: 'Latest status of the miners of a farm',
        querystring: z.object({ ...pageShape, ...minerFilterShape }),
      },
    },
    (request, reply) => {
      const page = answer(farmOf(accessOf(request)), request.query, { filter: toMinerFilter(request.query) });
      return sendPage(pages, request, reply, page);
    },
  );
  app.post(
    `${V2_FARM}/miners/search`,
    {
      schema: {
        ...described,
        operationId: 'searchMinersV2',
        summary: 'Search the miners of a farm: all conditions must hold',
        body: searchBodySchema,
      },
    },
    (request, reply) => {
      const page = answer(farmOf(accessOf(request)), request.body, { search: toSearch(request.body) });
      return sendPage(pages, request, reply, page);
    },
  );
}

function toSearch(body: z.infer<typeof searchBodySchema>): MinerSearch {
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
    lastUpdatedAt: last_updated_at && toTimes(last_updated_at),
  };
}
