// What is expected of a machine with Braiins OS is added up of its boards, and told only if every board tells its own:
// one that does not would look like a loss.
import { expect, test } from 'vitest';
import { braiinsOs } from './index.ts';

test('on TCP, what is expected is what all boards are good for', () => {
  const expected = (...nominal: readonly unknown[]) => {
    const tcp = { devs: [{ DEVS: nominal.map((mhs, place) => ({ ID: 6 + place, 'Nominal MHS': mhs })) }] };
    return braiinsOs.read({ tcp }, {}).reading.expected?.hashrateHs;
  };
  expect(expected(4.5e6, 4.5e6)).toBe(9e12);
  expect(expected(4.5e6, 'nan')).toBeUndefined();
});
