// The agent: builds the modules, hands each what it needs of the others, starts them in order and stops them in reverse. It alone knows all of them.
import { v4 as newUuid } from 'uuid';
import { drivers } from '../../drivers/index.ts';
import { type Clock, loop } from '../base/clock.ts';
import { CancelledError, renderError } from '../base/errors.ts';
import { type Part, startParts } from '../base/lifecycle.ts';
import { type Log, oncePerMinute } from '../base/log.ts';
import { covers } from '../base/net/ranges.ts';
import { VERSION } from '../base/version.ts';
import type { ReportRecord } from '../wire/records.ts';
import { createCaptures } from './capture/captures.ts';
import { adopt, ownConfig } from './config/adopt.ts';
import type { AgentConfig } from './config/config.ts';
import { createControlHandlers, type Reloaded } from './control/control-handlers.ts';
import { createControlSocket } from './control/control-socket.ts';
import type { OwnService } from './control/status.ts';
import { createDeviceClient } from './device/device-client.ts';
import { createTrustDesk } from './device/trust/trust-desk.ts';
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
import { createHostReader } from './host/host.ts';
import { createNeighbours } from './host/neighbours.ts';
import { createIpReportHandler } from './ip-reports/handle-report.ts';
import { createIpReports } from './ip-reports/listener.ts';
import { openOutbox } from './outbox/open.ts';
import { Poller } from './poll/poller.ts';
import { openDesiredPools, poolLockMigrations } from './pool-lock/desired-pools.ts';
import { PoolGuard } from './pool-lock/guard.ts';
import { scanLimitsOf } from './scan/scan-limits.ts';
import { createScanning } from './scan/scanning.ts';
import { agentDatabasePath, openAgentDatabase, vaultOf } from './state/database.ts';
import { instanceIdMigrations, instanceIdOf } from './state/instance-id.ts';
import { clockMigrations, openLastingClock } from './state/lasting-clock.ts';
import { createMinerStateStore, minerStateMigrations } from './state/miner-state-store.ts';
import { tasksMigrations } from './tasks/queue/journal.ts';
import { createTaskQueue, type TaskQueue } from './tasks/queue/task-queue.ts';
import { notAllowed } from './tasks/settings.ts';
import { POOL_LOCK, POOL_UPDATE, wireTasks } from './tasks/wiring.ts';
import { createServiceLink, type UplinkConfig } from './uplink/service-link.ts';
import { messageGuardMigrations } from './uplink/signatures/message-guard.ts';
import { createWatchdog } from './watchdog/watchdog.ts';

export type Agent = ReturnType<typeof createAgent>;

type AgentOptions = {
  readonly config: AgentConfig;
  readonly uplinks: readonly UplinkConfig[];
  readonly clock: Clock;
  readonly log: Log;
  readonly random?: () => number;
  /** Reads the configuration anew and takes it over, for those who ask at the control socket. Throws ConfigError. */
  readonly reload?: () => Reloaded;
  /** The service in the same process, for those who ask how this host is doing. */
  readonly ownService?: () => OwnService;
  /** Instead of what this host's kernel knows of its neighbours. */
  readonly neighbours?: Pick<ReturnType<typeof createNeighbours>, 'at'>;
};

/** Miners that are remembered for each configured address: as many again as may stand there. */
const MINERS_PER_ADDRESS = 2;
const LEAST_MINERS = 64;
const PRUNE_EVERY_MS = 3_600_000;
const HOST_EVERY_MS = 60_000;
const CLOCK_EVERY_MS = 1_000;
const OUTAGES_EVERY_MS = 5_000;
/** As often as samples go to the disk: what flags are made of is not older than what was reported. */
const WRITE_EVERY_MS = 1_000;
const STOP_MS = 8_000;
/** A visit ends within its own deadline and keeps what it heard until then; the poller's bound, which throws all of it away, lies behind that. */
const SETTLE_MS = 1_000;
const MAX_OVERDUE_MS = 40_000;
/** The state directory must exist. Throws when its database cannot be opened. */
export function createAgent(options: AgentOptions) {
  const { config: given, uplinks, log, random = Math.random } = options;
  const config = ownConfig(given);
  const stopping = new AbortController();
  const owners = [
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
  ];
  const db = openAgentDatabase(agentDatabasePath(config.stateDir), owners, log);
  const time = openLastingClock(db, options.clock, log);
  const { clock } = time;
  const vault = vaultOf(config.credentials.keyFile, log);
  const instanceId = instanceIdOf(db, newUuid);
  const mayReach = (ip: string) => covers(config.ranges, ip);
  const registry = new MinerRegistry(db, {
    ...{ clock, newKey: newUuid, pollMs: () => config.poll.interval },
    maxMiners: () => Math.max(LEAST_MINERS, MINERS_PER_ADDRESS * config.ranges.toProbe),
  });
  const { neighbours = createNeighbours(clock) } = options;
  const trust = createTrustDesk({
    ...{ clock, log, stateDir: config.stateDir, neighbourAt: neighbours.at },
    ...{ agentIds: uplinks.map(({ agentId }) => agentId), emit: (record) => emit(record) },
    mayLogIn: (ip) => !registry.isContested(ip),
  });
  const driverOnRecord = (ip: string) => registry.byIp(ip)?.driverId;
  const client = createDeviceClient({ clock, log, drivers, config, mayReach, driverOnRecord, trust: trust.sources });
  const captures = createCaptures(config, client.transport.deviceMutex, trust.sources);
  const averages = new Averages(db, { clock });
  const states = createMinerStateStore(db, clock, storedStateSchema);
  const opsStatuses = createOpsStatuses(
    db,
    uplinks.map(({ name }) => name),
    log,
  );
  const outbox = openOutbox(config.stateDir, { clock, log, newEpoch: newUuid });

  const emit = (record: ReportRecord) => {
    if (record.kind === 'miner') outbox.offer(record);
    else
      outbox
        .append([record])
        .catch((error: unknown) => log.error({ cause: renderError(error) }, 'keep a record for the service'));
  };

  const reporting = { clock, log, agentIds: uplinks.map(({ agentId }) => agentId), emit };
  const clockWatch = createClockWatch({ ...reporting, onStep: time.keep });
  const suspectReport = createSuspectReport({ ...reporting, suspects: () => registry.suspects() });
  const { isOutOfOperation } = opsStatuses;
  const outagesOf = { miners: () => fleet.all(), pollMs: () => config.poll.interval, isOutOfOperation };
  const outages = new Outages(db, { ...reporting, ...outagesOf });

  const pollTimes = () => ({ intervalMs: config.poll.interval, visitDeadlineMs: config.poll.deadline + SETTLE_MS });
  const poller = new Poller({
    ...{ clock, random, log },
    settings: { ...pollTimes(), maxInFlight: config.poll.maxInFlight },
    visit: ({ key, ip }, signal) => {
      if (captures.isAt(ip)) throw new CancelledError('poll a miner that is being recorded');
      const target = fleet.targetOf(key);
      if (target === undefined) throw new CancelledError('poll a miner that has left');
      return client.read(target, signal);
    },
    onResult({ key, ip }, result) {
      if (result.kind === 'failed') {
        fleet.pollFailed(key, result.error, result.consecutive);
        return;
      }
      const { reading } = result.outcome;
      fleet
        .polled(key, result.outcome, stopping.signal)
        // Not where it turned out to be the reading of another miner.
        .then(() => fleet.get(key)?.reading === reading && pools.onReading(key, reading))
        .catch((error: unknown) => report(error, ip));
    },
  });

  const report = (error: unknown, ip: string) => {
    if (!stopping.signal.aborted) log.error({ ip, cause: renderError(error) }, 'take in what a miner said');
  };

  const fleet = new Fleet({
    clock,
    log,
    client,
    mayReach,
    registry,
    neighbours,
    averages,
    states,
    settings: config.flags,
    isOutOfOperation,
    ownActions: (key, ip, sinceMs) => [...tasks.restartsSince(key, sinceMs), ...client.orderedRestarts(ip)],
    poolTrouble: (key) => pools.trouble(key),
    pointed: (key, flags) => outages.pointed(key, flags),
    emit,
    schedule: { set: (key, ip) => poller.add({ key, ip }), drop: (key) => poller.remove(key) },
  });

  /** Says how this host reaches the miners, and which setting of it stands in the way. */
  const sayReadiness = () => {
    if (config.ranges.toProbe === 0) return;
    const { way, advice } = scanLimitsOf(config.scan, config.ranges, 'background');
    log.info({ addresses: config.ranges.toProbe, way }, 'networks of the miners');
    for (const line of advice) log.warn({}, line);
  };
  const scanning = createScanning({
    clock,
    log,
    random,
    settings: config,
    client,
    fleet,
    knownIps: () => [...fleet.all()].map(({ target }) => target.ip),
    signal: stopping.signal,
    onError: report,
  });
  const { scanner, manual, plan, findings } = scanning;
  const ipReports = createIpReports({
    ...{ clock, log, isOurs: mayReach, portOf: (port) => config.portMap.get(port) ?? port },
    onReport: createIpReportHandler({
      ...{ clock, log, random, client, scanning, registry, emit, settings: config, signal: stopping.signal },
    }),
  });

  const firmware = new FirmwareStore({ ...config.firmware, clock, log, fetchTo: createFetch(clock) });

  const pools = new PoolGuard({
    clock,
    log,
    settings: () => config.tasks.poolLock,
    desiredPools: openDesiredPools(db, vault),
    shows: (key, reading, params) => fleet.get(key)?.target.driver.abilities.pools?.shows?.(reading, params),
    refusal: () => notAllowed(POOL_LOCK, config.tasks) ?? notAllowed(POOL_UPDATE, config.tasks),
    isBusy: (key) => tasks.isBusy(key),
    updatesSince: (key, sinceMs) => tasks.effectsSince(key, POOL_UPDATE, sinceMs),
    update: (key, params) => tasks.runLocal({ name: POOL_UPDATE, minerKey: key, params }).outcome,
    audit: (event) => emit({ kind: 'event', at: new Date(clock.nowMs()).toISOString(), ...event }),
  });

  const tasks: TaskQueue = createTaskQueue(db, {
    clock,
    log,
    settings: config.tasks,
    vault,
    isTimeUnsure: time.isTimeUnsure,
    deps: wireTasks({
      ...{ clock, log, settings: config, client, fleet, registry, neighbours, poller, scanning, firmware },
      ...{ pools, outbox, mayReach, signal: stopping.signal, onError: report },
    }),
  });

  const links = uplinks.map((uplink) =>
    createServiceLink(uplink, {
      db,
      instanceId,
      source: outbox.source(uplink.name),
      tasks: {
        onTasks: (commands) => tasks.acceptAll(commands, uplink.name),
        onCancel: (taskId) => tasks.cancel(taskId, uplink.name),
      },
      onOpsStatus: (frame) => opsStatuses.take(uplink.name, frame),
      emit,
      clock,
      random,
      log,
    }),
  );

  const startedMs = clock.monotonicMs();
  const readHost = createHostReader(clock);
  const loops: Promise<void>[] = [];
  const every = (intervalMs: number, what: string, step: () => Promise<void> | void) => {
    const onError = oncePerMinute(clock, (error) => log.error({ cause: renderError(error) }, what));
    loops.push(loop(clock, { intervalMs, signal: stopping.signal, onError }, step));
  };

  const reportHost = async () => {
    trust.check();
    const host = await readHost();
    emit({
      kind: 'host',
      at: new Date(clock.nowMs()).toISOString(),
      version: VERSION,
      uptime: Math.round((clock.monotonicMs() - startedMs) / 1_000),
      poll_interval_ms: config.poll.interval,
      miners: fleet.size,
      host,
    });
  };

  const watchdog = createWatchdog({
    clock,
    maxOverdueMs: () => MAX_OVERDUE_MS + 2 * config.poll.deadline,
    overdueMs: () => poller.stats().overdueMs,
    outbox: () => outbox.state(),
  });

  const controlSocket = createControlSocket({
    stateDir: config.stateDir,
    clock,
    log,
    newId: newUuid,
    handlers: createControlHandlers({
      ...{ clock, startedMs, config, client, fleet, registry, scanning, captures, tasks, watchdog, mayReach },
      ...{ log, neighbours, emit, pollNow: (key: string) => poller.pollNow(key), newId: newUuid },
      reload: options.reload,
      ownService: options.ownService,
      outbox: () => outbox.state(),
      polls: () => poller.stats(),
      suspects: () => registry.suspects(),
      outages: () => outages.current(),
      clockSteps: () => clockWatch.recent(),
      trust: trust.state,
      uplinks: () => links.map((link, i) => ({ ...link.state(), url: uplinks[i]?.url ?? '' })),
    }),
  });

  const parts: readonly Part[] = [
    { name: 'place', start() {}, stop: () => controlSocket.close() },
    { name: 'database', start() {}, stop: () => db.close() },
    { name: 'outbox', start: () => outbox.setUplinks(uplinks.map(({ name }) => name)), stop: () => outbox.close() },
    {
      name: 'clock',
      start: () => clockWatch.begin(Math.max(outbox.state().earlierUntil, time.earlierWallMs), time.expectedWallMs),
      stop() {},
    },
    {
      name: 'fleet',
      async start() {
        await averages.load();
        await fleet.restore(outbox.state().earlierUntil);
      },
      async stop() {
        await states.writeAll();
        await averages.flush();
        registry.flush();
        time.keep();
      },
    },
    { name: 'transport', start() {}, stop: () => client.close().finally(() => trust.close()) },
    ...links.map((link): Part => ({ name: 'uplink', start: () => link.start(), stop: () => link.stop() })),
    { name: 'poller', start: () => poller.start(), stop: () => poller.stop() },
    { name: 'scanner', start: () => scanner.start(), stop: () => scanner.stop() },
    // Stops before the scanner: a scan that is a task goes on with the next start, it is not given up.
    { name: 'tasks', start: () => tasks.start(), stop: () => tasks.stop() },
    ...(config.scan.ipReports ? [{ name: 'IP reports', start: ipReports.start, stop: ipReports.stop }] : []),
    { name: 'control socket', start: () => controlSocket.start(), stop: () => controlSocket.stop() },
    {
      name: 'rounds',
      start() {
        every(CLOCK_EVERY_MS, 'look at the clock', () => clockWatch.look());
        every(HOST_EVERY_MS, 'report the host', reportHost);
        every(HOST_EVERY_MS, 'write the time for the next start', time.keep);
        every(HOST_EVERY_MS, 'name devices that claim to be others', suspectReport.report);
        every(OUTAGES_EVERY_MS, 'look for what many miners suffer from together', () => outages.look());
        every(PRUNE_EVERY_MS, 'forget miners that were seen for a moment', () => fleet.prune());
        every(WRITE_EVERY_MS, 'write what a restart must not forget', async () => {
          await states.writeDue();
          await averages.writeDue();
        });
      },
      async stop() {
        stopping.abort();
        await Promise.all([...loops, findings()]);
      },
    },
  ];

  let stop: (() => Promise<void>) | undefined;
  return {
    fleet,
    tasks,
    /** What stands still although it should not; undefined while all is well. For whoever may restart the process. */
    stalled: () => watchdog.stalled(),
    /** Takes over what of a new configuration can change while it runs, and says what takes a restart. Never throws for what it does not like. */
    reload(next: AgentConfig): Reloaded {
      const outcome = adopt(config, next);
      poller.adjust(pollTimes());
      if (outcome.changed.includes('networks')) {
        fleet.confine();
        sayReadiness();
        const scanPlan = plan();
        if (scanPlan !== undefined) scanner.request(newUuid(), scanPlan);
      }
      return outcome;
    },
    async start() {
      sayReadiness();
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
    /** Scans the configured ranges now, before any scheduled scan; resolves with the account when every miner found is known. */
    scan() {
      const id = newUuid();
      const scanPlan = plan();
      if (scanPlan === undefined) return Promise.reject(new CancelledError('scan without configured ranges'));
      return manual.run(id, scanPlan);
    },
  };
}
