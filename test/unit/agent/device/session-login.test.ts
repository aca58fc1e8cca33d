// What the device client adds to a driver: a factory login by session is tried once, an accepted one is a fact, a fresh
// look takes nothing from memory.
import { createServer, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { parseConfig } from '../../../../src/agent/config/config.ts';
import { defineDriver, type FirmwareImage } from '../../../../src/driver/kit/index.ts';
import type { HttpRequest, WebSession } from '../../../../src/transport/request.ts';
import { freshClient } from '../../../support/fresh-client.ts';
import { freshTrust } from '../../../support/fresh-trust.ts';
import { loopback } from '../../../support/loopback.ts';

const IP = loopback().ip(3);
const SESSION: WebSession = {
  name: 'web',
  open: ({ user, password }) => ({ via: 'http', method: 'POST', path: '/login', form: { user, password } }),
  grant: ({ status, cookie }) => (status < 400 && cookie !== undefined ? { cookie } : undefined),
};
const ask = (path: string, auth: HttpRequest['auth']): HttpRequest => ({
  via: 'http',
  method: 'GET',
  path,
  auth,
  as: 'json',
});

const images: (FirmwareImage | undefined)[] = [];
const driver = defineDriver({
  id: 'test',
  make: 'Test',
  covers: [],
  asks: {
    open: { ...ask('/open', 'none'), every: 'poll' },
    status: { ...ask('/status', SESSION), every: 'slow' },
    more: { ...ask('/more', SESSION), every: 'slow' },
  },
  abilities: {
    firmware: {
      effect: 'once',
      offlineS: [0, 0],
      params: z.object({}),
      async act(_link, _params, _known, image) {
        images.push(image);
        return { kind: 'accepted' };
      },
    },
  },
  login: { kind: 'session', factoryDefault: { user: 'admin', password: 'factory' } },
  identify: ({ web }) => (web === undefined ? undefined : { confidence: 'sure' }),
  read: ({ status }) => ({ hostname: 'it', isLightOn: status.bool('light') }),
});

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Takes one password; counts logins and requests. */
async function start(password: string) {
  const state = { logins: 0, asked: 0, light: false };
  const web = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      if (request.url === '/login') {
        state.logins++;
        if (new URLSearchParams(body).get('password') === password) response.setHeader('set-cookie', 'sid=1');
        else response.statusCode = 401;
        response.end('{}');
        return;
      }
      if (request.url === '/open') {
        response.end('{}');
        return;
      }
      state.asked++;
      response.statusCode = request.headers.cookie === 'sid=1' ? 200 : 401;
      response.end(JSON.stringify({ light: state.light }));
    });
  });
  server = web;
  await new Promise<void>((resolve) => web.listen(0, IP, resolve));
  const address = web.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return { state, port: address.port };
}

function clientFor(port: number, credentials: object = {}) {
  const config = parseConfig(JSON.stringify({ portMap: { 80: port }, networks: [IP], credentials }), {
    baseDir: '.',
    environment: { MINE: 'my-own-password' },
    name: 'test',
  });
  const trust = freshTrust();
  const client = freshClient({ drivers: [driver], config, trust });
  const target = client.targetOf(IP, 'test', {});
  if (target === undefined) throw new Error('no target');
  return { client, target };
}

const signal = new AbortController().signal;

test('a refused factory login is sent once, however many questions and visits there are', async () => {
  const { state, port } = await start('another');
  const { client, target } = clientFor(port);
  for (let visit = 0; visit < 3; visit++) {
    const outcome = await client.readFresh(target, signal);
    expect(outcome.isLoginRefused).toBe(true);
    expect(outcome.isFactoryLogin).toBeUndefined();
  }
  await client.close();
  expect(state.logins).toBe(1);
});

test('an accepted factory login is told as such, and serves all visits', async () => {
  const { state, port } = await start('factory');
  const { client, target } = clientFor(port);
  for (let visit = 0; visit < 3; visit++) {
    expect(await client.readFresh(target, signal)).toMatchObject({ isFactoryLogin: true, isLoginRefused: false });
  }
  await client.close();
  expect(state.logins).toBe(1);
});

test('a login of the operator is not told as the factory login', async () => {
  const { port } = await start('my-own-password');
  const logins = [{ user: 'admin', password: 'env:MINE', range: IP }];
  const { client, target } = clientFor(port, { trust: 'network', logins });
  const outcome = await client.readFresh(target, signal);
  await client.close();
  expect(outcome.isLoginRefused).toBe(false);
  expect(outcome.isFactoryLogin).toBeUndefined();
  expect(client.secrets()).toEqual(['my-own-password']);
});

test('a fresh look asks again what an ordinary one remembers, and after a command the ordinary one does too', async () => {
  const { state, port } = await start('factory');
  const { client, target } = clientFor(port);
  const isLightOn = async (read: 'read' | 'readFresh') => (await client[read](target, signal)).reading.isLightOn;
  expect(await isLightOn('read')).toBe(false);
  state.light = true;
  expect(await isLightOn('read')).toBe(false);
  expect(await isLightOn('readFresh')).toBe(true);
  expect(await isLightOn('read')).toBe(false);
  const image = { name: 'x', sha256: 'ab', bytes: new Blob(['x']) };
  await client.act(target, 'firmware', {}, signal, image);
  expect(images).toEqual([image]);
  expect(await isLightOn('read')).toBe(true);
  await client.close();
});
