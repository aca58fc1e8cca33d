// Whom the agent touches: only addresses of the ranges, whatever a device, a redirect, a task or a text says.
// Connections are counted where sockets are made and by listeners that must stay alone.

import { createSocket } from 'node:dgram';
import { createServer as createSecure } from 'node:https';
import { createServer, type Server, Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { createFetch } from '../../src/agent/firmware/fetch.ts';
import { createIpReports } from '../../src/agent/ip-reports/listener.ts';
import { createScanTask } from '../../src/agent/tasks/kinds/scan-task.ts';
import { systemClock } from '../../src/base/clock.ts';
import { PeerError, RefusedError } from '../../src/base/errors.ts';
import { silentLog } from '../../src/base/log.ts';
import { parseIpv4 } from '../../src/base/net/ipv4.ts';
import { readRanges } from '../../src/base/net/ranges.ts';
import { Secret } from '../../src/base/secrets.ts';
import type { MinerRequest } from '../../src/transport/request.ts';
import { createTransport } from '../../src/transport/transport.ts';
import { until } from '../e2e/until.ts';
import { authority, good } from '../unit/service-http/certificates.data.ts';
import { report } from './table.ts';

/** Every connection of this process. */
const connects: string[] = [];
const connect = Socket.prototype.connect;
function watchedConnect(this: Socket, ...args: unknown[]): Socket {
  connects.push(JSON.stringify(args, (_, value) => (typeof value === 'function' ? undefined : value)));
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

test('what the service or a report names outside the ranges is refused before anything is sent', async () => {
  const before = connects.length;
  let scans = 0;
  const task = createScanTask({
    ...{ clock: systemClock, log: silentLog, configured: () => ALLOWED },
    ...{
      report: async () => {},
      describe: ({ ip, status }) => ({ ip, status, driver: null, model: null, advice: null }),
    },
    planFor: (ranges) => ({ ranges, limits: {} }),
    scans: {
      run: () => {
        scans++;
        return Promise.reject(new Error('must not be scanned'));
      },
    },
  });
  const wider = ['127.71.0.0/29', '127.71.0.0-127.72.0.1', '0.0.0.0/0', '127.70.255.255-127.71.0.1'];
  const asked = [...ELSEWHERE.filter((text) => text.trim() !== INSIDE), ...wider];
  const control = {
    find: () => undefined,
    mayReach,
    observe: () => Promise.reject(new Error('a scan looks at no miner')),
    onProgress() {},
  };
  const ends = await Promise.all(
    asked.map((range, n) =>
      task.run(
        { taskId: `${n}`, minerKey: 'agent', params: { ranges: [INSIDE, range] } },
        new AbortController().signal,
        control,
      ),
    ),
  );
  const scanned = ends.filter(({ status, message }) => status !== 'failed' || !message?.startsWith('refused: '));
  expect(scanned).toEqual([]);

  // An image: from hosts that are named on site, and where these send the agent only if that is named too.
  let fetched = 0;
  /** A header can hold no more. */
  const plain = (text: string) => (/^[ -~]*$/.test(text) ? text : new URL(text).href);
  const allowed = createSecure({ ...good }, ({ url = '' }, reply) => {
    fetched++;
    reply.writeHead(302, { location: plain(decodeURIComponent(url.slice(1))) });
    reply.end();
  });
  await new Promise<void>((resolve) => allowed.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => {
    allowed.closeAllConnections();
    allowed.close();
  });
  const address = allowed.address();
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const fetchTo = createFetch(systemClock, { deadlineMs: 5_000, maxBytes: 1_000 }, authority);
  const addresses = ELSEWHERE.filter((text) => !text.includes('/') && text.trim() !== '')
    .flatMap((text) => [
      `https://${text}/x`,
      `https://${text.includes(':') ? `[${text}]` : text}:1/x`,
      `http://${host}/x`,
    ])
    .filter((text) => URL.canParse(text));
  const refusals: string[] = [];
  const refusedAt = async (url: string) => {
    try {
      await fetchTo('/dev/null', new URL(url), [host], new AbortController().signal);
    } catch (error) {
      if (error instanceof RefusedError) refusals.push(error.code);
    }
  };
  for (const url of addresses) {
    await refusedAt(url);
    await refusedAt(`https://${host}/${encodeURIComponent(url)}`);
  }
  expect(fetched).toBe(addresses.length);
  expect(new Set(refusals)).toEqual(new Set(['fetch.host']));

  // A report of a miner, from inside and from elsewhere.
  const hints: string[] = [];
  const listener = createIpReports({
    drivers: { all: drivers },
    clock: { ...systemClock, monotonicMs: () => 0 },
    log: silentLog,
    portOf: () => 0,
    isOurs: mayReach,
    onReport: ({ ip }) => void hints.push(ip),
  });
  await listener.start();
  onTestFinished(() => listener.stop());
  const port = listener.ports().get(14_235) ?? 0;
  const say = async (from: string, text: string) => {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, from, () => resolve()));
    await new Promise((resolve) => socket.send(`${text},CC:0C:13:00:00:17`, port, '127.0.0.1', resolve));
    await new Promise<void>((resolve) => socket.close(() => resolve()));
  };
  for (const text of ['10.0.0.1', '169.254.169.254', '224.0.0.1', '127.72.0.1']) await say('127.71.0.2', text);
  await say('127.72.0.1', INSIDE);
  // Heard after all of these, so that they have been judged.
  await say(INSIDE, INSIDE);
  await until(
    () => hints.length,
    (count) => count > 0,
  );
  const astray = connects.slice(before).filter((text) => !text.includes('127.0.0.1'));
  report({
    id: 'S4',
    value: `${asked.length} orders to scan, ${2 * addresses.length} addresses of images, 5 reports: ${scans + 2 * addresses.length - refusals.length + hints.length - 1} not refused, ${astray.length} connections astray`,
    bar: '0 packets, 100 % refused',
    isMet: scans === 0 && refusals.length === 2 * addresses.length && hints.join() === INSIDE && astray.length === 0,
  });
});
