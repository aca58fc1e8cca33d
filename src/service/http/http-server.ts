// The socket under the server: plain or TLS, with a bound on every wait for a client and on how many may be there. What is asked is server.ts.
import { createServer as createPlain, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { UPLINK_PATH } from '../../wire/protocol.ts';
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

/** Some clients offer HTTP/2 with every request (`Upgrade: h2c`): what we do not take up is a request like any other. */
const isForUplink = ({ url, headers }: IncomingMessage) =>
  url?.split('?')[0] === UPLINK_PATH && headers.upgrade?.toLowerCase() === 'websocket';

/** Only what asks for the uplink becomes an `upgrade`. A request without `Host` is the handler's to refuse. */
export function createHttpServer(handler: RequestListener, limits: SocketLimits, tls: TlsMaterial | undefined): Server {
  const options = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    shouldUpgradeCallback: isForUplink,
    // Refused here it would have no body.
    requireHostHeader: false,
    connectionsCheckingInterval: Math.ceil(Math.min(limits.headersMs, limits.requestMs) / LOOK_SHARE),
  };
  const server =
    tls === undefined
      ? createPlain(options, handler)
      : createSecure({ ...options, ...tls, handshakeTimeout: limits.headersMs }, handler);
  // Whoever expects what we do not know gets an answer all the same.
  server.on('checkExpectation', handler);
  server.maxConnections = limits.connections;
  return server;
}
