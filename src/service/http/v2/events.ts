// GET …/events: what has happened in a farm, as a list or as a feed that a client follows with a cursor. An extension
// of the interface.
import { z } from 'zod';
import { EXTENSION } from '../../../wire/api/components.ts';
import { listOf } from '../../../wire/api/envelope.ts';
import { eventSchema } from '../../../wire/api/tenants.ts';
import { V2_FARM } from '../../auth/rules.data.ts';
import { type Cursor, parseCursor } from '../../store/store.ts';
import { farmOf, farmParams } from '../guard.ts';
import { answers } from '../openapi.ts';
import { sendPage } from '../pages/send-page.ts';
import type { App, RouteParts } from '../server.ts';
import { invalidRequest } from '../shared/errors.ts';
import { list, parseUtcMs, parseUuid, single } from '../shared/parameters.ts';
import { pageShape, windowOf } from './envelope.ts';

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

export function registerEvents(app: App, { store, pages, clock }: RouteParts): void {
  app.route({
    method: 'GET',
    url: `${V2_FARM}/events`,
    schema: {
      ...EXTENSION,
      tags: ['miners'],
      operationId: 'listEventsV2',
      summary: 'What has happened to the miners, agents and tasks of a farm',
      description:
        'Newest first; with `after` or `since` a feed: in the order in which the events became visible, so that a client that goes on behind the last `id` that it got misses none and gets none twice. Events are kept for 400 days, of a farm the newest two million, or two a day of each miner where those are more; of a miner that has many, as many as fill 400 kB.',
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
    handler: async (request, reply) => {
      const { miner_id: minerId, type: types, since: sinceMs, after } = request.query;
      const { id: farmId } = farmOf(request);
      const filter = { farmId, minerId, types, sinceMs };
      const window = windowOf(request.query);
      const isFeed = after !== undefined || sinceMs !== undefined;
      if (isFeed && request.query.page > 1)
        throw invalidRequest('query.page: received with after or since, accepted: the last id of a page as after');
      const { page, page_size } = request.query;
      const shown = { version: 'v2', page: { page, page_size }, nowMs: clock.nowMs() } as const;
      if (!isFeed) return sendPage(pages, request, reply, { ...shown, list: 'events', query: { ...filter, window } });
      const start = await startOf(store, farmId, after);
      const query = { ...filter, ...start, limit: window.limit };
      return sendPage(pages, request, reply, { ...shown, list: 'feed', query });
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
