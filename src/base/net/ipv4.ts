// IPv4 addresses and ranges as people write them: single, CIDR, hyphen (`10.0.0.1-10.0.0.50`, `10.0.0.1-50`). Octets
// are strict (no octal, short or hex forms), by ip-num. Which addresses may be reached is decided elsewhere.
import { IPv4, IPv4CidrRange } from 'ip-num';

/** Inclusive range; `first` and `last` are addresses as unsigned 32-bit numbers. `text` is what was written. */
export type Ipv4Range = {
  readonly form: 'single' | 'cidr' | 'hyphen';
  readonly first: number;
  readonly last: number;
  readonly text: string;
};

export const RANGE_FORMS =
  'an address (10.0.0.5), a CIDR (10.0.0.0/24) or a hyphen range (10.0.0.1-10.0.0.50 or 10.0.0.1-50)';

const OCTET = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ADDRESS = `${OCTET}(\\.${OCTET}){3}`;
/** The forms as a regular expression, for schemas. That the first address is not above the last it cannot say. */
export const RANGE_PATTERN = `^${ADDRESS}(/(3[0-2]|[12]?\\d)| *- *(${ADDRESS}|${OCTET}))?$`;

/** The address as an unsigned 32-bit number, or undefined when the text is not a strict dotted quad. */
export function parseIpv4(text: string): number | undefined {
  try {
    return Number(new IPv4(text).getValue());
  } catch {
    return undefined;
  }
}

/** Dotted quad of an unsigned 32-bit number. */
export function formatIpv4(address: number): string {
  return `${(address >>> 24) & 255}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

/** The range, or a text that says what is wrong with it. */
export function parseIpv4Range(written: string): Ipv4Range | string {
  const text = written.trim();
  if (text.includes('/')) return parseCidr(text);
  const hyphen = text.indexOf('-');
  if (hyphen >= 0) return parseHyphen(text, text.slice(0, hyphen).trim(), text.slice(hyphen + 1).trim());
  const address = parseIpv4(text);
  return address === undefined
    ? `'${text}' is not ${RANGE_FORMS}`
    : { form: 'single', first: address, last: address, text };
}

function parseCidr(text: string): Ipv4Range | string {
  try {
    const range = IPv4CidrRange.fromCidr(text);
    return { form: 'cidr', first: Number(range.getFirst().getValue()), last: Number(range.getLast().getValue()), text };
  } catch {
    return `'${text}' is not ${RANGE_FORMS}`;
  }
}

function parseHyphen(text: string, from: string, to: string): Ipv4Range | string {
  const first = parseIpv4(from);
  const lastOctet = /^\d{1,3}$/.test(to) ? `${from.slice(0, from.lastIndexOf('.'))}.${to}` : to;
  const last = parseIpv4(lastOctet);
  if (first === undefined || last === undefined) return `'${text}' is not ${RANGE_FORMS}`;
  if (last < first) return `'${text}' runs downwards: write the lower address first`;
  return { form: 'hyphen', first, last, text };
}

export function isInRange(range: Ipv4Range, address: number): boolean {
  return address >= range.first && address <= range.last;
}

/** Whether the host of a URL is this machine, so that nothing leaves it. Resolves no name but `localhost`. */
export function isThisMachine(hostname: string): boolean {
  const address = parseIpv4(hostname);
  return hostname === 'localhost' || hostname === '[::1]' || (address !== undefined && address >>> 24 === 127);
}

/** The address that programs of one host reach each other at, and that takes nothing from beyond it. */
export const isLoopback = (host: string): boolean =>
  ['127.0.0.1', '::1', '::ffff:127.0.0.1', 'localhost'].includes(host);

/** With the brackets that an IPv6 address needs. */
export const plainUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Whether a URL leads over a line that everybody on the way can read. */
export function isExposed(url: URL): boolean {
  return (url.protocol === 'http:' || url.protocol === 'ws:') && !isThisMachine(url.hostname);
}
