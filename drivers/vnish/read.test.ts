// VNish in what a simulated device does not show: units, old keys, states, odd uptimes, pools of two sources, faults.
import { describe, expect, test } from 'vitest';
import { MODELS } from '../../src/driver/kit/models/models.data.ts';
import { families } from '../index.ts';
import { vnish as driver } from './index.ts';
import { modelOf } from './read.ts';

const read = (raw: Record<string, unknown>, known = {}) => driver.read(raw, known).reading;
const summary = (miner: object) => ({ summary: { miner } });

describe('identification', () => {
  const identifyBy = (parts: Parameters<typeof families.evidenceOf>[0]) => driver.identify(families.evidenceOf(parts));
  test('by TCP with model and version, also behind the words of stock; by the page', () => {
    const version =
      '{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"3.7","Miner":"49.0.1.3","Type":"Antminer S19j Pro (Vnish 1.2.6-rc2)"}]}';
    expect(identifyBy({ version })).toEqual({
      confidence: 'sure',
      make: 'Antminer',
      model: 'S19j Pro',
      firmwareVersion: '1.2.6',
    });
    expect(identifyBy({ web: { status: 200, body: '<title>AnthillOS</title>' } })).toMatchObject({ make: 'Antminer' });
    expect(
      identifyBy({ version: '{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"3.7","Type":"Antminer S19"}]}' }),
    ).toBeUndefined();
  });
});

test('every name that the table has for this firmware is found', () => {
  const names = MODELS.flatMap((row) => (row[8].vnish ?? []).map((name) => [name, modelOf(name)?.make] as const));
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter(([name, make]) => make === undefined && !/^BHB/.test(name))).toEqual([]);
});

describe('rates', () => {
  const rate = (raw: object, known = {}) => read({ ...summary({ hr_realtime: 9_500 }), ...raw }, known).hashrateHs;
  test('are in the unit that is named', () => {
    expect(rate({ info: { hr_measure: 'MH/s' } })).toBe(9.5e9);
    expect(rate({ info: { hr_measure: 'GH/s' } })).toBe(9.5e12);
  });
  test('without it they are proven for SHA-256 only, and of other models not told', () => {
    expect(rate({}, { model: 'Antminer L7' })).toBeUndefined();
    expect(rate({}, { model: 'Antminer S21' })).toBe(9.5e12);
    expect(rate({}, { model: 'Antminer Z99' })).toBeUndefined();
    expect(read(summary({ hr_realtime: 0 })).hashrateHs).toBe(0);
  });
  test('are those of the boards where the whole has none, and no other key is believed', () => {
    const chains = [1, 2].map((id) => ({ id, hashrate_rt: 50_000 }));
    const info = { hr_measure: 'GH/s' };
    expect(read({ ...summary({ instant_hashrate: 100, chains }), info }).hashrateHs).toBe(100e12);
    expect(read({ ...summary({ instant_hashrate: 100, chains: [{ id: 1 }] }), info })).not.toHaveProperty('hashrateHs');
    expect(read({ ...summary({ power_usage: 26 }), info })).not.toHaveProperty('powerW');
  });
  test('of TCP when the web is shut', () => {
    const tcpSummary = { SUMMARY: [{ Elapsed: 60, 'GHS 5s': 5, 'GHS av': 4 }] };
    expect(read({ tcpSummary }, { model: 'Antminer S21' })).toMatchObject({
      hashrateHs: 5e9,
      hashrateAverageHs: 4e9,
      uptimeS: 60,
    });
  });
});

test('the clock of the web is that of the system, the one on TCP that of the mining process', () => {
  const info = { system: { uptime: '10 days, 18:00' } };
  const systemUptimeS = 10 * 86_400 + 18 * 3_600;
  expect(read({ info })).toMatchObject({ systemUptimeS });
  expect(read({ info })).not.toHaveProperty('uptimeS');
  expect(read({ info, tcpSummary: { SUMMARY: [{ Elapsed: 60 }] } })).toMatchObject({ systemUptimeS, uptimeS: 60 });
});

describe('state', () => {
  const of = (miner_state: string, hr_realtime = 5) =>
    read({ ...summary({ hr_realtime, miner_status: { miner_state } }), info: { hr_measure: 'GH/s' } });
  test.each([
    ['mining', true, undefined],
    ['auto-tuning', true, undefined],
    ['initializing', false, undefined],
    ['stopped', false, 'sleep'],
    ['paused', false, 'sleep'],
    ['failure', false, undefined],
  ])('%s', (state, isMining, mode) => {
    const reading = of(state);
    expect([reading.isMining, reading.miningMode]).toEqual([isMining, mode]);
  });
  test('nothing that runs is not mining, whatever the status said minutes ago', () => {
    const status = { miner_state: 'mining' };
    expect(read({ summary: { miner: null }, status }).isMining).toBe(false);
    expect(read({ summary: { miner: null }, status: { miner_state: 'stopped' } }).miningMode).toBe('sleep');
    expect(read({ summary: { miner: 'x' } })).not.toHaveProperty('isMining');
  });
  test('mining at no rate is not mining', () => expect(of('mining', 0).isMining).toBe(false));

  test('presets', () => {
    const preset = (name: string, hr_measure = 'GH/s') => {
      const { miningMode, miningModePreset, powerLimitW } = read({
        ...summary({ miner_status: { miner_state: 'mining' } }),
        perf: { current_preset: { name } },
        status: { miner_state: 'mining' },
        info: { hr_measure },
      });
      return [miningMode, miningModePreset, powerLimitW];
    };
    expect(preset('3495')).toEqual([undefined, '3495', 3_495]);
    expect(preset('disabled')).toEqual(['normal', 'disabled', undefined]);
    expect(read({ perf: { current_preset: { name: 'disabled' } } })).not.toHaveProperty('miningMode');
    expect(preset('11500', 'MH/s')).toEqual([undefined, '11500', undefined]);
    expect(preset('11500 M')).toEqual([undefined, '11500 M', undefined]);
    // It may sleep.
    expect(read({ perf: { current_preset: { name: 'disabled' } } })).not.toHaveProperty('miningMode');
    expect(read({ perf: { current_preset: null } })).not.toHaveProperty('miningModePreset');
  });
});

test.each([
  ['10 days, 18:00', 928_800],
  ['1 day, 2:03', 93_780],
  ['1:05', 3_900],
  ['0:00', 0],
  ['12 min', 720],
  ['3 days', 259_200],
  ['2 days, 5 min', 173_100],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('uptime %j is %j', (uptime, seconds) => expect(read({ info: { system: { uptime } } }).systemUptimeS).toBe(seconds));

describe('faults', () => {
  const errors = (miner: object) => read(summary(miner)).errors;
  test('of the whole keep their code, and words say what they are about', () => {
    expect(errors({ miner_status: { miner_state: 'failure', failure_code: 31, description: 'PSU is lost' } })).toEqual([
      { code: '31', category: 'psu', severity: 'major', message: 'PSU is lost' },
    ]);
    expect(errors({ miner_status: { miner_state: 'failure' } })).toMatchObject([
      { code: 'failure', category: 'unknown' },
    ]);
    expect(errors({ miner_status: { miner_state: 'mining', description: 'x' } })).toEqual([]);
    expect(read({})).not.toHaveProperty('errors');
  });
  test('of boards name the board; a board that is not connected is none', () => {
    const chains = [
      { id: 1, status: { state: 'mining', description: 'fine' } },
      {
        id: 2,
        status: { state: 'failure', description: 'Chain break' },
        chip_statuses: { red: 2, orange: 0, grey: 0 },
      },
      { id: 3, status: { state: 'disconnected' } },
    ];
    expect(errors({ chains })).toEqual([
      { code: 'chain:failure', category: 'hashboard', message: 'Chain break', index: 1 },
    ]);
    const { boards } = read(summary({ chains }));
    expect(boards).toEqual([{ slot: 0 }, { slot: 1, chips: 2, isAlive: false }]);
  });
});

describe('pools', () => {
  const row = (url: string, user: string, more: object = {}) => ({ url, user, ...more });
  const tcp = (URL: string, User: string, more: object = {}) => ({ URL, User, 'Difficulty Rejected': 8, ...more });
  const pools = (rows: readonly object[] | undefined, POOLS: readonly object[] | undefined) =>
    read({ ...(rows && summary({ pools: rows })), ...(POOLS && { tcpPools: { POOLS } }) }).pools;

  test('hidden names come from TCP, in its order; without it they are empty', () => {
    const rows = [row('a.example:1', '*****'), row('a.example:1', '*****')];
    const tcpRows = [tcp('stratum+tcp://a.example:1', 'w1'), tcp('stratum+tcp://a.example:1', 'w2')];
    expect(pools(rows, tcpRows)?.map(({ user }) => user)).toEqual(['w1', 'w2']);
    expect(pools(rows, undefined)?.map(({ user }) => user)).toEqual(['', '']);
    expect(driver.abilities.pools?.shows?.({ pools: pools(rows, undefined) ?? [] }, {})).toBeUndefined();
  });
  test('the developer’s are left out; without the web those of TCP are told', () => {
    const rows = [row('a.example:1', 'w', { pool_type: 'UserPool' }), row('b.example:1', 'd', { pool_type: 'DevFee' })];
    expect(pools(rows, [])?.map(({ url }) => url)).toEqual(['stratum+tcp://a.example:1']);
    expect(pools(undefined, [tcp('stratum+tcp://c.example:1', 'w')])?.[0]).toMatchObject({ difficultyRejected: 8 });
    expect(pools(undefined, undefined)).toBeUndefined();
  });
  test.each([
    ['active', true, true],
    ['working', true, false],
    ['rejecting', true, false],
    ['offline', false, false],
    ['disabled', undefined, false],
  ])('%s', (status, isAlive, isActive) =>
    expect(pools([row('a.example:1', 'w', { status })], [])?.[0]).toMatchObject(
      isAlive === undefined ? { isActive } : { isAlive, isActive },
    ),
  );
});

describe('before AnthillOS, where TCP is all there is', () => {
  const chains = (numbers: readonly number[], of: (chain: number) => object) =>
    Object.assign({}, ...numbers.map((chain) => of(chain)));
  const stats = (type: string, fields: object = {}) => ({
    STATUS: [{ STATUS: 'S', When: 1_605_446_911, Code: 70, Msg: 'CGMiner stats', Description: 'cgminer 4.11.1' }],
    STATS: [
      { Cgminer: '4.11.1', Miner: '35.0.1.3', CompileTime: 'Sat Aug 15 18:55:51 CST 2020', Type: type },
      {
        STATS: 0,
        ID: 'BTM_S17P_0',
        Elapsed: 1_201,
        'GHS 5s': '77458.73',
        'GHS av': 77_544.32,
        miner_count: 3,
        total_rateideal: 79_968,
        total_rate: 77_458.73,
        state: 'mining',
        fan_num: 4,
        fan_pwm: 90,
        fan1: 6_120,
        fan2: 6_120,
        fan3: 5_160,
        fan4: 5_160,
        ...chains([1, 2, 3], (chain) => ({
          [`temp_pcb${chain}`]: '55-66-51-60',
          [`temp_chip${chain}`]: '75-81-71-75',
          [`chain_acn${chain}`]: 65,
          [`freq_avg${chain}`]: 606.54,
          [`chain_rateideal${chain}`]: 26_493.6,
          [`chain_rate${chain}`]: 25_819.6,
          [`chain_hw${chain}`]: 2,
          [`chain_acs${chain}`]: 'ooooo ooooo',
          [`chain_consumption${chain}`]: 991,
        })),
        ...fields,
      },
    ],
  });

  test('its statistics are read', () => {
    const reading = read({ tcpStats: stats('Antminer S17+ (vnish 2.0.3)') });
    expect(reading).toMatchObject({
      model: 'S17+',
      firmwareVersion: '2.0.3',
      hashrateHs: 77_458.73e9,
      hashrateWindow: '5s',
      hashrateAverageHs: 77_544.32e9,
      uptimeS: 1_201,
      powerW: 2_973,
      isMining: true,
      tempC: 81,
      expected: { boards: 3, fans: 4, hashrateHs: 79_968e9 },
    });
    expect(reading.fans?.map(({ rpm, dutyPercent }) => [rpm, dutyPercent])).toEqual([
      [6_120, 90],
      [6_120, 90],
      [5_160, 90],
      [5_160, 90],
    ]);
    expect(reading.boards?.[2]).toEqual({
      slot: 2,
      hashrateHs: 25_819.6e9,
      expectedHashrateHs: 26_493.6e9,
      chips: 65,
      badChips: 0,
      frequencyMhz: 606.54,
      powerW: 991,
      boardTempsC: [55, 66, 51, 60],
      chipTempMaxC: 81,
      hwErrors: 2,
    });
    expect(reading).not.toHaveProperty('miningMode');
  });
  test('a build that does not measure what it draws prints 0: not told', () => {
    const none = { chain_consumption1: 0, chain_consumption2: 0, chain_consumption3: 0 };
    expect(read({ tcpStats: stats('Antminer S19 XP (Vnish 1.2.0-rc1)', none) })).not.toHaveProperty('powerW');
  });
  test('which unit GHS has on another coin is not proven: no rate', () => {
    const tcpSummary = { SUMMARY: [{ Elapsed: 60, 'GHS 5s': 9.5, 'GHS av': 9.4 }] };
    for (const type of ['Antminer L3+ (vnish 3.8.6)', 'Antminer Z99 (vnish 1.0)']) {
      const reading = read({ tcpStats: stats(type), tcpSummary });
      expect([reading.hashrateHs, reading.hashrateAverageHs, reading.boards?.[0]?.hashrateHs]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      expect(reading).toMatchObject({ uptimeS: 60, isMining: true });
    }
    expect(read({ tcpStats: stats('Antminer L3+ (vnish 3.8.6)', { rate_unit: 'MH/s' }) }).hashrateHs).toBe(77_458.73e6);
  });
  test.each([
    ['stopped', false, 'sleep'],
    ['failure', false, undefined],
    ['tuning', true, undefined],
  ])('its own word %s', (state, isMining, mode) => {
    const { miningMode, ...reading } = read({ tcpStats: stats('Antminer S17+ (vnish 2.0.3)', { state }) });
    expect([reading.isMining, miningMode]).toEqual([isMining, mode]);
  });
  test('what does not mine says nothing of its chips', () => {
    const acs = chains([1, 2, 3], (chain) => ({ [`chain_acs${chain}`]: 'xxxxx ooooo' }));
    const bad = (fields: object) =>
      read({ tcpStats: stats('Antminer S17+ (vnish 2.0.3)', { ...acs, ...fields }) }).boards?.map((b) => b.badChips);
    expect(bad({})).toEqual([5, 5, 5]);
    expect(bad({ state: 'initializing' })).toEqual([undefined, undefined, undefined]);
    expect(bad({ chain_state2: 'failure' })).toEqual([5, undefined, 5]);
  });
  test('the pools of the developer are none of ours', () => {
    const row = { Status: 'Alive', Accepted: 3 };
    const POOLS = [
      { ...row, POOL: 0, URL: 'stratum+tcp://a.example:1', User: 'w' },
      { ...row, POOL: 3, URL: 'DevFee', User: 'DevFee' },
    ];
    expect(read({ tcpPools: { POOLS } }).pools?.map(({ url }) => url)).toEqual(['stratum+tcp://a.example:1']);
  });
});

describe('what is expected of the whole', () => {
  const chain = (id: number) => ({ id, hashrate_rt: 34_000, hashrate_ideal: 35_000, status: { state: 'mining' } });
  const expected = (miner: object) =>
    read({ ...summary(miner), info: { miner: 'Antminer S19j Pro', hr_measure: 'GH/s' } }).expected;
  test('is the sum of the boards where all tell theirs', () => {
    expect(expected({ chains: [chain(1), chain(2), chain(3)] })?.hashrateHs).toBe(105_000e9);
    expect(expected({ chains: [chain(1), chain(2)] })?.hashrateHs).toBeUndefined();
    expect(expected({ chains: [chain(1), chain(2), { ...chain(3), hashrate_ideal: 0 }] })?.hashrateHs).toBeUndefined();
    expect(expected({ hr_nominal: 104_000, chains: [chain(1), chain(2), chain(3)] })?.hashrateHs).toBe(104_000e9);
  });
  test('has the fans that the device says it has', () => {
    const cooling = (fan_num: number) => ({
      cooling: {
        fan_num,
        fans: [
          { id: 0, rpm: 5_000 },
          { id: 1, rpm: 0 },
        ],
      },
    });
    expect(expected(cooling(2))).toMatchObject({ fans: 2, own: ['fans'] });
    expect(expected(cooling(0))?.fans).toBe(4);
    expect(read({ ...summary(cooling(2)) }).fans).toEqual([
      { index: 0, rpm: 5_000 },
      { index: 1, rpm: 0 },
    ]);
  });
});

test('a board that rests is no fault, and a word that is not known says nothing of mining', () => {
  const rests = { id: 1, status: { state: 'stopped', description: 'Stopped by user' } };
  expect(read(summary({ chains: [rests] })).errors).toEqual([]);
  expect(read(summary({ miner_status: { miner_state: 'warming' } }))).not.toHaveProperty('isMining');
  const info = { hr_measure: 'GH/s' };
  expect(read({ ...summary({ miner_status: { miner_state: 'warming' }, hr_realtime: 5 }), info }).isMining).toBe(true);
  const zero = { miner_state: 'failure', failure_code: '0x0000', description: 'Lost' };
  expect(read(summary({ miner_status: zero })).errors).toMatchObject([{ code: 'failure' }]);
});
