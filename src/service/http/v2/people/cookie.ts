// The session cookie of answers: set, or cleared. Scripts of a page cannot read it, and no other site has it sent.
import { fastifyCookie } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RefusedError } from '../../../../base/errors.ts';
import { cookieNameOf, presentedToken } from '../../../auth/session.ts';
import { deviceName } from '../../../people/device-name.ts';
import type { Browser, Wait } from '../../../people/sign-in.ts';
import type { Session } from '../../../store/store.ts';
import { askingOf } from '../../guard.ts';

/** Of a session without an end, and of one that may be used again and again: browsers keep none for longer. */
const LONGEST_S = 400 * 86_400;

const tokenOf = (request: FastifyRequest): string | undefined =>
  presentedToken(request.headers.cookie, askingOf(request).isSecure);

export const browserOf = (request: FastifyRequest): Browser => ({
  address: request.ip,
  device: deviceName(request.headers['user-agent']),
  token: tokenOf(request),
});

/** One of a phone or a screen stays when the browser is closed; the service decides when it ends. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  { isPaired, expiresAtMs }: Session,
): void {
  const stays = isPaired || expiresAtMs === null;
  reply.header('set-cookie', cookie(request, token, stays ? { maxAge: LONGEST_S } : {}));
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('set-cookie', cookie(request, '', { maxAge: 0 }));
}

function cookie(request: FastifyRequest, value: string, life: { readonly maxAge?: number }): string {
  const { isSecure } = askingOf(request);
  const fixed = { httpOnly: true, sameSite: 'strict', path: '/', secure: isSecure } as const;
  return fastifyCookie.serialize(cookieNameOf(isSecure), value, { ...fixed, ...life });
}

/** Throws RefusedError `auth.wait` after the header that says how long. */
export function refuseToWait(reply: FastifyReply, { seconds }: Wait): never {
  reply.header('retry-after', String(seconds));
  throw new RefusedError('auth.wait', `Too many attempts to log in: wait ${seconds} s, then try again`);
}
