// The first generation of Braiins OS as a Reading: statistics in Bitmain's dialect.
import { describe, expect, test } from 'vitest';
import { families } from '../index.ts';
import { braiinsOs as driver } from './index.ts';

const read = (raw: Record<string, unknown>, known = {}) => driver.read(raw, known).reading;

describe('the first generation, with the statistics of Bitmain', () => {
  const build = 'bOS_am1-s9-20190221-0_572dd48c';
  const type = 'braiins-am1-s9';
  const head = (Code: number, letter = 'S') => ({
    STATUS: [{ STATUS: letter, When: 1_553_530_005, Code, Description: `bmminer ${build}` }],
  });
  const version = { ...head(22), VERSION: [{ BMMiner: build, API: '3.1', Miner: build, CompileTime: '', Type: type }] };
  const numbered = (name: string, values: readonly unknown[], none: unknown = 0) =>
    Object.fromEntries(
      Array.from({ length: 16 }, (_, place) => [`${name}${place + 1}`, values[place - 5] ?? none] as const),
    );
  const stats = {
    ...head(70),
    STATS: [
      { BMMiner: build, Miner: build, CompileTime: '', Type: type },
      {
        ...{ STATS: 1, ID: 'BC50', Elapsed: 89_509, 'GHS 5s': '13815.68', 'GHS av': 13_838.41, miner_count: 3 },
        ...{
          frequency: '681',
          fan_num: 2,
          fan1: 0,
          fan2: 0,
          fan3: 0,
          fan4: 0,
          fan5: 3360,
          fan6: 4440,
          fan7: 0,
          fan8: 0,
        },
        ...numbered('voltage', [8.8, 8.7, 8.8]),
        ...numbered('temp', [55, 54, 52]),
        ...numbered('temp2_', [74, 75, 73]),
        ...numbered('freq_avg', [637, 681, 637]),
        ...{ total_rateideal: 14_002.76, total_acn: 189, total_rate: 13_815.68 },
        ...numbered('chain_rateideal', [4573.66, 4854.16, 4574.93]),
        ...numbered('chain_acn', [63, 63, 63]),
        ...numbered('chain_hw', [56, 694, 76]),
        ...numbered('chain_rate', ['4466.53', '4760.62', '4588.53'], ''),
      },
    ],
  };
  const rates = { 'GHS 5s': '13815.68', 'GHS av': 13_838.41, Hashrate15m: 13_853.165, Hashrate24h: 13_837.988 };
  const tcp = {
    summary: [{ ...head(11), SUMMARY: [{ Elapsed: 89_509, ...rates }] }],
    devs: [{ ...head(9), DEVS: [{ ASC: 0, ID: 0, Status: 'Alive', 'MHS 5s': 13_815_680 }] }],
    ...{ temps: [head(14, 'E')], fans: [head(14, 'E')], tunerstatus: [head(14, 'E')] },
  };
  const details = [{ ...head(69), DEVDETAILS: [{ DEVDETAILS: 0, ID: 0, Driver: 'bitmain', Model: '' }] }];
  const raw = { tcp, tcpStats: stats, tcpDetails: { devdetails: details, version: [version] } };

  test('names itself by its build', () => {
    expect(driver.identify(families.evidenceOf({ version: JSON.stringify(version) }))).toEqual({
      confidence: 'sure',
      make: 'Antminer',
      model: 'S9',
    });
  });
  test('is asked for them where there are no sensors, and only there', () => {
    const isLacking = driver.asks.tcpStats?.isLacking;
    expect(isLacking?.(tcp)).toBe(true);
    expect(isLacking?.({ ...tcp, temps: [{ TEMPS: [] }] })).toBe(false);
  });
  test('boards, rates and fans', () => {
    const { reading, unparsable } = driver.read(raw, {});
    expect(unparsable).toEqual([]);
    const { boards, ...whole } = reading;
    expect(whole).toMatchObject({
      model: 'S9',
      firmwareVersion: '20190221-0_572dd48c',
      hashrateHs: 13_815.68e9,
      hashrateSettledHs: 13_853.165e9,
      hashrateAverageHs: 13_838.41e9,
      hashrate24hHs: 13_837.988e9,
      uptimeS: 89_509,
      isMining: true,
      tempC: 75,
      fans: [{ rpm: 3360 }, { rpm: 4440 }],
      expected: { boards: 3, chipsPerBoard: 63, hashrateHs: 14_002.76e9 },
    });
    expect(boards?.[1]).toMatchObject({
      ...{ slot: 1, hashrateHs: 4760.62e9, expectedHashrateHs: 4854.16e9, chips: 63, frequencyMhz: 681 },
      ...{ voltageV: 8.7, boardTempsC: [54], chipTempMaxC: 75, hwErrors: 694 },
    });
    expect(boards).toHaveLength(3);
  });
  test('what has not run for 15 minutes is not settled', () => {
    const young = { ...tcp, summary: [{ ...head(11), SUMMARY: [{ Elapsed: 400, ...rates }] }] };
    expect(read({ ...raw, tcp: young })).not.toHaveProperty('hashrateSettledHs');
  });
  test('of a later program, statistics without boards say nothing', () => {
    expect(read({ ...raw, tcpStats: { ...head(70), STATS: [{ STATS: 0, ID: 'X', Elapsed: 5 }] } }).uptimeS).toBe(
      89_509,
    );
  });
});
