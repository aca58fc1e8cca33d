// Goldshell where the simulated devices do not reach: unknown models, boards of several kinds, and how it is
// recognised.
import { describe, expect, test } from 'vitest';
import { caseAnswers } from '../../test/contract/samples.ts';
import { families } from '../index.ts';
import { goldshell as driver } from './index.ts';

const sample = caseAnswers(driver, 'tcp-and-web');
const goldshellByte = caseAnswers(driver, 'a-byte');

describe('the samples', () => {
  test('a model that the table does not know: named, expected by its own estimate, fans that turn', () => {
    const { reading, unparsable } = driver.read(sample, {});
    expect(unparsable).toEqual([]);
    expect(reading).toMatchObject({
      make: 'Goldshell',
      model: 'SC5Pro',
      firmwareVersion: '2.2.0',
      controlBoard: 'MCB_V3_3',
      tempC: 90,
      uptimeS: 8_292,
    });
    expect(reading.hashrateHs).toBeCloseTo(4 * 3_301_758.726e6, -6);
    expect(reading.fans?.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(reading.boards?.[0]).toMatchObject({ chips: 46, frequencyMhz: 700, boardTempsC: [77.75], chipTempAvgC: 90 });
  });
  test.each([
    [11_750, 11.75],
    [0.41, undefined],
    [0, undefined],
  ])('voltage %d is %s V of the board', (voltage, voltageV) => {
    const devs = { DEVS: [{ ID: 0, 'MHS 20s': 1, voltage }] };
    expect(driver.read({ devs }, {}).reading.boards?.[0]?.voltageV).toBe(voltageV);
  });
  test('a Byte with boards of two kinds: rates that do not add up', () => {
    const { reading, unparsable } = driver.read(goldshellByte, {});
    expect(unparsable).toEqual([]);
    expect(reading).toMatchObject({
      model: 'Byte',
      isMining: true,
      boards: [{ hashrateHs: 80.5e6 }, { hashrateHs: 0 }],
    });
    expect(reading.boards?.map(({ chips }) => chips)).toEqual([5, undefined]);
    expect(reading).not.toHaveProperty('hashrateHs');
    expect(reading).not.toHaveProperty('miningMode');
  });
});

describe('recognised', () => {
  const page = { status: 200, body: '<title>cloud-box</title>' };
  const status = { status: 200, body: '{"model":"Goldshell-KD5","firmware":"2.2.0","hardware":"GS"}' };
  const bfgminer = '{"VERSION":[{"Miner":"5.4.2"}],"STATUS":[{"STATUS":"S","Description":"bfgminer 5.4.2"}]}';
  test.each([
    ['its own program', { version: '{"STATUS":[{"STATUS":"S","Description":"KDAMiner 1.0"}]}' }, 'sure'],
    [
      'its own chips',
      { version: bfgminer, devdetails: '{"STATUS":[{"STATUS":"S"}],"DEVDETAILS":[{"Driver":"intchains_qomo"}]}' },
      'sure',
    ],
    ['the page that it alone has', { web: page, familyPage: status }, 'sure'],
    ['a word on a page', { web: page }, 'likely'],
    ['a program that many run', { version: bfgminer }, undefined],
    ['that beside an ordinary web server', { version: bfgminer, web: { status: 200, body: 'nginx' } }, undefined],
    ['its words anywhere in an answer', { version: '{"x":"KDAMiner"}', web: page }, 'likely'],
  ])('%s', (_, parts, confidence) => expect(driver.identify(families.evidenceOf(parts))?.confidence).toBe(confidence));
});

describe('a Byte', () => {
  const byte = (...kinds: (string | undefined)[]) =>
    driver.read(
      {
        devs: {
          DEVS: kinds.map((pool, PGA) => ({ PGA, pool, 'MHS 20s': 80, estimate_hash_rate: 82e6, theory_hash: 40 })),
        },
        status: { model: 'Goldshell-Byte' },
      },
      {},
    ).reading;
  test('with boards of one kind is as good as any other', () => {
    const reading = byte('scrypt(LTC)', 'scrypt(LTC)');
    expect(reading).toMatchObject({ hashrateHs: 160e6 });
  });
  test('with two kinds, or none told, has no sum; each board has what its kind says', () => {
    const reading = byte('scrypt(LTC)', 'zkSNARK(ALEO)');
    expect(reading).not.toHaveProperty('hashrateHs');
    expect(reading.boards?.map((board) => board.expectedHashrateHs)).toEqual([82e6, 40e6]);
    expect(byte(undefined, undefined)).not.toHaveProperty('hashrateHs');
    expect(byte(undefined, undefined).boards?.[0]).not.toHaveProperty('expectedHashrateHs');
  });
});

test('without a board that tells its rate there is no sum', () => {
  const of = (...rates: unknown[]) =>
    driver.read({ devs: { DEVS: rates.map((rate, ID) => ({ ID, 'MHS 20s': rate })) } }, {}).reading;
  expect(of(5, undefined)).not.toHaveProperty('hashrateHs');
  expect(of(5, undefined).isMining).toBe(true);
  expect(of(0, undefined)).not.toHaveProperty('isMining');
  expect(of(0, 0)).toMatchObject({ hashrateHs: 0, isMining: false });
});

describe('an LT5 on its page, without a login', () => {
  const row = (id: number, fields: object = {}) => ({
    r_temp: '73.8 °C',
    l_temp: '0.0 °C',
    t_temp: '0.0 °C',
    m_temp: '0.0 °C',
    valid: 0,
    av_hashrate: 493.025,
    hashrate: 546.357,
    rejected: 1,
    id,
    time: 11_769,
    powerplan: 0,
    hwerrors: 7,
    accepted: 26,
    fanspeed: '6060 rpm / 6120 rpm',
    minerstatus: 0,
    ...fields,
  });
  const page = (...rows: object[]) => ({ status: 2, data: rows });
  const read = (...rows: object[]) =>
    driver.read({ webDevs: page(...rows), status: { model: 'Goldshell-LT5' } }, {}).reading;
  test('rate, boards, fans and the sensor on the right are read', () => {
    const reading = read(row(0), row(1, { r_temp: '77.8 °C' }));
    expect(reading).toMatchObject({ model: 'LT5', isMining: true, tempC: 77.8, hashrateHs: 2 * 546.357e6 });
    expect(reading.boards?.[0]).toEqual({ slot: 0, hashrateHs: 546.357e6, boardTempsC: [73.8], hwErrors: 7 });
    expect(reading.fans).toEqual([
      { index: 0, rpm: 6_060 },
      { index: 1, rpm: 6_120 },
    ]);
    expect(reading).not.toHaveProperty('uptimeS');
  });
  test('two sensors in one text: chips and board', () => {
    const board = read(row(0, { r_temp: undefined, temp: '83.0 °C / 73.9 °C' })).boards?.[0];
    expect(board).toMatchObject({ chipTempAvgC: 83, boardTempsC: [73.9] });
  });
  test('on TCP, too', () => {
    const devs = { DEVS: [{ ID: 0, 'MHS 20s': 546, r_temp: '73.8 °C', l_temp: 0 }] };
    expect(driver.read({ devs }, {}).reading.boards?.[0]?.boardTempsC).toEqual([73.8]);
  });
});

test.each([
  ['Alive', true],
  ['Dead', false],
  ['Sick', undefined],
  ['NoStart', undefined],
])('a board that is %s', (Status, isAlive) => {
  const devs = { DEVS: [{ ID: 0, 'MHS 20s': 5, Status }] };
  expect(driver.read({ devs }, {}).reading.boards?.[0]?.isAlive).toBe(isAlive);
});

test('an empty list of boards says nothing of boards, rate and mining', () => {
  const { reading } = driver.read({ devs: { DEVS: [] } }, {});
  for (const field of ['hashrateHs', 'isMining', 'boards', 'fans', 'uptimeS'] as const)
    expect(reading).not.toHaveProperty(field);
});
