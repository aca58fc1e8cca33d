// Puts the service together: store, server, uplinks, tasks. One object with a start, a stop, and what an administrator
// may do.
import type { Clock } from '../base/clock.ts';
import { createRound, type Part, startParts } from '../base/lifecycle.ts';
import type { Figures } from '../base/metrics/figures.ts';
import { createMetricsListener, type MetricsAddress } from '../base/metrics/listener.ts';
import type { SecondPersonAct } from '../model/tasks/task-kinds.data.ts';
import { createAdmin } from './admin.ts';
import { createAgentConnections } from './agent-connections.ts';
import { createRefusalRecorder } from './audit/refusals.ts';
import { createTrailHead } from './audit/trail-head.ts';
import { createAdmission } from './auth/admission.ts';
import { createAuthSource } from './auth/authorise.ts';
import { keyNotDecrypted } from './auth/key-file.ts';
import { createVouchers } from './auth/vouchers.ts';
import { createBoards } from './board/boards.ts';
import { createBoardStreams } from './board/stream/streams.ts';
import { type OwnTls, openTls } from './certificates/open-tls.ts';
import { readTls } from './certificates/tls-material.ts';
import { createClockWatch } from './clock-watch.ts';
import { createEventStreams } from './events/event-streams.ts';
import { recheckAccess } from './http/guard.ts';
import { createBudgets } from './http/limits/budgets.ts';
import { createBudgetSharing } from './http/limits/shared-budgets.ts';
import { createLocalRequests } from './http/local-requests.ts';
import { createMetrics } from './http/metrics.ts';
import { toEventItem } from './http/pages/items.ts';
import { createPages } from './http/pages/pages.ts';
import { registerRoutes } from './http/routes.ts';
import { createServer, DEFAULT_LIMITS, type PageSettings, type ServerLimits, type ServerParts } from './http/server.ts';
import { createFront as createTlsFront } from './http/tls-front.ts';
import { createUpgrades } from './http/upgrade/upgrade.ts';
import { createListeners, type TlsParts } from './listeners.ts';
import { createAgentPresence } from './notify/agent-presence.ts';
import { createKeyManager } from './people/manage-keys.ts';
import { createPeople } from './people/people.ts';
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

export { readTls };

export type ServiceOptions = Omit<ServerParts, 'admission' | 'limits' | 'budgets' | 'front' | 'page'> &
  StorageOptions & {
    readonly host: string;
    /** 0 = any free one. */
    readonly port: number;
    /** Without it the service speaks plain HTTP, and belongs behind something that does not. */
    readonly tls?: OwnTls | undefined;
    /** Default: it is there, for this host or with TLS. */
    readonly page?: PageSettings | undefined;
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
    /** Tasks that wait until another person has confirmed them. Default: none. */
    readonly secondPerson?: readonly SecondPersonAct[] | undefined;
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
  const { log, keyFiles } = options;
  const source = options.tls && (await openTls(options.tls, { keyFile: keyFiles?.own, clock: options.clock, log }));
  const clock = createServiceClock(options.clock);
  const storage = await openStorage({ ...options, clock });
  try {
    const tls = source && { front: createTlsFront(), source };
    return await compose({ ...options, clock }, options.clock, storage, tls);
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function compose(
  options: ServiceOptions & { readonly clock: ServiceClock },
  hostClock: Clock,
  storage: Storage,
  tls: TlsParts | undefined,
) {
  const { store } = storage;
  const { clock, log, limits = DEFAULT_LIMITS, drainMs = 0 } = options;
  const time = { store: timeStoreOf(options, store), clock: hostClock, serviceClock: clock, log };
  const behindMs = await beginTime({ ...time, hostUptimeMs: options.hostUptimeMs });
  const front = await createFront({ ...options, limits }, store, tls?.front);
  const { app, upgrades, admission, budgets, refusals, vouchers } = front;
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
  const people = createPeople({ store, clock, announce: (id) => agents.announcePerson(id) });
  const { boards, boardStreams } = shown.forRoutes;
  const heard = { onSpent: sharing.onSpent, onPerson: people.notifier.notify, onBoard: boards.changedElsewhere };
  const agents = createAgentConnections({ store, ingest, signer, ...heard, clock, log });
  const closeStore = () => shown.close().then(storage.close);
  const eventWork = createEventWork(options, store);
  for (const { recheckOf } of [eventWork.forRoutes.streams, boardStreams]) people.notifier.onEnded(recheckOf);
  let isStopping = false;
  metrics.register(app);
  registerRoutes(app, {
    ...{ version: options.version, page: options.page ?? PAGE },
    farmAuthority: () => tls?.source.farm?.trusted(),
    store: { ...store, ...notifyingStores(store, shown, agents) },
    ...shown.forRoutes,
    ...{ upgrades, clock },
    isStopping: () => isStopping,
    ...eventWork.forRoutes,
    ...people.forRoutes,
    keys: createKeyManager({ store, clock }),
    recheck: (request) => recheckAccess(admission, request),
    storageFault: storage.fault,
    taskKey: () => signer.publicKey(),
    createBatches: (request) =>
      createBatches(request, { batches: store.batches, ...agents, clock, newId, secondPerson: options.secondPerson }),
    deliver: agents.deliver,
  });
  const { host, port, trustProxy = [] } = options;
  const listeners = createListeners(app, { host, port, limits, tls, isBehindProxy: trustProxy.length > 0, clock, log });
  for (const { attach } of [agents.uplinks, upgrades]) attach(app.server, app);
  const clockWatch = watchClock({ ...time, behindMs }, { metrics, onTaken: shown.clear, events: store.events });
  const parts: Part[] = [
    { name: 'store', start: () => {}, stop: closeStore },
    ...storage.parts,
    clockWatch,
    createTrailHead({ store, options, clock, log }),
    refusals,
    listeners.server,
    ...eventWork.parts,
    boardStreams.part,
    ...agents.parts,
    sharing,
    createRound('pruning', PRUNE_MS, () => store.prune(clockWatch.certainMs()), clock, log),
    ...listeners.outerParts,
    ...metricsListener(options, metrics.figures),
  ];
  const run = createRun(parts, {
    addresses: listeners.addresses,
    onError: (message) => log.error({}, message),
    onStop: () => {
      isStopping = true;
    },
    drain: () => (drainMs > 0 ? clock.sleep(drainMs) : undefined),
    onDrained: agents.stopQuota,
    // Of a service that was never started.
    close: () => app.close().then(closeStore),
  });
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
    start: run.start,
    stop: run.stop,
  };
}

type RunParts = {
  readonly addresses: () => { readonly url: string; readonly localUrl: string };
  readonly onError: (message: string) => void;
  readonly onStop: () => void;
  /** Resolves when connections may end. */
  readonly drain: () => Promise<void> | undefined;
  readonly onDrained: () => void;
  readonly close: () => Promise<void>;
};

function createRun(parts: readonly Part[], { addresses, onError, onStop, drain, onDrained, close }: RunParts) {
  let stopParts: (() => Promise<void>) | undefined;
  let isStopping = false;
  return {
    /**
     * Listens; gives the address, with the port that was taken, and the plain one for this host alone (the same where
     * there is no TLS).
     */
    async start(): Promise<{ url: string; localUrl: string }> {
      stopParts = await startParts(parts, { ...STOP, onError });
      return addresses();
    },
    /** Releases agents and requests in order. It can be called again; a second call while it drains ends the drain. */
    async stop(): Promise<void> {
      const drains = !isStopping && stopParts !== undefined;
      isStopping = true;
      onStop();
      if (drains) await drain();
      onDrained();
      if (stopParts !== undefined) return stopParts();
      stopParts = () => Promise.resolve();
      await close();
    },
  };
}

function watchClock(
  time: Omit<Parameters<typeof createClockWatch>[0], 'onStep' | 'onDifference' | 'onTaken' | 'onCarried'>,
  heard: {
    readonly metrics: Pick<ReturnType<typeof createMetrics>, 'noteClockStep' | 'noteClockDifference'>;
    readonly onTaken: () => void;
    readonly events: Pick<Store['events'], 'recordForService'>;
  },
) {
  const { metrics, onTaken, events } = heard;
  return createClockWatch({
    ...{ ...time, onStep: metrics.noteClockStep, onDifference: metrics.noteClockDifference, onTaken },
    onCarried: ({ fromMs, toMs }) =>
      events.recordForService({ type: 'clock_stepped', atMs: toMs, detail: { step_ms: toMs - fromMs } }),
  });
}

/** The server with its upgrades, and what it admits and refuses requests by. */
async function createFront(
  options: ServiceOptions & Pick<ServerParts, 'limits'>,
  { tenants, keys, people, audit }: Store,
  front: TlsParts['front'] | undefined,
) {
  const { clock, log, limits, page = PAGE } = options;
  const vouchers = createVouchers();
  const admission = createAdmission({
    ...{ ...options, page, vouchers },
    source: createAuthSource(tenants, keys, people, log),
  });
  const budgets = createBudgets(clock, limits.rates.perWorkspace);
  const refusals = createRefusalRecorder({ record: audit.record, clock, log });
  const app = await createServer({ ...options, page, admission, budgets, front, onRefused: refusals.note });
  return { app, upgrades: createUpgrades(), admission, budgets, refusals, vouchers };
}

const PAGE: PageSettings = { enabled: true, allowPlain: false, hosts: [] };

/** What lists are made of; `clear` = clients have changed miners, which shows in the next answer. */
function createShown({ databasePath, clock, log }: ServiceOptions, store: Store) {
  const pages = createPages(databasePath, store, clock);
  const { board, agents, messages } = store;
  const boards = createBoards({ store: board, hasCopies: messages.hasCopies, statusAt: agents.statusAt, clock });
  return {
    forRoutes: { pages, boards, boardStreams: createBoardStreams({ boards, clock, log }) },
    /** The same store, and what it has stored is known here. */
    note: (ingest: IngestStore): IngestStore => ({
      ...ingest,
      async storeSlice(slice) {
        const outcome = await ingest.storeSlice(slice);
        if (outcome.kind === 'stored') boards.stored(slice.farmId, outcome.changed);
        return outcome;
      },
      async showLive(report) {
        const outcome = await ingest.showLive(report);
        boards.stored(report.farmId, outcome.changed);
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

/** A change to miners shows in the next list, here and on other copies, and their agents are notified. */
function notifyingStores(
  { operators, locationChanges, chassis, racks }: Store,
  shown: { clear(): void },
  { announceBoard, notifyOpsStatus }: { announceBoard(farmId: string): void; notifyOpsStatus(agentId: string): void },
) {
  type OfFarm = { readonly farmId: string };
  const cleared = async <T>({ farmId }: OfFarm, work: Promise<T>) => {
    try {
      return await work;
    } finally {
      shown.clear();
      announceBoard(farmId);
    }
  };
  const noted = async <T extends { readonly kind: string; readonly agentIds?: readonly string[] }>(
    request: OfFarm,
    work: Promise<T>,
  ) => {
    const outcome = await cleared(request, work);
    for (const agentId of outcome.agentIds ?? []) notifyOpsStatus(agentId);
    return outcome;
  };
  return {
    racks: {
      ...racks,
      putRack: (change) => cleared(change, racks.putRack(change)),
      removeRack: (request) => cleared(request, racks.removeRack(request)),
    } satisfies RackStore,
    operators: { ...operators, edit: (request) => noted(request, operators.edit(request)) } satisfies OperatorStore,
    locationChanges: {
      ...locationChanges,
      undo: (request) => noted(request, locationChanges.undo(request)),
    } satisfies LocationChangeStore,
    chassis: { join: (request) => noted(request, chassis.join(request)) } satisfies ChassisStore,
  };
}
