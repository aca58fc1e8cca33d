// The IPv4 networks that this host stands in, from its own interfaces. It sends nothing.
import { readFileSync } from 'node:fs';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import type { Link, Span } from '../../base/net/intervals.ts';
import { formatIpv4, isInRange, parseIpv4Range } from '../../base/net/ipv4.ts';

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** `addresses` = those that a scan would probe. */
export type PrivateNetwork = { readonly interface: string; readonly cidr: string; readonly addresses: number };

export type OwnNetwork = Link & { readonly interface: string };

/** Networks inside this host (containers, virtual machines): no miner stands in them. */
const INSIDE = /^(docker|br-|veth|virbr|cni|flannel|lxc|podman)/;
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'].map(parseIpv4Range);
const ROUTES = '/proc/net/route';
const ROUTE_UP = 0x1;
const ROUTE_REJECT = 0x200;

/** Every IPv4 network of an interface that leads out of this host. */
export function ownNetworks(interfaces: Interfaces = networkInterfaces()): OwnNetwork[] {
  const outward = Object.entries(interfaces).filter(([name]) => !INSIDE.test(name));
  return outward.flatMap(([name, infos = []]) =>
    infos.flatMap(({ internal, family, cidr, address }) => {
      const range = internal || family !== 'IPv4' || cidr === null ? '' : parseIpv4Range(cidr);
      return typeof range === 'string' ? [] : [{ interface: name, address, first: range.first, last: range.last }];
    }),
  );
}

/** The private networks among them, each once: what a first scan may be offered. */
export function privateNetworks(interfaces: Interfaces = networkInterfaces()): PrivateNetwork[] {
  const found = new Map<string, PrivateNetwork>();
  for (const { interface: name, first, last } of ownNetworks(interfaces)) {
    const isPrivate = PRIVATE.some((range) => typeof range !== 'string' && isInRange(range, first));
    const size = last - first + 1;
    if (!isPrivate || size < 4) continue;
    const cidr = `${formatIpv4(first)}/${32 - Math.log2(size)}`;
    if (!found.has(cidr)) found.set(cidr, { interface: name, cidr, addresses: size - 2 });
  }
  return [...found.values()];
}

/**
 * The address by which this host is known: that of the interface with the default route, else the first that leads out,
 * else loopback.
 */
export function ownAddress(interfaces: Interfaces = networkInterfaces(), routes = readRoutes()): string {
  const networks = ownNetworks(interfaces);
  const name = defaultInterface(routes);
  const best = networks.find((network) => network.interface === name) ?? networks[0];
  return best?.address ?? '127.0.0.1';
}

/**
 * Of how many of the addresses in `ranges` this host is a direct neighbour; each needs an entry in its neighbour table.
 */
export function countOnLink(ranges: readonly Span[], networks: readonly OwnNetwork[]): number {
  const seen = new Set<string>();
  return networks
    .filter(({ first, last }) => {
      const id = `${first}-${last}`;
      return !seen.has(id) && seen.add(id);
    })
    .flatMap((network) => ranges.map((range) => overlap(range, network)))
    .reduce((sum, size) => sum + size, 0);
}

const overlap = (a: Span, b: Span): number => Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);

/** What the routing table leads to, the default route included; undefined where this system does not say. */
export function routedSpans(routes = readRoutes()): Span[] | undefined {
  const spans = fieldsOf(routes).flatMap(([, destination = '', , flags = '', , , , mask = '']) => {
    const isInUse = (Number.parseInt(flags, 16) & (ROUTE_UP | ROUTE_REJECT)) === ROUTE_UP;
    const [first, size] = [addressOf(destination), 2 ** 32 - addressOf(mask)];
    return isInUse && Number.isFinite(first + size) ? [{ first, last: first + size - 1 }] : [];
  });
  return spans.length === 0 ? undefined : spans;
}

/** Eight hex digits, the last byte first. */
const addressOf = (digits: string): number =>
  /^[0-9A-F]{8}$/i.test(digits) ? Number.parseInt(digits.match(/../g)?.reverse().join('') ?? '', 16) : Number.NaN;

/** Of Linux, in its own table; other systems fall back to the first interface. */
const readRoutes = (): string => readTable(ROUTES);

const fieldsOf = (routes: string): string[][] => {
  const lines = routes.split('\n').slice(1);
  return lines.map((line) => line.split(/\s+/));
};

/** The text of a file below /proc; empty where this system has no such file. */
export function readTable(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The line with destination 0.0.0.0 and mask 0.0.0.0 and the lowest metric. */
function defaultInterface(routes: string): string | undefined {
  return fieldsOf(routes)
    .filter((fields) => fields[1] === '00000000' && fields[7] === '00000000')
    .toSorted((a, b) => Number(a[6]) - Number(b[6]))[0]?.[0];
}
