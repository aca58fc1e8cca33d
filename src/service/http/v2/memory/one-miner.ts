// GET …/miners/{miner_id} and its notes: one miner with what a list does not show of it. Extensions of the interface.
import { z } from 'zod';
import { abilitiesOf } from '../../../../model/task.ts';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { answerOf, listOf } from '../../../../wire/api/envelope.ts';
import { newNoteSchema, noteSchema, noteTextSchema, oneMinerSchema } from '../../../../wire/api/farm/memory.ts';
import { anyId } from '../../../../wire/api/forms.ts';
import { notFound } from '../../../auth/authorise.ts';
import { V2_FARM } from '../../../auth/rules.data.ts';
import type { Note } from '../../../store/store.ts';
import { accessOf, farmOf, farmParams } from '../../guard.ts';
import { documented } from '../../openapi/documented.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { good, toPastIso } from '../../shared/envelope.ts';
import { idempotencyHeaders, onceOf } from '../../transfer/idempotency.ts';
import { goodList, pageShape, windowOf } from '../envelope.ts';
import { minerItem } from '../miners.ts';

// Blanks around it do not count, which no length can express.
documented.add(noteTextSchema, {
  openapi: {
    type: 'string',
    minLength: 1,
    description: '1 to 2,000 characters that can be seen, on one line; blanks around it do not count',
  },
});

const described = { ...EXTENSION, tags: ['miners'], params: farmParams.extend({ miner_id: anyId }) };

export function registerOneMiner(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'GET',
    url: `${V2_FARM}/miners/:miner_id`,
    schema: {
      ...described,
      operationId: 'getMinerV2',
      summary: 'One miner, with what its driver can do and its newest notes',
      response: answers(answerOf(oneMinerSchema)),
    },
    handler: async (request, reply) => {
      const farm = farmOf(request);
      const nowMs = clock.nowMs();
      const item = minerItem(farm, { isGuest: accessOf(request).granted !== null });
      const { miner_id: minerId } = request.params;
      const found = await store.miners.find({ farmId: farm.id, minerId, item, nowMs });
      if (found === undefined) throw notFound();
      const { taskNames, firstSeenMs, missingSinceMs, notes } = found;
      const more = {
        task_names: taskNames,
        abilities: abilitiesOf(taskNames),
        first_seen: toPastIso(firstSeenMs, nowMs),
        missing_since: missingSinceMs === null ? null : toPastIso(missingSinceMs, nowMs),
        notes: notes.map((note) => toNoteItem(note, nowMs)),
      };
      // The item is text: parsing the documents to write them again would cost more than the rest.
      const data = `${found.item.slice(0, -1)},${JSON.stringify(more).slice(1)}`;
      return reply.type('application/json; charset=utf-8').send(`{"success":true,"data":${data},"error":null}`);
    },
  });
  registerNotes(app, { store, clock });
}

function registerNotes(app: App, { store, clock }: Pick<RouteParts, 'store' | 'clock'>): void {
  app.route({
    method: 'GET',
    url: `${V2_FARM}/miners/:miner_id/notes`,
    schema: {
      ...described,
      operationId: 'listMinerNotesV2',
      summary: 'Notes about a miner, newest first',
      querystring: z.object(pageShape),
      response: answers(listOf(noteSchema)),
    },
    handler: async (request) => {
      const found = await store.notes.list(farmOf(request).id, request.params.miner_id, windowOf(request.query));
      if (found === undefined) throw notFound();
      const nowMs = clock.nowMs();
      const items = found.notes.map((note) => toNoteItem(note, nowMs));
      return goodList(items, request.query, found.total);
    },
  });
  app.route({
    method: 'POST',
    url: `${V2_FARM}/miners/:miner_id/notes`,
    schema: {
      ...described,
      operationId: 'addMinerNoteV2',
      summary: 'Write a note about a miner',
      description:
        'The newest 200 notes of a miner are kept. Each note is an event of the type note_added too. With the header Idempotency-Key, the same key and body within 24 hours write it once.',
      headers: idempotencyHeaders,
      body: newNoteSchema,
      response: answers(answerOf(noteSchema), 409),
    },
    handler: async (request) => {
      const { id: farmId, workspaceId } = farmOf(request);
      const { actor } = accessOf(request).caller;
      const nowMs = clock.nowMs();
      const { text } = request.body;
      const note = await store.notes.add({
        ...{ workspaceId, farmId, minerId: request.params.miner_id, text, actor, nowMs },
        once: onceOf(request, nowMs),
      });
      if (note === undefined) throw notFound();
      return good(toNoteItem(note, nowMs));
    },
  });
}

function toNoteItem({ id, atMs, text, actor }: Note, nowMs: number): z.infer<typeof noteSchema> {
  return { id, at: toPastIso(atMs, nowMs), text, actor };
}
