// Bitaxe, NerdAxe and LuckyMiner on real sockets: one API behind three pages, read as they are, and told what they can
// be told.
import { describe, expect, test } from 'vitest';
import type { Device, FaultName } from '../../fixtures/farm/farm.ts';
import { acting, returned } from '../../test/contract/acting.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { imageOf } from '../_farm/image.ts';
import { axeos as driver } from './index.ts';

const site = standing(driver, { miners: 12, mix: 'bitaxe=2,nerdaxe=1,luckyminer=1' });

const { of, act, shown, forbids, withFault } = acting(driver, site);
const MODELS = ['Supra', 'Gamma', 'NerdQAxe++', 'LV07'] as const;

const known = async ({ ip }: Device) => {
  const found = await site().recognise(ip);
  if (found === undefined) throw new Error('not recognised');
  return found.known;
};
const readKnown = async (device: Device) => site().read(device.ip, await known(device));

describe.each(MODELS)('%s', (model) => {
  test('is known by its compressed page alone', async () => {
    expect(await known(of(model))).toEqual(
      {
        Supra: { generation: 'bitaxe', make: 'Bitaxe' },
        Gamma: { generation: 'bitaxe', make: 'Bitaxe' },
        'NerdQAxe++': { generation: 'nerd', make: 'NerdAxe' },
        LV07: { generation: 'lucky', make: 'LuckyMiner' },
      }[model],
    );
  });

  test('is read as it is, with one request', async () => {
    const device = of(model);
    const plan = await known(device);
    const before = device.requests;
    const { reading, failed, unparsable } = await site().read(device.ip, plan);
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
    await returned(device);
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
    expect(of('Supra').truth().mining_mode).toBeNull();
  });

  test('shows itself where the build can, and stops by itself', async () => {
    expect(await act(of('Gamma'), 'light', { on: true })).toEqual({ kind: 'accepted' });
    await expect(act(of('Supra'), 'light', { on: true })).rejects.toMatchObject({ code: 'peer.unsupported' });
    await expect(async () => act(of('Gamma'), 'light', { on: false })).rejects.toMatchObject({
      code: 'peer.unsupported',
    });
  });

  test('refused where the device takes no changes from us', async () => {
    const device = of('NerdQAxe++');
    await forbids(device, 'reboot');
    expect(device.reboots).toBe(0);
  });

  test('a reboot takes it away', async () => {
    const device = of('LV07');
    expect((await act(device, 'reboot', {})).kind).toBe('accepted');
    await expect.poll(() => device.reboots).toBe(1);
  });
});

describe('changes that show', () => {
  const pools = [{ url: 'stratum+tcp://only.example:3333', user: 'w', password: 'p' }];
  const image = (version: string) => {
    const bytes = Buffer.concat([Buffer.alloc(64), imageOf(version, 200_000)]);
    bytes[0] = 0xe9;
    bytes.writeUInt32LE(0xabcd5432, 32);
    return { name: 'esp-miner.bin', sha256: '', bytes: new Blob([Uint8Array.from(bytes)]) };
  };
  const isBack = (device: Device, reboots: number) =>
    expect.poll(() => device.isUp && device.reboots > reboots).toBe(true);

  test.each(['Supra', 'Gamma'])('%s: another frequency, and the machine is read as it is with it', async (model) => {
    const device = of(model, 1);
    const { reboots, spec } = device;
    const preset = `${spec.frequencyMhz - 50} MHz`;
    expect(await shown(device, 'powerMode', { preset })).toBe(false);
    expect(await act(device, 'powerMode', { preset })).toMatchObject({ kind: 'accepted' });
    await isBack(device, reboots);
    expect(await shown(device, 'powerMode', { preset })).toBe(true);
    expectTruth((await site().read(device.ip, await known(device))).reading, device);
  });

  test('a frequency that the chip is not made for, where the build tells', async () => {
    await expect(act(of('Gamma'), 'powerMode', { preset: '999 MHz' })).rejects.toMatchObject({
      code: 'peer.unsupported',
      wasSent: false,
    });
  });

  test('one pool alone is shown when it is the fallback too', async () => {
    const device = of('Supra', 1);
    const { reboots } = device;
    expect(await act(device, 'pools', { pools })).toMatchObject({ kind: 'accepted' });
    await isBack(device, reboots);
    expect(await shown(device, 'pools', { pools })).toBe(true);
  });

  test('firmware is sent and runs; a file that only looks like one is refused by the device', async () => {
    const device = of('Gamma', 1);
    const { reboots } = device;
    const update = (version: string) =>
      driver.abilities.firmware?.act(site().link(device.ip), { version }, {}, image(version));
    expect(await update('v9.1.0')).toMatchObject({ kind: 'accepted' });
    await isBack(device, reboots);
    expect(await shown(device, 'firmware', { version: '9.1.0' })).toBe(true);
    await expect(update('')).rejects.toMatchObject({ code: 'peer.rejected' });
  });

  test('a yes that does nothing shows', async () => {
    const device = of('Gamma', 2);
    await withFault(device, 'ignores-writes', () =>
      withFault(device, 'ignores-reboot', async () => {
        for (const [name, params] of [
          ['powerMode', { mode: 'sleep' }],
          ['powerMode', { preset: `${device.spec.frequencyMhz - 50} MHz` }],
          ['pools', { pools }],
        ] as const) {
          expect(await act(device, name, params), name).toMatchObject({ kind: 'accepted' });
          expect(await shown(device, name, params), name).toBe(false);
        }
      }),
    );
    expect(device.reboots).toBe(0);
  });
});
