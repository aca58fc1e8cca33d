// Whom the agent touches: only addresses of the ranges, whatever a device, a redirect, a task or a text says. Connections are counted where sockets
// are made and by listeners that must stay alone.
import { createServer, type Server, Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readRanges } from '../../src/agent/scan/ranges.ts';
import { systemClock } from '../../src/base/clock.ts';
import { PeerError, RefusedError } from '../../src/base/errors.ts';
import { parseIpv4 } from '../../src/base/ipv4.ts';
import { silentLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import type { MinerRequest } from '../../src/transport/request.ts';
import { createTransport } from '../../src/transport/transport.ts';
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
