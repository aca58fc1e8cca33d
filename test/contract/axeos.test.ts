// Bitaxe, NerdAxe and LuckyMiner on real sockets: one API behind three pages, read as they are, and told what they can be told.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeos as driver } from '../../drivers/axeos/driver.ts';
import type { Device, FaultName } from '../../fixtures/farm/farm.ts';
import { expectTruth, type Simulated, simulated } from './simulated.ts';

let site: Simulated;
beforeAll(async () => {
  site = await simulated(driver, { network: '127.91.41.0/26', miners: 12, mix: 'bitaxe=2,nerdaxe=1,luckyminer=1' });
});
afterAll(() => site.stop());

const of = (model: string, nth = 0): Device => {
  const device = site.farm.devices.filter(({ spec }) => spec.model === model)[nth];
  if (device === undefined) throw new Error(`no ${model} in the farm`);
  return device;
};
const MODELS = ['Supra', 'Gamma', 'NerdQAxe', 'LV07'] as const;

const known = async ({ ip }: Device) => {
  const found = await site.recognise(ip);
  if (found === undefined) throw new Error('not recognised');
  return found.known;
};
const readKnown = async (device: Device) => site.read(device.ip, await known(device));
const act = (device: Device, ability: 'reboot' | 'light' | 'powerMode' | 'pools', params: object) => {
  const found = driver.abilities[ability];
  if (found === undefined) throw new Error(`no ${ability}`);
  expect(found.params.safeParse(params).success).toBe(true);
  return found.act(site.link(device.ip), params, {});
};

describe.each(MODELS)('%s', (model) => {
  test('is known by its compressed page alone', async () => {
    expect(await known(of(model))).toEqual(
      {
        Supra: { generation: 'bitaxe', make: 'Bitaxe' },
        Gamma: { generation: 'bitaxe', make: 'Bitaxe' },
        NerdQAxe: { generation: 'nerd', make: 'NerdAxe' },
        LV07: { generation: 'lucky', make: 'LuckyMiner' },
      }[model],
    );
  });

  test('is read as it is, with one request', async () => {
    const device = of(model);
    const plan = await known(device);
    const before = device.requests;
    const { reading, failed, unparsable } = await site.read(device.ip, plan);
    expect({ failed, unparsable, requests: device.requests - before }).toEqual({
      failed: [],
      unparsable: [],
      requests: 1,
    });
    expectTruth(reading, device);
  });

  test.each<{ readonly fault: FaultName; readonly value?: string | number }>([
    { fault: 'board-dead' },
    { fault: 'fan-stopped' },
    { fault: 'psu-fault' },
    { fault: 'vendor-error', value: 'VIN_OV' },
    { fault: 'low-hashrate', value: 0.6 },
    { fault: 'duplicate-mac' },
  ])('$fault $value is read as it is', async ({ fault, value }) => {
    const device = of(model);
    const before = device.truth();
    device.setFault(fault, true, value);
    expect(device.truth()).not.toEqual(before);
    expectTruth((await readKnown(device)).reading, device);
    device.setFault(fault, false);
  });

  test('stopped by heat it says so, and its last rate is not believed', async () => {
    const device = of(model);
    device.setFault('hot', true);
    const { reading } = await readKnown(device);
    expect(reading).toMatchObject({ isMining: false, errors: [{ code: 'overheat_mode:1', category: 'temperature' }] });
    expect(reading.hashrateHs ?? 0).toBe(0);
    expect({ hashrate: reading.hashrateHs ?? null, temp: reading.tempC }).toEqual({
      hashrate: device.truth().hashrate,
      temp: device.truth().temp,
    });
    device.setFault('hot', false);
  });

  test('pools are changed by a restart, and not twice', async () => {
    const device = of(model, 1);
    const pools = [
      { url: 'stratum+tcp://new-a.example:3333', user: 'farm.x', password: 'y' },
      { url: 'stratum+tcp://new-b.example:443', user: 'farm.z', password: 'y' },
    ];
    expect(await act(device, 'pools', { pools })).toEqual({ kind: 'accepted' });
    await expect.poll(() => device.reboots).toBe(1);
    await expect.poll(() => device.isUp, { timeout: 5_000 }).toBe(true);
    const { reading } = await readKnown(device);
    expect(reading.pools?.map(({ url, user }) => ({ url, user }))).toEqual(
      pools.map(({ url, user }) => ({ url, user })),
    );
    expect(await act(device, 'pools', { pools })).toMatchObject({ note: 'they were so already' });
    expect(device.reboots).toBe(1);
    await expect(
      act(device, 'pools', { pools: [{ url: 'stratum+ssl://p.example:443', user: 'x' }] }),
    ).rejects.toMatchObject({ code: 'peer.unsupported' });
  });
});

describe('actions', () => {
  test('only builds that can pause are paused; the others are not asked to', async () => {
    const device = of('Gamma');
    await act(device, 'powerMode', { mode: 'sleep' });
    const { reading } = await readKnown(device);
    expect(reading).toMatchObject({ miningMode: 'sleep', isMining: false });
    expectTruth(reading, device);
    expect(await act(device, 'powerMode', { mode: 'sleep' })).toMatchObject({ note: 'it was so already' });
    await act(device, 'powerMode', { mode: 'normal' });
    expectTruth((await readKnown(device)).reading, device);
    await expect(act(device, 'powerMode', { mode: 'high' })).rejects.toMatchObject({ code: 'peer.unsupported' });
    await expect(act(of('Supra'), 'powerMode', { mode: 'sleep' })).rejects.toMatchObject({ code: 'peer.unsupported' });
    expect(of('Supra').truth().mining_mode).toBe('normal');
  });

  test('shows itself where the build can, and stops by itself', async () => {
    expect(await act(of('Gamma'), 'light', { on: true })).toEqual({ kind: 'accepted' });
    await expect(act(of('Supra'), 'light', { on: true })).rejects.toMatchObject({ code: 'peer.unsupported' });
    await expect(async () => act(of('Gamma'), 'light', { on: false })).rejects.toMatchObject({
      code: 'peer.unsupported',
    });
  });

  test('refused where the device takes no changes from us', async () => {
    const device = of('NerdQAxe');
    device.setFault('write-api-off', true);
    await expect(act(device, 'reboot', {})).rejects.toMatchObject({ code: 'peer.permission' });
    expect(device.reboots).toBe(0);
    device.setFault('write-api-off', false);
  });

  test('a reboot takes it away', async () => {
    const device = of('LV07');
    expect((await act(device, 'reboot', {})).kind).toBe('accepted');
    await expect.poll(() => device.reboots).toBe(1);
  });
});
