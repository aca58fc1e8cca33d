// HTTP requests of drivers and of identification: digest login with nonces that are kept, statuses as PeerErrors, JSON or text.
// Redirects are evidence, never followed. Wrong credentials are tried once: several families lock out.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { type PeerCode, PeerError } from '../base/errors.ts';
import type { Secret } from '../base/secrets.ts';
import type { BoundedMap } from './bounded-map.ts';
import { type DigestChallenge, digestAuthorization, parseDigestChallenge } from './digest.ts';
import { DEFAULT_DEADLINE_MS, DEFAULT_MAX_BYTES } from './exchange.ts';
import type { HttpAnswer, HttpCall, HttpClient } from './http-client.ts';
import { decodeReply, type Repair, repairJson } from './json-repair.ts';
import { cleanWords, deviceSays, peerError } from './peer-errors.ts';
import type { ExchangeLimits, HttpRequest, Login, WebEvidence } from './request.ts';
import { type TimeBudget, timeBudget } from './time-budget.ts';
import { beforeSent } from './whatsminer-writes.ts';

export type Nonce = {
  readonly challenge: DigestChallenge;
  readonly user: string;
  readonly password: Secret;
  count: number;
};

export type Web = {
  readonly client: HttpClient;
  readonly clock: Clock;
  readonly nonces: BoundedMap<Nonce>;
  readonly onRepair: (repairs: readonly Repair[]) => void;
};

export const HTTP_PORT = 80;
const LOOK_BYTES = 64 * 1024;
const CHALLENGE_RETRIES = 3;
const CHALLENGE_PAUSE_MS = 30;

type Target = HttpCall['to'];

/** JSON value or text of an answer below status 400. Throws PeerError, RefusedError or CancelledError. */
export async function askHttp(
  web: Web,
  to: Target,
  login: Login | undefined,
  request: HttpRequest,
  limits: ExchangeLimits,
): Promise<unknown> {
  const what = `${request.method} ${to.ip}:${to.port}${request.path}`;
  const budget = timeBudget(web.clock, limits, DEFAULT_DEADLINE_MS);
  const send = (authorization?: string) => sendOnce(web, to, request, budget, what, authorization);
  const answer =
    request.auth === 'digest' && login
      ? await sendWithDigest(web, to, login, request, what, send, limits.signal)
      : await send();
  throwIfFailed(answer, what);
  if (request.as === 'text') return decodeReply(answer.body).text;
  const json = repairJson(answer.body);
  if (!json) throw peerError('peer.unparsable', what, { wasSent: true });
  if (json.isPartial) throw peerError('peer.reset', `${what}: cut answer`, { wasSent: true });
  if (json.repairs.length > 0) web.onRepair(json.repairs);
  return json.value;
}

/** What `GET path` shows to somebody who is not logged in, whatever the status. */
export async function lookAt(web: Web, to: Target, path: string, limits: ExchangeLimits): Promise<WebEvidence> {
  const answer = await web.client.send({
    to,
    method: 'GET',
    path,
    headers: {},
    deadlineMs: limits.deadlineMs ?? DEFAULT_DEADLINE_MS,
    maxBytes: limits.maxBytes ?? LOOK_BYTES,
    signal: limits.signal,
    beyondMax: 'cut',
  });
  const location = headerText(answer, 'location');
  const authenticate = headerText(answer, 'www-authenticate');
  return {
    status: answer.status,
    body: decodeReply(answer.body).text,
    ...(location === undefined ? {} : { location }),
    ...(authenticate === undefined ? {} : { authenticate }),
  };
}

function sendOnce(
  { client }: Web,
  to: Target,
  request: HttpRequest,
  budget: TimeBudget,
  what: string,
  authorization: string | undefined,
): Promise<HttpAnswer> {
  const { deadlineMs, maxBytes = DEFAULT_MAX_BYTES, signal } = budget.next(what);
  return client.send({
    to,
    method: request.method,
    path: request.path,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(request.json === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(request.json === undefined ? {} : { body: JSON.stringify(request.json) }),
    deadlineMs,
    maxBytes,
    signal,
    beyondMax: 'fail',
  });
}

async function sendWithDigest(
  web: Web,
  to: Target,
  login: Login,
  request: HttpRequest,
  what: string,
  send: (authorization?: string) => Promise<HttpAnswer>,
  signal: AbortSignal | undefined,
): Promise<HttpAnswer> {
  const key = `${to.ip}:${to.port}`;
  const sendAuthorized = (nonce: Nonce) => send(authorize(nonce, login, request));
  let challenged: HttpAnswer | undefined;
  const kept = web.nonces.get(key);
  if (kept?.user === login.user && kept.password.reveal() === login.password.reveal()) {
    const answer = await sendAuthorized(kept);
    if (answer.status !== 401) return answer;
    web.nonces.delete(key);
    challenged = answer;
  } else {
    // The device does not act on a request without login, so a lost challenge may be asked for again.
    challenged = await beforeSent(() => askForChallenge(web.clock, send, signal));
    if (challenged.status !== 401) return challenged;
  }
  for (let isSecondTry = false; ; isSecondTry = true) {
    const challenge = parseDigestChallenge(challenged.headers['www-authenticate']);
    if (!challenge) throw peerError('peer.auth', `${what}: the device asks for a login of another kind`);
    const nonce: Nonce = { challenge, user: login.user, password: login.password, count: 0 };
    const answer = await sendAuthorized(nonce);
    if (answer.status !== 401) {
      web.nonces.set(key, nonce);
      return answer;
    }
    // Refused with a fresh nonce means wrong credentials, unless the device says that the nonce was the trouble.
    const isStale = parseDigestChallenge(answer.headers['www-authenticate'])?.isStale === true;
    if (isSecondTry || !isStale) throw peerError('peer.auth', what);
    challenged = answer;
  }
}

/** Some small web servers drop the connection on the first challenge of a burst. */
async function askForChallenge(
  clock: Clock,
  send: () => Promise<HttpAnswer>,
  signal: AbortSignal | undefined,
): Promise<HttpAnswer> {
  for (let retries = 0; ; retries++) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof PeerError) || error.code !== 'peer.reset' || retries === CHALLENGE_RETRIES) throw error;
      await clock.sleep(CHALLENGE_PAUSE_MS * (retries + 1), signal);
    }
  }
}

function authorize(nonce: Nonce, login: Login, { method, path }: HttpRequest): string {
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

const STATUS_CODES: ReadonlyMap<number, PeerCode> = new Map([
  [401, 'peer.auth'],
  [403, 'peer.permission'],
  [404, 'peer.unsupported'],
  [405, 'peer.unsupported'],
  [429, 'peer.busy'],
  [501, 'peer.unsupported'],
  [503, 'peer.busy'],
]);

function throwIfFailed({ status, body }: HttpAnswer, what: string): void {
  if (status < 400) return;
  const words = cleanWords(decodeReply(body.subarray(0, 1_024)).text);
  throw deviceSays(STATUS_CODES.get(status) ?? 'peer.rejected', what, `${status} ${words}`.trim());
}

function headerText({ headers }: HttpAnswer, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
