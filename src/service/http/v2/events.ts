// GET …/events: what has happened to the miners of a farm, as their agents report it. An extension of the interface.
import { z } from 'zod';
import { EXTENSION } from '../../../wire/api/components.ts';
import { listOf } from '../../../wire/api/envelope.ts';
import { eventSchema } from '../../../wire/api/tenants.ts';
import { V2_FARM } from '../../auth/rules.data.ts';
import type { MinerEvent } from '../../store/store.ts';
import { farmOf, farmParams } from '../guard.ts';
import { answers } from '../openapi.ts';
import type { App, RouteParts } from '../server.ts';
import { toPastIso } from '../shared/envelope.ts';
import { list, parseUuid, single } from '../shared/parameters.ts';
import { goodList, pageShape, windowOf } from './envelope.ts';

const TYPE = /^[a-z][a-z0-9_]{0,63}$/;

export function registerEvents(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'GET',
    url: `${V2_FARM}/events`,
    schema: {
      ...EXTENSION,
      tags: ['miners'],
      operationId: 'listEventsV2',
      summary: 'What has happened to the miners of a farm, newest first',
      description: 'Events are kept for 90 days.',
      params: farmParams,
      querystring: z.object({
        ...pageShape,
        miner_id: single('the id of a miner', parseUuid, { format: 'uuid' }),
        type: list(
          'types of events',
          (text) => (TYPE.test(text) ? { value: text } : { problem: 'accepted: types of events such as moved' }),
          { pattern: TYPE.source },
        ),
      }),
      response: answers(listOf(eventSchema)),
    },
    handler: async (request) => {
      const { miner_id: minerId, type: types } = request.query;
      const window = windowOf(request.query);
      const { events, total } = await store.events.list({ farmId: farmOf(request).id, minerId, types, window });
      const nowMs = clock.nowMs();
      return goodList(
        events.map((event) => toItem(event, nowMs)),
        request.query,
        total,
      );
    },
  });
}

function toItem({ type, minerId, agentId, atMs, detail }: MinerEvent, nowMs: number): z.infer<typeof eventSchema> {
  return { type, miner_id: minerId, agent_id: agentId, at: toPastIso(atMs, nowMs), detail };
}
