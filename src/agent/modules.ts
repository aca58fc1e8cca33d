// Builds the modules of the agent, group by group in the order in which they build on each other, and hands each what
// it needs of the others. It starts nothing.
import { v4 as newUuid } from 'uuid';
import { drivers } from '../../drivers/index.ts';
import type { Clock } from '../base/clock.ts';
import { CancelledError, renderError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { createProcessFigures, type Figures } from '../base/metrics/figures.ts';
import { createMetricsListener } from '../base/metrics/listener.ts';
import { covers } from '../base/net/ranges.ts';
import { VERSION } from '../base/version.ts';
import { DriverFolder } from '../driver/load/driver-folder.ts';
import { DriverSet } from '../driver/load/driver-set.ts';
import type { ChildCommand } from '../driver/load/process/child-command.ts';
import type { ReportRecord } from '../wire/records.ts';
import { createCaptures } from './capture/captures.ts';
import { ownConfig } from './config/adopt.ts';
import type { AgentConfig } from './config/config.ts';
import { createControlHandlers, type Reloaded } from './control/control-handlers.ts';
import { createControlSocket } from './control/control-socket.ts';
import type { AskService } from './control/handlers/service-requests.ts';
import { createAgentFigures } from './control/metrics/agent-figures.ts';
import type { OwnService } from './control/status.ts';
import { createDeviceClient } from './device/device-client.ts';
import { createTrustMonitor } from './device/trust/trust-monitor.ts';
import { createFetch } from './firmware/fetch.ts';
import { FirmwareStore } from './firmware/store.ts';
import { Averages } from './fleet/averages/averages.ts';
import { averagesMigrations } from './fleet/averages/store.ts';
import { Fleet } from './fleet/fleet.ts';
import { MinerRegistry } from './fleet/identity/miner-registry.ts';
import { identityMigrations } from './fleet/identity/storage/store.ts';
import { createOpsStatuses, opsStatusMigrations } from './fleet/ops-status.ts';
import { outageMigrations } from './fleet/outages/outage-store.ts';
import { Outages } from './fleet/outages/outages.ts';
import { storedStateSchema } from './fleet/stored-state.ts';
import { createSuspectReport } from './fleet/suspects.ts';
import { createClockWatch } from './host/clock-watch.ts';
import type { createNeighbours } from './host/neighbours.ts';
import { createIpReportHandler } from './ip-reports/handle-report.ts';
import { createIpReports } from './ip-reports/listener.ts';
import { openOutbox } from './outbox/open.ts';
import { createDriversInUse } from './poll/drivers-in-use.ts';
import { Poller } from './poll/poller.ts';
import { openDesiredPools, poolLockMigrations } from './pool-lock/desired-pools.ts';
import { PoolGuard } from './pool-lock/guard.ts';
import { createScanning } from './scan/scanning.ts';
import { auditMigrations, openAuditTrail } from './state/audit-trail.ts';
import { createAuditedEvents } from './state/audited-events.ts';
import { agentDatabasePath, openAgentDatabase, vaultOf } from './state/database.ts';
import { instanceIdMigrations, instanceIdOf } from './state/instance-id.ts';
import { clockMigrations, openLastingClock } from './state/lasting-clock.ts';
import { createMinerStateStore, minerStateMigrations } from './state/miner-state-store.ts';
import { answerOutlook } from './tasks/pace/told-outlook.ts';
import { poolFactsOf } from './tasks/pool-facts.ts';
import { tasksMigrations } from './tasks/queue/journal.ts';
import { createTaskQueue, type TaskQueue } from './tasks/queue/task-queue.ts';
import { notAllowed } from './tasks/settings.ts';
import { POOL_LOCK, POOL_UPDATE, wireTasks } from './tasks/wiring.ts';
import { createServiceLink, type UplinkConfig } from './uplink/service-link.ts';
import { messageGuardMigrations } from './uplink/signatures/message-guard.ts';
import { createWatchdog } from './watchdog/watchdog.ts';

export type AgentOptions = {
  readonly config: AgentConfig;
  readonly uplinks: readonly UplinkConfig[];
  readonly clock: Clock;
  readonly log: Log;
  readonly random?: () => number;
  /** Reads the configuration anew and takes it over, for those who ask at the control socket. Throws ConfigError. */
  readonly reload?: () => Reloaded;
  /** The service in the same process, for those who ask how this host is doing. */
  readonly ownService?: () => OwnService;
  /** Asks that service, for people of this host. */
  readonly askService?: AskService;
  /** Figures of the service in the same process, those of the process among them: shown beside the agent's. */
  readonly otherFigures?: readonly Figures[];
  /** What runs the drivers of the folder, instead of this program. */
  readonly driverProcess?: ChildCommand;
  /** Instead of what this host's kernel knows of its neighbours. */
  readonly neighbours?: Pick<ReturnType<typeof createNeighbours>, 'at'>;
};

/** Modules that earlier groups need as well: these ask for them only while they run, when all are built. */
export type LaterModules = {
  readonly poller: Pick<Poller, 'add' | 'remove' | 'pollSoon'>;
  readonly pools: PoolGuard;
  readonly tasks: TaskQueue;
};

export type Base = ReturnType<typeof openBase>;
export type Devices = Base & ReturnType<typeof createDevices>;
export type Known = Devices & ReturnType<typeof createFleet>;
export type Polled = Known & ReturnType<typeof createPolling>;
export type Writing = Polled & ReturnType<typeof createTasks>;
export type Modules = Writing & ReturnType<typeof createWaysIn>;

/** Miners that are remembered for each configured address: as many again as may stand there. */
const MINERS_PER_ADDRESS = 2;
const LEAST_MINERS = 64;
/**
 * A visit ends within its own deadline and keeps what it heard until then; the poller's bound, which throws all of it
 * away, lies behind that.
 */
const SETTLE_MS = 1_000;
const MAX_OVERDUE_MS = 40_000;

const MIGRATIONS = [
  identityMigrations,
  averagesMigrations,
  minerStateMigrations,
  instanceIdMigrations,
  clockMigrations,
  tasksMigrations,
  opsStatusMigrations,
  outageMigrations,
  poolLockMigrations,
  messageGuardMigrations,
  auditMigrations,
] as const;

/**
 * Configuration, clock, database and outbox. The state directory must exist. Throws when its database cannot be opened.
 */
export function openBase({ config: given, uplinks, clock: hostClock, log, random = Math.random }: AgentOptions) {
  const config = ownConfig(given);
  const stopping = new AbortController();
  const { signal } = stopping;
  const db = openAgentDatabase(agentDatabasePath(config.stateDir), MIGRATIONS, log);
  const time = openLastingClock(db, hostClock, log);
  const { clock } = time;
  const vault = vaultOf(config.credentials.keyFile, log);
  const audit = openAuditTrail(db, { nowMs: () => clock.nowMs(), vault });
  const audited = createAuditedEvents(audit, log);
  audited.started(VERSION, uplinks);
  const outbox = openOutbox(config.stateDir, { clock, log, newEpoch: newUuid });
  const emit = (record: ReportRecord) => {
    audited.reported(record);
    if (record.kind === 'miner') outbox.offer(record);
    else
      outbox
        .append([record])
        .catch((error: unknown) => log.error({ cause: renderError(error) }, 'keep a record for the service'));
  };
  const reporting = { clock, log, agentIds: uplinks.map(({ agentId }) => agentId), emit };
  return {
    ...{ config, log, random, stopping, signal, db, time, clock, outbox, emit, reporting },
    startedMs: clock.monotonicMs(),
    ...{ vault, audit, audited },
    instanceId: instanceIdOf(db, newUuid),
    uplinkNames: uplinks.map(({ name }) => name),
    clockWatch: createClockWatch({ ...reporting, onStep: time.keep }),
    mayReach: (ip: string) => covers(config.ranges, ip),
    onError(error: unknown, ip: string) {
      if (!signal.aborted) log.error({ ip, cause: renderError(error) }, 'take in what a miner said');
    },
  };
}

/** One miner at a time: who it is, whether its device is trusted, how it is asked. */
export function createDevices(
  base: Base,
  neighbours: NonNullable<AgentOptions['neighbours']>,
  driverProcess?: ChildCommand,
) {
  const { config, db, clock, log, reporting, mayReach } = base;
  const registry = new MinerRegistry(db, {
    ...{ clock, newKey: newUuid, pollMs: () => config.poll.interval },
    maxMiners: () => Math.max(LEAST_MINERS, MINERS_PER_ADDRESS * config.ranges.toProbe),
  });
  const trust = createTrustMonitor({
    ...{ ...reporting, stateDir: config.stateDir, vault: base.vault, neighbourAt: neighbours.at },
    mayLogIn: (ip) => !registry.isContested(ip),
    onDecision: base.audited.decided,
  });
  const inUse = new DriverSet(drivers);
  const folder = new DriverFolder({
    ...{ clock, log, builtIn: drivers, folder: () => config.driversDir, settings: () => config.drivers },
    writesTypes: true,
    ...(driverProcess && { command: driverProcess }),
  });
  const driverOnRecord = (ip: string) => registry.byIp(ip)?.driverId;
  const client = createDeviceClient({
    ...{ clock, log, drivers: inUse, config, mayReach, driverOnRecord, trust: trust.sources },
  });
  const captures = createCaptures(config, client.transport.deviceMutex, trust.sources, inUse);
  return { neighbours, registry, trust, client, captures, drivers: inUse, folder };
}

/** What is known of all miners. */
export function createFleet(base: Devices, later: LaterModules) {
  const { config, db, clock, log, reporting, emit, client, mayReach, registry, neighbours, uplinkNames } = base;
  const averages = new Averages(db, { clock });
  const states = createMinerStateStore(db, clock, storedStateSchema);
  const opsStatuses = createOpsStatuses(db, uplinkNames, log);
  const { isOutOfOperation } = opsStatuses;
  const outages = new Outages(db, {
    ...{ ...reporting, isOutOfOperation, pollMs: () => config.poll.interval, miners: () => fleet.all() },
    pollSoon: (key) => later.poller.pollSoon(key),
  });
  const fleet: Fleet = new Fleet({
    ...{ clock, log, client, mayReach, registry, neighbours, averages, states, isOutOfOperation, emit },
    settings: config.flags,
    ownActions: (key, ip, sinceMs) => [...later.tasks.restartsSince(key, sinceMs), ...client.commandRestarts(ip)],
    poolTrouble: (key) => later.pools.trouble(key),
    pointed: (key, flags) => outages.pointed(key, flags),
    schedule: { set: (key, ip) => later.poller.add({ key, ip }), drop: (key) => later.poller.remove(key) },
  });
  const suspectReport = createSuspectReport({ ...reporting, suspects: () => registry.suspects() });
  return { averages, states, opsStatuses, outages, fleet, suspectReport };
}

export const pollTimes = ({ poll }: AgentConfig) => ({
  intervalMs: poll.interval,
  visitDeadlineMs: poll.deadline + SETTLE_MS,
});

/** What asks miners by itself: polls, scans, and the IP-report buttons of miners. */
export function createPolling(base: Known, later: LaterModules) {
  const { config, clock, log, random, client, captures, registry, fleet, emit, signal, onError, mayReach } = base;
  const poller = new Poller({
    ...{ clock, random, log },
    settings: { ...pollTimes(config), maxInFlight: config.poll.maxInFlight },
    visit: ({ key, ip }, visitSignal) => {
      if (captures.isAt(ip)) throw new CancelledError('poll a miner that is being recorded');
      const target = fleet.targetOf(key);
      if (target === undefined) throw new CancelledError('poll a miner that has left');
      return client.read(target, visitSignal);
    },
    onResult({ key, ip }, result) {
      if (result.kind === 'failed') {
        fleet.pollFailed(key, result.error, result.consecutive);
        return;
      }
      const { reading } = result.outcome;
      fleet
        .polled(key, result.outcome, signal)
        // Not where it turned out to be the reading of another miner.
        .then(() => fleet.get(key)?.reading === reading && later.pools.onReading(key, reading))
        .catch((error: unknown) => onError(error, ip));
    },
  });
  const scanning = createScanning({
    ...{ clock, log, random, settings: config, client, fleet, signal, onError },
    knownIps: () => [...fleet.all()].map(({ target }) => target.ip),
  });
  const ipReports = createIpReports({
    ...{ clock, log, drivers: base.drivers, isOurs: mayReach, portOf: (port) => config.portMap.get(port) ?? port },
    onReport: createIpReportHandler({ clock, log, random, client, scanning, registry, emit, settings: config, signal }),
  });
  return { poller, scanning, ipReports };
}

/** What changes miners. */
export function createTasks(base: Polled) {
  const { config, db, clock, log, vault, audit, time, outbox, emit, fleet, poller, scanning } = base;
  const { client, registry, neighbours, mayReach, signal, onError } = base;
  const firmware = new FirmwareStore({ ...config.firmware, clock, log, fetchTo: createFetch(clock) });
  const pools: PoolGuard = new PoolGuard({
    ...{ clock, log, settings: () => config.tasks.poolLock, desiredPools: openDesiredPools(db, vault) },
    shows: (key, reading, params) => fleet.get(key)?.target.driver.abilities.pools?.shows?.(reading, params),
    refusal: () => notAllowed(POOL_LOCK, config.tasks) ?? notAllowed(POOL_UPDATE, config.tasks),
    isBusy: (key) => tasks.isBusy(key),
    updatesSince: (key, sinceMs) => tasks.effectsSince(key, POOL_UPDATE, sinceMs),
    update: (key, params) => tasks.runLocal({ name: POOL_UPDATE, minerKey: key, params }).outcome,
    audit: (event) => emit({ kind: 'event', at: new Date(clock.nowMs()).toISOString(), ...event }),
  });
  const tasks = createTaskQueue(db, {
    ...{ clock, log, settings: config.tasks, vault, audit, isTimeUnsure: time.isTimeUnsure },
    deps: wireTasks({
      ...{ clock, log, settings: config, client, fleet, registry, neighbours, poller, scanning, firmware },
      ...{ pools, outbox, mayReach, signal, onError, retiredAs: base.opsStatuses.retiredAs },
      driverIds: () => base.drivers.all.map(({ id }) => id),
    }),
  });
  return { firmware, pools, tasks };
}

/** How services and the people of this host reach the agent, and the watchdog that reports to them. */
export function createWaysIn(base: Writing, { uplinks, reload, ownService, askService, otherFigures }: AgentOptions) {
  const { config, db, clock, random, log, instanceId, outbox, emit, tasks, opsStatuses, poller } = base;
  const { client, fleet, registry, scanning, captures, mayReach, neighbours, outages, clockWatch, trust, startedMs } =
    base;
  const driversInUse = createDriversInUse({
    ...{ log, fleet, drivers: base.drivers, folder: base.folder },
    onChange() {
      void base.ipReports.refresh();
      const plan = scanning.plan();
      if (plan !== undefined) scanning.scanner.request(newUuid(), plan);
    },
  });
  const links = uplinks.map((uplink) =>
    createServiceLink(uplink, {
      ...{ db, instanceId, emit, clock, random, log, source: outbox.source(uplink.name) },
      tasks: {
        onTasks: (commands) => tasks.acceptAll(commands, uplink.name),
        onCancel: (taskId) => tasks.cancel(taskId, uplink.name),
        outlook: (question) => answerOutlook(question, (...asked) => tasks.outlook(...asked)),
      },
      onOpsStatus: (frame) => opsStatuses.take(uplink.name, frame),
    }),
  );
  const watchdog = createWatchdog({
    clock,
    maxOverdueMs: () => MAX_OVERDUE_MS + 2 * config.poll.deadline,
    overdueMs: () => poller.stats().overdueMs,
    outbox: () => outbox.state(),
  });
  const handlers = createControlHandlers({
    ...{ clock, startedMs, config, client, fleet, registry, scanning, captures, tasks, watchdog, mayReach },
    ...{ log, neighbours, emit, reload, ownService, askService, newId: newUuid, folder: base.folder },
    driversTaken: driversInUse.taken,
    pollNow: (key: string) => poller.pollNow(key),
    poolFacts: (key) => poolFactsOf(fleet.get(key), base.pools.desiredFor(key)?.pools),
    outbox: () => outbox.state(),
    polls: () => poller.stats(),
    setAside: () => poller.setAside(),
    suspects: () => registry.suspects(),
    outages: () => outages.current(),
    clockSteps: () => clockWatch.recent(),
    trust: trust.state,
    uplinks: () => links.map((link, i) => ({ ...link.state(), url: uplinks[i]?.url ?? '' })),
  });
  const controlSocket = createControlSocket({
    ...{ stateDir: config.stateDir, clock, log, newId: newUuid },
    onCall: base.audited.called,
    handlers,
  });
  const metrics = metricsListener(base, otherFigures, handlers.state);
  return { links, watchdog, controlSocket, metrics, driversInUse };
}

function metricsListener(
  { config, clock, log }: Writing,
  others: readonly Figures[] | undefined,
  state: Parameters<typeof createAgentFigures>[0],
) {
  const { host, port } = config.metrics;
  if (port === undefined) return undefined;
  return createMetricsListener({
    address: { host, port },
    figures: [...(others ?? [createProcessFigures(VERSION)]), createAgentFigures(state)],
    clock,
    log,
  });
}
