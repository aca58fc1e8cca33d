// GET …/events: what has happened to the miners of a farm, as their agents say it. An extension of the interface.
import { z } from 'zod';
import { V2_FARM } from '../../auth/rules.data.ts';
import type { MinerEvent } from '../../store/store.ts';
import { farmOf, farmParams } from '../guard.ts';
import { answers, EXTENSION, named } from '../openapi.ts';
import type { App, RouteParts } from '../server.ts';
import { toPastIso } from '../shared/envelope.ts';
import { list, parseUuid, single } from '../shared/parameters.ts';
import { goodList, listOf, pageShape, windowOf } from './envelope.ts';

export const eventSchema = named(
  'MinerEventV2',
  z.strictObject({
    type: z.string().meta({
      description:
        'appeared, moved, duplicate, replaced, model_contradicted, identity_settled, ip_reported, pools_changed, pools_restored, pools_not_restored, task_on_site; of the agent orders_refused, trust_waiting, identity_suspects, finding_raised, finding_cleared, task_key_pinned, task_key_changed, task_key_refused, clock_stepped, clock_differs, miners_refused, miners_taken_over, storage_failed, storage_recovered; of the service backup_skipped, backup_failed, and clock_stepped where agent_id is null; newer agents may know others',
    }),
    miner_id: z.string().nullable().meta({ description: 'null = it is about the agent, or the service' }),
    agent_id: z.string().nullable().meta({ description: 'null = it is about the service' }),
    at: z.iso.datetime(),
    detail: z.record(z.string(), z.unknown()).meta({
      description:
        'What the agent says of it; of a finding_raised and finding_cleared, which stand for one cause that many miners share, the `finding` that their flags carry, a `title`, for how long as `lasted_s` (seconds), `miner_count` of how many (`of`), and some `addresses`; of a task_on_site, which a person on site ordered, the `name` of the task, its `status`, its `message`, and its `task_id`, by which one that comes twice is known; of an identity_settled, by which a person on site said which of several units is the miner, its `ip`, where it was before as `from`, the units that are not it as `rejected`, and the `actor`',
    }),
  }),
);

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
