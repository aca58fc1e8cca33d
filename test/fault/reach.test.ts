// Whom the agent touches: only addresses of the ranges, whatever a device, a redirect, a task or a text says; and how gently it asks who is there.
// Connections are counted where sockets are made and by listeners that must stay alone.
import { createServer, type Server, Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { createAccess } from '../../src/agent/access.ts';
import { parseConfig } from '../../src/agent/config.ts';
import { readRanges } from '../../src/agent/scan/ranges.ts';
import { runScan } from '../../src/agent/scan/scan.ts';
import { systemClock } from '../../src/base/clock.ts';
import { PeerError, RefusedError } from '../../src/base/errors.ts';
import { parseIpv4 } from '../../src/base/ipv4.ts';
import { silentLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import type { MinerRequest } from '../../src/transport/request.ts';
import { createTransport } from '../../src/transport/transport.ts';
import { densest } from '../unit/agent/poll/farm.ts';
import { createVirtualClock } from '../virtual-clock.ts';
import { isFull, report } from './table.ts';

/** Every connection of this process, and how many are open to each port of a device, and to each device. */
const connects: string[] = [];
const open = new Map<string, number>();
const most = { ofMiner: 0, ofDoor: 0 };
const connect = Socket.prototype.connect;
function watchedConnect(this: Socket, ...args: unknown[]): Socket {
  const text = JSON.stringify(args, (_, value) => (typeof value === 'function' ? undefined : value));
  connects.push(text);
  const host = /"host(?:name)?":"([^"]*)"/.exec(text)?.[1] ?? '';
  const door = `${host}:${/"port":"?(\d+)/.exec(text)?.[1]}`;
  for (const [place, kind] of [
    [host, 'ofMiner'],
    [door, 'ofDoor'],
  ] as const) {
    const now = (open.get(place) ?? 0) + 1;
    open.set(place, now);
    most[kind] = Math.max(most[kind], now);
    this.once('close', () => open.set(place, (open.get(place) ?? 1) - 1));
  }
  return Reflect.apply(connect, this, args);
}

beforeAll(() => {
  Reflect.set(Socket.prototype, 'connect', watchedConnect);
});
afterAll(() => {
  Reflect.set(Socket.prototype, 'connect', connect);
});

const INSIDE = '127.71.0.1';
const ALLOWED = readRanges(['127.71.0.0/30'], []);
const mayReach = (ip: string) => {
  const address = parseIpv4(ip);
  return address !== undefined && ALLOWED.ranges.some(({ range }) => address >= range.first && address <= range.last);
};

const ELSEWHERE = [
  '127.72.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '10.0.0.1',
  '0177.71.0.1',
  '0x7f.71.0.1',
  '127.71.1',
  '127.071.0.1',
  '2135359489',
  '127.71.0.1.',
  ' 127.71.0.1',
  '127.71.0.1:80',
  '127.71.0.1@127.72.0.1',
  '127.71.0.1/../127.72.0.1',
  '::1',
  '::ffff:127.71.0.1',
  '::ffff:127.72.0.1',
  '[::1]',
  'localhost',
  'service.example',
  '',
  '127.71.0.１',
];

const REQUESTS: readonly MinerRequest[] = [
  { via: 'cgminer', command: 'summary' },
  { via: 'whatsminer3', cmd: 'get.device.info' },
  { via: 'http', method: 'GET', path: '/', auth: 'digest', as: 'text' },
  { via: 'http', method: 'GET', path: '//127.72.0.1/x', auth: 'none', as: 'text' },
  { via: 'http', method: 'GET', path: '@127.72.0.1/', auth: 'none', as: 'text' },
  { via: 'http', method: 'GET', path: 'http://127.72.0.1/', auth: 'none', as: 'text' },
  { via: 'whatsminer2-write', cmd: 'reboot', params: {} },
  { via: 'whatsminer3-write', cmd: 'set.system.reboot' },
];

async function listen(host: string, port: number, onSocket: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onSocket);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, () => resolve()));
  return server;
}

test('no packet leaves for an address outside the ranges', async () => {
  let strangers = 0;
  const redirect = (port: number) =>
    `HTTP/1.1 302 Found\r\nlocation: http://127.72.0.1:${port}/\r\nrefresh: 0;url=http://127.72.0.1:${port}/\r\ncontent-length: 0\r\n\r\n`;
  let port = 0;
  const inside = await listen(INSIDE, 0, (socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.end(redirect(port)));
  });
  const address = inside.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
  const outside = await listen('127.72.0.1', port, (socket) => {
    strangers++;
    socket.destroy();
  });
  const transport = createTransport({
    clock: systemClock,
    log: silentLog,
    portMap: new Map([80, 443, 4028, 4433].map((from) => [from, port])),
    mayReach,
  });
  onTestFinished(async () => {
    await transport.close();
    inside.close();
    outside.close();
  });
  const before = connects.length;
  let [tried, refused] = [0, 0];
  const login = { user: 'root', password: new Secret('x') };
  const attempt = async (run: () => Promise<unknown>) => {
    tried++;
    try {
      await run();
    } catch (error) {
      if (error instanceof RefusedError) refused++;
    }
  };
  for (const ip of ELSEWHERE) {
    for (const request of REQUESTS) await attempt(() => transport.link(ip, login).send(request, { deadlineMs: 300 }));
    await attempt(() => transport.link(ip).look('/', { deadlineMs: 300 }));
    await attempt(() => transport.link(ip).sendRaw({ via: 'cgminer', command: 'version' }, { deadlineMs: 300 }));
    await attempt(() => transport.probe(ip, 80, 300));
  }
  expect(connects.slice(before)).toEqual([]);
  // And inside, a device that sends the agent elsewhere.
  for (const request of REQUESTS) {
    await transport
      .link(INSIDE, login)
      .send(request, { deadlineMs: 500 })
      .catch((error: unknown) => {
        // A path that is none is a mistake of a driver, not of the peer: what matters is where it does not lead.
        if (!(error instanceof PeerError)) expect(String(error)).not.toContain('Unhandled');
      });
  }
  await transport.link(INSIDE).look('/', { deadlineMs: 500 });
  const astray = connects.slice(before).filter((text) => !text.includes(INSIDE));
  report({
    id: 'S4',
    value: `${tried} tries outside: ${tried - refused} not refused; ${REQUESTS.length + 1} redirects: ${astray.length + strangers} connections astray`,
    bar: '0 packets, 100 % refused',
    isMet: refused === tried && astray.length === 0 && strangers === 0,
  });
});

test('ranges in the configuration are plain IPv4 and nothing that can be read in two ways', () => {
  for (const text of ELSEWHERE.slice(7).filter((text) => !/^\s|^127\.71\.0\.1$/.test(text) && text !== ''))
    expect(readRanges([text], []).problems, text).not.toEqual([]);
});

test('a scan keeps to its rate, asks no port twice in a pass and touches nothing outside', async () => {
  const clock = createVirtualClock();
  const RATE = 1_000;
  const probes: { readonly at: string; readonly atMs: number }[] = [];
  const ranges = readRanges(isFull ? ['10.71.0.0/16'] : ['10.71.0.0/20'], ['10.71.3.0/24']);
  const account = await clock.finish(
    runScan(
      { ranges, limits: { maxPerSecond: RATE } },
      {
        clock,
        random: () => 0.5,
        async probe(ip, port, timeoutMs) {
          probes.push({ at: `${ip}:${port}`, atMs: clock.monotonicMs() });
          await clock.sleep(timeoutMs);
          return 'silent';
        },
        identify: () => Promise.reject(new Error('nobody is there')),
      },
      {},
      new AbortController().signal,
    ),
  );
  expect(account.counts.silent).toBe(ranges.toProbe);
  const repeats = probes.length - new Set(probes.map(({ at }) => at)).size;
  const astray = probes.filter(({ at }) => !at.startsWith('10.71.') || at.startsWith('10.71.3.')).length;
  const inOneSecond = densest(
    probes.map(({ atMs }) => atMs),
    1_000,
  );
  report({
    id: 'S5',
    value: `${probes.length} probes, at most ${inOneSecond} in a second (set: ${RATE}), ${repeats} repeats, ${astray} outside`,
    bar: '<= set rate, 0 repeats',
    isMet: inOneSecond <= RATE * 1.02 && repeats === 0 && astray === 0,
  });
});

test('identifying changes nothing on any device and knocks gently', async () => {
  const portMap = await suitablePortMap();
  const farm = await startFarm({ network: '127.73.0.0/25', miners: 60, mix: 'all', seed: 5, freeze: true, portMap });
  const config = parseConfig(JSON.stringify({ portMap, networks: ['127.73.0.0/25'] }), {
    baseDir: '/tmp',
    environment: {},
    name: 'test',
  });
  const access = createAccess({ clock: systemClock, log: silentLog, drivers, config, mayReach: () => true });
  onTestFinished(async () => {
    await access.close();
    await farm.stop();
  });
  const state = () => farm.devices.map((device) => JSON.stringify([device.reboots, { ...device.truth(), uptime: 0 }]));
  const before = state();
  Object.assign(most, { ofMiner: 0, ofDoor: 0 });
  const account = await runScan(
    { ranges: config.ranges },
    { clock: systemClock, random: Math.random, probe: access.transport.probe, identify: access.recognise },
    {},
    new AbortController().signal,
  );
  const effects = state().filter((text, i) => text !== before[i]).length;
  // On a busy machine some may answer too late to be told what they are.
  if (isFull) expect(account.counts.identified + account.counts.login_refused).toBe(60);
  expect(account.counts.identified).toBeGreaterThan(0);
  report({
    id: 'S5',
    value: `${account.counts.identified} identified of 127.73.0.0/25: ${effects} devices changed`,
    bar: '0 effects',
    isMet: effects === 0,
  });
  expect(most.ofMiner).toBeLessThanOrEqual(6);
  report({
    id: 'S5',
    value: `at most ${most.ofDoor} connections to a port and ${most.ofMiner} to a miner, idle ones included`,
    bar: '1 request in flight per miner',
    isMet: most.ofMiner <= 1,
    known: 'the doors of one device are asked side by side, so that a mute one does not hide the others',
  });
});
