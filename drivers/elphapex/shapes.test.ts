// Answers of Elphapex machines of which there is no recording. Nothing false may be made of them.
import { expect, test } from 'vitest';
import { elphapex } from './index.ts';

const read = (raw: Record<string, unknown>) => elphapex.read(raw, {}).reading;

test('DG1+: the device’s own chips and no errors, clock or sums that it does not tell', () => {
  const chain = [0, 1, 2, 3].map((index) => ({ index, asic_num: 204, hw: 204, freq_avg: 62_000, rate_real: 3_500 }));
  const stats = { STATS: [{ elapsed: 9, rate_5s: 14_000, rate_unit: 'MH/s', rate_ideal: 14_000, chain }] };
  const reading = read({ stats, system: { minertype: 'DG1+' } });
  expect(reading).toMatchObject({ hashrateHs: 14e9, isMining: true, expected: { chipsPerBoard: 204, boards: 4 } });
  expect(JSON.stringify(reading)).not.toMatch(/hwErrors|frequencyMhz/);
});

test('DG1+: five seconds in which it counted several times what there was', () => {
  const of = (rate_5s: number) => {
    const stats = { STATS: [{ elapsed: 846_890, rate_5s, rate_avg: 14_600, rate_unit: 'MH/s', rate_ideal: 14_229 }] };
    const { hashrateHs, hashrateWindow } = read({ stats, system: { minertype: 'DG1+' } });
    return [hashrateHs, hashrateWindow];
  };
  expect(of(78_980.57)).toEqual([14_600e6, 'average']);
  expect(of(19_500)).toEqual([19_500e6, '5s']);
});
