// One exchange of a one-time code for the identity of this agent. It stores nothing and never tries twice by itself.
import { Client } from 'undici';
import { type Clock, systemClock } from '../../base/clock.ts';
import { type PeerCode, PeerError, type Retry } from '../../base/errors.ts';
import { type EnrolAnswer, type EnrolRequest, enrolAnswerSchema, parseJson } from '../../wire/frames.ts';
import { ENROL_PATH, PROTOCOL_VERSION } from '../../wire/protocol.ts';
import { serviceAddress } from './address.ts';

const MAX_ANSWER_BYTES = 64 * 1024;

export type EnrolOptions = {
  readonly url: string;
  readonly code: string;
  readonly name: string;
  readonly version: string;
  /** The public half of the key that it will prove. */
  readonly identityKey?: string;
  /** Total time for the exchange, ms. Default 20 s. */
  readonly deadlineMs?: number;
  readonly allowPlain?: boolean;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
};

/** Throws ConfigError for an address that may not be used, PeerError for everything that the service does or does not do. */
export async function enrol(options: EnrolOptions): Promise<EnrolAnswer> {
  const { http } = serviceAddress(options.url, { allowPlain: options.allowPlain ?? false });
  const target = new URL(`${http}${ENROL_PATH}`);
  const clock = options.clock ?? systemClock;
  const deadline = new AbortController();
  const cancelDeadline = clock.after(options.deadlineMs ?? 20_000, () => deadline.abort());
  const signal = options.signal === undefined ? deadline.signal : AbortSignal.any([options.signal, deadline.signal]);
  const client = new Client(target.origin, { connect: { minVersion: 'TLSv1.2', rejectUnauthorized: true } });
  const what = `enrol at ${target.origin}`;
  const request = {
    code: options.code,
    name: options.name,
    version: options.version,
    protocol: PROTOCOL_VERSION,
    ...(options.identityKey === undefined ? {} : { identity_key: options.identityKey }),
  } satisfies EnrolRequest;
  try {
    const response = await client.request({
      method: 'POST',
      path: target.pathname,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(request),
      signal,
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) throw new PeerError('peer.too-large', `${what}: read the answer`, 'never');
      chunks.push(chunk);
    }
    if (response.statusCode !== 200 && response.statusCode !== 201) throw refusal(what, response.statusCode);
    const answer = enrolAnswerSchema.safeParse(parseJson(Buffer.concat(chunks).toString('utf8')));
    if (!answer.success) throw new PeerError('peer.unparsable', `${what}: read the answer`, 'later', answer.error);
    return answer.data;
  } catch (error) {
    if (error instanceof PeerError) throw error;
    if (deadline.signal.aborted) throw new PeerError('peer.timeout', `${what} within the deadline`, 'soon');
    throw new PeerError('peer.unreachable', what, 'soon', error);
  } finally {
    cancelDeadline();
    client.destroy().catch(() => {});
  }
}

function refusal(what: string, status: number): PeerError {
  const [code, retry]: readonly [PeerCode, Retry] =
    status === 401 || status === 403 || status === 404 || status === 410
      ? ['peer.auth', 'never']
      : status === 429 || status >= 500
        ? ['peer.busy', 'later']
        : ['peer.rejected', 'never'];
  return new PeerError(code, `${what}: the service answers ${status}`, retry);
}
