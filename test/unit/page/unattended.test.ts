// The page says of what it asks by itself, with no person there, that it does so.
import { expect, test } from 'vitest';
import { headersOf } from '../../../src/page/api/headers.ts';
import { createPresence } from '../../../src/page/live/presence.ts';

test.each([
  [{}, true, {}],
  [{}, false, { 'pithead-unattended': '1' }],
  [{ body: {}, idempotencyKey: 'k' }, true, { 'content-type': 'application/json', 'idempotency-key': 'k' }],
  [{ body: null }, false, { 'content-type': 'application/json', 'pithead-unattended': '1' }],
])('what is sent with %j where a person is there: %s', (request, isAttended, headers) => {
  expect(headersOf(request, isAttended)).toEqual(headers);
});

test('a person is there from the opening of the page on, and for a minute after each touch', () => {
  let nowMs = 1_000_000;
  const presence = createPresence(() => nowMs);
  expect(presence.isThere()).toBe(true);
  nowMs += 59_999;
  expect(presence.isThere()).toBe(true);
  nowMs += 1;
  expect(presence.isThere()).toBe(false);
  // For as long as nothing is touched.
  nowMs += 12 * 3_600_000;
  expect(presence.isThere()).toBe(false);
  presence.note();
  expect(presence.isThere()).toBe(true);
});
