// This host's own service as configured, asked over its own interface whether it accepts requests. It reads no
// configuration.
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { Agent, request } from 'undici';
import type { AgentConfig } from '../../agent/config/config.ts';
import { ownAddress, ownNetworks } from '../../agent/host/networks.ts';
import { systemClock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Link } from '../../base/net/intervals.ts';
import { isLoopback, parseIpv4, plainUrl } from '../../base/net/ipv4.ts';
import { VERSION } from '../../base/version.ts';
import { errorSchema } from '../../wire/api/envelope.ts';
import { settingsDigests } from './settings-digests.ts';

/** The uplink to it of the agent in the same process. */
export const EMBEDDED = 'embedded';

/** Path of the embedded database of a state directory. */
export const databaseOf = (stateDir: string): string => join(stateDir, 'service.sqlite');

export const keyFilesOf = ({ listen, credentials }: AgentConfig) => ({
  own: credentials.keyFile,
  shared: listen.sealKeyFile,
});

/** Where backups of the embedded database lie, how often one is made and how many are kept. */
export const backupsOf = ({ stateDir, backup }: AgentConfig, database = databaseOf(stateDir)) => ({
  dir: backup.dir ?? join(dirname(database), 'backups'),
  everyMs: backup.every,
  keep: backup.keep,
});

/** What is given counts, else what the configuration says. `database` is a file or a `postgres://` URL. */
export function serviceOptions(
  config: AgentConfig,
  given: { database?: string | undefined; host?: string | undefined; port?: number | undefined; log: Log },
) {
  const { tls, trustProxy, publicUrl, drain } = config.listen;
  const host = given.host ?? config.listen.host;
  const databasePath = given.database ?? databaseOf(config.stateDir);
  return {
    ...{ databasePath, backups: backupsOf(config, databasePath) },
    host,
    port: given.port ?? config.listen.port,
    tls: tls !== 'farm' ? tls : isLoopback(host) ? undefined : { farm: farmTls(config, host) },
    ...{ trustProxy, publicUrl, drainMs: drain, keyFiles: keyFilesOf(config), webhooks: config.webhooks },
    page: config.page,
    secondPerson: config.people.secondPerson,
    ...{ clock: systemClock, log: given.log, version: VERSION, settings: settingsDigests(config) },
  };
}

const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** What the certificates of the farm are for: networks of the miners and of this host, and its addresses in them. */
export function farmTls({ stateDir, name, ranges, listen }: AgentConfig, host = listen.host) {
  const one = EVERY_ADDRESS.includes(host) ? undefined : parseIpv4(host);
  const single = one === undefined ? [] : [{ address: host, first: one, last: one }];
  const links = (): readonly Link[] => {
    if (one === undefined) return ownNetworks();
    const ofHost = ownNetworks().filter(({ address }) => address === host);
    return ofHost.length > 0 ? ofHost : single;
  };
  return {
    ...{ folder: stateDir, name: name ?? hostname() },
    networks: () => [...ranges.ranges.flatMap(({ spans }) => spans), ...ownNetworks(), ...single],
    links,
  };
}

/** How the service is reached from this host: plainly, unless it listens on the loopback alone and has TLS there. */
export function ownUrl({ host, port, tls }: AgentConfig['listen']): string {
  if (isLoopback(host) && typeof tls === 'object') return plainUrl(host, port).replace('http:', 'https:');
  return plainUrl(tls === undefined && !EVERY_ADDRESS.includes(host) ? host : '127.0.0.1', port);
}

/** How a browser in the network of the farm reaches the page. Without TLS people have sessions on this host alone. */
export function pageUrl(listen: AgentConfig['listen']): string {
  const { host, port, tls, publicUrl } = listen;
  if (publicUrl !== undefined) return publicUrl.replace(/\/$/, '');
  if (tls === undefined || isLoopback(host)) return ownUrl(listen);
  return plainUrl(EVERY_ADDRESS.includes(host) ? ownAddress() : host, port).replace('http:', 'https:');
}

export type Readiness = {
  /** Of HTTP: 200 = it can take requests, 503 = not now. */
  readonly status: number;
  /** Why not, for people; undefined where the answer says none. */
  readonly why: string | undefined;
};

/** Undefined when nothing answers within twice `waitMs`. */
export async function askReadiness(url: string, waitMs: number): Promise<Readiness | undefined> {
  // The question is whether it answers; by whom its certificate is signed is for its clients to ask.
  const dispatcher = new Agent({
    connect: { timeout: waitMs, rejectUnauthorized: false },
    // Another program may have the port.
    maxResponseSize: 64 * 1024,
  });
  try {
    const limits = { headersTimeout: waitMs, bodyTimeout: waitMs, signal: AbortSignal.timeout(2 * waitMs) };
    const { statusCode, body } = await request(`${url}/readyz`, { dispatcher, ...limits });
    return { status: statusCode, why: messageOf(await body.text()) };
  } catch {
    return undefined;
  } finally {
    await dispatcher.destroy();
  }
}

function messageOf(text: string): string | undefined {
  try {
    return errorSchema.safeParse(JSON.parse(text)).data?.message;
  } catch {
    return undefined;
  }
}
