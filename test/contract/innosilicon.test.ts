// Innosilicon on real sockets: known by either door, read over web and TCP, rebooted and given pools; a token that has expired is replaced.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { innosilicon as driver } from '../../drivers/innosilicon/driver.ts';
import type { FaultName } from '../../fixtures/farm/farm.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createVisitMemory, visit } from '../../src/driver/visit.ts';
import type { MinerLink } from '../../src/transport/request.ts';
import { neverSent } from '../unit/drivers/fake-link.ts';
import { acting } from './acting.ts';
import { expectTruth, type Simulated, simulated } from './simulated.ts';

let site: Simulated;
beforeAll(async () => {
  site = await simulated(driver, { network: '127.94.4.0/26', miners: 6, mix: 'innosilicon' });
});
afterAll(() => site.stop());

const MODELS = ['T3H+', 'A11'] as const;
const { of, look, ability, act, shown, withFault, refusedLogin } = acting(driver, () => site);

const POOLS = {
  pools: [
    { url: 'stratum+tcp://new-a.example:3333', user: 'farm.x', password: 'p&q=1' },
    { url: 'stratum+tcp://new-b.example:443', user: 'farm.z', password: 'y' },
  ],
};

const visitWith = (link: MinerLink) =>
  visit({
    driver,
    link,
    known: { model: 'T3H+' },
    memory: createVisitMemory(),
    rhythms: { slowMs: 300_000, staticMs: 3_600_000 },
    clock: systemClock,
    deadlineMs: 10_000,
  });

test.each(MODELS)('%s is known by the web alone and by TCP alone', async (model) => {
  const { ip } = of(model);
  expect((await site.recognise(ip, [80]))?.known).toEqual({ make: 'Innosilicon' });
  expect((await site.recognise(ip, [4028]))?.known).toEqual({ make: 'Innosilicon' });
});

describe.each(MODELS)('%s', (model) => {
  test('is read as it is', async () => {
    const device = of(model);
    const { reading, failed, unparsable } = await site.read(device.ip);
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
  ])('$fault $value is read as it is', async ({ fault, value }) => {
    const device = of(model);
    const before = device.truth();
    device.setFault(fault, true, value);
    expect(device.truth()).not.toEqual(before);
    expectTruth(await look(device), device);
    device.setFault(fault, false);
  });
});

describe('one door shut', () => {
  test('TCP: pools from the web, no chips', async () => {
    const device = of('T3H+');
    const link = site.link(device.ip);
    const { reading, unparsable } = await visitWith({
      ip: link.ip,
      send: async (request, limits) => {
        if (request.via === 'cgminer') throw neverSent();
        return link.send(request, limits);
      },
    });
    expect(unparsable).toEqual([]);
    const { hashrateHs, powerW, pools, boards } = await look(device);
    expect(reading).toMatchObject({ hashrateHs, powerW, pools });
    expect(reading.boards?.map(({ hashrateHs: hs, chips }) => [hs, chips])).toEqual(
      boards?.map(({ hashrateHs: hs }) => [hs, undefined]),
    );
  });

  test('the login refused: rates, boards and pools from TCP', async () => {
    const device = of('T3H+');
    const link = site.link(device.ip);
    const full = await look(device);
    const { reading, isLoginRefused } = await withFault(device, 'wrong-password', () => visitWith(link));
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
  await withFault(device, 'write-api-off', () =>
    expect(act(device, name, POOLS)).rejects.toMatchObject({ code: 'peer.permission' }),
  );
  expect([device.reboots, device.truth().pools.map(({ url }) => url)]).toEqual([0, pools.map(({ url }) => url)]);
});

test('a reboot takes it away, and the token of before is replaced by a new one', async () => {
  const device = of('T3H+', 1);
  await look(device);
  expect(await act(device, 'reboot')).toEqual({ kind: 'accepted' });
  await expect.poll(() => device.reboots).toBe(1);
  await expect.poll(() => device.isUp, { timeout: 5_000 }).toBe(true);
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
    expect(await withFault(device, 'ignores-writes', () => act(device, 'pools', POOLS))).toEqual({ kind: 'accepted' });
    expect(await shown(device, 'pools', POOLS)).toBe(false);
    const four = { pools: [...POOLS.pools, ...POOLS.pools] };
    expect(ability('pools').params.safeParse(four).success).toBe(false);
  });
});

test('it has no light and no modes: the core refuses those before anything is sent', () => {
  expect(Object.keys(driver.abilities).toSorted()).toEqual(['pools', 'reboot']);
});
