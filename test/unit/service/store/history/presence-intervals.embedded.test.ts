// The minutes of a miner as spans: random reports in random order against a plain set of minutes.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  insert,
  missingFrom,
  newMinutes,
  readSpans,
  type Span,
  spansBefore,
  touches,
  writeSpans,
} from '../../../../../src/service/store/history/presence-intervals.ts';

const minutesOf = (spans: readonly Span[]) =>
  spans.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index));

test('spans hold exactly the minutes that were put in, sorted and apart', () => {
  const span = fc.tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 9 }));
  fc.assert(
    fc.property(fc.array(span, { maxLength: 30 }), span, (pairs, [at, more]) => {
      const model = new Set<number>();
      let spans: Span[] = [];
      for (const [first, length] of pairs) {
        spans = insert(spans, [first, first + length]);
        for (let minute = first; minute <= first + length; minute++) model.add(minute);
      }
      expect(minutesOf(spans)).toEqual([...model].toSorted((a, b) => a - b));
      for (const [index, { 0: first }] of spans.entries())
        if (index > 0) expect(first).toBeGreaterThan((spans[index - 1]?.[1] ?? 0) + 1);
      const asked: Span = [at, at + more];
      expect(minutesOf(missingFrom(spans, asked))).toEqual(minutesOf([asked]).filter((minute) => !model.has(minute)));
      expect(touches(spans, asked)).toBe(minutesOf([asked]).some((minute) => model.has(minute)));
      expect(readSpans(writeSpans(spans))).toEqual(spans);
    }),
  );
});

test('a report counts its own minute once, and a hole of one minute is none', () => {
  expect(newMinutes([], 100, 1)).toEqual([[100, 100]]);
  expect(newMinutes([[90, 100]], 100, 1)).toEqual([]);
  expect(newMinutes([[90, 98]], 100, 1)).toEqual([
    [99, 99],
    [100, 100],
  ]);
  expect(newMinutes([[90, 97]], 100, 1)).toEqual([[100, 100]]);
});

test('a report of a slow rhythm stands for the interval before it', () => {
  expect(newMinutes([[90, 92]], 100, 5)).toEqual([[96, 100]]);
  expect(newMinutes([[90, 98]], 100, 5)).toEqual([[99, 100]]);
  expect(newMinutes([[90, 93]], 100, 5)).toEqual([
    [94, 95],
    [96, 100],
  ]);
});

test('what is before a minute: spans that end there are cut, later ones go', () => {
  const spans: Span[] = [
    [1, 3],
    [10, 20],
    [30, 31],
  ];
  expect(spansBefore(spans, 0)).toEqual([]);
  expect(spansBefore(spans, 10)).toEqual([[1, 3]]);
  expect(spansBefore(spans, 15)).toEqual([
    [1, 3],
    [10, 14],
  ]);
  expect(spansBefore(spans, 32)).toEqual(spans);
});

test('a list that gets too long forgets its oldest hole, never a minute', () => {
  let spans: Span[] = [];
  for (let index = 0; index < 200; index++) spans = insert(spans, [index * 10, index * 10 + 1]);
  expect(spans.length).toBeLessThanOrEqual(64);
  for (let index = 0; index < 200; index++) expect(touches(spans, [index * 10, index * 10])).toBe(true);
  expect(writeSpans(spans).length).toBeLessThan(2_000);
});
