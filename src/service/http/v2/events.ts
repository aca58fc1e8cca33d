// GET …/events: what has happened in a farm, as a list or as a feed that a client follows with a cursor. An extension
// of the interface.
import { z } from 'zod';
import { EXTENSION } from '../../../wire/api/components.ts';
import { listOf } from '../../../wire/api/envelope.ts';
import { eventSchema } from '../../../wire/api/tenants.ts';
import { V2_FARM } from '../../auth/rules.data.ts';
import { type Cursor, type MinerEvent, parseCursor, toCursor } from '../../store/store.ts';
import { farmOf, farmParams } from '../guard.ts';
import { answers } from '../openapi.ts';
import type { App, RouteParts } from '../server.ts';
import { toPastIso } from '../shared/envelope.ts';
import { invalidRequest } from '../shared/errors.ts';
import { list, parseUtcMs, parseUuid, single } from '../shared/parameters.ts';
import { goodList, pageShape, windowOf } from './envelope.ts';

const TYPE = /^[a-z][a-z0-9_]{0,63}$/;

/** Which events a client wants. */
export const eventFilterShape = {
  miner_id: single('the id of a miner', parseUuid, { format: 'uuid' }),
  type: list(
    'types of events',
    (text) => (TYPE.test(text) ? { value: text } : { problem: 'accepted: types of events such as moved' }),
    { pattern: TYPE.source },
  ),
};

export function registerEvents(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'GET',
    url: `${V2_FARM}/events`,
    schema: {
      ...EXTENSION,
      tags: ['miners'],
      operationId: 'listEventsV2',
      summary: 'What has happened to the miners, agents and tasks of a farm',
      description:
        'Newest first; with `after` or `since` a feed: in the order in which the events became visible, so that a client that goes on behind the last `id` that it got misses none and gets none twice. Events are kept for 90 days, of a farm the newest two million.',
      params: farmParams,
      querystring: z.object({
        ...pageShape,
        after: single('the id of an event: those that became visible after it', parseCursor),
        since: single('an ISO 8601 time in UTC: events that happened then or later', parseUtcMs, {
          format: 'date-time',
        }),
        ...eventFilterShape,
      }),
      response: answers(listOf(eventSchema)),
    },
    handler: async (request) => {
      const { miner_id: minerId, type: types, since: sinceMs, after } = request.query;
      const { id: farmId } = farmOf(request);
      const filter = { farmId, minerId, types, sinceMs };
      const window = windowOf(request.query);
      const isFeed = after !== undefined || sinceMs !== undefined;
      if (isFeed && request.query.page > 1)
        throw invalidRequest('query.page: received with after or since, accepted: the last id of a page as after');
      const { events, total } = isFeed
        ? await store.events.feed({ ...filter, ...(await startOf(store, farmId, after)), limit: window.limit })
        : await store.events.list({ ...filter, window });
      const nowMs = clock.nowMs();
      return goodList(
        events.map((event) => toItem(event, nowMs)),
        request.query,
        total,
      );
    },
  });
}

/** Where the feed goes on. Throws RefusedError `request.invalid` for an event that this farm does not have. */
export async function startOf(store: RouteParts['store'], farmId: string, after: Cursor | undefined) {
  if (after === undefined) return { after: 0 };
  const head = (await store.events.heads([farmId])).get(farmId) ?? 0;
  if (after.farmId !== farmId || after.position > head)
    throw invalidRequest(
      'query.after: received an id that no event of this farm has, accepted: the id of an event that was listed; after the database was restored from a backup start again with since',
    );
  return { after: after.position };
}

export function toItem(event: MinerEvent, nowMs: number): z.infer<typeof eventSchema> {
  const { type, minerId, agentId, atMs, detail } = event;
  const id = toCursor(event);
  const at = toPastIso(atMs, nowMs);
  return { id, type, miner_id: minerId, agent_id: agentId, at, detail: notAfter(at, detail) };
}

/** Times that lie before the event by their meaning. An agent whose clock was ahead has dated them too late. */
const EARLIER = ['since', 'last_seen_at'] as const;

function notAfter(at: string, detail: MinerEvent['detail']): MinerEvent['detail'] {
  const late = EARLIER.filter((name) => {
    const time = detail[name];
    return typeof time === 'string' && Date.parse(time) > Date.parse(at);
  });
  return late.length === 0 ? detail : { ...detail, ...Object.fromEntries(late.map((name) => [name, at])) };
}
