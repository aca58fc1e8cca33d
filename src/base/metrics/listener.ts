// A listener of its own for GET /metrics, plain HTTP and without a key: it belongs on the loopback or on a network of
// those who watch. A port that is taken costs the figures, never the program.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import { renderError } from '../errors.ts';
import { createRound, type Part } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { boundConnections } from '../net/bounded-connections.ts';
import { isExposed, isThisMachine, plainUrl } from '../net/ipv4.ts';
import { FIGURES_TYPE, type Figures, renderFigures } from './figures.ts';

export type MetricsAddress = { readonly host: string; readonly port: number };

type ListenerParts = {
  readonly address: MetricsAddress;
  readonly figures: readonly Figures[];
  readonly clock: Clock;
  readonly log: Log;
};

/** A port that is taken is tried again this often. */
const RETRY_MS = 60_000;
const LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  keepAliveTimeout: 5_000,
  // Node looks for late ones every 30 s unless told otherwise.
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 8_192,
};
const MAX_CONNECTIONS = 32;

export const metricsUrl = ({ host, port }: MetricsAddress): string => `${plainUrl(host, port)}/metrics`;

/** Listens from its start on, or as soon as the port is free. */
export function createMetricsListener(parts: ListenerParts): Part {
  const { address, clock, log } = parts;
  let server: Server | undefined;
  const round = createRound('listening for /metrics', RETRY_MS, listen, clock, log);
  async function listen() {
    if (server !== undefined) return;
    const url = metricsUrl(address);
    try {
      server = await listenAt(address, answerWith(parts));
    } catch (error) {
      log.error(
        { url, error: renderError(error), remedy: remedyFor(error) },
        'figures for Prometheus cannot be served',
      );
      return;
    }
    log.info({ url }, 'figures for Prometheus');
    if (isExposed(new URL(url))) log.warn({ url }, EXPOSED_FIGURES);
  }
  return {
    name: 'metrics',
    start: round.start,
    async stop() {
      await round.stop();
      if (server === undefined) return;
      server.closeAllConnections();
      await new Promise((resolve) => server?.close(resolve));
    },
  };
}

export const EXPOSED_FIGURES = 'everybody who reaches this address can read the figures: they need no key and no TLS';

async function listenAt(address: MetricsAddress, answer: ReturnType<typeof answerWith>): Promise<Server> {
  const server = createServer(LIMITS, answer);
  boundConnections(server, MAX_CONNECTIONS, { upgrades: false });
  server.listen(address);
  await once(server, 'listening');
  return server;
}

const remedyFor = (error: unknown): string =>
  REMEDIES[error instanceof Error && 'code' in error ? String(error.code) : ''] ??
  'look at metrics.host and metrics.port';

const REMEDIES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has this port: choose another one under metrics.port',
  EADDRNOTAVAIL: 'this host has no such address: choose another one under metrics.host',
  EACCES: 'this user may not listen on this port: choose one above 1023 under metrics.port',
};

/** One page at a time is made: those who ask meanwhile get the same. */
function answerWith({ address, figures, log }: ListenerParts) {
  const isLocal = isThisMachine(new URL(metricsUrl(address)).hostname);
  let page: Promise<string> | undefined;
  const render = () => {
    page ??= renderFigures(figures).finally(() => {
      page = undefined;
    });
    return page;
  };
  return async ({ method, url, headers }: IncomingMessage, reply: ServerResponse): Promise<void> => {
    if (isLocal && !isOwnName(headers.host))
      return end(reply, 421, 'Ask for http://localhost: this is no other host\n');
    if (url?.split('?')[0] !== '/metrics') return end(reply, 404, 'There is only /metrics here\n');
    if (method !== 'GET' && method !== 'HEAD') {
      reply.setHeader('allow', 'GET, HEAD');
      return end(reply, 405, 'GET or HEAD\n');
    }
    try {
      const text = await render();
      end(reply, 200, method === 'HEAD' ? '' : text, FIGURES_TYPE);
    } catch (error) {
      log.error({ error: renderError(error) }, 'make the figures for Prometheus');
      end(reply, 500, 'The figures could not be made: the log says why\n');
    }
  };
}

/**
 * A page of the web can have its own name lead to the loopback (DNS rebinding), and would read the figures as its own.
 */
function isOwnName(host: string | undefined): boolean {
  const asked = URL.parse(`http://${host ?? ''}`);
  return asked !== null && isThisMachine(asked.hostname);
}

function end(reply: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  reply.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  reply.end(text);
}
