import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecure, request as requestSecure } from 'node:https';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { boundConnections } from '../../../../src/base/net/bounded-connections.ts';
import { authority, good } from '../../service-http/certificates.data.ts';

/** Two of them stay free. */
const MOST = 40;
const CROWD = 100;

async function listen(server: Server, upgrades = false): Promise<number> {
  boundConnections(server, MOST, { upgrades });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function open(port: number, text = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return socket;
}

async function crowd(port: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let count = 0; count < CROWD; count++) sockets.push(await open(port));
  return sockets;
}

const ok: RequestListener = (_request, response) => response.end('ok');

const statusAt = (port: number, isSecure = false) =>
  new Promise<number | undefined>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, agent: false as const };
    const hear = (answer: IncomingMessage) => {
      answer.resume();
      resolve(answer.statusCode);
    };
    const asked = isSecure ? requestSecure({ ...options, ca: authority }, hear) : request(options, hear);
    asked.on('error', reject);
    asked.end();
  });

test.each([
  ['plain', () => createServer(ok)],
  ['TLS', () => createSecure(good, ok)],
] as const)('a crowd that says nothing keeps nobody out: %s', async (name, make) => {
  const port = await listen(make());
  await crowd(port);
  for (let n = 0; n < 5; n++) expect(await statusAt(port, name === 'TLS')).toBe(200);
});

test('a request under way is answered, however many come meanwhile', async () => {
  const waiting: ServerResponse[] = [];
  const server = createServer((_request, response) => void waiting.push(response));
  const port = await listen(server);
  const status = statusAt(port);
  await expect.poll(() => waiting.length).toBe(1);
  await crowd(port);
  waiting[0]?.end();
  expect(await status).toBe(200);
});

test('a connection that was upgraded stays', async () => {
  const server = createServer(ok);
  const upgraded: Socket[] = [];
  server.on('upgrade', ({ socket }) => {
    upgraded.push(socket);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
  });
  const port = await listen(server, true);
  const client = await open(port, 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
  await once(client, 'data');
  await crowd(port);
  upgraded[0]?.write('still here');
  expect(String((await once(client, 'data'))[0])).toBe('still here');
  upgraded[0]?.destroy();
});

test('a client between two requests goes after all that have asked nothing', async () => {
  const port = await listen(createServer(ok));
  const client = await open(port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(client, 'data');
  await crowd(port);
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  expect(String((await once(client, 'data'))[0])).toContain('200 OK');
});

test('beside as many requests under way as there is room for, one more connection is refused', async () => {
  const waiting: ServerResponse[] = [];
  const port = await listen(createServer((_request, response) => void waiting.push(response)));
  const answers: Promise<number | undefined>[] = [];
  while (answers.length < MOST) {
    answers.push(statusAt(port));
    await expect.poll(() => waiting.length, { interval: 2 }).toBe(answers.length);
  }
  await expect(statusAt(port)).rejects.toThrow();
  for (const response of waiting) response.end();
  expect(await Promise.all(answers)).toEqual(answers.map(() => 200));
});
