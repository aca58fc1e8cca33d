// The HTTP server: limits, request ids, the guard, one shape of errors, OpenAPI. It serves no resource itself: see
// routes.ts.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Server as TcpServer } from 'node:net';
import { parse } from 'node:querystring';
import { fastifyCookie } from '@fastify/cookie';
import rateLimit from '@fastify/rate-limit';
import { type FastifyReply, type FastifyRequest, fastify, LogController } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Clock } from '../../base/clock.ts';
import { RETRY_AFTER_S } from '../../base/error-codes.data.ts';
import { RefusedError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Refusal } from '../audit/refusals.ts';
import type { Admission } from '../auth/admission.ts';
import type { Boards } from '../board/boards.ts';
import type { BoardStreams } from '../board/stream/streams.ts';
import type { EventStreams } from '../events/event-streams.ts';
import type { PeopleManager } from '../people/manage.ts';
import type { KeyManager } from '../people/manage-keys.ts';
import type { SignIn } from '../people/sign-in.ts';
import type { Store } from '../store/store.ts';
import type { BatchCreation } from '../tasks/creation.ts';
import type { Delivery } from '../webhooks/delivery.ts';
import type { WebhookManager } from '../webhooks/manage.ts';
import { callerOf, type Rates, registerGuard } from './guard.ts';
import { createHttpServer, type SocketLimits } from './http-server.ts';
import type { Budgets } from './limits/budgets.ts';
import { UNSENT_LIMITS, type UnsentLimits } from './limits/unsent.ts';
import { registerWorkspaceLimits } from './limits/workspace-limits.ts';
import { registerOpenApi } from './openapi.ts';
import type { Pages } from './pages/pages.ts';
import { registerJsonBody } from './shared/body.ts';
import { createErrorHandler, errorBody, invalidRequest, toErrorBody } from './shared/errors.ts';
import { compileValidator } from './shared/validation.ts';
import { registerTransfer } from './transfer/transfer.ts';
import { registerUnknownParameters } from './unknown/parameters.ts';
import { registerUnknownRoutes } from './unknown/routes.ts';
import type { Upgrades } from './upgrade/upgrade.ts';

export type App = Awaited<ReturnType<typeof createServer>>;

/** What routes are registered with: what they need of the rest of the service. */
export type RouteParts = {
  /** The authority that devices are made to trust; undefined where the service makes no certificates. */
  readonly farmAuthority: () => { readonly pem: string; readonly der: Uint8Array } | undefined;
  /** Of this program. */
  readonly version: string;
  /** Whether the web page is served. */
  readonly page: Pick<PageSettings, 'enabled'>;
  readonly store: Store;
  readonly pages: Pages;
  readonly boards: Boards;
  readonly boardStreams: BoardStreams;
  /** Of the servers that the routes are served by. */
  readonly upgrades: Upgrades;
  readonly clock: Clock;
  readonly isStopping: () => boolean;
  readonly streams: EventStreams;
  readonly keys: KeyManager;
  readonly people: PeopleManager;
  readonly signIn: SignIn;
  readonly webhooks: WebhookManager;
  readonly testWebhook: Delivery['test'];
  /** Throws RefusedError when the caller may no longer have what it was answered. */
  readonly recheck: (request: FastifyRequest) => Promise<void>;
  /** Why nothing can be stored now, for people; undefined = it can. */
  readonly storageFault: () => string | undefined;
  /** The public key that tasks are signed with. */
  readonly taskKey: () => Promise<string>;
  /** The JSON text of the answer. */
  readonly createBatches: (creation: BatchCreation) => Promise<string>;
  /** Called for each agent that a stored change concerns. */
  readonly deliver: (agentId: string) => Promise<void>;
};

export type ServerLimits = SocketLimits & {
  readonly bodyBytes: number;
  /** For an answer to be made. */
  readonly handlerMs: number;
  readonly rates: Rates;
  /** Of answers that wait for their readers. */
  readonly unsent: UnsentLimits;
};

export const DEFAULT_LIMITS: ServerLimits = {
  bodyBytes: 1024 * 1024,
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 72_000,
  connections: 10_000,
  handlerMs: 60_000,
  rates: { perWorkspace: 6_000, perStranger: 600, perCode: 60, perVisitor: 120 },
  unsent: UNSENT_LIMITS,
};

/** The web page, and whom it is for. */
export type PageSettings = {
  readonly enabled: boolean;
  /** People may have sessions beyond this host without TLS, because something else encrypts. */
  readonly allowPlain: boolean;
  /** Names beside those of this host that it may be asked by, such as that of a proxy. */
  readonly hosts: readonly string[];
};

export type ServerParts = {
  readonly admission: Admission;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** How integrators reach it, for the OpenAPI document. */
  readonly publicUrl?: string | undefined;
  readonly limits: ServerLimits;
  /** Of workspaces, shared with the other copies. */
  readonly budgets: Budgets;
  /** What accepts connections where there is TLS. */
  readonly front: TcpServer | undefined;
  readonly page: PageSettings;
  /**
   * Addresses and networks of the proxies in front of us: their header with the client's address counts, that of others
   * does not.
   */
  readonly trustProxy?: readonly string[];
  /** Hears of each request that was refused. */
  readonly onRefused?: (refusal: Refusal) => void;
};

/** The server without its routes: register them, then listen. */
export async function createServer(parts: ServerParts) {
  const { limits, log, trustProxy = [] } = parts;
  const app = fastify({
    serverFactory: (handler) => createHttpServer(handler, limits, parts.front),
    bodyLimit: limits.bodyBytes,
    handlerTimeout: limits.handlerMs,
    trustProxy: trustProxy.length === 0 ? false : [...trustProxy],
    requestIdHeader: false,
    genReqId: requestIdOf,
    forceCloseConnections: 'idle',
    // A request that came in before the server is closed is one under way.
    return503OnClosing: false,
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: (error, request, reply) => {
      const body = toErrorBody(error);
      reply.raw.writeHead(body.statusCode, {
        'content-type': 'application/json; charset=utf-8',
        'x-request-id': request.id,
      });
      reply.raw.end(JSON.stringify(body));
    },
    clientErrorHandler: (error, socket) => {
      if (!socket.writable || error.code === 'ECONNRESET') {
        socket.destroy();
        return;
      }
      const status = CLIENT_ERROR_STATUS[error.code] ?? 400;
      const requestId = randomUUID();
      log.info({ requestId, status, code: error.code }, 'request refused before it could be read');
      socket.end(rawError(status, requestId));
    },
    routerOptions: { querystringParser: parseQuery, maxParamLength: 200 },
    exposeHeadRoutes: true,
  }).withTypeProvider<ZodTypeProvider>();
  registerJsonBody(app);
  app.setValidatorCompiler(compileValidator);
  // Shapes of answers are declared for OpenAPI and checked in tests; checking a large list again on each request would
  // cost more than making it.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.setErrorHandler(createErrorHandler(log, (...refused) => parts.onRefused?.(toRefusal(...refused))));
  registerUnknownRoutes(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    // An answer is for the holder of the key, also where a cache in between does not know `x-api-key`; and it is never
    // a web page.
    reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      throw invalidRequest('header Host: received none, accepted: the host that is asked');
  });
  app.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', String(RETRY_AFTER_S));
  });
  registerTransfer(app);
  app.addHook('onResponse', async (request, reply) => logRequest(log, request, reply));
  await app.register(rateLimit, { global: false });
  // Its `parse` and `serialize`, which the session uses, work from here on; it adds no step to a request.
  await app.register(fastifyCookie, { hook: false });
  registerWorkspaceLimits(app, parts.budgets, limits.unsent, parts.clock);
  registerGuard(app, parts);
  registerUnknownParameters(app, log);
  await registerOpenApi(app, parts);
  return app;
}

/** Texts of other refusals repeat what was received, which may be a secret that stands in the wrong field. */
const toRefusal = (request: FastifyRequest, status: number, error: unknown): Refusal => ({
  status,
  code: error instanceof RefusedError ? error.code : undefined,
  message: error instanceof RefusedError && error.code.startsWith('auth.') ? error.message : undefined,
  route: `${request.method} ${request.routeOptions.url ?? '(none)'}`,
  address: request.ip,
  caller: callerOf(request),
  isAdmitted: request.getDecorator<unknown>('access') !== null,
});

/** What a client calls its request, where that can stand in a log and a header; else an id of ours. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && CLIENT_ID.test(given) ? given : randomUUID();
}
const CLIENT_ID = /^[\w.:/+=@-]{1,128}$/;

/** `name[]=a&name[]=b` and `name[0]=a&name[1]=b` mean the same as `name=a&name=b`. */
function parseQuery(text: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const [written, value] of Object.entries(parse(text))) {
    if (value === undefined) continue;
    const name = written.replace(/\[\d{0,5}\]$/, '');
    const before = query[name];
    query[name] = before === undefined ? value : [before, value].flat();
  }
  return query;
}

/**
 * Neither paths with parameters nor headers: keys and what people search for stay out of the log. Who has no good key,
 * or asks too often, is named by the address.
 */
function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const actor = callerOf(request)?.actor;
  const fields = {
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url ?? '(none)',
    status: reply.statusCode,
    elapsedMs: Math.round(reply.elapsedTime),
    ...(actor === undefined ? {} : { [actor.type === 'api_key' ? 'keyId' : 'user']: actor.id }),
    ...(reply.statusCode === 401 || reply.statusCode === 429 ? { address: request.ip } : {}),
  };
  if (request.routeOptions.url === '/healthz' || request.routeOptions.url === '/readyz') log.debug(fields, 'request');
  else log.info(fields, 'request');
}

const CLIENT_ERROR_STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

function rawError(status: number, requestId: string): string {
  const body = JSON.stringify(errorBody(status));
  return [
    `HTTP/1.1 ${status} ${errorBody(status).error}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
