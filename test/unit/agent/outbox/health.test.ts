// What the outbox reports of its disk: the fault while it lasts, and for a while after a write that worked.
import { expect, test } from 'vitest';
import { failed, WELL, whyUnkept, worked } from '../../../../src/agent/outbox/health.ts';

test('a fault counts while it lasts and 15 s after it came, and failures are counted until a write works', () => {
  const once = failed(WELL, 'the disk is full', 1_000);
  const twice = failed(once, 'the disk is read-only', 2_000);
  expect([once.failures, twice.failures]).toEqual([1, 2]);
  expect(whyUnkept(twice, 100_000)).toBe('the disk is read-only');
  const again = worked(twice, undefined);
  expect([again.fault, again.failures]).toEqual([undefined, 0]);
  expect(whyUnkept(again, 16_999)).toBe('the disk is read-only');
  expect(whyUnkept(again, 17_000)).toBeUndefined();
  expect(whyUnkept(WELL, 0)).toBeUndefined();
});

test('what is written to a file that is no longer in its place is not kept', () => {
  const misplaced = worked(WELL, 'the file is not where it was opened');
  expect(misplaced.fault).toBeUndefined();
  expect(whyUnkept(misplaced, 0)).toBe('the file is not where it was opened');
  expect(whyUnkept(worked(misplaced, undefined), 0)).toBeUndefined();
});
