// ePIC in what a simulated device does not show: the first generation (epic-miner 2.x), states, words for no error, its
// own build.
import { describe, expect, test } from 'vitest';
import { epicUmcos as driver } from './index.ts';

const read = (raw: Record<string, unknown>, known = {}) => driver.read(raw, known).reading;

describe('epic-miner 2.x', () => {
  const board = (Index: number, fields: object = {}) => ({
    Index,
    'Input Voltage': 12.234,
    'Output Voltage': 0.625,
    'Input Current': 22.2,
    'Input Power': 272.5,
    'Output Power': 218.2,
    Temperature: 59 + Index,
    'Core Clock': 380,
    ...fields,
  });
  const summary = {
    Hostname: 'epicminer43003a',
    Preset: 'Efficiency',
    Software: 'epic-miner v2.0.6',
    Mining: { Coin: 'Sia', Algorithm: 'Blake2b' },
    Stratum: { 'Current Pool': 'sc.pool.example:700', 'Current User': 'farm.w', 'Average Latency': 0.23 },
    Session: {
      Uptime: 749_962,
      'Active HBs': 3,
      'Average MHs': 1_828_940.24,
      LastAverageMHs: { Hashrate: 1_815_381.26, Timestamp: 1_618_664_400 },
      Accepted: 195_336,
      Rejected: 165,
      Difficulty: 1_750,
    },
    HBs: [board(0), board(1), board(2)],
    Fans: { 'Fans Speed': 50 },
  };
  test('rate, temperatures, clocks, power, pool and preset are read', () => {
    const { reading, unparsable } = driver.read({ summary }, { model: 'SC200' });
    expect(unparsable).toEqual([]);
    expect(reading).toMatchObject({
      hostname: 'epicminer43003a',
      firmwareVersion: 'epic-miner v2.0.6',
      hashrateHs: 1_828_940.24e6,
      hashrateWindow: 'average',
      hashrateAverageHs: 1_828_940.24e6,
      powerW: 817.5,
      uptimeS: 749_962,
      isMining: true,
      miningModePreset: 'Efficiency',
      tempC: 61,
      pools: [
        {
          index: 0,
          url: 'stratum+tcp://sc.pool.example:700',
          user: 'farm.w',
          isActive: true,
          accepted: 195_336,
          rejected: 165,
          difficulty: 1_750,
        },
      ],
    });
    expect(reading.boards?.[0]).toEqual({
      ...{ slot: 0, frequencyMhz: 380, boardTempsC: [59], voltageV: 12.234, powerW: 272.5 },
    });
    for (const field of ['errors', 'fans', 'miningMode'] as const) expect(reading).not.toHaveProperty(field);
  });
  test('the generation after it tells its state, and still one rate of the whole', () => {
    const { Preset: _, ...rest } = summary;
    const Status = { 'Operating State': 'Mining', 'Last Command': 'autostart', 'Last Command Result': 'Success' };
    const fourth = {
      ...rest,
      Software: 'epic-miner v4.0.0',
      PresetInfo: { Preset: 'Normal', 'Target Power': 900 },
      Status,
    };
    expect(read({ summary: fourth })).toMatchObject({
      hashrateHs: 1_828_940.24e6,
      hashrateWindow: 'average',
      isMining: true,
      miningModePreset: 'Normal',
    });
    const young = { ...fourth, Session: { ...summary.Session, 'Average MHs': 0 } };
    expect(read({ summary: young })).toMatchObject({ isMining: true });
    expect(read({ summary: young })).not.toHaveProperty('hashrateHs');
  });
  test('a board that does not tell what it draws leaves the whole untold; clocks per chip are averaged', () => {
    const HBs = [board(0), board(1, { 'Input Power': 0, 'Core Clock': [380, 400, 0] })];
    const reading = read({ summary: { ...summary, HBs } });
    expect(reading).not.toHaveProperty('powerW');
    expect(reading.boards?.[1]?.frequencyMhz).toBe(390);
  });
});

describe('PowerPlay', () => {
  const of = (state: string | undefined, Hashrate?: readonly number[], error: unknown = null) =>
    read({
      summary: {
        Software: 'PowerPlay-BMS v1.17.0',
        Status: { 'Operating State': state, 'Last Error': error },
        Session: { 'Average MHs': 120e6 },
        HBs: [{ Index: 0, ...(Hashrate && { Hashrate }) }],
      },
    });
  test.each([
    ['Mining', [66e6, 99, 1], true],
    ['Mining', [0, 0, 0], false],
    ['Mining', undefined, true],
    ['Idling', [0, 0, 0], false],
    ['Idling', undefined, false],
    ['Ramping', [66e6, 99, 1], true],
    ['Ramping', undefined, undefined],
    [undefined, undefined, undefined],
  ])('%s at %j', (state, rate, isMining) => expect(of(state, rate).isMining).toBe(isMining));
  test('the mean since the start is not the rate of now where boards tell theirs', () =>
    expect(of('Mining')).not.toHaveProperty('hashrateHs'));
  test.each(['0', '0x0', 'None', 'OK', 'no error', '', null])('a last error of %j is none', (error) =>
    expect(of('Idling', [0], error)).toMatchObject({ errors: [], miningMode: 'sleep' }),
  );
  test('its own build beats the table', () => {
    const capabilities = {
      Model: 'AntMiner S21',
      'Max HBs': 2,
      'Performance Estimator': { 'Chip Count': 100 },
    };
    expect(read({ capabilities }).expected).toMatchObject({
      boards: 2,
      chipsPerBoard: 100,
      own: ['boards', 'chipsPerBoard'],
    });
  });
});
