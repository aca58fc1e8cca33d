// AxeOS and its kin where the recording does not reach: names, old builds, missing sensors, heat, pools.
import { describe, expect, test } from 'vitest';
import { families } from '../index.ts';
import { axeos as driver } from './index.ts';

const read = (info: object, generation?: string) =>
  driver.read({ info }, generation === undefined ? {} : { generation }).reading;

test.each([
  ['<title>AxeOS</title>', { generation: 'bitaxe', make: 'Bitaxe' }],
  ['<title>NerdQAxe+</title> AxeOS', { generation: 'nerd', make: 'NerdAxe' }],
  ['<h1>Lucky miner</h1>', { generation: 'lucky', make: 'LuckyMiner' }],
  ['<h1>Air handler</h1>', undefined],
])('%s', (body, identity) => {
  const web = { status: 200, body };
  const found = driver.identify(families.evidenceOf({ web }));
  expect(found).toEqual(identity && { confidence: 'likely', ...identity });
  const systemInfo = {
    status: 200,
    body: '{"ASICModel":"BM1368","freeHeap":8443612,"hashRate":1000,"stratumURL":"","version":"v2.4.5"}',
  };
  if (identity) expect(driver.identify(families.evidenceOf({ web, systemInfo }))?.confidence).toBe('sure');
});

describe('machines', () => {
  test.each([
    [{ ASICModel: 'BM1397' }, 'bitaxe', 'Bitaxe', 'Max', 1],
    [{ ASICModel: 'BM1366', asicCount: 1 }, 'bitaxe', 'Bitaxe', 'Ultra', 1],
    // Two chips: another machine than the one that the table knows by this chip.
    [{ ASICModel: 'BM1370', asicCount: 2 }, 'bitaxe', 'Bitaxe', 'BM1370', 2],
    [{ ASICModel: 'BM9999', asicCount: 1 }, 'bitaxe', 'Bitaxe', 'BM9999', 1],
    // The version of the board names the machine, where chip and number of chips are those of it.
    [{ ASICModel: 'BM1370', asicCount: 2, boardVersion: '801' }, 'bitaxe', 'Bitaxe', 'GammaTurbo', 2],
    [{ ASICModel: 'BM1370', asicCount: 2, boardVersion: '650' }, 'bitaxe', 'Bitaxe', 'GammaDuo', 2],
    [{ ASICModel: 'BM1368', asicCount: 6, boardVersion: '702' }, 'bitaxe', 'Bitaxe', 'SupraHex', 6],
    [{ ASICModel: 'BM1366', asicCount: 6, boardVersion: '303' }, 'bitaxe', 'Bitaxe', 'Hex', 6],
    [{ ASICModel: 'BM1370', boardVersion: '602' }, 'bitaxe', 'Bitaxe', 'Gamma', 1],
    // Copies use the same versions for other machines.
    [{ ASICModel: 'BM1366', asicCount: 2, boardVersion: '302' }, 'bitaxe', 'Bitaxe', 'BM1366', 2],
    [{ ASICModel: 'BM1366', asicCount: 1, boardVersion: '301_' }, 'bitaxe', 'Bitaxe', 'BM1366', 1],
    [{ ASICModel: 'BM1368', boardVersion: '999' }, 'bitaxe', 'Bitaxe', 'BM1368', undefined],
    // Builds that tell the chips one by one, and not their number.
    [
      { ASICModel: 'BM1370', boardVersion: '801', hashrateMonitor: { asics: [{ total: 900 }, { total: 880 }] } },
      'bitaxe',
      'Bitaxe',
      'GammaTurbo',
      2,
    ],
    [
      { ASICModel: 'BM1370', hashrateMonitor: { asics: [{ total: 9 }, { total: 8 }] } },
      'bitaxe',
      'Bitaxe',
      'BM1370',
      2,
    ],
    [{ ASICModel: 'BM1370', asicCount: 4, deviceModel: 'NerdQAxe++' }, 'bitaxe', 'NerdAxe', 'NerdQAxe++', 4],
    [{ ASICModel: 'BM1368', asicCount: 4, deviceModel: 'NerdQAxe+' }, 'nerd', 'NerdAxe', 'NerdQAxe+', 4],
    [{ ASICModel: 'BM1368', asicCount: 1, deviceModel: 'NerdAxe' }, 'nerd', 'NerdAxe', 'NerdAxe', 1],
    [{ ASICModel: 'BM1366', asicCount: 1 }, 'nerd', 'NerdAxe', 'NerdAxeUltra', 1],
    [{ ASICModel: 'BM1366', asicCount: 1, minerModel: 'LV07' }, 'lucky', 'LuckyMiner', 'LV07', 1],
    [{ ASICModel: 'BM1366', asicCount: 9, minerModel: 'LV08' }, 'lucky', 'LuckyMiner', 'LV08', 9],
    [{ ASICModel: 'BM1366', minerModel: 'LV07' }, 'lucky', 'LuckyMiner', 'LV07', 2],
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

describe('what builds tell in words of their own', () => {
  test('an old LuckyMiner tells the speed of its fan and its voltage under other keys', () => {
    const info = { ASICModel: 'BM1366', minerModel: 'LV07', fanSpeed: 4_300, fanspeed: 90, voltagei: 12_010 };
    const reading = read(info);
    expect([reading.fans, reading.boards?.[0]?.voltageV]).toEqual([[{ index: 0, rpm: 4_300, dutyPercent: 90 }], 12.01]);
    // Without the percent beside it, nothing says that it is a speed.
    expect(read({ ASICModel: 'BM1366', fanSpeed: 90 })).not.toHaveProperty('fans');
  });
  test('chips that were found count, not those that it is built for', () => {
    const info = { ASICModel: 'BM1366', minerModel: 'LV08', asicCount: 9, asicDetected: 8 };
    expect(read(info)).toMatchObject({ boards: [{ chips: 8 }], expected: { chipsPerBoard: 9 } });
  });
  test('the frequency of the chips, not the one that is set', () => {
    const mhz = (info: object) => read({ ASICModel: 'BM1370', frequency: 600, ...info }).boards?.[0]?.frequencyMhz;
    expect([mhz({}), mhz({ actualFrequency: 525.5 }), mhz({ actualFrequency: 0 })]).toEqual([600, 525.5, undefined]);
  });
  const nerd = { ASICModel: 'BM1370', deviceModel: 'NerdQAxe++', asicCount: 4, temp: 61 };
  test('both fans of a NerdQAxe++, and how many it can have', () => {
    const fans = [
      { label: 'M2', rpm: 1_800, speedPerc: 55 },
      { label: 'M1', rpm: 0, speedPerc: 40 },
    ];
    const reading = read({ ...nerd, fanCount: 2, fanrpm: 1_800, fanrpm2: 0, fanspeed: 55, fans });
    expect(reading.fans).toEqual([
      { index: 0, rpm: 1_800, dutyPercent: 55 },
      { index: 1, rpm: 0, dutyPercent: 40 },
    ]);
    expect(reading.expected).toMatchObject({ fans: 2, own: ['chipsPerBoard', 'fans'] });
  });
  test('the temperature of a NerdQAxe++ is that of its hottest chip and no mean', () => {
    const of = (asicTemps?: number[]) => read({ ...nerd, asicTemps }).boards?.[0];
    expect(of([0, 0, 0, 0])).toMatchObject({ chipTempMaxC: 61 });
    expect(of([0, 0, 0, 0])).not.toHaveProperty('chipTempAvgC');
    expect(of()).not.toHaveProperty('chipTempAvgC');
    expect(of([55, 61, 57, 59])).toMatchObject({ chipTempMaxC: 61, chipTempAvgC: 58 });
  });
  test('a rate of a day is none before the day is over', () => {
    const day = (uptimeSeconds: number) => read({ ...nerd, hashRate_1d: 4_000, uptimeSeconds }).hashrate24hHs;
    expect([day(43_000), day(90_000)]).toEqual([undefined, 4e12]);
  });
  test('one that was shut down does not mine, whatever rate it repeats', () => {
    expect(read({ ...nerd, hashRate: 4_800, power: 0, shutdown: true })).toMatchObject({ isMining: false });
    expect(read({ ...nerd, hashRate: 4_800, shutdown: true })).not.toHaveProperty('hashrateHs');
  });
  test('a fault of the hardware is told in its own words', () => {
    expect(read({ ...nerd, hardware_fault: 'ASIC communication failed' }).errors).toEqual([
      {
        code: 'hardware_fault',
        message: 'ASIC communication failed',
        category: 'hashboard',
        severity: 'major',
      },
    ]);
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
  const both = { hashRate: 1, ...main, ...fallback, ...shares };
  test('newer NerdAxes tell the pool in use in a part of its own, and whether it is connected', () => {
    const stratum = (usingFallback: boolean) => ({
      activePoolMode: 0,
      usingFallback,
      pools: [{ connected: false, accepted: 7, rejected: 1, poolDifficulty: 1_024 }],
    });
    expect(read({ ...both, stratum: stratum(true) }).pools).toEqual([
      { ...a, isActive: false },
      { ...b, isActive: true, isAlive: false, ...counts },
    ]);
    expect(read({ ...both, isUsingFallbackStratum: 0, isStratumConnected: true }).pools?.[0]).toEqual({
      ...a,
      ...{ isActive: true, isAlive: true, ...counts },
    });
  });
  test('with both at once each has its own counts', () => {
    const pools = [
      { connected: true, accepted: 5, rejected: 1, poolDifficulty: 512 },
      { connected: false, accepted: 2, rejected: 0, poolDifficulty: 0 },
    ];
    expect(read({ ...both, stratum: { activePoolMode: 1, pools } }).pools).toEqual([
      { ...a, isActive: true, isAlive: true, accepted: 5, rejected: 1, difficulty: 512 },
      { ...b, isActive: true, isAlive: false, accepted: 2, rejected: 0 },
    ]);
  });
  test('the scheme is that of the protocol', () => {
    const urls = (info: object) =>
      read({ ...both, fallbackStratumURL: 'b.example', ...info }).pools?.map(({ url }) => url);
    expect(urls({ stratumTLS: 2, fallbackStratumTLS: 0 })).toEqual(['stratum+ssl://a.example:3333', b.url]);
    expect(urls({ stratumTLS: false, fallbackStratumTLS: true })).toEqual([a.url, 'stratum+ssl://b.example:25']);
    expect(urls({ stratumProtocol: 'SV2', fallbackStratumProtocol: 'SV1' })).toEqual([
      'stratum2+tcp://a.example:3333',
      b.url,
    ]);
    expect(urls({ stratumProtocol: 0, fallbackStratumProtocol: 1 })).toEqual([a.url, 'stratum2+tcp://b.example:25']);
  });
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
