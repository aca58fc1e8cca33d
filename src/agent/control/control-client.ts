// The running agent of a state directory, as the command line uses it: its lock says whether it runs, its control
// socket answers the rest. It starts no agent.
import { join } from 'node:path';
import { z } from 'zod';
import { systemClock } from '../../base/clock.ts';
import { PeerError, RefusedError } from '../../base/errors.ts';
import { isLocked, takeLock } from '../../base/storage/lock.ts';
import { boardSchema } from '../../wire/api/board/messages.ts';
import { foundSchema } from '../capture/found.ts';
import { ControlConnection } from './control-connection.ts';
import type { ControlHandlers } from './control-handlers.ts';
import {
  identitiesSchema,
  type Line,
  previewSchema,
  reloadedSchema,
  type ServiceRequest,
  settledSchema,
  shownBatchSchema,
  shownTasksSchema,
} from './messages.ts';
import { socketAddress } from './socket-address.ts';
import { statusSchema } from './status-message.ts';

export type {
  Identities,
  Preview,
  RunRequest,
  SettledUnits,
  ShownCapture,
  ShownTask,
  Step,
} from './messages.ts';
export type { AgentStatus } from './status-message.ts';

type Asynchronous<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;
};

/**
 * What the handlers of the agent do, asked from outside. Each throws RefusedError with what the agent says, PeerError
 * when it does not answer or goes away.
 */
export type RunningAgent = Omit<Asynchronous<ControlHandlers>, 'service'> & {
  readonly stateDir: string;
  /** Asks the service in its process, as the system user of this one. What the service refuses is an answer too. */
  service(request: ServiceAsked, signal?: AbortSignal): Promise<ServiceAnswer>;
  /** Of the program that it is. */
  version(): Promise<string>;
  close(): Promise<void>;
};

export type ServiceAsked = {
  readonly method: ServiceRequest['method'];
  /** Path below the address of the service, with its query. */
  readonly path: string;
  /** A text is CSV; anything else is sent as JSON. */
  readonly body?: unknown;
  readonly idempotencyKey?: string;
};

/** `body`: what the JSON says; the text where it is no JSON. */
export type ServiceAnswer = { readonly status: number; readonly body: unknown };

/**
 * `locked` = one may run, but this user may not ask; `silent` = one runs and does not answer; `unreachable` = one runs
 * without a control socket.
 */
export type FoundAgent =
  | { readonly kind: 'running'; readonly agent: RunningAgent }
  | { readonly kind: 'none' | 'locked' | 'silent' | 'unreachable' };

/** Longer than the agent lets a look at a miner or its log take. */
const LOOK_MS = 130_000;
const STOP_MS = 10_000;
const STOP_LOOK_MS = 250;

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
 * Two agents on one state directory would have two queues and two journals: the one that starts holds the lock from
 * before it opens anything until its end. Gives the release. Waits a moment for one that stops. Throws RefusedError
 * when one runs there.
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
  const connection = new ControlConnection(stateDir, address);
  return {
    stateDir,
    version: async () => (await connection.ask(z.object({ version: z.string() }), 'GET', '/state')).version,
    state: () => connection.ask(statusSchema, 'GET', '/state'),
    board: (request, signal) => connection.ask(boardSchema, 'POST', '/board', request, signal && { signal }),
    tasks: (limit, onlyOpen) =>
      connection.ask(shownTasksSchema, 'GET', `/tasks?limit=${limit}${onlyOpen ? '&open=true' : ''}`),
    preview: (request, signal) =>
      connection.ask(previewSchema, 'POST', '/tasks/preview', request, { headersTimeout: LOOK_MS, signal }),
    run(request, onStep, signal) {
      const onLine = (line: Line) => {
        if (line.type === 'step') onStep(line.step);
        if (line.type !== 'end') return undefined;
        const { total, succeeded, batch_id } = line;
        return { total, succeeded, batch_id };
      };
      return connection.listen('/tasks/run', request, onLine, signal);
    },
    batch: (id) => connection.ask(shownBatchSchema, 'GET', `/tasks/batches/${encodeURIComponent(id)}`),
    cancel: async (taskIds) =>
      (await connection.ask(givenUpSchema, 'POST', '/tasks/cancel', { task_ids: taskIds })).given_up,
    abortAll: async (reason) => (await connection.ask(givenUpSchema, 'POST', '/tasks/abort', { reason })).given_up,
    scan(request, hearer, signal) {
      const onLine = (line: Line) => {
        if (line.type === 'understood') hearer.onUnderstood(line.text);
        if (line.type === 'found') hearer.onFound(line.found);
        if (line.type === 'progress') hearer.onProgress(line.done, line.total, line.identified);
        return line.type === 'account' ? line.account : undefined;
      };
      return connection.listen('/scan', request, onLine, signal);
    },
    identities: () => connection.ask(identitiesSchema, 'GET', '/identities'),
    settle: async (request, signal) =>
      (await connection.ask(settledSchema, 'POST', '/identities/settle', request, { headersTimeout: LOOK_MS, signal }))
        .settled,
    look: (ip, signal) => connection.ask(foundSchema, 'POST', '/look', { ip }, { headersTimeout: LOOK_MS, signal }),
    log: async (ip, signal) =>
      (
        await connection.ask(
          z.object({ text: z.string() }),
          'POST',
          '/log',
          { ip },
          { headersTimeout: LOOK_MS, signal },
        )
      ).text,
    async capture(request, onAsked, signal) {
      const files = new Map<string, string>();
      const onLine = (line: Line) => {
        if (line.type === 'asked') onAsked(line.done, line.total, line.note);
        if (line.type === 'file') files.set(line.name, line.text);
        return line.type === 'captured' ? line : undefined;
      };
      const { capture } = await connection.listen('/capture', request, onLine, signal);
      if (capture === null) return undefined;
      const { case: about, driver, is_login_refused: isLoginRefused, login_wall: loginWall } = capture;
      return { case: about, files, driver, isLoginRefused, loginWall };
    },
    service: ({ method, path, body, idempotencyKey }, signal) =>
      connection.askService(
        {
          ...{ method, path },
          ...(body !== undefined && bodyOf(body)),
          ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
        },
        { headersTimeout: LOOK_MS, ...(signal && { signal }) },
      ),
    reload: () => connection.ask(reloadedSchema, 'POST', '/reload', {}),
    close: () => connection.close(),
  };
}

const bodyOf = (body: unknown) =>
  typeof body === 'string' ? ({ body, content_type: 'text/csv' } as const) : { body: JSON.stringify(body) };

const givenUpSchema = z.object({ given_up: z.int() });
