// Clients that are slow, or that nobody else should wait for: every wait for them ends, in the one form of errors, and others are served meanwhile.
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

test('connections above the limit are closed at once', async () => {
  const rig = await startRig({ limits: { ...DEFAULT_LIMITS, connections: 3 } });
  const { hostname, port } = new URL(rig.url);
  const open = () => connectTcp(Number(port), hostname).on('error', () => {});
  const sockets = Array.from({ length: 10 }, open);
  const closed = sockets.map((socket) => new Promise<void>((resolve) => socket.on('close', () => resolve())));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.on('connect', resolve))));
  let ended = 0;
  for (const one of closed) void one.then(() => ended++);
  await expect.poll(() => ended).toBe(7);
  for (const socket of sockets) socket.destroy();
});
