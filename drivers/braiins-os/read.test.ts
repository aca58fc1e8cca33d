// Braiins OS where the recordings do not reach: modes, limits, histories of errors, sensors, fans, and answers that mix
// generations.
import { describe, expect, test } from 'vitest';
import { MODELS } from '../../src/driver/kit/models/models.data.ts';
import { families } from '../index.ts';
import { graphqlSession } from './graphql/asks.ts';
import { braiinsOs as driver } from './index.ts';
import { modelOf, slotsOf } from './parts.ts';
import { restSession } from './rest/asks.ts';
import { luciSession } from './tcp/asks.ts';

const read = (raw: Record<string, unknown>, known = {}) => driver.read(raw, known).reading;
const info = (value: object) => ({ data: { bosminer: { info: value } } });

describe('identification', () => {
  const identifyBy = (parts: Parameters<typeof families.evidenceOf>[0]) => driver.identify(families.evidenceOf(parts));

  test('by either name of the program, by the page, and by what devdetails adds', () => {
    for (const version of [
      '{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"3.7","BOSer":"boser-openwrt 0.1.0"}]}',
      '{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"3.7","BOSminer":"0.9"}]}',
    ]) {
      expect(identifyBy({ version })).toEqual({ confidence: 'sure', make: 'Antminer' });
    }
    expect(identifyBy({ web: { status: 200, body: '<title>Braiins OS</title>' } })).toMatchObject({ make: 'Antminer' });
    const devdetails =
      '{"STATUS":[{"STATUS":"S"}],"DEVDETAILS":[{"Driver":"bosminer","Model":"Bitmain Antminer S19XP"}]}';
    expect(identifyBy({ version: '{}', devdetails })).toMatchObject({ model: 'S19 XP' });
    expect(
      identifyBy({ version: '{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"3.7","Type":"Antminer S19"}]}' }),
    ).toBeUndefined();
  });
  test('models by their old and their new names, and unknown ones as they are', () => {
    const model = (name: string) => read({ details: { miner_identity: { name } } }).model;
    expect(['Antminer S19 XP', 'Bitmain Antminer S19XP', 'Antminer S19JPRO', 'Antminer S99'].map(model)).toEqual([
      'S19 XP',
      'S19 XP',
      'S19j Pro',
      'Antminer S99',
    ]);
  });
});

test('every name that the table has for this firmware is found', () => {
  const names = MODELS.flatMap((row) =>
    (row[8]['braiins-os'] ?? []).map((name) => [name, modelOf(name)?.make] as const),
  );
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter(([name, make]) => make === undefined && !/^BHB/.test(name))).toEqual([]);
});

describe('mode and limit', () => {
  const tuner = (value: object) => ({ configuration: { tuner: value } });
  test.each([
    [{ enabled: true, tuner_mode: 1, power_target: { watt: 3_000 } }, 2, 'power_tuning', 3_000],
    [{ enabled: true, tuner_mode: 2, power_target: { watt: 3_000 } }, 2, 'hashrate_tuning', undefined],
    [{ enabled: false, tuner_mode: 1, power_target: { watt: 3_000 } }, 2, 'normal', undefined],
    [{ enabled: true, tuner_mode: 7 }, 2, undefined, undefined],
    [{ enabled: true, tuner_mode: 1 }, 3, 'sleep', undefined],
    [{ enabled: true, tuner_mode: 1 }, 4, undefined, undefined],
  ])('%j with status %i', (value, status, mode, limit) => {
    const { miningMode, powerLimitW } = read({ ...tuner(value), details: { status } });
    expect([miningMode, powerLimitW]).toEqual([mode, limit]);
  });
  test('the limit in force counts before the one that is set', () => {
    const tunerState = { mode_state: { powertargetmodestate: { current_target: { watt: 2_500 } } } };
    const set = tuner({ enabled: true, tuner_mode: 1, power_target: { watt: 3_000 } });
    expect(read({ ...set, tunerState }).powerLimitW).toBe(2_500);
  });
  test('paused is not mining, whatever the rate still says; the sticker counts only where nothing is tuned', () => {
    const stats = { miner_stats: { real_hashrate: { last_5s: { gigahash_per_second: 9 } } } };
    expect(read({ stats, details: { status: 3 } }).isMining).toBe(false);
    expect(read({ stats, details: { status: 4 } })).toMatchObject({ isMining: false });
    expect(read({ stats, details: { status: 2 } }).isMining).toBe(true);
    expect(read({ stats }).isMining).toBe(true);
    expect(read({ details: { status: 2 } })).not.toHaveProperty('isMining');
    const details = { status: 2, sticker_hashrate: { gigahash_per_second: 141_000 } };
    expect(read({ details, ...tuner({ enabled: false }) }).expected?.hashrateHs).toBe(141e12);
    expect(read({ details, ...tuner({ enabled: true, tuner_mode: 1 }) }).expected?.hashrateHs).toBeUndefined();
  });
  test('GraphQL knows targets, which are the mode only while the mining program is known to run', () => {
    const tuning = (word: string) => ({
      gqlTuning: { data: { bosminer: { config: { autotuning: { mode: word, powerTarget: 900 } } } } },
    });
    const mode = (word: string) => read({ ...tuning(word), gqlSystem: info({ summary: {} }) });
    expect(read(tuning('POWER_TARGET'))).not.toHaveProperty('miningMode');
    expect(read(tuning('HASHRATE_TARGET'))).not.toHaveProperty('powerLimitW');
    expect(mode('POWER_TARGET')).toMatchObject({ miningMode: 'power_tuning', powerLimitW: 900 });
    expect(mode('HASHRATE_TARGET')).not.toHaveProperty('powerLimitW');
    expect(mode('OTHER')).not.toHaveProperty('miningMode');
  });
});

describe('errors', () => {
  const entry = (timestamp: string, message: string, more: object = {}) => ({ timestamp, message, ...more });
  const shareAt = (iso: string) => ({ pool_stats: { last_share_time: { seconds: Date.parse(iso) / 1_000 } } });
  const errors = (rows: readonly object[], stats: object = {}) => read({ errors: { errors: rows }, stats }).errors;

  test('without the statistics there is no telling which entries are of now', () =>
    expect(read({ errors: { errors: [entry('2026-04-17T09:00:00Z', 'Fan 1 is too slow')] } })).not.toHaveProperty(
      'errors',
    ));

  test('only those of the hour before the last share, and later ones', () => {
    const rows = [
      entry('2026-04-17T09:00:00Z', 'Fan 1 is too slow'),
      entry('2026-04-17T11:30:00Z', 'Chain 2 broken'),
      entry('2026-04-17T13:00:00Z', 'PSU is gone'),
      entry('2015-01-01T00:00:37Z', 'Failed to resolve'),
    ];
    const codes = errors(rows, shareAt('2026-04-17T12:00:00Z'));
    expect(codes?.map(({ code, category }) => [code, category])).toEqual([
      ['BOS', 'hashboard'],
      ['BOS', 'psu'],
    ]);
  });
  test('without a share the newest entry dates the present; one message is told once', () => {
    const rows = [
      entry('2026-04-10T09:00:00Z', 'Fan 1 is too slow'),
      entry('2026-04-17T09:10:00Z', 'Temperature too high'),
      entry('2026-04-17T09:20:00Z', 'Temperature too high'),
    ];
    expect(errors(rows)).toEqual([{ code: 'BOS', category: 'temperature', message: 'Temperature too high' }]);
    expect(errors([entry('2015-01-01T00:00:37Z', 'x'), entry('no time', 'y')])).toEqual([]);
  });
  test('without the answer with the last share the history says nothing of now', () => {
    expect(read({ errors: { errors: [entry('2026-04-10T09:00:00Z', 'Fan 1 is too slow')] } }).errors).toBeUndefined();
  });
  test('codes keep themselves; the component says which', () => {
    const more = { error_codes: [{ code: '21', reason: 'r' }], components: [{ index: 2, name: 'Hashboard' }] };
    expect(errors([entry('2026-04-17T09:10:00Z', 'is lost', more)])).toEqual([
      { code: '21', category: 'hashboard', message: 'is lost', index: 2 },
    ]);
    expect(errors([entry('2026-04-17T09:10:00Z', 'whatever')])).toMatchObject([{ code: 'BOS', category: 'unknown' }]);
  });
  test('GraphQL lists what waits for the owner', () => {
    const appeals = [{ id: '1', kind: 'UpgradeAvailable', message: 'New firmware' }, {}];
    expect(read({ gqlEvents: { data: { events: { appeals } } } }).errors).toEqual([
      { code: 'UpgradeAvailable', category: 'firmware', message: 'New firmware' },
    ]);
  });
});

describe('boards and fans', () => {
  test.each([
    [
      [1, 2, 3],
      [0, 1, 2],
    ],
    [
      [1, 3],
      [0, 2],
    ],
    [
      [6, 8],
      [0, 2],
    ],
    [
      [0, 1],
      [0, 1],
    ],
    [
      [2, undefined],
      [1, undefined],
    ],
  ])('%j stand in slots %j', (names, slots) => expect(slotsOf(names)).toEqual(slots));

  test('sensors by the upper case words of 25.05; serial numbers by the names of the boards', () => {
    const sensors = { MAX_BOARD: 60, MAX_CHIP: 75, INLET: 39, OUTLET: 58 };
    const temperatures = Object.entries(sensors).map(([name, degreesC]) => ({ name, degreesC }));
    const childSolvers = [{ name: '2', temperatures }];
    const named = [
      { name: '1', hwDetails: { hbSerialNumber: 'A' } },
      { name: '2', hwDetails: { hbSerialNumber: 'B' } },
    ];
    const { boards } = read({
      gqlBoards: info({ workSolver: { childSolvers } }),
      gqlSerials: info({ workSolver: { childSolvers: named } }),
    });
    expect(boards).toEqual([
      { slot: 1, serialNumber: 'B', boardTempsC: [60], chipTempMaxC: 75, inletTempC: 39, outletTempC: 58 },
    ]);
  });
  test('a version that does not know a query says nothing by it, and that is no nonsense', () => {
    const errors = { data: null, errors: [{ message: 'Unknown field "hbSerialNumber"' }] };
    expect(driver.read({ gqlSerials: errors, gqlEvents: errors }, {}).unparsable).toEqual([]);
    expect(driver.read({ gqlSystem: errors, gqlBoards: errors }, {}).unparsable).toEqual(['gqlSystem', 'gqlBoards']);
  });
  test('of four places those that the model has; of an unknown model those that turn', () => {
    const fans = (model: string) =>
      read({ cooling: { fans: [0, 5_900, 0, 0].map((rpm, position) => ({ position, rpm })) } }, { model }).fans;
    expect(fans('Antminer S9')).toEqual([
      { index: 0, rpm: 0 },
      { index: 1, rpm: 5_900 },
    ]);
    expect(fans('Antminer S99')).toEqual([{ index: 1, rpm: 5_900 }]);
    expect(fans('Antminer S19 Pro+ Hyd.')).toEqual([]);
  });
});

test('newer words win over older ones, and the older fill what is missing', () => {
  const reading = read({
    details: { hostname: 'new' },
    gqlSystem: { data: { bos: { hostname: 'old', uptime: { durationS: 7 } } } },
    tcp: { summary: [{ SUMMARY: [{ Elapsed: 5, 'MHS 5s': 1_000 }] }] },
  });
  expect(reading).toMatchObject({ hostname: 'new', systemUptimeS: 7, hashrateHs: 1e9 });
});

describe('logins', () => {
  test('a grant is what the device gave; only a refusal is one', () => {
    expect(restSession.grant({ status: 200, body: { token: 'abc' } })).toEqual({ authorization: 'abc' });
    expect(restSession.grant({ status: 401, body: {} })).toBeUndefined();
    // An older version, or one that starts: the request itself will tell.
    expect(restSession.grant({ status: 404, body: '' })).toEqual({});
    expect(restSession.grant({ status: 503, body: '' })).toEqual({});
    const cookie = 'session_id=1; other=2';
    expect(graphqlSession.grant({ status: 200, body: {}, cookie })).toEqual({ Cookie: cookie });
    const refused = { data: { auth: { login: { __typename: 'AuthError' } } } };
    expect(graphqlSession.grant({ status: 200, body: refused })).toBeUndefined();
    expect(luciSession.grant({ status: 302, body: '', cookie: 'sysauth=1' })).toEqual({ Cookie: 'sysauth=1' });
    expect(luciSession.grant({ status: 200, body: '', cookie: 'session_id=1' })).toEqual({ Cookie: 'session_id=1' });
    expect(luciSession.grant({ status: 403, body: '<form>' })).toBeUndefined();
    expect(luciSession.grant({ status: 200, body: '<html>app</html>' })).toEqual({});
  });
  test('GraphQL says in words that its session has ended', () => {
    const of = (message: string) => graphqlSession.isRefused?.({ data: null, errors: [{ message }] });
    expect([of('Unauthorized'), of('Invalid session'), of('Unknown field "x"'), of('Permission denied')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(graphqlSession.isRefused?.({ data: {} })).toBe(false);
  });
  test('a password is sent as a value and never as part of a query', async () => {
    type Tools = { encrypt(key: string, text: string): string };
    const open: (login: { user: string; password: string }, tools: Tools) => ReturnType<typeof graphqlSession.open> =
      graphqlSession.open;
    const opening = await open({ user: 'root', password: '"){x' }, { encrypt: () => '' });
    expect(opening.json).toMatchObject({ query: expect.not.stringContaining('"){x'), variables: { password: '"){x' } });
  });
});

describe('stopped, by its own word', () => {
  const system = (bosminer: object, more: object = {}) => ({
    gqlSystem: { data: { bos: { hostname: 'rack-2', uptime: { durationS: 96_949 } }, bosminer }, ...more },
    gqlTuning: { data: { bosminer: { config: { autotuning: { mode: 'POWER_TARGET', powerTarget: 3_000 } } } } },
  });
  const notRunning = 'BOSminer is not running';
  test.each([
    ['nothing of the program', system({ info: null })],
    ['an error in its place', system({ info: { __typename: 'BosminerError', message: notRunning } })],
    ['an error beside it', system({ info: null }, { errors: [{ message: notRunning, path: ['bosminer', 'info'] }] })],
  ])('GraphQL has %s', (_, raw) => {
    const { reading, unparsable } = driver.read(raw, {});
    expect(unparsable).toEqual([]);
    expect(reading).toMatchObject({ isMining: false, miningMode: 'sleep', systemUptimeS: 96_949 });
    for (const field of ['hashrateHs', 'boards', 'fans', 'powerW'] as const) expect(reading).not.toHaveProperty(field);
  });
  test('an error is all that there is', () => {
    const gqlSystem = { data: null, errors: [{ message: notRunning }] };
    const { reading, unparsable } = driver.read({ gqlSystem }, {});
    expect(unparsable).toEqual([]);
    expect(reading).toMatchObject({ isMining: false, miningMode: 'sleep' });
    const refused = driver.read({ gqlSystem: { data: null, errors: [{ message: 'Unauthorized' }] } }, {});
    expect(refused.unparsable).toEqual(['gqlSystem']);
  });
  test.each([
    ['another error', system({ info: null }, { errors: [{ message: 'deadline has elapsed' }] }), undefined],
    ['no word of the program', system({}), undefined],
    ['rates of 0', system({ info: { workSolver: { realHashrate: { mhs5S: 0 } } } }), 'power_tuning'],
  ])('%s is no sleep', (_, raw, mode) => expect(read(raw).miningMode).toBe(mode));

  test.each([
    [1, undefined, false],
    [3, 5, false],
    [4, undefined, false],
    [2, undefined, undefined],
    [2, 0, false],
    [5, 5, true],
    [0, 5, true],
    [0, undefined, undefined],
    [99, undefined, undefined],
  ])('REST: status %s at %s GH/s', (status, rate, isMining) => {
    const stats = { miner_stats: { real_hashrate: { last_5s: { gigahash_per_second: rate } } } };
    expect(read({ details: { status }, stats }).isMining).toBe(isMining);
  });
});

test('BOSminer tells its version on TCP; the one of the whole goes before it, and that of BOSer is of a part alone', () => {
  const tcpDetails = (program: object) => ({ version: [{ VERSION: [{ API: '3.7', ...program }] }] });
  const bosminer = tcpDetails({ 'BOSminer+': '0.2.0-36c56a9363' });
  expect(read({ tcpDetails: bosminer })).toMatchObject({ firmwareVersion: '0.2.0-36c56a9363', apiVersion: '3.7' });
  expect(read({ tcpDetails: bosminer, bosInfo: { version: '21.09-plus' } }).firmwareVersion).toBe('21.09-plus');
  expect(read({ tcpDetails: tcpDetails({ BOSer: 'boser 0.1.0' }) })).not.toHaveProperty('firmwareVersion');
});

test('no chips beside a rate are not counted', () => {
  const board = (chips_count: number, rate: number) => ({
    id: '1',
    chips_count,
    stats: { real_hashrate: { last_5s: { gigahash_per_second: rate } } },
  });
  const chips = (row: object) => read({ hashboards: { hashboards: [row] } }).boards?.[0]?.chips;
  expect([chips(board(0, 5)), chips(board(0, 0)), chips(board(110, 5))]).toEqual([undefined, 0, 110]);
});
