// What a Whatsminer does when it is told to, over real sockets: API 2 with its encrypted writes, API 3 with its signed
// ones. What is sent exactly, and what single answers are taken for, is in the tests of the driver.
import { mkdtempSync, openAsBlob, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FirmwareImage, Known } from '../../src/driver/contract.ts';
import { acting } from '../../test/contract/acting.ts';
import { combinedImage } from '../../test/contract/combined-image.ts';
import { standing } from '../../test/contract/simulated.ts';
import { imageOf } from '../_farm/image.ts';
import { whatsminer } from './index.ts';

const site = standing(whatsminer, {
  mix: { 'whatsminer-2': 0.6, 'whatsminer-3': 0.4 },
  miners: 20,
  bootS: 0.2,
});

const pools = [
  { url: 'stratum+tcp://new-a.example:3333', user: 'farm.x', password: 'hush-hush' },
  { url: 'stratum+tcp://new-b.example:443', user: 'farm.y', password: 'z' },
];
const fileOf = (bytes: Buffer, name = 'whatsminer.bin'): FirmwareImage => ({
  name,
  sha256: '0'.repeat(64),
  bytes: new Blob([Uint8Array.from(bytes)]),
});

describe.each([
  ['API 2', 'api2', 'M30S++ VH60', '20241001.11.REL', '20240901.1.REL'],
  ['API 3', 'api3', 'M60S VK40', '20260401.16.Rel2', '20260301.1.Rel'],
])('%s', (_name, generation, model, version, otherVersion) => {
  const known: Known = { generation };
  const { of, look, act, shown, withFault, ability } = acting(whatsminer, site, known);
  const update = (nth: number, image: FirmwareImage) =>
    ability('firmware').act(site().link(of(model, nth).ip), { version }, known, image);

  test('the light goes on and off, and is seen', async () => {
    const device = of(model);
    for (const on of [true, false]) {
      expect(await act(device, 'light', { on })).toMatchObject({ kind: 'accepted' });
      expect(await shown(device, 'light', { on })).toBe(true);
      expect(await shown(device, 'light', { on: !on })).toBe(false);
    }
  });

  test('pools are replaced, seen, and not written twice', async () => {
    const device = of(model);
    expect(await shown(device, 'pools', { pools })).toBe(false);
    expect(await act(device, 'pools', { pools })).toMatchObject({ kind: 'accepted' });
    expect(await shown(device, 'pools', { pools })).toBe(true);
    expect(device.truth().pools.map(({ url, worker_id }) => [url, worker_id])).toEqual(
      pools.map(({ url, user }) => [url, user]),
    );
    expect(await act(device, 'pools', { pools })).toEqual({ kind: 'accepted', note: 'they were so already' });
    expect(ability('pools').params.safeParse({ pools: [...pools, ...pools] }).success).toBe(false);
  });

  test('modes are set and seen; a sleeping miner is woken for one', async () => {
    const device = of(model);
    for (const mode of ['high', 'sleep', 'low', 'normal']) {
      expect(['accepted', 'lost-reply']).toContain((await act(device, 'powerMode', { mode })).kind);
      await expect.poll(() => shown(device, 'powerMode', { mode })).toBe(true);
      expect(device.truth().mining_mode).toBe(mode);
    }
  });

  test('a power limit is a preset in watts, and is read back', async () => {
    const device = of(model);
    expect(await act(device, 'powerMode', { preset: '3000 W' })).toMatchObject({ kind: 'accepted' });
    expect(await shown(device, 'powerMode', { preset: '3000 W' })).toBe(true);
    expect(await shown(device, 'powerMode', { preset: '2900W' })).toBe(false);
    expect(await act(device, 'powerMode', { preset: '3000 W' })).toMatchObject({ note: 'it was so already' });
    await expect(act(device, 'powerMode', { preset: '90000 W' })).rejects.toMatchObject({
      code: expect.stringMatching(/peer\.(rejected|unsupported)/),
    });
  });

  test('other presets are refused before anything is sent', async () => {
    const device = of(model);
    const before = device.requests;
    for (const preset of ['100 TH/s', 'turbo', '0 W']) {
      await expect(act(device, 'powerMode', { preset })).rejects.toMatchObject({
        code: 'peer.unsupported',
        wasSent: false,
      });
    }
    expect(device.requests).toBe(before);
  });

  test('its log is the text of the files that it packs', async () => {
    const result = await act(of(model), 'log');
    expect(result).toMatchObject({ kind: 'accepted' });
    expect('log' in result ? result.log : '').toMatch(
      /^==> logs\/system\.log <==\n[\s\S]+\n==> logs\/miner\.log <==\n[\s\S]+ boot firmware \d{8}/,
    );
  });

  test('firmware is sent, and what it runs afterwards is what was in it', async () => {
    const device = of(model, 1);
    // As large as it takes to fill the buffers between the two.
    expect(await update(1, fileOf(imageOf(version, 3_000_000)))).toMatchObject({ kind: 'accepted' });
    await expect.poll(() => device.reboots).toBe(1);
    await expect.poll(() => device.isUp).toBe(true);
    expect((await look(device)).firmwareVersion).toBe(version);
    expect(await shown(device, 'firmware', { version: version.toLowerCase() })).toBe(true);
    expect(await shown(device, 'firmware', { version: otherVersion })).toBe(false);
    expect(await shown(device, 'firmware', {})).toBeUndefined();
  });

  test('of a file for several boards it gets its own part', async () => {
    const device = of(model, 1);
    const combined = combinedImage([
      { chip: 'h3', bytes: imageOf('20200101.1.REL') },
      { chip: 'h616', bytes: imageOf(otherVersion, 10_000) },
    ]);
    expect(await update(1, fileOf(combined))).toMatchObject({ kind: 'accepted' });
    await expect.poll(() => device.isUp && device.truth().firmware_version).toBe(otherVersion);
  });

  test('the part of a file on disk goes out as it is read', async () => {
    const device = of(model, 1);
    const dir = mkdtempSync(join(tmpdir(), 'pithead-whatsminer-'));
    const path = join(dir, 'all.bin');
    writeFileSync(
      path,
      combinedImage([
        { chip: 'h616', bytes: imageOf(version, 2_000_000) },
        { chip: 'h6', bytes: imageOf('20200101.1.REL', 2_000_000) },
      ]),
    );
    const image = { name: 'all.bin', sha256: '0'.repeat(64), bytes: await openAsBlob(path) };
    expect(await update(1, image)).toMatchObject({ kind: 'accepted' });
    rmSync(dir, { recursive: true });
    await expect.poll(() => device.isUp && device.truth().firmware_version).toBe(version);
  });

  test('a file without its part is refused before it is sent; one that it does not like, after', async () => {
    const device = of(model);
    const { reboots } = device;
    const other = combinedImage([{ chip: 'h6os', bytes: imageOf(version) }]);
    await expect(update(0, fileOf(other, 'other.bin'))).rejects.toMatchObject({
      code: 'peer.unsupported',
      wasSent: false,
      message: expect.stringContaining('other.bin is for h6os, the device is h616'),
    });
    await expect(update(0, fileOf(Buffer.alloc(0)))).rejects.toMatchObject({ code: 'peer.unsupported' });
    await expect(update(0, fileOf(Buffer.alloc(9_000, 1)))).rejects.toMatchObject({
      code: expect.stringMatching(/peer\.(rejected|unsupported)/),
    });
    expect(device.reboots).toBe(reboots);
  });

  test('a yes that does nothing shows', async () => {
    const device = of(model, 2);
    await withFault(device, 'ignores-writes', async () => {
      for (const [name, params] of [
        ['light', { on: true }],
        ['powerMode', { mode: 'sleep' }],
        ['powerMode', { preset: '2500 W' }],
        ['pools', { pools }],
      ] as const) {
        expect(await act(device, name, params), name).toMatchObject({ kind: 'accepted' });
        expect(await shown(device, name, params), name).toBe(false);
      }
      expect(await update(2, fileOf(imageOf(version)))).toMatchObject({ kind: 'accepted' });
    });
    expect((await look(device)).firmwareVersion).not.toBe(version);
    await withFault(device, 'ignores-reboot', async () => {
      expect(await act(device, 'reboot')).toMatchObject({ kind: 'accepted' });
    });
    expect(device.reboots).toBe(0);
  });

  test('where the API for changes is off, everything is a matter of permission', async () => {
    const device = of(model, 2);
    await withFault(device, 'write-api-off', async () => {
      for (const [name, params] of [
        ['reboot', {}],
        ['light', { on: true }],
        ['powerMode', { mode: 'sleep' }],
        ['pools', { pools }],
      ] as const) {
        await expect(act(device, name, params), name).rejects.toMatchObject({ code: 'peer.permission' });
      }
      await expect(update(2, fileOf(imageOf(version)))).rejects.toMatchObject({ code: 'peer.permission' });
    });
  });

  test('a reboot takes it away', async () => {
    const device = of(model, 2);
    expect(['accepted', 'lost-reply']).toContain((await act(device, 'reboot')).kind);
    await expect.poll(() => device.reboots).toBe(1);
  });

  if (generation === 'api2') {
    test('a changed password is told as such', async () => {
      const device = of(model);
      const link = site().linkAs(device.ip, 'admin', 'wrong');
      for (const [name, params] of [
        ['reboot', {}],
        ['light', { on: true }],
        ['pools', { pools: [...pools].reverse() }],
        ['powerMode', { mode: 'sleep' }],
        ['log', {}],
      ] as const) {
        await expect(ability(name).act(link, params, known), name).rejects.toMatchObject({ code: 'peer.auth' });
      }
      expect(device.truth()).toMatchObject({ light_on: false, mining_mode: 'normal' });
    });
  }
});

test('a build of API 2 that goes on with its old pools is restarted, and has no power limit', async () => {
  const { of, act, shown } = acting(whatsminer, site, { generation: 'api2' });
  const device = of('M50 VH50');
  expect(await act(device, 'pools', { pools })).toMatchObject({ kind: 'accepted' });
  expect(await shown(device, 'pools', { pools })).toBe(true);
  await expect(act(device, 'powerMode', { preset: '3000 W' })).rejects.toMatchObject({ code: 'peer.unsupported' });
});

test('API 1 is refused before anything is sent', async () => {
  const { of, act } = acting(whatsminer, site, { generation: 'api1' });
  const device = of('M50 VH50');
  const before = device.requests;
  for (const [name, params] of [
    ['reboot', {}],
    ['light', { on: true }],
    ['powerMode', { mode: 'sleep' }],
    ['pools', { pools }],
    ['log', {}],
  ] as const) {
    await expect(act(device, name, params), name).rejects.toMatchObject({ code: 'peer.unsupported', wasSent: false });
  }
  expect(device.requests).toBe(before);
});

test('firmware of API 3 that calls the power mode by its older name is told by that', async () => {
  const { of, act, shown } = acting(whatsminer, site, { generation: 'api3' });
  const device = of('M50S VK20');
  expect(await act(device, 'powerMode', { mode: 'high' })).toMatchObject({ kind: 'accepted' });
  await expect.poll(() => shown(device, 'powerMode', { mode: 'high' })).toBe(true);
});
