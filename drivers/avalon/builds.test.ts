// What an Avalon answers that depends on its build: what it reports of its own hardware, builds without a present rate,
// and the 7, 8 and 9 series.
import { describe, expect, test } from 'vitest';
import { avalon } from './index.ts';

const estats = (text: string, when = 1_753_431_749) => ({
  STATUS: [{ STATUS: 'S', When: when, Code: 70 }],
  STATS: [{ STATS: 0, ID: 'AVA100', 'MM ID0': text }],
});
const read = (text: string, generation = 'a') => avalon.read({ estats: estats(text) }, { generation }).reading;

describe('what it says of its own build', () => {
  const built = (text: string) => read(`GHSspd[9] ${text}`).expected;
  test('beats the table', () => {
    const state = 'SYSTEMSTATU[Work: In Work, Hash Board: 2 ]';
    expect(built(`Ver[1047-19120401_d46bc64_0367a8b] ${state} MGHS[18727.58 18507.76] TA[240]`)).toMatchObject({
      boards: 2,
      chipsPerBoard: 120,
    });
  });
  test('is all that is expected of a variant, whose model has more boards and fans', () => {
    const { model, expected, fans } = read(
      'GHSspd[66100] GHSmm[73600] Ver[1126Pro-S-64-21072803_4ec6bb0_211fc46] SYSTEMSTATU[Work: In Work, Hash Board: 2 ] ' +
        'Fan1[6440] Fan2[6360] Fan3[6330] Fan4[0] FanR[88%] MGHS[31600 34500] TA[240]',
    );
    expect(model).toBe('1126Pro-S-64');
    expect(expected).toEqual({ boards: 2, chipsPerBoard: 120, own: ['boards', 'chipsPerBoard'], hashrateHs: 73.6e12 });
    expect(fans).toHaveLength(3);
  });
  test('is none where a board may be lost', () => {
    const state = 'SYSTEMSTATU[Work: In Work, Hash Board: 2 ]';
    for (const lists of ['MGHS[3 0 3] TA[240]', 'MGHS[3 3] TA[240]', 'MGHS[3 3]']) {
      expect(built(`Ver[1246-83-x] ${state} ${lists}`), lists).toMatchObject({ boards: 3, chipsPerBoard: 120 });
      expect(built(`Ver[1246-83-x] ${state} ${lists}`), lists).not.toHaveProperty('contradicted');
    }
  });
});

describe('a build without a present rate', () => {
  const A1047 =
    'Ver[1047-19120401_d46bc64_0367a8b] DNA[0201000017cdf409] MEMFREE[2601024 B] SYSTEMSTATU[Work: In Work, Hash Board: 2 ] ' +
    'Elapsed[103840]BOOTBY[1] LW[80542068] MH[61 74] HW[135] DH[1.063%] Temp[28] TMax[75] TAvg[64] Fan1[2984] Fan2[2972] ' +
    'FanR[47%] Vo[328] PS[0 1212 1315 174 2288 1320] PLL0[1107 955 1414 3604] PLL1[1555 1162 1463 2900] GHSmm[37768.67] ' +
    'GHSavg[37235.34] WU[520171.72] Freq[666.82] Led[0] MGHS[18727.58 18507.76] MTmax[75 70] MTavg[66 62] TA[240] ' +
    'ECHU[512 512] ECMM[0] SF0[612 637 662 687] SF1[612 637 662 687]';
  const summary = {
    SUMMARY: [{ Elapsed: 103_840, 'MHS 5s': 37_000_000, 'MHS 15m': 37_100_000, 'MHS av': 37_200_000 }],
  };
  const lacks = avalon.asks.summary?.isLacking;

  test('has it in summary, which is asked there and nowhere else', () => {
    expect(lacks?.(estats(A1047))).toBe(true);
    expect(lacks?.(estats('GHSspd[81072.68]'))).toBe(false);
    expect(lacks?.('nonsense')).toBe(false);
  });
  test('is read whole: rate, boards, clock, and no power that its list does not have', () => {
    const { reading } = avalon.read({ estats: estats(A1047), summary }, { generation: 'a' });
    expect(reading).toMatchObject({
      make: 'Avalon',
      model: 'Avalon 1047',
      hashrateHs: 37e12,
      hashrateWindow: '5s',
      hashrateSettledHs: 37.1e12,
      hashrateAverageHs: 37_235.34e9,
      isMining: true,
      tempC: 75,
      inletTempC: 28,
      psuOutputPowerW: 2_288,
      totalChips: 240,
      expected: { boards: 2, chipsPerBoard: 120, fans: 2, hashrateHs: 37_768.67e9 },
    });
    expect(reading.boards).toEqual([
      {
        slot: 0,
        hashrateHs: 18_727.58e9,
        frequencyMhz: 666.82,
        chipTempMaxC: 75,
        chipTempAvgC: 66,
        hwErrors: 61,
        chips: 120,
      },
      {
        slot: 1,
        hashrateHs: 18_507.76e9,
        frequencyMhz: 666.82,
        chipTempMaxC: 70,
        chipTempAvgC: 62,
        hwErrors: 74,
        chips: 120,
      },
    ]);
    expect(reading).not.toHaveProperty('powerW');
    expect(reading).not.toHaveProperty('miningMode');
    // Words that stand on healthy boards raise nothing.
    expect(reading.errors?.map(({ severity }) => severity)).toEqual(['info', 'info']);
    expect(avalon.read({ estats: estats(A1047) }, {}).reading).not.toHaveProperty('hashrateHs');
  });
});

describe('the 7, 8 and 9 series', () => {
  const module = (ver: string, temps: string) =>
    `Ver[${ver}] DNA[0130b14ab881ad86] Elapsed[126] MW[1289 1298 1302 1245] LW[5134] MH[0 0 0 0] HW[0] DH[0.000%] ${temps} ` +
    'FanR[36%] Vi[1215 1216 1215 1215] Vo[4074 4069 4065 4078] GHSmm[6836.48] WU[75407.22] Freq[606.93] PG[15] Led[0] ' +
    'TA[88] ECHU[16 0 512 0] ECMM[0] FM[1] CRC[0 0 0 0] PVT_T[21-80/14-88/84 0-81/11-89/86 21-78/10-87/83 20-77/11-85/81]';
  const rows = (modules: Record<string, string>) => ({
    STATS: [{ ID: 'AV70', Elapsed: 118, ...modules }, { ID: 'POOL0' }],
  });
  const summary = { SUMMARY: [{ 'MHS 5s': 13_600_000, 'MHS av': 13_500_000 }] };

  test('one machine: make, model, temperatures and the fan', () => {
    const stats = rows({ 'MM ID1': module('7411706-3162860', 'Temp[38] TMax[89] Fan[2550]') });
    const { reading } = avalon.read({ stats, summary }, { generation: 'a' });
    expect(reading).toMatchObject({
      make: 'Avalon',
      model: 'Avalon 741',
      firmwareVersion: '3162860',
      hashrateHs: 13.6e12,
      tempC: 89,
      inletTempC: 38,
      fans: [{ index: 0, rpm: 2_550, dutyPercent: 36 }],
      totalChips: 88,
    });
    expect(reading.boards?.map(({ chipTempMaxC }) => chipTempMaxC)).toEqual([88, 89, 87, 85]);
    expect(reading).not.toHaveProperty('miningMode');
  });
  test('several behind one controller: what adds up, the hottest chip, and no model but a common one', () => {
    const hot = module('7411706-3162860', 'Temp[40] TMax[92] Fan[0]');
    const cool = module('7411706-3162860', 'Temp[38] TMax[89] Fan[2550]');
    const of = (stats: object) => avalon.read({ stats, summary }, { generation: 'a' }).reading;
    const reading = of(rows({ 'MM ID1': hot, 'MM ID2': cool }));
    expect(reading).toMatchObject({
      make: 'Avalon',
      model: 'Avalon 741',
      hashrateHs: 13.6e12,
      tempC: 92,
      inletTempC: 39,
    });
    expect(reading.expected).toEqual({ hashrateHs: 13_672.96e9 });
    for (const absent of ['boards', 'serialNumber', 'totalChips', 'fans']) expect(reading).not.toHaveProperty(absent);
    const mixed = of(rows({ 'MM ID1': hot, 'MM ID2': module('8211803-14b0f10', 'Temp[36] TMax[85]') }));
    expect(mixed).not.toHaveProperty('model');
    expect(mixed.tempC).toBe(92);
  });
});
