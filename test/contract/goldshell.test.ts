// Goldshell on real sockets: known by either door, read over TCP and, where that is shut, over the web; one seat, plans, lamps and pools.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { goldshell as driver } from '../../drivers/goldshell/driver.ts';
import type { FaultName } from '../../fixtures/farm/farm.ts';
import { acting, returned, withoutTcp } from './acting.ts';
import { expectTruth, PORTS, standing } from './simulated.ts';

const site = standing(driver, { network: '127.94.2.0/26', miners: 8, mix: 'goldshell' });

const MODELS = ['KD5', 'KD Box Pro', 'Mini Doge', 'Byte'] as const;
const { of, look, ability, act, shown, withFault, refusedLogin, forbids, findsOut } = acting(driver, site);

const POOLS = {
  pools: [
    { url: 'stratum+tcp://new-a.example:3333', user: 'farm.x', password: 'y' },
    { url: 'stratum+tcp://new-b.example:443', user: 'farm.z', password: 'y' },
  ],
};

test.each(MODELS)('%s is known by the web alone and by TCP alone', async (model) => {
  const { ip } = of(model);
  expect((await site().recognise(ip, [80]))?.known).toEqual({ make: 'Goldshell' });
  expect((await site().recognise(ip, [4028]))?.known).toEqual({ make: 'Goldshell' });
});

describe.each(MODELS)('%s', (model) => {
  test('is read as it is', async () => {
    const device = of(model);
    const { reading, failed, unparsable } = await site().read(device.ip);
    expect({ failed, unparsable }).toEqual({ failed: [], unparsable: [] });
    expectTruth(reading, device);
  });

  test.each<{ readonly fault: FaultName; readonly value?: string | number }>([
    { fault: 'board-dead', value: 0 },
    { fault: 'fan-stopped' },
    { fault: 'hot' },
    { fault: 'low-hashrate', value: 0.6 },
    { fault: 'duplicate-mac' },
  ])('$fault $value is read as it is', async ({ fault, value }) => {
    const device = of(model, 1);
    const before = device.truth();
    device.setFault(fault, true, value);
    expect(device.truth()).not.toEqual(before);
    const truth = device.truth();
    const { tempC, ...reading } = await look(device);
    // A machine whose only board is dead has no temperature at all.
    expect(tempC ?? 0).toBe(truth.temp);
    expectTruth({ ...reading, ...(truth.temp !== null && { tempC: truth.temp }) }, device);
    device.setFault(fault, false);
  });
});

test.each(MODELS)(
  '%s with TCP shut is read over the web: everything but chips, clocks and difficulties',
  async (model) => {
    const device = of(model);
    const link = withoutTcp(site().link(device.ip));
    const { reading, failed, unparsable } = await site().read(device.ip, {}, link);
    expect(failed.map(({ ask }) => ask).toSorted()).toEqual(['devdetails', 'devs', 'pools']);
    expect(unparsable).toEqual([]);
    const full = await look(device);
    expect(reading.boards?.map(({ slot, hashrateHs, boardTempsC }) => ({ slot, hashrateHs, boardTempsC }))).toEqual(
      full.boards?.map(({ slot, hashrateHs, boardTempsC }) => ({ slot, hashrateHs, boardTempsC })),
    );
    const rest = ({ model, mac, hashrateHs, uptimeS, fans, isMining, miningMode, firmwareVersion }: typeof full) => ({
      model,
      mac,
      hashrateHs,
      uptimeS,
      fans,
      isMining,
      miningMode,
      firmwareVersion,
    });
    expect(rest(reading)).toEqual(rest(full));
    expect(reading.pools?.map(({ url, user, isActive }) => ({ url, user, isActive }))).toEqual(
      full.pools?.map(({ url, user, isActive }) => ({ url, user, isActive })),
    );
  },
);

const tokenSchema = z.looseObject({ 'JWT Token': z.string() });

test('a build that wants the password sealed gets it so, after it has refused the plain one', async () => {
  const device = of('Mini Doge', 1);
  expect((await look(device)).mac).toBe(device.truth().mac);
});

describe('the seat', () => {
  test('somebody who took it is sent away', async () => {
    const device = of('KD5');
    const expected = (await look(device)).mac;
    const base = `http://${device.ip}:${PORTS[80]}`;
    await fetch(`${base}/user/logout`);
    const login = await fetch(`${base}/user/login?username=admin&password=123456789&cipher=false`);
    const { 'JWT Token': token } = tokenSchema.parse(await login.json());
    const headers = { Authorization: `Bearer ${token}` };
    expect((await fetch(`${base}/mcb/setting`, { headers })).status).toBe(200);
    expect((await look(device)).mac).toBe(expected);
    expect((await fetch(`${base}/mcb/setting`, { headers })).status).toBe(401);
  });

  test('without the login the open doors still tell most', async () => {
    const device = of('KD5', 1);
    const link = site().link(device.ip);
    const { reading, isLoginRefused } = await withFault(device, 'wrong-password', () =>
      site().read(device.ip, {}, link),
    );
    expect(isLoginRefused).toBe(true);
    expect(reading).toMatchObject({ model: 'KD5', isMining: true, boards: [{}, {}, {}, {}], pools: [{}, {}] });
    expect(reading).not.toHaveProperty('mac');
  });
});

test.each(['reboot', 'light', 'powerMode', 'pools'] as const)('a wrong password is told as such: %s', async (name) => {
  const params = { reboot: {}, light: { on: true }, powerMode: { mode: 'sleep' }, pools: POOLS }[name];
  await refusedLogin(of('Byte'), name, params);
  expect(of('Byte').reboots).toBe(0);
});

test.each(['reboot', 'light', 'powerMode', 'pools'] as const)(
  'without permission nothing is done: %s',
  async (name) => {
    const device = of('Byte');
    const params = { reboot: {}, light: { on: true }, powerMode: { mode: 'sleep' }, pools: POOLS }[name];
    await forbids(device, name, params);
    expect([device.reboots, device.truth().mining_mode]).toEqual([0, 'normal']);
  },
);

describe('reboot', () => {
  test('takes it away, and the next visit takes the seat again', async () => {
    const device = of('Mini Doge', 1);
    await look(device);
    expect(await act(device, 'reboot')).toEqual({ kind: 'accepted' });
    await returned(device);
    expectTruth(await look(device), device);
  });
});

describe('power mode', () => {
  test('sleeps, runs low and wakes, and shows each', async () => {
    const device = of('KD Box Pro', 1);
    for (const mode of ['sleep', 'low', 'normal'] as const) {
      expect(await act(device, 'powerMode', { mode })).toEqual({ kind: 'accepted' });
      expect(device.truth().mining_mode).toBe(mode);
      expect(await shown(device, 'powerMode', { mode })).toBe(true);
      expectTruth(await look(device), device);
    }
    expect(await act(device, 'powerMode', { mode: 'normal' })).toMatchObject({ note: 'it was so already' });
  });
  test('takes a plan by its own words', async () => {
    const device = of('KD5', 1);
    const preset = '560 MHz 0.39 V 50 RPM 50 RPM';
    expect(await act(device, 'powerMode', { preset })).toEqual({ kind: 'accepted' });
    expect(await look(device)).toMatchObject({ miningMode: 'low', miningModePreset: preset });
    expect(await shown(device, 'powerMode', { preset })).toBe(true);
    await act(device, 'powerMode', { mode: 'normal' });
  });
  test('what it lacks is unsupported, and nothing is changed', async () => {
    const device = of('KD5');
    for (const params of [{ mode: 'high' }, { preset: '999 MHz' }])
      await expect(act(device, 'powerMode', params)).rejects.toMatchObject({ code: 'peer.unsupported' });
    expect(device.truth().mining_mode).toBe('normal');
  });
  test('lied about: the reading shows that nothing happened', async () => {
    const device = of('KD5');
    await findsOut(device, 'powerMode', { mode: 'sleep' });
  });
});

test('lamps go on and off, the plan stays, and a lie shows', async () => {
  const device = of('Byte', 1);
  for (const on of [true, false]) {
    expect(await act(device, 'light', { on })).toEqual({ kind: 'accepted' });
    expect(device.truth()).toMatchObject({ light_on: on, mining_mode: 'normal' });
    expect(await shown(device, 'light', { on })).toBe(true);
  }
  await findsOut(device, 'light', { on: true });
});

describe('pools', () => {
  test('the old ones go, the new ones come in their order, and not twice', async () => {
    const device = of('Mini Doge');
    expect(await act(device, 'pools', POOLS)).toEqual({ kind: 'accepted' });
    expect(device.truth().pools.map(({ url, worker_id }) => [url, worker_id])).toEqual(
      POOLS.pools.map(({ url, user }) => [url, user]),
    );
    expect(await shown(device, 'pools', POOLS)).toBe(true);
    expect(await act(device, 'pools', POOLS)).toMatchObject({ note: 'they were so already' });
  });
  test.each([
    ['the first', ['nonsense://a.example:1', 'stratum+tcp://b.example:1']],
    ['the second', ['stratum+tcp://a.example:1', 'nonsense://b.example:1']],
    ['one more than there is room for', [1, 2, 3, 4].map((no) => `stratum+tcp://p${no}.example:1`)],
  ])('when it refuses %s, those that were there are there again', async (_, urls) => {
    const device = of('KD5');
    const before = device.truth().pools;
    const wanted = { pools: urls.map((url) => ({ url, user: 'w' })) };
    await expect(act(device, 'pools', wanted)).rejects.toMatchObject({ code: 'peer.rejected' });
    expect(device.truth().pools).toEqual(before);
    expect(before.length).toBeGreaterThan(0);
  });
  test('more than the list holds is refused by the device; a lie shows', async () => {
    const device = of('KD Box Pro');
    const four = { pools: [1, 2, 3, 4].map((no) => ({ url: `stratum+tcp://p${no}.example:1`, user: 'w' })) };
    await expect(act(device, 'pools', four)).rejects.toMatchObject({ code: 'peer.rejected' });
    await findsOut(device, 'pools', POOLS, 'at once');
    expect(ability('pools').effect).toBe('once');
  });
});
