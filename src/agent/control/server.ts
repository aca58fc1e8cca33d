// The HTTP server of the control socket: its routes, and the bounds on what a caller may send and hold. The socket's
// file rights say who may call.
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, fastify, LogController } from 'fastify';
import { validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Clock } from '../../base/clock.ts';
import { ConfigError, PeerError, RefusedError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { boundConnections } from '../../base/net/bounded-connections.ts';
import { connectionsWithin, openFileLimit } from '../../base/platform/fd-limit.ts';
import { boardSearchSchema } from '../../wire/api/board/messages.ts';
import type { ControlHandlers } from './control-handlers.ts';
import { auditedRoute } from './handlers/service-requests.ts';
import {
  abortRequestSchema,
  addressRequestSchema,
  batchParamsSchema,
  cancelRequestSchema,
  captureRequestSchema,
  runRequestSchema,
  SERVICE_STATUS_HEADER,
  type ShownCapture,
  type Step,
  scanRequestSchema,
  serviceRequestSchema,
  settleRequestSchema,
  stopRequestSchema,
  tasksQuerySchema,
  USER_HEADER,
} from './messages.ts';
import { createStreams } from './streams.ts';

/** Room for the keys, or for a selector that names each, of thousands of miners. */
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_CONNECTIONS = 128;
/** For a request to arrive whole. */
const REQUEST_MS = 5_000;
const IDLE_MS = 5_000;
const STOPPING = 'stopping';
/** For the last lines to be taken when the agent stops. */
const CLOSE_MS = 500;
/** For one look at one address, and for a log. */
const LOOK_MS = 60_000;
const LOG_MS = 120_000;
/** For an answer of the service to be taken whole. */
const SERVICE_MS = 120_000;
/** The largest that the service takes is a file of 8 MiB, which may be longer as JSON. */
const MAX_SERVICE_BODY_BYTES = 17 * 1024 * 1024;

export async function createControlServer(parts: {
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: () => string;
  readonly handlers: ControlHandlers;
  /** A caller wants something done; `user` as it says of itself. */
  readonly onCall?: (call: { readonly route: string; readonly user: string }) => void;
}) {
  const { log, handlers } = parts;
  const server = createHttpServer({
    headersTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    connectionsCheckingInterval: REQUEST_MS / 5,
  });
  boundConnections(server, connectionsWithin(MAX_CONNECTIONS, openFileLimit()), { upgrades: false });
  const streams = createStreams(parts);
  const app = fastify({
    serverFactory: (handler) => server.on('request', handler),
    bodyLimit: MAX_BODY_BYTES,
    logController: new LogController({ disableRequestLogging: true }),
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.setNotFoundHandler((_request, reply) => {
    reply.code(404).send({ code: 'not-found', error: 'the running agent does not know this request' });
  });
  app.setErrorHandler((error, _request, reply) => {
    const { status, ...body } = answerTo(error);
    if (status === 500) log.error({ cause: renderError(error) }, 'answer at the control socket');
    reply.code(status).send(body);
  });

  let isStopping = false;
  app.addHook('onRequest', async () => {
    if (isStopping) throw new RefusedError(STOPPING, 'the agent stops');
  });

  app.addHook('preHandler', noteCall(parts.onCall));
  app.get('/state', () => handlers.state());
  app.get('/tasks', { schema: { querystring: tasksQuerySchema } }, ({ query }) => ({
    ...handlers.tasks(query.limit, query.open !== undefined),
  }));
  app.post('/tasks/preview', { schema: { body: runRequestSchema } }, ({ body }, { raw }) =>
    handlers.preview(body, whileHeard(raw, LOOK_MS)),
  );
  app.post('/tasks/run', { schema: { body: runRequestSchema } }, ({ body, headers }, reply) =>
    streams.answer(reply, async (write, signal) => {
      const onStep = (step: Step) => write({ type: 'step', step });
      const end = await handlers.run(body, onStep, signal, userOf(headers[USER_HEADER]));
      write({ type: 'end', ...end });
    }),
  );
  app.get('/tasks/batches/:id', { schema: { params: batchParamsSchema } }, ({ params }) => handlers.batch(params.id));
  app.post('/tasks/cancel', { schema: { body: cancelRequestSchema } }, ({ body }) => ({
    given_up: handlers.cancel(body.task_ids),
  }));
  app.post('/tasks/abort', { schema: { body: abortRequestSchema } }, ({ body }) => ({
    given_up: handlers.abortAll(body.reason),
  }));
  app.post('/scan', { schema: { body: scanRequestSchema } }, ({ body }, reply) =>
    streams.answer(reply, async (write, signal) => {
      const account = await handlers.scan(
        body,
        {
          onUnderstood: (text) => write({ type: 'understood', text }),
          onFound: (found) => write({ type: 'found', found }),
          onProgress: (done, total, identified) => write({ type: 'progress', done, total, identified }),
        },
        signal,
      );
      write({ type: 'account', account });
    }),
  );
  registerLooks(app, handlers, streams);
  app.post('/reload', () => handlers.reload());
  app.post('/stop', { schema: { body: stopRequestSchema } }, ({ body }) => ({ stopped: streams.stop(body.id) }));
  registerService(app, handlers);
  await app.ready();
  return {
    server,
    /** Ends what is under way, and answers nothing any more. */
    stop() {
      isStopping = true;
      return streams.stopAll();
    },
    async close() {
      const cutOff = parts.clock.after(CLOSE_MS, () => server.closeAllConnections());
      await new Promise<void>((resolve) => server.close(() => resolve()));
      cutOff();
      await app.close();
    },
  };
}

type App = FastifyInstance<Server, IncomingMessage, ServerResponse, FastifyBaseLogger, ZodTypeProvider>;

/** At single miners: what is known of them, what they say, and what is recorded of them. */
function registerLooks(app: App, handlers: ControlHandlers, streams: ReturnType<typeof createStreams>): void {
  app.post('/board', { schema: { body: boardSearchSchema } }, ({ body }) => handlers.board(body));
  app.get('/identities', () => handlers.identities());
  app.post('/identities/settle', { schema: { body: settleRequestSchema } }, async ({ body }, { raw }) => ({
    settled: await handlers.settle(body, whileHeard(raw, LOG_MS)),
  }));
  app.post('/look', { schema: { body: addressRequestSchema } }, ({ body }, { raw }) =>
    handlers.look(body.ip, whileHeard(raw, LOOK_MS)),
  );
  app.post('/log', { schema: { body: addressRequestSchema } }, async ({ body }, { raw }) => ({
    text: await handlers.log(body.ip, whileHeard(raw, LOG_MS)),
  }));
  app.post('/capture', { schema: { body: captureRequestSchema } }, ({ body }, reply) =>
    streams.answer(reply, async (write, signal) => {
      const onAsked = (done: number, total: number, note: string) => write({ type: 'asked', done, total, note });
      const found = await handlers.capture(body, onAsked, signal);
      for (const [name, text] of found?.files ?? []) write({ type: 'file', name, text });
      write({ type: 'captured', capture: found === undefined ? null : captureOf(found) });
    }),
  );
}

/** The status of the service stands in a header of its own: others than 200 are refusals of this agent. */
function registerService(app: App, handlers: Pick<ControlHandlers, 'service'>): void {
  const options = { schema: { body: serviceRequestSchema }, bodyLimit: MAX_SERVICE_BODY_BYTES };
  app.post('/service', options, async ({ body, headers }, reply) => {
    const answer = await handlers.service(body, userOf(headers[USER_HEADER]), whileHeard(reply.raw, SERVICE_MS));
    reply.header(SERVICE_STATUS_HEADER, answer.status);
    return reply.type(answer.contentType || 'application/octet-stream').send(answer.body);
  });
}

/** What only looks is none of the audit trail's. */
const noteCall =
  (onCall: ((call: { readonly route: string; readonly user: string }) => void) | undefined) =>
  async ({ method, routeOptions: { url = '' }, headers, body }: FastifyRequest) => {
    if (method !== 'POST' || LOOKS.has(url)) return;
    const asked = url === '/service' ? serviceRequestSchema.safeParse(body).data : undefined;
    const route = asked === undefined ? url : auditedRoute(asked);
    if (route !== undefined) onCall?.({ route, user: userOf(headers[USER_HEADER]) });
  };
const LOOKS: ReadonlySet<string> = new Set(['/board', '/tasks/preview', '/look', '/stop']);

const MAX_USER = 64;
const userOf = (said: string | string[] | undefined) =>
  (typeof said === 'string' && said.slice(0, MAX_USER)) || 'unknown';

const captureOf = ({ case: about, driver, isLoginRefused, loginWall }: ShownCapture) => ({
  case: about,
  is_login_refused: isLoginRefused,
  ...(driver !== undefined && { driver }),
  ...(loginWall !== undefined && { login_wall: loginWall }),
});

/** Aborts when the caller goes, and after `limitMs`; after the answer too, when nothing hears it any more. */
function whileHeard(response: ServerResponse, limitMs: number): AbortSignal {
  const gone = new AbortController();
  // Not of the connection: one serves many requests.
  response.once('close', () => gone.abort('the caller has gone'));
  return AbortSignal.any([gone.signal, AbortSignal.timeout(limitMs)]);
}

function answerTo(error: unknown) {
  if (error instanceof RefusedError)
    return { status: error.code === STOPPING ? 503 : 409, code: error.code, error: error.message };
  if (error instanceof ConfigError)
    return { status: 422, code: error.code, error: error.message, problems: error.problems };
  if (error instanceof PeerError) return { status: 502, code: error.code, error: error.message };
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' && error.statusCode < 500)
    return { status: error.statusCode, code: 'wrong-request', error: error.message };
  return { status: 500, code: 'internal', error: 'the agent itself failed; see its log' };
}
