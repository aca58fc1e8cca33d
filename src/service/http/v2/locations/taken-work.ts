// …/work: which lines of the worklist a person has taken, so that two people do not walk to the same trouble. An
// extension of the interface.
import { z } from 'zod';
import { RefusedError } from '../../../../base/errors.ts';
import type { LineName } from '../../../../model/board/work-line.ts';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { answerOf, listOf } from '../../../../wire/api/envelope.ts';
import {
  lineOfWorkSchema,
  releaseWorkSchema,
  type TakenWorkItem,
  takenWorkSchema,
  takeWorkSchema,
} from '../../../../wire/api/farm/taken-work.ts';
import { V2_FARM } from '../../../auth/rules.data.ts';
import { MOST_TAKEN, type ServiceAct, type TakenWork } from '../../../store/store.ts';
import { farmOf, farmParams } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { good, toIso } from '../../shared/envelope.ts';
import { goodList, pageShape, windowOf } from '../envelope.ts';
import { editOf } from './moved.ts';

const V2_WORK = `${V2_FARM}/work`;
const DESCRIBED = { ...EXTENSION, tags: ['locations'], params: farmParams };

export function registerTakenWork(app: App, parts: RouteParts): void {
  const { store, clock } = parts;
  app.route({
    method: 'GET',
    url: V2_WORK,
    schema: {
      ...DESCRIBED,
      operationId: 'listTakenWorkV2',
      summary: 'Lines of the worklist that are taken, and by whom; the newest first',
      description: `A line is one cause of trouble in one place. It is free again when it is released, or 12 hours after it was taken. A farm has at most ${MOST_TAKEN}: of more the oldest is free again.`,
      querystring: z.object(pageShape),
      response: answers(listOf(takenWorkSchema)),
    },
    handler: async (request) => {
      const all = await store.takenWork.list(farmOf(request).id, clock.nowMs());
      const { offset, limit } = windowOf(request.query);
      return goodList(all.slice(offset, offset + limit).map(toItem), request.query, all.length);
    },
  });
  registerTake(app, parts);
  registerRelease(app, parts);
}

/** What the audit trail says of it. */
const actOf = (
  action: 'work.taken' | 'work.released',
  edit: ReturnType<typeof editOf>,
  line: LineName,
): ServiceAct => ({
  ...{ action, actor: edit.actor, workspaceId: edit.workspaceId, atMs: edit.nowMs },
  ...{ subject: { farm: edit.farmId }, detail: { ...line } },
});

function registerTake(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'POST',
    url: `${V2_WORK}/take`,
    schema: {
      ...DESCRIBED,
      operationId: 'takeWorkV2',
      summary: 'Take a line of the worklist',
      description: 'The answer says who has the line now: the person who took it first, unless `take_over` is set.',
      body: takeWorkSchema,
      response: answers(answerOf(takenWorkSchema), 409),
    },
    handler: async (request) => {
      const { take_over = false, ...line } = request.body;
      const edit = editOf(request, clock);
      const take = { ...edit, line, isTakeover: take_over };
      const taken = await store.audited(
        () => actOf('work.taken', edit, line),
        ({ takenWork }) => takenWork.take(take),
      );
      const now = taken ?? (await store.takenWork.find(take));
      if (now === undefined)
        throw new RefusedError('request.conflict', 'Take the line: it was released just now, so take it again');
      return good(toItem(now));
    },
  });
}

function registerRelease(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'POST',
    url: `${V2_WORK}/release`,
    schema: {
      ...DESCRIBED,
      operationId: 'releaseWorkV2',
      summary: 'Release a line of the worklist, one of another person too',
      description: 'Does nothing where the line is free.',
      body: releaseWorkSchema,
      response: answers(answerOf(lineOfWorkSchema)),
    },
    handler: async (request) => {
      const line = request.body;
      const edit = editOf(request, clock);
      await store.audited(
        () => actOf('work.released', edit, line),
        ({ takenWork }) => takenWork.release(edit.farmId, line),
      );
      return good(line);
    },
  });
}

const toItem = ({ line, takenBy, takenAtMs }: TakenWork): TakenWorkItem => ({
  ...line,
  taken_by: takenBy,
  taken_at: toIso(takenAtMs),
});
