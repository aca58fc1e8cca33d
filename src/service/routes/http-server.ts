// The socket under the server: plain or TLS, with a bound on every wait for a client and on how many may be there. What is asked is server.ts.
import { createServer as createPlain, type RequestListener, type Server } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { TlsMaterial } from './tls.ts';

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

export function createHttpServer(handler: RequestListener, limits: SocketLimits, tls: TlsMaterial | undefined): Server {
  const options = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.ceil(Math.min(limits.headersMs, limits.requestMs) / LOOK_SHARE),
  };
  const server =
    tls === undefined
      ? createPlain(options, handler)
      : createSecure({ ...options, ...tls, handshakeTimeout: limits.headersMs }, handler);
  server.maxConnections = limits.connections;
  return server;
}
