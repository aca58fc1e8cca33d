// The walk over the addresses is complete, fair between ranges and even over subnets.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderAddresses } from '../../../../src/agent/scan/address-order.ts';
import { readRanges } from '../../../../src/base/net/ranges.ts';

const walk = (written: string[], known: number[], random: () => number) => [
  ...orderAddresses(readRanges(written, []).ranges, new Set(known), random),
];
const TEN = 0x0a000000;

test('known addresses come first, in their order, and those outside the ranges are left out', () => {
  const order = walk(['10.0.0.0/24'], [TEN + 77, TEN + 5, TEN + 70_000], () => 0.3);
  expect(order.slice(0, 2).map(({ address }) => address - TEN)).toEqual([77, 5]);
  expect(order).toHaveLength(254);
});

test('a large range does not starve a small one: they take turns until one is done', () => {
  const order = walk(['10.0.0.0/16', '10.9.0.1-20', '10.8.0.1'], [], () => 0.7);
  const places = order.flatMap(({ range }, i) => (range.range.text === '10.9.0.1-20' ? [i] : []));
  expect(places).toHaveLength(20);
  expect(places.at(-1)).toBeLessThan(20 * 3);
  expect(order.findIndex(({ range }) => range.range.text === '10.8.0.1')).toBeLessThan(3);
});

test('any 256 probes in a row of a /16 spread over its subnets', () => {
  for (const pick of [0, 0.4, 0.9]) {
    const order = walk(['10.0.0.0/16'], [], () => pick);
    for (let start = 0; start + 256 <= order.length; start += 256) {
      const perSubnet = new Map<number, number>();
      for (const { address } of order.slice(start, start + 256)) {
        const subnet = (address - TEN) >> 8;
        perSubnet.set(subnet, (perSubnet.get(subnet) ?? 0) + 1);
      }
      expect(Math.max(...perSubnet.values())).toBeLessThanOrEqual(4);
    }
  }
});

/** Every address that is looked at is asked for here. */
class CountedSet extends Set<number> {
  asked = 0;
  override has(address: number): boolean {
    this.asked++;
    return super.has(address);
  }
}

test('the walk is lazy: the first address of the largest scan costs no list', () => {
  const set = readRanges(['10.0.0.0/14'], []);
  const known = new CountedSet();
  const order = orderAddresses(set.ranges, known, () => 0.5);
  for (let i = 0; i < 10; i++) order.next();
  expect(known.asked).toBe(10);
});

test('property: every address once, whatever the ranges, the known ones and the seed', () => {
  const range = fc.tuple(
    fc.integer({ min: 1, max: 250 }),
    fc.integer({ min: 0, max: 90 }),
    fc.integer({ min: 0, max: 3 }),
  );
  fc.assert(
    fc.property(
      fc.array(range, { maxLength: 8, size: 'max' }),
      fc.uniqueArray(fc.integer({ min: 0, max: 1_023 })),
      fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
      (items, known, seeds) => {
        const written = items.map(([from, more, net]) => `10.0.${net}.${from}-${Math.min(255, from + more)}`);
        const expected = new Set(
          readRanges(written, []).ranges.flatMap(({ spans }) =>
            spans.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, i) => first + i)),
          ),
        );
        const random = () => {
          const next: unknown = seeds.next().value;
          return typeof next === 'number' ? next : 0;
        };
        const order = walk(
          written,
          known.map((n) => TEN + n),
          random,
        ).map(({ address }) => address);
        expect(new Set(order)).toEqual(expected);
        expect(order).toHaveLength(expected.size);
      },
    ),
    { numRuns: 200 },
  );
});
