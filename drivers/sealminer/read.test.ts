// What a Sealminer says in other words than the simulated one: status words of zeros, a closed TCP port, counts of 0.
import { describe, expect, test } from 'vitest';
import { sealminer } from './index.ts';

const stats = (fields: object = {}) => ({
  STATUS: [{ STATUS: 'S', When: 1_773_869_546, Code: 70, Msg: 'BDMiner stats', Description: 'bdminer 4.11.1' }],
  STATS: [
    {
      STATS: 0,
      ID: 'A20',
      Elapsed: 2_481,
      Model: 'A2',
      'PM State': 'Running',
      'Chip Count': 306,
      'Bad Chip Count': 0,
      'Mining Mode': 'Normal',
      'Error Chip': '',
      'Error Code': '',
      'Liquid Cooling': false,
      'System Uptime': 2_743,
      'MHS(Rated)': 230_839_407.28,
      'MHS(Ideal)': 221_663_472,
      'MHS(Sample)': 220_377_998.8,
      'MHS(1m)': 220_315_525.2,
      'MHS(15m)': 220_165_799.2,
      'MHS(Avg)': 218_701_205.6,
      'PSU Model': 'BTPSU04KSA-03.00',
      'PSU SN': '3C251501801',
      'PSU Error': '0x00000000',
      'PSU Input Power': 3_504,
      'Fan Count': 2,
      '0 PWM': 99,
      '0 Speed': 3_723,
      '1 PWM': 99,
      '1 Speed': 3_753,
      'Board Count': 2,
      '0 SN': 'S124600000000001',
      '0 Online': true,
      '0 Chip Count': 153,
      '0 Bad Chip Count': 0,
      '0 MHS(Sample)': 110_000_000,
      '1 SN': 'S124600000000002',
      '1 Online': true,
      '1 Chip Count': 153,
      '1 Bad Chip Count': 0,
      '1 MHS(Sample)': 110_000_000,
      ...fields,
    },
  ],
});
const read = (raw: Readonly<Record<string, unknown>>) => sealminer.read(raw, {}).reading;
const readStats = (fields: object = {}) => read({ stats: stats(fields) });

describe('a status word', () => {
  test.each(['0', '0x0', '0X0', '0x00000000', '0x0000', ' 0 ', '00', '', 'None', 'OK'])('%j is fine', (word) => {
    const { errors, psus } = readStats({ 'PSU Error': word, 'Error Code': word, 'Error Chip': word });
    expect({ errors, isOk: psus?.[0]?.isOk }).toEqual({ errors: [], isOk: true });
  });
  test.each(['0x00000040', '0x1', '10', 'E0204', 'over temperature'])('%j is a fault', (word) => {
    const { errors, psus } = readStats({ 'PSU Error': word });
    expect(errors).toMatchObject([{ code: `psu:${word}`, category: 'psu' }]);
    expect(psus?.[0]?.isOk).toBe(false);
  });
});

test('what the device says of its own build beats the table, and its own word is the mode', () => {
  expect(readStats()).toMatchObject({
    miningMode: 'normal',
    expected: { boards: 2, fans: 2, hashrateHs: 230_839_407.28e6 },
  });
  expect(readStats({ 'Mining Mode': 'Low Power' })).toMatchObject({ miningMode: 'low' });
  expect(readStats({ 'Mining Mode': 'Custom' })).not.toHaveProperty('miningMode');
  const wet = readStats({ 'Liquid Cooling': true, 'Fan Count': 0 });
  expect(wet).toMatchObject({ fans: [], expected: { fans: 0, cooling: 'liquid' } });
});

test('counts of 0 are no statement', () => {
  const { boards, fans, expected } = readStats({ 'Fan Count': 0, 'Board Count': 0, '0 Chip Count': 0 });
  expect(fans).toBeUndefined();
  expect(boards?.map(({ chips }) => chips)).toEqual([undefined, 153]);
  expect(expected).toMatchObject({ boards: 3, fans: 4 });
});

describe('with TCP 4028 closed', () => {
  const status = {
    summary: { elapsed: 9_341, mhsav: 227_701_205.6, foundblocks: '', rejected: '' },
    pools: [
      {
        id: 0,
        url: 'stratum+tcp://pool-a.example:3333',
        user: 'farm.a2',
        status: 'Alive',
        isActive: true,
        diff: '262K',
        getworks: 84,
        priority: 0,
        accept: 322,
        rejected: 1,
        'rejected%': 0.3,
        stale: '',
        diffA: 41_746_432,
        diffR: 131_072,
        lsdiff: 262_144,
        lstime: '2026-03-18',
      },
      { id: 1, url: '', user: '', status: 'Dead', isActive: false, diff: '', accept: '', rejected: '', stale: '' },
    ],
  };
  test('the page tells rate, uptime and pools', () => {
    const { reading, unparsable } = sealminer.read({ status }, { model: 'A2' });
    expect(unparsable).toEqual([]);
    expect(reading).toEqual({
      make: 'Sealminer',
      model: 'A2',
      hashrateHs: 227_701_205.6e6,
      hashrateWindow: 'average',
      hashrateAverageHs: 227_701_205.6e6,
      uptimeS: 9_341,
      isMining: true,
      pools: [
        {
          index: 0,
          url: 'stratum+tcp://pool-a.example:3333',
          user: 'farm.a2',
          isAlive: true,
          isActive: true,
          accepted: 322,
          rejected: 1,
          difficulty: 262_144,
        },
      ],
      expected: expect.objectContaining({ boards: 3 }),
    });
  });
  test('a blank page says nothing', () => {
    const reading = read({ status: { summary: { elapsed: '', mhsav: '', foundblocks: '', rejected: '' }, pools: [] } });
    expect(reading).toEqual({ make: 'Sealminer', pools: [] });
  });
});
