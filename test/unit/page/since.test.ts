// From when on changes are shown: as it stands in the address, and as the clock of this device has it.
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { beginOf, fieldOf, momentOf, readSince, USUAL, writeSince } from '../../../src/page/screens/changes/since.ts';

const NOW = new Date(2026, 10, 27, 6, 30);
const NOW_MS = NOW.getTime();

test.each(['8h', '12h', '24h', '07:00', '23:59', '2026-11-26T06:00:00.000Z'])(
  '%s is written as it was read',
  (text) => {
    expect(writeSince(readSince(text))).toBe(text);
  },
);

test.each([undefined, '', '0h', '9999h', '24:00', '7:00', 'yesterday', '2026-13-45T99:00Z', '2026-11-26'])(
  '%s is what is usual',
  (text) => {
    expect(readSince(text)).toEqual(USUAL);
  },
);

it('a shift began at the newest moment at which the clock showed its time', () => {
  expect(beginOf(readSince('06:00'), NOW_MS)).toBe(new Date(2026, 10, 27, 6).getTime());
  expect(beginOf(readSince('06:30'), NOW_MS)).toBe(NOW_MS);
  expect(beginOf(readSince('07:00'), NOW_MS)).toBe(new Date(2026, 10, 26, 7).getTime());
});

it('never begins after now', () => {
  const anySince = fc.oneof(
    fc.integer({ min: 1, max: 900 }).map((hours) => `${hours}h`),
    fc.date({ min: new Date(0), max: new Date(NOW_MS * 2), noInvalidDate: true }).map((date) => date.toISOString()),
    fc.constantFrom('00:00', '06:29', '06:31', '23:59'),
  );
  fc.assert(fc.property(anySince, (text) => beginOf(readSince(text), NOW_MS) <= NOW_MS));
});

it('a field has the time of this device, and is read so; an empty one is nothing', () => {
  expect(fieldOf(NOW_MS)).toBe('2026-11-27T06:30');
  expect(momentOf('2026-11-27T06:30')).toEqual({ kind: 'moment', atMs: NOW_MS });
  expect(momentOf('')).toBeUndefined();
});
