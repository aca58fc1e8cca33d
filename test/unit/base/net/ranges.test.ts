// What operators write is understood in any sane notation, counted once, and refused with every reason at once.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatIpv4, parseIpv4 } from '../../../../src/base/net/ipv4.ts';
import { readRanges, type ScanRanges } from '../../../../src/base/net/ranges.ts';

const probed = ({ ranges }: ScanRanges) =>
  ranges.flatMap(({ spans }) =>
    spans.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, i) => formatIpv4(first + i))),
  );

test('singles, CIDR, both hyphen forms and lists with commas, blanks and semicolons are read', () => {
  const read = readRanges(
    ['10.0.0.5', '10.1.0.0/30, 10.2.0.1-10.2.0.3;10.3.0.9 - 11', '10.4.0.1\u201310.4.0.2  10.5.0.0 / 31'],
    [],
  );
  expect(read.problems).toEqual([]);
  expect(probed(read)).toEqual([
    '10.0.0.5',
    ...['10.1.0.1', '10.1.0.2'],
    ...['10.2.0.1', '10.2.0.2', '10.2.0.3'],
    ...['10.3.0.9', '10.3.0.10', '10.3.0.11'],
    ...['10.4.0.1', '10.4.0.2'],
    ...['10.5.0.0', '10.5.0.1'],
  ]);
});

test('a /22 has 1,022 addresses to probe and two that are left out', () => {
  const read = readRanges(['10.20.0.0/22'], []);
  expect(read).toMatchObject({ addresses: 1_024, excluded: 2, toProbe: 1_022, problems: [] });
});

test('the edge of a small network is probed when a larger range holds it as an ordinary address', () => {
  const read = readRanges([{ name: 'row 1', range: '10.0.0.0/24' }, '10.0.0.0/22'], []);
  expect(read).toMatchObject({ addresses: 1_024, excluded: 2, toProbe: 1_022 });
  expect(probed(read)).toContain('10.0.0.255');
  expect(probed(read)).not.toContain('10.0.3.255');
});

test('an address in several ranges counts once and belongs to the first; its name goes with it', () => {
  const read = readRanges(
    [
      { name: 'row 1', range: '10.0.0.1-10' },
      { name: 'all', range: '10.0.0.5-20' },
    ],
    ['10.0.0.7', '10.0.0.18/31'],
  );
  expect(read).toMatchObject({ addresses: 20, excluded: 3, toProbe: 17 });
  expect(read.ranges.map(({ name, spans }) => [name, spans.length])).toEqual([
    ['row 1', 2],
    ['all', 2],
  ]);
  expect(new Set(probed(read)).size).toBe(17);
});

test('what was understood is echoed with counts before anything is scanned', () => {
  const read = readRanges(
    [{ name: 'container 12', range: '10.31.0.0/22' }, '10.31.0.7', '10.40.0.9'],
    ['10.31.0.1-10'],
  );
  expect(read.echo).toEqual([
    'container 12 (10.31.0.0/22): 1,012 addresses, 10.31.0.11 to 10.31.3.254',
    '10.31.0.7: nothing left to probe',
    '10.40.0.9: 1 address, 10.40.0.9',
    'in all: 1,013 addresses to probe, 12 excluded (named so, or network and broadcast addresses)',
  ]);
});

test('all problems are named at once, each with the path of its field', () => {
  const read = readRanges(
    ['10.0.0.1-10.0.0.300', { name: 'x', range: '10.0.0.9-10.0.0.1' }, ' ', '010.0.0.1', '224.0.0.0/24'],
    ['nonsense'],
  );
  expect(read.problems.map(({ path }) => path)).toEqual([
    'networks[0]',
    'networks[1].range',
    'networks[2]',
    'networks[3]',
    'networks[4]',
    'exclude[0]',
  ]);
  expect(read.problems[1]?.message).toContain('lower address first');
});

test('more addresses than the cap are refused with the numbers', () => {
  const read = readRanges(['10.0.0.0/8'], []);
  expect(read.problems).toEqual([
    {
      path: 'networks',
      message: 'holds 16,777,214 addresses to probe; at most 262,144 are accepted: write narrower ranges',
    },
  ]);
  expect(readRanges(['10.0.0.0/14'], []).problems).toEqual([]);
  const named = readRanges(['10.0.0.0/8'], ['nowhere'], { path: 'scan', excludePath: 'x' });
  expect(named.problems.map(({ path }) => path)).toEqual(['x[0]', 'scan']);
});

const octets = fc.integer({ min: 0, max: 300 });
const written = fc.oneof(
  octets.map((n) => ({ text: formatIpv4(0x0a000000 + n), first: n, last: n, hasEdges: false })),
  fc.tuple(octets, fc.integer({ min: 0, max: 60 })).map(([n, more]) => ({
    text: `${formatIpv4(0x0a000000 + n)}-${formatIpv4(0x0a000000 + n + more)}`,
    first: n,
    last: n + more,
    hasEdges: false,
  })),
  fc.tuple(octets, fc.integer({ min: 25, max: 32 })).map(([n, bits]) => {
    const size = 2 ** (32 - bits);
    const first = n - (n % size);
    return { text: `${formatIpv4(0x0a000000 + first)}/${bits}`, first, last: first + size - 1, hasEdges: size >= 4 };
  }),
);

test('property: counts and addresses equal those of a plain walk over every address', () => {
  fc.assert(
    fc.property(
      fc.array(written, { minLength: 1, maxLength: 12, size: 'max' }),
      fc.array(written, { maxLength: 4, size: 'max' }),
      (ranges, excluded) => {
        const all = new Set<number>();
        const wanted = new Set<number>();
        for (const { first, last, hasEdges } of ranges) {
          for (let n = first; n <= last; n++) {
            all.add(n);
            if (!hasEdges || (n > first && n < last)) wanted.add(n);
          }
        }
        for (const { first, last } of excluded) for (let n = first; n <= last; n++) wanted.delete(n);
        const read = readRanges(
          ranges.map(({ text }) => text),
          excluded.map(({ text }) => text),
        );
        const addresses = probed(read).map((ip) => (parseIpv4(ip) ?? 0) - 0x0a000000);
        expect(addresses.toSorted((a, b) => a - b)).toEqual([...wanted].toSorted((a, b) => a - b));
        expect(read).toMatchObject({ addresses: all.size, toProbe: wanted.size, excluded: all.size - wanted.size });
      },
    ),
    { numRuns: 300 },
  );
});
