import { expect, test } from 'vitest';
import { showsVersionIn } from '../../../src/driver/kit/words/firmware-version.ts';

test.each([
  ['PowerPlay-BMS v1.5.13', '1.5.13', true],
  ['PowerPlay-BMS v1.5.13', 'v1.5.13', true],
  ['1.2', '1.2', true],
  ['1.2-rc1', '1.2', true],
  ['2025-04-07-0-424f9a7f-25.03-plus', '25.03', true],
  ['v1.2.5', '1.2', false],
  ['11.2', '1.2', false],
  ['21.2 and 1.2', '1.2', true],
  ['1.25', '1.2', false],
])('%j shows %j: %j', (shown, wanted, isShown) => {
  expect(showsVersionIn(shown, wanted)).toBe(isShown);
});

test('nothing is claimed where nothing is told or asked for', () => {
  expect(showsVersionIn(undefined, '1.2')).toBeUndefined();
  expect(showsVersionIn('1.2', undefined)).toBeUndefined();
});
