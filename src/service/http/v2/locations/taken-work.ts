// …/work: which lines of the worklist a person has taken, so that two people do not walk to the same trouble. An
// extension of the interface.
import type { FastifyRequest } from 'fastify';
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
import { accessOf, farmOf, farmParams } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { good, toIso } from '../../shared/envelope.ts';
import { goodList, pageShape, windowOf } from '../envelope.ts';

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

const subjectOf = (farm: string, line: LineName): Pick<ServiceAct, 'subject' | 'detail'> => ({
  subject: { farm },
  detail: { ...line },
});

function actOf(request: FastifyRequest, atMs: number) {
  const { caller, workspaceId } = accessOf(request);
  return { actor: caller.actor, workspaceId, atMs };
}

function registerTake(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'POST',
    url: `${V2_WORK}/take`,
    schema: {
      ...DESCRIBED,
      operationId: 'takeWorkV2',
      summary: 'Take a line of the worklist',
      description: 'The answer says who has it now: another one where they took it first, unless it is taken over.',
      body: takeWorkSchema,
      response: answers(answerOf(takenWorkSchema), 409),
    },
    handler: async (request) => {
      const { id: farmId } = farmOf(request);
      const { over = false, ...line } = request.body;
      const act = actOf(request, clock.nowMs());
      const take = { farmId, line, actor: act.actor, isOver: over, nowMs: act.atMs };
      const taken = await store.audited(
        () => ({ action: 'work.taken', ...act, ...subjectOf(farmId, line) }),
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
      const { id: farmId } = farmOf(request);
      const line = request.body;
      await store.audited(
        () => ({ action: 'work.released', ...actOf(request, clock.nowMs()), ...subjectOf(farmId, line) }),
        ({ takenWork }) => takenWork.release(farmId, line),
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
