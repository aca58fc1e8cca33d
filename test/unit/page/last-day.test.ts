// A last day counts to its midnight, in the time of the device, and comes back as the same day.
import { expect, test } from 'vitest';
import { dayOf, endOf } from '../../../src/page/screens/people/last-day.ts';

test.each(['2026-12-31', '2027-02-28', '2028-02-29', '2026-03-29', '2026-10-25'])('%s', (day) => {
  const end = endOf(day);
  expect(dayOf(end)).toBe(day);
  expect(new Date(end ?? '').getHours()).toBe(0);
});

test('no day is no end; an end within a day is of this day', () => {
  expect(endOf('')).toBeNull();
  expect(dayOf(null)).toBe('');
  expect(dayOf(new Date(2026, 4, 5, 13, 30).toISOString())).toBe('2026-05-05');
});
