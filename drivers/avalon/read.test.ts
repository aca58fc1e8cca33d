// Readings of Avalons: powers, boards, fans, states and faults, each from the token that means it.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readingSchema } from '../../src/model/reading.ts';
import { avalon } from './index.ts';

const estats = (text: string, when = 1_753_431_749) => ({
  STATUS: [{ STATUS: 'S', When: when, Code: 70 }],
  STATS: [{ STATS: 0, ID: 'AVA100', 'MM ID0': text }],
});
const read = (text: string, generation = 'a') => avalon.read({ estats: estats(text) }, { generation }).reading;

describe('power', () => {
  const power = (text: string) => {
    const { powerW, psuOutputPowerW, psus } = read(text);
    return [powerW, psuOutputPowerW, psus?.[0]?.outputVoltageV];
  };
  test('is what the wall gives, not what the PSU puts out', () => {
    expect(power('PS[0 1214 1316 242 3189 1320 3504] GHSspd[1]')).toEqual([3_504, 3_189, 13.16]);
    expect(power('PS[0 1209 1187 297 3526 1188 3731] WALLPOWER[3740] GHSspd[1]')).toEqual([3_740, 3_526, 11.87]);
  });
  test('is never the set voltage, where the list ends before the wall power', () => {
    expect(power('PS[0 1228 1299 238 3086 1296] GHSspd[1]')).toEqual([undefined, 3_086, 12.99]);
  });
  test('of an idle machine is what it still draws; an output of 0 beside a hashrate is not known', () => {
    expect(power('PS[0 1221 4 0 0 2245 146] GHSspd[0.00]')).toEqual([146, 0, undefined]);
    expect(power('PS[0 0 27541 4 0 3756 133] GHSspd[6598.84]')).toEqual([133, undefined, undefined]);
  });
  test('of the first Nano 3, which has a brick, is the sixth value: the seventh is a voltage', () => {
    expect(power('PS[0 0 0 4 2760 125 332] GHSspd[4100]')).toEqual([125, 125, 27.6]);
    expect(power('PS[0 0 0 3 2790 90 324] GHSspd[2600]')).toEqual([90, 90, 27.9]);
    expect(power('PS[0 0 0 0 2810 0 324] GHSspd[0]')).toEqual([undefined, 0, 28.1]);
    // These do not agree.
    expect(power('PS[0 0 0 3 2790 140 324] GHSspd[2600]')).toEqual([undefined, undefined, 27.9]);
  });
  test('of a silent PSU is not known, and the silence is a fault', () => {
    const reading = read('PS[0 0 0 0 0 0 0] GHSspd[0]');
    expect(reading).not.toHaveProperty('powerW');
    expect(reading).not.toHaveProperty('psuOutputPowerW');
    expect(reading.psus).toEqual([{ isOk: false }]);
    expect(reading.errors).toMatchObject([{ code: 'PS:silent', category: 'psu' }]);
  });
});

describe('boards', () => {
  test('share the chips when the machine gives only their sum, if it divides', () => {
    const chips = (text: string) => read(text).boards?.map((board) => board.chips);
    expect(chips('GHSspd[9] MGHS[3 3 3] TA[360]')).toEqual([120, 120, 120]);
    expect(chips('GHSspd[9] MGHS[3 3 3] TA[359]')).toEqual([undefined, undefined, undefined]);
    expect(read('GHSspd[9] MGHS[3 3 3] TA[359]').totalChips).toBe(359);
  });

  test('have as many chips as sensors only if those are all chips that the machine has', () => {
    const chips = (total: string) => {
      const reading = read(`GHSspd[9] MGHS[3 3] ${total} PVT_T0[60 61] PVT_T1[60 61 62]`);
      return [reading.totalChips, reading.boards?.map((board) => board.chips)];
    };
    expect(chips('TA[5]')).toEqual([5, [2, 3]]);
    expect(chips('')).toEqual([undefined, [2, 3]]);
    expect(chips('TA[240]')).toEqual([240, [undefined, undefined]]);
  });
  test('without any sign of life are left out', () => {
    const reading = read('GHSspd[9] MGHS[3 0 3] MTmax[77 -273 76] TA[240]');
    // Whether the total counts the lost one nobody says.
    expect(reading.boards?.map(({ slot, chips }) => [slot, chips])).toEqual([
      [0, undefined],
      [2, undefined],
    ]);
    expect(reading.totalChips).toBe(240);
  });
  test('of a machine at rest hash nothing, though their averages stand', () => {
    const reading = read(
      "'STATS':{SYSTEMSTATU[Work: In Idle, Hash Board: 1] GHSspd[0.00] GHSavg[44350] MGHS[44350.83] TA[160] TMax[0] SoftOFF[4]}",
    );
    expect(reading.boards).toMatchObject([{ slot: 0, hashrateHs: 0, chips: 160 }]);
    expect(reading.boards?.[0]).not.toHaveProperty('chipTempMaxC');
  });
  test('have the clock of the machine, else the mean of their steps by how much each was used', () => {
    const mhz = (text: string) => read(`GHSspd[9] MGHS[3 3] ${text}`).boards?.map((board) => board.frequencyMhz);
    const steps = 'SF0[472 492 512 532] SF1[472 492 512 532] PLL0[0 0 1 3] PLL1[1 0 0 0]';
    expect(mhz(`Freq[502.41] ${steps}`)).toEqual([502.41, 502.41]);
    expect(mhz(steps)).toEqual([527, 472]);
    expect(mhz('SF0[472 492 512 532]')).toEqual([undefined, undefined]);
    expect(mhz('SF0[472 492] PLL0[0 0 1 3]')).toEqual([undefined, undefined]);
    expect(mhz('SF0[472 492 512 532] PLL0[0 0 0 0]')).toEqual([undefined, undefined]);
  });
  test('have no outlet but one that the device names', () => {
    const reading = read('GHSspd[9] MGHS[3 3] Temp[30] TMax[77] MTmax[77 76] MTavg[66 65]');
    expect(reading).not.toHaveProperty('outletTempC');
    expect(reading).toMatchObject({ tempC: 77, inletTempC: 30 });
    expect(read('GHSspd[9] MGHS[3] HBOTemp[51]').boards).toMatchObject([{ outletTempC: 51 }]);
    expect(read('GHSspd[9] MGHS[3] OTemp[-273]')).not.toHaveProperty('outletTempC');
  });
  test('that are not told are not none', () => {
    expect(read('GHSspd[9] TMax[80] TA[88]')).not.toHaveProperty('boards');
    expect(read('GHSspd[9] TMax[80]')).not.toHaveProperty('errors');
  });
  test('have their own error counts only where these add up to the total', () => {
    const errors = (text: string) => read(text).boards?.map((board) => board.hwErrors);
    expect(errors('GHSspd[9] MGHS[3 3 3] MH[999 697 1039] HW[2735]')).toEqual([999, 697, 1_039]);
    expect(errors('GHSspd[9] MGHS[3 3 3] MH[1 2 3] HW[2735]')).toEqual([undefined, undefined, undefined]);
  });
  test('of the 7, 8 and 9 series have a word each: coolest chip, hottest chip, mean', () => {
    const text = 'Ver[7411706-3162860] MH[3 0 3 4] HW[10] TMax[93] Freq[628.45] TA[88]';
    const words = '21-76/1-88/83 1-80/11-92/84 21-82/12-93/83';
    expect(read(`${text} PVT_T[${words} 1-82/10-93/87]`).boards?.[3]).toEqual({
      slot: 3,
      frequencyMhz: 628.45,
      chipTempMaxC: 93,
      chipTempAvgC: 87,
      hwErrors: 4,
      chips: 22,
    });
    const without = read(`${text} PVT_T[${words} 0-0/0-0/0]`).boards;
    expect(without?.map(({ slot, chips }) => [slot, chips])).toEqual([
      [0, undefined],
      [1, undefined],
      [2, undefined],
    ]);
  });
  test('of newest builds have a section each', () => {
    const stats = {
      STATS: [
        {
          Elapsed: 50,
          HBinfo: "'HB0':{PVT_T0[58 59 60]} 'HB1':{PVT_T0[99 0]}",
          'MM ID0:Summary': "'STATS':{GHSspd[9] MGHS[3 3] Elapsed[80]}",
        },
      ],
    };
    const { reading } = avalon.read({ homeStats: stats }, { generation: 'home' });
    expect(reading.boards).toMatchObject([
      { slot: 0, chips: 3, chipTempMaxC: 60, chipTempAvgC: 59 },
      { slot: 1, chips: 2, chipTempMaxC: 99, chipTempAvgC: 99 },
    ]);
    expect(reading.uptimeS).toBe(50);
  });
});

describe('fans', () => {
  test('are as many as the model has, standing still included', () => {
    expect(read('Ver[1246-83-x] Fan1[5344] Fan2[0] Fan3[5349] Fan4[5309] FanR[72%]').fans).toEqual([
      { index: 0, rpm: 5_344, dutyPercent: 72 },
      { index: 1, rpm: 0, dutyPercent: 72 },
      { index: 2, rpm: 5_349, dutyPercent: 72 },
      { index: 3, rpm: 5_309, dutyPercent: 72 },
    ]);
  });
  test('of an unknown model are those that turn', () => {
    expect(read('Fan1[4275] Fan2[4282] Fan3[0] Fan4[0]').fans?.map(({ index }) => index)).toEqual([0, 1]);
    expect(read('Fan1[0] Fan2[0]')).not.toHaveProperty('fans');
  });
  test('of a liquid model are none', () => {
    expect(read('Ver[1566HA-1-x] Fan1[0] Fan2[0]')).toMatchObject({
      fans: [],
      expected: { fans: 0, cooling: 'liquid' },
    });
  });
});

describe('state', () => {
  test('is at work when it says so and is not soft-off', () => {
    const state = (text: string) => [read(text).isMining, read(text).miningMode];
    expect(state('SYSTEMSTATU[Work: In Work, Hash Board: 3 ] SoftOFF[0] WORKMODE[0]')).toEqual([true, 'normal']);
    expect(state('SYSTEMSTATU[Work: In Work, Hash Board: 3 ] SoftOFF[1] WORKMODE[1]')).toEqual([false, 'sleep']);
    expect(state('SYSTEMSTATU[Work: In Idle, Hash Board: 3 ] SoftOFF[0] WORKMODE[1]')).toEqual([false, 'high']);
    expect(state('GHSspd[5]')).toEqual([true, undefined]);
    expect(state('GHSspd[0] SYSTEMSTATU[Work: In Work, Hash Board: 3 ] SoftOFF[0]')).toEqual([false, undefined]);
    expect(state('SYSTEMSTATU[]')).toEqual([undefined, undefined]);
    expect(state('TMax[60]')).toEqual([undefined, undefined]);
  });
  test('home models count their modes from eco', () => {
    expect([0, 1, 2, 3].map((mode) => read(`Ver[Q-1_2] WORKMODE[${mode}]`).miningMode)).toEqual([
      'low',
      'normal',
      'high',
      undefined,
    ]);
    expect(read('WORKMODE[2] WORKLEVEL[1]', 'home')).toMatchObject({ miningMode: 'high', miningModePreset: '1' });
  });
  test('a clock that was never set is no time', () => {
    expect(avalon.read({ estats: estats('GHSspd[1]', 24_701) }, {}).reading).not.toHaveProperty('deviceTimeS');
    expect(read('GHSspd[1]').deviceTimeS).toBe(1_753_431_749);
  });
  test('a sensor that is not there is no temperature', () => {
    const reading = read('ITemp[-273] TMax[0] MTmax[0 -273] MGHS[1 1] GHSspd[2]');
    expect(reading).not.toHaveProperty('inletTempC');
    expect(reading).not.toHaveProperty('tempC');
  });
});

describe('faults', () => {
  const faults = (text: string) => read(text).errors?.map(({ code, category, index }) => [code, category, index]);
  test('are none when every flag is 0', () => {
    expect(faults('PS[0 1 1 1 1 1 1] POWS[0] HASHS[0 0] POOLS[0] ECHU[0 0] ECMM[0] FanErr[0]')).toEqual([]);
  });
  test('have the code that the farm can look up, and the board that is meant', () => {
    expect(faults('PS[7 1 1] POWS[1] HASHS[0 1] POOLS[1] ECHU[513 128 512] ECMM[4] FanErr[1]')).toEqual([
      ['PS:7', 'psu', 0],
      ['POWS:1', 'psu', undefined],
      ['POOLS:1', 'pool', undefined],
      ['FanErr:1', 'fan', undefined],
      ['ECMM:4', 'fan', undefined],
      ['HASHS:1', 'hashboard', 1],
      ['ECHU:513', 'hashboard', 0],
      ['ECHU:128', 'temperature', 1],
      ['ECHU:512', 'hashboard', 2],
    ]);
  });
  test.each([
    ['PS[1 1 1]', 'major', 'PSU error 1: input voltage low'],
    ['PS[2056 1 1]', 'major', 'PSU error 2056: too hot, fan failed'],
    ['PS[4096 1 1]', 'major', 'PSU error 4096'],
    ['PS[-1 1 1]', 'major', 'PSU error -1'],
    ['ECHU[16]', 'info', 'Board error word 16: too many messages'],
    ['ECHU[528]', 'info', 'Board error word 528: too many messages, chips failed their test'],
    ['ECHU[513]', 'major', 'Board failed (error word 513)'],
    ['ECHU[576]', 'major', 'Board error word 576: too hot, chips failed their test'],
    ['ECHU[256]', 'minor', 'Board error word 256: not all chips answer'],
    ['ECHU[262160]', 'minor', 'Board error word 262160: too many messages'],
    ['ECHU[262144]', 'minor', 'Board error word 262144'],
    ['ECMM[4]', 'major', 'Control board error word 4: no fan found'],
    ['ECMM[1]', 'minor', 'Control board error word 1: idle'],
    ['ECMM[4294967296]', 'major', 'Control board error word 4294967296'],
  ])('%s is %s: %s', (text, severity, message) => {
    expect(read(text).errors).toMatchObject([{ severity, message }]);
  });
  test('are not the chip counts that some builds print as EEPROM, nor counters', () => {
    expect(faults('EEPROM[160 160 160] CRC[5 0 0] NETFAIL[206 216] SoftOFF[4] ECMM[0]')).toEqual([]);
    expect(faults('EEPROM[0 1 0] ECMM[0]')).toEqual([['EEPROM:1', 'eeprom', 1]]);
  });
});

test('the first Nano 3 has zeros for a DNA: that of its board stands in', () => {
  expect(read('DNA[0000000000000000] HDNA[0201000058aa51c3]').serialNumber).toBe('0201000058aa51c3');
  expect(read('DNA[0201000017cdf409] HDNA[0201000058aa51c3]').serialNumber).toBe('0201000017cdf409');
  expect(read(`DNA[${'a'.repeat(400)}]`).serialNumber?.length ?? 0).toBeLessThanOrEqual(128);
});

test('several controllers behind one address: rates add up, nothing else is told of the first alone', () => {
  const stats = {
    STATS: [{ 'MM ID0': 'GHSspd[5] GHSavg[4] MGHS[5] PS[0 1 1 1 1 1 100]', 'MM ID1': 'GHSspd[6] GHSavg[5]' }],
  };
  const { reading } = avalon.read({ estats: stats }, {});
  expect(reading).toEqual({
    make: 'Avalon',
    hashrateHs: 11e9,
    hashrateWindow: 'realtime',
    hashrateAverageHs: 9e9,
    isMining: true,
  });
});

test('an answer without a controller makes no sense, and costs nothing else', () => {
  const version = { VERSION: [{ MAC: 'AABBCCDDEEFF', DNA: 'D' }] };
  expect(avalon.read({ estats: { STATS: [{ ID: 'POOL0' }] }, version, pools: '<html>' }, {})).toEqual({
    reading: { make: 'Avalon', mac: 'AABBCCDDEEFF', serialNumber: 'D' },
    unparsable: ['estats', 'pools'],
  });
});

test('pool passwords go nowhere', () => {
  const pools = { POOLS: [{ POOL: 0, URL: 'stratum+tcp://a:1', User: 'w', Password: 'hidden', Status: 'Alive' }] };
  expect(JSON.stringify(avalon.read({ pools }, {}))).not.toContain('hidden');
});

test('no text, however odd, makes read throw or tell an impossible value', () => {
  const key = fc.constantFrom(
    ...[
      'Ver',
      'DNA',
      'Elapsed',
      'GHSspd',
      'GHSavg',
      'GHSmm',
      'MGHS',
      'MTmax',
      'MTavg',
      'TA',
      'PVT_T0',
      'SF0',
      'Freq',
      'Fan1',
      'FanR',
    ],
    ...[
      'PS',
      'WALLPOWER',
      'MPO',
      'WORKMODE',
      'WORKLEVEL',
      'SYSTEMSTATU',
      'SoftOFF',
      'HASHS',
      'ECHU',
      'ECMM',
      'MH',
      'HW',
      'Temp',
      'TMax',
      'HBOTemp',
    ],
  );
  const value = fc.array(
    fc.oneof(
      fc.constantFrom(
        '0',
        '1',
        '-1',
        '1e999',
        '1e300',
        '12.5',
        '-273',
        'nan',
        'x'.repeat(400),
        'Hash Board: 99',
        'In Work',
      ),
      fc.double().map(String),
    ),
    { maxLength: 4 },
  );
  const text = fc
    .array(fc.tuple(key, value), { maxLength: 12 })
    .map((tokens) => tokens.map(([name, values]) => `${name}[${values.join(' ')}]`).join(' '));
  fc.assert(
    fc.property(text, fc.constantFrom('a', 'home'), (written, generation) => {
      readingSchema.parse(read(written, generation));
    }),
    { numRuns: 500 },
  );
});
