// AxeOS and its kin where the recording does not reach: names, old builds, missing sensors, heat, pools.
import { describe, expect, test } from 'vitest';
import { axeos as driver } from '../../../drivers/axeos/driver.ts';
import { evidenceOf } from '../../../src/driver/identify.ts';

const read = (info: object, generation?: string) =>
  driver.read({ info }, generation === undefined ? {} : { generation }).reading;

test.each([
  ['<title>AxeOS</title>', { generation: 'bitaxe', make: 'Bitaxe' }],
  ['<title>NerdQAxe+</title> AxeOS', { generation: 'nerd', make: 'NerdAxe' }],
  ['<h1>Lucky miner</h1>', { generation: 'lucky', make: 'LuckyMiner' }],
  ['<h1>Air handler</h1>', undefined],
])('%s', (body, identity) => {
  const web = { status: 200, body };
  const found = driver.identify(evidenceOf({ web }));
  expect(found).toEqual(identity && { confidence: 'likely', ...identity });
  const systemInfo = {
    status: 200,
    body: '{"ASICModel":"BM1368","freeHeap":8443612,"hashRate":1000,"stratumURL":"","version":"v2.4.5"}',
  };
  if (identity) expect(driver.identify(evidenceOf({ web, systemInfo }))?.confidence).toBe('sure');
});

describe('machines', () => {
  test.each([
    [{ ASICModel: 'BM1397' }, 'bitaxe', 'Bitaxe', 'Max', 1],
    [{ ASICModel: 'BM1366', asicCount: 1 }, 'bitaxe', 'Bitaxe', 'Ultra', 1],
    // Two chips: another machine than the one that the table knows by this chip.
    [{ ASICModel: 'BM1370', asicCount: 2 }, 'bitaxe', 'Bitaxe', 'BM1370', undefined],
    [{ ASICModel: 'BM9999', asicCount: 1 }, 'bitaxe', 'Bitaxe', 'BM9999', undefined],
    [{ ASICModel: 'BM1370', asicCount: 4, deviceModel: 'NerdQAxe++' }, 'bitaxe', 'NerdAxe', 'NerdQAxe', 4],
    [{ ASICModel: 'BM1368', asicCount: 4, deviceModel: 'NerdQAxe+' }, 'nerd', 'NerdAxe', 'NerdQAxe+', undefined],
    [{ ASICModel: 'BM1368', asicCount: 1, deviceModel: 'NerdAxe' }, 'nerd', 'NerdAxe', 'NerdAxe', 1],
    [{ ASICModel: 'BM1366', asicCount: 1 }, 'nerd', 'NerdAxe', 'NerdAxeUltra', 1],
    [{ ASICModel: 'BM1366', asicCount: 1, minerModel: 'LV07' }, 'lucky', 'LuckyMiner', 'LV07', 1],
    [{ ASICModel: 'BM1366', asicCount: 9, minerModel: 'LV08' }, 'lucky', 'LuckyMiner', 'LV08', undefined],
    [{ ASICModel: 'BM1366', minerModel: 'LV99' }, 'bitaxe', 'LuckyMiner', 'LV99', undefined],
  ])('%j behind a page of %s', (info, generation, make, model, chipsPerBoard) => {
    const reading = read(info, generation);
    expect([reading.make, reading.model, reading.expected?.chipsPerBoard]).toEqual([make, model, chipsPerBoard]);
  });
  test('without an answer: what was known', () => {
    expect(driver.read({}, { generation: 'nerd', model: 'NerdQAxe+' }).reading).toEqual({
      make: 'NerdAxe',
      model: 'NerdQAxe+',
    });
  });
});

describe('expected', () => {
  const expected = (info: object) => read({ ASICModel: 'BM1368', ...info }).expected?.hashrateHs;
  test('the firmware’s own figure, else its cores, else the nameplate', () => {
    expect(expected({ expectedHashrate: 630.5, smallCoreCount: 1_276, asicCount: 1, frequency: 490 })).toBe(630.5e9);
    expect(expected({ smallCoreCount: 1_276, asicCount: 1, frequency: 490 })).toBe(625.24e9);
    expect(expected({ smallCoreCount: 1_276, frequency: 490 })).toBe(625.24e9);
    expect(expected({ smallCoreCount: 0, asicCount: 1, frequency: 490 })).toBe(650e9);
    expect(expected({ expectedHashrate: 0 })).toBe(650e9);
  });
  test('nobody knows is absent', () => {
    expect(read({ ASICModel: 'BM9999' })).not.toHaveProperty('expected');
  });
});

describe('a rate that nothing takes power for, of a chip that is cool, is an old one', () => {
  const stale = {
    ASICModel: 'BM1370',
    deviceModel: 'NerdQAxe++',
    hashRate: 4_812.5,
    power: 1.1,
    temp: 31.2,
    fanrpm: 0,
  };
  const rates = (info: object) => {
    const { isMining, hashrateHs, hashrateSettledHs, boards } = read({ ...stale, hashRate_10m: 4_800, ...info });
    return [isMining, hashrateHs, hashrateSettledHs, boards?.[0]?.hashrateHs];
  };
  test.each([
    ['as it stopped by heat without saying so', {}],
    ['with the temperature of the regulator alone', { temp: -1, vrTemp: 30 }],
  ])('%s', (_, info) => expect(rates(info)).toEqual([false, undefined, undefined, undefined]));
  test.each([
    ['whose chip is hot: it is the power that is wrong', { temp: 59.9 }],
    ['whose power is not known', { power: 0 }],
    ['whose temperature is not known', { temp: -1 }],
    ['that takes what a chip takes', { power: 76, temp: 40 }],
  ])('not of one %s', (_, info) => expect(rates(info)).toEqual([true, 4_812.5e9, 4_800e9, 4_812.5e9]));
});

test('-1 is no sensor, 0 W is not known, a second fan is told while it turns', () => {
  const reading = read({ ASICModel: 'BM1370', temp: -1, temp2: 61, vrTemp: 0, power: 0, fanrpm: 0, fan2rpm: 0 });
  expect(reading).toMatchObject({ tempC: 61, fans: [{ index: 0, rpm: 0 }], boards: [{ chipTempMaxC: 61 }] });
  expect(reading).not.toHaveProperty('powerW');
  expect(reading.boards?.[0]).not.toHaveProperty('boardTempsC');
  expect(read({ ASICModel: 'BM1370', temp: -1, vrTemp: 55 }).tempC).toBe(55);
  expect(read({ ASICModel: 'BM1370', fanrpm: 4_000, fan2rpm: 3_900, fanspeed: 60 }).fans).toEqual([
    { index: 0, rpm: 4_000, dutyPercent: 60 },
    { index: 1, rpm: 3_900, dutyPercent: 60 },
  ]);
});

describe('mining', () => {
  test.each([
    [{ hashRate: 500 }, true, 500e9, undefined],
    [{ hashRate: 500, miningPaused: false }, true, 500e9, 'normal'],
    [{ hashRate: 0 }, false, 0, undefined],
    [{ hashRate: 0, miningPaused: true }, false, 0, 'sleep'],
    [{ hashRate: 500, overheat_mode: 1 }, false, undefined, undefined],
    [{ hashRate: 0, overheat_mode: 1 }, false, 0, undefined],
    [{}, undefined, undefined, undefined],
  ])('%j', (info, isMining, hashrateHs, mode) => {
    const reading = read({ ASICModel: 'BM1368', ...info });
    expect([reading.isMining, reading.hashrateHs, reading.miningMode]).toEqual([isMining, hashrateHs, mode]);
  });
  test('the settled rate is that of ten minutes, where it is told', () => {
    expect(read({ hashRate: 1, hashRate_10m: 1_069.5 }).hashrateSettledHs).toBe(1_069.5e9);
    expect(read({ hashRate: 1 })).not.toHaveProperty('hashrateSettledHs');
  });
});

describe('faults', () => {
  const codes = (info: object) => read({ ASICModel: 'BM1370', ...info }).errors?.map(({ code }) => code);
  test('heat and power have codes; words for none are none; builds that do not tell say nothing', () => {
    expect(codes({ overheat_mode: 1, power_fault: 'VIN too low' })).toEqual(['overheat_mode:1', 'power_fault']);
    expect(codes({ overheat_mode: 0, power_fault: '' })).toEqual([]);
    expect(codes({ power_fault: 'None' })).toEqual([]);
    expect(codes({})).toBeUndefined();
  });
});

describe('pools', () => {
  const shares = { sharesAccepted: 7, sharesRejected: 1, stratumDiff: 1_024 };
  const main = { stratumURL: 'a.example', stratumPort: 3_333, stratumUser: 'w' };
  const fallback = {
    fallbackStratumURL: 'stratum+tcp://b.example:25',
    fallbackStratumPort: 25,
    fallbackStratumUser: 'v',
  };
  const counts = { accepted: 7, rejected: 1, difficulty: 1_024 };
  const [a, b] = [
    { index: 0, url: 'stratum+tcp://a.example:3333', user: 'w' },
    { index: 1, url: 'stratum+tcp://b.example:25', user: 'v' },
  ];
  test.each([
    [
      { isUsingFallbackStratum: 0 },
      [
        { ...a, isActive: true, ...counts },
        { ...b, isActive: false },
      ],
    ],
    [
      { isUsingFallbackStratum: true },
      [
        { ...a, isActive: false },
        { ...b, isActive: true, ...counts },
      ],
    ],
    // Nobody knows which of the two earned them.
    [{}, [a, b]],
  ])('%j', (flag, pools) =>
    expect(read({ hashRate: 1, ...main, ...fallback, ...shares, ...flag }).pools).toEqual(pools),
  );
  test('one that is alone is in use; a place without a host is none', () => {
    expect(read({ hashRate: 1, ...main, ...shares, fallbackStratumURL: '' }).pools).toEqual([
      { ...a, isActive: true, ...counts },
    ]);
    expect(read({ hashRate: 1, stratumURL: '' })).not.toHaveProperty('pools');
    expect(read({ hashRate: 1, stratumURL: 'a.example' }).pools).toMatchObject([{ url: 'stratum+tcp://a.example' }]);
  });
});

test('an answer of something else is no answer', () => {
  expect(driver.read({ info: { status: 'ok' } }, {}).unparsable).toEqual(['info']);
});
