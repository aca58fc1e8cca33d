// Real TCP servers on loopback for the tests of this folder: each connection is handed to a script. They record what
// they were sent.
import { createServer, type Server, type Socket } from 'node:net';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { PeerError } from '../../../src/base/errors.ts';
import { silentLog } from '../../../src/base/log.ts';
import { createTransport, type Transport, type TransportLimits } from '../../../src/transport/transport.ts';

export type Device = {
  readonly port: number;
  readonly connections: number;
  /** Request bytes as text, one per connection, in order. */
  readonly requests: readonly string[];
  close(): Promise<void>;
};

/** `answer` runs on the first bytes of each connection; it may write, end, reset or do nothing. */
export async function startDevice(
  answer: (socket: Socket, request: string, connection: number) => void,
  host = '127.0.0.1',
): Promise<Device> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const counter = { connections: 0 };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    const connection = counter.connections++;
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.once('data', (bytes) => {
      requests.push(bytes.toString('utf8'));
      answer(socket, bytes.toString('utf8'), connection);
    });
  });
  await listen(server, host);
  return {
    port: portOf(server),
    requests,
    get connections() {
      return counter.connections;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

export function listen(server: Server, host = '127.0.0.1'): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: 0, host, backlog: 1_024 }, () => resolve());
  });
}

export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}

/**
 * A transport whose port `devicePort` leads to the given real port. On a clock of the test a deadline falls when the
 * test has seen enough.
 */
export function transportTo(
  ports: Readonly<Record<number, number>>,
  limits: Partial<TransportLimits> = {},
  clock: Clock = systemClock,
): Transport {
  const portMap = new Map(Object.entries(ports).map(([from, to]) => [Number(from), to]));
  return createTransport({ clock, log: silentLog, portMap, limits });
}

/** A port on which nothing listens now. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  await listen(server);
  const port = portOf(server);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/** The PeerError that a promise rejects with; anything else fails the test. */
export async function peerErrorOf(promise: Promise<unknown>): Promise<PeerError> {
  const outcome = await promise.then(
    (value) => new Error(`resolved with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof PeerError) return outcome;
  throw outcome;
}

export const pause = (delayMs: number) => systemClock.sleep(delayMs);
