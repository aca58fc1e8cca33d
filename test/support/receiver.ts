// A receiver of webhooks: a real HTTP server on the loopback that keeps what it was sent and answers as a test says.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type Delivery = {
  /** `webhook-id`. */
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: ReturnType<typeof JSON.parse>;
};

/** A status, or what to do with the answer: a receiver that never answers does nothing. */
export type Answer = number | ((response: ServerResponse, delivery: Delivery) => void);

export type Receiver = {
  readonly url: string;
  /** In the order in which they came, repeats too. */
  readonly deliveries: readonly Delivery[];
  /** From now on. */
  answer: (delivery: Delivery) => Answer;
  /** New connections are refused, and there are no others. */
  away(): Promise<void>;
  back(): Promise<void>;
  stop(): Promise<void>;
};

export async function startReceiver(tls?: { readonly key: string; readonly cert: string }): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const text = (await buffer(request)).toString();
    const delivery = { id: String(request.headers['webhook-id']), headers: request.headers, text, body: parse(text) };
    const answer = receiver.answer(delivery);
    deliveries.push(delivery);
    if (typeof answer === 'number') response.writeHead(answer).end();
    else answer(response, delivery);
  };
  const server = tls === undefined ? createServer() : createSecureServer(tls);
  server.on('request', (request, response) => void listener(request, response).catch(() => response.destroy()));
  const listen = (port: number) =>
    new Promise<number>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => resolve(portOf(server.address())));
    });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const port = await listen(0);
  const receiver: Receiver = {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/hook?a=b`,
    deliveries,
    answer: () => 204,
    away: close,
    back: async () => void (await listen(port)),
    stop: close,
  };
  return receiver;
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
const portOf = (address: AddressInfo | string | null) =>
  typeof address === 'object' && address !== null ? address.port : 0;
