// Clients that are slow, or that nobody else should wait for: every wait for them ends, in the one form of errors, and
// others are served meanwhile.
import { connect as connectTcp, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/service/http/server.ts';
import { call, type Rig, startRig } from './rig.ts';

const QUICK = { ...DEFAULT_LIMITS, headersMs: 200, requestMs: 400 };

/** Sends the parts with a pause after each, and gives what came until the end. */
async function trickle(rig: Rig, parts: readonly string[], pauseMs: number): Promise<string> {
  const { hostname, port } = new URL(rig.url);
  let received = '';
  const socket = connectTcp(Number(port), hostname);
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.on('data', (data) => {
    received += data;
  });
  socket.on('error', () => {});
  for (const part of parts) {
    if (socket.destroyed) break;
    socket.write(part);
    await Promise.race([closed, rig.clock.sleep(pauseMs * 20)]);
  }
  await closed;
  return received;
}

const bodyOf = (text: string): unknown => JSON.parse(text.split('\r\n\r\n')[1] ?? '');
const TOO_LATE = { statusCode: 408, message: 'The request took too long to arrive', error: 'Request Timeout' };

test('headers that drip are cut with 408, and so are bodies', async () => {
  const rig = await startRig({ limits: QUICK });
  const drip = Array.from({ length: 200 }, (_, n) => `x-${n}: y\r\n`);
  const [headers, body, plain] = await Promise.all([
    trickle(rig, ['GET /healthz HTTP/1.1\r\nhost: x\r\n', ...drip], 50),
    trickle(
      rig,
      [
        `POST ${rig.farm('/tasks/search')} HTTP/1.1\r\nhost: x\r\nx-api-key: ${rig.key}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`,
        ...drip,
      ],
      50,
    ),
    rig.get(rig.farm('/miner/latest')),
  ]);
  for (const text of [headers, body]) {
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(bodyOf(text)).toEqual(TOO_LATE);
    expect(text).toMatch(/x-request-id: [0-9a-f-]{36}/);
  }
  expect(plain.status).toBe(200);
});

test('the limits for the time are set where nobody says otherwise', () => {
  const { headersMs, requestMs, handlerMs, idleMs, connections } = DEFAULT_LIMITS;
  for (const limit of [headersMs, requestMs, handlerMs, idleMs, connections]) expect(limit).toBeGreaterThan(0);
});

test('a body of exactly 1 MiB is read, one byte more is not, said in advance or not', async () => {
  const rig = await startRig();
  const send = (body: string | ReadableStream) =>
    call(rig.url + rig.farm('/tasks/search'), {
      method: 'POST',
      headers: { 'x-api-key': rig.key, 'content-type': 'application/json' },
      body,
      ...(typeof body === 'string' ? {} : { duplex: 'half' }),
    });
  const blank = (bytes: number) => `{}${' '.repeat(bytes - 2)}`;
  const pieces = (bytes: number) => new Blob([blank(bytes)]).stream();
  expect((await send(blank(1024 * 1024))).status).toBe(200);
  expect((await send(blank(1024 * 1024 + 1))).status).toBe(413);
  expect((await send(pieces(1024 * 1024))).status).toBe(200);
  expect((await send(pieces(1024 * 1024 + 1))).status).toBe(413);
});

/** Milliseconds of requests one after the other: of 99 in 100, at most. */
async function slowest(rig: Rig): Promise<number> {
  const tookMs: number[] = [];
  for (let n = 0; n < 100; n++) {
    const startedMs = performance.now();
    expect((await rig.get(rig.farm('/miner/latest'))).status).toBe(200);
    tookMs.push(performance.now() - startedMs);
  }
  return tookMs.toSorted((a, b) => a - b)[98] ?? 0;
}

test('a thousand connections that ask nothing, or never finish asking, do not keep others out', async () => {
  const rig = await startRig();
  const { hostname, port } = new URL(rig.url);
  const alone = await slowest(rig);
  const sockets: Socket[] = [];
  try {
    for (let n = 0; n < 1_000; n++) {
      const socket = connectTcp(Number(port), hostname).on('error', () => {});
      if (n % 2 === 0)
        socket.write(`POST ${rig.farm('/tasks/search')} HTTP/1.1\r\nhost: x\r\nx-api-key: ${rig.key}\r\nx: `);
      sockets.push(socket);
    }
    await Promise.all(
      sockets.map((socket) => socket.connecting && new Promise((resolve) => socket.on('connect', resolve))),
    );
    await slowest(rig);
    const beside = await slowest(rig);
    process.stdout.write(`a list beside 1,000 connections: 99 % in ${alone.toFixed(1)} → ${beside.toFixed(1)} ms\n`);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

/** What comes back of bytes that are sent as they are, until the other side hangs up. */
async function answersTo(rig: Rig, bytes: string): Promise<string[]> {
  const { hostname, port } = new URL(rig.url);
  const socket = connectTcp(Number(port), hostname).on('error', () => {});
  let received = '';
  socket.on('data', (data) => {
    received += data;
  });
  socket.write(bytes);
  await new Promise((resolve) => socket.on('close', resolve));
  return received.match(/HTTP\/1\.1 \d{3}/g) ?? [];
}

test('requests that come one behind the other are answered in their order', async () => {
  const rig = await startRig();
  const ask = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  const all = ask('/healthz') + ask('/nowhere') + ask('/healthz') + ask('/nowhere', 'connection: close\r\n');
  expect(await answersTo(rig, all)).toEqual([200, 404, 200, 404].map((status) => `HTTP/1.1 ${status}`));
});

/** A search with this header, and behind it another request, which is answered with 400 where it is read as one. */
function hiding(rig: Rig, header: string): string {
  const head = (path: string) => `POST ${rig.farm(path)} HTTP/1.1\r\nhost: x\r\nx-api-key: ${rig.key}\r\n`;
  const json = 'content-type: application/json\r\n';
  const hidden = `${head('/tasks/batches')}${json}connection: close\r\ncontent-length: 2\r\n\r\n{}`;
  return `${head('/tasks/search')}${json}${header}\r\n{}${hidden}`;
}

test('behind a request that is right the next one is read', async () => {
  const rig = await startRig();
  expect(await answersTo(rig, hiding(rig, 'content-length: 2\r\n'))).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
});

test.each([
  ['two lengths', 'content-length: 2\r\ncontent-length: 200\r\n'],
  ['a length and chunks', 'content-length: 2\r\ntransfer-encoding: chunked\r\n'],
  ['chunks and a length', 'transfer-encoding: chunked\r\ncontent-length: 2\r\n'],
  ['a coding that is none', 'transfer-encoding: xchunked\r\n'],
  ['chunks that are not the last coding', 'transfer-encoding: chunked, identity\r\n'],
  ['a blank before the colon', 'content-length : 2\r\n'],
  ['a folded header', 'x: a\r\n content-length: 2\r\n'],
  ['a length that is no number', 'content-length: +2\r\n'],
  ['lines without a return', 'x: a\ncontent-length: 2\n'],
  ['a NUL', 'x: a\u0000b\r\n'],
])('a request with %s is refused, and what is hidden behind it is not read', async (_what, header) => {
  const rig = await startRig({ limits: QUICK });
  expect(await answersTo(rig, hiding(rig, header))).toEqual(['HTTP/1.1 400']);
});

test('connections above the limit are closed at once, and keep no request out', async () => {
  const rig = await startRig({ limits: { ...DEFAULT_LIMITS, connections: 3 } });
  const { hostname, port } = new URL(rig.url);
  const open = () => connectTcp(Number(port), hostname).on('error', () => {});
  const sockets = Array.from({ length: 10 }, open);
  const closed = sockets.map((socket) => new Promise<void>((resolve) => socket.on('close', () => resolve())));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.on('connect', resolve))));
  let ended = 0;
  for (const one of closed) void one.then(() => ended++);
  await expect.poll(() => ended).toBeGreaterThanOrEqual(7);
  expect(ended).toBeLessThan(10);
  expect((await rig.get('/healthz', {})).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});
