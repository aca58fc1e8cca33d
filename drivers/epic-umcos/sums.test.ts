// The rate of an ePIC is added up of its boards, and told only if every board tells its own: one that does not would
// look like a loss.
import { expect, test } from 'vitest';
import { epicUmcos } from './index.ts';

test('the rate of the machine is that of all its boards', () => {
  const rate = (...boards: readonly (readonly unknown[] | undefined)[]) => {
    const summary = {
      HBs: boards.map((Hashrate, Index) => ({ Index, Hashrate })),
      Status: { 'Operating State': 'Mining' },
    };
    return epicUmcos.read({ summary }, {}).reading.hashrateHs;
  };
  expect(rate([40e6, 98], [41e6, 98], [0, 0])).toBe(81e12);
  expect(rate([40e6, 98], [41e6, 98], undefined)).toBeUndefined();
  expect(rate([40e6, 98], [null, 98])).toBeUndefined();
  expect(rate()).toBeUndefined();
});

test('idle boards that say nothing hash nothing', () => {
  const idle = (HBs: object[]) =>
    epicUmcos.read({ summary: { HBs, Status: { 'Operating State': 'Idling' } } }, {}).reading.hashrateHs;
  expect(idle([])).toBe(0);
  expect(idle([{ Index: 0 }])).toBe(0);
  expect(idle([{ Index: 0 }, { Index: 1, Hashrate: [5e6, 10] }])).toBeUndefined();
});
