// Puts the service together: store, server, uplinks, tasks. One object with a start, a stop, and what an administrator may do.
import { v4 } from 'uuid';
import type { Clock } from '../base/clock.ts';
import { type Part, startParts } from '../base/lifecycle.ts';
import type { Log } from '../base/log.ts';
import { type Admin, createAdmin } from './admin.ts';
import { enrolAgent } from './ingest/enrol.ts';
import { createUplinks } from './ingest/uplink.ts';
import { registerEnrol } from './routes/enrol.ts';
import { registerHealth } from './routes/health.ts';
import { createServer, DEFAULT_LIMITS, type ServerLimits } from './routes/server.ts';
import { registerMiners } from './routes/v1/miners.ts';
import { newId, openStore, type Store } from './store/store.ts';

export type ServiceOptions = {
  readonly databasePath: string;
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly random?: () => number;
  readonly version: string;
  /** How integrators reach it, for the OpenAPI document. */
  readonly publicUrl?: string;
  readonly limits?: ServerLimits;
};

export type Service = {
  /** Listens; gives the address, with the port that was taken. */
  start(): Promise<{ url: string }>;
  /** Lets go of agents and requests in order; idempotent. */
  stop(): Promise<void>;
  readonly admin: Admin;
};

const STOP_MS = 8_000;

/** Opens the store (throws when it cannot) and builds the rest; nothing listens before `start`. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const store = await openStore(options.databasePath);
  try {
    return await compose(options, store);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function compose(options: ServiceOptions, store: Store): Promise<Service> {
  const { clock, log, host, port } = options;
  const app = await createServer({
    source: {
      findKey: (id) => store.keys.find(id),
      markUsed: (id, nowMs) => store.keys.markUsed(id, nowMs),
      findFarm: (id) => store.tenants.findFarm(id),
      listActiveGrants: (granteeId, nowMs, grantorId) => store.tenants.listActiveGrants(granteeId, nowMs, grantorId),
    },
    clock,
    log,
    version: options.version,
    publicUrl: options.publicUrl,
    limits: options.limits ?? DEFAULT_LIMITS,
    newRequestId: () => v4(),
  });
  const uplinks = createUplinks({
    agents: store.agents,
    ingest: store.ingest,
    clock,
    log,
    onReady: async () => {},
    onTaskReceived: async () => {},
  });
  registerHealth(app, () => store.check());
  registerEnrol(app, (request) => enrolAgent(request, { agents: store.agents, clock, newId }));
  registerMiners(app, store.miners, clock);
  uplinks.attach(app.server);

  let url = '';
  const parts: Part[] = [
    { name: 'store', start: () => {}, stop: () => store.close() },
    {
      name: 'server',
      start: async () => {
        url = await app.listen({ host, port });
      },
      stop: () => app.close(),
    },
    { name: 'uplinks', start: () => uplinks.start(), stop: () => uplinks.stop() },
  ];
  let stopParts: (() => Promise<void>) | undefined;
  return {
    admin: createAdmin(store, clock),
    async start() {
      stopParts = await startParts(parts, { stopMs: STOP_MS, onError: (message) => log.error({}, message) });
      return { url };
    },
    async stop() {
      if (stopParts) return stopParts();
      stopParts = () => Promise.resolve();
      await app.close();
      await store.close();
    },
  };
}
