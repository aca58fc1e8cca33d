// How gently the agent asks who is there, on a farm that is being polled at the same time: its rate, one request at a
// time, nothing twice, nothing that has an effect. Requests are counted where they are handed to the transport and at
// the devices.
import { expect, onTestFinished, test } from 'vitest';
import { drivers, families } from '../../drivers/index.ts';
import { startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import type { DeviceClient, MinerTarget } from '../../src/agent/device/device-client.ts';
import { Poller } from '../../src/agent/poll/poller.ts';
import { runScan } from '../../src/agent/scan/scan.ts';
import { scanLimitsOf } from '../../src/agent/scan/scan-limits.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import type { MutexPriority } from '../../src/transport/limits/device-mutex.ts';
import type { MinerRequest, ProbeLink } from '../../src/transport/request.ts';
import { freshClient } from '../support/fresh-client.ts';
import { loopback } from '../support/loopback.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { densest } from '../unit/agent/poll/farm.ts';
import { createNetwork, miner, type Station } from '../unit/agent/scan/network.ts';
import { isFull, report } from './table.ts';

/** What nobody set. */
const DEFAULT_PER_SECOND = 100;
const SECOND = 1_000;

const configOf = (settings: object) =>
  parseConfig(JSON.stringify(settings), { baseDir: '/tmp', environment: {}, name: 'test' });

test('a scan that nobody waits for keeps to its rate and asks no port twice, over a whole /16', async () => {
  const clock = createVirtualClock();
  const config = configOf({ networks: [isFull ? '10.71.0.0/16' : '10.71.0.0/20'], exclude: ['10.71.3.0/24'] });
  const stations = new Map<string, Station>();
  const shut = { 80: 'refused', 4028: 'refused', 4433: 'refused' } as const;
  for (let i = 0; i < config.ranges.toProbe; i += 7) {
    const ip = `10.71.${(i >> 8) & 255}.${i & 255}`;
    stations.set(ip, i % 2 === 0 ? { ports: { 80: 'open', 4028: 'open' }, who: [miner(ip)] } : { ports: shut });
  }
  const { deps, seen } = createNetwork(clock, stations);
  const { limits } = scanLimitsOf(config.scan, config.ranges, 'background');
  const scan = runScan({ ranges: config.ranges, limits, isBackground: true }, deps, {}, new AbortController().signal);
  const account = await clock.finish(scan, 3 * 3_600 * SECOND);
  const asked = seen.probes.map(({ ip, port }) => `${ip}:${port}`);
  const repeats = asked.length - new Set(asked).size;
  const astray = asked.filter((at) => !at.startsWith('10.71.') || at.startsWith('10.71.3.')).length;
  const times = seen.probes.map(({ atMs }) => atMs);
  const inOneSecond = densest(times, SECOND);
  const identified = account.counts.identified;
  expect(account.notReached).toBe(0);
  report({
    id: 'S5',
    value:
      `${config.ranges.toProbe} addresses, ${identified} miners (virtual clock): ${asked.length} connects in ${Math.round(account.elapsedMs / 60_000)} min, ` +
      `at most ${inOneSecond} in any second (default: ${DEFAULT_PER_SECOND}), ${repeats} repeats, ${astray} outside`,
    bar: '<= set rate, default 100 connects/s, 0 repeats',
    isMet: inOneSecond <= DEFAULT_PER_SECOND && repeats === 0 && astray === 0 && identified > 0,
  });
});

type Sent = { readonly ip: string; readonly question: string; readonly atMs: number; readonly by: MutexPriority };

const questionOf = (request: MinerRequest): string => {
  switch (request.via) {
    case 'cgminer':
      return `${request.port ?? 4028} ${request.command} ${JSON.stringify(request.parameter ?? '')}`;
    case 'http':
      return `${request.method} ${request.path} ${JSON.stringify(request.json ?? request.form ?? '')}`;
    case 'whatsminer3':
      return `${request.via} ${request.cmd} ${JSON.stringify(request.param ?? '')}`;
    default:
      return `${request.via} ${request.cmd}`;
  }
};

/** Those of identification itself. */
const IDENTIFYING = new Set(
  [
    { via: 'cgminer', command: 'version' } as const,
    { via: 'cgminer', command: 'version', port: 8359 } as const,
    { via: 'cgminer', command: 'devdetails' } as const,
    { via: 'whatsminer3', cmd: 'get.device.info' } as const,
    ...['/', '/capabilities', '/api/system/info', ...families.all.flatMap(({ page }) => page?.path ?? [])].map(
      (path) => ({ via: 'http', method: 'GET', path, auth: 'none', as: 'text' }) as const,
    ),
    ...drivers.flatMap(({ afterLogin }) => (afterLogin ? [afterLogin.ask] : [])),
  ].map(questionOf),
);
/** Those, and what drivers declare as questions. */
const QUESTIONS = new Set([
  ...IDENTIFYING,
  ...drivers.flatMap(({ asks }) => Object.values(asks).map((ask) => questionOf(ask))),
]);

/** Counts what goes to each miner, whoever sends it. */
function watch(client: DeviceClient) {
  const sent: Sent[] = [];
  const inFlight = new Map<string, number>();
  const watched = { sent, most: 0 };
  const whose = new Map<string, MutexPriority>();
  const { link, deviceMutex } = client.transport;
  const { run } = deviceMutex;
  const counted = async <T>(ip: string, question: string, send: () => Promise<T>): Promise<T> => {
    sent.push({ ip, question, atMs: systemClock.monotonicMs(), by: whose.get(ip) ?? 'scan' });
    const now = (inFlight.get(ip) ?? 0) + 1;
    inFlight.set(ip, now);
    watched.most = Math.max(watched.most, now);
    try {
      return await send();
    } finally {
      inFlight.set(ip, (inFlight.get(ip) ?? 1) - 1);
    }
  };
  const watchedLink = (...[ip, login]: Parameters<typeof link>): ProbeLink => {
    const real = link(ip, login);
    return {
      ip,
      send: (request, limits) => counted(ip, questionOf(request), () => real.send(request, limits)),
      sendRaw: (request, limits) => counted(ip, questionOf(request), () => real.sendRaw(request, limits)),
      look: (path, limits) => counted(ip, `GET ${path} ""`, () => real.look(path, limits)),
    };
  };
  const watchedRun = <T>(ip: string, by: MutexPriority, signal: AbortSignal | undefined, work: () => Promise<T>) =>
    run(ip, by, signal, () => {
      whose.set(ip, by);
      return work();
    });
  Reflect.set(deviceMutex, 'run', watchedRun);
  Reflect.set(client.transport, 'link', watchedLink);
  return watched;
}

test('a farm that is polled is scanned one request at a time, and nothing is asked twice or changed', async () => {
  const [network, miners] = isFull ? [loopback(22).network, 300] : [loopback(26).network, 20];
  const intervalMs = (isFull ? 5 : 2) * SECOND;
  const portMap = await suitablePortMap();
  const farm = await startFarm({ network, miners, mix: 'all', seed: 5, freeze: true, portMap });
  // Slow enough that two requests to one device would meet.
  for (const device of farm.devices) device.setFault('slow', true, 0.02);
  const config = configOf({ portMap, networks: [network], poll: { interval: `${intervalMs}ms` } });
  const client = freshClient({ config });
  const watched = watch(client);
  const targets = new Map<string, MinerTarget>();
  const { signal } = new AbortController();
  const deps = { clock: systemClock, random: Math.random, probe: client.transport.probe };
  const poller = new Poller({
    clock: systemClock,
    random: Math.random,
    log: silentLog,
    settings: { intervalMs, visitDeadlineMs: 11 * SECOND },
    visit: ({ ip }, stopping) => {
      const target = targets.get(ip);
      return target === undefined ? Promise.reject(new Error('nobody is known there')) : client.read(target, stopping);
    },
    onResult() {},
  });
  onTestFinished(async () => {
    await poller.stop();
    await client.close();
    await farm.stop();
  });
  const state = () => farm.devices.map((device) => JSON.stringify([device.reboots, { ...device.truth(), uptime: 0 }]));
  const before = state();

  // Nobody is known yet: everything is asked of everybody.
  const first = await runScan(
    { ranges: config.ranges, limits: { maxPerSecond: 2_000 } },
    { ...deps, identify: client.recognise },
    {
      onContact({ ip, found }) {
        if (found !== undefined && found.status !== 'unknown') targets.set(ip, found.target);
      },
    },
    signal,
  );
  // On a busy machine some may answer too late to be told what they are.
  if (isFull) expect(first.counts.identified + first.counts.login_refused).toBe(miners);
  expect(targets.size).toBeGreaterThan(0);

  for (const ip of targets.keys()) poller.add({ key: ip, ip });
  poller.start();
  await systemClock.sleep(2 * intervalMs, signal);
  const probes: number[] = [];
  const startMs = systemClock.monotonicMs();
  const { limits } = scanLimitsOf(config.scan, config.ranges, 'background');
  const account = await runScan(
    { ranges: config.ranges, known: targets.keys(), limits, isBackground: true },
    {
      ...deps,
      probe: (ip, port, timeoutMs, aborted) => {
        probes.push(systemClock.monotonicMs());
        return client.transport.probe(ip, port, timeoutMs, aborted);
      },
      identify: (ip, open, aborted, isLastTry) => client.recognise(ip, open, aborted, isLastTry, true),
    },
    {},
    signal,
  );
  await poller.stop();

  const scanned = watched.sent.filter(({ by, atMs }) => by === 'scan' && atMs >= startMs);
  const repeats = scanned.filter(({ ip, question, atMs }) =>
    watched.sent.some(
      (other) => other.ip === ip && other.question === question && other.atMs < atMs && atMs - other.atMs < intervalMs,
    ),
  );
  const repeated = repeats.map(({ ip, question }) => `${targets.get(ip)?.driver.id}: ${question}`);
  const polls = watched.sent.filter(({ by, atMs }) => by === 'poll' && atMs >= startMs).length;
  const effects = watched.sent.filter(({ question }) => !QUESTIONS.has(question)).length;
  const changed = state().filter((text, i) => text !== before[i]).length;
  const atDevices = Math.max(...farm.devices.map(({ maxInFlight }) => maxInFlight));
  const inOneSecond = densest(probes, SECOND);
  report({
    id: 'S5',
    value:
      `${network}, ${miners} miners, polled every ${intervalMs / SECOND} s (${polls} requests meanwhile): scan of ${Math.round(account.elapsedMs / SECOND)} s, ` +
      `${probes.length} connects, at most ${inOneSecond} in any second, ${scanned.length} requests to identify, ${repeats.length} repeats in an interval${repeats.length > 0 ? ` (${[...new Set(repeated)].slice(0, 9).join(', ')})` : ''}; ` +
      `at most ${watched.most} request in flight per miner (at the devices: ${atDevices}); ${effects} requests with an effect, ${changed} devices changed`,
    bar: '<= 100 connects/s, 1 in flight, 0 repeats, 0 effects',
    isMet:
      inOneSecond <= DEFAULT_PER_SECOND &&
      watched.most === 1 &&
      atDevices === 1 &&
      repeats.length === 0 &&
      effects === 0 &&
      changed === 0 &&
      polls > 0,
  });
}, 240_000);
