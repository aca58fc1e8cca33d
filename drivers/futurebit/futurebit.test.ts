// FutureBit Apollos on real sockets: GraphQL behind a token, the rate that stays in the intervals, and each order
// accepted, refused, ignored or lost.
import { describe, expect, test } from 'vitest';
import type { Device, FaultName } from '../../fixtures/farm/farm.ts';
import { acting } from '../../test/contract/acting.ts';
import { caseAnswers } from '../../test/contract/samples.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { fakeLink, lostAfterSending, neverSent, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { futurebit as driver } from './index.ts';

const sample = caseAnswers(driver, 'two-units');

const site = standing(driver, { miners: 4, mix: 'futurebit' });

const of = (model: string, nth = 0): Device => {
  const device = site().farm.devices.filter(({ spec }) => spec.model === model)[nth];
  if (device === undefined) throw new Error(`no ${model} in the farm`);
  return device;
};
const look = async ({ ip }: Device) => (await site().read(ip, (await site().recognise(ip))?.known)).reading;
const { withFault } = acting(driver, site);
const { reboot, powerMode } = driver.abilities;
if (!reboot || !powerMode) throw new Error('an ability is missing');
const act = (ability: typeof powerMode, { ip }: Device, params: object) => ability.act(site().link(ip), params, {});

test('is known by where its web server sends people', async () => {
  expect((await site().recognise(of('Apollo2').ip, [80]))?.known).toEqual({ make: 'FutureBit' });
});

test.each(['Apollo1', 'Apollo2'])('%s is read as it is, with one query per poll', async (model) => {
  const { reading, answered } = await site().read(of(model).ip);
  expectTruth(reading, of(model));
  expect(answered).toEqual(['stats', 'host']);
});

test.each<FaultName>(['fan-stopped', 'pool-dead', 'hot', 'low-hashrate', 'vendor-error', 'board-dead'])(
  'with %s too',
  async (fault) => {
    for (const device of [of('Apollo1'), of('Apollo2')])
      await withFault(device, fault, async () => expectTruth(await look(device), device));
  },
);

test('a refused password is a refused login and tells nothing', async () => {
  const device = of('Apollo2', 1);
  await withFault(device, 'wrong-password', async () => {
    const link = site().linkAs(device.ip, 'futurebit', 'futurebit123');
    await expect(site().read(device.ip, {}, link)).rejects.toMatchObject({ code: 'peer.auth' });
    expect(await refusalOf(reboot.act(link, {}, {}))).toBe('peer.auth');
    expect(await refusalOf(powerMode.act(link, { mode: 'sleep' }, {}))).toBe('peer.auth');
  });
  expect(device.reboots).toBe(0);
  expect(device.truth().mining_mode).toBe('normal');
});

describe('reading', () => {
  test('units are boards; rates and powers add up, the address of the cable counts', () => {
    const { reading } = driver.read(sample, {});
    expect(reading).toMatchObject({
      model: 'Apollo2',
      mac: '02:00:00:00:00:13',
      hashrateHs: 9_190.75e9,
      powerW: 381,
      serialNumber: '590055001351323532343337',
      isMining: true,
      errors: [],
    });
    expect(reading.boards).toMatchObject([
      { slot: 0, hashrateHs: 4_600.5e9, boardTempsC: [68, 61] },
      { slot: 1, serialNumber: '590055001351323532343338' },
    ]);
    expect(reading.expected).not.toHaveProperty('hashrateHs');
    expect(reading.pools).toEqual([
      {
        index: 0,
        url: 'stratum+tcp://pool-a.example:3333',
        user: 'farm.w1',
        isActive: true,
        accepted: 120,
        rejected: 1,
        difficulty: 4_096,
      },
    ]);
    expect(reading).toMatchObject({ hashrateSettledHs: 18_040e9, hashrateAverageHs: 18_100e9 });
    expect(reading.boards?.map(({ hwErrors }) => hwErrors)).toEqual([31, 31]);
    expect(reading.fans).toEqual([
      { index: 0, rpm: 2_600 },
      { index: 1, rpm: 2_600 },
    ]);
  });

  const only = (more: object) =>
    driver.read({ stats: { data: { Miner: { stats: { result: { stats: [more] } } } } } }, {}).reading;

  test('the generation is that of the machine, not that of the file of its statistics', () => {
    expect(only({ version: 'v2', statVersion: '1.2' }).model).toBe('Apollo2');
    expect(only({ version: 'v3', statVersion: '1.3' }).model).toBe('Apollo3');
    expect(only({ statVersion: '1.2' })).not.toHaveProperty('model');
  });
  test('fifteen minutes are none before they are over, or after it has stopped', () => {
    const of900 = (interval: number, ghs: number) =>
      only({ master: { intervals: { int_900: { interval, bySol: 2_000 } } }, slots: { int_0: { ghs } } });
    expect(of900(900, 2_100).hashrateSettledHs).toBe(2e12);
    expect(of900(90, 2_100)).not.toHaveProperty('hashrateSettledHs');
    expect(of900(900, 0)).not.toHaveProperty('hashrateSettledHs');
  });
  test('a node without units says nothing of boards and fans', () => {
    const reading = driver.read({ stats: { data: { Miner: { stats: { result: { stats: [] } } } } } }, {}).reading;
    for (const field of ['boards', 'fans', 'hashrateHs', 'pools'] as const) expect(reading).not.toHaveProperty(field);
  });
  test('several fans of one unit', () => {
    expect(only({ fans: { int_0: { rpm: [1_400, 0, 1_380] } } }).fans).toEqual([
      { index: 0, rpm: 1_400 },
      { index: 1, rpm: 0 },
      { index: 2, rpm: 1_380 },
    ]);
  });

  const unit = (ghs?: number) => ({ master: { intervals: { int_30: { bySol: 7_060.6 } } }, slots: { int_0: { ghs } } });
  const state = (units: object[], status: unknown) =>
    driver.read(
      {
        stats: { data: { Miner: { stats: { result: { stats: units } }, online: { result: { online: { status } } } } } },
      },
      {},
    ).reading;
  test('what stands still is not hashing, whatever the intervals remember', () => {
    expect(state([unit(0)], 'online')).toMatchObject({ hashrateHs: 0, isMining: false, miningMode: 'normal' });
  });
  test.each([
    [false, 'sleep', []],
    ['offline', 'sleep', []],
    [true, 'normal', []],
    ['pending', 'normal', []],
    ['error', undefined, ['status:error']],
    ['puzzled', undefined, undefined],
  ])('status %s is %s', (status, mode, errors) => {
    const reading = state([unit(0)], status);
    expect(reading.miningMode).toBe(mode);
    expect(reading.errors?.map(({ code }) => code)).toEqual(errors);
  });
  test('a unit that does not tell its rate leaves no sum', () => {
    expect(state([unit(5), unit()], true)).not.toHaveProperty('hashrateHs');
  });
});

describe('power mode', () => {
  test.each(['Apollo1', 'Apollo2'])('%s stops and starts, and shows it', async (model) => {
    for (const mode of ['sleep', 'normal']) {
      expect(await act(powerMode, of(model), { mode })).toEqual({ kind: 'accepted' });
      const reading = await look(of(model));
      expectTruth(reading, of(model));
      expect(powerMode.shows?.(reading, { mode })).toBe(true);
    }
  });
  test('is refused in words, or only said to be done', async () => {
    const device = of('Apollo2');
    await withFault(device, 'write-api-off', async () =>
      expect(await refusalOf(act(powerMode, device, { mode: 'sleep' }))).toBe('peer.rejected'),
    );
    await withFault(device, 'ignores-writes', async () => {
      expect((await act(powerMode, device, { mode: 'sleep' })).kind).toBe('accepted');
      expect(powerMode.shows?.(await look(device), { mode: 'sleep' })).toBe(false);
    });
  });
  test('there is no low and no high: nothing is sent', async () => {
    const link = fakeLink(() => ({}));
    for (const mode of ['low', 'high'])
      expect(await refusalOf(powerMode.act(link, { mode }, {}))).toBe('peer.unsupported');
    expect(link.sent).toEqual([]);
  });
  test('a lost answer is to be looked at, one that never left is an error, nonsense is not a yes', async () => {
    const lost = fakeLink(() => {
      throw lostAfterSending();
    });
    expect(await powerMode.act(lost, { mode: 'sleep' }, {})).toEqual({ kind: 'lost-reply' });
    const never = fakeLink(() => {
      throw neverSent();
    });
    expect(await refusalOf(powerMode.act(never, { mode: 'sleep' }, {}))).toBe('peer.refused');
    expect(
      await powerMode.act(
        fakeLink(() => ({ ok: true })),
        { mode: 'sleep' },
        {},
      ),
    ).toEqual({ kind: 'lost-reply' });
  });
});

describe('reboot', () => {
  test('starts the miner anew: its clock goes back, the computer stays', async () => {
    const device = of('Apollo1', 1);
    const before = await look(device);
    expect(await act(reboot, device, {})).toEqual({ kind: 'accepted' });
    expect([device.reboots, device.isUp]).toEqual([1, true]);
    expect((await look(device)).uptimeS).toBeLessThan(before.uptimeS ?? 0);
  });
  test('is refused, or only said to be done', async () => {
    const device = of('Apollo2', 1);
    await withFault(device, 'write-api-off', async () =>
      expect(await refusalOf(act(reboot, device, {}))).toBe('peer.rejected'),
    );
    await withFault(device, 'ignores-reboot', async () =>
      expect(await act(reboot, device, {})).toEqual({ kind: 'accepted' }),
    );
    expect(device.reboots).toBe(0);
  });
});
