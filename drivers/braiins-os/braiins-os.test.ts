// Braiins OS on real sockets: each generation read as it is and by as few questions as it has, and changed by the words
// that it knows.
import { describe, expect, test } from 'vitest';
import type { Device, FaultName } from '../../fixtures/farm/farm.ts';
import { PeerError, renderError } from '../../src/base/errors.ts';
import type { MinerLink } from '../../src/transport/request.ts';
import { acting, returned } from '../../test/contract/acting.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { lostAfterSending, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { braiinsOs as driver } from './index.ts';

const site = standing(driver, { miners: 20, mix: 'braiins-os', bootS: 0.3 });

const { of: at, act, actOver, look, shown, forbids, findsOut, withFault } = acting(driver, site);
const MODELS = ['S19 XP', 'S21', 'S21+', 'S9', 'S17'] as const;
/** A REST device and a GraphQL device. */
const BOTH = ['S19 XP', 'S21+'] as const;

test('is known by TCP alone, by its web page alone, and by both', async () => {
  for (const model of MODELS) {
    const { ip } = at(model);
    for (const ports of [[80], [4028], undefined]) {
      expect((await site().recognise(ip, ports))?.evidence.family, `${model} by ${ports}`).toBe('braiins-os');
    }
  }
});

describe.each(MODELS)('%s', (model) => {
  test('is read as it is', async () => {
    const device = at(model);
    const { reading, unparsable, isLoginRefused } = await site().read(device.ip);
    expect({ unparsable, isLoginRefused }).toEqual({ unparsable: [], isLoginRefused: false });
    expectTruth(reading, device);
  });

  test.each<{ readonly fault: FaultName; readonly value?: string | number }>([
    { fault: 'board-dead', value: 1 },
    { fault: 'fan-stopped', value: 0 },
    { fault: 'pool-dead' },
    { fault: 'hot' },
    { fault: 'psu-fault' },
    { fault: 'vendor-error', value: 'SOMETHING_NEW' },
    { fault: 'low-hashrate', value: 0.6 },
    { fault: 'duplicate-mac' },
  ])('with $fault $value is read as it is', async ({ fault, value }) => {
    const device = at(model, 1);
    // Not every model tells of every one of them.
    await withFault(device, fault, async () => expectTruth(await look(device), device), value);
  });

  test('asleep is read as it is', async () => {
    const device = at(model, 1);
    device.setMode('sleep');
    const { reading } = await site().read(device.ip);
    const truth = device.truth();
    device.setMode('normal');
    expectTruth(reading, { ...device, truth: () => truth });
  });

  test('a dead board in the middle does not move the one after it', async () => {
    const device = at(model, 1);
    device.setFault('board-dead', true, 1);
    const { boards } = (await site().read(device.ip)).reading;
    const hashing = boards?.filter(({ hashrateHs }) => hashrateHs !== undefined && hashrateHs > 0);
    expect(hashing?.map(({ slot }) => slot)).toEqual([0, 2]);
    device.setFault('board-dead', false);
  });
});

test.each([
  ['S19 XP', 4],
  ['S9', 2],
  ['S17', 1],
])('%s is asked %i questions per poll once it is known', async (model, wanted) => {
  const { ip } = at(model);
  const look = site().reader(ip);
  await look();
  const before = at(model).requests;
  const { reading } = await look();
  expect(at(model).requests - before).toBe(wanted);
  expectTruth(reading, at(model));
});

test('what rarer fields it has', async () => {
  const rest = at('S21');
  const { reading } = await site().read(rest.ip);
  expect(reading.hashrate24hHs).toBeCloseTo((rest.truth().hashrate ?? 0) * 0.99, -6);
  expect(reading).toMatchObject({ miningMode: 'normal', controlBoard: 'AMLogic', apiVersion: '1.3.0' });
  expect(reading.inletTempC).toBeGreaterThan(0);
  expect(reading).not.toHaveProperty('powerLimitW');
  expect((await site().read(at('S19 XP').ip)).reading.powerLimitW).toBe(3_300);
  expect((await site().read(at('S17').ip)).reading).toMatchObject({ powerLimitW: 2_500 });
});

test.each(['S19 XP', 'S21', 'S21+'])(
  '%s with its web server shut away tells by TCP what it has, and no more',
  async (model) => {
    const device = at(model, 1);
    const real = site().link(device.ip);
    const link: MinerLink = {
      ip: device.ip,
      send(request, limits) {
        if (request.via === 'cgminer') return real.send(request, limits);
        return Promise.reject(new PeerError('peer.refused', `connect to ${device.ip}:80`, 'soon'));
      },
    };
    device.setFault('board-dead', true, 1);
    const { reading, unparsable } = await site().read(device.ip, {}, link);
    const truth = device.truth();
    device.setFault('board-dead', false);
    expect(unparsable).toEqual([]);
    expect(reading).toMatchObject({ hashrateHs: expect.closeTo(truth.hashrate ?? 0, -3), powerW: truth.power });
    expect(reading).toMatchObject({
      tempC: truth.temp,
      isMining: true,
      pools: truth.pools.map(({ url }) => ({ url })),
    });
    expect(reading.fans?.map(({ rpm }) => rpm)).toEqual(truth.fans.map(({ rpm }) => rpm));
    // The dead board is left out, and the one after it keeps its slot.
    expect(reading.boards?.map(({ slot }) => slot)).toEqual([0, 2]);
    for (const untold of [
      'mac',
      'firmwareVersion',
      'hostname',
      'serialNumber',
      'miningMode',
      'isLightOn',
      'errors',
      'psus',
    ])
      expect(reading).not.toHaveProperty(untold);
    for (const { serialNumber, frequencyMhz } of reading.boards ?? [])
      expect([serialNumber, frequencyMhz]).toEqual([undefined, undefined]);
    expect(await refusalOf(actOver(link, 'reboot', {}))).toBe('peer.refused');
    expect(device.reboots).toBe(0);
  },
);

test('with a wrong password REST tells nothing, GraphQL all but the MAC; both say that the login is refused', async () => {
  for (const model of BOTH) {
    const device = at(model, 1);
    // Of its own, because as it left the factory any will do.
    const link = site().linkAs(device.ip, 'root', 'not this one');
    device.setFault('wrong-password', true);
    const outcome = await site().read(device.ip, {}, link);
    expect([outcome.isLoginRefused, outcome.reading.mac]).toEqual([true, undefined]);
    if (model === 'S21+') expect(outcome.reading.hashrateHs).toBeGreaterThan(0);
    for (const [name, params] of [
      ['reboot', {}],
      ['light', { on: true }],
      ['powerMode', { mode: 'sleep' }],
      ['pools', { pools: [{ url: 'stratum+tcp://a.example:1', user: 'w' }] }],
      ['log', {}],
    ] as const) {
      expect(await refusalOf(actOver(link, name, params)), `${model} ${name}`).toBe('peer.auth');
    }
    device.setFault('wrong-password', false);
    expect(device.reboots).toBe(0);
  }
});

describe.each(BOTH)('actions on %s', (model) => {
  test('the light goes on and off, and shows', async () => {
    const device = at(model, 2);
    for (const on of [true, false]) {
      expect(await act(device, 'light', { on })).toEqual({ kind: 'accepted' });
      expect(await shown(device, 'light', { on })).toBe(true);
      expect(await shown(device, 'light', { on: !on })).toBe(false);
    }
  });

  test('it sleeps and wakes', async () => {
    const device = at(model, 2);
    expect(await shown(device, 'powerMode', { mode: 'sleep' })).toBe(false);
    expect(await act(device, 'powerMode', { mode: 'sleep' })).toMatchObject({ kind: 'accepted' });
    expect(await shown(device, 'powerMode', { mode: 'sleep' })).toBe(true);
    expectTruth((await site().read(device.ip)).reading, device);
    expect(await act(device, 'powerMode', { mode: 'normal' })).toMatchObject({ kind: 'accepted' });
    expect(device.truth().mining_mode).toBe('power_tuning');
    const again = await act(device, 'powerMode', { mode: 'normal' });
    expect(again).toMatchObject({ note: expect.stringMatching(/already/) });
  });

  test('a power target is set, and one out of range is refused in its own words', async () => {
    const device = at(model, 3);
    expect(await act(device, 'powerMode', { preset: '2500 W' })).toEqual({ kind: 'accepted' });
    expect((await site().read(device.ip)).reading.powerLimitW).toBe(2_500);
    expect(await shown(device, 'powerMode', { preset: '2500' })).toBe(true);
    expect(await shown(device, 'powerMode', { preset: '2000W' })).toBe(false);
    const error: unknown = await act(device, 'powerMode', { preset: '90000 W' }).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'peer.rejected' });
    expect(renderError(error)).toMatch(/out of range|AutotuningError/);
    expect(await refusalOf(act(device, 'powerMode', { preset: '100 TH' }))).toBe('peer.rejected');
  });

  test('pools are replaced in the order that was asked for', async () => {
    const device = at(model, 3);
    const pools = [
      { url: 'stratum+tcp://new-a.example:3333', user: 'farm.x', password: 'y' },
      { url: 'stratum+tcp://new-b.example:443', user: 'farm.z' },
    ];
    expect(await shown(device, 'pools', { pools })).toBe(false);
    expect(await act(device, 'pools', { pools })).toMatchObject({ kind: 'accepted' });
    expect(await shown(device, 'pools', { pools })).toBe(true);
    const refused = { pools: [{ url: 'http://new.example:1', user: 'farm.x', password: 'hush-hush' }] };
    const error: unknown = await act(device, 'pools', refused).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'peer.rejected' });
    expect(renderError(error)).not.toContain('hush');
  });

  test('a device that says yes and does nothing is found out', async () => {
    const device = at(model);
    const pools = { pools: [{ url: 'stratum+tcp://other.example:1', user: 'w' }] };
    for (const [name, params] of [
      ['light', { on: true }],
      ['powerMode', { mode: 'sleep' }],
      ['pools', pools],
    ] as const)
      await findsOut(device, name, params);
    // A target is read back at once.
    await withFault(device, 'ignores-writes', () =>
      expect(act(device, 'powerMode', { preset: '2400 W' })).rejects.toMatchObject({ code: 'peer.rejected' }),
    );
  });

  test('refused where writing is switched off', async () => {
    const device = at(model, 3);
    for (const [name, params] of [
      ['reboot', {}],
      ['light', { on: true }],
      ['powerMode', { mode: 'sleep' }],
      ['powerMode', { preset: '2600 W' }],
    ] as const)
      await forbids(device, name, params);
    expect([device.reboots, device.truth().light_on]).toEqual([0, false]);
  });

  test('a mode that it does not have is refused before anything is sent', async () => {
    const device = at(model, 3);
    const before = device.requests;
    for (const params of [{ mode: 'low' }, { mode: 'high' }, { preset: 'eco' }, { preset: '0 W' }]) {
      expect(await refusalOf((async () => act(device, 'powerMode', params))())).toBe('peer.unsupported');
    }
    expect(device.requests).toBe(before);
  });

  test('an answer that is lost after sending is left to be seen', async () => {
    const device = at(model, 3);
    const real = site().link(device.ip);
    // What the real device is asked goes through; the answer to what changes it does not come back.
    const link: MinerLink = {
      ip: device.ip,
      async send(request, limits) {
        const answer = await real.send(request, limits);
        if (request.via !== 'http' || /login|"query \(?/.test(JSON.stringify(request.json ?? ''))) return answer;
        const isWrite = request.method === 'PUT' || JSON.stringify(request.json ?? '').includes('mutation');
        if (isWrite) throw lostAfterSending();
        return answer;
      },
    };
    const pools = { pools: [{ url: 'stratum+tcp://third.example:1', user: 'w' }] };
    for (const [name, params] of [
      ['light', { on: true }],
      ['powerMode', { mode: 'sleep' }],
      ['powerMode', { preset: '2700 W' }],
      ['pools', pools],
      ['reboot', {}],
    ] as const) {
      expect(await actOver(link, name, params), name).toEqual({ kind: 'lost-reply' });
    }
    await returned(device);
    expect(await shown(device, 'light', { on: true })).toBe(true);
    // A mining program that is stopped tells no pools.
    device.setMode('normal');
    expect(await shown(device, 'pools', pools)).toBe(true);
  });
});

test('old BOSminer can pause and resume by TCP, and nothing else', async () => {
  const device = at('S17', 2);
  const pools = { pools: [{ url: 'stratum+tcp://a.example:1', user: 'w' }] };
  for (const [name, params] of [
    ['reboot', {}],
    ['light', { on: true }],
    ['pools', pools],
    ['log', {}],
  ] as const) {
    expect(await refusalOf(act(device, name, params)), name).toBe('peer.unsupported');
  }
  expect(device.reboots).toBe(0);
  expect(await act(device, 'powerMode', { mode: 'sleep' })).toEqual({ kind: 'accepted' });
  expect(await shown(device, 'powerMode', { mode: 'sleep' })).toBe(true);
  await act(device, 'powerMode', { mode: 'normal' });
  await forbids(device, 'powerMode', { mode: 'sleep' });
});

describe('firmware and log', () => {
  const image = { name: 'bos.tar', sha256: '0'.repeat(64), bytes: new Blob(['an image']) };
  const { firmware } = driver.abilities;

  test('an image goes up and the device goes away; what it runs afterwards is the proof', async () => {
    const device = at('S21', 2);
    expect(await firmware?.act(site().link(device.ip), { version: '26.05' }, {}, image)).toEqual({ kind: 'accepted' });
    await returned(device);
    expect(await shown(device, 'firmware', { version: '26.04' })).toBe(true);
    expect(await shown(device, 'firmware', { version: '26.05' })).toBe(false);
    expect(await shown(device, 'firmware', {})).toBeUndefined();
  });

  test('no image, a version without uploads, a wrong password', async () => {
    const send = async (device: Device, link = site().link(device.ip), file?: typeof image) =>
      firmware?.act(link, {}, {}, file);
    expect(await refusalOf(send(at('S21', 3)))).toBe('peer.unsupported');
    expect(await refusalOf(send(at('S9', 3), undefined, image))).toBe('peer.unsupported');
    expect(at('S21', 3).reboots + at('S9', 3).reboots).toBe(0);
  });

  test('the log is text, wherever it comes from; REST has none before 26.04', async () => {
    expect(await act(at('S21'), 'log', {})).toMatchObject({ log: expect.stringMatching(/INFO bosminer/) });
    expect(await act(at('S9'), 'log', {})).toMatchObject({ log: expect.stringMatching(/INFO bosminer/) });
    expect(await refusalOf(act(at('S19 XP'), 'log', {}))).toBe('peer.unsupported');
  });
});

test('a token that has died is renewed without a word', async () => {
  const device = at('S19 XP');
  await act(device, 'light', { on: true });
  // No token outlives a reboot, and nobody tells the one who holds it.
  await act(device, 'reboot', {});
  await returned(device);
  expect(await act(device, 'light', { on: false })).toEqual({ kind: 'accepted' });
});
