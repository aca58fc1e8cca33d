// HTTP digest authentication (RFC 7616), MD5 and SHA-256, qop=auth. Without qop nothing is answered: a password could
// be guessed. Nonces are kept per device; a stale one is replaced once, a wrong login is tried once.
import { hash, randomBytes } from 'node:crypto';
import type { LruMap } from 'toad-cache';
import type { Clock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import type { Secret } from '../../base/secrets.ts';
import { beforeSent, peerError } from '../peer-errors.ts';
import type { HttpRequest, Login } from '../request.ts';
import type { HttpAnswer } from './client.ts';

const HASHES = { MD5: 'md5', 'SHA-256': 'sha256' } as const;

type DigestChallenge = {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | undefined;
  readonly algorithm: keyof typeof HASHES;
  /** Whether the server named the algorithm; then the answer names it too. */
  readonly namesAlgorithm: boolean;
  readonly hasQop: boolean;
  readonly isStale: boolean;
};

/** One `name=value` or `name="value"` with the separator. Sticky, and without nested repetition: linear. */
const PARAMETER = /\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))\s*(?:,|$)/y;
const SCHEME = /(?:^|,)\s*digest\s+/gi;
const MAX_HEADER_CHARS = 4_096;

/** The strongest challenge that we can answer, from one or several WWW-Authenticate headers. */
export function parseDigestChallenge(header: string | readonly string[] | undefined): DigestChallenge | undefined {
  const headers = header === undefined ? [] : typeof header === 'string' ? [header] : header;
  const challenges = headers.slice(0, 8).flatMap(parseHeader);
  return challenges.find(({ algorithm }) => algorithm === 'SHA-256') ?? challenges[0];
}

function parseHeader(header: string): DigestChallenge[] {
  const text = header.slice(0, MAX_HEADER_CHARS);
  return [...text.matchAll(SCHEME)].slice(0, 8).flatMap((scheme) => {
    const challenge = toChallenge(parseParameters(text, scheme.index + scheme[0].length));
    return challenge ? [challenge] : [];
  });
}

function parseParameters(text: string, from: number): Map<string, string> {
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = from;
  for (let match = PARAMETER.exec(text); match; match = PARAMETER.exec(text)) {
    const [, name = '', quoted, bare = ''] = match;
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted === undefined ? bare : quoted.replaceAll(/\\(.)/g, '$1'));
    if (PARAMETER.lastIndex >= text.length) break;
  }
  return parameters;
}

function toChallenge(parameters: ReadonlyMap<string, string>): DigestChallenge | undefined {
  const nonce = parameters.get('nonce');
  const named = parameters.get('algorithm');
  const algorithm = (named ?? 'MD5').toUpperCase();
  const qop = parameters.get('qop');
  // What comes back in our header must not be able to break it.
  if ([...parameters.values()].some((value) => /[^\t\x20-\x7e\x80-\xff]/.test(value))) return undefined;
  if (nonce === undefined || (algorithm !== 'MD5' && algorithm !== 'SHA-256')) return undefined;
  if (qop !== undefined && !qop.split(',').some((option) => option.trim().toLowerCase() === 'auth')) return undefined;
  return {
    realm: parameters.get('realm') ?? '',
    nonce,
    opaque: parameters.get('opaque'),
    algorithm,
    namesAlgorithm: named !== undefined,
    hasQop: qop !== undefined,
    isStale: parameters.get('stale')?.toLowerCase() === 'true',
  };
}

export type Nonce = {
  readonly challenge: DigestChallenge;
  readonly user: string;
  readonly password: Secret;
  /** How often it has been used. */
  count: number;
};

/** The Authorization header for the newest count of the nonce. `cnonce` is printable ASCII without quotes. */
export function digestAuthorization(nonce: Nonce, method: string, uri: string, cnonce: string): string {
  const { challenge, user, password, count } = nonce;
  const digest = (text: string) => hash(HASHES[challenge.algorithm], text, 'hex');
  const nc = count.toString(16).padStart(8, '0');
  const ha1 = digest(`${user}:${challenge.realm}:${password.reveal()}`);
  const ha2 = digest(`${method}:${uri}`);
  const response = digest(`${ha1}:${challenge.nonce}:${nc}:${cnonce}:auth:${ha2}`);
  return [
    `Digest username=${quote(Buffer.from(user).toString('latin1'))}`,
    `realm=${quote(challenge.realm)}`,
    `nonce=${quote(challenge.nonce)}`,
    `uri=${quote(uri)}`,
    ...(challenge.namesAlgorithm ? [`algorithm=${challenge.algorithm}`] : []),
    `response="${response}"`,
    `qop=auth, nc=${nc}, cnonce=${quote(cnonce)}`,
    ...(challenge.opaque === undefined ? [] : [`opaque=${quote(challenge.opaque)}`]),
  ].join(', ');
}

const quote = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

const CHALLENGE_RETRIES = 3;
const CHALLENGE_PAUSE_MS = 30;

export type DigestPlan = {
  readonly clock: Clock;
  readonly nonces: LruMap<Nonce>;
  /** `ip:port`, and the TLS key. */
  readonly endpoint: string;
  readonly login: Login;
  readonly request: Pick<HttpRequest, 'method' | 'path' | 'upload' | 'carry'>;
  readonly what: string;
  readonly signal: AbortSignal | undefined;
  send(authorization?: string): Promise<HttpAnswer>;
  /** Asks for a challenge: the request itself, or one without its file. */
  sendUnauthenticated(): Promise<HttpAnswer>;
};

/** The first answer that is no demand for a login. Throws PeerError `peer.auth` for a refused one. */
export async function sendWithDigest(plan: DigestPlan): Promise<HttpAnswer> {
  const { nonces, endpoint, login, request, what, send } = plan;
  const sendAuthorized = (nonce: Nonce) => {
    nonce.count++;
    return send(digestAuthorization(nonce, request.method, request.path, randomBytes(8).toString('hex')));
  };
  let challenged: HttpAnswer | undefined;
  const kept = nonces.get(endpoint);
  // A file is not sent twice for the sake of a nonce that may be stale.
  if (request.upload === undefined && kept?.user === login.user && kept.password.reveal() === login.password.reveal()) {
    const answer = await sendAuthorized(kept);
    if (answer.status !== 401) {
      login.onTaken?.();
      return answer;
    }
    nonces.delete(endpoint);
    challenged = answer;
  } else {
    // The device does not act on a request without login, so a lost challenge may be asked for again.
    challenged = await beforeSent(() => askForChallenge(plan));
    if (challenged.status !== 401 && request.carry)
      throw peerError('peer.auth', `${what}: not sent, because the device asks for no login`, { wasSent: false });
    if (challenged.status !== 401) return request.upload === undefined ? challenged : send();
  }
  for (let isSecondTry = false; ; isSecondTry = true) {
    const challenge = parseDigestChallenge(challenged.headers['www-authenticate']);
    const flaw = challenge === undefined ? 'it asks for a login of another kind' : flawOf(challenge, login);
    if (challenge === undefined || flaw !== undefined)
      throw peerError('peer.auth', `${what}: no login is sent, because ${flaw}`);
    if (!isSecondTry) await beforeSent(async () => login.beforeSending?.(plan.signal));
    const nonce: Nonce = { challenge, user: login.user, password: login.password, count: 0 };
    const answer = await sendAuthorized(nonce);
    if (answer.status !== 401) {
      login.onTaken?.();
      nonces.set(endpoint, nonce);
      return answer;
    }
    // Refused with a fresh nonce means wrong credentials, unless the device says that the nonce was the trouble.
    const isStale = parseDigestChallenge(answer.headers['www-authenticate'])?.isStale === true;
    if (isSecondTry || !isStale) throw peerError('peer.auth', what);
    challenged = answer;
  }
}

/** Why nothing is answered to the challenge. */
function flawOf({ hasQop, realm }: DigestChallenge, login: Login): string | undefined {
  if (!hasQop) return 'it asks for a digest without qop, from which the password could be guessed';
  return login.realm === undefined || login.realm === realm ? undefined : 'its realm is another one than it was';
}

/** Some small web servers drop the connection on the first challenge of a burst. */
async function askForChallenge({ clock, sendUnauthenticated, signal }: DigestPlan): Promise<HttpAnswer> {
  for (let retries = 0; ; retries++) {
    try {
      return await sendUnauthenticated();
    } catch (error) {
      if (!(error instanceof PeerError) || error.code !== 'peer.reset' || retries === CHALLENGE_RETRIES) throw error;
      await clock.sleep(CHALLENGE_PAUSE_MS * (retries + 1), signal);
    }
  }
}
