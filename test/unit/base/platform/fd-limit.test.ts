import { expect, test } from 'vitest';
import { openFileLimit } from '../../../../src/base/platform/fd-limit.ts';

const limits = (soft: string) =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft}                 524288               files\n`;

test('the limit of open files is read from what the system tells', () => {
  expect(openFileLimit(() => limits('20000'))).toBe(20_000);
  expect(openFileLimit(() => limits('unlimited'))).toBe(Number.POSITIVE_INFINITY);
  expect(openFileLimit() ?? 1_024).toBeGreaterThanOrEqual(64);
});

test('a system that does not tell has no known limit, and nothing throws', () => {
  expect(openFileLimit(() => 'nothing')).toBeUndefined();
  expect(
    openFileLimit(() => {
      throw new Error('no such file');
    }),
  ).toBeUndefined();
});
