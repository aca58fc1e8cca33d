// Builds of Bitmain's dialect that differ in their units, their sensors and their words: what one build proves of a
// figure, another does not.
import { describe, expect, test } from 'vitest';
import { antminerStock } from './index.ts';

type Fields = Readonly<Record<string, unknown>>;
const readRaw = (raw: Record<string, unknown>) => antminerStock.read(raw, {}).reading;
const classic = (Type: string, data: Fields) => ({ STATS: [{ Type }, { STATS: 0, ...data }] });
const read = (Type: string, data: Fields) => readRaw({ stats: classic(Type, data) });
const page = (type: string, chain: Fields, data: Fields = {}) =>
  readRaw({
    stats: {
      INFO: { type },
      STATS: [{ rate_5s: 9_000, rate_unit: 'GH/s', ...data, chain: [{ index: 0, asic_num: 4, ...chain }] }],
    },
  }).boards?.[0];

describe('rates of boards', () => {
  const rates = (type: string, data: Fields) => {
    const { hashrateHs, boards } = read(type, { Elapsed: 90_000, ...data });
    return [hashrateHs, ...(boards ?? []).map((board) => board.hashrateHs)];
  };

  test('in another unit than the whole, which they make up', () => {
    const chains = { chain_acn1: 3, chain_rate1: '47.10', chain_acn2: 3, chain_rate2: '46.20', chain_rate4: '' };
    expect(rates('Antminer Z11', { 'GHS 5s': '93500.00', 'GHS av': 92_800, ...chains })).toEqual([
      93_500, 47_100, 46_200,
    ]);
    expect(rates('Antminer Z11', { 'GHS 5s': '93.40', 'GHS av': 92.8, ...chains })).toEqual([93_400, 47_100, 46_200]);
    // A whole that dips is no other unit of its boards.
    expect(rates('Antminer Z11', { 'GHS 5s': '0.20', 'GHS av': 92.8, ...chains })).toEqual([200, 47_100, 46_200]);
  });

  test('that make up nothing of the whole are not told', () => {
    const [, board] = rates('Antminer S9', {
      'GHS 5s': '13000',
      'GHS av': 13_000,
      chain_acn6: 63,
      chain_rate6: '4000000',
    });
    expect(board).toBe(4e12);
    const odd = { 'GHS 5s': '13000', 'GHS av': 13_000, chain_acn6: 63, chain_rate6: '400' };
    expect(rates('Antminer S9', odd)[1]).toBeUndefined();
  });

  test('with their unit beside them, which proves that of the whole, too', () => {
    const data = {
      'GHS 5s': 620.5,
      'GHS av': 611.2,
      chain_acn1: 6,
      chain_rate1: 0.000310_4,
      'CHAIN AVG HASHRATE1': '310.40 Ksol/s',
      chain_acn3: 6,
      chain_rate3: 0.000301_2,
      'CHAIN AVG HASHRATE3': '301.20 Ksol/s',
    };
    expect(rates('Antminer Z15 Pro', data)).toEqual([620_500, 310_400, 301_200]);
    expect(rates('Antminer Z77', data)).toEqual([620_500, 310_400, 301_200]);
  });

  test('the average of hours tells the unit of a machine that swings', () => {
    expect(rates('Antminer Z11', { 'GHS 5s': '210.00', 'GHS av': 61.5 })).toEqual([210_000]);
  });
});

describe('names', () => {
  test('a number that begins with 0 is of a firmware', () => {
    expect(read('Antminer L3+ (031)', { 'GHS 5s': '498.2' })).toMatchObject({ model: 'L3+', hashrateHs: 498.2e6 });
    expect(read('Antminer L3+ (31)', { 'GHS 5s': '498.2' })).not.toHaveProperty('hashrateHs');
  });

  test('a variant of a known SHA-256 machine mines as that does, and no more is known of it', () => {
    const reading = read('Antminer S9 Pro', { 'GHS 5s': '12000.5' });
    expect(reading).toMatchObject({ hashrateHs: 12_000.5e9 });
    expect(reading).not.toHaveProperty('expected');
    expect(read('Antminer L9 Pro', { 'GHS 5s': '16.5' })).not.toHaveProperty('hashrateHs');
    expect(read('Antminer S90', { 'GHS 5s': '12000.5' })).not.toHaveProperty('hashrateHs');
  });
});

describe('power', () => {
  const data = { 'GHS 5s': '9000', chain_acn6: 63, chain_rate6: '9000', chain_power6: 640.5 };

  test('is told for the whole and for each board', () => {
    const reading = read('Antminer S9', { ...data, chain_power: '640.50 (AB)' });
    expect(reading).toMatchObject({ powerW: 640.5, boards: [{ powerW: 640.5 }] });
  });

  test('less than any machine takes is none', () => {
    const reading = read('Antminer S9', { ...data, chain_power6: 11.2, chain_power: '33.60 (AB)' });
    expect(JSON.stringify(reading)).not.toContain('powerW');
  });
});

describe('chips', () => {
  test('the last group of a map is filled up', () => {
    const asic = (map: string, asic_num: number) => page('Antminer S21', { asic: map, asic_num })?.badChips;
    expect(asic(' oooo oooo o---', 9)).toBe(0);
    expect(asic(' oooo xooo o---', 9)).toBe(1);
    // Nine of ten are there: which one is missing is not said.
    expect(asic(' oooo oooo o---', 10)).toBeUndefined();
    expect(asic(' oo-o oooo o---', 9)).toBeUndefined();
  });

  test('zeros on all boards of a machine that has not begun are not counted yet; beside a board that hashes they are', () => {
    const chain = [0, 1].map((index) => ({ index, asic_num: 0, rate_real: 0, sn: `B${index}` }));
    const stats = (rows: readonly Fields[], rate_5s: number) => ({
      STATS: [{ elapsed: 5, rate_5s, rate_unit: 'H/s', chain: rows }],
    });
    const chips = (rows: readonly Fields[], rate: number) =>
      readRaw({ stats: stats(rows, rate) }).boards?.map((board) => board.chips);
    expect(chips(chain, 0)).toEqual([undefined, undefined]);
    expect(chips([...chain, { index: 2, asic_num: 92, rate_real: 7e12 }], 7e12)).toEqual([0, 0, 92]);
  });
});

describe('sensors', () => {
  test('both sides of a board', () => {
    const data = { chain_acn2: 6, temp2: 54, temp2_2: 70, temp_in_pcb_2: '36-37-42', temp_out_pcb_2: '50-52-54' };
    expect(read('Antminer Z15 Pro', data).boards).toMatchObject([
      { boardTempsC: [36, 37, 42, 50, 52, 54], chipTempMaxC: 70 },
    ]);
  });

  const hydro = (temp_pcb: readonly number[], temp_chip: readonly number[], temp_pic: readonly number[]) => {
    const { boardTempsC, chipTempMaxC, inletTempC, outletTempC } =
      page('Antminer S21 XP Hyd.', { temp_pcb, temp_chip, temp_pic }) ?? {};
    return { boardTempsC, chipTempMaxC, inletTempC, outletTempC };
  };

  test.each([
    ['two of the board sensors in the water', [33, 41, 43, 46], [], [68, 66, 0, 67], [[41, 46], 68, 33, 43]],
    ['the same, with chips', [34, 44, 42, 47], [61, 58, 57, 60], [52, 43, 50, 45], [[44, 47], 61, 34, 42]],
    [
      'the water in the place of chips',
      [46, 55, 46, 56],
      [36, 46, 0, 0],
      [49, 46, 36, 58],
      [[46, 55, 46, 56], undefined, 36, 46],
    ],
    [
      'none in the water',
      [43, 43, 49, 49],
      [57, 57, 58, 58],
      [33, 33, 39, 39],
      [[43, 43, 49, 49], 58, undefined, undefined],
    ],
    ['nobody knows', [31, 35, 40, 44], [], [], [undefined, undefined, undefined, undefined]],
  ])('hydro: %s', (_, pcb, chip, pic, [boardTempsC, chipTempMaxC, inletTempC, outletTempC]) => {
    expect(hydro(pcb, chip, pic)).toEqual({ boardTempsC, chipTempMaxC, inletTempC, outletTempC });
  });
});

test('hidden pools of a firmware are none of those that are set', () => {
  const pools = {
    POOLS: [
      { POOL: 0, URL: 'stratum+tcp://a.example:3333' },
      { POOL: 1, URL: '*', User: '*' },
    ],
  };
  expect(readRaw({ pools }).pools?.map(({ url }) => url)).toEqual(['stratum+tcp://a.example:3333']);
});

test('an S7 has the fans that turn, however many plugs it counts', () => {
  const slots = { fan1: 4_200, fan2: 0, fan3: 4_080, fan4: 0, fan5: 0, fan6: 0, fan7: 0, fan8: 0 };
  const { fans, expected } = read('Antminer S7', { 'GHS 5s': 5_130.11, 'GHS av': 4_814.29, fan_num: 6, ...slots });
  expect(fans?.map(({ rpm }) => rpm)).toEqual([4_200, 4_080]);
  expect(expected).not.toHaveProperty('fans');
});
