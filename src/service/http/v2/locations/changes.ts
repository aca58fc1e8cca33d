// …/locations and …/location-changes: where miners stand, changes of that, and how one is undone. An extension of the
// interface.
import { z } from 'zod';
import { RefusedError } from '../../../../base/errors.ts';
import { formatIpv4 } from '../../../../base/net/ipv4.ts';
import { shownLocation } from '../../../../model/locations/location.ts';
import { EXTENSION } from '../../../../wire/api/components.ts';
import {
  locationChangeSchema,
  locationChangesSchema,
  locationUndoSchema,
  minerLocationsSchema,
  movedSchema,
} from '../../../../wire/api/farm/locations.ts';
import { anyId } from '../../../../wire/api/forms.ts';
import { notFound } from '../../../auth/authorise.ts';
import { V2_FARM } from '../../../auth/rules.data.ts';
import { listPlaced, placeMiners } from '../../../locations/positions.ts';
import { wordsOf } from '../../../locations/words.ts';
import type { UndoOutcome } from '../../../store/store.ts';
import { farmOf, farmParams } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { allowNoBody } from '../../shared/body.ts';
import { good, toPastIso } from '../../shared/envelope.ts';
import { wholeNumber } from '../../shared/parameters.ts';
import { idempotencyHeaders, onceOf } from '../../transfer/idempotency.ts';
import { goodList, pageShape, windowOf } from '../envelope.ts';
import { editOf, orRefusal, sendMoved } from './moved.ts';

const MOST_CHANGES = 200;

const described = { ...EXTENSION, tags: ['locations'], params: farmParams };

export function registerLocations(app: App, { store }: RouteParts): void {
  app.route({
    method: 'GET',
    url: `${V2_FARM}/locations`,
    schema: {
      ...described,
      operationId: 'listLocationsV2',
      summary: 'Where the miners of a farm stand, in the order of their addresses',
      querystring: z.object(pageShape),
      response: answers(minerLocationsSchema),
    },
    handler: async (request) => {
      const miners = await listPlaced(store, farmOf(request).id);
      const { limit, offset } = windowOf(request.query);
      const page = miners.slice(offset, offset + limit).map(({ id, ipNum, mac, serial, model, ...location }) => ({
        ...{ id, ip: formatIpv4(ipNum), mac, serial_number: serial === '' ? null : serial, model },
        ...{ container: location.container, rack: location.rack, position: location.position },
      }));
      return goodList(page, request.query, miners.length);
    },
  });
}

export function registerLocationChanges(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'POST',
    url: `${V2_FARM}/location-changes`,
    schema: {
      ...described,
      operationId: 'changeLocationsV2',
      summary: 'Set racks and positions of miners: all of them or none',
      description:
        'Of miners that are named one by one; a file goes to …/miner-positions. Miners of one request may swap their positions. What changes is recorded as a task batch of an event type, and can be undone. With the header Idempotency-Key, the same key and body within 24 hours change it once and give the same answer.',
      headers: idempotencyHeaders,
      body: locationChangeSchema,
      response: answers(movedSchema, 409),
    },
    handler: async (request) => {
      const { miners, swap, dry_run: isDryRun } = request.body;
      const given = miners.map(({ position, ...miner }) => ({ ...miner, position: position ?? null }));
      const edit = editOf(request, clock);
      const once = isDryRun ? undefined : onceOf(request, edit.nowMs);
      const moved = placeMiners(store, { ...edit, isDryRun, miners: given, swap, once });
      return sendMoved(await orRefusal(moved), isDryRun);
    },
  });
  app.route({
    method: 'GET',
    url: `${V2_FARM}/location-changes`,
    schema: {
      ...described,
      operationId: 'listLocationChangesV2',
      summary: 'The newest changes of locations, by whom, and whether they were undone',
      querystring: z.object({
        limit: wholeNumber({ min: 1, max: MOST_CHANGES, fallback: 20, description: 'Most changes to list' }),
      }),
      response: answers(locationChangesSchema),
    },
    handler: async (request) => {
      const changes = await store.locationChanges.list(farmOf(request).id, request.query.limit);
      return good(
        changes.map(({ id, atMs, actor, minerCount, undoes, undoneBy }) => ({
          ...{ id, at: toPastIso(atMs, clock.nowMs()), actor, miner_count: minerCount },
          ...{ undoes, undone_by: undoneBy },
        })),
      );
    },
  });
}

export function registerLocationUndo(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'POST',
    url: `${V2_FARM}/location-changes/:location_change_id/undo`,
    onRequest: allowNoBody,
    schema: {
      ...described,
      params: farmParams.extend({ location_change_id: anyId }),
      operationId: 'undoLocationChangeV2',
      summary: 'Put the miners of a change back to where they were',
      description:
        'All of them or none. Refused where one of them was moved again since, with who did that, and where another miner stands now. It is a change itself, and can be undone too.',
      body: locationUndoSchema,
      response: answers(movedSchema, 409),
    },
    handler: async (request) => {
      const isDryRun = request.body.dry_run;
      const id = request.params.location_change_id;
      const outcome = await store.locationChanges.undo({ ...editOf(request, clock), id, isDryRun });
      if (outcome.kind !== 'done') throw toRefusal(outcome);
      return sendMoved(outcome, isDryRun);
    },
  });
}

const MAX_SHOWN = 5;

function toRefusal(outcome: Exclude<UndoOutcome, { kind: 'done' }>): RefusedError {
  if (outcome.kind === 'unknown') return notFound();
  const reasons = reasonsOf(outcome).slice(0, MAX_SHOWN);
  return new RefusedError('request.conflict', `Nothing was undone: ${reasons.join('; ')}`);
}

function reasonsOf(outcome: Exclude<UndoOutcome, { kind: 'done' | 'unknown' }>): readonly string[] {
  if (outcome.kind === 'undone') return [`${outcome.by} has undone this change already`];
  if (outcome.kind === 'refused') return outcome.problems.map(wordsOf);
  return outcome.miners.map(({ ipNum, now, by }) => {
    const who = by === null ? '' : `, moved by ${by}`;
    return `${formatIpv4(ipNum)} stands at ${shownLocation(now)} now${who}`;
  });
}
