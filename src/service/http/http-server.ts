// The server socket, with a bound on every wait for a client and on the number of clients. Requests are handled in
// server.ts; TLS is what stands in front of it, see tls-front.ts.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Server as TcpServer } from 'node:net';
import { boundConnections } from '../../base/net/bounded-connections.ts';
import { connectionsWithin, openFileLimit } from '../../base/platform/fd-limit.ts';
import { isPlainFromAfar, sendToTls } from './tls-front.ts';
import { asksForWebSocket } from './upgrade/paths.ts';

export type SocketLimits = {
  /** For the headers, and for the whole of a request, to arrive. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** A connection that asks nothing. */
  readonly idleMs: number;
  readonly connections: number;
};

/** How often late clients are looked for; each is cut at most this much later than its limit. */
const LOOK_SHARE = 5;

/**
 * Only what asks for a WebSocket becomes an `upgrade`. A request without `Host` is the handler's to refuse. `front`:
 * what hands connections to it, through TLS; plain requests from beyond this host are then sent on.
 */
export function createHttpServer(handler: RequestListener, limits: SocketLimits, front: TcpServer | undefined): Server {
  const options = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    shouldUpgradeCallback: (request: IncomingMessage) => asksForWebSocket(request) && !isSentOn(request),
    // Refused here it would have no body.
    requireHostHeader: false,
    connectionsCheckingInterval: Math.ceil(Math.min(limits.headersMs, limits.requestMs) / LOOK_SHARE),
  };
  const isSentOn = ({ socket }: IncomingMessage) => front !== undefined && isPlainFromAfar(socket);
  const server = createServer(options, (request, response) =>
    isSentOn(request) ? sendToTls(request, response) : handler(request, response),
  );
  // An unknown `Expect` header gets an ordinary answer.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  boundConnections(server, connectionsWithin(limits.connections, openFileLimit()), { upgrades: true, front });
  return server;
}
