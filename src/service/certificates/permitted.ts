// What the certificates of a farm may be for: one name of the local network, and private address ranges. It knows no
// certificates.
import { isIPv4 } from 'node:net';
import { holdsAddress, intersectSpans, mergeSpans, type Span } from '../../base/net/intervals.ts';
import { formatIpv4, parseIpv4, parseIpv4Range } from '../../base/net/ipv4.ts';

/** Addresses that mean the same host only inside one network: RFC 1918, RFC 6598, and this host's own. */
const PRIVATE_BLOCKS = ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];

/** With more ranges than this a certificate names the blocks that hold them: it goes with each connection. */
const MOST_RANGES = 32;

const spanOf = (cidr: string): Span => {
  const range = parseIpv4Range(cidr);
  return typeof range === 'string' ? { first: 0, last: -1 } : range;
};

/**
 * As CIDR, sorted: for each span the smallest network that holds what of it is private. Larger than the spans, so that
 * another address of the same network needs no new trust.
 */
export function permittedRanges(spans: readonly Span[]): string[] {
  const wanted = mergeSpans(spans.filter(({ first, last }) => first <= last));
  const inBlocks = PRIVATE_BLOCKS.map((block) => ({ block, spans: intersectSpans(wanted, [spanOf(block)]) }));
  const networks = mergeNetworks(inBlocks.flatMap(({ spans: held }) => held.map(networkOf)));
  if (networks.length <= MOST_RANGES) return networks;
  return inBlocks.filter(({ spans: held }) => held.length > 0).map(({ block }) => block);
}

/** The smallest network that holds the span. */
function networkOf({ first, last }: Span): string {
  const hostBits = 32 - Math.clz32((first ^ last) >>> 0);
  const base = hostBits === 32 ? 0 : ((first >>> hostBits) << hostBits) >>> 0;
  return `${formatIpv4(base)}/${32 - hostBits}`;
}

/** Without those that lie in another. */
function mergeNetworks(cidrs: readonly string[]): string[] {
  const all = [...new Set(cidrs)].map((cidr) => ({ cidr, span: spanOf(cidr) }));
  return all
    .filter(({ cidr, span }) => !all.some((other) => other.cidr !== cidr && isWithin(span, other.span)))
    .toSorted((a, b) => a.span.first - b.span.first)
    .map(({ cidr }) => cidr);
}

const isWithin = (inner: Span, outer: Span) => inner.first >= outer.first && inner.last <= outer.last;

/** The addresses that lie in the ranges; this host's own 127.0.0.1 needs no certificate. */
export function permittedAddresses(addresses: readonly string[], ranges: readonly string[]): string[] {
  return lanAddresses(addresses).filter((address) => liesIn(address, ranges));
}

/** Whether certificates of a farm can be good for it. */
export const isPrivateAddress = (address: string): boolean => liesIn(address, PRIVATE_BLOCKS);

const liesIn = (address: string, cidrs: readonly string[]) =>
  holdsAddress(mergeSpans(cidrs.map(spanOf)), parseIpv4(address) ?? -1);

/** Private ones that do not: who opens the page there is warned by the browser. For public ones no authority helps. */
export function strayAddresses(addresses: readonly string[], ranges: readonly string[]): string[] {
  const permitted = permittedAddresses(addresses, ranges);
  return lanAddresses(addresses).filter((address) => isPrivateAddress(address) && !permitted.includes(address));
}

const lanAddresses = (addresses: readonly string[]) =>
  [...new Set(addresses)].filter((address) => isIPv4(address) && address !== '127.0.0.1').toSorted();

const LONGEST_LABEL = 40;

/** `pithead-hall-2.local` for 'Hall 2'. Empty names become that of the program alone. */
export function localNameOf(name: string): string {
  const label = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_LABEL)
    .replaceAll(/^-+|-+$/g, '');
  return label === '' || label === 'pithead' ? 'pithead.local' : `pithead-${label.replace(/^pithead-/, '')}.local`;
}
