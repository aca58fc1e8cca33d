// What is added up of parts is told only if every part is: a board or supply that does not say its figure would look
// like a loss.
import { expect, test } from 'vitest';
import { auradineFluxos } from '../../../drivers/auradine-fluxos/index.ts';
import { braiinsOs } from '../../../drivers/braiins-os/index.ts';
import { epicUmcos } from '../../../drivers/epic-umcos/index.ts';

test('ePIC: the rate of the machine is that of all its boards', () => {
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

test('ePIC: idle boards that say nothing hash nothing', () => {
  const idle = (HBs: object[]) =>
    epicUmcos.read({ summary: { HBs, Status: { 'Operating State': 'Idling' } } }, {}).reading.hashrateHs;
  expect(idle([])).toBe(0);
  expect(idle([{ Index: 0 }])).toBe(0);
  expect(idle([{ Index: 0 }, { Index: 1, Hashrate: [5e6, 10] }])).toBeUndefined();
});

test('Auradine: the wall power is that of all supplies, else the figure of the machine', () => {
  const power = (supplies: readonly unknown[], Wattage?: number) =>
    auradineFluxos.read(
      { psu: { PSU: supplies.map((PowerIn) => ({ PowerIn })) }, summary: { SUMMARY: [{ Elapsed: 1, Wattage }] } },
      {},
    ).reading.powerW;
  expect(power(['1500.00W', '1510.00W'])).toBe(3_010);
  expect(power(['1500.00W', 'N/A'])).toBeUndefined();
  expect(power(['1500.00W', undefined], 3_005)).toBe(3_005);
});

test('Braiins OS on TCP: what is expected is what all boards are good for', () => {
  const expected = (...nominal: readonly unknown[]) => {
    const tcp = { devs: [{ DEVS: nominal.map((mhs, place) => ({ ID: 6 + place, 'Nominal MHS': mhs })) }] };
    return braiinsOs.read({ tcp }, {}).reading.expected?.hashrateHs;
  };
  expect(expected(4.5e6, 4.5e6)).toBe(9e12);
  expect(expected(4.5e6, 'nan')).toBeUndefined();
});
