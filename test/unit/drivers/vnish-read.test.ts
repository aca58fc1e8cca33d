// VNish in what a simulated device does not show: units, old keys, states, odd uptimes, pools of two sources, faults.
import { describe, expect, test } from 'vitest';
import { MODELS } from '../../../drivers/models.data.ts';
import { vnish as driver } from '../../../drivers/vnish/driver.ts';
import { pools } from '../../../drivers/vnish/pools.ts';
import { modelOf, secondsOf } from '../../../drivers/vnish/read.ts';
import { evidenceOf } from '../../../src/driver/identify.ts';

const read = (raw: Record<string, unknown>, known = {}) => driver.read(raw, known).reading;
const summary = (miner: object) => ({ summary: { miner } });

describe('identification', () => {
  const identifyBy = (parts: Parameters<typeof evidenceOf>[0]) => driver.identify(evidenceOf(parts));
  test('by TCP with model and version, also behind the words of stock; by the page', () => {
    const version = '{"VERSION":[{"Miner":"49.0.1.3","Type":"Antminer S19j Pro (Vnish 1.2.6-rc2)"}]}';
    expect(identifyBy({ version })).toEqual({
      confidence: 'sure',
      make: 'Antminer',
      model: 'S19j Pro',
      firmwareVersion: '1.2.6',
    });
    expect(identifyBy({ web: { status: 200, body: '<title>AnthillOS</title>' } })).toMatchObject({ make: 'Antminer' });
    expect(identifyBy({ version: '{"VERSION":[{"Type":"Antminer S19"}]}' })).toBeUndefined();
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
  test('without it in that of the algorithm, and without a model not told', () => {
    expect(rate({}, { model: 'Antminer L7' })).toBe(9.5e9);
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
    expect(read({ tcpSummary })).toMatchObject({ hashrateHs: 5e9, hashrateAverageHs: 4e9, uptimeS: 60 });
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
        perf: { current_preset: { name } },
        info: { hr_measure },
      });
      return [miningMode, miningModePreset, powerLimitW];
    };
    expect(preset('3495')).toEqual([undefined, '3495', 3_495]);
    expect(preset('disabled')).toEqual(['normal', 'disabled', undefined]);
    expect(preset('11500', 'MH/s')).toEqual([undefined, '11500', undefined]);
    expect(preset('11500 M')).toEqual([undefined, '11500 M', undefined]);
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
])('uptime %j is %j', (written, seconds) => expect(secondsOf(written)).toBe(seconds));

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
