// Innosilicon on real sockets: known by either server, read over web and TCP, rebooted and given pools; a token that
// has expired is replaced.
import { describe, expect, test } from 'vitest';
import type { FaultName } from '../../fixtures/farm/farm.ts';
import { acting, returned, withoutTcp } from '../../test/contract/acting.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { innosilicon as driver } from './index.ts';

const site = standing(driver, { miners: 6, mix: 'innosilicon' });

const MODELS = ['T3H+', 'A11'] as const;
const { of, look, ability, act, shown, withFault, refusedLogin, readsFault, forbids, findsOut } = acting(driver, site);

const POOLS = {
  pools: [
    { url: 'stratum+tcp://new-a.example:3333', user: 'farm.x', password: 'p&q=1' },
    { url: 'stratum+tcp://new-b.example:443', user: 'farm.z', password: 'y' },
  ],
};

const known = { model: 'T3H+' };

test.each(MODELS)('%s is known by the web alone and by TCP alone', async (model) => {
  const { ip } = of(model);
  expect((await site().recognise(ip, [80]))?.known).toEqual({ make: 'Innosilicon' });
  expect((await site().recognise(ip, [4028]))?.known).toEqual({ make: 'Innosilicon' });
});

describe.each(MODELS)('%s', (model) => {
  test('is read as it is', async () => {
    const device = of(model);
    const { reading, failed, unparsable } = await site().read(device.ip);
    expect({ failed, unparsable }).toEqual({ failed: [], unparsable: [] });
    expectTruth(reading, device);
    expect(reading.fans).toHaveLength(device.spec.fans);
    expect(reading.fans?.every(({ rpm, dutyPercent }) => rpm === undefined && dutyPercent === 80)).toBe(true);
  });

  test.each<{ readonly fault: FaultName; readonly value?: string | number }>([
    { fault: 'board-dead' },
    { fault: 'psu-fault' },
    { fault: 'pool-dead' },
    { fault: 'vendor-error', value: '32' },
    { fault: 'vendor-error', value: '99' },
    { fault: 'hot' },
    { fault: 'low-hashrate', value: 0.6 },
    { fault: 'duplicate-mac' },
  ])('$fault $value is read as it is', ({ fault, value }) => readsFault(of(model), fault, value));
});

describe('one server shut', () => {
  test('TCP: pools from the web, no chips', async () => {
    const device = of('T3H+');
    const link = withoutTcp(site().link(device.ip));
    const { reading, unparsable } = await site().read(device.ip, known, link);
    expect(unparsable).toEqual([]);
    const { hashrateHs, powerW, pools, boards } = await look(device);
    expect(reading).toMatchObject({ hashrateHs, powerW, pools });
    expect(reading.boards?.map(({ hashrateHs: hs, chips }) => [hs, chips])).toEqual(
      boards?.map(({ hashrateHs: hs }) => [hs, undefined]),
    );
  });

  test('the login refused: rates, boards and pools from TCP', async () => {
    const device = of('T3H+');
    const link = site().link(device.ip);
    const full = await look(device);
    const { reading, isLoginRefused } = await withFault(device, 'wrong-password', () =>
      site().read(device.ip, known, link),
    );
    expect(isLoginRefused).toBe(true);
    expect(reading).toMatchObject({ model: 'T3H+', isMining: true, hashrateWindow: '5s', pools: full.pools });
    expect(reading.hashrateHs).toBeCloseTo(full.hashrateHs ?? 0, -6);
    expect(reading.boards?.map(({ slot, chips }) => [slot, chips])).toEqual(
      full.boards?.map(({ slot, chips }) => [slot, chips]),
    );
    expect(reading).not.toHaveProperty('mac');
  });
});

test.each(['reboot', 'pools'] as const)('a wrong password is told as such: %s', async (name) => {
  await refusedLogin(of('A11'), name, POOLS);
});
test.each(['reboot', 'pools'] as const)('without permission nothing is done: %s', async (name) => {
  const device = of('A11');
  const { pools } = device.truth();
  await forbids(device, name, POOLS);
  expect([device.reboots, device.truth().pools.map(({ url }) => url)]).toEqual([0, pools.map(({ url }) => url)]);
});

test('a reboot takes it away, and the token of before is replaced by a new one', async () => {
  const device = of('T3H+', 1);
  await look(device);
  expect(await act(device, 'reboot')).toEqual({ kind: 'accepted' });
  await returned(device);
  expectTruth(await look(device), device);
});

describe('pools', () => {
  test('the whole list is set, and not twice', async () => {
    const device = of('A11', 1);
    expect(await act(device, 'pools', POOLS)).toEqual({ kind: 'accepted' });
    expect(device.truth().pools.map(({ url, worker_id }) => [url, worker_id])).toEqual(
      POOLS.pools.map(({ url, user }) => [url, user]),
    );
    expect(await shown(device, 'pools', POOLS)).toBe(true);
    expect(await act(device, 'pools', POOLS)).toMatchObject({ note: 'they were so already' });
  });
  test('a lie shows; four are too many', async () => {
    const device = of('T3H+', 2);
    await findsOut(device, 'pools', POOLS);
    const four = { pools: [...POOLS.pools, ...POOLS.pools] };
    expect(ability('pools').params.safeParse(four).success).toBe(false);
  });
});

test('it has no light and no modes: the core refuses those before anything is sent', () => {
  expect(Object.keys(driver.abilities).toSorted()).toEqual(['pools', 'reboot']);
});
