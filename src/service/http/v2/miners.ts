// Miners of a farm in v2: the list with the filters of v1, and the search.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ANOMALY_TYPES, anomalyTypeSchema, toBitmask } from '../../../model/flags.ts';
import { minerExtrasSchema, minerV1Schema, OPS_STATUSES, RUN_STATUSES } from '../../../model/miner.ts';
import { V2_FARM } from '../../auth/rules.data.ts';
import { type Farm, type Item, isMatch, type MinerFilter, type MinerSearch, SEARCH_FIELDS } from '../../store/store.ts';
import { farmOf, farmParams } from '../guard.ts';
import { answers, EXTENSION, named } from '../openapi.ts';
import type { App, RouteParts } from '../server.ts';
import { SERVICE_FIELDS } from '../shared/fields.ts';
import { dateFilter, valueFilter } from '../shared/filters.ts';
import { minerFilterShape, toMinerFilter } from '../shared/miner-parameters.ts';
import { sendMiners } from '../shared/page-cache.ts';
import { givenId } from '../shared/parameters.ts';
import { closedObject } from '../shared/validation.ts';
import { listOf, type PageQuery, pageShape, paginate, searchPage, windowOf } from './envelope.ts';

const { temp: temperature } = minerV1Schema.shape;

const defaultPassword = minerExtrasSchema.shape.default_password.meta({
  ...EXTENSION,
  description: 'Present and true while the miner lets in whoever knows the factory login of its family',
});

const miningMode = minerV1Schema.shape.mining_mode
  .nullable()
  .meta({ description: 'Such as sleep, low, normal, high; null when the device tells none' });

/** What says that the mode is null need not be said beside it. */
const { mining_mode_reported: _, ...extrasShape } = minerExtrasSchema.shape;

/** `board_details` has the boards in the order of `hashboards`. */
export const minerV2Schema = named(
  'MinerV2',
  minerV1Schema
    .omit({ farm: true, stale: true, temp: true })
    .extend({ temperature, ...extrasShape, mining_mode: miningMode, default_password: defaultPassword }),
);

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

export function registerFarmMiners(app: App, parts: RouteParts): void {
  const described = { tags: ['miners'], params: farmParams, response: answers(listOf(minerV2Schema)) };
  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    query: PageQuery,
    conditions: { filter: MinerFilter } | { search: MinerSearch },
  ) =>
    sendMiners(parts, request, reply, {
      version: 'v2',
      farmId: farmOf(request).id,
      ...conditions,
      window: windowOf(query),
      minerItem,
      paginate: (total) => paginate(query, total),
    });
  app.route({
    method: 'GET',
    url: `${V2_FARM}/miners`,
    schema: {
      ...described,
      operationId: 'listMinersV2',
      summary: 'Latest status of the miners of a farm',
      querystring: z.object({ ...pageShape, ...minerFilterShape }),
    },
    handler: (request, reply) => send(request, reply, request.query, { filter: toMinerFilter(request.query) }),
  });
  app.route({
    method: 'POST',
    url: `${V2_FARM}/miners/search`,
    schema: {
      ...described,
      operationId: 'searchMinersV2',
      summary: 'Search the miners of a farm: all conditions must hold',
      body: searchBodySchema,
    },
    handler: (request, reply) => send(request, reply, request.body, { search: toSearch(request.body) }),
  });
}

/** A miner of this farm (schema: minerV2Schema): the stored documents one after the other, with what only the service knows in front. */
export function minerItem(farm: Farm): Item {
  const farmPart = `"farm_id":${JSON.stringify(farm.id)},"workspace_id":${JSON.stringify(farm.workspaceId)}`;
  return [
    `{${farmPart},`,
    ...SERVICE_FIELDS,
    ',',
    { membersOf: 'document', replace: ['"temp":', '"temperature":'] },
    ',',
    { membersOf: 'extras' },
    '}',
  ];
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
    lastUpdatedAt: last_updated_at,
  };
}
