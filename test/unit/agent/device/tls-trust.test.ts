// A device whose web is read over TLS is known by its key: real sockets, and a device that another one takes the place
// of, at every moment.
import { createServer, type RequestListener, Server } from 'node:http';
import { createServer as createSocketServer, type Server as SocketServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseConfig } from '../../../../src/agent/config/config.ts';
import { createDeviceClient } from '../../../../src/agent/device/device-client.ts';
import { openTrustRecord, type TrustRecord } from '../../../../src/agent/device/trust/trust-record.ts';
import { waitingDevices } from '../../../../src/agent/device/trust/waiting.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { PeerError } from '../../../../src/base/errors.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { type Driver, defineDriver } from '../../../../src/driver/kit/index.ts';
import { DriverSet } from '../../../../src/driver/load/driver-set.ts';
import type { HttpRequest, WebSession } from '../../../../src/transport/request.ts';
import { loopback } from '../../../support/loopback.ts';
import { startTlsFront, type TlsFront, tlsKeyOf } from '../../../support/tls-front.ts';
import { good as a, selfSigned as b } from '../../service-http/certificates.data.ts';

const IP = loopback().ip(9);
const MAC = '02:00:00:00:00:09';
const PASSWORD = 'the-owners-word';
const FACTORY = 'the-factorys-word';
const POOL = 'the-pools-word';
const SESSION: WebSession = {
  name: 'web',
  open: ({ password }) => ({ via: 'http', method: 'POST', path: '/login', json: { password } }),
  grant: ({ status, cookie }) => (status < 400 && cookie !== undefined ? { cookie } : undefined),
};
const ask = (path: string, auth: HttpRequest['auth']) =>
  ({ via: 'http', method: 'GET', path, auth, as: 'json' }) satisfies HttpRequest;

const driver = defineDriver({
  id: 'test',
  make: 'Test',
  covers: [],
  asks: { open: { ...ask('/open', 'none'), every: 'poll' }, status: { ...ask('/status', SESSION), every: 'poll' } },
  abilities: {
    pools: {
      effect: 'once',
      offlineS: [0, 0],
      params: z.object({}),
      async act(link) {
        await link.send({ ...ask('/pools', SESSION), method: 'POST', json: { password: POOL } });
        return { kind: 'accepted' };
      },
    },
  },
  login: { kind: 'session', factoryDefault: { user: 'admin', password: FACTORY } },
  identify: ({ web, version }) =>
    web?.body.includes('test miner') || version !== undefined ? { confidence: 'sure' } : undefined,
  read: ({ status }) => ({ hostname: 'it', isLightOn: status.bool('light') }),
});

/** What stands at port 80: a page that sends to https, the site itself, or nobody who answers. */
type Clear = 'to-https' | 'site' | 'mute';
let clear: Clear;
let heardInTheClear: string;
let servers: SocketServer[];
let front: TlsFront;
let behind: number;
let record: TrustRecord;
let clients: ReturnType<typeof createDeviceClient>[];
let ports: Readonly<Record<number, number>>;

const site: RequestListener = (request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString();
  });
  request.on('end', () => {
    const isRight = body.includes(PASSWORD) || body.includes(FACTORY);
    if (request.url === '/login' && isRight) response.setHeader('set-cookie', 'sid=the-granted-cookie');
    const isIn =
      request.headers.cookie !== undefined || request.url === '/open' || (request.url === '/login' && isRight);
    response.statusCode = isIn ? 200 : 401;
    response.end(request.url === '/' ? 'test miner' : '{"light":true}');
  });
};

async function listen(server: SocketServer): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, IP, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

beforeEach(async () => {
  servers = [];
  clients = [];
  clear = 'to-https';
  heardInTheClear = '';
  record = openTrustRecord(':memory:', systemClock);
  behind = await listen(createServer(site));
  const plain = createServer((request, response) => {
    heardInTheClear += `${request.method} ${request.url} ${JSON.stringify(request.headers)}\n`;
    request.on('data', (chunk: Buffer) => {
      heardInTheClear += chunk.toString();
    });
    if (clear === 'site') return site(request, response);
    if (clear === 'mute') return response.destroy();
    response.writeHead(307, { location: `https://${IP}/` }).end();
  });
  const inTheClear = await listen(plain);
  front = await startTlsFront({ host: IP, to: { host: IP, port: behind }, pair: a });
  ports = { 80: inTheClear, 443: front.port };
});
afterEach(async () => {
  for (const client of clients) await client.close();
  record.close();
  await front.close();
  for (const server of servers) {
    if (server instanceof Server) server.closeAllConnections();
    server.close();
  }
});

/** An agent that starts now. */
function start(
  credentials: object = {
    factoryDefaults: false,
    logins: [{ family: 'antminer-stock', user: 'u', password: 'env:WORD' }],
  },
  given: Driver = driver,
) {
  const config = parseConfig(JSON.stringify({ portMap: ports, networks: [IP], credentials }), {
    ...{ baseDir: '.', environment: { WORD: PASSWORD }, name: 'test' },
  });
  // The driver of this test is none that a configuration may name.
  const logins = config.credentials.logins.map((rule) => ({ ...rule, family: driver.id }));
  const client = createDeviceClient({
    ...{ clock: systemClock, log: silentLog, drivers: new DriverSet([given]), mayReach: (ip: string) => ip === IP },
    config: { ...config, credentials: { ...config.credentials, logins } },
    trust: { record, neighbourAt: () => ({ mac: MAC, isShared: false }), mayLogIn: () => true },
  });
  clients.push(client);
  const signal = new AbortController().signal;
  return {
    scan: () => client.recognise(IP, new Set(Object.keys(ports).map(Number)), signal),
    /** Whether it was read with what only a login shows; the code of the error where nothing was read. */
    async read() {
      const target = client.targetOf(IP, driver.id, {});
      if (target === undefined) throw new Error('no such driver');
      try {
        return (await client.readFresh(target, signal)).reading.isLightOn === true;
      } catch (error) {
        if (error instanceof PeerError) return error.code;
        throw error;
      }
    },
    async order() {
      const target = client.targetOf(IP, driver.id, {});
      if (target === undefined) throw new Error('no such driver');
      return client.act(target, 'pools', {}, signal).then(
        ({ kind }) => kind,
        (error: unknown) => (error instanceof PeerError ? error.code : error),
      );
    },
  };
}

const accept = () => expect(record.accept(waitingDevices(record, systemClock.nowMs()))).toBe(true);
const waiting = () => waitingDevices(record, systemClock.nowMs()).map(({ why, tlsKey }) => [why, tlsKey]);
/** An agent that has met the device with the first key and reads it, because a person accepted it. */
async function startAccepted() {
  const agent = start();
  await agent.scan();
  accept();
  expect(await agent.read()).toBe(true);
  front.listenAnew();
  heardInTheClear = '';
  return agent;
}
/** Nothing of a login, of what a login granted, or of what goes only to who is logged in. */
function expectNoSecret() {
  for (const heard of [front.heard(), heardInTheClear])
    for (const secret of [PASSWORD, FACTORY, POOL, 'the-granted-cookie']) expect(heard).not.toContain(secret);
}

test('a device that was accepted is read over TLS, and nothing of it goes in the clear', async () => {
  const agent = start();
  await agent.scan();
  expect(waiting()).toEqual([['new', tlsKeyOf(a)]]);
  expect(await agent.read()).toBe(false);
  expectNoSecret();
  accept();
  expect(record.allPins()).toMatchObject([{ networkMac: MAC, tlsKey: tlsKeyOf(a) }]);
  expect(await agent.read()).toBe(true);
  expect(await agent.order()).toBe('accepted');
  expect(front.heard()).toContain(PASSWORD);
  expect(heardInTheClear).not.toMatch(/login|status|pools/);
});

describe('the same address, MAC and family', () => {
  test('with another key waits until a person accepts it again', async () => {
    const agent = await startAccepted();
    await front.swap(b);
    await agent.scan();
    expect(waiting()).toEqual([['changed', tlsKeyOf(b)]]);
    expect(await agent.read()).toBe(false);
    expect(await agent.order()).toBe('peer.auth');
    expectNoSecret();
    accept();
    expect(await agent.read()).toBe(true);
    expect(front.heard()).toContain(PASSWORD);
  });

  test('in the clear waits, and is read again as soon as it shows its key', async () => {
    const agent = await startAccepted();
    clear = 'site';
    await agent.scan();
    expect(waiting()).toEqual([['changed', null]]);
    expect(await agent.read()).toBe(false);
    expect(await agent.order()).toBe('peer.auth');
    expectNoSecret();
    clear = 'to-https';
    expect(await agent.read()).toBe(true);
    expect(waiting()).toEqual([]);
  });

  test('in the clear is read in the clear once a person has accepted it so, and then waits with a key', async () => {
    const agent = await startAccepted();
    clear = 'site';
    await agent.scan();
    accept();
    expect(await agent.read()).toBe(true);
    expect(heardInTheClear).toContain(PASSWORD);
    clear = 'to-https';
    heardInTheClear = '';
    await agent.scan();
    expect(waiting()).toEqual([['changed', tlsKeyOf(a)]]);
    expect(await agent.read()).toBe(false);
    expectNoSecret();
  });
});

describe('who comes between the question and the login gets nothing', () => {
  test('of a device that was accepted', async () => {
    const agent = await startAccepted();
    await front.swap(b);
    front.listenAnew();
    expect(await agent.read()).toBe('peer.tls-key');
    expect(await agent.order()).toBe('peer.auth');
    expectNoSecret();
    // The next visit asks it again who it is.
    expect(await agent.read()).toBe(false);
    expect(waiting()).toEqual([['changed', tlsKeyOf(b)]]);
    expectNoSecret();
    await front.swap(a);
    expect(await agent.read()).toBe('peer.tls-key');
    expect(await agent.read()).toBe(true);
  });

  test('an order, as the first that meets it', async () => {
    const agent = await startAccepted();
    await front.swap(b);
    front.listenAnew();
    expect(await agent.order()).toBe('peer.tls-key');
    expect(await front.heardInTheEnd()).toBe('');
  });

  test('in the clear either', async () => {
    const agent = await startAccepted();
    clear = 'site';
    await front.drop();
    await front.close();
    expect(await agent.read()).toBe('peer.refused');
    expect(await agent.read()).toBe(false);
    expect(waiting()).toEqual([['changed', null]]);
    expectNoSecret();
  });

  test('where the network is trusted', async () => {
    const agent = start({ trust: 'network', logins: [{ family: 'antminer-stock', user: 'u', password: 'env:WORD' }] });
    await agent.scan();
    expect(await agent.read()).toBe(true);
    await front.swap(b);
    front.listenAnew();
    expect(await agent.read()).toBe('peer.tls-key');
    expect(await front.heardInTheEnd()).toBe('');
  });

  test('not even the factory login, and that counts as no try', async () => {
    const agent = start({});
    clear = 'to-https';
    await agent.scan();
    expect(front.heard()).toContain(FACTORY);
    const late = start({});
    expect(await late.read()).toBe(true);
    await front.swap(b);
    front.listenAnew();
    expect(await late.read()).toBe('peer.tls-key');
    expect(await front.heardInTheEnd()).toBe('');
    expect(record.attempts.last([`ip:${IP}`], driver.id)).toBe('accepted');
  });

  test('while the agent was off', async () => {
    await startAccepted();
    await front.swap(b);
    front.listenAnew();
    // The network shows the MAC that it showed before: the device is not asked again who it is.
    const next = start();
    expect(await next.read()).toBe('peer.tls-key');
    expectNoSecret();
    expect(await next.read()).toBe(false);
    expect(waiting()).toEqual([['changed', tlsKeyOf(b)]]);
  });

  describe('while its page does not show', () => {
    test.each([
      ['because nobody answers there', 'mute', 'peer.tls-key', []],
      ['because it sends to https, where it shows nothing', 'to-https', false, [['changed', tlsKeyOf(b)]]],
    ] as const)('%s', async (_, manner, isRead, whoWaits) => {
      const words = createSocketServer((socket) => socket.on('error', () => {}).end('{"STATUS":[],"VERSION":[]}\0'));
      ports = { ...ports, 4028: await listen(words) };
      const agent = await startAccepted();
      clear = manner;
      await front.drop();
      await front.close();
      expect(await agent.scan()).toMatchObject({ status: 'identified', identity: { confidence: 'sure' } });
      expect(['peer.refused', 'peer.reset']).toContain(await agent.read());
      front = await startTlsFront({ host: IP, port: ports[443] ?? 0, to: { host: IP, port: behind }, pair: b });
      expect(await agent.read()).toBe(isRead);
      expect(waiting()).toEqual(whoWaits);
      expectNoSecret();
      expect(heardInTheClear).not.toMatch(/login|status/);
    });
  });
});

test('who sends to https and shows no key there gets no login in the clear, and has one with its key', async () => {
  const words = createSocketServer((socket) => socket.on('error', () => {}).end('{"STATUS":[],"VERSION":[]}\0'));
  ports = { ...ports, 4028: await listen(words) };
  await front.close();
  const agent = start({ trust: 'network', logins: [{ family: 'antminer-stock', user: 'u', password: 'env:WORD' }] });
  await agent.scan();
  expect(waiting()).toEqual([['no-proof', null]]);
  await agent.read();
  expect(await agent.order()).toBe('peer.auth');
  expectNoSecret();
  front = await startTlsFront({ host: IP, port: ports[443] ?? 0, to: { host: IP, port: behind }, pair: a });
  expect(await agent.read()).toBe(true);
  expect(waiting()).toEqual([]);
  expect(heardInTheClear).not.toMatch(/login/);
});

test('unless a person vouches for it', async () => {
  const words = createSocketServer((socket) => socket.on('error', () => {}).end('{"STATUS":[],"VERSION":[]}\0'));
  ports = { ...ports, 4028: await listen(words) };
  await front.close();
  const agent = start();
  await agent.scan();
  expect(record.accept(waitingDevices(record, systemClock.nowMs()), driver.id)).toBe(true);
  await agent.read();
  expect(heardInTheClear).toContain(PASSWORD);
});

test('a device that wants no login, and gets a new certificate, is read again with the next visit but one', async () => {
  const agent = start({}, { ...driver, login: { kind: 'none' } });
  await agent.scan();
  expect(await agent.read()).toBe(false);
  await front.swap(b);
  expect(await agent.read()).toBe('peer.tls-key');
  expect(await agent.read()).toBe(false);
  expect(front.heard()).toContain('/open');
});

test('who is forgotten gets nothing on a connection that is still open', async () => {
  const agent = await startAccepted();
  record.forget(record.allPins());
  front.listenAnew();
  await agent.scan();
  expect(await agent.read()).toBe(false);
  expect(waiting()).toEqual([['new', tlsKeyOf(a)]]);
  expectNoSecret();
});
