// What a test file gets when it asks for networks.
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { formatIpv4, parseIpv4Range } from '../../../src/base/net/ipv4.ts';
import { loopback } from '../../support/loopback.ts';

const rangeOf = (network: string) => {
  const range = parseIpv4Range(network);
  if (typeof range === 'string') throw new Error(range);
  return range;
};

test('networks of one file do not overlap, and their parts lie within them', () => {
  const [small, wide, single] = [loopback(28), loopback(24), loopback(32)];
  const ranges = [small, wide, single].map(({ network }) => rangeOf(network)).toSorted((a, b) => a.first - b.first);
  expect(ranges.map(({ first, last }) => last - first + 1)).toEqual([16, 256, 1]);
  for (const [n, { last }] of ranges.entries()) expect(ranges[n + 1]?.first ?? last + 1).toBeGreaterThan(last);
  expect(wide.part(128, 30)).toBe(`${wide.ip(128)}/30`);
  expect(() => small.ip(16)).toThrow('/28 has no address 16');
});

test('a network that another process holds is left to it', async () => {
  const next = (network: string) => formatIpv4(rangeOf(network).first + 4_096);
  const taken = next(loopback(20).network);
  const other = createServer().listen(`\0pithead-tests-${taken}`);
  const { network } = loopback(20);
  expect(network).toBe(`${next(`${taken}/20`)}/20`);
  await new Promise((closed) => other.close(closed));
});
