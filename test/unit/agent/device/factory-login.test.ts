// A factory login is tried once per miner and day, however many questions a visit has and however often it is visited;
// a configured one seldom while it is refused.
import { createServer, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { parseConfig } from '../../../../src/agent/config/config.ts';
import { type Clock, systemClock } from '../../../../src/base/clock.ts';
import { freshClient } from '../../../support/fresh-client.ts';
import { freshTrust } from '../../../support/fresh-trust.ts';
import { loopback } from '../../../support/loopback.ts';

const IP = loopback().ip(2);
let server: Server | undefined;

afterEach(() => {
  server?.close();
});

/** The web server of an Antminer that refuses every login; says how many it was shown. */
async function startRefusing(more = ''): Promise<{ port: number; logins: () => number; requests: () => number }> {
  let requests = 0;
  let logins = 0;
  const web = createServer((request, response) => {
    requests++;
    if (request.headers.authorization !== undefined) logins++;
    response
      .writeHead(401, {
        server: 'lighttpd/1.4.32',
        'www-authenticate': `Digest realm="antMiner Configuration", nonce="n${requests}", qop="auth"${more}`,
      })
      .end();
  });
  server = web;
  await new Promise<void>((resolve) => web.listen(0, IP, resolve));
  const address = web.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return { port: address.port, logins: () => logins, requests: () => requests };
}

/** Real time for I/O, with leaps. */
function createVirtualWaits() {
  let leptMs = 0;
  return {
    ...systemClock,
    monotonicMs: () => systemClock.monotonicMs() + leptMs,
    elapsedMs: () => systemClock.elapsedMs() + leptMs,
    nowMs: () => systemClock.nowMs() + leptMs,
    pass: (ms: number) => {
      leptMs += ms;
    },
  };
}

function clientFor(port: number, credentials: object, clock: Clock = systemClock) {
  const config = parseConfig(JSON.stringify({ portMap: { 80: port }, networks: [IP], credentials }), {
    baseDir: '.',
    environment: { WRONG: 'wrong' },
    name: 'test',
  });
  return freshClient({ clock, config, mayReach: (ip) => ip === IP, trust: freshTrust(clock) });
}

async function visitThrice(client: ReturnType<typeof clientFor>, isLast = true): Promise<string[]> {
  const statuses: string[] = [];
  for (let visit = 0; visit < 3; visit++) {
    statuses.push((await client.recognise(IP, new Set([80]), new AbortController().signal)).status);
  }
  if (isLast) await client.close();
  return statuses;
}

test('a refused factory login is not tried again', async () => {
  const { port, logins } = await startRefusing();
  const statuses = await visitThrice(clientFor(port, {}));
  expect(logins()).toBe(1);
  expect(statuses).toEqual(['login_refused', 'login_refused', 'login_refused']);
});

test('a question that tells siblings apart costs no second login', async () => {
  // Spelled out like this it may be MARA, which is asked behind the login before stock is.
  const factory = await startRefusing(', algorithm=MD5');
  await visitThrice(clientFor(factory.port, {}));
  expect(factory.logins()).toBe(1);
  server?.close();
  const configured = await startRefusing(', algorithm=MD5');
  await visitThrice(
    clientFor(configured.port, { trust: 'network', logins: [{ user: 'root', password: 'env:WRONG', range: IP }] }),
  );
  expect(configured.logins()).toBe(1);
});

test('no factory login is tried where the configuration forbids it', async () => {
  const { port, logins } = await startRefusing();
  await visitThrice(clientFor(port, { factoryDefaults: false }));
  expect(logins()).toBe(0);
});

test('a refused configured login is not tried again with the next visits, and no other beside it', async () => {
  const { port, logins } = await startRefusing();
  const clock = createVirtualWaits();
  const client = clientFor(
    port,
    { trust: 'network', logins: [{ user: 'root', password: 'env:WRONG', range: IP }] },
    clock,
  );
  await visitThrice(client, false);
  expect(logins()).toBe(1);
  clock.pass(23 * 3_600_000);
  await visitThrice(client, false);
  expect(logins()).toBe(1);
  clock.pass(2 * 3_600_000);
  await visitThrice(client, false);
  expect(logins()).toBe(2);
  // Another unit stands there now.
  client.forgetRefusals(IP);
  await visitThrice(client);
  expect(logins()).toBe(3);
});

test('a refused factory login is tried again after a day, not before', async () => {
  const { port, logins } = await startRefusing();
  const clock = createVirtualWaits();
  const client = clientFor(port, {}, clock);
  await visitThrice(client, false);
  clock.pass(23 * 3_600_000);
  await visitThrice(client, false);
  expect(logins()).toBe(1);
  clock.pass(2 * 3_600_000);
  await visitThrice(client, false);
  expect(logins()).toBe(2);
  // Another unit at the same address gets none either.
  client.forgetRefusals(IP);
  await visitThrice(client);
  expect(logins()).toBe(2);
});

test('a scan that nobody waits for takes what a visit said a moment ago, and looks for itself after that', async () => {
  const { port, logins, requests } = await startRefusing();
  const clock = createVirtualWaits();
  const client = clientFor(port, {}, clock);
  const scan = () => client.recognise(IP, new Set([80]), new AbortController().signal, false, true);
  const first = await scan();
  expect(first).toMatchObject({ status: 'login_refused', target: { driver: { id: 'antminer-stock' } } });
  expect(logins()).toBe(1);
  const shown = requests();
  const again = await scan();
  expect(again).toMatchObject({ status: 'login_refused', target: { driver: { id: 'antminer-stock' } } });
  expect(again).not.toHaveProperty('outcome');
  expect(requests()).toBe(shown);
  clock.pass(91_000);
  await scan();
  expect(requests()).toBeGreaterThan(shown);
  await client.close();
});
