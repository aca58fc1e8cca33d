// Puts the service together: store, server, uplinks, tasks. One object with a start, a stop, and what an administrator may do.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as SecureServer } from 'node:https';
import type { Clock } from '../base/clock.ts';
import { BugError, renderError } from '../base/errors.ts';
import { createRound, type Part, startParts } from '../base/lifecycle.ts';
import { createAdmin } from './admin.ts';
import { createAuthSource } from './auth/authorise.ts';
import { keyNotOpened } from './auth/key-file.ts';
import { createClockWatch } from './clock-watch.ts';
import { createHttpServer, createRenewal, readTls, type TlsFiles, type TlsMaterial } from './http/http-server.ts';
import { createMetrics } from './http/metrics.ts';
import { registerRoutes } from './http/routes.ts';
import { type App, createServer, DEFAULT_LIMITS, type ServerLimits, type ServerParts } from './http/server.ts';
import { createPageCache } from './http/shared/page-cache.ts';
import { createClockNotes } from './ingest/clock-notes.ts';
import { createIngestQuota } from './ingest/quota.ts';
import { createUplinks } from './ingest/uplink.ts';
import { type ClusterNotifier, createClusterNotifier } from './notify/cluster-notifier.ts';
import { createOpsStatusNotifier, type OpsStatusNotifier } from './notify/ops-status-notifier.ts';
import { beginTime, createServiceClock, type ServiceClock } from './service-clock.ts';
import { openStorage, type Storage, type StorageOptions } from './storage.ts';
import { type ClockRepairs, newId, type OperatorStore } from './store/store.ts';
import { createBatches } from './tasks/create.ts';
import { createTaskDispatcher, type TaskDispatcher } from './tasks/dispatcher.ts';
import { createSigner } from './tasks/signer.ts';

export { readTls, type TlsFiles };

export type ServiceOptions = Omit<ServerParts, 'source' | 'limits' | 'tls'> &
  StorageOptions & {
    readonly host: string;
    /** 0 = any free one. */
    readonly port: number;
    /** Without it the service speaks plain HTTP, and belongs behind something that does not. */
    readonly tls?: TlsFiles | undefined;
    readonly limits?: ServerLimits;
    /** Between not being ready and the end of anything, for those who send requests here to look. Default: 0. */
    readonly drainMs?: number | undefined;
    /** What stands in for the clock of a database server, given what that says, where clocks are tried out. */
    readonly databaseClock?: ((nowMs: number) => number) | undefined;
    /** How long ago this host started. Default: what it says. */
    readonly hostUptimeMs?: (() => number) | undefined;
  };

export type Service = Awaited<ReturnType<typeof createService>>;

/** Of each part, and of all; requests under way get the shorter time to be answered. */
const STOP = { stopMs: 5_000, totalMs: 9_000, answerMs: 4_000 };
const PRUNE_MS = 3_600_000;
const RENEW_MS = 60_000;
/** What the key file is asked for. */
const FIRST_KEY = 'pithead: first key of orders';
const PAGE_CACHE = { minBytes: 256 * 1024, maxBytes: 128 * 1024 * 1024 };

/** Reads the certificate, opens the store (throws when it cannot) and builds the rest; nothing listens before `start`. */
export async function createService(options: ServiceOptions) {
  const secured = options.tls && readTls(options.tls);
  if (secured !== undefined && secured.expiresAtMs <= options.clock.nowMs())
    options.log.warn({ certFile: options.tls?.certFile }, 'the certificate has expired: clients will refuse it');
  const clock = createServiceClock(options.clock);
  const storage = await openStorage({ ...options, clock });
  try {
    return await compose({ ...options, clock }, options.clock, storage, secured?.material);
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** No new requests, answers to those under way, and an end to those that take too long. */
async function closeServer(app: App, local: Server | undefined, clock: Clock): Promise<void> {
  const cancel = clock.after(STOP.answerMs, () => {
    app.server.closeAllConnections();
    local?.closeAllConnections();
  });
  const localClosed = local?.listening ? new Promise((resolve) => local.close(resolve)) : undefined;
  await app.close();
  await localClosed;
  cancel();
}

/** On a free port of the loopback. */
async function listenLocally(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new BugError('listen on the loopback: no port');
  return `http://127.0.0.1:${address.port}`;
}

async function compose(
  options: ServiceOptions & { readonly clock: ServiceClock },
  hostClock: Clock,
  storage: Storage,
  tls: TlsMaterial | undefined,
) {
  const { store } = storage;
  const { clock, log, host, port, limits = DEFAULT_LIMITS, drainMs = 0, databaseClock = (ms) => ms } = options;
  const { sharedNowMs } = store.clock;
  const timeStore: ClockRepairs = {
    ...store.clock,
    sharedNowMs: sharedNowMs && (async () => databaseClock(await sharedNowMs())),
  };
  const time = { store: timeStore, clock: hostClock, serviceClock: clock, log };
  const behindMs = await beginTime({ ...time, hostUptimeMs: options.hostUptimeMs });
  const app = await createServer({
    ...options,
    source: createAuthSource(store.tenants, store.keys, log),
    limits,
    tls,
  });
  const unopened = () => keyNotOpened(options.databasePath, options.keyFiles);
  const signer = createSigner(store.taskKeys, clock, { seed: store.vault?.derive(FIRST_KEY), unopened });
  // Whoever cannot sign must not take the place of a copy that can.
  const taskKey = await signer.publicKey();
  await store.encryptPlaintext();
  log.info({ taskKey }, 'orders are signed with this key');
  const metrics = createMetrics({
    tasks: store.tasks,
    connectedAgents: () => uplinks.countConnected(),
    backups: storage.backups,
    clock,
    version: options.version,
  });
  const quota = createIngestQuota({ ingest: store.ingest, clock, log });
  const uplinks = createUplinks({
    agents: store.agents,
    ingest: metrics.measureIngest(store.ingest),
    quota,
    links: store.links,
    beginSigning: (connection) => signer.begin(connection),
    announceLink: (agentId) => clusterNotifier.announceLink(agentId),
    noteClock: createClockNotes({ events: store.events, clock, log }),
    clock,
    log,
    onReady: async (agentId) => {
      await opsStatusNotifier.resend(agentId);
      await dispatcher.deliverAll(agentId);
    },
    onTaskReceived: (agentId, taskId) => dispatcher.received(agentId, taskId),
  });
  const dispatcher: TaskDispatcher = createTaskDispatcher({
    tasks: store.tasks,
    send: (agentId, frame) => uplinks.send(agentId, frame),
    hasRoom: (agentId) => uplinks.hasRoom(agentId),
    clock,
    log,
  });
  const opsStatusNotifier: OpsStatusNotifier = createOpsStatusNotifier({
    store: store.opsStatus,
    send: (agentId, frame) => uplinks.send(agentId, frame),
    connected: () => uplinks.connectedIds(),
    clock,
    log,
  });
  const clusterNotifier: ClusterNotifier = createClusterNotifier({
    messages: store.messages,
    log,
    onTasks: (agentId) => dispatcher.deliver(agentId),
    onLink: (agentId) => uplinks.yieldReplaced(agentId),
    onOps: (agentId) => opsStatusNotifier.notify(agentId),
    onGap: async () => {
      await uplinks.yieldReplaced();
      await dispatcher.deliverToEach();
      await opsStatusNotifier.notifyAll();
    },
  });
  const warnOf = (agentId: string, what: string) => (error: unknown) =>
    log.warn({ agentId, error: renderError(error) }, what);
  /** New tasks of the agent are stored: it may be connected here or elsewhere. */
  const deliver = async (agentId: string) => {
    clusterNotifier.announceTasks(agentId);
    // They are stored: what fails now is no failure of the request, and the sweep delivers them.
    await dispatcher.deliver(agentId).catch(warnOf(agentId, 'deliver tasks to an agent'));
  };
  let isStopping = false;
  const pages = createPageCache(clock, PAGE_CACHE);
  /** A change to miners shows in the next list, and their agents are notified. */
  const operators: OperatorStore = {
    ...store.operators,
    async edit(request) {
      const outcome = await store.operators.edit(request);
      pages.clear();
      for (const agentId of outcome.kind === 'done' ? outcome.agentIds : []) {
        clusterNotifier.announceOps(agentId);
        opsStatusNotifier.notify(agentId).catch(warnOf(agentId, 'send ops status to an agent'));
      }
      return outcome;
    },
  };
  metrics.register(app);
  registerRoutes(app, {
    store: { ...store, operators },
    pages,
    clock,
    isStopping: () => isStopping,
    storageFault: storage.fault,
    taskKey: () => signer.publicKey(),
    createBatches: (order) => createBatches(order, { batches: store.batches, clock, newId, deliver }),
    deliver,
  });
  uplinks.attach(app.server);
  const clockWatch = createClockWatch({
    ...time,
    behindMs,
    onStep: metrics.noteClockStep,
    onTaken: pages.clear,
    onCarried: ({ fromMs, toMs }) =>
      store.events.recordForService({ type: 'clock_stepped', atMs: toMs, detail: { step_ms: toMs - fromMs } }),
    onDifference: metrics.noteClockDifference,
  });

  const local =
    tls === undefined
      ? undefined
      : createHttpServer((request, reply) => app.routing(request, reply), limits, undefined);
  if (local !== undefined) uplinks.attach(local);

  let url = '';
  let localUrl = '';
  const parts: Part[] = [
    { name: 'store', start: () => {}, stop: storage.close },
    ...storage.parts,
    clockWatch,
    {
      name: 'server',
      start: async () => {
        const address = await app.listen({ host, port });
        url = tls === undefined ? address : address.replace(/^http:/, 'https:');
        localUrl = local === undefined ? url : await listenLocally(local);
      },
      stop: () => closeServer(app, local, clock),
    },
    { ...dispatcher, name: 'task dispatcher' },
    { ...opsStatusNotifier, name: 'ops status notifier' },
    { ...clusterNotifier, name: 'cluster notifier' },
    { ...uplinks, name: 'uplinks' },
    createRound('pruning', PRUNE_MS, () => store.prune(clockWatch.certainMs()), clock, log),
  ];
  if (options.tls !== undefined && tls !== undefined && app.server instanceof SecureServer) {
    const renew = createRenewal(options.tls, app.server, tls, log);
    parts.push(createRound('renewing the certificate', RENEW_MS, renew, clock, log));
  }
  let stopParts: (() => Promise<void>) | undefined;
  return {
    admin: createAdmin(store, clock, unopened),
    /** Of its embedded database: what stands in the way of storing, and the backups. `damaged` aborts when the service has to end. */
    storage: { fault: storage.fault, damaged: storage.damaged, backups: storage.backups },
    /** Listens; gives the address, with the port that was taken, and the plain one for this host alone (the same where there is no TLS). */
    async start(): Promise<{ url: string; localUrl: string }> {
      stopParts = await startParts(parts, { ...STOP, onError: (message) => log.error({}, message) });
      return { url, localUrl };
    },
    /** Lets go of agents and requests in order; idempotent, and who asks again while it drains has it end at once. */
    async stop(): Promise<void> {
      const drains = !isStopping && stopParts !== undefined && drainMs > 0;
      isStopping = true;
      if (drains) await clock.sleep(drainMs);
      quota.stop();
      if (stopParts) return stopParts();
      stopParts = () => Promise.resolve();
      await app.close();
      await storage.close();
    },
  };
}
