// Puts the service together: store, server, uplinks, tasks. One object with a start, a stop, and what an administrator
// may do.
import type { Clock } from '../base/clock.ts';
import { createRound, type Part, startParts } from '../base/lifecycle.ts';
import type { Figures } from '../base/metrics/figures.ts';
import { createMetricsListener, type MetricsAddress } from '../base/metrics/listener.ts';
import { createAdmin } from './admin.ts';
import { createAgentConnections } from './agent-connections.ts';
import { createRefusalRecorder } from './audit/refusals.ts';
import { createTrailHead } from './audit/trail-head.ts';
import { createAuthSource } from './auth/authorise.ts';
import { keyNotDecrypted } from './auth/key-file.ts';
import { createVouchers } from './auth/vouchers.ts';
import { createBoards } from './board/boards.ts';
import { createClockWatch } from './clock-watch.ts';
import { createEventStreams } from './events/event-streams.ts';
import { recheckAccess } from './http/guard.ts';
import { readTls, type TlsFiles, type TlsMaterial } from './http/http-server.ts';
import { createBudgets } from './http/limits/budgets.ts';
import { createBudgetSharing } from './http/limits/shared-budgets.ts';
import { createLocalRequests } from './http/local-requests.ts';
import { createMetrics } from './http/metrics.ts';
import { toEventItem } from './http/pages/items.ts';
import { createPages } from './http/pages/pages.ts';
import { registerRoutes } from './http/routes.ts';
import { createServer, DEFAULT_LIMITS, type ServerLimits, type ServerParts } from './http/server.ts';
import { createListeners } from './listeners.ts';
import { createAgentPresence } from './notify/agent-presence.ts';
import { beginTime, createServiceClock, type ServiceClock } from './service-clock.ts';
import { openStorage, type Storage, type StorageOptions } from './storage.ts';
import {
  type ChassisStore,
  type ClockRepairs,
  type IngestStore,
  type LocationChangeStore,
  newId,
  type OperatorStore,
  type RackStore,
  type Store,
} from './store/store.ts';
import { createBatches } from './tasks/create.ts';
import { createSigner } from './tasks/signer.ts';
import { createAddressPolicy } from './webhooks/addresses.ts';
import { createDelivery } from './webhooks/delivery.ts';
import { createWebhookManager } from './webhooks/manage.ts';
import { createSender } from './webhooks/send.ts';

export { readTls, type TlsFiles };

export type ServiceOptions = Omit<ServerParts, 'source' | 'vouchers' | 'limits' | 'budgets' | 'tls'> &
  StorageOptions & {
    readonly host: string;
    /** 0 = any free one. */
    readonly port: number;
    /** Without it the service speaks plain HTTP, and belongs behind something that does not. */
    readonly tls?: TlsFiles | undefined;
    readonly limits?: ServerLimits;
    /**
     * From the start of a stop, when /readyz fails, until connections end: time for a load balancer to see it. Default:
     * 0.
     */
    readonly drainMs?: number | undefined;
    /** Where `/metrics` is served without a key; undefined where nothing or another part of the process listens. */
    readonly metricsAddress?: MetricsAddress | undefined;
    /** Networks, as CIDR, that webhooks may send to beside the public internet. Default: none. */
    readonly webhooks?: { readonly allowedNetworks: readonly string[] } | undefined;
    /** Digests of its settings by name: the audit trail says which of them changed since the last start. */
    readonly settings?: Readonly<Record<string, string>> | undefined;
    /** For tests of clocks: changes the time that the database server gives. */
    readonly databaseClock?: ((nowMs: number) => number) | undefined;
    /** How long ago this host started. Default: as the operating system reports it. */
    readonly hostUptimeMs?: (() => number) | undefined;
  };

export type Service = Awaited<ReturnType<typeof createService>>;

/** For each part, and for all of them. */
const STOP = { stopMs: 5_000, totalMs: 9_000 };
const PRUNE_MS = 3_600_000;
/** The purpose for which the first key is derived from the key file; changing it changes the key. */
const FIRST_KEY = 'pithead: first key of tasks';

/**
 * Reads the certificate, opens the store (throws when it cannot) and builds the rest; nothing listens before `start`.
 */
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

async function compose(
  options: ServiceOptions & { readonly clock: ServiceClock },
  hostClock: Clock,
  storage: Storage,
  tls: TlsMaterial | undefined,
) {
  const { store } = storage;
  const { clock, log, limits = DEFAULT_LIMITS, drainMs = 0 } = options;
  const time = { store: timeStoreOf(options, store), clock: hostClock, serviceClock: clock, log };
  const behindMs = await beginTime({ ...time, hostUptimeMs: options.hostUptimeMs });
  const { app, source, budgets, refusals, vouchers } = await createFront({ ...options, limits }, store, tls);
  const undecryptable = () => keyNotDecrypted(options.databasePath, options.keyFiles);
  const signer = createSigner(store.taskKeys, clock, { seed: store.vault?.derive(FIRST_KEY), undecryptable });
  // Before anything listens: a copy that cannot sign must not replace one that can.
  const taskKey = await signer.publicKey();
  await store.encryptPlaintext();
  log.info({ taskKey }, 'tasks are signed with this key');
  const metrics = createMetrics({
    ...{ tasks: store.tasks, backups: storage.backups, clock, version: options.version },
    connectedAgents: () => agents.uplinks.countConnected(),
  });
  const sharing = createBudgetSharing({ budgets, announce: (text) => agents.announceSpent(text), clock, log });
  const shown = createShown(options, store);
  const ingest = metrics.measureIngest(shown.note(store.ingest));
  const agents = createAgentConnections({ store, ingest, signer, onSpent: sharing.onSpent, clock, log });
  const { deliver } = agents;
  const closeStore = () => shown.close().then(storage.close);
  const eventWork = createEventWork(options, store);
  let isStopping = false;
  metrics.register(app);
  registerRoutes(app, {
    store: { ...store, ...notifyingStores(store, shown, agents.notifyOpsStatus) },
    ...shown.forRoutes,
    clock,
    isStopping: () => isStopping,
    ...eventWork.forRoutes,
    recheck: (request) => recheckAccess(source, request, clock.nowMs()),
    storageFault: storage.fault,
    taskKey: () => signer.publicKey(),
    createBatches: (request) =>
      createBatches(request, { batches: store.batches, askOutlook: agents.askOutlook, clock, newId, deliver }),
    deliver,
  });
  const { host, port, tls: tlsFiles, trustProxy = [] } = options;
  const isBehindProxy = trustProxy.length > 0;
  const listeners = createListeners(app, { host, port, limits, tls, tlsFiles, isBehindProxy, clock, log });
  for (const server of listeners.servers) agents.uplinks.attach(server);
  const clockWatch = createClockWatch({
    ...{ ...time, behindMs, onStep: metrics.noteClockStep, onDifference: metrics.noteClockDifference },
    onTaken: shown.clear,
    onCarried: ({ fromMs, toMs }) =>
      store.events.recordForService({ type: 'clock_stepped', atMs: toMs, detail: { step_ms: toMs - fromMs } }),
  });
  const parts: Part[] = [
    { name: 'store', start: () => {}, stop: closeStore },
    ...storage.parts,
    clockWatch,
    createTrailHead({ store, options, clock, log }),
    refusals,
    listeners.server,
    ...eventWork.parts,
    ...agents.parts,
    sharing,
    createRound('pruning', PRUNE_MS, () => store.prune(clockWatch.certainMs()), clock, log),
    ...listeners.outerParts,
    ...metricsListener(options, metrics.figures),
  ];
  let stopParts: (() => Promise<void>) | undefined;
  return {
    admin: createAdmin(store, clock, undecryptable),
    /** Requests of people of this host, passed on by the agent of the same process; from the start on. */
    local: createLocalRequests(app, vouchers, store.tenants),
    /** Of the process and of the service, for another listener of the same process. */
    figures: metrics.figures,
    /**
     * Of its embedded database: what stands in the way of storing, and the backups. `damaged` aborts when the service
     * has to end.
     */
    storage: { fault: storage.fault, damaged: storage.damaged, backups: storage.backups },
    /**
     * Listens; gives the address, with the port that was taken, and the plain one for this host alone (the same where
     * there is no TLS).
     */
    async start(): Promise<{ url: string; localUrl: string }> {
      stopParts = await startParts(parts, { ...STOP, onError: (message) => log.error({}, message) });
      return listeners.addresses();
    },
    /** Releases agents and requests in order. It can be called again; a second call while it drains ends the drain. */
    async stop(): Promise<void> {
      const drains = !isStopping && stopParts !== undefined && drainMs > 0;
      isStopping = true;
      if (drains) await clock.sleep(drainMs);
      agents.stopQuota();
      if (stopParts) return stopParts();
      stopParts = () => Promise.resolve();
      await app.close();
      await closeStore();
    },
  };
}

/** The server, and what it admits and refuses requests by. */
async function createFront(
  options: ServiceOptions & Pick<ServerParts, 'limits'>,
  { tenants, keys, audit }: Store,
  tls: TlsMaterial | undefined,
) {
  const { clock, log, limits } = options;
  const source = createAuthSource(tenants, keys, log);
  const vouchers = createVouchers();
  const budgets = createBudgets(clock, limits.rates.perWorkspace);
  const refusals = createRefusalRecorder({ record: audit.record, clock, log });
  const app = await createServer({ ...options, source, vouchers, budgets, tls, onRefused: refusals.note });
  return { app, source, budgets, refusals, vouchers };
}

/** What lists are made of; `clear` = clients have changed miners, which shows in the next answer. */
function createShown({ databasePath, clock }: ServiceOptions, store: Store) {
  const pages = createPages(databasePath, store, clock);
  const { board, agents, messages } = store;
  const boards = createBoards({ store: board, hasCopies: messages.hasCopies, statusAt: agents.statusAt, clock });
  return {
    forRoutes: { pages, boards },
    /** The same store, and what it has stored is known here. */
    note: (ingest: IngestStore): IngestStore => ({
      ...ingest,
      async storeSlice(slice) {
        const outcome = await ingest.storeSlice(slice);
        if (outcome.kind === 'stored') boards.stored(slice.farmId, outcome.rowIds);
        return outcome;
      },
      async showLive(report) {
        const outcome = await ingest.showLive(report);
        boards.stored(report.farmId, outcome.rowIds);
        return outcome;
      },
    }),
    close: pages.thread.close,
    clear() {
      pages.cache.clear();
      boards.refreshNext();
    },
  };
}

/** What reads, makes and sends events beside requests. */
function createEventWork(
  { webhooks: { allowedNetworks } = NO_NETWORKS, clock, log, version }: ServiceOptions,
  store: Store,
) {
  const { events, check } = store;
  const streams = createEventStreams({ events, clock, log });
  const addresses = createAddressPolicy(allowedNetworks);
  const sender = createSender({ addresses, version, clock });
  const sending = { store: store.webhookDelivery, sender, render: toEventItem, random: Math.random };
  const delivery = createDelivery({ ...sending, clock, log });
  const webhooks = createWebhookManager({ store, clock, problemOf: addresses.problemOf });
  const presence = createAgentPresence({ events, check, clock, log });
  const forRoutes = { streams, webhooks, testWebhook: delivery.test };
  return { forRoutes, parts: [streams.part, presence, delivery.part] };
}

const NO_NETWORKS = { allowedNetworks: [] };

function metricsListener({ metricsAddress: address, clock, log }: ServiceOptions, figures: readonly Figures[]): Part[] {
  return address === undefined ? [] : [createMetricsListener({ address, figures, clock, log })];
}

function timeStoreOf({ databaseClock = (ms) => ms }: ServiceOptions, { clock }: Store): ClockRepairs {
  const { sharedNowMs } = clock;
  return { ...clock, sharedNowMs: sharedNowMs && (async () => databaseClock(await sharedNowMs())) };
}

/** A change to miners shows in the next list, and their agents are notified. */
function notifyingStores(
  { operators, locationChanges, chassis, racks }: Store,
  shown: { clear(): void },
  notifyOpsStatus: (agentId: string) => void,
) {
  const noted = async <T extends { readonly kind: string; readonly agentIds?: readonly string[] }>(
    work: Promise<T>,
  ) => {
    const outcome = await work;
    shown.clear();
    for (const agentId of outcome.agentIds ?? []) notifyOpsStatus(agentId);
    return outcome;
  };
  const cleared = <T>(work: Promise<T>) => work.finally(() => shown.clear());
  return {
    racks: {
      ...racks,
      putRack: (change) => cleared(racks.putRack(change)),
      removeRack: (request) => cleared(racks.removeRack(request)),
    } satisfies RackStore,
    operators: { ...operators, edit: (request) => noted(operators.edit(request)) } satisfies OperatorStore,
    locationChanges: {
      ...locationChanges,
      undo: (request) => noted(locationChanges.undo(request)),
    } satisfies LocationChangeStore,
    chassis: { join: (request) => noted(chassis.join(request)) } satisfies ChassisStore,
  };
}
