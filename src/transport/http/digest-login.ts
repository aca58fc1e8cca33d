// Requests under a digest login: nonces are kept per device and used again, a stale one is replaced once, wrong credentials are tried once.
// How a digest is computed is digest.ts; what an answer means is http.ts.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import type { Secret } from '../../base/secrets.ts';
import type { BoundedMap } from '../limits/bounded-map.ts';
import { peerError } from '../peer-errors.ts';
import type { HttpRequest, Login } from '../request.ts';
import { beforeSent } from '../whatsminer/api2-writes.ts';
import type { HttpAnswer } from './client.ts';
import { type DigestChallenge, digestAuthorization, parseDigestChallenge } from './digest.ts';

export type Nonce = {
  readonly challenge: DigestChallenge;
  readonly user: string;
  readonly password: Secret;
  count: number;
};

const CHALLENGE_RETRIES = 3;
const CHALLENGE_PAUSE_MS = 30;

export type DigestPlan = {
  readonly clock: Clock;
  readonly nonces: BoundedMap<Nonce>;
  /** `ip:port`. */
  readonly door: string;
  readonly login: Login;
  readonly request: Pick<HttpRequest, 'method' | 'path' | 'upload'>;
  readonly what: string;
  readonly signal: AbortSignal | undefined;
  send(authorization?: string): Promise<HttpAnswer>;
  /** Asks for a challenge: the request itself, or one without its file. */
  knock(): Promise<HttpAnswer>;
};

/** The first answer that is no demand for a login. Throws PeerError `peer.auth` for a refused one. */
export async function sendWithDigest(plan: DigestPlan): Promise<HttpAnswer> {
  const { nonces, door, login, request, what, send } = plan;
  const sendAuthorized = (nonce: Nonce) => send(authorize(nonce, login, request));
  let challenged: HttpAnswer | undefined;
  const kept = nonces.get(door);
  // A file is not sent twice for the sake of a nonce that may be stale.
  if (request.upload === undefined && kept?.user === login.user && kept.password.reveal() === login.password.reveal()) {
    const answer = await sendAuthorized(kept);
    if (answer.status !== 401) {
      login.onTaken?.();
      return answer;
    }
    nonces.delete(door);
    challenged = answer;
  } else {
    // The device does not act on a request without login, so a lost challenge may be asked for again.
    challenged = await beforeSent(() => askForChallenge(plan));
    if (challenged.status !== 401) return request.upload === undefined ? challenged : send();
  }
  for (let isSecondTry = false; ; isSecondTry = true) {
    const challenge = parseDigestChallenge(challenged.headers['www-authenticate']);
    if (!challenge) throw peerError('peer.auth', `${what}: the device asks for a login of another kind`);
    const nonce: Nonce = { challenge, user: login.user, password: login.password, count: 0 };
    const answer = await sendAuthorized(nonce);
    if (answer.status !== 401) {
      login.onTaken?.();
      nonces.set(door, nonce);
      return answer;
    }
    // Refused with a fresh nonce means wrong credentials, unless the device says that the nonce was the trouble.
    const isStale = parseDigestChallenge(answer.headers['www-authenticate'])?.isStale === true;
    if (isSecondTry || !isStale) throw peerError('peer.auth', what);
    challenged = answer;
  }
}

/** Some small web servers drop the connection on the first challenge of a burst. */
async function askForChallenge({ clock, knock, signal }: DigestPlan): Promise<HttpAnswer> {
  for (let retries = 0; ; retries++) {
    try {
      return await knock();
    } catch (error) {
      if (!(error instanceof PeerError) || error.code !== 'peer.reset' || retries === CHALLENGE_RETRIES) throw error;
      await clock.sleep(CHALLENGE_PAUSE_MS * (retries + 1), signal);
    }
  }
}

function authorize(nonce: Nonce, login: Login, { method, path }: DigestPlan['request']): string {
  nonce.count++;
  return digestAuthorization({
    challenge: nonce.challenge,
    user: login.user,
    password: login.password.reveal(),
    method,
    uri: path,
    count: nonce.count,
    cnonce: randomBytes(8).toString('hex'),
  });
}
