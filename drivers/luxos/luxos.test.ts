// LuxOS on real sockets: read as it is, known by either server, changed within one session that is always closed again.
import { describe, expect, test } from 'vitest';
import type { Device, FaultName } from '../../fixtures/farm/farm.ts';
import { PeerError, renderError } from '../../src/base/errors.ts';
import { acting } from '../../test/contract/acting.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { luxos as driver } from './index.ts';

const site = standing(driver, { miners: 8, mix: 'luxos' });

const at = (nth: number) => site().device(nth);
const { act, shown, forbids } = acting(driver, site);
const send = (device: Device, command: string, parameter?: string) =>
  site()
    .link(device.ip)
    .send({ via: 'cgminer', command, ...(parameter !== undefined && { parameter }) });
/** Nobody may be locked out afterwards. */
const expectNoSession = async (device: Device) =>
  expect(await send(device, 'session')).toMatchObject({ SESSION: [{ SessionID: '' }] });

test('is known by TCP alone, by its web page alone, and by both', async () => {
  const { ip } = at(0);
  expect((await site().recognise(ip, [4028]))?.known).toEqual({
    make: 'Antminer',
    model: 'S19k Pro',
    firmwareVersion: '2025.4.8.220305',
  });
  expect((await site().recognise(ip, [80]))?.known).toEqual({ make: 'Antminer' });
  expect((await site().recognise(ip))?.evidence.family).toBe('luxos');
});

test.each([0, 1])('device %i is read as it is', async (index) => {
  const device = at(index);
  const { reading, failed, unparsable } = await site().read(device.ip);
  expect({ failed, unparsable }).toEqual({ failed: [], unparsable: [] });
  expectTruth(reading, device);
  expect(reading).toMatchObject({ miningModePreset: 'default', powerLimitW: device.spec.powerW });
  expect(reading.hashrate24hHs).toBeGreaterThan(0);
});

describe('faults', () => {
  test.each<{ readonly fault: FaultName; readonly value?: string | number }>([
    { fault: 'board-dead', value: 2 },
    { fault: 'fan-stopped', value: 0 },
    { fault: 'pool-dead' },
    { fault: 'hot' },
    { fault: 'psu-fault' },
    { fault: 'vendor-error', value: 'NOPIC_PROTECTION' },
    { fault: 'vendor-error', value: 'SOMETHING_NEW' },
    { fault: 'low-hashrate', value: 0.6 },
    { fault: 'duplicate-mac' },
  ])('$fault $value is read as it is', async ({ fault, value }) => {
    const device = at(2);
    const before = device.truth();
    device.setFault(fault, true, value);
    expect(device.truth()).not.toEqual(fault === 'pool-dead' ? null : before);
    expectTruth((await site().read(device.ip)).reading, device);
    device.setFault(fault, false);
  });

  test('a dead board has no chips and is not alive; the others keep their places', async () => {
    const device = at(2);
    device.setFault('board-dead', true, 0);
    const { boards } = (await site().read(device.ip)).reading;
    expect(boards?.map(({ slot, chips, isAlive }) => [slot, chips, isAlive])).toEqual([
      [0, 0, false],
      [1, device.spec.chipsPerBoard, true],
      [2, device.spec.chipsPerBoard, true],
    ]);
    device.setFault('board-dead', false);
  });
});

describe('actions', () => {
  test('the light goes on and off', async () => {
    const device = at(3);
    expect(await act(device, 'light', { on: true })).toEqual({ kind: 'accepted', note: 'Set LED' });
    expect((await site().read(device.ip)).reading.isLightOn).toBe(true);
    await act(device, 'light', { on: false });
    expectTruth((await site().read(device.ip)).reading, device);
    await expectNoSession(device);
  });

  test('sleep, wake, and a profile of its own', async () => {
    const device = at(3);
    await act(device, 'powerMode', { mode: 'sleep' });
    const asleep = (await site().read(device.ip)).reading;
    expect(asleep).toMatchObject({ miningMode: 'sleep', isMining: false, hashrateHs: 0 });
    expectTruth(asleep, device);
    const preset = `${Math.round(device.spec.frequencyMhz * 0.8)}MHz`;
    await act(device, 'powerMode', { preset });
    const { reading } = await site().read(device.ip);
    expect(reading).toMatchObject({ miningModePreset: preset });
    expect(reading).not.toHaveProperty('miningMode');
    expectTruth(reading, device);
    await act(device, 'powerMode', { mode: 'normal' });
    expect((await site().read(device.ip)).reading).toMatchObject({ miningMode: 'normal', miningModePreset: 'default' });
    expect(await act(device, 'powerMode', { mode: 'normal' })).toEqual({
      kind: 'accepted',
      note: 'it was so already',
    });
    await expectNoSession(device);
  });

  test('a profile that it does not have is refused and not sent', async () => {
    const device = at(3);
    await expect(act(device, 'powerMode', { preset: 'no-such' })).rejects.toMatchObject({
      code: 'peer.unsupported',
      wasSent: false,
    });
    await expectNoSession(device);
  });

  test('pools are replaced without a gap, in the order that was asked for', async () => {
    const device = at(4);
    const pools = [
      { url: 'stratum+tcp://new-a.example:3333', user: 'farm.x', password: 'y' },
      { url: 'stratum+tcp://new-b.example:443', user: 'farm.z', password: 'y' },
      { url: 'stratum+tcp://new-c.example:443', user: 'farm.z', password: 'y' },
    ];
    expect(await act(device, 'pools', { pools })).toEqual({ kind: 'accepted' });
    const { reading } = await site().read(device.ip);
    expect(reading.pools?.map(({ url, user }) => ({ url, user }))).toEqual(
      pools.map(({ url, user }) => ({ url, user })),
    );
    expect(await act(device, 'pools', { pools })).toMatchObject({ note: 'they were so already' });
  });

  test('a pool that is refused takes no password into the error', async () => {
    const device = at(4);
    const pools = [{ url: 'http://new.example:1', user: 'farm.x', password: 'hush-hush' }];
    const error: unknown = await act(device, 'pools', { pools }).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'peer.rejected' });
    expect(renderError(error)).not.toContain('hush');
  });

  test('somebody else’s session is respected: busy, and nothing is changed', async () => {
    const device = at(5);
    const opened = await send(device, 'logon');
    const id = JSON.stringify(opened).match(/"SessionID":"(\w+)"/)?.[1];
    for (const [ability, params] of [
      ['reboot', {}],
      ['light', { on: true }],
      ['powerMode', { mode: 'sleep' }],
    ] as const) {
      const error: unknown = await act(device, ability, params).catch((cause: unknown) => cause);
      if (!(error instanceof PeerError)) throw new Error('a PeerError wanted');
      expect([error.code, error.wasSent]).toEqual(['peer.busy', false]);
    }
    expect([device.reboots, device.truth().light_on, device.truth().mining_mode]).toEqual([0, false, 'normal']);
    // It is still theirs.
    await send(device, 'logoff', id);
    expect(await act(device, 'light', { on: true })).toMatchObject({ kind: 'accepted' });
  });

  test('refused where the owner has switched writing off', async () => {
    const device = at(6);
    await forbids(device, 'reboot');
    await forbids(device, 'light', { on: true });
  });

  test('its own update runs, and shows by its version', async () => {
    const device = at(6);
    expect(await shown(device, 'firmware', { version: '2026.3.1' })).toBe(false);
    expect(await act(device, 'firmware', { version: '2026.3.1' })).toEqual({
      kind: 'accepted',
      note: 'Update started',
    });
    await expect.poll(() => device.isUp && device.reboots).toBe(1);
    expect(await shown(device, 'firmware', { version: '2026.3.1' })).toBe(true);
    expect(await shown(device, 'firmware', { version: '2026.3' })).toBe(true);
    expect(await shown(device, 'firmware', { version: '2026.3.10' })).toBe(false);
    await expect(act(device, 'firmware', { version: '2026.4' })).rejects.toThrow(/up to date/);
    expect(driver.abilities.firmware?.params.safeParse({}).success).toBe(false);
  });

  test('what was done shows, and so does a yes that does nothing', async () => {
    const device = at(5);
    const pools = [{ url: 'stratum+tcp://new.example:1', user: 'farm.x', password: 'y' }];
    const preset = `${Math.round(device.spec.frequencyMhz * 0.8)}MHz`;
    const orders = [
      ['light', { on: true }],
      ['powerMode', { preset }],
      ['powerMode', { mode: 'sleep' }],
    ] as const;
    await act(device, 'light', { on: false });
    device.setFault('ignores-writes', true);
    for (const [name, params] of [...orders, ['firmware', { version: '2026.3.1' }]] as const) {
      expect(await act(device, name, params), name).toMatchObject({ kind: 'accepted' });
      expect(await shown(device, name, params), name).toBe(false);
    }
    await expect(act(device, 'pools', { pools })).rejects.toMatchObject({ code: 'peer.rejected' });
    device.setFault('ignores-writes', false);
    for (const [name, params] of [...orders, ['pools', { pools }]] as const) {
      await act(device, name, params);
      expect(await shown(device, name, params), name).toBe(true);
    }
    expect(await shown(device, 'powerMode', { mode: 'normal' })).toBe(false);
    await expectNoSession(device);
  });

  test('a reboot takes it away, and one that is ignored leaves no session behind', async () => {
    const device = at(7);
    device.setFault('ignores-reboot', true);
    expect(await act(device, 'reboot', {})).toMatchObject({ kind: 'accepted' });
    await expectNoSession(device);
    device.setFault('ignores-reboot', false);
    expect((await act(device, 'reboot', {})).kind).toBe('accepted');
    await expect.poll(() => device.reboots).toBe(1);
  });
});
