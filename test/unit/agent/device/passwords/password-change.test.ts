// A new password at a device with real sockets and a real record: kept before it is sent, tried first, settled by a
// login only, and at hand after a kill at every moment.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseConfig } from '../../../../../src/agent/config/config.ts';
import { createDeviceClient } from '../../../../../src/agent/device/device-client.ts';
import { openTrustRecord, TRUST_FILE, type TrustRecord } from '../../../../../src/agent/device/trust/trust-record.ts';
import { systemClock } from '../../../../../src/base/clock.ts';
import { PeerError, RefusedError } from '../../../../../src/base/errors.ts';
import { silentLog } from '../../../../../src/base/log.ts';
import { createVault, type Vault } from '../../../../../src/base/storage/vault.ts';
import * as kit from '../../../../../src/driver/kit/index.ts';
import { DriverSet } from '../../../../../src/driver/load/driver-set.ts';
import type { HttpRequest, WebSession } from '../../../../../src/transport/request.ts';
import { loopback } from '../../../../support/loopback.ts';

const IP = loopback().ip(9);
const FACTORY = 'the-factorys-word';
const NEW = 'the-new-word';
const signal = new AbortController().signal;
const SESSION: WebSession = {
  name: 'web',
  open: ({ password }) => ({ via: 'http', method: 'POST', path: '/login', json: { password } }),
  grant: ({ status, cookie }) => (status < 400 && cookie !== undefined ? { cookie } : undefined),
};
const ask = (path: string, auth: HttpRequest['auth']) =>
  ({ via: 'http', method: 'GET', path, auth, as: 'json' }) satisfies HttpRequest;

const driver = kit.defineDriver({
  id: 'test',
  make: 'Test',
  covers: [],
  asks: { open: { ...ask('/open', 'none'), every: 'poll' }, status: { ...ask('/status', SESSION), every: 'poll' } },
  abilities: {
    password: kit.password({
      offlineS: [0, 0],
      async set(link, password) {
        await link.send({ ...ask('/password', SESSION), method: 'POST', json: { password } });
        return { kind: 'accepted' };
      },
    }),
  },
  login: { kind: 'session', factoryDefault: { user: 'admin', password: FACTORY } },
  identify: ({ web }) => (web?.body.includes('test miner') ? { confidence: 'sure' } : undefined),
  read: ({ status }) => ({ hostname: 'it', isLightOn: status.bool('light') }),
});

/** What it does with a new password: takes it, keeps its own and says yes, says no, or dies before the answer. */
type Way = 'takes' | 'keeps' | 'refuses' | 'loses' | 'asks-for-none';
let way: Way;
let password: string;
/** Each login, as it was tried. */
let tried: string[];
let onChange: () => void;
let server: Server;
let folder: string;
let records: TrustRecord[];
let clients: ReturnType<typeof createDeviceClient>[];
const vault = createVault(randomBytes(32));

beforeEach(async () => {
  [way, password, tried, records, clients] = ['takes', FACTORY, [], [], []];
  onChange = () => {};
  folder = mkdtempSync(join(tmpdir(), 'pithead-change-'));
  let sessions = 0;
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const end = (status: number, text = '{"light":true}') => {
        response.statusCode = status;
        response.end(text);
      };
      if (request.url === '/' || request.url === '/open') return end(200, request.url === '/' ? 'test miner' : '{}');
      if (request.url === '/login') {
        const given: unknown = JSON.parse(body).password;
        tried.push(String(given));
        if (given !== password) return end(401);
        response.setHeader('set-cookie', `sid=${password}-${++sessions}`);
        return end(200);
      }
      const isIn = way === 'asks-for-none' || request.headers.cookie?.startsWith(`sid=${password}-`) === true;
      if (!isIn) return end(401);
      if (request.url !== '/password') return end(200);
      onChange();
      if (way === 'refuses') return end(400, '{"error":"too short"}');
      if (way === 'takes' || way === 'loses') password = JSON.parse(body).password;
      return way === 'loses' ? request.socket.destroy() : end(200);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, IP, resolve));
});
afterEach(async () => {
  for (const client of clients) await client.close();
  for (const record of records) record.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

type Options = { readonly logins?: readonly object[]; readonly trust?: string; readonly key?: Vault | 'none' };

/** As another process of this host has it: only the file is shared. */
function program({ logins = [], trust = 'network', key = vault }: Options = {}) {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  const config = parseConfig(
    JSON.stringify({ portMap: { 80: address.port }, networks: [IP], credentials: { trust, logins } }),
    { baseDir: folder, environment: { OWNER: 'the-owners-word' }, name: 'test' },
  );
  const record = openTrustRecord(join(folder, TRUST_FILE), systemClock, { vault: key === 'none' ? undefined : key });
  records.push(record);
  const client = createDeviceClient({
    ...{ clock: systemClock, log: silentLog, drivers: new DriverSet([driver]), config, mayReach: () => true },
    trust: { record, neighbourAt: () => undefined, mayLogIn: () => true },
  });
  clients.push(client);
  const target = client.targetOf(IP, driver.id, {});
  if (target === undefined) throw new Error('there is no such driver');
  return {
    client,
    record,
    target,
    visit: () => client.readFresh(target, signal),
    change: (to = NEW) => client.act(target, 'password', { password: to }, signal),
    shown: (of = NEW) => client.passwordShown(target, of, signal),
    kept: () => record.passwords.of([`ip:${IP}`])?.kept,
  };
}

test('the new one is kept before it is sent, settled by the login with it, and every program has it', async () => {
  const agent = program();
  expect((await agent.visit()).isFactoryLogin).toBe(true);
  let keptThen: unknown;
  onChange = () => {
    keptThen = program().kept();
  };
  expect(await agent.change()).toEqual({ kind: 'accepted' });
  expect(keptThen).toEqual({ user: 'admin', current: FACTORY, isSet: false, next: NEW });
  expect(await agent.shown(), 'an answer proves nothing').toBe('open');
  const visit = await agent.visit();
  expect(visit.isLoginRefused).toBe(false);
  expect(visit.isFactoryLogin).toBeUndefined();
  expect(await agent.shown()).toBe('new');
  expect(agent.kept()).toEqual({ user: 'admin', current: NEW, isSet: true, next: null });
  expect(agent.client.secrets()).toContain(NEW);
  const command = program();
  expect((await command.visit()).isLoginRefused).toBe(false);
  expect(tried).toEqual([FACTORY, NEW, NEW]);
});

test('killed between the seal and the request: one login too many, and both stay', async () => {
  // The program is gone before its request leaves it.
  const gone = program();
  await gone.visit();
  gone.record.passwords.replace(undefined, `ip:${IP}`, { user: 'admin', current: FACTORY, isSet: false, next: NEW });
  const next = program();
  expect((await next.visit()).isLoginRefused).toBe(true);
  expect(await next.shown()).toBe('refused');
  const visit = await next.visit();
  expect([visit.isLoginRefused, visit.isFactoryLogin]).toEqual([false, true]);
  expect(await next.shown()).toBe('old');
  await program().visit();
  expect(tried.filter((word) => word === NEW)).toHaveLength(1);
  expect(next.kept()).toMatchObject({ current: FACTORY, next: NEW });
  // What was refused does not stand in the way of another change.
  await next.change('another-word');
  await next.visit();
  expect(next.kept()).toEqual({ user: 'admin', current: 'another-word', isSet: true, next: null });
});

test('killed between the request and the proof: the next program settles it', async () => {
  const gone = program();
  await gone.change();
  const next = program();
  expect(await next.shown()).toBe('open');
  expect((await next.visit()).isLoginRefused).toBe(false);
  expect(await next.shown()).toBe('new');
  expect(tried).toEqual([FACTORY, NEW]);
});

test('a device that says yes and keeps its own: tried once, and once more when the proof asks for it', async () => {
  const agent = program();
  way = 'keeps';
  await agent.change();
  for (let visit = 0; visit < 3; visit++) await agent.visit();
  expect(await agent.shown()).toBe('old');
  expect(tried.filter((word) => word === NEW)).toHaveLength(1);
  agent.client.tryPasswordAgain(agent.target);
  // It has taken it over late.
  password = NEW;
  await agent.visit();
  expect(await agent.shown()).toBe('new');
  expect(tried.filter((word) => word === NEW)).toHaveLength(2);
});

test('a device that says no has its own, and nothing is kept of the new one', async () => {
  const agent = program();
  way = 'refuses';
  await expect(agent.change()).rejects.toThrow(PeerError);
  expect(agent.kept()).toBeUndefined();
  expect((await agent.visit()).isFactoryLogin).toBe(true);
  expect(await agent.shown()).toBe('none');
});

test('of a lost reply both stay until a login tells', async () => {
  const agent = program();
  way = 'loses';
  await expect(agent.change()).rejects.toThrow(PeerError);
  expect(agent.kept()).toMatchObject({ current: FACTORY, next: NEW });
  expect(agent.client.whyNoPassword(agent.target)).toContain('an earlier change of its password is still open');
  await expect(agent.change('another-word')).rejects.toThrow(RefusedError);
  await agent.visit();
  expect(await agent.shown()).toBe('new');
  expect(agent.client.whyNoPassword(agent.target)).toBeUndefined();
});

test('a device that asks for no login proves nothing', async () => {
  const agent = program();
  await agent.visit();
  way = 'keeps';
  await agent.change();
  way = 'asks-for-none';
  // Without a session it is let in: no login is tried.
  const other = program();
  tried = [];
  server.removeAllListeners('request');
  server.on('request', (_, response) => response.end('{"light":true,"page":"test miner"}'));
  await other.visit();
  expect(tried).toEqual([]);
  expect(await other.shown()).not.toBe('new');
  expect(other.kept()).toMatchObject({ next: NEW });
});

test('what the owner has set by hand and in the configuration counts once the device refuses ours', async () => {
  const agent = program();
  await agent.change();
  await agent.visit();
  const logins = [{ user: 'admin', password: 'env:OWNER', family: 'test' }];
  const edited = program({ logins });
  expect((await edited.visit()).isLoginRefused, 'what was set goes first').toBe(false);
  expect(edited.kept()).toMatchObject({ current: NEW });
  password = 'the-owners-word';
  expect((await edited.visit()).isLoginRefused).toBe(true);
  expect((await edited.visit()).isLoginRefused).toBe(false);
  expect(edited.kept(), 'it is out of date').toBeUndefined();
  expect(tried.filter((word) => word === NEW).length).toBeLessThanOrEqual(4);
});

test('nothing is sent without a key, or to a device that no person has accepted', async () => {
  const withoutKey = program({ key: 'none' });
  await withoutKey.visit();
  await expect(withoutKey.change()).rejects.toThrow(/no key file: .*pithead config seal/);
  const stranger = program({ trust: 'pinned' });
  await stranger.visit();
  await expect(stranger.change()).rejects.toThrow('no person has accepted it yet');
  expect(password).toBe(FACTORY);
});

test('a login that the device refuses is no login to change it with', async () => {
  password = 'unknown';
  const agent = program();
  await agent.visit();
  expect(agent.client.whyNoPassword(agent.target)).toBe('no login that it accepts is known here');
});
