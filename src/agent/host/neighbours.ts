// The MAC addresses of this host's direct neighbours, as its own kernel knows them. It reads one file, runs no program
// and sends nothing; where there is no such file it knows none. What lies behind a router shows the router's MAC: of
// those it says nothing.
import type { Clock } from '../../base/clock.ts';
import { parseIpv4 } from '../../base/net/ipv4.ts';
import { macState, normaliseMac } from '../../model/identity-facts.ts';
import { type OwnNetwork, ownNetworks, readTable } from './networks.ts';

/**
 * `isShared` = other addresses show this MAC, too: something stands in between, or a miner has moved and its old
 * address is not forgotten yet.
 */
type Neighbour = { readonly mac: string; readonly isShared: boolean };

const TABLE = '/proc/net/arp';
/** For thousands of miners in a row the table is read once. */
const KEEP_MS = 1_000;
const ETHERNET = 0x1;
const COMPLETE = 0x2;
const MAX_ENTRIES = 262_144;

/** `table` = as Linux prints it. */
export function createNeighbours(
  clock: Pick<Clock, 'monotonicMs'>,
  { table, networks } = { table: () => readTable(TABLE), networks: () => ownNetworks() },
) {
  let kept: { readonly atMs: number; readonly byIp: ReadonlyMap<string, Neighbour> } | undefined;
  return {
    /**
     * Of the device that answered at `ip` a moment ago. Undefined when it is no direct neighbour, or has not answered
     * recently.
     */
    at(ip: string): Neighbour | undefined {
      const nowMs = clock.monotonicMs();
      if (kept === undefined || nowMs - kept.atMs >= KEEP_MS)
        kept = { atMs: nowMs, byIp: readNeighbours(table(), networks()) };
      return kept.byIp.get(ip);
    },
  };
}

/** Lines of `address, hardware type, flags, MAC, mask, interface` below a headline. */
function readNeighbours(table: string, networks: readonly OwnNetwork[]): ReadonlyMap<string, Neighbour> {
  const holders = new Map<string, string[]>();
  for (const line of table.split('\n').slice(1, MAX_ENTRIES)) {
    const [ip = '', type, flags, written = '', , name] = line.trim().split(/\s+/);
    if (Number(type) !== ETHERNET || (Number(flags) & COMPLETE) === 0 || macState(written) !== 'ok') continue;
    const address = parseIpv4(ip) ?? -1;
    const isOnLink = networks.some((own) => own.interface === name && address >= own.first && address <= own.last);
    const mac = normaliseMac(written);
    if (!isOnLink || mac === undefined) continue;
    const ips = holders.get(mac) ?? [];
    ips.push(ip);
    holders.set(mac, ips);
  }
  return new Map([...holders].flatMap(([mac, ips]) => ips.map((ip) => [ip, { mac, isShared: ips.length > 1 }])));
}
