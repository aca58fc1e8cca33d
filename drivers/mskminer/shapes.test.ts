// Answers of MSKMiner builds of which there is no recording. Nothing false may be made of them.
import { expect, test } from 'vitest';
import { mskminer } from './index.ts';

test('what stands in the second row of STATS, and the keys of its version 5.1', () => {
  const of = (...STATS: readonly object[]) =>
    mskminer.read({ stats: { STATS }, version: { VERSION: [{ Type: 'S19-88 v.5.1 ' }] } }, {}).reading;
  const data = { Elapsed: 9_000, 'GHS 5s': '88000', total_rate: 88_100, fan_num: 4, fan1: 5_400 };
  expect(of(data, { total_power: 3_150, fan_pwm: 80, psu_status: 'ok' })).toMatchObject({
    hashrateHs: 88_100e9,
    powerW: 3_150,
    psus: [{ isOk: true }],
  });
  const { fans } = of({ ...data, fan2: 0, fan3: 0, fan4: 0 }, { fan_pwm: 80 });
  expect(fans?.map(({ dutyPercent }) => dutyPercent)).toEqual([80, 80, 80, 80]);
  expect(of(data, { psu_status: 'fail' }).psus).toEqual([{ isOk: false }]);
  expect(of(data, { psu_status: 'odd' })).not.toHaveProperty('psus');
  expect(of({ ...data, chain_power: '3,240 W' }).powerW).toBe(3_240);
  expect(of(data)).not.toHaveProperty('miningMode');
});
