// Is this host set up for what it is to do? Reads limits of the system and says which setting to change. It never
// changes one.
import { countAddresses, type Span } from '../../base/net/intervals.ts';
import { formatIpv4 } from '../../base/net/ipv4.ts';
import { openFileLimit } from '../../base/platform/fd-limit.ts';
import { countOnLink, type OwnNetwork, ownNetworks, readTable, routedSpans } from './networks.ts';

/** Undefined where this system does not say. */
type HostLimits = {
  readonly openFiles: number | undefined;
  /** Entries of the IPv4 neighbour table above which new hosts cannot be reached. */
  readonly maxNeighbours: number | undefined;
  readonly networks: readonly OwnNetwork[];
  readonly routes: readonly Span[] | undefined;
};

const MAX_NEIGHBOURS = '/proc/sys/net/ipv4/neigh/default/gc_thresh3';
/** Files and sockets that the rest of the process needs. */
const RESERVE = 512;
/**
 * A silent neighbour holds its entry for three seconds; a quarter of the table per second leaves room for those that
 * live.
 */
const SHARE_PER_SECOND = 4;
const LARGEST_TABLE = 262_144;

export function readLimits(): HostLimits {
  const maxNeighbours = Number.parseInt(readTable(MAX_NEIGHBOURS), 10) || undefined;
  return { openFiles: openFileLimit(), maxNeighbours, networks: ownNetworks(), routes: routedSpans() };
}

/** `sockets` = most that scan and poll hold at once. */
export function readiness(
  { sockets, ranges }: { readonly sockets: number; readonly ranges: readonly Span[] },
  limits = readLimits(),
) {
  const onLinkAddresses = countOnLink(ranges, limits.networks);
  const most = limits.maxNeighbours;
  const isTight = most !== undefined && onLinkAddresses * 2 > most;
  const astray = limits.routes === undefined ? [] : ranges.filter((range) => !isReached(range, limits));
  return {
    limits,
    /** Addresses of the ranges that are direct neighbours of this host. */
    onLinkAddresses,
    /** How the addresses of the ranges are reached, in words. */
    way: wayTo(ranges, onLinkAddresses, limits.networks),
    /** New silent neighbours per second that the table bears; undefined when it is no constraint. */
    onLinkPerSecond: isTight ? Math.max(1, Math.floor(most / SHARE_PER_SECOND)) : undefined,
    /** One line per shortcoming, with the setting to change. Empty = ready. */
    advice: [
      ...adviseOpenFiles(sockets, limits.openFiles),
      ...(isTight ? adviseNeighbours(onLinkAddresses, most) : []),
      ...adviseRoutes(astray),
    ],
  };
}

function adviseOpenFiles(sockets: number, openFiles: number | undefined): string[] {
  const wanted = 2 * (sockets + RESERVE);
  if (openFiles === undefined || openFiles >= wanted) return [];
  const round = Math.max(8_192, powerOfTwo(wanted));
  return [
    `open files: this process may open ${openFiles}, ${wanted} are wanted for ${sockets} connections at once, so scans are slower. ` +
      `Set LimitNOFILE=${round} in the service unit, or run \`ulimit -n ${round}\` before the start.`,
  ];
}

function adviseNeighbours(onLink: number, most: number): string[] {
  const table = Math.min(LARGEST_TABLE, powerOfTwo(2 * onLink));
  const settings = [table / 4, table / 2, table].map((size, i) => `net.ipv4.neigh.default.gc_thresh${i + 1}=${size}`);
  return [
    `neighbour table: ${onLink} addresses of the ranges are in this host's own network, but its table holds ${most} neighbours; ` +
      `above that, miners cannot be reached. Run \`sysctl -w ${settings.join(' ')}\` and put the three settings into /etc/sysctl.d/90-pithead.conf.`,
  ];
}

/** Loopback is inside this host: no table leads there. */
const LOOPBACK: Span = { first: 0x7f000000, last: 0x7fffffff };

const meets = (a: Span, b: Span): boolean => a.first <= b.last && b.first <= a.last;

/** Whether some of it is. */
const isReached = (range: Span, { networks, routes = [] }: HostLimits): boolean =>
  [LOOPBACK, ...networks, ...routes].some((way) => meets(range, way));

function adviseRoutes(astray: readonly Span[]): string[] {
  const [first] = astray;
  if (first === undefined) return [];
  const count = countAddresses(astray);
  const example = `${formatIpv4(first.first)} to ${formatIpv4(first.last)}`;
  return [
    `routes: ${count} addresses (${example}${astray.length > 1 ? ', …' : ''}) cannot be reached, this host is not in their network and no route leads there. ` +
      'Run `ip route add <network> via <router>` with the router between, or put this host into the network of the miners.',
  ];
}

function wayTo(ranges: readonly Span[], onLink: number, networks: readonly OwnNetwork[]): string {
  const all = countAddresses(ranges);
  const inside = countAddresses(ranges.filter((range) => meets(range, LOOPBACK)));
  const names = new Set(
    networks.filter((own) => ranges.some((range) => meets(range, own))).map((own) => own.interface),
  );
  const parts = [
    [onLink, `direct neighbours of this host (${[...names].join(', ')})`],
    [inside, 'inside this host'],
    [all - onLink - inside, 'behind a router'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count === all ? 'all' : count} ${words}`)
    .join(', ');
}

const powerOfTwo = (least: number): number => 2 ** Math.ceil(Math.log2(least));
