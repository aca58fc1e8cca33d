// Requests that the control socket passes on to the service of the same process, and its answers: bounded in bytes, and
// not looked into.
import { Readable } from 'node:stream';
import { BugError, PeerError, RefusedError } from '../../../base/errors.ts';
import type { ServiceRequest } from '../messages.ts';

/** A list of 10,000 miners has about 20 MB. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export type ServiceAnswer = {
  readonly status: number;
  /** Empty where there is no body. */
  readonly contentType: string;
  readonly body: Readable;
};

/** The service in this process, asked on behalf of a system user. */
export type AskService = (request: {
  readonly method: ServiceRequest['method'];
  readonly url: string;
  readonly body: string | undefined;
  readonly contentType: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly user: string;
  readonly signal: AbortSignal;
}) => Promise<ServiceAnswer>;

export function createServiceRequests(askService: AskService | undefined) {
  return {
    /** The caller reads the body or destroys it. Throws RefusedError where the service runs elsewhere. */
    async service(request: ServiceRequest, user: string, signal: AbortSignal): Promise<ServiceAnswer> {
      if (askService === undefined) throw new RefusedError('service.elsewhere', ELSEWHERE);
      const { method, path: url, body, content_type: contentType, idempotency_key: idempotencyKey } = request;
      const answer = await askService({ method, url, body, contentType, idempotencyKey, user, signal });
      return { ...answer, body: Readable.from(bounded(answer.body), { objectMode: false }) };
    },
  };
}

const ELSEWHERE =
  'the service of this agent runs elsewhere: name it with --server and --key-file, or with PITHEAD_URL and PITHEAD_KEY';

/** Fails with PeerError when more comes than a caller takes. */
async function* bounded(body: Readable): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const part of body) {
    if (!Buffer.isBuffer(part)) throw new BugError('pass on an answer of the service: it is not made of bytes');
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) throw new PeerError('peer.too-large', 'pass on an answer of the service', 'never');
    yield part;
  }
}

/** For the audit trail; undefined where it only reads. Without the query, which may hold what people search. */
export function auditedRoute({ method, path }: ServiceRequest): string | undefined {
  const [plain = ''] = path.split('?');
  const isRead = method === 'GET' || (method === 'POST' && /\/(search|query)$/.test(plain));
  return isRead ? undefined : `/service ${method} ${plain}`;
}
