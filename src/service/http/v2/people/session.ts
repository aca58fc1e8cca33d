// …/session: logging in with a password or a one-time code, who is logged in, logging out. An extension of the
// interface, for the page.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BugError } from '../../../../base/errors.ts';
import { EXTENSION } from '../../../../wire/api/components.ts';
import {
  claimSchema,
  endedAnswerSchema,
  loginSchema,
  type Session as SessionItem,
  sessionAnswerSchema,
} from '../../../../wire/api/people/session.ts';
import type { SessionPerson } from '../../../auth/authorise.ts';
import { V2_SESSION } from '../../../auth/rules.data.ts';
import type { Begun, Wait } from '../../../people/sign-in.ts';
import { callerOf } from '../../guard.ts';
import { answers, NO_KEY, SESSION_ONLY } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { allowNoBody } from '../../shared/body.ts';
import { good } from '../../shared/envelope.ts';
import { browserOf, clearSessionCookie, refuseToWait, setSessionCookie } from './cookie.ts';
import { toSessionItem } from './items.ts';

export const SESSION = { ...EXTENSION, tags: ['session'], security: SESSION_ONLY };

/** Whose session it is. */
export function personOf(
  request: FastifyRequest,
): SessionPerson & { readonly id: string; readonly name: string; readonly workspaceId: string } {
  const caller = callerOf(request);
  if (caller?.person === undefined)
    throw new BugError(`read the person of ${request.routeOptions.url}: its rule needs no session`);
  const { actor, workspaceId, person } = caller;
  return { ...person, id: actor.id, name: actor.name, workspaceId };
}

export function registerSession(app: App, { store, signIn }: RouteParts): void {
  app.route({
    method: 'GET',
    url: V2_SESSION,
    schema: {
      ...SESSION,
      operationId: 'getSessionV2',
      summary: 'Who is logged in, and what that person may do where',
      response: answers(sessionAnswerSchema),
    },
    handler: async (request) => {
      const person = personOf(request);
      return good(await toSessionItem(store, person, person.session));
    },
  });
  app.route({
    method: 'DELETE',
    url: V2_SESSION,
    onRequest: allowNoBody,
    schema: {
      ...SESSION,
      operationId: 'endSessionV2',
      summary: 'Log out',
      description: 'Ends the session and clears its cookie; also where the session has ended already.',
      response: answers(endedAnswerSchema),
    },
    handler: async (request, reply) => {
      clearSessionCookie(request, reply);
      if (callerOf(request) === undefined) return good({ ended_count: 0 });
      const person = personOf(request);
      await signIn.logout(person, person.session.id);
      return good({ ended_count: 1 });
    },
  });
}

export function registerLogin(app: App, { store, signIn }: RouteParts): void {
  const send = async (request: FastifyRequest, reply: FastifyReply, outcome: Begun | Wait) => {
    if (outcome.kind === 'wait') return refuseToWait(reply, outcome);
    setSessionCookie(request, reply, outcome.token, outcome.session);
    const item: SessionItem = await toSessionItem(store, outcome.person, outcome.session);
    return good(item);
  };
  app.route({
    method: 'POST',
    url: V2_SESSION,
    schema: {
      ...SESSION,
      operationId: 'logInV2',
      summary: 'Log in with name and password',
      description:
        'Sets the cookie of a new session; the one that the browser had ends. Five wrong passwords for a name from an address within 15 minutes, and then each further one, cost a wait that doubles.',
      security: NO_KEY,
      body: loginSchema,
      response: answers(sessionAnswerSchema),
    },
    handler: async (request, reply) => send(request, reply, await signIn.login(request.body, browserOf(request))),
  });
  app.route({
    method: 'POST',
    url: `${V2_SESSION}/claim`,
    schema: {
      ...SESSION,
      operationId: 'claimSessionV2',
      summary: 'Begin a session with a one-time code',
      description:
        'A code of the purpose claim makes the first admin of a workspace, one of the purpose reset sets a new password, one of the purpose pair begins the session of a phone or a screen. Each is good once, for minutes.',
      security: NO_KEY,
      body: claimSchema,
      response: answers(sessionAnswerSchema, 409),
    },
    handler: async (request, reply) => {
      const { code, ...given } = request.body;
      return send(request, reply, await signIn.claim(code, given, browserOf(request)));
    },
  });
}
