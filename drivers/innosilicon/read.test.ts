// Innosilicon where the simulated devices do not reach: rates in other units than millions, odd codes, old tokens, and
// lost answers.
import { describe, expect, test } from 'vitest';
import type { AbilityName } from '../../src/driver/contract.ts';
import { innosilicon as sample } from '../../test/contract/samples-iceriver-goldshell-innosilicon.ts';
import { type Answering, fakeLink, lostAfterSending, neverSent, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { session } from './abilities.ts';
import { ERRORS } from './errors.data.ts';
import { innosilicon as driver } from './index.ts';

test('the sample is understood: the web before TCP, an empty chain left out', () => {
  const { reading, unparsable } = driver.read(sample, {});
  expect(unparsable).toEqual([]);
  expect(reading).toMatchObject({
    make: 'Innosilicon',
    model: 'T3H+',
    firmwareVersion: '20200117_1730',
    controlBoard: 'g19',
    apiVersion: '3.7',
    hashrateHs: 57_300_600_901_200,
    hashrateWindow: '15m',
    hashrateSettledHs: 57_300_600_901_200,
    powerW: 3_301,
    uptimeS: 8_990,
    tempC: 71.2,
    isMining: true,
    errors: [{ code: '33', category: 'hashboard' }],
    pools: [{ isAlive: true }],
    expected: { hashrateHs: 57e12, boards: 3, chipsPerBoard: 114 },
  });
  expect(reading.boards?.map(({ slot, chips }) => [slot, chips])).toEqual([
    [0, 114],
    [1, 114],
  ]);
  expect(reading.fans).toEqual([0, 1, 2, 3].map((index) => ({ index, dutyPercent: 80 })));
});

describe('rates in other units than millions: without one that is sure they are not told', () => {
  const summary = { SUMMARY: [{ 'MHS 1m': 51_274.6, Elapsed: 9 }], STATUS: [{ Description: 'innominer a9-1.1.0' }] };
  test.each([
    [{ summary }, undefined],
    [{ summary: { ...summary, STATUS: [{ Description: 'innominer t3-1.0' }] } }, 51_274.6e6],
    [{ all: { all: { total_hash: { 'Hash Rate': 51.2 } } }, type: { type: 'A9++' } }, undefined],
    [{ all: { all: { total_hash: { 'Hash Rate': 51.2 } } } }, undefined],
    [{ summary: { SUMMARY: summary.SUMMARY } }, undefined],
    [{ all: { all: { total_hash: { 'Hash Rate': 1_500 } } }, type: { type: 'A10' } }, undefined],
    [{ all: { all: { total_hash: { 'Hash Rate': 57.1, Unit: 'TH/s' } } } }, 57.1e12],
    [{ all: { all: { total_hash: { 'Hash Rate': 51.27, Unit: 'KSol/s' } } }, type: { type: 'A9++' } }, 51_270],
    // A controller of 32 bits has no room for such a number.
    [{ all: { all: { total_hash: { 'Hash Rate': 57.1, Unit: 'TH/s', 'Hash Rate H': 1_948_602_368 } } } }, 57.1e12],
    [{ all: { all: { total_hash: { 'Hash Rate': 57.1, Unit: 'TH/s', 'Hash Rate H': 57.12e12 } } } }, 57.12e12],
    [{ all: { all: { total_hash: { 'Hash Rate': 0, Unit: 'TH/s', 'Hash Rate H': 0 } } } }, 0],
    [{ all: { all: { total_hash: { 'Hash Rate H': 51_200 } } }, type: { type: 'A9++' } }, 51_200],
  ])('%j', (raw, hs) => expect(driver.read(raw, {}).reading.hashrateHs).toBe(hs));
});

test('an A11 counts hashes: its page has the unit, whatever the names say', () => {
  const dev = (ASC: number, hs: number) => ({
    ASC,
    Name: 'HLT',
    Status: 'Alive',
    Temperature: 39,
    'MHS av': hs - 4e6,
    'MHS 1m': hs,
    'MHS 15m': hs,
    'Device Elapsed': 501_553,
    'Hash Rate': hs / 1e6,
    Unit: 'MH/s',
    'Hash Rate H': hs,
  });
  const webDevs = {
    DEVS: [dev(0, 470_821_977.34), dev(1, 400_100_200.5)],
    TotalHash: { 'Hash Rate': 870.9, Unit: 'MH/s' },
  };
  const { reading } = driver.read({ webDevs, type: { type: 'A11MX' } }, {});
  expect(reading).toMatchObject({
    hashrateHs: 870.9e6,
    hashrateWindow: '15m',
    hashrateSettledHs: 870.9e6,
    isMining: true,
  });
  expect(reading.boards?.map(({ hashrateHs }) => hashrateHs)).toEqual([470_821_977.34, 400_100_200.5]);
  const summary = { SUMMARY: [{ 'MHS 1m': 1.3e9 }], STATUS: [{ Description: 'innominer a10-1.1.0' }] };
  expect(driver.read({ summary }, {}).reading).not.toHaveProperty('hashrateHs');
});

describe('what getAll knows beside the rates', () => {
  const read = (all: object) =>
    driver.read({ all: { all: { total_hash: { 'Hash Rate H': 1e12 }, ...all } } }, {}).reading;
  test.each([
    [' 17:30:43 up 5 days, 19:20,  0 users,  load average: 3.00, 3.01, 3.05', 5 * 86_400 + 19 * 3_600 + 20 * 60],
    [' 10:22:33 up 12 min,  load average: 0.10, 0.20, 0.30', 720],
    [' 10:22:33 up 1 day, 3 min,  load average: 0.10, 0.20, 0.30', 86_400 + 180],
    ['10:22:33 up  1:05,  1 user,  load average: 0.10, 0.20, 0.30', 3_900],
    [9_000, 9_000],
    ['load average: 3.00', undefined],
  ])('uptime %s is %s s, of the system where the age of the mining program is known, too', (uptime, seconds) => {
    expect(read({ uptime }).uptimeS).toBe(seconds);
    const stats = { STATS: [{ 'Chain ID': 0, Elapsed: 60 }] };
    const all = { all: { total_hash: { 'Hash Rate H': 1e12 }, uptime } };
    const both = driver.read({ all, stats }, {}).reading;
    expect([both.uptimeS, both.systemUptimeS]).toEqual([60, seconds]);
  });
  test.each([
    [{ mode: 'efficient', level: '3' }, 'low', 'efficient+'],
    [{ mode: 'balanced', level: 0 }, 'normal', 'balanced--'],
    [{ mode: 'factory' }, 'normal', 'factory'],
    [{ mode: 'performance', level: 2 }, 'high', 'performance'],
    [{ mode: 'odd', level: 2 }, undefined, undefined],
    [{ level: 2 }, undefined, undefined],
  ])('running_mode %j is %s', (running_mode, mode, preset) => {
    const reading = read({ running_mode });
    expect([reading.miningMode, reading.miningModePreset]).toEqual([mode, preset]);
  });
  test('model, control board and the mean of the chips, where nothing else tells them', () => {
    expect(read({ type: 'T3H+', hwver: 'g19', chain: [{ ASC: 0, 'Average Temp': 61.5 }] })).toMatchObject({
      model: 'T3H+',
      controlBoard: 'g19',
      boards: [{ chipTempAvgC: 61.5 }],
    });
  });
});

describe('a Dragonmint T1: /api/summary is all that it has', () => {
  const dev = (ASC: number, fields: object = {}) => ({
    ASC,
    Name: 'DT1',
    ID: ASC,
    Enabled: 'Y',
    Status: 'Alive',
    Temperature: 72,
    'MHS av': 4_904_000,
    'MHS 5s': 4_745_000,
    'MHS 1m': 4_830_000,
    'MHS 5m': 4_923_000,
    'MHS 15m': 4_932_000,
    Accepted: 307,
    'Hardware Errors': 6_600,
    'Device Elapsed': 4_792,
    'Hash Rate': 4_932_000,
    ...fields,
  });
  const pool = { POOL: 0, URL: 'stratum+tcp://a.example:3333', User: 'w', Status: 'Alive', 'Stratum Active': true };
  const webDevs = {
    success: true,
    DEVS: [dev(0), dev(1), dev(2)],
    POOLS: [pool],
    HARDWARE: { 'Fan duty': 59 },
    tuning: false,
    hashrates: [],
  };
  test('boards, rate, uptime and pools are read from it', () => {
    const { reading, unparsable } = driver.read({ webDevs, webPools: webDevs, type: { type: 'T1' } }, {});
    expect(unparsable).toEqual([]);
    expect(reading).toMatchObject({
      model: 'T1',
      hashrateHs: 3 * 4_830_000e6,
      hashrateWindow: '1m',
      hashrateSettledHs: 3 * 4_932_000e6,
      hashrateAverageHs: 3 * 4_904_000e6,
      uptimeS: 4_792,
      isMining: true,
      tempC: 72,
      pools: [{ url: 'stratum+tcp://a.example:3333', isAlive: true, isActive: true }],
    });
    expect(reading.boards?.[1]).toEqual({
      slot: 1,
      hashrateHs: 4_830_000e6,
      chipTempAvgC: 72,
      hwErrors: 6_600,
      isAlive: true,
    });
    expect(reading).not.toHaveProperty('miningMode');
    expect(reading).not.toHaveProperty('errors');
  });
  test('a board that tells no rate leaves the whole untold; no boards say nothing', () => {
    const untold = dev(2, { 'MHS av': undefined, 'MHS 5s': '', 'MHS 1m': null });
    const part = driver.read({ webDevs: { ...webDevs, DEVS: [dev(0), dev(1), untold] } }, {}).reading;
    expect(part).not.toHaveProperty('hashrateHs');
    expect(part).not.toHaveProperty('isMining');
    const none = driver.read({ webDevs: { ...webDevs, DEVS: [] } }, {}).reading;
    for (const field of ['hashrateHs', 'isMining', 'boards', 'uptimeS'] as const)
      expect(none).not.toHaveProperty(field);
  });
});

test('an A9 tells chips and sensors of its chains in stats; the rows of its pools are no chains', () => {
  const chain = (id: number) => ({
    STATS: id,
    ID: `HLT${id}`,
    Elapsed: 48_768,
    'Chain ID': id,
    'Num chips': 12,
    'Num active chips': 12,
    'Temp max': 71,
    'Temp min': 57,
    Temp: 62,
    'Fan duty': 35,
    'MHS av': 995_328,
  });
  const pool = { STATS: 3, ID: 'POOL0', Elapsed: 48_768, 'Pool Calls': 0 };
  const { reading } = driver.read({ stats: { STATS: [chain(0), chain(1), pool] }, type: { type: 'A9' } }, {});
  expect(reading.boards).toEqual([
    { slot: 0, chips: 12, chipTempMaxC: 71, chipTempAvgC: 62 },
    { slot: 1, chips: 12, chipTempMaxC: 71, chipTempAvgC: 62 },
  ]);
  expect(reading).toMatchObject({ uptimeS: 48_768, tempC: 71 });
  expect(reading).not.toHaveProperty('isMining');
  expect(driver.read({ stats: { STATS: [pool] } }, {}).reading).not.toHaveProperty('boards');
});

describe('codes', () => {
  const errors = (fault: object) => driver.read({ fault }, {}).reading.errors;
  test('0 is none, a known one has its words, an unknown one keeps those of the device', () => {
    for (const code of ['0', 0, '0x0', '0x00000000', ' 0 ', '00'])
      expect(errors({ code, detail: { msg: 'OK' } })).toEqual([]);
    expect(errors({ code: 35 })).toEqual([{ code: '35', message: 'No output from the power supply', category: 'psu' }]);
    expect(errors({ code: '77', detail: { msg: 'odd' } })).toEqual([
      { code: '77', message: 'odd', category: 'unknown' },
    ]);
    expect(errors({ code: '' })).toBeUndefined();
  });
  test('all of the table are told', () => {
    for (const [code, [message, category]] of Object.entries(ERRORS))
      expect(errors({ code })).toEqual([{ code, message, category }]);
    expect(Object.keys(ERRORS)).toHaveLength(20);
  });
});

test('of a model that nobody knows no fan is told, as nobody knows how many there are, and nothing is expected', () => {
  const { reading } = driver.read({ all: { all: { total_hash: { 'Hash Rate H': 5 }, fansSpeed: 40 } } }, {});
  expect(reading).not.toHaveProperty('fans');
  expect(reading).not.toHaveProperty('expected');
});

test('the login: a form, a token, and the word for one that is too old', () => {
  expect(session.open({ user: 'admin', password: 'p' })).toMatchObject({
    path: '/api/auth',
    form: { username: 'admin', password: 'p' },
  });
  expect(session.grant({ status: 200, body: { success: true, jwt: 'a.b' } })).toEqual({ Authorization: 'Bearer a.b' });
  expect(session.grant({ status: 200, body: { success: false } })).toBeUndefined();
  expect(session.isRefused?.({ success: false, token: 'expired' })).toBe(true);
  expect(session.isRefused?.({ success: false, msg: 'no' })).toBe(false);
  expect(session.isRefused?.({ success: true, token: 'expired' })).toBe(false);
});

describe('what is sent', () => {
  const act = (name: AbilityName, special: Answering, params: object = {}) => {
    const ability = driver.abilities[name];
    if (ability === undefined) throw new Error(name);
    const link = fakeLink((request) => {
      if (request.via !== 'http') throw neverSent();
      return request.path === '/api/pools'
        ? { success: true, pools: [{ url: 'tcp://o:1', user: 'o' }] }
        : special(request);
    });
    return { link, result: Promise.resolve(ability.act(link, params, {})) };
  };
  const pools = [{ url: 'stratum+tcp://n.example:2', user: 'v', password: 'q' }];

  test('all three places, as a form', async () => {
    const { link, result } = act('pools', () => ({ success: true, message: 'lock' }), { pools });
    // What `lock` means is not known: the pools are looked at afterwards.
    expect(await result).toEqual({ kind: 'accepted', note: 'lock' });
    expect(link.sent[1]).toMatchObject({
      path: '/api/updatePools',
      form: {
        Pool1: 'stratum+tcp://n.example:2',
        UserName1: 'v',
        Password1: 'q',
        Pool2: '',
        UserName2: '',
        Password2: '',
        Pool3: '',
        UserName3: '',
        Password3: '',
      },
    });
    expect(link.sent[1]).not.toHaveProperty('json');
  });

  test.each([
    ['reboot', {}],
    ['pools', { pools }],
  ] as const)('%s: lost, unsent, refused, nonsense', async (name, params) => {
    const failing = (error: () => Error) =>
      act(
        name,
        () => {
          throw error();
        },
        params,
      ).result;
    expect(await failing(lostAfterSending)).toEqual({ kind: 'lost-reply' });
    expect(await refusalOf(failing(neverSent))).toBe('peer.refused');
    expect(await refusalOf(act(name, () => ({ success: false, msg: 'busy now' }), params).result)).toBe(
      'peer.rejected',
    );
    // Neither yes nor no: it may have been done.
    expect(await act(name, () => ({}), params).result).toEqual({ kind: 'lost-reply' });
  });
});
