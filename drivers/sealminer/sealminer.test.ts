// Sealminers on real sockets: one truth behind TCP and web, the faults, and each order accepted, refused, ignored or
// lost.
import { describe, expect, test } from 'vitest';
import type { Device, FaultName } from '../../fixtures/farm/farm.ts';
import { PeerError } from '../../src/base/errors.ts';
import { acting, returned } from '../../test/contract/acting.ts';
import { sealminer as sample } from '../../test/contract/samples-sealminer-mskminer-futurebit.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { fakeLink, lostAfterSending, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { sealminer as driver } from './index.ts';

const site = standing(driver, { miners: 11, mix: 'sealminer' });

const at = (nth: number) => site().device(nth);
const look = async ({ ip }: Device) => (await site().read(ip, (await site().recognise(ip))?.known)).reading;
const { withFault } = acting(driver, site);
const { reboot, light, powerMode, pools } = driver.abilities;
if (!reboot || !light || !powerMode || !pools) throw new Error('an ability is missing');
const act = (ability: typeof light, device: Device, params: object) => {
  expect(ability.params.safeParse(params).success).toBe(true);
  return ability.act(site().link(device.ip), params, {});
};

test('is known by TCP alone and by its web alone', async () => {
  expect((await site().recognise(at(0).ip, [4028]))?.known).toEqual({ make: 'Sealminer' });
  expect((await site().recognise(at(0).ip, [80]))?.known).toEqual({ make: 'Sealminer' });
});

test('is read as it is, with what only it tells', async () => {
  for (const device of [at(0), at(1)]) {
    const reading = await look(device);
    expectTruth(reading, device);
    expect(reading).toMatchObject({
      hashrateWindow: '1m',
      powerLimitW: 4_100,
      controlBoard: 'taurus_air_v1.1',
      controllerSerialNumber: reading.serialNumber,
      apiVersion: '3.7',
    });
    expect(reading.psus?.[0]).toMatchObject({ inputPowerW: reading.powerW, isOk: true });
    expect(reading.fans?.[0]?.dutyPercent).toBe(70);
  }
});

test.each<FaultName>(['board-dead', 'fan-stopped', 'pool-dead', 'hot', 'low-hashrate', 'psu-fault', 'vendor-error'])(
  'with %s it is read as it is',
  async (fault) => {
    await withFault(at(0), fault, async () => expectTruth(await look(at(0)), at(0)));
  },
);

test('a board off the bus is told as not alive, and the machine is still expected to have it', async () => {
  await withFault(at(0), 'board-dead', async () => {
    const { boards, expected } = await look(at(0));
    expect(boards?.map(({ isAlive }) => isAlive)).toEqual([true, false, true]);
    expect(boards?.[1]).toMatchObject({ chips: 0, hashrateHs: 0 });
    expect(expected).toMatchObject({ boards: 3, hashrateHs: 226e12 });
  });
});

test('a refused login loses the light and nothing else', async () => {
  await withFault(at(2), 'wrong-password', async () => {
    const link = site().linkAs(at(2).ip, 'seal', 'seal');
    expect(await refusalOf(light.act(link, { on: true }, {}))).toBe('peer.auth');
    expect(await refusalOf(reboot.act(link, {}, {}))).toBe('peer.auth');
    expect(await refusalOf(powerMode.act(link, { mode: 'low' }, {}))).toBe('peer.auth');
    const { reading, isLoginRefused } = await site().read(at(2).ip, {}, link);
    expect(isLoginRefused).toBe(true);
    expect(reading).not.toHaveProperty('isLightOn');
    expect(reading).toMatchObject({ model: 'A2', isMining: true, miningMode: 'normal' });
  });
  expect(at(2).reboots).toBe(0);
});

test('with TCP 4028 closed its start page tells rate, uptime and pools', async () => {
  const device = at(3);
  const known = (await site().recognise(device.ip))?.known ?? {};
  const link = site().link(device.ip);
  const shut: typeof link = {
    ...link,
    send: (request, limits) =>
      request.via === 'cgminer'
        ? Promise.reject(new PeerError('peer.refused', 'connect', 'later'))
        : link.send(request, limits),
  };
  const { reading } = await site().read(device.ip, known, shut);
  const truth = device.truth();
  expect(reading).toMatchObject({
    isMining: true,
    // It hashes, so that the mode that is set is the one that it is in.
    miningMode: 'normal',
    hashrateWindow: 'average',
    uptimeS: truth.uptime,
    isLightOn: false,
    mac: truth.mac.toLowerCase(),
  });
  expect(reading.hashrateHs).toBe(reading.hashrateAverageHs);
  expect((reading.hashrateHs ?? 0) / (truth.hashrate ?? 1)).toBeCloseTo(1, 1);
  expect(reading.pools?.map(({ url, user, isActive }) => ({ url, user, isActive }))).toEqual(
    truth.pools.map(({ url, worker_id }, index) => ({ url, user: worker_id, isActive: index === 0 })),
  );
  for (const field of ['boards', 'fans', 'errors', 'psus'] as const) expect(reading).not.toHaveProperty(field);
});

describe('reading', () => {
  const reading = driver.read(sample, {}).reading;
  test('chips that are bad do not work; faults keep their codes', () => {
    expect(reading.boards?.[0]).toMatchObject({ chips: 152, badChips: 1, hashrateHs: 75.5e12 });
    expect(reading.boards?.[2]).toEqual({ slot: 2, serialNumber: 'S1246AB00003', isAlive: false });
    expect(reading.errors).toMatchObject([
      { code: 'E0204', category: 'unknown' },
      { code: 'chip', category: 'chip' },
      { code: 'psu:0x0040', category: 'psu' },
    ]);
    expect(reading.psus?.[0]).toMatchObject({ serialNumber: 'PSUABC00001', tempC: 40, isOk: false });
  });
  const stats = (fields: object) => ({ STATS: [{ Elapsed: 5, ...fields }] });
  test.each([
    ['Running', '2', 'high'],
    ['Suspended', '2', 'sleep'],
    ['Fault', '0', 'low'],
    ['Running', '3', 'power_tuning'],
    ['Running', '7', undefined],
  ])('%s with mode %s is %s', (state, miningMode, mode) => {
    const system = { low_power: 0, normal: 1, high_performance: 2, custom: 3, miningMode };
    expect(driver.read({ stats: stats({ 'PM State': state }), system }, {}).reading.miningMode).toBe(mode);
  });
  test('what means no error is none, and what was not told is not empty', () => {
    const errors = (fields: object) => driver.read({ stats: stats(fields) }, {}).reading.errors;
    expect(errors({ 'Error Code': '', 'PSU Error': '0' })).toEqual([]);
    expect(errors({})).toBeUndefined();
  });
});

describe('light', () => {
  test('goes on and off, and shows', async () => {
    for (const on of [true, false]) {
      expect((await act(light, at(0), { on })).kind).toBe('accepted');
      expect(light.shows?.(await look(at(0)), { on })).toBe(true);
    }
  });
  test('is refused, or only said to be on', async () => {
    await withFault(at(0), 'write-api-off', async () =>
      expect(await refusalOf(act(light, at(0), { on: true }))).toBe('peer.permission'),
    );
    await withFault(at(0), 'ignores-writes', async () => {
      expect((await act(light, at(0), { on: true })).kind).toBe('accepted');
      expect(light.shows?.(await look(at(0)), { on: true })).toBe(false);
    });
  });
  test('a lost answer is to be looked at; a no is a no', async () => {
    const lost = fakeLink(() => {
      throw lostAfterSending();
    });
    expect(await light.act(lost, { on: true }, {})).toEqual({ kind: 'lost-reply' });
    expect(
      await refusalOf(
        light.act(
          fakeLink(() => '{"status":200,"result":-1}'),
          { on: true },
          {},
        ),
      ),
    ).toBe('peer.rejected');
  });
});

describe('power mode', () => {
  test.each([0, 1])('device %i sleeps, wakes up, and takes each mode by its own number', async (index) => {
    const device = at(index);
    for (const mode of ['sleep', 'normal', 'low', 'high', 'sleep', 'low', 'normal']) {
      expect((await act(powerMode, device, { mode })).kind).toBe('accepted');
      // It restarts when the answer has left.
      await expect.poll(() => device.truth().mining_mode).toBe(mode);
      const reading = await look(device);
      expect(reading.miningMode).toBe(mode);
      expect(powerMode.shows?.(reading, { mode })).toBe(true);
    }
    expect(await act(powerMode, device, { mode: 'normal' })).toMatchObject({ note: 'it was so already' });
  });
  test('is refused, or only said to be so', async () => {
    await withFault(at(0), 'write-api-off', async () => {
      expect(await refusalOf(act(powerMode, at(0), { mode: 'sleep' }))).toBe('peer.permission');
      expect(await refusalOf(act(powerMode, at(0), { mode: 'low' }))).toBe('peer.permission');
    });
    await withFault(at(0), 'ignores-writes', async () => {
      expect((await act(powerMode, at(0), { mode: 'sleep' })).kind).toBe('accepted');
      expect(powerMode.shows?.(await look(at(0)), { mode: 'sleep' })).toBe(false);
    });
  });
  const scripted = (answers: Readonly<Record<string, unknown>>) =>
    fakeLink((request) => {
      const name = request.via === 'http' ? request.path : request.via === 'cgminer' ? request.command : '';
      const answer = answers[name];
      if (answer instanceof Error) throw answer;
      return answer;
    });
  test('a build that names no number for it has no such mode: nothing is written', async () => {
    const link = scripted({ stats: sample.stats, '/cgi-bin/get_system_info.php': { miningMode: '1', normal: 1 } });
    expect(await refusalOf(powerMode.act(link, { mode: 'low' }, {}))).toBe('peer.unsupported');
    expect(link.sent).toHaveLength(2);
  });
  test('a state that cannot be read has changed nothing; a lost order is to be looked at', async () => {
    await expect(powerMode.act(scripted({ stats: 'x' }), { mode: 'sleep' }, {})).rejects.toMatchObject({
      code: 'peer.rejected',
      wasSent: false,
    });
    const lost = scripted({ stats: sample.stats, ascset: lostAfterSending() });
    expect(await powerMode.act(lost, { mode: 'sleep' }, {})).toEqual({ kind: 'lost-reply' });
  });
});

describe('a power limit', () => {
  test.each([8, 9])('counts on device %i after its reboot, which wakes it', async (index) => {
    const device = at(index);
    await act(powerMode, device, { mode: 'sleep' });
    expect(['accepted', 'lost-reply']).toContain((await act(powerMode, device, { preset: '3600 W' })).kind);
    await returned(device);
    const reading = await look(device);
    expect(powerMode.shows?.(reading, { preset: '3600W' })).toBe(true);
    expect(powerMode.shows?.(reading, { preset: '3500 W' })).toBe(false);
    expectTruth(reading, device);
    expect(await act(powerMode, device, { preset: '3600 W' })).toMatchObject({ note: 'it was so already' });
    expect(device.reboots).toBe(1);
  });
  test('is refused, or only said to be set; what is no limit is not sent', async () => {
    const device = at(10);
    await withFault(device, 'write-api-off', async () =>
      expect(await refusalOf(act(powerMode, device, { preset: '3600 W' }))).toBe('peer.permission'),
    );
    expect(await refusalOf(act(powerMode, device, { preset: '90000 W' }))).toBe('peer.rejected');
    expect(device.reboots).toBe(0);
    await withFault(device, 'ignores-writes', async () => {
      expect(['accepted', 'lost-reply']).toContain((await act(powerMode, device, { preset: '3600 W' })).kind);
      await returned(device);
      expect(powerMode.shows?.(await look(device), { preset: '3600 W' })).toBe(false);
    });
    const before = device.requests;
    for (const preset of ['turbo', '100 TH/s', '0 W'])
      await expect(act(powerMode, device, { preset })).rejects.toMatchObject({
        code: 'peer.unsupported',
        wasSent: false,
      });
    expect(device.requests).toBe(before);
  });
});

describe('pools', () => {
  const wanted = [
    { url: 'stratum+tcp://new.example:3333', user: 'farm.n', password: 'a,b' },
    { url: 'stratum+tcp://new.example:443', user: 'farm.n', password: 'x' },
  ];
  test.each([2, 3])('device %i has them after its reboot', async (index) => {
    const device = at(index);
    expect(['accepted', 'lost-reply']).toContain((await act(pools, device, { pools: wanted })).kind);
    await returned(device);
    const reading = await look(device);
    expect(pools.shows?.(reading, { pools: wanted })).toBe(true);
    expectTruth(reading, device);
    expect(await act(pools, device, { pools: wanted })).toMatchObject({ note: 'they were so already' });
    expect(device.reboots).toBe(1);
  });
  test('are refused, or only said to be set; more than three are not sent', async () => {
    const device = at(4);
    await withFault(device, 'write-api-off', async () =>
      expect(await refusalOf(act(pools, device, { pools: wanted }))).toBe('peer.permission'),
    );
    expect(device.reboots).toBe(0);
    await withFault(device, 'ignores-writes', async () => {
      expect((await act(pools, device, { pools: wanted })).kind).toBe('accepted');
      await returned(device);
      expect(pools.shows?.(await look(device), { pools: wanted })).toBe(false);
    });
    expect(pools.params.safeParse({ pools: [...wanted, ...wanted] }).success).toBe(false);
  });
  test('a lost answer ends it there: no reboot', async () => {
    const link = fakeLink((request) => {
      if (request.via === 'cgminer' && request.command === 'pools') return sample.pools;
      throw lostAfterSending();
    });
    expect(await pools.act(link, { pools: wanted }, {})).toEqual({ kind: 'lost-reply' });
    expect(link.sent).toHaveLength(2);
  });
});

test('a reboot takes it away, whether it answers first or not; some say yes and stay', async () => {
  expect(await act(reboot, at(6), {})).toEqual({ kind: 'accepted' });
  expect(await act(reboot, at(7), {})).toEqual({ kind: 'lost-reply' });
  for (const device of [at(6), at(7)]) await expect.poll(() => device.reboots).toBe(1);
  await withFault(at(0), 'ignores-reboot', async () => {
    expect(await act(reboot, at(0), {})).toEqual({ kind: 'accepted' });
    expect(at(0).reboots).toBe(0);
  });
});
