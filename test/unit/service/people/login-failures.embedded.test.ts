// How long a name waits from an address, and that no flood of names and addresses gets anyone out of it.
import { expect, test } from 'vitest';
import {
  clientOf,
  createLoginFailures,
  FREE_FAILURES,
  MOST_PAIRS,
  WINDOW_MS,
  waitAfter,
} from '../../../../src/service/people/login-failures.ts';

test('the wait begins after five failures and doubles up to a quarter of an hour', () => {
  expect([4, 5, 6, 7, 8, 9, 10, 1_000].map(waitAfter)).toEqual([0, 30e3, 60e3, 120e3, 240e3, 480e3, 900e3, 900e3]);
});

test('failures that are far apart cost nothing, and a success forgets them', () => {
  const failures = createLoginFailures();
  let nowMs = 0;
  for (let n = 0; n < 3 * FREE_FAILURES; n++) {
    expect(failures.begin('ada', '192.0.2.1', nowMs)).toBe(0);
    nowMs += WINDOW_MS / (FREE_FAILURES - 1);
  }
  for (let n = 0; n < FREE_FAILURES - 1; n++) failures.begin('bob', '192.0.2.1', nowMs);
  failures.succeeded('bob', '192.0.2.1');
  for (let n = 0; n < FREE_FAILURES; n++) expect(failures.begin('bob', '192.0.2.1', nowMs)).toBe(0);
  expect(failures.begin('bob', '192.0.2.1', nowMs)).toBe(30);
});

test('a flood of names and addresses forgets no pair that waits, and the tables are bounded', () => {
  const failures = createLoginFailures();
  for (let n = 0; n < FREE_FAILURES; n++) failures.begin('ada', '192.0.2.1', 0);
  expect(failures.begin('ada', '192.0.2.1', 1)).toBe(30);
  for (let n = 0; n < 5 * MOST_PAIRS; n++) failures.begin(`name ${n}`, `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, 1);
  expect(failures.begin('ada', '192.0.2.1', 2)).toBe(30);
  expect(failures.size()).toBeLessThanOrEqual(2 * MOST_PAIRS);
  // Others are as free as before.
  expect(failures.begin('ada', '192.0.2.2', 2)).toBe(0);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['::ffff:192.0.2.1', '::ffff:c000:201'],
])('the client of %s is %s', (address, client) => {
  expect(clientOf(address)).toBe(client);
});
