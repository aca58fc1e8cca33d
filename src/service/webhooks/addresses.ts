// Where messages of webhooks may go: to addresses of the public internet and to networks that the operator allows. An
// address is checked where the connection is made, so that no second look-up can give another one.
import { type LookupAddress, lookup as lookUp } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import pLimit from 'p-limit';
import { ConfigError, RefusedError } from '../../base/errors.ts';

/** IPv4 that is not of the public internet: the registries of special addresses, and multicast. */
const SPECIAL_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
/** Of IPv6 all but this is refused, but for what carries an IPv4 address … */
const PUBLIC_IPV6 = ['2000::', 3] as const;
/** … and of that, protocols of the IETF (Teredo among them) and addresses of documents. */
const SPECIAL_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
];

/** Addresses of a name; at least the first answer of the operating system. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export type AddressPolicy = ReturnType<typeof createAddressPolicy>;
type Protocol = 'http:' | 'https:';

/** `allowedNetworks` as CIDR; throws ConfigError for what is none. */
export function createAddressPolicy(allowedNetworks: readonly string[], resolve: Resolve = createResolve()) {
  const allowed = new BlockList();
  for (const network of allowedNetworks) addNetwork(allowed, network);
  const permits = (address: string, protocol: Protocol): boolean => {
    const plain = toPlain(address);
    if (plain === undefined) return false;
    return allowed.check(plain.address, plain.family) || (protocol === 'https:' && isPublic(plain));
  };
  return {
    /** Whether a connection to this IP address may be made. Plain HTTP goes to allowed networks alone. */
    permits,
    /**
     * Why this may not be the URL of a webhook, as far as the URL itself shows; undefined = it may. Names are looked up
     * for each connection.
     */
    problemOf(text: string): string | undefined {
      const url = URL.parse(text);
      if (url === null) return 'no URL';
      if (url.protocol !== 'https:' && url.protocol !== 'http:') return `received ${url.protocol}, accepted: https:`;
      if (url.username !== '' || url.password !== '') return 'a URL with a user or a password';
      if (url.hash !== '') return 'a URL with a fragment';
      if (url.protocol === 'http:' && allowedNetworks.length === 0)
        return 'received http:, accepted: https:; http: goes to webhooks.allowedNetworks of the service alone';
      const host = hostOf(url.hostname);
      return isIP(host) === 0 || permits(host, url.protocol) ? undefined : notAllowed;
    },
    /** The look-up of a connection: only addresses that are permitted come out of it, each name is looked up once. */
    lookupFor:
      (protocol: Protocol): LookupFunction =>
      (hostname, options, callback) => {
        resolve(hostname).then(
          (found) => {
            const good = found.filter(({ address }) => permits(address, protocol));
            const [first] = good;
            if (first === undefined) return callback(refused(hostname), '', 0);
            return options.all === true ? callback(null, [...good]) : callback(null, first.address, first.family);
          },
          (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), '', 0),
        );
      },
  };
}

const notAllowed = 'an address that is private or special; webhooks.allowedNetworks of the service allows networks';

/** Which address it was stays here: it may say something of a network that the user of a webhook does not know. */
const refused = (hostname: string) =>
  new RefusedError('webhooks.address', `send to ${hostname}: it leads to ${notAllowed}`);

const hostOf = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1');

type Plain = { readonly address: string; readonly family: 'ipv4' | 'ipv6' };

/** The IPv4 address inside, where an IPv6 address carries one that the packets end at. Undefined = it is no address. */
function toPlain(address: string): Plain | undefined {
  if (isIP(address) === 4) return { address, family: 'ipv4' };
  const groups = groupsOf(address);
  if (groups === undefined) return undefined;
  const [first = 0, second = 0, third = 0] = groups;
  const startsWith = (...start: number[]) => start.every((group, index) => groups[index] === group);
  const isMapped = startsWith(0, 0, 0, 0, 0, 0xffff);
  const isNat64 = startsWith(0x64, 0xff9b, 0, 0, 0, 0);
  if (isMapped || isNat64) return { address: ipv4Of(groups[6] ?? 0, groups[7] ?? 0), family: 'ipv4' };
  // 6to4.
  if (first === 0x2002) return { address: ipv4Of(second, third), family: 'ipv4' };
  return { address, family: 'ipv6' };
}

const ipv4Of = (high: number, low: number) => [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');

/** The eight groups; undefined for what is no IPv6 address, and for one of an interface (`fe80::1%eth0`). */
function groupsOf(address: string): readonly number[] | undefined {
  const hostname = isIP(address) === 6 ? URL.parse(`http://[${address}]/`)?.hostname : undefined;
  if (hostname === undefined) return undefined;
  const [before = '', after] = hostOf(hostname).split('::');
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const [head, tail] = [parse(before), parse(after ?? '')];
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

function blockListOf(networks: readonly (readonly [string, number])[], family: Plain['family']): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family);
  return list;
}

const specialIpv4 = blockListOf(SPECIAL_IPV4, 'ipv4');
const specialIpv6 = blockListOf(SPECIAL_IPV6, 'ipv6');
const publicIpv6 = blockListOf([PUBLIC_IPV6], 'ipv6');

const isPublic = ({ address, family }: Plain): boolean =>
  family === 'ipv4'
    ? !specialIpv4.check(address, family)
    : publicIpv6.check(address, family) && !specialIpv6.check(address, family);

function addNetwork(list: BlockList, network: string): void {
  const [address = '', prefix = '', ...rest] = network.split('/');
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  const isNetwork = isIP(address) !== 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix);
  if (!isNetwork || Number(prefix) > (family === 'ipv4' ? 32 : 128))
    throw new ConfigError(`allow the network ${network} for webhooks`, [
      { path: 'webhooks.allowedNetworks', message: `received ${network}, accepted: networks as 10.20.0.0/16` },
    ]);
  list.addSubnet(address, Number(prefix), family);
}

/** Look-ups take threads that the disk needs too, and a name server that does not answer keeps them for long. */
const LOOKUPS = { atOnce: 2, most: 64 } as const;

function createResolve(): Resolve {
  const limit = pLimit(LOOKUPS.atOnce);
  return async (hostname) => {
    if (limit.pendingCount >= LOOKUPS.most) throw new Error(`look up ${hostname}: too many look-ups wait`);
    return limit(
      () =>
        new Promise<LookupAddress[]>((resolve, reject) => {
          lookUp(hostname, { all: true }, (error, found) => (error === null ? resolve(found) : reject(error)));
        }),
    );
  };
}
