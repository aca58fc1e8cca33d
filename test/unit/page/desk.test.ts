// Small things that the screens of administrators stand on.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { fingerprintOf } from '../../../src/page/screens/about/fingerprint.ts';
import { isUsable } from '../../../src/page/screens/api-keys/usable.ts';

test('a fingerprint is written as Node writes that of a certificate', async () => {
  const der = new TextEncoder().encode('a certificate');
  const digest = createHash('sha256').update(der).digest('hex').toUpperCase();
  const written = await fingerprintOf(der.buffer, crypto);
  expect(written).toBe(digest.match(/../g)?.join(':'));
  expect(written).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  expect(await fingerprintOf(der.buffer, {})).toBeUndefined();
});

test.each([
  [{ revoked_at: null, expires_at: null }, true],
  [{ revoked_at: null, expires_at: '2026-06-01T00:00:00.001Z' }, true],
  [{ revoked_at: null, expires_at: '2026-06-01T00:00:00.000Z' }, false],
  [{ revoked_at: '2026-05-01T00:00:00.000Z', expires_at: null }, false],
])('the key %j works: %s', (key, works) => {
  expect(isUsable(key, Date.parse('2026-06-01T00:00:00.000Z'))).toBe(works);
});
