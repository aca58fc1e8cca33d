// The words of the CGMiner dialect, and the models behind names.
import { describe, expect, test } from 'vitest';
import {
  Answer,
  cgminerPools,
  common,
  findAntminer,
  findModel,
  hashrates,
  poolsNamed,
  present,
  rateTextHs,
  rateUnit,
  toDifficulty,
  versionTexts,
  whenS,
} from '../../../../src/driver/kit/index.ts';
import { MODELS } from '../../../../src/driver/kit/models/models.data.ts';

describe('pool difficulty', () => {
  test.each([
    ['524K', 524_288],
    ['32K', 32_768],
    ['32.8K', 32_768],
    ['1.05M', 1_048_576],
    ['2.10M', 2_097_152],
    ['500K', 500_000],
    ['0', 0],
    [65_536, 65_536],
    ['1,024', 1_024],
    ['', undefined],
    ['K', undefined],
    ['much', undefined],
    [-1, undefined],
  ])('%s is %s', (written, exact) => expect(toDifficulty(written)).toBe(exact));
});

test('pools are read under names of their own, too', () => {
  const rows = [{ at: 'a:1', who: 'u', state: 'Alive', diff: '32K' }, { at: '' }].map((row) => new Answer(row));
  const names = { URL: ['at'], User: ['who'], Status: ['state'], Diff: ['diff'] };
  const pool = { index: 0, url: 'a:1', user: 'u', isAlive: true, difficulty: 32_768 };
  expect(poolsNamed(names, rows)?.map((each) => present(each))).toEqual([pool]);
  expect(poolsNamed(names, undefined)).toBeUndefined();
});

describe('pools', () => {
  const read = (...rows: unknown[]) => cgminerPools(new Answer({ POOLS: rows }))?.map((pool) => present(pool));

  test('unset pools are left out, and the others keep their number', () => {
    expect(read({ POOL: 0, URL: '' }, { POOL: 1, URL: 'a', User: 'u' })).toEqual([{ index: 1, url: 'a', user: 'u' }]);
    expect(read()).toEqual([]);
    expect(cgminerPools(new Answer({}))).toBeUndefined();
  });

  test('alive, dead and neither', () => {
    const of = (Status: string) => read({ URL: 'a', Status })?.[0]?.isAlive;
    expect([of('Alive'), of('Dead'), of('Disabled')]).toEqual([true, false, undefined]);
  });

  test('a difficulty of 0 is none in hand; the one of the stratum comes first', () => {
    expect(read({ URL: 'a', 'Stratum Difficulty': 0, 'Last Share Difficulty': 0, Diff: '' })?.[0]).not.toHaveProperty(
      'difficulty',
    );
    expect(read({ URL: 'a', 'Stratum Difficulty': 65_536, 'Work Difficulty': 1, Diff: '32K' })?.[0]?.difficulty).toBe(
      65_536,
    );
    expect(read({ URL: 'a', Diff: '32K' })?.[0]?.difficulty).toBe(32_768);
  });

  test('one row that is no row does not lose the others', () => {
    expect(read(null, 'x', { URL: 'a' })).toHaveLength(1);
  });
});

const ratesOf = (row: object) => present(hashrates(new Answer(row)));

test('hashrate: the shortest window is now, the longest up to half an hour is settled', () => {
  expect(ratesOf({ 'MHS 5s': '1,000.5', 'MHS 15m': 900, 'MHS av': 950 })).toEqual({
    hashrateHs: 1_000.5e6,
    hashrateWindow: '5s',
    hashrateSettledHs: 900e6,
    hashrateAverageHs: 950e6,
  });
  expect(ratesOf({ 'GHS av': 3, 'GHS 24h': 2 })).toEqual({
    hashrateHs: 3e9,
    hashrateWindow: 'average',
    hashrateAverageHs: 3e9,
    hashrate24hHs: 2e9,
  });
  expect(ratesOf({ 'MHS 5s': '', 'MHS av': -1 })).toEqual({});
});

test('rate units', () => {
  expect(['GH', 'GH/s', 'mhs', 'KSol/s', 'H/s', 'TH', 't', 'parsec', ''].map(rateUnit)).toEqual([
    'G',
    'G',
    'M',
    'K',
    '',
    'T',
    'T',
    undefined,
    undefined,
  ]);
});

test.each([
  ['16.3 GH/s', undefined, 16.3e9],
  ['1,226G', 'T', 1_226e9],
  ['0 H/s', undefined, 0],
  ['15.5', 'T', 15.5e12],
  [15.5, 'T', 15.5e12],
  ['15.5', undefined, undefined],
  // It names what is no unit of rates.
  ['637 rpm', 'G', undefined],
  ['fast', 'G', undefined],
  ['-5 GH/s', 'G', undefined],
] as const)('the rate %j beside the unit %s is %s', (written, unit, hs) => expect(rateTextHs(written, unit)).toBe(hs));

test('what all are is what is common; nothing is common to none', () => {
  expect([common([18, 18]), common([18, 20]), common([18, undefined]), common([])]).toEqual([
    18,
    undefined,
    undefined,
    undefined,
  ]);
});

test('the device clock stands in three places, and 0 is no clock', () => {
  const clock = (answer: unknown) => whenS(new Answer(answer));
  expect(clock({ STATUS: [{ When: 17 }] })).toBe(17);
  expect(clock({ STATUS: { when: 18 } })).toBe(18);
  expect(clock({ STATUS: 'S', When: 19 })).toBe(19);
  expect(clock({ STATUS: [{ When: 0 }] })).toBeUndefined();
  expect(clock(undefined)).toBeUndefined();
});

test('version texts are found in broken JSON and lose their control characters', () => {
  expect(versionTexts('{"VERSION":[{"Type":"Antminer S19","Odd":"a\u001b[2Jb"}{')).toEqual({
    Type: 'Antminer S19',
    Odd: 'a [2Jb',
  });
  expect(versionTexts('"'.repeat(100_000))).toEqual({});
  expect(versionTexts(undefined)).toEqual({});
});

describe('models', () => {
  test('all are there', () => expect(MODELS).toHaveLength(684));

  test.each([
    ['antminer-stock', 'Antminer S19 Pro', 'S19 Pro'],
    ['antminer-stock', ' ANTMINER s19j pro (Vnish 1.2.6)', 'S19j Pro'],
    ['antminer-stock', 'Antminer KS5 Pro', 'KS5Pro'],
    ['antminer-stock', 'BHB42XXXX', undefined],
    ['whatsminer-stock', 'M30S+_VE43', 'M30S+ VE40'],
    ['whatsminer-stock', 'M60S_VK40', 'M60S VK40'],
    ['avalon-stock:MODEL', '1246-83', 'Avalon 1246'],
    ['luxos', 'Antminer S19k Pro', 'S19k Pro'],
    ['luxos', '', undefined],
  ] as const)('%s: %s is %s', (key, reported, model) => expect(findModel(key, reported)?.model).toBe(model));

  test('nobody knows is absent, and liquid means no fans', () => {
    expect(findModel('whatsminer-stock', 'M60S_VK40')?.expected).not.toHaveProperty('hashrateHs');
    expect(findModel('antminer-stock', 'Antminer S21 Hyd.')?.expected).toMatchObject({ fans: 0, cooling: 'liquid' });
  });

  test.each([
    ['Antminer D3 Blissz v2.06 beta', 'D3'],
    ['Antminer D3 (Blissz v2.06)', 'D3'],
    ['Antminer D3(custom)', 'D3'],
    ['Antminer S9 V1.3.58', 'S9'],
    ['Antminer S9-V1.3.58', 'S9'],
    ['Antminer S19j Pro (Vnish 1.2.6)', 'S19j Pro'],
    ['Antminer S19 Pro Hyd. (Vnish 1.2.6)', 'S19 Pro Hydro'],
    ['Antminer S19 XP Hyd.', 'S19 XP Hydro'],
    ['Antminer L7_I', 'L7'],
    ['S9 rwglr', 'S9'],
    ['Antminer S9 (A.P. 3.8.6)', 'S9'],
    ['Antminer S9 (vnish for AWESOME 3.8.6)', 'S9'],
    ['Antminer S19a Pro (110T)', 'S19a Pro'],
    ['Antminer S19 Pro+ Hyd. (170TH)', 'S19 Pro+ Hydro'],
    ['Antminer L7 (9050)', 'L7'],
    ['Antminer L3+ Blissz v1.02', 'L3+'],
    ['Antminer S19j Pro-A', 'S19j Pro-A'],
    ['Antminer S19PRO (Vnish 1.2.6)', 'S19 Pro'],
    ['Antminer S19JPRO BB (Vnish 1.2.6)', 'S19j Pro'],
    ['Antminer S19J AML (Vnish 1.2.6)', 'S19j'],
    ['Antminer S19Pro Hydro (169.5T)', 'S19 Pro Hydro'],
  ])('%s is a %s: what follows is firmware', (reported, model) => expect(findAntminer(reported)?.model).toBe(model));

  test.each([
    'Antminer S190',
    'Antminer S19 Ultra 1.2',
    'Antminer S19 (88)',
    'Antminer S19 (Hyd)',
    'Antminer S19+ Q',
    'Antminer S19 Pro XQ',
    'Antminer S9-K',
    'Antminer S19PRO BB',
    'Antminer L7_J',
    'Antminer D3 Immersion v2.0',
    'Antminer S9+ Q',
    'Antminer',
  ])('%s may be another variant: nothing is expected of it', (reported) => {
    const found = findAntminer(reported);
    expect(found?.model ?? reported).toBe(reported);
    expect(found?.expected ?? {}).not.toHaveProperty('boards');
    // A variant mines what its kind mines.
    expect(found?.algorithm ?? null).toBe(/ S(19|9)\+? /.test(reported) ? 'sha256' : null);
  });

  test('the longest name wins, whichever firmware writes it', () => {
    // The last is in the table of another firmware only.
    expect(
      ['S19', 'S19 Pro', 'S19 Pro+ Hyd.', 'S19j Pro+', 'S19J PRO NOPIC'].map(
        (name) => findAntminer(`Antminer ${name} v1.3.58`)?.model,
      ),
    ).toEqual(['S19', 'S19 Pro', 'S19 Pro+ Hydro', 'S19j Pro+', 'S19j Pro No PIC']);
  });

  test('machines whose builds were not counted are known by what they mine', () => {
    expect(['T15', 'S9k', 'S11', 'E3', 'Z11', 'L3'].map((name) => findAntminer(`Antminer ${name}`)?.algorithm)).toEqual(
      ['sha256', 'sha256', 'sha256', 'ethash', 'equihash', 'scrypt'],
    );
    expect(findAntminer('Antminer T15')?.expected).toEqual({ unproven: true });
  });

  test('a row of one source says so, beside what it expects', () => {
    expect(findModel('antminer-stock', 'Antminer S19j+')?.expected).toMatchObject({ boards: 3, unproven: true });
    for (const [key, name] of [
      ['antminer-stock', 'Antminer S19 Pro'],
      // One table, and a recording of such a unit.
      ['hammer-stock', 'Hammer D10'],
      ['proto-os', 'Rig'],
    ] as const)
      expect(findModel(key, name)?.expected, name).not.toHaveProperty('unproven');
    expect(MODELS.filter(([, , , , , , , , , doubt]) => doubt !== undefined)).toHaveLength(229);
  });
});
