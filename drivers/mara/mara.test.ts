// MARA firmware: whose words it speaks, the two units of its rates, its modes, and what it can be told, against
// simulated devices on real sockets.
import { describe, expect, test } from 'vitest';
import type { Device } from '../../fixtures/farm/farm.ts';
import type { AbilityName } from '../../src/driver/contract.ts';
import { matchDriver } from '../../src/driver/identify.ts';
import { acting } from '../../test/contract/acting.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { fakeLink, lostAfterSending, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { drivers } from '../index.ts';
import { mara } from './index.ts';

const site = standing(mara, { miners: 6, mix: 'mara', bootS: 0.4 });

const { of, look, ability, act, actUnheard, shown, forbids, findsOut, withFault, refusedLogin } = acting(mara, site);

test('TCP names it although the web speaks like stock; the web alone is taken for stock', async () => {
  const { ip } = of('S21');
  const match = async (...ports: number[]) => matchDriver(drivers, await site().evidenceOf(ip, ports));
  expect((await match(4028))?.identity).toEqual({ confidence: 'sure', make: 'Antminer', model: 'S21' });
  expect((await match(80, 4028))?.driver.id).toBe('mara');
  // Of the drivers that there are, stock is the one that claims such a web.
  expect((await match(80))?.driver.id).toBe(drivers.find(({ id }) => id === 'antminer-stock')?.id);
});

describe('the unit of the rates', () => {
  const rate = (now: number, idealGhs?: number, average?: number) =>
    mara.read(
      {
        brief: {
          hashrate_realtime: now,
          ...(average !== undefined && { hashrate_average: average }),
          ...(idealGhs !== undefined && { hashrate_ideal: idealGhs }),
        },
      },
      {},
    ).reading.hashrateHs;

  test.each([
    ['TH/s', 103.5, 104_000, 103.5e12],
    ['GH/s', 103_500, 104_000, 103.5e12],
    ['TH/s at a tenth', 10.4, 104_000, 10.4e12],
    ['GH/s at a tenth', 10_400, 104_000, 10.4e12],
    ['GH/s in a warm-up', 500, 104_000, 500e9],
    ['nothing', 0, 104_000, 0],
  ])('%s', (_, now, idealGhs, hs) => expect(rate(now, idealGhs)).toBeCloseTo(hs, -3));

  test('cannot be known without an ideal rate', () => {
    expect(rate(103.5)).toBeUndefined();
    expect(rate(103.5, 0)).toBeUndefined();
    expect(rate(0)).toBe(0);
  });

  test('boards have the unit of the whole', () => {
    const boards = (now: number, board: number) =>
      mara.read(
        {
          brief: { hashrate_realtime: now, hashrate_ideal: 104_000 },
          hashboards: { hashboards: [{ index: 2, asic_num: 126, hashrate_average: board }] },
        },
        {},
      ).reading.boards;
    expect(boards(103, 34.5)).toEqual([{ slot: 2, chips: 126, hashrateHs: 34.5e12 }]);
    expect(boards(103_000, 34_500)).toEqual([{ slot: 2, chips: 126, hashrateHs: 34.5e12 }]);
  });
});

describe('builds that name their unit', () => {
  const brief = {
    hashrate_unit: 'GH/s',
    hashrate_realtime: 9_800.5,
    hashrate_average: 9_700,
    hashrate_realtime_1d: 9_750,
    hashrate_ideal: 14_000,
    status: 'Mining',
    work_mode: 'Auto',
    elapsed: 90_000,
    indicator: 'Degraded',
    indicator_long: 'Hash board error',
  };
  const row = { asic_num: 90, asic_num_ideal: 90, hashrate_average: 4_900, hashrate_ideal: 7_000, present: true };
  const lost = {
    index: 1,
    asic_num: 0,
    asic_num_ideal: 90,
    hashrate_average: 0,
    present: false,
    temperature_chip: [0],
  };
  const hashboards = {
    hashboard_num_ideal: 3,
    hashboards: [
      { ...row, index: 0, frequency_average: 601.5, power_consumption_estimated: 950.5 },
      lost,
      { ...row, index: 2 },
    ],
  };
  const read = (more: object = {}, boards: object = hashboards) =>
    mara.read(
      { brief: { ...brief, ...more }, hashboards: boards, fans: { percent: 45, fans: [{ current_speed: 3_000 }] } },
      {},
    ).reading;

  test('tell clocks, power, ideals, their own build and what ails them', () => {
    const reading = read();
    expect(reading).toMatchObject({
      hashrateHs: 9_800.5e9,
      hashrate24hHs: 9_750e9,
      fans: [{ rpm: 3_000, dutyPercent: 45 }],
      errors: [{ code: 'indicator:Degraded', message: 'Hash board error', category: 'hashboard' }],
      expected: { boards: 3, chipsPerBoard: 90, hashrateHs: 14_000e9 },
    });
    expect(reading.boards).toEqual([
      { slot: 0, hashrateHs: 4.9e12, expectedHashrateHs: 7e12, chips: 90, frequencyMhz: 601.5, powerW: 950.5 },
      { slot: 2, hashrateHs: 4.9e12, expectedHashrateHs: 7e12, chips: 90 },
    ]);
  });

  test('at rest: no fault, no ideal of its own, no day that is not over', () => {
    const rest = { hashrate_realtime: 0, hashrate_ideal: 0, status: 'Sleep', work_mode: 'Sleep', elapsed: 200 };
    const reading = read({ ...rest, indicator: 'Fully functional', indicator_long: '' });
    expect(reading).toMatchObject({ isMining: false, miningMode: 'sleep', hashrateHs: 0, errors: [] });
    expect(JSON.stringify(reading)).not.toMatch(/hashrate24hHs|expectedHashrateHs/);
  });
});

test.each([
  ['Sleep', undefined, 'sleep', undefined],
  ['Stock', 'PowerTarget', 'normal', 'Stock'],
  ['Fixed', undefined, 'normal', 'Fixed'],
  ['Auto', 'PowerTarget', 'power_tuning', '3100 W'],
  ['Auto', 'Hashrate', 'hashrate_tuning', '104 TH/s'],
  ['Auto', undefined, undefined, undefined],
  ['Odd', 'PowerTarget', undefined, undefined],
] as const)('mode %s with %s is %s, preset %s', (selector, select, mode, preset) => {
  const config = {
    mode: {
      'work-mode-selector': selector,
      concorde: { 'mode-select': select, 'power-target': 3_100, 'hash-target': 104 },
    },
  };
  const { miningMode, miningModePreset, powerLimitW } = mara.read({ config }, {}).reading;
  expect([miningMode, miningModePreset, powerLimitW]).toEqual([
    mode,
    preset,
    mode === 'power_tuning' ? 3_100 : undefined,
  ]);
});

test('a dead board is left out, and the rest of the device is read', async () => {
  const device = of('S19j Pro');
  await withFault(
    device,
    'board-dead',
    async () => {
      const reading = await look(device);
      expect(reading.boards?.map(({ slot }) => slot)).toEqual([1, 2]);
      expectTruth(reading, device);
    },
    0,
  );
});

const pools = [
  { url: 'stratum+tcp://new.example:3333', user: 'farm.w1', password: 'x' },
  { url: 'stratum+tcp://other.example:443', user: 'farm.w1', password: '' },
];
const ORDERS: readonly [AbilityName, object][] = [
  ['light', { on: true }],
  ['powerMode', { mode: 'sleep' }],
  ['pools', { pools }],
];
const set = (device: Device, params: object) => act(device, 'powerMode', params);

test('the light goes on and off', async () => {
  const device = of('S21');
  for (const on of [true, false]) {
    expect(await act(device, 'light', { on })).toEqual({ kind: 'accepted' });
    expect(await shown(device, 'light', { on })).toBe(true);
    expect(await shown(device, 'light', { on: !on })).toBe(false);
  }
});

describe('modes', () => {
  test.each(['Stock', 'Fixed', '3100 W', '104 TH/s'])('it sleeps, and wakes to %s as before', async (preset) => {
    const device = of('S21');
    const before = device.truth().pools.map(({ url }) => url);
    await set(device, { preset });
    expect(await shown(device, 'powerMode', { preset })).toBe(true);
    expectTruth(await look(device), device);

    expect(await set(device, { mode: 'sleep' })).toEqual({ kind: 'accepted' });
    expect(await shown(device, 'powerMode', { mode: 'sleep' })).toBe(true);
    expect(await shown(device, 'powerMode', { mode: 'normal' })).toBe(false);
    expect(await look(device)).toMatchObject({ miningMode: 'sleep', isMining: false });
    expect(await set(device, { mode: 'sleep' })).toMatchObject({ note: 'it was so already' });

    const selector = preset.includes(' ') ? 'Auto' : preset;
    expect(await set(device, { mode: 'normal' })).toEqual({ kind: 'accepted', note: `woken as ${selector}` });
    expect(await shown(device, 'powerMode', { mode: 'normal' })).toBe(true);
    expect(await shown(device, 'powerMode', { preset })).toBe(true);
    expect(await set(device, { mode: 'normal' })).toMatchObject({ note: expect.stringMatching(/^it was awake/) });
    expect(device.truth().pools.map(({ url }) => url)).toEqual(before);
  });

  test('it is tuned again to what it was tuned to, and to something else', async () => {
    const device = of('S19j Pro');
    for (const preset of ['3000 W', 'stock', 'auto', '90.5 th/s']) {
      expect(await set(device, { preset })).toEqual({ kind: 'accepted' });
      expect(await shown(device, 'powerMode', { preset }), preset).toBe(true);
    }
    expect(await shown(device, 'powerMode', { preset: '3000 W' })).toBe(false);
    expect(await shown(device, 'powerMode', { preset: 'Stock' })).toBe(false);
    await set(device, { preset: 'Stock' });
  });

  const asleep = (concorde: object) => ({ mode: { 'work-mode-selector': 'Sleep', concorde }, pools: [] });
  const wake = async (config: object, history: unknown) => {
    const link = fakeLink((request) => {
      if (request.via !== 'http' || request.method === 'POST') return '{"error":false,"msg":"success"}';
      if (request.path.includes('log?type=miner_config_history')) {
        if (history instanceof Error) throw history;
        return history;
      }
      return config;
    });
    await ability('powerMode')
      .act(link, { mode: 'normal' }, {})
      .catch(() => undefined);
    return link.sent.flatMap((request) => ('json' in request ? [request.json] : []));
  };
  const move = (from: string, to: string, path = ['Mode', 'WorkModeSelector']) => ({
    17: [{ type: 'update', path, from, to }],
  });

  test.each([
    [
      'what the last sleep began with',
      [move('Auto', 'Sleep'), move('Sleep', 'Fixed'), move('Fixed', 'Sleep')],
      'Fixed',
    ],
    [
      'and nothing else',
      [move('Auto', 'Sleep'), { 18: [{ path: ['Pools'], from: [], to: [] }], 19: 'odd' }, null],
      'Auto',
    ],
    ['a power that is set, where the history is of no use', [move('Odd', 'Sleep')], 'Auto'],
    ['the same, where there is none', lostAfterSending(), 'Auto'],
  ])('it wakes to %s', async (_, history, selector) => {
    const config = asleep({ 'mode-select': 'PowerTarget', 'power-target': 3_000 });
    expect(await wake(config, history)).toMatchObject([{ mode: { 'work-mode-selector': selector } }]);
  });

  test('it wakes to stock where nothing is set', async () => {
    for (const concorde of [{}, { 'mode-select': 'Hashrate', 'power-target': 3_000 }])
      expect(await wake(asleep(concorde), [])).toMatchObject([{ mode: { 'work-mode-selector': 'Stock' } }]);
  });

  test('those that it lacks are refused unsent, and targets where it has none', async () => {
    const link = fakeLink(() => ({ mode: { 'work-mode-selector': 'Stock' } }));
    for (const params of [{ mode: 'high' }, { mode: 'low' }, { preset: 'Turbo' }, { preset: '0 W' }])
      expect(await refusalOf(ability('powerMode').act(link, params, {}))).toBe('peer.unsupported');
    expect(link.sent).toEqual([]);
    expect(await refusalOf(ability('powerMode').act(link, { preset: '3000 W' }, {}))).toBe('peer.unsupported');
    expect(link.sent).toHaveLength(1);
    for (const params of [{}, { mode: 'sleep', preset: 'Stock' }])
      expect(ability('powerMode').params.safeParse(params).success).toBe(false);
  });
});

test('it takes pools, all of them into its first group', async () => {
  const device = of('S19j Pro', 1);
  expect(await act(device, 'pools', { pools })).toEqual({ kind: 'accepted' });
  expect(await shown(device, 'pools', { pools })).toBe(true);
  expectTruth(await look(device), device);
  expect(await act(device, 'pools', { pools })).toMatchObject({ note: 'they were so already' });

  const groups = [
    { gid: 2, alias: 'half', percent: 50 },
    { gid: 3, alias: 'rest', percent: 50 },
  ];
  const config = { mode: { 'work-mode-selector': 'Stock' }, pools: [{ url: 'a', gid: 3 }], 'pool-group': groups };
  const link = fakeLink((request) => ('json' in request ? '{"error":true,"msg":"not today"}' : config));
  await expect(ability('pools').act(link, { pools: pools.slice(0, 1) }, {})).rejects.toMatchObject({
    code: 'peer.rejected',
    cause: { message: 'the device says not today' },
  });
  expect(link.sent[1]).toMatchObject({
    json: {
      mode: config.mode,
      pools: [{ url: 'stratum+tcp://new.example:3333', user: 'farm.w1', pass: 'x', gid: 2 }],
      'pool-group': [{ gid: 2, alias: 'half', percent: 100 }],
    },
  });
});

test('it says no, says yes without doing it, or does it unheard', async () => {
  const device = of('S21', 1);
  for (const [name, params] of ORDERS) {
    await forbids(device, name, params, 'peer.rejected');
    await findsOut(device, name, params, name === 'powerMode' ? 'at once' : 'later');
    expect(await actUnheard(device, name, params), name).toEqual({ kind: 'lost-reply' });
    await expect.poll(() => shown(device, name, params)).toBe(true);
  }
  await set(device, { mode: 'normal' });
});

test('a wrong password is told as such, and the log is fetched with the right one', async () => {
  const device = of('S21', 2);
  const result = await act(device, 'log');
  expect(result.kind === 'accepted' && result.log).toContain('all is well');
  for (const [name, params] of ORDERS) await refusedLogin(device, name, params, name === 'light' ? 'along' : 'first');
  await refusedLogin(device, 'log', {}, 'along');
  await refusedLogin(device, 'reboot', {}, 'along');
  expect(device.reboots).toBe(0);
  expect(await actUnheard(device, 'reboot')).toEqual({ kind: 'lost-reply' });
  await expect.poll(() => device.reboots).toBe(1);
});
