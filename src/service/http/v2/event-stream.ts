// GET …/events/stream: the events of a farm as they become visible, as server-sent events. An extension of the
// interface.
import { PassThrough } from 'node:stream';
import { z } from 'zod';
import { EXTENSION } from '../../../wire/api/components.ts';
import { V2_FARM } from '../../auth/rules.data.ts';
import { parseCursor } from '../../store/store.ts';
import { accessOf, farmOf, farmParams } from '../guard.ts';
import { documented } from '../openapi/documented.ts';
import { answers } from '../openapi.ts';
import { toEventItem } from '../pages/items.ts';
import type { App, RouteParts } from '../server.ts';
import { invalidRequest } from '../shared/errors.ts';
import { single } from '../shared/parameters.ts';
import { eventFilterShape, startOf } from './events.ts';

/** A stream for us, text for clients. */
const streamSchema = z.unknown();
documented.add(streamSchema, { openapi: { type: 'string' } });

/** What may wait for a reader beside the events of one page. */
const BUFFER_BYTES = 64 * 1024;

export function registerEventStream(app: App, { store, streams, recheck, clock }: RouteParts): void {
  app.route({
    method: 'GET',
    url: `${V2_FARM}/events/stream`,
    schema: {
      ...EXTENSION,
      tags: ['miners'],
      operationId: 'streamEventsV2',
      summary: 'The events of a farm as they happen (server-sent events)',
      description:
        'Each message has an event as JSON in `data` and its id in `id`. It begins now, or behind the event that the header `Last-Event-ID` or `after` names. A comment comes every 15 seconds. Before the service closes a stream it sends a message of type `closed` whose `reason` is slow (the reader took nothing for 30 seconds), revoked (the key or the grant no longer allows it), restart or unavailable; go on with the last id. On each copy of the service a workspace may have 20 streams at a time.',
      params: farmParams,
      querystring: z.object({
        after: single('the id of an event: those that became visible after it', parseCursor),
        ...eventFilterShape,
      }),
      response: { ...answers(z.string()), 200: { content: { 'text/event-stream': { schema: streamSchema } } } },
    },
    handler: async (request, reply) => {
      const { id: farmId } = farmOf(request);
      const { miner_id: minerId, type: types } = request.query;
      const after = readLastId(request.headers['last-event-id']) ?? request.query.after;
      const output = new PassThrough({ highWaterMark: BUFFER_BYTES });
      await streams.open({
        workspaceId: accessOf(request).caller.workspaceId,
        callerId: accessOf(request).caller.actor.id,
        farmId,
        filter: { minerId, types },
        after: after === undefined ? undefined : (await startOf(store, farmId, after)).after,
        output,
        render: (event) => {
          const item = toEventItem(event, clock.nowMs());
          return { id: item.id, data: item };
        },
        recheck: () => recheck(request),
      });
      // Proxies that collect answers would hold events back.
      return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(output);
    },
  });
}

function readLastId(header: string | string[] | undefined) {
  if (header === undefined || header === '') return undefined;
  const cursor = typeof header === 'string' ? parseCursor(header) : undefined;
  if (cursor === undefined) throw invalidRequest('header Last-Event-ID: accepted: the id of an event of this farm');
  return cursor;
}
