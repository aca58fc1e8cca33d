// Where the service listens: the address for all, with TLS or without, and beside TLS a plain one for this host alone.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, Server as TcpServer } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { createRound, type Part } from '../base/lifecycle.ts';
import type { Log } from '../base/log.ts';
import { isExposed, isLoopback, plainUrl } from '../base/net/ipv4.ts';
import type { OpenTls } from './certificates/open-tls.ts';
import type { App, ServerLimits } from './http/server.ts';
import { serveTls } from './http/tls-front.ts';
import { createLocalName } from './local-name/responder.ts';

/** Requests under way get this time to be answered when the service stops. */
const ANSWER_MS = 4_000;
/** How often connections are looked for whose last request has been answered. */
const IDLE_LOOK_MS = 100;
const RENEW_MS = 60_000;

/** What stands in front of the HTTP server, and what it shows. */
export type TlsParts = { readonly front: TcpServer; readonly source: OpenTls };

type ListenerParts = {
  readonly host: string;
  readonly port: number;
  readonly limits: ServerLimits;
  readonly tls: TlsParts | undefined;
  /** A proxy in front of us may speak TLS for us. */
  readonly isBehindProxy: boolean;
  readonly clock: Clock;
  readonly log: Log;
};

/** Plain HTTP beyond this host. */
export const EXPOSED_SERVICE =
  'the service listens beyond this host without TLS: everybody on the way can read keys, tokens and answers';

export function createListeners(app: App, parts: ListenerParts) {
  const { host, port, tls, isBehindProxy, clock, log } = parts;
  const secured = tls && secure(app, parts, tls);
  let addresses = { url: '', localUrl: '' };
  const server: Part = {
    name: 'server',
    async start() {
      addresses = secured === undefined ? await listenPlainly(app, host, port) : await secured.listen();
      if (tls === undefined && !isBehindProxy && isExposed(new URL(plainUrl(host, port))))
        log.warn({ host }, EXPOSED_SERVICE);
    },
    stop: () => closeServer(app, tls?.front, secured?.closeWaiting, clock, log),
  };
  const renewal =
    secured === undefined ? [] : [createRound('renewing the certificate', RENEW_MS, secured.renew, clock, log)];
  const farm = tls?.source.farm;
  const localName =
    farm === undefined ? [] : [createLocalName({ name: farm.localName, links: farm.links, clock, log })];
  const servers = tls === undefined ? [app.server] : [app.server, tls.front];
  /** When it stops, a load balancer sends new clients to another copy; none is accepted that cannot be served. */
  const accepting: Part = { name: 'accepting connections', start() {}, stop: () => acceptNoMore(servers) };
  return {
    server,
    /** They start after everything that serves clients, and stop before it. */
    outerParts: [...renewal, ...localName, accepting],
    /** With the port that was taken; `localUrl` is plain HTTP, for this host alone. */
    addresses: () => addresses,
  };
}

async function listenPlainly(app: App, host: string, port: number) {
  const url = await app.listen({ host, port });
  return { url, localUrl: url };
}

const EVERY_ADDRESS = ['0.0.0.0', '::'];

/**
 * TLS at the address for all. Plainly the service is asked at 127.0.0.1 alone: at the same port, unless the address for
 * all is that of the loopback itself.
 */
function secure(app: App, { host, port, limits, clock }: ListenerParts, { front, source }: TlsParts) {
  const takesLoopback = EVERY_ADDRESS.includes(host);
  const { renew, closeWaiting } = serveTls(front, app.server, {
    tls: source.material(),
    waitMs: limits.headersMs,
    clock,
    // Beyond this host the HTTP server sends them on.
    isPlainServed: !isLoopback(host),
  });
  return {
    closeWaiting,
    async listen() {
      front.listen(port, host);
      await once(front, 'listening');
      const taken = portOf(front);
      const localUrl = await app.listen({ host: '127.0.0.1', port: takesLoopback || isLoopback(host) ? 0 : port });
      return { url: plainUrl(host, taken).replace('http:', 'https:'), localUrl };
    },
    async renew() {
      const next = await source.renew();
      if (next !== undefined) renew(next);
    },
  };
}

const portOf = (server: TcpServer): number => {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** Connections that are open stay open, idle ones too: `closeServer` ends them. */
function acceptNoMore(servers: readonly TcpServer[]): void {
  for (const server of servers) if (server.listening) TcpServer.prototype.close.call(server);
}

/** Answers requests under way and ends those that take too long. Closes each connection once it is idle. */
async function closeServer(
  app: App,
  front: TcpServer | undefined,
  closeWaiting: (() => void) | undefined,
  clock: Clock,
  log: Log,
): Promise<void> {
  const { server }: { server: Server } = app;
  const cancel = clock.after(ANSWER_MS, () => server.closeAllConnections());
  const closing = createRound(
    'closing idle connections',
    IDLE_LOOK_MS,
    () => server.closeIdleConnections(),
    clock,
    log,
  );
  closing.start();
  closeWaiting?.();
  const frontClosed = front && new Promise((resolve) => front.close(resolve));
  await app.close();
  await frontClosed;
  await closing.stop();
  cancel();
}
