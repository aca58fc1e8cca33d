import { expect, test } from 'vitest';
import { jsonLength } from '../../../src/wire/json-length.ts';

test('is about as long as the JSON of the value', () => {
  const values = [
    'text',
    { a: ['b', 'c'], d: { e: 'f' } },
    Array.from({ length: 50 }, (_, n) => ({ index: n, name: `fan ${n}`, rpm: 5_800.25, isOn: true, text: null })),
  ];
  for (const value of values) {
    const { length } = JSON.stringify(value);
    expect(jsonLength(value, 1e6)).toBeGreaterThanOrEqual(length * 0.8);
    expect(jsonLength(value, 1e6)).toBeLessThanOrEqual(length * 1.3);
  }
});

test('counts no further than it is asked to, and what is very deep is longer than anything', () => {
  const reads: number[] = [];
  const parts = Array.from({ length: 10 }, (_, n) => ({
    get text() {
      reads.push(n);
      return 'x'.repeat(100);
    },
  }));
  expect(jsonLength(parts, 250)).toBeGreaterThan(250);
  expect(reads).toEqual([0, 1, 2]);
  const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);
  expect(jsonLength(nested(60), 1e6)).toBeLessThan(1_000);
  expect(jsonLength(nested(64), 1e6)).toBe(Number.POSITIVE_INFINITY);
});
