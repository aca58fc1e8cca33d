// …/people: who uses the page in a workspace, and what each may do. An extension of the interface.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { anyId } from '../../../../wire/api/forms.ts';
import {
  codeAnswerSchema,
  codeRequestSchema,
  peopleSchema,
  personAnswerSchema,
  personCreationSchema,
  personEditSchema,
  personWithCodeAnswerSchema,
} from '../../../../wire/api/people/people.ts';
import { endedAnswerSchema } from '../../../../wire/api/people/session.ts';
import { removedSchema } from '../../../../wire/api/webhooks.ts';
import { notFound } from '../../../auth/authorise.ts';
import { V2_PEOPLE } from '../../../auth/rules.data.ts';
import type { Doer } from '../../../people/manage.ts';
import type { Person } from '../../../store/store.ts';
import { accessOf } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { allowNoBody } from '../../shared/body.ts';
import { good } from '../../shared/envelope.ts';
import { goodList, pageShape, windowOf } from '../envelope.ts';
import { toCodeItem, toPersonItem, toPersonItems } from './items.ts';

const V2_PERSON = `${V2_PEOPLE}/:person_id`;
const workspaceParams = z.object({ workspace_id: anyId });
const personParams = workspaceParams.extend({ person_id: anyId });
const OF_ONE = { ...EXTENSION, tags: ['people'], params: personParams };

function doerOf(request: FastifyRequest): Doer {
  const { caller, workspaceId } = accessOf(request);
  return { actor: caller.actor, workspaceId, permissions: caller.permissions };
}

const toFarmRoles = (roles: readonly { farm_id: string; role: Person['farmRoles'][number]['role'] }[]) =>
  roles.map(({ farm_id: farmId, role }) => ({ farmId, role }));

/** null stays: it means never. */
const toMs = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));

export function registerPeople(app: App, { store, people, clock }: RouteParts): void {
  app.route({
    method: 'GET',
    url: V2_PEOPLE,
    schema: {
      ...{ ...EXTENSION, tags: ['people'], operationId: 'listPeopleV2' },
      summary: 'People of a workspace, oldest first; screens are among them',
      params: workspaceParams,
      querystring: z.object(pageShape),
      response: answers(peopleSchema),
    },
    handler: async (request) => {
      const all = await store.people.list(accessOf(request).workspaceId);
      const { offset, limit } = windowOf(request.query);
      const items = await toPersonItems(store.people, all.slice(offset, offset + limit), clock.nowMs());
      return goodList(items, request.query, all.length);
    },
  });
  app.route({
    method: 'POST',
    url: V2_PEOPLE,
    schema: {
      ...{ ...EXTENSION, tags: ['people'], operationId: 'createPersonV2' },
      summary: 'Add a person',
      description:
        'The answer has a one-time code, shown this once, with which the person sets the own password. A workspace may have 1000 people. A role that allows more than the caller may do is refused.',
      params: workspaceParams,
      body: personCreationSchema,
      response: answers(personWithCodeAnswerSchema, 409),
    },
    handler: async (request) => {
      const { name, role = null, farm_roles: farmRoles = [], expires_at: expiresAt = null } = request.body;
      const { person, code } = await people.create(doerOf(request), {
        ...{ name, role, farmRoles: toFarmRoles(farmRoles), expiresAtMs: toMs(expiresAt) },
      });
      return good({ ...toPersonItem(person, 0), code: toCodeItem(code) });
    },
  });
}

export function registerPerson(app: App, { store, people, clock }: RouteParts): void {
  const itemOf = async (person: Person | undefined) => {
    if (person === undefined) throw notFound();
    const counts = await store.people.countSessions([person.id], clock.nowMs());
    return good(toPersonItem(person, counts.get(person.id) ?? 0));
  };
  app.route({
    method: 'GET',
    url: V2_PERSON,
    schema: {
      ...{
        ...OF_ONE,
        operationId: 'getPersonV2',
        summary: 'A person: the roles, whether it is disabled, when it ends',
      },
      response: answers(personAnswerSchema),
    },
    handler: async (request) =>
      itemOf(await store.people.find(accessOf(request).workspaceId, request.params.person_id)),
  });
  app.route({
    method: 'PATCH',
    url: V2_PERSON,
    schema: {
      ...{
        ...OF_ONE,
        operationId: 'updatePersonV2',
        summary: 'Change roles or time of a person, disable or enable it',
      },
      description:
        'Fields that are not given stay. It counts at once, in open sessions too. The last admin that can log in without an end stays one.',
      body: personEditSchema,
      response: answers(personAnswerSchema, 409),
    },
    handler: async (request) => {
      const { role, farm_roles: farmRoles, is_disabled: isDisabled, expires_at: expiresAt } = request.body;
      const changes = {
        ...{ role, isDisabled },
        farmRoles: farmRoles && toFarmRoles(farmRoles),
        expiresAtMs: expiresAt === undefined ? undefined : toMs(expiresAt),
      };
      return itemOf(await people.update(doerOf(request), request.params.person_id, changes));
    },
  });
  app.route({
    method: 'DELETE',
    url: V2_PERSON,
    onRequest: allowNoBody,
    schema: {
      ...{ ...OF_ONE, operationId: 'removePersonV2', summary: 'Remove a person, with all sessions' },
      description: 'What the person did keeps the name. The last admin that can log in without an end stays.',
      response: answers(removedSchema, 409),
    },
    handler: async (request) => {
      const removed = await people.remove(doerOf(request), request.params.person_id);
      if (removed === undefined) throw notFound();
      return good({ id: removed.id });
    },
  });
}

export function registerPersonCommands(app: App, { people }: RouteParts): void {
  app.route({
    method: 'POST',
    url: `${V2_PERSON}/code`,
    schema: {
      ...{ ...OF_ONE, operationId: 'createPersonCodeV2', summary: 'Make a one-time code for a person' },
      description:
        'With the purpose reset the person sets a new password within 15 minutes; with pair it begins a session on a phone within 10. Shown this once. An earlier code of the same purpose ends.',
      body: codeRequestSchema,
      response: answers(codeAnswerSchema),
    },
    handler: async (request) => {
      const code = await people.makeCode(doerOf(request), request.params.person_id, request.body.purpose);
      if (code === undefined) throw notFound();
      return good(toCodeItem(code));
    },
  });
  app.route({
    method: 'DELETE',
    url: `${V2_PERSON}/sessions`,
    onRequest: allowNoBody,
    schema: {
      ...{ ...OF_ONE, operationId: 'endPersonSessionsV2', summary: 'End all sessions of a person' },
      response: answers(endedAnswerSchema),
    },
    handler: async (request) => {
      const count = await people.endSessions(doerOf(request), request.params.person_id);
      if (count === undefined) throw notFound();
      return good({ ended_count: count });
    },
  });
}
