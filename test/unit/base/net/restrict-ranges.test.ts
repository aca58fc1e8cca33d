// A part of the configured ranges that somebody else asks for: never wider, exclusions stay, the account adds up.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatIpv4 } from '../../../../src/base/net/ipv4.ts';
import { readRanges } from '../../../../src/base/net/ranges.ts';
import { narrowRanges } from '../../../../src/base/net/restrict-ranges.ts';

const configured = readRanges(
  [{ name: 'hall 1', range: '10.0.0.0/24' }, { name: 'hall 2', range: '10.0.1.0/24' }, '10.0.9.5'],
  ['10.0.0.50-60'],
);

function narrowed(...wanted: string[]) {
  const result = narrowRanges(configured, wanted);
  if (typeof result === 'string') throw new Error(result);
  return result;
}

test('a whole network keeps its name, its edges and its exclusions', () => {
  const { ranges, ...counts } = narrowed('10.0.0.0/24');
  expect(ranges.map(({ name }) => name)).toEqual(['hall 1']);
  expect(counts).toEqual({ addresses: 256, excluded: 13, toProbe: 243 });
});

test('a part of a network has no edges of its own', () => {
  expect(narrowed('10.0.0.128/26')).toMatchObject({ addresses: 64, excluded: 0, toProbe: 64 });
  expect(narrowed('10.0.0.0/25')).toMatchObject({ addresses: 128, excluded: 12, toProbe: 116 });
});

test('a range may lie over two networks that touch, and what is asked for twice counts once', () => {
  const { ranges, ...counts } = narrowed('10.0.0.200-10.0.1.20', '10.0.1.0-10.0.1.20', '10.0.9.5');
  expect(ranges.map(({ name }) => name)).toEqual(['hall 1', 'hall 2', undefined]);
  expect(counts).toEqual({ addresses: 78, excluded: 2, toProbe: 76 });
});

test.each([
  ['10.0.0.0/22', '10.0.0.0/22 (10.0.2.0 to 10.0.3.255) is outside'],
  ['10.0.1.250-10.0.2.5', '10.0.1.250-10.0.2.5 (10.0.2.0 to 10.0.2.5) is outside'],
  ['10.0.9.4-6', '10.0.9.4-6 (10.0.9.4) is outside'],
  ['192.168.0.0/24', '192.168.0.0/24 is outside'],
  ['127.0.0.1', '127.0.0.1 is outside'],
  ['169.254.169.254', '169.254.169.254 is outside'],
  ['0.0.0.0/0', '0.0.0.0/0 ('],
  ['10.0.0.077', "'10.0.0.077' is not"],
  ['10.0.0.55', 'every address is excluded'],
])('%s is refused, and the words name it', (wanted, words) => {
  expect(narrowRanges(configured, [wanted])).toContain(words);
  expect(typeof narrowRanges(configured, ['10.0.0.1', wanted])).toBe(wanted === '10.0.0.55' ? 'object' : 'string');
});

test('whatever is asked for, nothing is probed that is not configured or not asked for', () => {
  const address = fc.integer({ min: 0x0a_00_00_00, max: 0x0a_00_0a_00 });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(address, fc.integer({ min: 0, max: 300 })), { minLength: 1, maxLength: 4 }),
      (list) => {
        const wanted = list.map(([first, more]) => `${formatIpv4(first)}-${formatIpv4(first + more)}`);
        const result = narrowRanges(configured, wanted);
        if (typeof result === 'string') return;
        const may = configured.ranges.flatMap(({ spans }) => spans);
        for (const { first, last } of result.ranges.flatMap(({ spans }) => spans)) {
          expect(may.some((span) => span.first <= first && last <= span.last)).toBe(true);
          for (const end of [first, last])
            expect(list.some(([from, more]) => from <= end && end <= from + more)).toBe(true);
        }
        expect(result.addresses).toBe(result.toProbe + result.excluded);
      },
    ),
    { numRuns: 500 },
  );
});
