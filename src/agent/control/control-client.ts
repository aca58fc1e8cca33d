// The running agent of a state directory, as the command line uses it: its lock says whether it runs, its control socket answers the rest.
// It starts no agent.
import { join } from 'node:path';
import { Pool } from 'undici';
import { z } from 'zod';
import { systemClock } from '../../base/clock.ts';
import { isRefusalCode } from '../../base/error-codes.data.ts';
import { ConfigError, PeerError, RefusedError } from '../../base/errors.ts';
import { isLocked, takeLock } from '../../base/storage/lock.ts';
import { foundSchema } from '../capture/found.ts';
import type { ControlHandlers } from './control-handlers.ts';
import {
  identitiesSchema,
  type Line,
  lineSchema,
  previewSchema,
  refusalSchema,
  reloadedSchema,
  settledSchema,
  shownTasksSchema,
  statusSchema,
} from './messages.ts';
import { socketAddress } from './socket-address.ts';

export type {
  AgentStatus,
  Identities,
  Preview,
  RunRequest,
  SettledUnits,
  ShownCapture,
  ShownTask,
  Step,
} from './messages.ts';

type Asynchronous<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;
};

/**
 * What the handlers of the agent do, asked from outside. Each throws RefusedError with what the agent says, PeerError when it does not answer or goes
 * away.
 */
export type RunningAgent = Asynchronous<ControlHandlers> & {
  readonly stateDir: string;
  /** Of the program that it is. */
  version(): Promise<string>;
  close(): Promise<void>;
};

/**
 * `locked` = somebody may be there, but this user may not ask; `silent` = somebody is there and does not answer; `unreachable` = somebody is there,
 * and has no control socket.
 */
export type FoundAgent =
  | { readonly kind: 'running'; readonly agent: RunningAgent }
  | { readonly kind: 'none' | 'locked' | 'silent' | 'unreachable' };

const ANSWER_MS = 10_000;
/** Longer than the agent lets a look at a miner or its log take. */
const LOOK_MS = 130_000;
const STOP_MS = 10_000;
const STOP_LOOK_MS = 250;
/** Beats come much more often. */
const LINE_MS = 30_000;
const MAX_LINE_CHARS = 8 * 1024 * 1024;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export async function findRunningAgent(stateDir: string): Promise<FoundAgent> {
  const { kind, agent } = await tryAgent(stateDir);
  if (kind === 'running') return { kind, agent };
  if (kind !== 'none' && kind !== 'no-socket') return { kind };
  const isThere = isLocked(lockOf(stateDir));
  if (isThere === undefined) return { kind: 'locked' };
  if (!isThere) return { kind: 'none' };
  return { kind: kind === 'none' ? 'silent' : 'unreachable' };
}

/**
 * Two agents on one state would have two gates and one journal: whoever is to be one holds its lock from before anything is opened until the end.
 * Gives the release. Waits a moment for one that stops. Throws RefusedError when one runs there.
 */
export async function mustBeAlone(stateDir: string): Promise<() => void> {
  const endMs = systemClock.monotonicMs() + STOP_MS;
  for (;;) {
    const release = takeLock(lockOf(stateDir));
    if (release !== undefined) return release;
    const { kind, agent } = await tryAgent(stateDir);
    await agent?.close();
    if (kind === 'running' || systemClock.monotonicMs() >= endMs)
      throw new RefusedError('agent.not-alone', `start an agent on ${stateDir}: another one runs there`);
    await systemClock.sleep(STOP_LOOK_MS);
  }
}

const lockOf = (stateDir: string) => join(stateDir, 'agent.lock');

type Trial =
  | { readonly kind: 'running'; readonly agent: RunningAgent }
  | { readonly kind: 'none' | 'locked' | 'silent' | 'no-socket'; readonly agent?: undefined };

async function tryAgent(stateDir: string): Promise<Trial> {
  const address = socketAddress(stateDir);
  if (address === undefined) return { kind: 'no-socket' };
  const agent = createClient(stateDir, address);
  try {
    await agent.version();
    return { kind: 'running', agent };
  } catch (error) {
    await agent.close();
    return { kind: kindOf(error) };
  }
}

function kindOf(error: unknown): 'none' | 'locked' | 'silent' {
  const cause = error instanceof PeerError ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EACCES' || code === 'EPERM') return 'locked';
  return code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR' ? 'none' : 'silent';
}

function createClient(stateDir: string, address: string): RunningAgent {
  const pool = new Pool('http://agent', {
    socketPath: address,
    connections: 4,
    connectTimeout: ANSWER_MS,
    bodyTimeout: LINE_MS,
  });

  const send = async (method: 'GET' | 'POST', path: string, body: unknown, options: SendOptions = {}) => {
    const { headersTimeout = ANSWER_MS, signal } = options;
    try {
      return await pool.request({
        method,
        path,
        headersTimeout,
        signal: signal ?? null,
        ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
    } catch (error) {
      throw new PeerError('peer.unreachable', `ask the agent that runs on ${stateDir}`, 'later', error);
    }
  };
  const ask = async <S extends z.ZodType>(
    schema: S,
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    options?: SendOptions,
  ): Promise<z.output<S>> => {
    const answer = await send(method, path, body, options);
    const said = await jsonOf(answer.body);
    if (answer.statusCode !== 200) throw refusalOf(said);
    const parsed = schema.safeParse(said);
    if (parsed.success) return parsed.data;
    throw new PeerError('peer.unparsable', `understand the agent that runs on ${stateDir}`, 'never', parsed.error);
  };

  /** Hands over each line; ends with the last. Gives what `onLine` made of the line that holds the outcome. */
  const listen = async <T>(
    path: string,
    body: unknown,
    onLine: (line: Line) => T | undefined,
    signal: AbortSignal,
  ): Promise<T> => {
    const answer = await send('POST', path, body);
    if (answer.statusCode !== 200) throw refusalOf(await jsonOf(answer.body));
    let outcome: T | undefined;
    let stop = () => {};
    const onAbort = () => stop();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      for await (const line of linesOf(answer.body)) {
        if (line.type === 'failed') throw refusedAs(line.code, line.error);
        if (line.type === 'begin') {
          const { id } = line;
          stop = () => void ask(z.object({}), 'POST', '/stop', { id }).catch(() => answer.body.destroy());
          if (signal.aborted) stop();
        } else outcome = onLine(line) ?? outcome;
      }
    } catch (error) {
      if (error instanceof RefusedError) throw error;
      throw new PeerError('peer.reset', `hear the agent that runs on ${stateDir} to the end`, 'later', error);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    if (outcome !== undefined) return outcome;
    throw new PeerError('peer.reset', `hear the agent that runs on ${stateDir} to the end: it went away`, 'later');
  };

  return {
    stateDir,
    version: async () => (await ask(z.object({ version: z.string() }), 'GET', '/state')).version,
    state: () => ask(statusSchema, 'GET', '/state'),
    tasks: (limit, onlyOpen) => ask(shownTasksSchema, 'GET', `/tasks?limit=${limit}${onlyOpen ? '&open=true' : ''}`),
    preview: (request, signal) =>
      ask(previewSchema, 'POST', '/tasks/preview', request, { headersTimeout: LOOK_MS, signal }),
    run(request, onStep, signal) {
      const onLine = (line: Line) => {
        if (line.type === 'step') onStep(line.step);
        return line.type === 'end' ? { total: line.total, succeeded: line.succeeded } : undefined;
      };
      return listen('/tasks/run', request, onLine, signal);
    },
    cancel: async (taskIds) => (await ask(givenUpSchema, 'POST', '/tasks/cancel', { task_ids: taskIds })).given_up,
    abortAll: async (reason) => (await ask(givenUpSchema, 'POST', '/tasks/abort', { reason })).given_up,
    scan(request, hearer, signal) {
      const onLine = (line: Line) => {
        if (line.type === 'understood') hearer.onUnderstood(line.text);
        if (line.type === 'found') hearer.onFound(line.found);
        if (line.type === 'progress') hearer.onProgress(line.done, line.total, line.identified);
        return line.type === 'account' ? line.account : undefined;
      };
      return listen('/scan', request, onLine, signal);
    },
    identities: () => ask(identitiesSchema, 'GET', '/identities'),
    settle: async (request, signal) =>
      (await ask(settledSchema, 'POST', '/identities/settle', request, { headersTimeout: LOOK_MS, signal })).settled,
    look: (ip, signal) => ask(foundSchema, 'POST', '/look', { ip }, { headersTimeout: LOOK_MS, signal }),
    log: async (ip, signal) =>
      (await ask(z.object({ text: z.string() }), 'POST', '/log', { ip }, { headersTimeout: LOOK_MS, signal })).text,
    async capture(ip, onAsked, signal) {
      const files = new Map<string, string>();
      const onLine = (line: Line) => {
        if (line.type === 'asked') onAsked(line.done, line.total, line.note);
        if (line.type === 'file') files.set(line.name, line.text);
        return line.type === 'captured' ? line : undefined;
      };
      const { capture } = await listen('/capture', { ip }, onLine, signal);
      if (capture === null) return undefined;
      const { case: about, driver, is_login_refused: isLoginRefused } = capture;
      return { case: about, files, driver, isLoginRefused };
    },
    reload: () => ask(reloadedSchema, 'POST', '/reload', {}),
    close: () => pool.destroy(),
  };
}

type SendOptions = { readonly headersTimeout?: number; readonly signal?: AbortSignal };
type Body = Awaited<ReturnType<Pool['request']>>['body'];

const givenUpSchema = z.object({ given_up: z.int() });

/** What is no refusal at the agent (a miner that is silent, a defect) is one here: the message says what it is. */
const refusedAs = (code: string, message: string) =>
  new RefusedError(isRefusalCode(code) ? code : 'control.unclear', message);

function refusalOf(said: unknown): RefusedError | ConfigError {
  const parsed = refusalSchema.safeParse(said);
  if (!parsed.success) return new RefusedError('control.unclear', 'the running agent refuses this without a reason');
  const { code, error, problems } = parsed.data;
  return problems === undefined ? refusedAs(code, error) : new ConfigError(error, problems);
}

async function jsonOf(body: Body): Promise<unknown> {
  let text = '';
  for await (const part of body.setEncoding('utf8')) {
    text += String(part);
    if (text.length > MAX_ANSWER_BYTES) throw new PeerError('peer.too-large', 'read the answer of the agent', 'never');
  }
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
