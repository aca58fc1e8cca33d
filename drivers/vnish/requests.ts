// How VNish is asked: everything under /api/v1, reads without login, changes behind a token for the password (atlas 8).
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { MinerLink, WebSession } from '../../src/driver/contract.ts';
import { bearer } from '../../src/driver/kit/web/web-session.ts';

const unlockAnswer = z.looseObject({ token: z.string() });
type Grant = ReturnType<WebSession['grant']>;

const unlock = (name: string, toGrant: (token: string) => Grant): WebSession => ({
  name,
  open: ({ password }) => ({ via: 'http', method: 'POST', path: '/api/v1/unlock', json: { pw: password } }),
  grant({ body }) {
    const token = unlockAnswer.safeParse(body).data?.token;
    return token === undefined ? undefined : toGrant(token);
  },
  provesLogin: true,
});

const withBearer = unlock('vnish-bearer', bearer);
/** Some versions want the token as it is. */
const withBareToken = unlock('vnish-bare', (token) => {
  const header = bearer(token);
  return header && { Authorization: header.Authorization.slice('Bearer '.length) };
});

type Web = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly json?: unknown;
  readonly upload?: { readonly fields: Readonly<Record<string, string>>; readonly file: UploadFile };
  readonly as: 'json' | 'text';
};
type UploadFile = { readonly field: string; readonly name: string; readonly bytes: Blob };

/** A read that needs no login. */
export const open = (path: string) =>
  ({ via: 'http', method: 'GET', path: `/api/v1/${path}`, auth: 'none', as: 'json' }) as const;

type Limits = { readonly deadlineMs: number; readonly maxBytes?: number };

/** With the token in the usual form, and in the other one when the device takes the password and refuses the token. */
export async function sendLoggedIn(link: MinerLink, { path, ...web }: Web, limits: Limits): Promise<unknown> {
  const request = { via: 'http', ...web, path: `/api/v1/${path}` } as const;
  try {
    return await link.send({ ...request, auth: withBearer }, limits);
  } catch (error) {
    // Refused either way: the words of the first refusal are the device's own, the second may be about the form.
    if (!(error instanceof PeerError) || error.code !== 'peer.permission') throw error;
    return await link.send({ ...request, auth: withBareToken }, limits).catch((second: unknown) => {
      throw second instanceof PeerError && second.code === 'peer.permission' ? error : second;
    });
  }
}
