// One connection to the control socket of a running agent: requests with one answer, and requests with an answer of
// many lines.
import { Pool } from 'undici';
import { z } from 'zod';
import { isRefusalCode } from '../../base/error-codes.data.ts';
import { ConfigError, PeerError, RefusedError } from '../../base/errors.ts';
import { userName } from '../../base/platform/user-name.ts';
import {
  type Line,
  lineSchema,
  refusalSchema,
  SERVICE_STATUS_HEADER,
  type ServiceRequest,
  USER_HEADER,
} from './messages.ts';

export const ANSWER_MS = 10_000;
/** Beats come much more often. */
const LINE_MS = 30_000;
const MAX_LINE_CHARS = 8 * 1024 * 1024;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

type Method = 'GET' | 'POST';
type SendOptions = { readonly headersTimeout?: number; readonly signal?: AbortSignal };
type Body = Awaited<ReturnType<Pool['request']>>['body'];

/**
 * Each request throws RefusedError or ConfigError with what the agent says, PeerError when it does not answer or goes
 * away.
 */
export class ControlConnection {
  readonly #stateDir: string;
  readonly #pool: Pool;

  constructor(stateDir: string, address: string) {
    this.#stateDir = stateDir;
    const timeouts = { connectTimeout: ANSWER_MS, bodyTimeout: LINE_MS };
    this.#pool = new Pool('http://agent', { socketPath: address, connections: 4, ...timeouts });
  }

  async ask<S extends z.ZodType>(
    schema: S,
    method: Method,
    path: string,
    body?: unknown,
    options?: SendOptions,
  ): Promise<z.output<S>> {
    const answer = await this.#send(method, path, body, options);
    const said = await jsonOf(answer.body);
    if (answer.statusCode !== 200) throw refusalOf(said);
    const parsed = schema.safeParse(said);
    if (parsed.success) return parsed.data;
    throw new PeerError(
      'peer.unparsable',
      `understand the agent that runs on ${this.#stateDir}`,
      'never',
      parsed.error,
    );
  }

  /** What the service in the agent's process answers, also where it refuses; a body that is no JSON is a text. */
  async askService(
    request: ServiceRequest,
    options: SendOptions,
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    const { statusCode, headers, body } = await this.#send('POST', '/service', request, options);
    if (statusCode !== 200) throw refusalOf(await jsonOf(body));
    const isJson = String(headers['content-type']).startsWith('application/json');
    const text = await textOf(body);
    return { status: Number(headers[SERVICE_STATUS_HEADER]), body: isJson ? parsed(text) : text };
  }

  /** Hands over each line; ends with the last. Gives what `onLine` made of the line that holds the outcome. */
  async listen<T>(path: string, body: unknown, onLine: (line: Line) => T | undefined, signal: AbortSignal): Promise<T> {
    const answer = await this.#send('POST', path, body);
    if (answer.statusCode !== 200) throw refusalOf(await jsonOf(answer.body));
    const what = `hear the agent that runs on ${this.#stateDir} to the end`;
    let outcome: T | undefined;
    let stop = () => {};
    const onAbort = () => stop();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      for await (const line of linesOf(answer.body)) {
        if (line.type === 'failed') throw refusedAs(line.code, line.error);
        if (line.type === 'begin') {
          const { id } = line;
          stop = () => void this.ask(z.object({}), 'POST', '/stop', { id }).catch(() => answer.body.destroy());
          if (signal.aborted) stop();
        } else outcome = onLine(line) ?? outcome;
      }
    } catch (error) {
      throw error instanceof RefusedError || error instanceof PeerError ? error : brokenOff(what, error);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    if (outcome !== undefined) return outcome;
    throw new PeerError('peer.reset', `${what}: it went away`, 'later');
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  async #send(method: Method, path: string, body: unknown, options: SendOptions = {}) {
    const { headersTimeout = ANSWER_MS, signal = null } = options;
    const user = { [USER_HEADER]: userName().replaceAll(/[^\x20-\x7e]/g, '?') };
    const json = { body: JSON.stringify(body), headers: { ...user, 'content-type': 'application/json' } };
    const request = body === undefined ? { headers: user } : json;
    try {
      return await this.#pool.request({ method, path, headersTimeout, signal, ...request });
    } catch (error) {
      throw new PeerError('peer.unreachable', `ask the agent that runs on ${this.#stateDir}`, 'later', error);
    }
  }
}

/** What is no refusal at the agent (a miner that is silent, a defect) is one here: the message says what it is. */
const refusedAs = (code: string, message: string) =>
  new RefusedError(isRefusalCode(code) ? code : 'control.unclear', message);

function refusalOf(said: unknown): RefusedError | ConfigError {
  const parsed = refusalSchema.safeParse(said);
  if (!parsed.success) return new RefusedError('control.unclear', 'the running agent refuses this without a reason');
  const { code, error, problems } = parsed.data;
  return problems === undefined ? refusedAs(code, error) : new ConfigError(error, problems);
}

const brokenOff = (what: string, error: unknown) => new PeerError('peer.reset', what, 'later', error);

const jsonOf = async (body: Body): Promise<unknown> => parsed(await textOf(body));

async function textOf(body: Body): Promise<string> {
  const what = 'read the answer of the agent';
  let text = '';
  try {
    for await (const part of body.setEncoding('utf8')) {
      text += String(part);
      if (text.length > MAX_ANSWER_BYTES) throw new PeerError('peer.too-large', what, 'never');
    }
  } catch (error) {
    throw error instanceof PeerError ? error : brokenOff(what, error);
  }
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Lines that this version does not know are left out. */
async function* linesOf(body: Body): AsyncGenerator<Line> {
  let rest = '';
  for await (const part of body.setEncoding('utf8')) {
    rest += String(part);
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_CHARS) throw new PeerError('peer.too-large', 'read a line of the agent', 'never');
    for (const line of lines) {
      const parsed = lineSchema.safeParse(JSON.parse(line));
      if (parsed.success) yield parsed.data;
    }
  }
}
