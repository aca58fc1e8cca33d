// Which networks this host stands in, from what its interfaces say.
import type { NetworkInterfaceInfoIPv4 } from 'node:os';
import { expect, test } from 'vitest';
import {
  countOnLink,
  ownAddress,
  ownNetworks,
  privateNetworks,
  routedSpans,
} from '../../../../src/agent/host/networks.ts';
import { parseIpv4, parseIpv4Range } from '../../../../src/base/net/ipv4.ts';

const at = (cidr: string, internal = false): NetworkInterfaceInfoIPv4 => ({
  address: cidr.split('/')[0] ?? '',
  netmask: '',
  mac: '02:00:00:00:00:01',
  family: 'IPv4',
  internal,
  cidr,
});
const interfaces = {
  lo: [at('127.0.0.1/8', true)],
  docker0: [at('172.17.0.1/16')],
  eth0: [at('203.0.113.9/24')],
  eth1: [at('10.31.4.7/22'), at('10.31.4.8/22')],
  eth2: [at('192.168.1.5/24')],
  tun0: [at('10.200.0.1/32')],
};
const routes = [
  'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT',
  'eth1\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0',
  'eth2\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0',
  'eth0\t007100CB\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
].join('\n');

test('the private networks of real interfaces are offered, each once, with the addresses that a scan would probe', () => {
  expect(privateNetworks(interfaces)).toEqual([
    { interface: 'eth1', cidr: '10.31.4.0/22', addresses: 1_022 },
    { interface: 'eth2', cidr: '192.168.1.0/24', addresses: 254 },
  ]);
});

test('this host is known by the address of its best default route, else by the first that leads out', () => {
  expect(ownAddress(interfaces, routes)).toBe('192.168.1.5');
  expect(ownAddress(interfaces, '')).toBe('203.0.113.9');
  expect(ownAddress({ lo: interfaces.lo, docker0: interfaces.docker0 }, '')).toBe('127.0.0.1');
});

test('the real interfaces give an IPv4 address', () => {
  expect(parseIpv4(ownAddress())).toBeTypeOf('number');
});

test('direct neighbours are counted once, also when two addresses of this host are in the same network', () => {
  const ranges = ['10.31.0.0-10.31.4.9', '10.31.7.250-10.31.9.0', '172.17.0.0/24'].flatMap((text) => {
    const range = parseIpv4Range(text);
    return typeof range === 'string' ? [] : [range];
  });
  expect(countOnLink(ranges, ownNetworks(interfaces))).toBe(10 + 6);
});

test('the routing table as spans: the default route is everything, what is down or rejected is nothing', () => {
  expect(routedSpans(routes)).toEqual([
    { first: 0, last: 0xffffffff },
    { first: 0, last: 0xffffffff },
    { first: 0xcb007100, last: 0xcb0071ff },
  ]);
  const more = [
    'eth1\t00001F0A\t0101A8C0\t0003\t0\t0\t0\t00FCFFFF\t0\t0\t0',
    'eth1\t0000200A\t00000000\t0000\t0\t0\t0\t00FCFFFF\t0\t0\t0',
    '*\t0000210A\t00000000\t0201\t0\t0\t0\t00FCFFFF\t0\t0\t0',
    'cut',
  ].join('\n');
  expect(routedSpans(`Iface\n${more}`)).toEqual([{ first: 0x0a1f0000, last: 0x0a1f03ff }]);
  expect(routedSpans('')).toBeUndefined();
});
