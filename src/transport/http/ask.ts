// HTTP requests of drivers and of identification: each kind of login, statuses as PeerErrors, JSON or text.
// Redirects are evidence, never followed. Wrong credentials are tried once: several families lock out.
import type { LruMap } from 'toad-cache';
import type { Clock } from '../../base/clock.ts';
import type { PeerCode } from '../../base/errors.ts';
import { decodeReply, repairJson, repairJsonText } from '../cgminer/json-fixer.ts';
import { beforeSent, cleanWords, deviceSays, peerError, withoutSecret } from '../peer-errors.ts';
import type { ExchangeLimits, HttpRequest, Login, SessionOpening, WebEvidence, WebSession } from '../request.ts';
import {
  DEFAULT_DEADLINE_MS,
  DEFAULT_MAX_BYTES,
  type TimeBudget,
  timeBudget,
  UPLOAD_DEADLINE_MS,
} from '../tcp/exchange.ts';
import type { HttpAnswer, HttpClient, HttpEndpoint } from './client.ts';
import { carrying, contentOf } from './content.ts';
import { type Nonce, sendWithDigest } from './digest.ts';
import { forgetGrants, type Sessions, sendWithSession } from './session.ts';
import { shortKey } from './tls-keys.ts';

export type Web = {
  readonly client: HttpClient;
  readonly clock: Clock;
  readonly nonces: LruMap<Nonce>;
  readonly sessions: Sessions;
};

export const HTTP_PORT = 80;
const LOOK_BYTES = 64 * 1024;

/**
 * JSON value or text of an answer below status 400. `reach` gives where a port of the device is. Throws PeerError,
 * RefusedError or CancelledError.
 */
export async function askHttp(
  web: Web,
  reach: (port: number) => HttpEndpoint,
  login: Login | undefined,
  request: HttpRequest,
  limits: ExchangeLimits,
): Promise<unknown> {
  const port = request.port ?? HTTP_PORT;
  const to = reach(port);
  const { auth, path } = request;
  const what = `${request.method} ${to.ip}:${to.port}${path}`;
  const isFile = request.upload !== undefined || request.octets !== undefined;
  const budget = timeBudget(web.clock, limits, isFile ? UPLOAD_DEADLINE_MS : DEFAULT_DEADLINE_MS);
  const plain = login && { user: login.user, password: login.password.reveal() };
  const carried = typeof auth === 'object' && 'carry' in auth ? auth : undefined;
  if (!plain && request.carry) throw peerError('peer.auth', `${what}: no login configured`, { wasSent: false });
  const sent = plain ? await carrying(request, [carried, request], plain) : request;
  const send = (more?: Readonly<Record<string, string>>) => sendOnce(web, to, sent, budget, what, more);

  const forget = () => {
    if (request.freshLogin) forgetGrants(web.sessions, to.ip);
  };
  forget();
  const answer = await (async () => {
    if (!login || (auth === 'none' && !request.carry)) return send();
    mustKeepSecrets(to, what);
    if (carried || request.carry) await beforeSent(async () => login.beforeSending?.(limits.signal));
    if (auth === 'none') return send();
    const plan = { ...web, endpoint: endpointName(to), login, what, signal: limits.signal };
    if (auth === 'digest') {
      return sendWithDigest({
        ...plan,
        request,
        send: (authorization) => send(authorization === undefined ? {} : { authorization }),
        sendUnauthenticated: () =>
          isFile || request.carry ? sendOnce(web, to, { method: 'GET', path }, budget, what) : send(),
      });
    }
    if ('carry' in auth) return send();
    const sendOpening = (opening: SessionOpening) => openSession(web, reach, port, auth, opening, budget);
    return sendWithSession({ ...plan, session: auth, send, readBody, sendOpening });
  })().finally(forget);
  const mayRefuse = typeof auth === 'object' && (!login || carried) && answer.status < 400;
  if (mayRefuse && (await auth.isRefused?.(readBody(answer)))) throw peerError('peer.auth', what);
  throwIfFailed(answer, what, plain?.password);
  if (carried) login?.onTaken?.();
  if (request.as === 'text') return decodeReply(answer.body).text;
  const json = repairJson(answer.body);
  if (!json) throw peerError('peer.unparsable', what, { wasSent: true });
  if (json.isPartial) throw peerError('peer.reset', `${what}: cut answer`, { wasSent: true });
  return json.value;
}

/** JSON value, or the text when it is not JSON. */
function readBody({ body }: HttpAnswer): unknown {
  const { text, repairs } = decodeReply(body);
  const json = repairJsonText(text, repairs);
  return json && !json.isPartial ? json.value : text;
}

/** The value of a page that was looked at; undefined where it failed, redirects, or may have been cut. */
export function readPage({ status, body }: WebEvidence, as: HttpRequest['as']): unknown {
  if (status >= 300 || Buffer.byteLength(body) >= LOOK_BYTES) return undefined;
  if (as === 'text') return body;
  const json = repairJsonText(body, []);
  return json && !json.isPartial ? json.value : undefined;
}

/** The answer to the login itself. Nothing of the request shows in errors: its body holds the password. */
async function openSession(
  web: Web,
  reach: (port: number) => HttpEndpoint,
  port: number,
  session: WebSession,
  opening: SessionOpening,
  budget: TimeBudget,
): Promise<HttpAnswer> {
  const to = reach(opening.port ?? port);
  const label = `log in to ${to.ip}:${to.port} (${session.name})`;
  mustKeepSecrets(to, label);
  return sendOnce(web, to, opening, budget, label, {}, label);
}

/** What is kept of a login belongs to one device: another key is another device. */
const endpointName = ({ ip, port, tlsKey }: HttpEndpoint) =>
  `${ip}:${port}${tlsKey === undefined ? '' : ` with the TLS key ${shortKey(tlsKey)}`}`;

/**
 * A device that is known by a TLS key gets a login over TLS only, and over TLS a login goes only to a device that is
 * known by its key. Throws PeerError.
 */
function mustKeepSecrets({ isTls, tlsKey }: HttpEndpoint, what: string): void {
  if (isTls === (tlsKey !== undefined)) return;
  const why = isTls
    ? 'it showed no TLS key when it was asked who it is'
    : 'it would go in the clear, and the device is known by its TLS key';
  throw peerError('peer.tls-key', `${what}: no login is sent, because ${why}`, { wasSent: false });
}

/** What `GET path` shows without a login, whatever the status. */
export async function lookAt(web: Web, to: HttpEndpoint, path: string, limits: ExchangeLimits): Promise<WebEvidence> {
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
  const server = headerText(answer, 'server');
  return {
    status: answer.status,
    body: decodeReply(answer.body).text,
    ...(location === undefined ? {} : { location }),
    ...(authenticate === undefined ? {} : { authenticate }),
    ...(server === undefined ? {} : { server }),
    ...(answer.tlsKey === undefined ? {} : { tlsKey: answer.tlsKey }),
  };
}

function sendOnce(
  { client }: Web,
  to: HttpEndpoint,
  request: Omit<HttpRequest, 'auth' | 'as' | 'via'>,
  budget: TimeBudget,
  what: string,
  more: Readonly<Record<string, string>> = {},
  label?: string,
): Promise<HttpAnswer> {
  const { deadlineMs, maxBytes = DEFAULT_MAX_BYTES, signal } = budget.next(what);
  const { headers, body } = contentOf(request);
  return client.send({
    to,
    method: request.method,
    path: request.path,
    headers: { ...headers, ...more },
    ...(body === undefined ? {} : { body }),
    ...(label === undefined ? {} : { label }),
    deadlineMs,
    maxBytes,
    signal,
    beyondMax: 'fail',
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

const MAX_WORDS_BYTES = 1_024;

function throwIfFailed({ status, body }: HttpAnswer, what: string, secret = ''): void {
  if (status < 400) return;
  const { text } = decodeReply(body.subarray(0, MAX_WORDS_BYTES));
  // What was cut off may have cut a secret.
  const words = cleanWords(withoutSecret(body.length > MAX_WORDS_BYTES ? `${text}…` : text, secret));
  throw deviceSays(STATUS_CODES.get(status) ?? 'peer.rejected', what, `${status} ${words}`.trim());
}

function headerText({ headers }: HttpAnswer, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
