// What builds of VNish tell in other words than those of the farm, on their web and on TCP.
import { expect, test } from 'vitest';
import { vnish } from './index.ts';

const sensors = (...temps: readonly number[]) => temps.map((temp) => ({ status: 'measure', temp }));
const chain = (id: number, more: object) => ({
  id,
  frequency: 680,
  voltage: 14_000,
  hashrate_ideal: 32_196.64,
  hashrate_rt: 31_563.244,
  hw_errors: 0,
  chip_statuses: { red: 0, orange: 0, grey: 76 },
  status: { state: 'mining' },
  ...more,
});
const read = (miner: object, more: object = {}) =>
  vnish.read({ summary: { miner: { miner_type: 'Antminer S19 (Vnish 1.2.0-beta10)', ...miner }, ...more } }, {})
    .reading;

const old = {
  instant_hashrate: 66.62962,
  average_hashrate: 67.4193,
  power_usage: 3_733,
  chains: [
    chain(1, {
      power_usage: 1_242,
      pcb_temp_sens: [...sensors(19, 36, 37), { status: 'error', temp: 13 }],
      chip_temp_sens: [...sensors(29, 46, 48), { status: 'error', temp: 23 }],
      chip_temp: { min: 23, max: 48 },
    }),
    chain(2, { power_usage: 1_248 }),
    chain(3, { power_usage: 1_243 }),
  ],
};

test('the first builds of the web: rates in TH/s, the power under its old name, and of the system beside the miner', () => {
  const network_status = { mac: '02:00:00:00:00:01', hostname: 'rack-3' };
  expect(read(old, { system: { network_status, uptime: '9 days,  3:58' } })).toMatchObject({
    mac: '02:00:00:00:00:01',
    hostname: 'rack-3',
    firmwareVersion: '1.2.0-beta10',
    hashrateHs: expect.closeTo(66.62962e12, -3),
    hashrateAverageHs: expect.closeTo(67.4193e12, -3),
    powerW: 3_733,
    systemUptimeS: (9 * 24 + 3) * 3_600 + 58 * 60,
    boards: [
      { powerW: 1_242, voltageV: 14, boardTempsC: [19, 36, 37], chipTempMaxC: 48, chipTempAvgC: 41 },
      { powerW: 1_248, voltageV: 14 },
      { powerW: 1_243, voltageV: 14 },
    ],
  });
});

test('nothing is told of a rate in an odd unit, nor of an efficiency as power', () => {
  const odd = read({ ...old, instant_hashrate: 66_629.62, power_usage: 29.5 });
  expect(odd.hashrateHs).toBeCloseTo(3 * 31_563.244e9, -3);
  expect(odd).not.toHaveProperty('powerW');
  expect(JSON.stringify(odd.boards)).not.toContain('powerW');
});

test('later ones: the power of each board, where it is measured', () => {
  const powerOf = (power_consumption: number) =>
    read({
      power_consumption: 2_631,
      power_usage: 2_631,
      hr_realtime: 54_478.543,
      chains: [chain(1, { power_consumption })],
    });
  expect(powerOf(878)).toMatchObject({ powerW: 2_631, hashrateHs: 54_478.543e9, boards: [{ powerW: 878 }] });
  expect(powerOf(0).boards?.[0]).not.toHaveProperty('powerW');
});

test('volts and watts of boards on TCP', () => {
  const stats = (chain_vol1: number) => ({
    STATS: [
      { Type: 'Antminer S19 XP (Vnish 1.2.0-rc1)' },
      {
        Elapsed: 9_000,
        'GHS 5s': '140258.58',
        chain_acn1: 110,
        chain_rate1: 47_016,
        chain_vol1,
        chain_consumption1: 990,
      },
    ],
  });
  const boardOf = (volts: number) => vnish.read({ tcpStats: stats(volts) }, {}).reading.boards?.[0];
  expect(boardOf(12_625)).toMatchObject({ voltageV: 12.625, powerW: 990 });
  expect(boardOf(920)).not.toHaveProperty('voltageV');
});

test('the S9 on TCP: its fans sit in the last places, its boards count from 6', () => {
  const fans = [0, 0, 0, 0, 5_280, 5_640, 0, 0].map((rpm, index) => [`fan${index + 1}`, rpm]);
  const chains = [6, 7, 8].map((number) => ({ [`chain_acn${number}`]: 63, [`chain_consumption${number}`]: 480 }));
  const data = { 'GHS 5s': '12600', fan_num: 2, ...Object.fromEntries(fans), ...Object.assign({}, ...chains) };
  const readS9 = (more: object = {}) => {
    const STATS = [{ Type: 'Antminer S9 (vnish 3.9.0)' }, { STATS: 0, ...data, ...more }];
    return vnish.read({ tcpStats: { STATS } }, {}).reading;
  };
  const well = readS9();
  expect(well.fans?.map(({ rpm }) => rpm)).toEqual([5_280, 5_640]);
  expect(well.powerW).toBe(1_440);
  const ill = readS9({ fan6: 0, chain_state7: 'failure' });
  expect(ill.fans?.map(({ rpm }) => rpm)).toEqual([0, 5_280]);
  expect(ill.boards?.map(({ isAlive }) => isAlive)).toEqual([undefined, false, undefined]);
});
