// Arithmetic of sets of addresses, held against plain sets.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countAddresses,
  formatSpan,
  holdsAddress,
  intersectSpans,
  mergeSpans,
  type Span,
  subtractSpans,
} from '../../../../src/base/net/intervals.ts';

const LAST = 40;
const span = fc.tuple(fc.nat(LAST), fc.nat(LAST)).map(([a, b]) => ({ first: Math.min(a, b), last: Math.max(a, b) }));
const spans = fc.array(span, { maxLength: 6 }).map(mergeSpans);
const all = Array.from({ length: LAST + 1 }, (_, address) => address);
const setOf = (some: readonly Span[]) =>
  all.filter((address) => some.some(({ first, last }) => first <= address && address <= last));

test('merged spans hold the same addresses, are sorted, and neither overlap nor touch', () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 8 }), (some) => {
      const merged = mergeSpans(some);
      expect(setOf(merged)).toEqual(setOf(some));
      for (const [i, { first }] of merged.entries())
        if (i > 0) expect(first).toBeGreaterThan((merged[i - 1]?.last ?? 0) + 1);
    }),
  );
});

test('what is taken away is gone, and nothing else', () => {
  fc.assert(
    fc.property(spans, spans, (from, removed) => {
      const gone = new Set(setOf(removed));
      expect(setOf(subtractSpans(from, removed))).toEqual(setOf(from).filter((address) => !gone.has(address)));
    }),
  );
});

test('what both hold is what is left', () => {
  fc.assert(
    fc.property(spans, spans, (from, wanted) => {
      const inBoth = new Set(setOf(wanted));
      expect(setOf(intersectSpans(from, wanted))).toEqual(setOf(from).filter((address) => inBoth.has(address)));
    }),
  );
});

test('an address is found in the span that holds it, and they are counted', () => {
  fc.assert(
    fc.property(spans, (some) => {
      expect(all.filter((address) => holdsAddress(some, address))).toEqual(setOf(some));
      expect(countAddresses(some)).toBe(setOf(some).length);
    }),
  );
});

test('people read a span as its ends', () => {
  expect(formatSpan({ first: 0x0a_1f_00_01, last: 0x0a_1f_00_01 })).toBe('10.31.0.1');
  expect(formatSpan({ first: 0x0a_1f_00_01, last: 0x0a_1f_00_32 })).toBe('10.31.0.1 to 10.31.0.50');
});
