// What foreign clients print becomes rows of fields, and differences from the truth meet their reasons: arithmetic
// only, no client runs here.
import { expect, test } from 'vitest';
import { type Difference, differencesOf, type Explanation, isSame, judge } from '../../bench/clients/compare.ts';
import { DIFFERENCES } from '../../bench/clients/differences.data.ts';
import { factsOf } from '../../bench/clients/facts.ts';
import { parseAsicRs, parsePyasic } from '../../bench/clients/parse.ts';

const BARE = { boards: [], fans: [], pools: [], errors: [] };
const SUBJECT = { client: 'pyasic', kind: 'avalon-a', model: 'Avalon 1466' } as const;

test('a line of pyasic: a slot without a board is left out, a place without a pool too, what is not told is null', () => {
  const data = {
    make: 'AvalonMiner',
    model: 'Avalon 1466',
    firmware: '',
    mac: '02f755000001',
    serial: null,
    rate: 1.5e14,
    expectedRate: null,
    boards: [
      { rate: 7.5e13, chips: 176, chipTemp: 70, missing: false },
      { rate: 7.5e13, chips: 176, chipTemp: 78, missing: false },
      { rate: null, chips: null, chipTemp: null, missing: true },
    ],
    fans: [5_040, null],
    power: null,
    pools: [
      { url: 'stratum+tcp://pool-a.example:3333', user: 'farm.1' },
      { url: null, user: '' },
    ],
    uptime: 60,
    isMining: true,
    errors: [],
    light: false,
  };
  expect(parsePyasic(JSON.stringify({ ip: '10.0.0.9', data }))).toEqual({
    ip: '10.0.0.9',
    facts: {
      ...factsOf(BARE),
      make: 'AvalonMiner',
      model: 'Avalon 1466',
      mac: '02:F7:55:00:00:01',
      hashrate: 1.5e14,
      boards: 2,
      'board rates': [7.5e13, 7.5e13],
      'board chips': [176, 176],
      'chip temp': 78,
      fans: [5_040, null],
      'pool urls': ['stratum+tcp://pool-a.example:3333'],
      'pool users': ['farm.1'],
      uptime: 60,
      'is mining': true,
      light: false,
    },
  });
});

test('a line of asic-rs: units become H/s, the hottest chip counts, a pool without a host is none', () => {
  const data = {
    device_info: { make: 'AntMiner', model: 'L3Plus' },
    mac: null,
    hashrate: { value: 500.5, unit: 'MegaHash' },
    hashboards: [
      {
        hashrate: { value: 0.25, unit: 'GigaHash' },
        working_chips: 72,
        outlet_chip_temperature: 61,
        chips: [{ temperature: 64 }, {}],
      },
    ],
    fans: [{ rpm: 3_750.2 }],
    wattage: 800,
    pools: [
      {
        pools: [
          { url: { scheme: 'StratumV1', host: 'pool-a.example', port: 3_333 }, user: 'farm.1' },
          { url: { scheme: 'StratumV1', host: '', port: 80 }, user: '' },
        ],
      },
    ],
    uptime: { secs: 90 },
    is_mining: true,
    messages: [{ code: 2 }],
    light_flashing: null,
  };
  expect(parseAsicRs(JSON.stringify({ ip: '10.0.0.9', data })).facts).toMatchObject({
    hashrate: 500.5e6,
    'board rates': [0.25e9],
    'chip temp': 64,
    fans: [3_750.2],
    power: 800,
    'pool urls': ['pool-a.example:3333'],
    uptime: 90,
    errors: ['2'],
    light: null,
  });
});

test('a device that a client does not know is no empty device, and a line of another shape is an error', () => {
  const unknown = parseAsicRs('{"ip":"10.0.0.9","data":null,"error":"no model"}');
  expect(unknown).toEqual({ ip: '10.0.0.9', error: 'no model' });
  expect(differencesOf(SUBJECT, unknown.facts, factsOf(BARE))).toEqual([
    { ...SUBJECT, field: 'device', how: 'unread', read: null, truth: null },
  ]);
  expect(() => parsePyasic('{"ip":"10.0.0.9","data":{"rate":"fast"}}')).toThrow();
});

test('rounding and spelling are no difference; another unit is', () => {
  expect(isSame('hashrate', 104.25e12, 104.3e12)).toBe(true);
  expect(isSame('hashrate', 104.25e9, 104.25e12)).toBe(false);
  expect(isSame('board rates', [1e12, 2e12], [2e12, 1e12])).toBe(false);
  expect(isSame('fans', [4_290], [4_290, 4_320])).toBe(false);
  expect(isSame('make', 'AntMiner', 'Bitmain')).toBe(true);
  expect(isSame('model', 'M30SPlusPlusVH60', 'M30S++ VH60')).toBe(true);
  expect(isSame('model', 'S19j', 'S19j Pro')).toBe(false);
  expect(isSame('pool urls', ['pool-a.example:3333'], ['stratum+tcp://pool-a.example:3333'])).toBe(true);
});

test('told, not told and told without a truth are told apart', () => {
  const truth = factsOf({ ...BARE, power: 3_000, firmware: '1.2' });
  const read = factsOf({ ...BARE, power: 2_700, light: false });
  expect(differencesOf(SUBJECT, read, truth).map(({ field, how }) => [field, how])).toEqual([
    ['firmware', 'missing'],
    ['power', 'wrong'],
    ['light', 'extra'],
  ]);
});

const difference = (more: Partial<Difference> = {}): Difference => ({
  ...SUBJECT,
  field: 'power',
  how: 'missing',
  read: null,
  truth: 3_000,
  ...more,
});
const explanation = (more: Partial<Explanation> = {}): Explanation => ({
  client: 'pyasic',
  how: 'missing',
  fields: ['power'],
  kinds: ['avalon-a'],
  reason: 'it does not ask.',
  ...more,
});

test('a reason holds for its client, field, kind and manner only', () => {
  const others = [
    difference({ client: 'asic-rs' }),
    difference({ field: 'uptime' }),
    difference({ kind: 'avalon-home' }),
    difference({ how: 'wrong' }),
  ];
  const judged = judge([difference(), ...others], [explanation()], [SUBJECT]);
  expect(judged.explained).toEqual([{ difference: difference(), reason: 'it does not ask.' }]);
  expect(judged.unexplained).toEqual(others);
});

test('a reason for one model is needed by that model; one that nothing needs is named, unless its kind was not read', () => {
  const forModel = explanation({ kinds: ['avalon-a/Avalon 1466'] });
  expect(judge([difference()], [forModel], [SUBJECT])).toMatchObject({ unexplained: [], needless: [] });
  expect(judge([], [forModel], [SUBJECT]).needless).toEqual([
    'pyasic missing power avalon-a/Avalon 1466: it does not ask.',
  ]);
  expect(judge([], [forModel], [{ ...SUBJECT, model: 'Avalon 1246' }]).needless).toEqual([]);
  expect(judge([difference()], [explanation({ fields: ['power', 'uptime'] })], [SUBJECT]).needless).toHaveLength(1);
});

test('the table names no difference twice, gives our own drivers none, and its reasons are sentences', () => {
  const keys = DIFFERENCES.flatMap(({ client, how, fields, kinds }) =>
    fields.flatMap((field) => kinds.map((kind) => `${client} ${how} ${field} ${kind}`)),
  );
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  expect(DIFFERENCES.filter(({ client }) => client === 'ours')).toEqual([]);
  expect(DIFFERENCES.filter(({ reason }) => !/^\S.{20,}\.$/.test(reason))).toEqual([]);
});
