// Older, newer, and what is no version at all.
import { expect, test } from 'vitest';
import { compareVersions, isVersion } from '../../../../src/update/trust/version-order.ts';

test('versions are in the order in which they were made', () => {
  const ordered = ['0.1.0', '0.2.0-alpha', '0.2.0-alpha.1', '0.2.0-alpha.2', '0.2.0-alpha.10', '0.2.0-rc', '0.2.0'];
  const all = [...ordered, '0.9.0', '0.10.0', '1.0.0', '10.0.0'];
  for (const [i, a] of all.entries()) {
    for (const [j, b] of all.entries())
      expect([a, b, Math.sign(compareVersions(a, b))]).toEqual([a, b, Math.sign(i - j)]);
  }
});

test.each([
  '',
  '1',
  '1.2',
  'v1.2.3',
  '1.2.3/..',
  '../1.2.3',
  '1.2.3-',
  '1.2.3-..',
  '1.2.3 ',
  '1.2.3\n',
  '-1.2.3',
  'current',
])('%j is no version', (text) => expect(isVersion(text)).toBe(false));
