// Sums of values of which some are not known: absence is never counted as zero.
import { expect, test } from 'vitest';
import { largest, mean, sumOfAll } from '../../../src/base/numbers.ts';

test('a mean is of what is known, and of nothing there is none', () => {
  expect(mean([1, undefined, 5])).toBe(3);
  expect(mean([0, undefined])).toBe(0);
  expect(mean([undefined])).toBeUndefined();
  expect(mean([])).toBeUndefined();
});

test('a sum of which a part is missing is none', () => {
  expect(sumOfAll([1, 2, 0])).toBe(3);
  expect(sumOfAll([1, undefined, 3])).toBeUndefined();
  expect(sumOfAll([])).toBeUndefined();
});

test('the largest is of what is known', () => {
  expect(largest([-3, undefined, -7])).toBe(-3);
  expect(largest([undefined])).toBeUndefined();
  expect(largest([])).toBeUndefined();
});
