// Web servers of tests that stand for a device, each gone with its test, and links that ask them.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../src/base/clock.ts';
import { Secret } from '../../../src/base/secrets.ts';
import type { HttpRequest } from '../../../src/transport/request.ts';
import { listen, portOf, startDevice, transportTo } from './loopback-device.ts';

export const login = { user: 'root', password: new Secret('secret-word') };

export async function web(answer: (request: IncomingMessage, response: ServerResponse, body: string) => void) {
  const requests: {
    method: string;
    url: string;
    authorization: string | undefined;
    body: string;
    headers: IncomingMessage['headers'];
  }[] = [];
  const sockets = new Set<unknown>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    sockets.add(request.socket);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const { method = '', url = '', headers } = request;
      requests.push({ method, url, authorization: headers.authorization, body, headers });
      answer(request, response, body);
    });
  });
  await listen(server);
  const transport = transportTo({ 80: portOf(server) });
  onTestFinished(async () => {
    await transport.close();
    server.closeAllConnections();
    server.close();
  });
  return {
    requests,
    sockets,
    transport,
    link: transport.link('127.0.0.1', login),
    stranger: transport.link('127.0.0.1'),
  };
}

/** Answers by raw bytes, for servers that node:http would not let us be. */
export async function rawWeb(answer: Parameters<typeof startDevice>[0], clock?: Clock) {
  const started = await startDevice(answer);
  const transport = transportTo({ 80: started.port }, {}, clock);
  onTestFinished(async () => {
    await transport.close();
    await started.close();
  });
  return { started, transport, link: transport.link('127.0.0.1', login) };
}

export const get = (path: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  via: 'http',
  method: 'GET',
  path,
  auth: 'none',
  as: 'json',
  ...more,
});
