// One port for TLS and, on this host, for plain requests: who gets what, what is sent on, and that slow clients end.
import { randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { parseIpv4 } from '../../../src/base/net/ipv4.ts';
import { DEFAULT_LIMITS } from '../../../src/service/http/server.ts';
import { UPLINK_PATH } from '../../../src/wire/protocol.ts';
import { loopback } from '../../support/loopback.ts';
import { recordingLog, startRig, temporaryFolder } from './rig.ts';

const lan = loopback(28);
const address = lan.ip(2);
const first = parseIpv4(lan.ip(0)) ?? 0;

/** As a phone gets it, to trust the farm. */
async function farmCertificate(localUrl: string): Promise<string> {
  const { statusCode, headers, body } = await request(`${localUrl}/trust/farm.crt`);
  expect([statusCode, headers['content-type']]).toEqual([200, 'application/x-x509-ca-cert']);
  return new X509Certificate(Buffer.from(await body.arrayBuffer())).toString();
}

/** A service with the certificates of its farm: at one address of its network, or at every address. */
async function startFarm({ host = address, addresses = [address], limits = DEFAULT_LIMITS } = {}) {
  const log = recordingLog();
  const farm = {
    ...{ folder: temporaryFolder(), name: 'test' },
    networks: () => [{ first, last: first + 15 }],
    links: () => addresses.map((address) => ({ address, first, last: first + 15 })),
  };
  const rig = await startRig({ host, tls: { farm }, limits, log });
  const { port } = new URL(rig.url);
  const ca = await farmCertificate(rig.localUrl);
  const dispatcher = new Agent({ connect: { ca } });
  onTestFinished(() => dispatcher.close());
  const ask = async (url: string, options: Parameters<typeof request>[1] = {}) => {
    const { statusCode, headers, body } = await request(url, { dispatcher, ...options });
    return { status: statusCode, headers, text: await body.text() };
  };
  return { rig, log, port: Number(port), ca, ask, addresses };
}

test('a service without certificates of its own says so where a phone asks for them', async () => {
  const rig = await startRig();
  const { statusCode, body } = await request(`${rig.localUrl}/trust/farm.crt`);
  expect([statusCode, await body.text()]).toEqual([404, expect.stringContaining('pithead setup')]);
});

test('TLS at the address for all, plainly at 127.0.0.1 alone', async () => {
  const { rig, ask, port } = await startFarm();
  expect(rig.url).toBe(`https://${address}:${port}`);
  expect(await ask(`${rig.url}/healthz`)).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  expect(new URL(rig.localUrl).hostname).toBe('127.0.0.1');
  expect(await ask(`${rig.localUrl}/healthz`)).toMatchObject({ status: 200 });
  await expect(ask(`https://127.0.0.1:${new URL(rig.localUrl).port}/healthz`)).rejects.toThrow();
});

test('at every address one port serves both, and large bodies arrive whole either way', async () => {
  const { rig, ask, port } = await startFarm({ host: '0.0.0.0' });
  const body = JSON.stringify({ name: 'x'.repeat(900_000) });
  const headers = { 'x-api-key': rig.key, 'content-type': 'application/json' };
  for (const base of [`https://${address}:${port}`, `http://127.0.0.1:${port}`, rig.localUrl]) {
    expect(await ask(`${base}/healthz`)).toMatchObject({ status: 200 });
    const posted = await ask(`${base}${rig.farm('/tasks/search')}`, { method: 'POST', headers, body });
    expect([posted.status, posted.text]).toEqual([400, expect.stringContaining('name')]);
  }
  expect((await ask(`http://${address}:${port}/healthz`)).status).toBe(308);
});

test('another name, or an address that the certificate does not name, is no good to clients', async () => {
  const { port, ask, ca } = await startFarm({ host: '0.0.0.0' });
  await expect(ask(`https://${lan.ip(3)}:${port}/healthz`)).rejects.toThrow(/does not match certificate/);
  const asked = (servername: string) =>
    new Promise<boolean>((resolve) => {
      const socket = connectTls({ host: address, port, ca, servername }, () => resolve(true));
      socket.on('error', () => resolve(false));
      onTestFinished(() => void socket.destroy());
    });
  expect([await asked('pithead-test.local'), await asked('pithead-other.local')]).toEqual([true, false]);
});

test.each(['GET', 'HEAD'] as const)('a plain %s from the LAN is sent on to the same address', async (method) => {
  const { ask, port } = await startFarm();
  const { status, headers, text } = await ask(`http://${address}:${port}/f/hall?a=1&b=%20`, { method });
  expect([status, headers.location, text]).toEqual([308, `https://${address}:${port}/f/hall?a=1&b=%20`, '']);
  expect(headers.connection).toBe('close');
});

test('whatever name or address the host was asked by, it is sent on to that', async () => {
  const { ask, port } = await startFarm();
  for (const host of ['pithead-test.local:1', '[fd00::1]:8420', '10.31.0.5'])
    expect((await ask(`http://${address}:${port}/`, { headers: { host } })).headers.location).toBe(`https://${host}/`);
});

test.each([
  ['a key', 'GET', { 'x-api-key': 'secret' }],
  ['a token', 'GET', { authorization: 'Bearer secret' }],
  ['a session', 'GET', { cookie: '__Host-s=secret' }],
  ['a body', 'POST', {}],
  ['a host that is none', 'GET', { host: 'a/b' }],
] as const)('a plain request with %s is refused in plain words, and not sent on', async (_what, method, headers) => {
  const { ask, port } = await startFarm();
  const { status, headers: answered, text } = await ask(`http://${address}:${port}/healthz`, { method, headers });
  expect([status, answered.location]).toEqual([400, undefined]);
  expect(JSON.parse(text)).toMatchObject({
    statusCode: 400,
    message: expect.stringMatching(/by TLS alone.*replace it/),
  });
  expect(text).not.toContain('secret');
});

test('an uplink is taken up over TLS, and in plain text from the LAN it is not', async () => {
  const { port, ca } = await startFarm();
  const statusOf = (url: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const socket = new WebSocket(url, { ca });
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
      socket.on('error', reject);
    });
  expect(await statusOf(`wss://${address}:${port}${UPLINK_PATH}`)).toBe(401);
  expect(await statusOf(`ws://${address}:${port}${UPLINK_PATH}`)).toBe(308);
});

test('no answer, of either kind, ties browsers to TLS', async () => {
  const { rig, ask, port } = await startFarm();
  const answers = [
    await ask(`${rig.url}/healthz`),
    await ask(`${rig.url}/nowhere`),
    await ask(`${rig.localUrl}/openapi.json`),
    await ask(`http://${address}:${port}/`),
    await ask(`http://${address}:${port}/`, { method: 'POST' }),
  ];
  for (const { headers } of answers) {
    expect(headers).not.toHaveProperty('strict-transport-security');
    expect(String(headers['content-security-policy'])).not.toContain('upgrade-insecure-requests');
  }
});

const IMPATIENT = { ...DEFAULT_LIMITS, headersMs: 300, requestMs: 600 };

async function open(port: number): Promise<Socket> {
  const socket = connect(port, address).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

test.each([
  ['says nothing', Buffer.alloc(0)],
  ['begins a handshake and stops', Buffer.from([0x16, 0x03, 0x01])],
  ['begins a plain request and stops', Buffer.from('GET / HTTP/1.1\r\nho')],
  ['ends its side at once', undefined],
])('who %s is cut off', async (_what, bytes) => {
  const { port } = await startFarm({ limits: IMPATIENT });
  const socket = await open(port);
  if (bytes === undefined) socket.end();
  else socket.write(bytes);
  socket.resume();
  await once(socket, 'close');
});

test('who sends a request by TLS too slowly is cut off', async () => {
  const { port, ca } = await startFarm({ limits: IMPATIENT });
  const socket = connectTls({ host: address, port, ca }).on('error', () => {});
  await once(socket, 'secureConnect');
  socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n');
  const [answer] = await once(socket.setEncoding('utf8'), 'data');
  expect(answer).toMatch(/^HTTP\/1.1 408 /);
});

test('a crowd of silent connections, before and after the handshake, keeps no client out', async () => {
  const { rig, ask, port, ca } = await startFarm({ limits: { ...DEFAULT_LIMITS, connections: 40 } });
  for (let count = 0; count < 60; count++) await open(port);
  for (let count = 0; count < 60; count++) {
    const socket = connectTls({ host: address, port, ca }).on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
  }
  expect((await ask(`${rig.url}/healthz`)).status).toBe(200);
});

test('garbage costs its connection alone', async () => {
  const { rig, ask, port } = await startFarm();
  for (const begin of [[0x16], [0x80], [0x00], []]) {
    const socket = await open(port);
    socket.resume().write(Buffer.concat([Buffer.from(begin), randomBytes(2_000)]));
    await once(socket, 'close');
  }
  expect((await ask(`${rig.url}/healthz`)).status).toBe(200);
});

test('another address of the host: new connections get a certificate for it, without a restart', async () => {
  const { rig, ca, port, addresses } = await startFarm({ host: '0.0.0.0' });
  const shown = () =>
    new Promise<string>((resolve, reject) => {
      const socket = connectTls({ host: address, port, ca, servername: 'pithead-test.local' }, () => {
        resolve(socket.getPeerX509Certificate()?.subjectAltName ?? '');
        socket.destroy();
      });
      socket.on('error', reject);
    });
  expect(await shown()).toBe(`DNS:pithead-test.local, IP Address:${address}`);
  addresses.push(lan.ip(3));
  await expect.poll(shown).toBe(`DNS:pithead-test.local, IP Address:${address}, IP Address:${lan.ip(3)}`);
  expect(await farmCertificate(rig.localUrl)).toBe(ca);
});

test('it stops in time while connections of every kind are open', async () => {
  const { rig, port, ca, log } = await startFarm();
  const silent = await open(port);
  const half = await open(port);
  half.write('GET / HTTP/1.1\r\n');
  const secure = connectTls({ host: address, port, ca }).on('error', () => {});
  await once(secure, 'secureConnect');
  const closed = [silent, half, secure].map((socket) => once(socket.resume(), 'close'));
  await rig.service.stop();
  await Promise.all(closed);
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
});
