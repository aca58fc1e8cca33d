// One exchange of a one-time code for the identity of this agent. It stores nothing and never tries twice by itself.
import { Client } from 'undici';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { type PeerCode, PeerError, type Retry } from '../../../base/errors.ts';
import { type EnrolAnswer, type EnrolRequest, enrolAnswerSchema, parseJson } from '../../../wire/frames.ts';
import { ENROL_PATH, PROTOCOL_VERSION } from '../../../wire/protocol.ts';
import { serviceAddress } from '../address.ts';

const MAX_ANSWER_BYTES = 64 * 1024;

/** Throws ConfigError for an address that may not be used, PeerError for every failure of the service. */
export async function enrol({
  url,
  allowPlain,
  deadlineMs = 20_000,
  clock = systemClock,
  ...identity
}: Omit<EnrolRequest, 'protocol'> & {
  readonly url: string;
  readonly allowPlain?: boolean;
  /** Total time for the exchange, ms. */
  readonly deadlineMs?: number;
  readonly clock?: Clock;
}): Promise<EnrolAnswer> {
  const { http } = serviceAddress(url, allowPlain);
  const target = new URL(`${http}${ENROL_PATH}`);
  const deadline = new AbortController();
  const cancelDeadline = clock.after(deadlineMs, () => deadline.abort());
  const client = new Client(target.origin, { connect: { minVersion: 'TLSv1.2', rejectUnauthorized: true } });
  const what = `enrol at ${target.origin}`;
  const request: EnrolRequest = { ...identity, protocol: PROTOCOL_VERSION };
  try {
    const response = await client.request({
      method: 'POST',
      path: target.pathname,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(request),
      signal: deadline.signal,
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
