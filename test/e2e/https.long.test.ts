// Miners whose web wants to be read over HTTPS, of two real families, through agent, service and commands: read and
// ordered over TLS once a person has accepted them; who shows another key, or none, gets nothing and waits. TLS, and
// the page that sends there, stand before devices of the simulated farm.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Device, type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import { silentLog } from '../../src/base/log.ts';
import { type Stack, startStack } from '../../src/cli/run/all-in-one.ts';
import { loopback } from '../support/loopback.ts';
import { neighbourAt } from '../support/neighbours.ts';
import { startTlsFront, type TlsFront, tlsKeyOf } from '../support/tls-front.ts';
import { good as a, selfSigned as b } from '../unit/service-http/certificates.data.ts';
import { runPithead } from './process.ts';
import { until } from './until.ts';

const { network: NETWORK } = loopback(29);
/** Where the farm has its web, and where its miners have it for the agent. */
const BEHIND = 18_481;
const PORTS = { 80: 18_482, 443: 18_483 };
const KINDS = ['antminer-c', 'vnish'];

let folder: string;
let config: string;
let farm: Farm;
let stack: Stack;
let fronts: TlsFront[];
/** What came to port 80 of each. */
let heardInTheClear: string;
let isInTheClear = false;
const plain: Server[] = [];
const sockets = new Set<Socket>();

/** Port 80: a page that sends to https whatever is asked, or the site of the device itself. */
async function startPlain({ ip }: Device) {
  const keep = (socket: Socket) => {
    sockets.add(socket.on('error', () => socket.destroy()));
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    keep(socket);
    socket.on('data', (bytes: Buffer) => {
      heardInTheClear += bytes.toString('latin1');
    });
    if (!isInTheClear) {
      const answer = `HTTP/1.1 307 Temporary Redirect\r\nlocation: https://${ip}/\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
      socket.once('data', () => socket.end(answer));
      return;
    }
    const behind = connect({ host: ip, port: BEHIND });
    keep(behind);
    socket.pipe(behind).pipe(socket);
    behind.once('close', () => socket.destroy());
  });
  plain.push(server);
  await new Promise<void>((resolve) => server.listen(PORTS[80], ip, resolve));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-https-'));
  heardInTheClear = '';
  farm = await startFarm({
    ...{ network: NETWORK, miners: KINDS.length, seed: 8, noise: 0, portMap: { 80: BEHIND } },
    mix: Object.fromEntries(KINDS.map((kind) => [kind, 1])),
  });
  for (const device of farm.devices) device.setFault('wrong-password', true);
  for (const device of farm.devices) await startPlain(device);
  fronts = await Promise.all(
    farm.devices.map(({ ip }) =>
      startTlsFront({ host: ip, port: PORTS[443], to: { host: ip, port: BEHIND }, pair: a }),
    ),
  );
  const logins = farm.devices.map(({ ip, login }, index) => ({
    range: ip,
    user: login?.user,
    password: `env:WORD_${index}`,
  }));
  const environment = Object.fromEntries(passwords().map((word, index) => [`WORD_${index}`, word]));
  config = join(folder, 'pithead.yaml');
  const text = JSON.stringify({
    ...{ stateDir: 'state', networks: [NETWORK], portMap: PORTS, scan: { maxPerSecond: 50_000 } },
    poll: { interval: '1s', slowEvery: 1, staticEvery: '5s', deadline: '3s' },
    credentials: { logins },
  });
  writeFileSync(config, text, { mode: 0o600 });
  const parsed = parseConfig(text, {
    ...{ baseDir: folder, environment: { ...environment, XDG_CONFIG_HOME: folder }, name: 'test' },
  });
  const neighbours = { at: (ip: string) => neighbourAt(farm, ip) };
  stack = await startStack({ config: parsed, host: '127.0.0.1', port: 0, log: silentLog, neighbours });
});
afterAll(async () => {
  await stack.stop();
  for (const front of fronts) await front.close();
  for (const socket of sockets) socket.destroy();
  for (const server of plain) server.close();
  await farm.stop();
  rmSync(folder, { recursive: true, force: true });
});

const passwords = () => farm.devices.map(({ login }) => login?.password ?? '');
const pithead = (...args: string[]) => {
  const environment = Object.fromEntries(passwords().map((word, index) => [`WORD_${index}`, word]));
  return runPithead([...args, '--config', config], { cwd: folder, environment });
};
const listSchema = z.object({
  devices: z.array(z.looseObject({ ip: z.string(), why: z.string(), tls_key: z.string().nullable() })),
});
const listed = async (...more: string[]) =>
  listSchema.parse(JSON.parse((await pithead('trust', 'list', '--json', ...more)).stdout)).devices;
const whoWaits = () => listed().then((devices) => devices.map(({ why, tls_key: key }) => [why, key]));
const both = (why: string, key: string | null) => KINDS.map(() => [why, key]);
const eventsSchema = z.looseObject({
  data: z.array(
    z.looseObject({ at: z.string(), detail: z.object({ count: z.int(), addresses: z.array(z.string()) }) }),
  ),
});
const known = () => [...stack.agent.fleet.all()];
/** Of the Antminer nothing shows without a login; of the VNish everything but what changes it. */
const isRead = () =>
  known()
    .map(({ target, reading }) => [target.driver.id, reading?.mac !== undefined])
    .toSorted();
const ALL_READ = [
  ['antminer-stock', true],
  ['vnish', true],
];
const lightOn = (on: boolean) =>
  Promise.all(
    known().map(
      ({ key }) => stack.agent.tasks.runLocal({ name: 'miner.light.update', minerKey: key, params: { on } }).outcome,
    ),
  );
/** Of the passwords, in whatever form they go: digest answers, logins, tokens that a login gave. */
const LOGGED_IN = /authorization:|unlock|cookie:/i;
const listenAnew = () => {
  heardInTheClear = '';
  for (const front of fronts) front.listenAnew();
};
const heard = () => [heardInTheClear, ...fronts.map((front) => front.heard())].join('\n');

test('they are met over TLS, wait with their key, and get nothing', async () => {
  await stack.agent.scan();
  expect(await until(whoWaits, (waiting) => waiting.length === KINDS.length)).toEqual(both('new', tlsKeyOf(a)));
  const { stdout } = await pithead('trust', 'list');
  expect(stdout).toContain('TLS KEY');
  expect(stdout).toContain(` ${tlsKeyOf(a).slice(0, 16)} `);
  expect(heard()).not.toMatch(LOGGED_IN);
  expect(heardInTheClear).toContain('GET / ');
});

test('once accepted they are read, and take an order, over TLS alone', async () => {
  expect((await pithead('trust', 'accept', '--all')).code).toBe(0);
  expect(await until(isRead, (read) => read.every(([, has]) => has))).toEqual(ALL_READ);
  expect(await lightOn(true)).toMatchObject(KINDS.map(() => ({ status: 'succeeded' })));
  expect(fronts.map((front) => LOGGED_IN.test(front.heard()))).toEqual([true, true]);
  expect(heardInTheClear).not.toMatch(/authorization|unlock|cookie|cgi-bin|api/i);
  expect(await listed('--accepted')).toMatchObject(KINDS.map(() => ({ tls_key: tlsKeyOf(a), by: 'network' })));
});

test('who shows another key at their addresses gets nothing, and waits as changed, with an event', async () => {
  for (const front of fronts) await front.swap(b);
  listenAnew();
  const sinceMs = Date.now();
  expect(await until(whoWaits, (waiting) => waiting.length === KINDS.length)).toEqual(both('changed', tlsKeyOf(b)));
  expect(await lightOn(false)).toMatchObject(KINDS.map(() => ({ status: 'failed' })));
  expect(heard()).not.toMatch(LOGGED_IN);
  const { key } = await stack.service.admin.createKey({ workspaceId: stack.workspaceId, name: 'e2e', role: 'admin' });
  const farmUrl = `${stack.url}/public-api/v2/workspaces/${stack.workspaceId}/farms/${stack.farmId}`;
  const told = async () => {
    const answer = await fetch(`${farmUrl}/events?type=trust_waiting&page_size=100`, { headers: { 'x-api-key': key } });
    const { data } = eventsSchema.parse(await answer.json());
    return data.filter(({ at }) => Date.parse(at) >= sinceMs).flatMap(({ detail }) => detail.addresses);
  };
  const ips = farm.devices.map(({ ip }) => ip);
  await until(told, (addresses) => ips.every((ip) => addresses.includes(ip)));
});

test('who answers in the clear gets nothing either, and the miner itself is read again without a word', async () => {
  isInTheClear = true;
  for (const front of fronts) await front.swap(a);
  await stack.agent.scan();
  listenAnew();
  expect(await until(whoWaits, (waiting) => waiting.every(([, key]) => key === null))).toEqual(both('changed', null));
  expect(await lightOn(true)).toMatchObject(KINDS.map(() => ({ status: 'failed' })));
  expect(heard()).not.toMatch(LOGGED_IN);
  isInTheClear = false;
  for (const socket of sockets) socket.destroy();
  expect(await until(whoWaits, (waiting) => waiting.length === 0)).toEqual([]);
  expect(await lightOn(true)).toMatchObject(KINDS.map(() => ({ status: 'succeeded' })));
  expect(heardInTheClear).not.toMatch(LOGGED_IN);
});

test('another key that a person accepts is as good', async () => {
  for (const front of fronts) await front.swap(b);
  expect(await until(whoWaits, (waiting) => waiting.length === KINDS.length)).toEqual(both('changed', tlsKeyOf(b)));
  expect((await pithead('trust', 'accept', '--all')).code).toBe(0);
  listenAnew();
  await until(heard, (text) => LOGGED_IN.test(text));
  expect(await lightOn(false)).toMatchObject(KINDS.map(() => ({ status: 'succeeded' })));
});
