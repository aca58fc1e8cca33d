// Where the service listens: the address for all, with TLS or without, and beside TLS a plain one for this host alone.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as SecureServer } from 'node:https';
import { Server as TcpServer } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { BugError } from '../base/errors.ts';
import { createRound, type Part } from '../base/lifecycle.ts';
import type { Log } from '../base/log.ts';
import { isExposed, plainUrl } from '../base/net/ipv4.ts';
import { createHttpServer, createRenewal, type TlsFiles, type TlsMaterial } from './http/http-server.ts';
import type { App, ServerLimits } from './http/server.ts';

/** Requests under way get this time to be answered when the service stops. */
const ANSWER_MS = 4_000;
/** How often connections are looked for whose last request has been answered. */
const IDLE_LOOK_MS = 100;
const RENEW_MS = 60_000;

type ListenerParts = {
  readonly host: string;
  readonly port: number;
  readonly limits: ServerLimits;
  readonly tls: TlsMaterial | undefined;
  /** Where the certificate is read from again when it changes. */
  readonly tlsFiles: TlsFiles | undefined;
  /** A proxy in front of us may speak TLS for us. */
  readonly isBehindProxy: boolean;
  readonly clock: Clock;
  readonly log: Log;
};

/** Plain HTTP beyond this host. */
export const EXPOSED_SERVICE =
  'the service listens beyond this host without TLS: everybody on the way can read keys, tokens and answers';

export function createListeners(
  app: App,
  { host, port, limits, tls, tlsFiles, isBehindProxy, clock, log }: ListenerParts,
) {
  const local =
    tls === undefined
      ? undefined
      : createHttpServer((request, reply) => app.routing(request, reply), limits, undefined);
  let addresses = { url: '', localUrl: '' };
  const server: Part = {
    name: 'server',
    async start() {
      const address = await app.listen({ host, port });
      const url = tls === undefined ? address : address.replace(/^http:/, 'https:');
      addresses = { url, localUrl: local === undefined ? url : await listenLocally(local) };
      if (tls === undefined && !isBehindProxy && isExposed(new URL(plainUrl(host, port))))
        log.warn({ host }, EXPOSED_SERVICE);
    },
    stop: () => closeServer(app, local, clock, log),
  };
  const renewal =
    tlsFiles !== undefined && tls !== undefined && app.server instanceof SecureServer
      ? [createRound('renewing the certificate', RENEW_MS, createRenewal(tlsFiles, app.server, tls, log), clock, log)]
      : [];
  const servers = local === undefined ? [app.server] : [app.server, local];
  /** When it stops, a load balancer sends new clients to another copy; none is accepted that cannot be served. */
  const accepting: Part = { name: 'accepting connections', start() {}, stop: () => acceptNoMore(servers) };
  return {
    server,
    /** They start after everything that serves clients, and stop before it. */
    outerParts: [...renewal, accepting],
    /** All servers, for what listens for upgrades. */
    servers,
    /** With the port that was taken; `localUrl` is plain HTTP, for this host alone. */
    addresses: () => addresses,
  };
}

/** On a free port of the loopback. */
async function listenLocally(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new BugError('listen on the loopback: no port');
  return `http://127.0.0.1:${address.port}`;
}

/** Connections that are open stay open, idle ones too: `closeServer` ends them. */
function acceptNoMore(servers: readonly Server[]): void {
  for (const server of servers) if (server.listening) TcpServer.prototype.close.call(server);
}

/** Answers requests under way and ends those that take too long. Closes each connection once it is idle. */
async function closeServer(app: App, local: Server | undefined, clock: Clock, log: Log): Promise<void> {
  const servers = local === undefined ? [app.server] : [app.server, local];
  const cancel = clock.after(ANSWER_MS, () => {
    for (const server of servers) server.closeAllConnections();
  });
  const closeIdle = () => {
    for (const server of servers) server.closeIdleConnections();
  };
  const closing = createRound('closing idle connections', IDLE_LOOK_MS, closeIdle, clock, log);
  closing.start();
  const localClosed = local && new Promise((resolve) => local.close(resolve));
  await app.close();
  await localClosed;
  await closing.stop();
  cancel();
}
