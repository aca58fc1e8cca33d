// How VNish is asked: everything under /api/v1, reads without login, changes behind a token for the password (atlas 8).
import * as kit from '../../src/driver/kit/index.ts';

const unlock = {
  path: '/api/v1/unlock',
  json: ({ password }: { readonly password: string }) => ({ pw: password }),
  token: (answer: kit.Answer) => answer.text('token', 8_192),
  provesLogin: true,
} as const;
const bearer = kit.tokenSession({ ...unlock, name: 'vnish-bearer' });
/** Some versions want the token as it is. */
const bare = kit.tokenSession({ ...unlock, name: 'vnish-bare', header: 'Authorization' });

/** A read that needs no login. */
export const open = (path: string) => kit.get(`/api/v1/${path}`);
export const read = (path: string) => kit.get(`/api/v1/${path}`, bearer);
export const write = (path: string, more: Parameters<typeof kit.post>[2] = {}) =>
  kit.post(`/api/v1/${path}`, bearer, more);

const isForbidden = (error: unknown) => error instanceof kit.PeerError && error.code === 'peer.permission';

/** Sends the token in the usual form, and in the other one when the device takes the password and refuses the token. */
export const inEitherForm = (link: kit.MinerLink): kit.MinerLink => ({
  ip: link.ip,
  async send(request, limits) {
    try {
      return await link.send(request, limits);
    } catch (first) {
      if (request.via !== 'http' || !isForbidden(first)) throw first;
      // Refused either way: the words of the first refusal are the device's own, the second may be about the form.
      return await link.send({ ...request, auth: bare }, limits).catch((second: unknown) => {
        throw isForbidden(second) ? first : second;
      });
    }
  },
});
