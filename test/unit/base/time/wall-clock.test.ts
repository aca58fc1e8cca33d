// What clocks on walls show, here and elsewhere, also where summer time begins and ends.
import { expect, it, test } from 'vitest';
import { ownWallClock, wallClockOf, wallText } from '../../../../src/base/time/wall-clock.ts';

test.each([
  ['UTC', '2026-01-31T12:00:05.000Z', '2026-01-31 12:00:05'],
  ['America/Chicago', '2026-01-31T04:00:05.000Z', '2026-01-30 22:00:05'],
  ['America/Chicago', '2026-03-08T07:59:59.999Z', '2026-03-08 01:59:59'],
  ['America/Chicago', '2026-03-08T08:00:00.000Z', '2026-03-08 03:00:00'],
  ['America/Chicago', '2026-11-01T07:30:00.000Z', '2026-11-01 01:30:00'],
  ['Asia/Kolkata', '2026-06-01T20:00:00.000Z', '2026-06-02 01:30:00'],
  ['Asia/Kathmandu', '2026-06-01T18:15:00.000Z', '2026-06-02 00:00:00'],
])('in %s it is at %s: %s', (zone, at, shown) => {
  expect(wallText(wallClockOf(zone)?.(Date.parse(at)) ?? 0)).toBe(shown);
});

test.each(['', 'Mars/Olympus', 'Europe/Berlin; DROP', '\u0000'])('%j is no time zone', (zone) => {
  expect(wallClockOf(zone)).toBeUndefined();
});

it('that of this host is the one that dates are shown by', () => {
  const at = new Date(2026, 6, 31, 23, 5, 9);
  expect(wallText(ownWallClock(at.getTime()))).toBe('2026-07-31 23:05:09');
});
