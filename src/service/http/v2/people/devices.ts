// …/session/password and …/session/devices: what people change of their own: the password, and on which devices they
// are logged in. An extension of the interface, for the page.
import { z } from 'zod';
import { anyId } from '../../../../wire/api/forms.ts';
import { devicesSchema, endedAnswerSchema, passwordChangeSchema } from '../../../../wire/api/people/session.ts';
import { notFound } from '../../../auth/authorise.ts';
import { V2_SESSION } from '../../../auth/rules.data.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { allowNoBody } from '../../shared/body.ts';
import { good } from '../../shared/envelope.ts';
import { clearSessionCookie, refuseToWait } from './cookie.ts';
import { toDeviceItem } from './items.ts';
import { personOf, SESSION } from './session.ts';

const V2_DEVICES = `${V2_SESSION}/devices`;

export function registerOwnPassword(app: App, { signIn, store, clock }: RouteParts): void {
  app.route({
    method: 'POST',
    url: `${V2_SESSION}/password`,
    schema: {
      ...SESSION,
      operationId: 'changePasswordV2',
      summary: 'Change the own password',
      description: 'Ends all other sessions of the person.',
      body: passwordChangeSchema,
      response: answers(endedAnswerSchema),
    },
    handler: async (request, reply) => {
      const { id, workspaceId, session } = personOf(request);
      const others = (await store.people.listSessions(id, clock.nowMs())).filter((one) => one.id !== session.id);
      const { current_password: current, new_password: next } = request.body;
      const wait = await signIn.changePassword(
        { id, workspaceId, sessionId: session.id },
        { current, next },
        request.ip,
      );
      return wait === undefined ? good({ ended_count: others.length }) : refuseToWait(reply, wait);
    },
  });
}

export function registerDevices(app: App, { people, store, clock }: RouteParts): void {
  app.route({
    method: 'GET',
    url: V2_DEVICES,
    schema: {
      ...SESSION,
      operationId: 'listDevicesV2',
      summary: 'Own sessions, newest first',
      response: answers(devicesSchema),
    },
    handler: async (request) => {
      const { id, session } = personOf(request);
      const all = await store.people.listSessions(id, clock.nowMs());
      return good(all.map((one) => toDeviceItem(one, session.id)));
    },
  });
  app.route({
    method: 'DELETE',
    url: V2_DEVICES,
    onRequest: allowNoBody,
    schema: {
      ...SESSION,
      operationId: 'endOtherDevicesV2',
      summary: 'Log out everywhere else',
      response: answers(endedAnswerSchema),
    },
    handler: async (request) => {
      const person = personOf(request);
      return good({ ended_count: await people.endOwn(person, { exceptId: person.session.id }) });
    },
  });
  app.route({
    method: 'DELETE',
    url: `${V2_DEVICES}/:session_id`,
    onRequest: allowNoBody,
    schema: {
      ...SESSION,
      operationId: 'endDeviceV2',
      summary: 'End one of the own sessions',
      params: z.object({ session_id: anyId }),
      response: answers(endedAnswerSchema),
    },
    handler: async (request, reply) => {
      const person = personOf(request);
      const onlyId = request.params.session_id;
      const count = await people.endOwn(person, { onlyId });
      if (count === 0) throw notFound();
      if (onlyId === person.session.id) clearSessionCookie(request, reply);
      return good({ ended_count: count });
    },
  });
}
