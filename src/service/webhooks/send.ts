// Sends one message to the URL of a webhook, once: no redirect, no proxy of the environment, a deadline for all of it,
// and of the answer nothing but its status. It decides nothing about what follows.
import { Agent, buildConnector } from 'undici';
import type { Clock } from '../../base/clock.ts';
import { PeerError, renderError } from '../../base/errors.ts';
import { withDeadline } from '../../base/time/deadline.ts';
import type { AddressPolicy } from './addresses.ts';
import { type Message, signedHeaders } from './message.ts';
import { type Failure, parseRetryAfter } from './schedule.ts';

export const SEND_MS = 10_000;
const CONNECT_MS = 5_000;
/** Of the answer; a longer one costs the connection. */
const MAX_ANSWER_BYTES = 4_096;
const MAX_ERROR_LENGTH = 300;

type Target = { readonly url: string /** Those that live, newest first. */; readonly secrets: readonly string[] };
/** `error` null = it was taken: a status of 200 to 299. */
export type Sent = Failure & { readonly error: string | null; readonly durationMs: number };
export type Sender = ReturnType<typeof createSender>;

type SenderParts = {
  readonly addresses: AddressPolicy;
  readonly version: string;
  readonly clock: Clock;
  /** Certificate authorities instead of the usual ones. */
  readonly ca?: string | undefined;
};

export function createSender({ addresses, version, clock, ca }: SenderParts) {
  const connectorFor = (protocol: 'http:' | 'https:') =>
    buildConnector({
      lookup: addresses.lookupFor(protocol),
      timeout: CONNECT_MS,
      allowH2: false,
      // Certificates are checked whatever the environment says.
      ...{ minVersion: 'TLSv1.2' as const, rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) },
    });
  const connectors = { 'http:': connectorFor('http:'), 'https:': connectorFor('https:') };
  const agent = new Agent({
    connect(options, callback) {
      const protocol = options.protocol === 'http:' ? 'http:' : 'https:';
      connectors[protocol](options, callback);
    },
    headersTimeout: SEND_MS,
    bodyTimeout: SEND_MS,
  });
  const post = async ({ url, secrets }: Target, message: Message, signal: AbortSignal) => {
    const { origin, pathname, search } = new URL(url);
    const { statusCode, headers, body } = await agent.request({
      ...{ origin, path: pathname + search, method: 'POST', body: message.body, signal },
      headers: {
        'content-type': 'application/json',
        'user-agent': `pithead/${version}`,
        ...signedHeaders(message, secrets, clock.nowMs()),
      },
    });
    // The status is what counts: an answer that breaks off has been given.
    await body.dump({ limit: MAX_ANSWER_BYTES, signal }).catch(() => {});
    const retryAfter = typeof headers['retry-after'] === 'string' ? headers['retry-after'] : undefined;
    return { status: statusCode, retryAfterMs: parseRetryAfter(retryAfter, clock.nowMs()) };
  };
  return {
    /** Never throws, but CancelledError when `signal` ends it. */
    async send(target: Target, message: Message, signal?: AbortSignal): Promise<Sent> {
      const startMs = clock.monotonicMs();
      const result = (failure: Failure, error: string | null): Sent => ({
        ...{ ...failure, error: error?.slice(0, MAX_ERROR_LENGTH) ?? null },
        durationMs: Math.round(clock.monotonicMs() - startMs),
      });
      if (target.secrets.length === 0) return result(NO_ANSWER, NO_SECRET);
      // Of a URL with an address: that one is not looked up.
      const problem = addresses.problemOf(target.url);
      if (problem !== undefined) return result(NO_ANSWER, problem);
      const onDeadline = () => new PeerError('peer.timeout', `no answer within ${SEND_MS / 1_000} s`, 'soon');
      const bounds = { deadlineMs: SEND_MS, onDeadline, ...(signal && { signal }) };
      try {
        const answer = await withDeadline(clock, bounds, (within) => post(target, message, within));
        return result(answer, errorOf(answer.status));
      } catch (error) {
        if (signal?.aborted) throw error;
        return result(NO_ANSWER, renderError(error));
      }
    },
    close: () => agent.destroy(),
  };
}

const NO_ANSWER: Failure = { status: null, retryAfterMs: null };
const NO_SECRET = 'the secret cannot be decrypted with the key of this host: rotate it';

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? `the receiver answers ${status}: redirects are not followed`
    : `the receiver answers ${status}`;
}
