// The order in which the parts of the agent start; they stop in reverse. And what the agent does again and again while
// it runs.
import { loop } from '../base/clock.ts';
import { renderError } from '../base/errors.ts';
import type { Part } from '../base/lifecycle.ts';
import { oncePerMinute } from '../base/log.ts';
import { VERSION } from '../base/version.ts';
import { createHostReader } from './host/host.ts';
import type { Modules } from './modules.ts';

const PRUNE_EVERY_MS = 3_600_000;
const HOST_EVERY_MS = 60_000;
const CLOCK_EVERY_MS = 1_000;
const OUTAGES_EVERY_MS = 5_000;
/** As often as samples go to the disk: what flags are made of is not older than what was reported. */
const WRITE_EVERY_MS = 1_000;

const atStop = (name: string, stop: Part['stop']): Part => ({ name, start() {}, stop });
const named = (name: string, part: Pick<Part, 'start' | 'stop'>): Part => ({
  name,
  start: () => part.start(),
  stop: () => part.stop(),
});

export function startOrder(modules: Modules): readonly Part[] {
  const { config, db, outbox, uplinkNames, clockWatch, time, client, trust, links, controlSocket } = modules;
  const { poller, scanning, tasks, ipReports, metrics } = modules;
  return [
    atStop('socket file', () => controlSocket.close()),
    atStop('database', () => db.close()),
    { name: 'outbox', start: () => outbox.setUplinks(uplinkNames), stop: () => outbox.close() },
    {
      name: 'clock',
      start: () => clockWatch.begin(Math.max(outbox.state().earlierUntil, time.earlierWallMs), time.expectedWallMs),
      stop() {},
    },
    // Before the miners: each is one of a driver.
    driversPart(modules),
    fleetPart(modules),
    atStop('transport', () => client.close().finally(() => trust.close())),
    ...links.map((link) => named('uplink', link)),
    named('poller', poller),
    named('scanner', scanning.scanner),
    // Stops before the scanner: a scan that is a task goes on with the next start, it is not given up.
    named('tasks', tasks),
    ...(config.scan.ipReports ? [named('IP reports', ipReports)] : []),
    named('control socket', controlSocket),
    ...(metrics === undefined ? [] : [metrics]),
    roundsPart(modules),
  ];
}

const driversPart = ({ drivers, folder }: Modules): Part => ({
  name: 'drivers of the folder',
  start: async () => drivers.replace(await folder.load()),
  stop: () => folder.close(),
});

const fleetPart = ({ averages, fleet, outbox, states, registry, time }: Modules): Part => ({
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
});

type Round = readonly [everyMs: number, what: string, step: () => Promise<void> | void];

function roundsOf(modules: Modules): readonly Round[] {
  const { clockWatch, time, suspectReport, outages, fleet, states, averages } = modules;
  return [
    [CLOCK_EVERY_MS, 'look at the clock', () => clockWatch.look()],
    [HOST_EVERY_MS, 'report the host', hostReport(modules)],
    [HOST_EVERY_MS, 'write the time for the next start', time.keep],
    [HOST_EVERY_MS, 'name devices that claim to be others', suspectReport.report],
    [OUTAGES_EVERY_MS, 'look for what many miners suffer from together', () => outages.look()],
    [PRUNE_EVERY_MS, 'forget miners that were seen for a moment', () => fleet.prune()],
    [
      WRITE_EVERY_MS,
      'write what a restart must not forget',
      async () => {
        await states.writeDue();
        await averages.writeDue();
      },
    ],
  ];
}

function roundsPart(modules: Modules): Part {
  const { clock, log, stopping, scanning } = modules;
  let loops: Promise<void>[] = [];
  return {
    name: 'rounds',
    start() {
      loops = roundsOf(modules).map(([intervalMs, what, step]) => {
        const onError = oncePerMinute(clock, (error) => log.error({ cause: renderError(error) }, what));
        return loop(clock, { intervalMs, signal: stopping.signal, onError }, step);
      });
    },
    async stop() {
      stopping.abort();
      await Promise.all([...loops, scanning.findings()]);
    },
  };
}

function hostReport({ clock, config, emit, fleet, startedMs, trust, audit }: Modules) {
  const readHost = createHostReader(clock);
  return async () => {
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
      audit_head: audit.head(),
    });
  };
}
