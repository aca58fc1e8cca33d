// One request to the running service, as bytes, and the judgement of its answer by the document: status, type, shape,
// and nothing told that is ours.
import { STATUS_CODES } from 'node:http';
import { Pool } from 'undici';
import type { Document, Operation } from './openapi.ts';

export type Sent = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
};

export type Got = {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
};

export type Client = {
  send(sent: Sent): Promise<Got>;
  close(): Promise<void>;
};

export function createClient(url: string): Client {
  const pool = new Pool(url, { connections: 8, pipelining: 1 });
  return {
    async send({ method, path, headers, body }) {
      const answer = await pool.request({ method, path, headers, body: body ?? null });
      const type = String(answer.headers['content-type'] ?? '').split(';')[0] ?? '';
      const text = type === STREAM ? await firstOf(answer.body) : await answer.body.text();
      return { status: answer.statusCode, type, text, headers: answer.headers };
    },
    close: () => pool.close(),
  };
}

const STREAM = 'text/event-stream';

/** A stream ends when its client goes. */
async function firstOf(body: AsyncIterable<Uint8Array> & { destroy(): unknown }): Promise<string> {
  for await (const chunk of body) {
    body.destroy();
    return Buffer.from(chunk).toString('utf8');
  }
  return '';
}

/** Words of our insides. Refusals repeat what was sent, so none of these may be among what is sent. */
export const INSIDES =
  /SQLITE_|no such (table|column)|syntax error|unterminated|invalid byte sequence|constraint failed|violates|kysely|node_modules|node:internal|\/src\/|\.ts:\d|\n\s+at |TypeError|Cannot read prop|is not a function|ECONN|EPIPE/i;

/** What is wrong with the answer, or undefined. */
export function judge(document: Document, operation: Operation, got: Got): string | undefined {
  const { status, text, type } = got;
  if (status >= 500) return `answers ${status}`;
  const types = operation.responses.get(status);
  if (types === undefined) return `does not declare ${status}`;
  const schema = types.get(type);
  if (schema === undefined) return `does not declare ${type} for ${status}`;
  if (typeof got.headers['x-request-id'] !== 'string') return 'has no request id';
  // With a tag a client may keep it for itself, and asks each time.
  const kept = got.headers.etag === undefined ? 'no-store' : 'private, no-cache';
  if (got.headers['cache-control'] !== kept) return 'may be kept by caches';
  if (got.headers['x-content-type-options'] !== 'nosniff') return 'may be taken for another type';
  const value: unknown = type === 'application/json' ? JSON.parse(text) : text;
  const fits = document.validator(schema);
  if (!fits(value)) return `is off its schema: ${JSON.stringify(fits.errors)}`;
  return status >= 400 ? judgeError(status, text) : undefined;
}

/**
 * The form of every error, also where no operation is: exactly three fields that agree with the status, in words for
 * clients.
 */
export function judgeError(status: number, text: string): string | undefined {
  const { statusCode, message, error, ...more } = JSON.parse(text);
  if (Object.keys(more).length > 0) return `says more than three fields: ${Object.keys(more)}`;
  if (statusCode !== status || error !== STATUS_CODES[status]) return `does not say ${status} ${STATUS_CODES[status]}`;
  if (typeof message !== 'string' || message === '') return 'says nothing';
  return INSIDES.test(message) ? 'tells of our insides' : undefined;
}
