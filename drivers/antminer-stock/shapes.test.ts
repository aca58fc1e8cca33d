// Answers of Bitmain's dialect as machines without a recording give them: other coins, other builds, asleep, stopped.
// Nothing false may be made of them.
import { describe, expect, test } from 'vitest';
import { antminerStock } from './index.ts';

const read = (raw: Record<string, unknown>) => antminerStock.read(raw, {}).reading;
type Fields = Readonly<Record<string, unknown>>;
const classic = (Type: string, data: Fields) => ({
  STATS: [
    { Type, Miner: '1.0.0.9' },
    { STATS: 0, ...data },
  ],
});
const chains = (numbers: readonly number[], of: (chain: number) => Fields): Fields =>
  Object.assign({}, ...numbers.map(of));

/** With another firmware's name behind its own, two fans in a table that says four, MH/s under GHS. */
const d3 = {
  Elapsed: 54_422,
  'GHS 5s': '16346.64',
  'GHS av': 16_868.38,
  miner_count: 3,
  fan_num: 2,
  fan1: 6_030,
  fan2: 5_790,
  ...chains([1, 2, 3], (chain) => ({
    [`frequency${chain}`]: '450',
    [`temp${chain}`]: 46,
    [`temp2_${chain}`]: 69,
    [`chain_acn${chain}`]: 60,
    [`chain_acs${chain}`]: ' oooooooo oooooooo',
    [`chain_hw${chain}`]: 0,
    [`chain_rate${chain}`]: '5287.83',
  })),
  chain_acn4: 0,
  chain_rate4: '',
};

/** Three chains to a board, fans in places 5 and 6, a clock with its letter. */
const e3 = {
  Elapsed: 556,
  'GHS 5s': '197.30',
  'GHS av': 199.56,
  frequency: '1600M',
  fan_num: 2,
  ...Object.fromEntries([0, 0, 0, 0, 3_600, 3_720].map((rpm, index) => [`fan${index + 1}`, rpm])),
  ...chains([1, 8, 9, 2, 10, 11, 3, 12, 13], (chain) => ({
    [`temp${chain}`]: 40 + chain,
    [`temp2_${chain}`]: 55 + chain,
    [`chain_acn${chain}`]: 2,
    [`chain_acs${chain}`]: 'oo',
    [`chain_hw${chain}`]: 0,
    [`chain_rate${chain}`]: '21.92',
  })),
};

const z11 = { Elapsed: 9_000, 'GHS 5s': '141500', 'GHS av': 145_010, chain_acn1: 3, chain_rate1: '47166' };

describe('machines of other coins', () => {
  test('a D3 with another firmware: its model, its unit, its own two fans', () => {
    const reading = read({ stats: classic('Antminer D3 Blissz v2.06 beta', d3) });
    expect(reading).toMatchObject({ model: 'D3', hashrateHs: 16_346.64e6, isMining: true });
    expect(reading.fans?.map(({ rpm }) => rpm)).toEqual([6_030, 5_790]);
    expect(reading.expected).toMatchObject({ boards: 3, chipsPerBoard: 60, fans: 2 });
    expect(reading.expected?.contradicted).toEqual([{ what: 'fans', device: 2, table: 4 }]);
    expect(reading.boards?.[0]).toMatchObject({ slot: 0, chips: 60, frequencyMhz: 450, hashrateHs: 5_287.83e6 });
  });

  test('an E3: 197 MH/s of three boards with three chains each, at 1600 MHz', () => {
    const reading = read({ stats: classic('Antminer E3', e3) });
    expect(reading.hashrateHs).toBeCloseTo(197.3e6, 0);
    expect(reading.boards?.map(({ slot, chips, frequencyMhz }) => [slot, chips, frequencyMhz])).toEqual([
      [0, 6, 1_600],
      [1, 6, 1_600],
      [2, 6, 1_600],
    ]);
    expect(reading.fans?.map(({ rpm }) => rpm)).toEqual([3_600, 3_720]);
    expect(reading).toMatchObject({ tempC: 68, isMining: true });
  });

  test('a Z11: solutions per second', () => {
    expect(read({ stats: classic('Antminer Z11', z11) }).hashrateHs).toBe(141_500);
  });

  test('the unit does not jump while a machine starts, dips, or stands', () => {
    const of = (type: string, now: string, av: number, Elapsed: number) =>
      read({ stats: classic(type, { 'GHS 5s': now, 'GHS av': av, Elapsed }) }).hashrateHs;
    // 0.5 MH/s of an E3 that begins: 500 MH/s in the next unit would be near its nameplate.
    expect(of('Antminer E3', '0.5', 0.2, 30)).toBeUndefined();
    expect(of('Antminer D3', '19.3', 16_000, 9_000)).toBe(19.3e6);
    expect(of('Antminer D3', '19.3', 1, 40)).toBe(19.3e6);
    expect(of('Antminer S19', '95', 94_000, 9_000)).toBe(95e9);
    expect(of('Antminer E3', '0.00', 0, 9_000)).toBe(0);
    // As some builds do: the average of hours and the rate of now agree in another unit.
    expect(of('Antminer D3', '16.3', 16.8, 9_000)).toBe(16.3e9);
  });
});

describe('the unit of an unknown model', () => {
  const rates = { 'GHS 5s': '95000', 'GHS av': 94_000, Elapsed: 9_000, chain_acn1: 76, chain_rate1: '95000' };
  const unknown = (data: Fields, more: Record<string, unknown> = {}) =>
    read({ stats: classic('Antminer Q77', data), ...more });

  test('is unknown: it hashes, and at which rate is not told', () => {
    const reading = unknown(rates);
    expect(reading).toMatchObject({ model: 'Antminer Q77', isMining: true });
    expect(reading).not.toHaveProperty('expected');
    expect(JSON.stringify(reading)).not.toContain('ashrate');
  });

  test('is known where an answer names it', () => {
    expect(unknown({ ...rates, rate_unit: 'GH' }).hashrateHs).toBe(95e12);
    expect(unknown({ 'MHS 5s': '95000' }).hashrateHs).toBe(95e9);
    expect(unknown({ ...rates, 'GHS 5s': '95.5 MH/s' }).hashrateHs).toBe(95.5e6);
    const page = (rate_avg: number, rate_unit: string) => ({ summary: { SUMMARY: [{ rate_avg, rate_unit }] } });
    expect(unknown(rates, page(94_500, 'KSol/s')).hashrateHs).toBe(95e6);
    // Another figure than ours: its unit is not ours either.
    expect(unknown(rates, page(94.5, 'TH/s'))).not.toHaveProperty('hashrateHs');
    expect(unknown({ ...rates, 'GHS 5s': '0.00', chain_rate1: '0' })).toMatchObject({ hashrateHs: 0, isMining: false });
  });

  test('more than a machine can do is in no unit that we know', () => {
    const reading = read({ stats: classic('Antminer S9', { ...rates, 'GHS 5s': '200000', 'GHS av': 200_000 }) });
    expect(reading).not.toHaveProperty('hashrateHs');
  });
});

describe('clocks and chips', () => {
  test.each(['Antminer T15', 'Antminer S9k'])('%s: a mean clock of 0 is not told, the clock beside it is', (type) => {
    const data = { 'GHS 5s': '13500', chain_acn1: 60, chain_rate1: '4500', freq_avg1: 0, freq1: 500 };
    expect(read({ stats: classic(type, data) }).boards).toMatchObject([{ frequencyMhz: 500, hashrateHs: 4.5e12 }]);
    const silent = { ...data, freq1: 0 };
    expect(read({ stats: classic(type, silent) }).boards?.[0]).not.toHaveProperty('frequencyMhz');
  });

  test('the one clock of an L3+ is that of all its boards', () => {
    const data = { 'GHS 5s': '504', chain_acn1: 72, chain_acn2: 72, frequency: '384' };
    expect(read({ stats: classic('Antminer L3+', data) }).boards?.map(({ frequencyMhz }) => frequencyMhz)).toEqual([
      384, 384,
    ]);
  });

  const marked = (rate: string, map: string, more: Fields = {}) =>
    read({
      stats: classic('Antminer S19', {
        'GHS 5s': rate,
        'GHS av': 80_000,
        chain_acn1: 76,
        chain_rate1: rate,
        chain_acs1: map,
        ...more,
      }),
    });

  test('a machine that stands, asleep or stopped by its heat, marks no chip', () => {
    const all = ' xxx'.repeat(26);
    for (const reading of [marked('0.00', all), marked('0.00', all, { 'miner-mode': 1 }), marked('', all)])
      expect(reading.boards?.[0]).not.toHaveProperty('badChips');
    expect(marked('95000', ' oox oxo').boards?.[0]).toMatchObject({ badChips: 2 });
    // A board that is lost beside others that hash.
    expect(marked('95000', all).boards?.[0]).toMatchObject({ badChips: 78 });
  });

  test('no word stands for a serial number', () => {
    const { boards } = marked('95000', 'ooo', { chain_sn1: 'unknow', chain_SN2: 'unknow', chain_acn2: 0 });
    expect(boards).toHaveLength(1);
    expect(boards?.[0]).not.toHaveProperty('serialNumber');
  });
});

describe('the 17 series', () => {
  const asleep = {
    Elapsed: 8_105,
    'GHS 5s': '0.00',
    'GHS av': 0,
    Mode: 254,
    fan_num: 0,
    frequency: '',
    rate_unit: 'GH',
    total_rateideal: 0,
    ...chains([1, 2, 3], (chain) => ({
      [`chain_acn${chain}`]: 0,
      [`chain_acs${chain}`]: '',
      [`chain_rate${chain}`]: '',
    })),
    ...Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`fan${index + 1}`, 0])),
  };

  test.each(['Antminer T17+', 'Antminer S17+', 'Antminer S17'])('%s writes sleep as 254', (type) => {
    const conf = { 'bitmain-work-mode': '0' };
    expect(read({ stats: classic(type, asleep), conf })).toMatchObject({ miningMode: 'sleep', isMining: false });
    expect(read({ system: { minertype: type }, conf: { 'miner-mode': 254 } }).miningMode).toBe('sleep');
    expect(read({ system: { minertype: type }, conf }).miningMode).toBe('normal');
    expect(read({ system: { minertype: type }, conf: { 'miner-mode': 1 } })).not.toHaveProperty('miningMode');
    expect(read({ stats: classic(type, asleep) }).expected).not.toHaveProperty('hashrateHs');
  });

  test('of others 254 is no mode that we know, and their Mode is none', () => {
    expect(read({ stats: classic('Antminer S19', { ...asleep, Mode: 254 }) })).not.toHaveProperty('miningMode');
    expect(read({ stats: classic('Antminer S19 Pro', { Elapsed: 9, Mode: 2 }) })).not.toHaveProperty('miningMode');
  });
});

describe('what the device says of its build', () => {
  const s19 = (fan_num: number, ...rpm: readonly number[]) =>
    read({
      stats: classic('Antminer S19', {
        'GHS 5s': '95000',
        fan_num,
        ...Object.fromEntries(rpm.map((value, index) => [`fan${index + 1}`, value])),
      }),
    }).expected?.fans;

  test('beats the table, but a count of the fans that turn does not', () => {
    expect(s19(4, 6_000, 6_000, 6_000, 6_000)).toBe(4);
    expect(s19(6, 6_000, 6_000, 6_000, 6_000, 6_000, 6_000)).toBe(6);
    expect(s19(2, 6_000, 6_000)).toBe(2);
    expect(s19(3, 6_000, 6_000, 6_000, 0, 0, 0, 0, 0)).toBe(4);
    expect(s19(2, 6_000, 6_000, 0, 0)).toBe(4);
    expect(s19(0, 0, 0, 0, 0)).toBe(4);
  });

  const boardsOf = (...chips: readonly number[]) =>
    read({
      stats: classic('Antminer S19', {
        'GHS 5s': '95000',
        ...Object.fromEntries(chips.map((count, index) => [`chain_acn${index + 1}`, count])),
      }),
    }).expected;

  test('boards that are all there with the same number of chips have that number', () => {
    expect(boardsOf(88, 88, 88)).toMatchObject({ boards: 3, chipsPerBoard: 88 });
    expect(boardsOf(88, 88, 0)).toMatchObject({ boards: 3, chipsPerBoard: 76 });
    expect(boardsOf(76, 70, 76)).toMatchObject({ boards: 3, chipsPerBoard: 76 });
    expect(boardsOf(76, 76, 76, 76)).toMatchObject({ boards: 4, chipsPerBoard: 76 });
  });
});

describe('two answers to one question', () => {
  const page = {
    INFO: { type: 'Antminer S19 Pro' },
    STATS: [
      {
        elapsed: 900,
        rate_5s: 110_000,
        rate_unit: 'GH/s',
        'miner-mode': 0,
        fan_num: 4,
        fan: [6_000, 6_000, 6_000, 6_000],
        psu: { index: 0, status: 'ok' },
        chain: [0, 1, 2].map((index) => ({ index, asic_num: 114, rate_real: 36_000, sn: `B${index}` })),
      },
    ],
  };

  test('TCP without boards does not hide those of the page', () => {
    const stats = classic('Antminer S19 Pro', { Elapsed: 905, 'GHS 5s': '110500' });
    const reading = read({ stats, statsPage: page });
    expect(reading).toMatchObject({ hashrateHs: 110.5e12, uptimeS: 905, miningMode: 'normal', psus: [{ isOk: true }] });
    expect(reading.boards?.map(({ chips, serialNumber }) => [chips, serialNumber])).toEqual([
      [114, 'B0'],
      [114, 'B1'],
      [114, 'B2'],
    ]);
    expect(reading.fans).toHaveLength(4);
    // Nor does it say that there are none.
    expect(read({ stats })).not.toHaveProperty('boards');
    expect(read({ stats: { STATS: [{ rate_5s: 1, chain: [] }] } })).not.toHaveProperty('boards');
    expect(read({ stats: { STATS: [{ rate_5s: 1, chain: [] }] }, statsPage: page }).boards).toHaveLength(3);
  });

  test('the page is asked where TCP lacks boards, and not where it has them', () => {
    const lacks = antminerStock.asks.statsPage?.isLacking;
    expect(lacks?.(classic('Antminer S19', { 'GHS 5s': 1 }))).toBe(true);
    expect(lacks?.({ STATS: [{ chain: [] }] })).toBe(true);
    expect(lacks?.('nonsense')).toBe(true);
    expect(lacks?.(classic('Antminer S19', { chain_acn1: 0 }))).toBe(false);
    expect(lacks?.(page)).toBe(false);
  });
});

test('the chains of a T9 are boards', () => {
  const t9 = chains([2, 9, 10, 4, 13, 14], (chain) => ({ [`chain_acn${chain}`]: 18, [`chain_rate${chain}`]: '1200' }));
  const { boards } = read({ stats: classic('Antminer T9', { 'GHS 5s': '7200', ...t9 }) });
  expect(boards?.map(({ slot, chips }) => [slot, chips])).toEqual([
    [0, 54],
    [2, 54],
  ]);
});
