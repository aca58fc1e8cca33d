// The agent: builds its modules, starts them in order, stops them in reverse, and takes a new configuration over while
// it runs.
import { v4 as newUuid } from 'uuid';
import { CancelledError } from '../base/errors.ts';
import { startParts } from '../base/lifecycle.ts';
import { adopt } from './config/adopt.ts';
import type { AgentConfig } from './config/config.ts';
import type { Reloaded } from './control/control-handlers.ts';
import { createNeighbours } from './host/neighbours.ts';
import {
  type AgentOptions,
  createDevices,
  createFleet,
  createPolling,
  createTasks,
  createWaysIn,
  type LaterModules,
  type Modules,
  openBase,
  pollTimes,
} from './modules.ts';
import { scanLimitsOf } from './scan/scan-limits.ts';
import { startOrder } from './start-order.ts';

export type Agent = ReturnType<typeof createAgent>;

const STOP_MS = 8_000;

/** The state directory must exist. Throws when its database cannot be opened. */
export function createAgent(options: AgentOptions) {
  const modules = createModules(options);
  const { config, log, fleet, tasks, poller, firmware, watchdog } = modules;
  const { scanner, manual, plan } = modules.scanning;
  const parts = startOrder(modules);
  let stop: (() => Promise<void>) | undefined;
  return {
    fleet,
    tasks,
    /**
     * What does not get on although it should; undefined while all is well. For the program that may restart the
     * process.
     */
    stalled: () => watchdog.stalled(),
    /**
     * Takes over what of a new configuration can change while it runs, and says what takes a restart. Never throws for
     * what it does not like.
     */
    reload(next: AgentConfig): Reloaded {
      const outcome = adopt(config, next);
      modules.audited.reloaded(outcome);
      poller.adjust(pollTimes(config));
      modules.driversInUse.take();
      if (outcome.changed.includes('networks')) {
        fleet.confine();
        logReadiness(modules);
        const scanPlan = plan();
        if (scanPlan !== undefined) scanner.request(newUuid(), scanPlan);
      }
      return outcome;
    },
    async start() {
      logReadiness(modules);
      const { files, bytes } = await firmware.size();
      if (files > 0) log.info({ folder: config.firmware.folder, files, bytes }, 'firmware images on this host');
      stop = await startParts(parts, {
        stopMs: STOP_MS,
        onError: (message) => log.error({ cause: message }, 'stop a part of the agent'),
      });
    },
    /** Ends within ten seconds: what is under way is aborted, what was produced is on disk. */
    async stop() {
      await stop?.();
    },
    /**
     * Scans the configured ranges now, before any scheduled scan; resolves with the account when every miner found is
     * known.
     */
    scan() {
      const id = newUuid();
      const scanPlan = plan();
      if (scanPlan === undefined) return Promise.reject(new CancelledError('scan without configured ranges'));
      return manual.run(id, scanPlan);
    },
  };
}

/** Group by group: each builds on those before it. */
export function createModules(options: AgentOptions): Modules {
  const later: LaterModules = {
    get poller() {
      return polled.poller;
    },
    get pools() {
      return writing.pools;
    },
    get tasks() {
      return writing.tasks;
    },
  };
  const base = openBase(options);
  const devices = {
    ...base,
    ...createDevices(base, options.neighbours ?? createNeighbours(base.clock), options.driverProcess),
  };
  const known = { ...devices, ...createFleet(devices, later) };
  const polled = { ...known, ...createPolling(known, later) };
  const writing = { ...polled, ...createTasks(polled) };
  return { ...writing, ...createWaysIn(writing, options) };
}

/** How this host reaches the miners, and which of its settings stands in the way. */
function logReadiness({ config, log }: Modules): void {
  if (config.ranges.toProbe === 0) return;
  const { way, advice } = scanLimitsOf(config.scan, config.ranges, 'background');
  log.info({ addresses: config.ranges.toProbe, way }, 'networks of the miners');
  for (const line of advice) log.warn({}, line);
}
