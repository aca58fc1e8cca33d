// VNish on real sockets: read as it is in either unit, known by either server, changed under either form of its token.
import { describe, expect, test } from 'vitest';
import type { FaultName } from '../../fixtures/farm/farm.ts';
import { newTrial, withTrial } from '../../src/agent/device/login-attempts.ts';
import { PeerError, renderError } from '../../src/base/errors.ts';
import { acting, returned } from '../../test/contract/acting.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { vnish as driver } from './index.ts';

const site = standing(driver, { miners: 16, mix: 'vnish', bootS: 0.3 });

const { of: at, act, actOver, actUnheard, look, shown, forbids, findsOut, withFault } = acting(driver, site);
const MODELS = ['S19j Pro', 'S21', 'L7', 'S19 Pro Hydro'] as const;
/** Bare token and `find-miner`; bearer and `locate-miner`. */
const BOTH = ['S19j Pro', 'S21'] as const;

test('is known by TCP alone, by its web page alone, and by both', async () => {
  for (const model of MODELS) {
    const { ip } = at(model);
    expect((await site().recognise(ip, [80]))?.known).toEqual({ make: 'Antminer' });
    expect((await site().recognise(ip, [4028]))?.known).toMatchObject({
      model,
      firmwareVersion: expect.stringMatching(/^1\.\d\.\d$/),
    });
    expect((await site().recognise(ip))?.evidence.family).toBe('vnish');
  }
});

describe.each(MODELS)('%s', (model) => {
  test('is read as it is', async () => {
    const device = at(model);
    const { reading, failed, unparsable } = await site().read(device.ip);
    expect({ failed, unparsable }).toEqual({ failed: [], unparsable: [] });
    expectTruth(reading, device);
  });

  test.each<{ readonly fault: FaultName; readonly value?: string | number }>([
    { fault: 'board-dead', value: 1 },
    { fault: 'fan-stopped', value: 0 },
    { fault: 'pool-dead' },
    { fault: 'hot' },
    { fault: 'psu-fault' },
    { fault: 'vendor-error', value: 77 },
    { fault: 'low-hashrate', value: 0.6 },
    { fault: 'duplicate-mac' },
  ])('with $fault $value is read as it is', async ({ fault, value }) => {
    const device = at(model, 1);
    // Not every model tells of every one of them.
    await withFault(device, fault, async () => expectTruth(await look(device), device), value);
  });
});

test('a version that has TCP only is read there, in the unit that its ideal rate and its nameplate leave', async () => {
  for (const model of ['S21', 'L7'] as const) {
    const device = at(model);
    const link = site().link(device.ip);
    const shut: typeof link = {
      ...link,
      send: (request, limits) =>
        request.via === 'http'
          ? Promise.reject(new PeerError('peer.refused', 'connect', 'later'))
          : link.send(request, limits),
    };
    const { reading } = await site().read(device.ip, { model }, shut);
    const truth = device.truth();
    expect(reading).toMatchObject({ model, isMining: true, firmwareVersion: truth.firmware_version });
    expect(reading.fans).toHaveLength(4);
    expect(reading.boards?.map(({ chips }) => chips)).toEqual(truth.hashboards.map(({ chips }) => chips));
    const rates = [reading.hashrateHs, ...(reading.boards?.map(({ hashrateHs }) => hashrateHs) ?? [])];
    const boards = truth.hashboards.map(({ hashrate }) => hashrate);
    expect(rates).toEqual([truth.hashrate, ...boards].map((hs) => expect.closeTo(hs ?? 0, -9)));
  }
});

test('it is asked two questions per poll once it is known', async () => {
  const { ip } = at('S21');
  const look = site().reader(ip);
  await look();
  const before = at('S21').requests;
  expectTruth((await look()).reading, at('S21'));
  expect(at('S21').requests - before).toBe(2);
});

test('what rarer fields it has', async () => {
  const tuned = (await site().read(at('S21').ip)).reading;
  expect(tuned).toMatchObject({ miningModePreset: '3500', powerLimitW: 3_500, controlBoard: 'AMLogic' });
  expect(tuned).not.toHaveProperty('miningMode');
  expect(tuned.boards?.map(({ badChips }) => badChips)).toEqual([0, 0, 0]);
  at('S21').setFault('low-hashrate', true);
  expect((await site().read(at('S21').ip)).reading.boards?.map(({ badChips }) => badChips)).toEqual([1, 1, 1]);
  at('S21').setFault('low-hashrate', false);
  const scrypt = (await site().read(at('L7').ip)).reading;
  expect(scrypt).toMatchObject({ miningModePreset: '10275 M' });
  expect(scrypt).not.toHaveProperty('powerLimitW');
  const wet = (await site().read(at('S19 Pro Hydro').ip)).reading;
  expect(wet).toMatchObject({ fans: [], expected: { fans: 0, cooling: 'liquid' }, miningModePreset: 'disabled' });
  expect((wet.outletTempC ?? 0) - (wet.inletTempC ?? 0)).toBe(10);
  expect(wet.psus?.[0]?.tempC).toBeGreaterThan(0);
});

test('a wrong password is told as such, is tried once per action, and locks in the end', async () => {
  const device = at('S21', 1);
  device.setFault('wrong-password', true);
  const link = site().link(device.ip);
  device.setFault('wrong-password', false);
  // Reads need no login.
  expectTruth((await site().read(device.ip)).reading, device);
  const pools = { pools: [{ url: 'stratum+tcp://a.example:1', user: 'w' }] };
  for (const [name, params] of [
    ['reboot', {}],
    ['light', { on: true }],
    ['powerMode', { mode: 'sleep' }],
    ['powerMode', { preset: '3000' }],
    ['pools', pools],
  ] as const) {
    expect(await refusalOf(actOver(link, name, params)), name).toBe('peer.auth');
  }
  expect(await refusalOf(actOver(link, 'reboot', {}))).toBe('peer.busy');
  expect([device.reboots, device.truth().light_on]).toEqual([0, false]);
});

describe.each(BOTH)('actions on %s', (model) => {
  test('the light goes on and off, and is not turned over by a second order', async () => {
    const device = at(model, 2);
    for (const on of [true, false]) {
      expect(await act(device, 'light', { on })).toEqual({ kind: 'accepted' });
      expect(await act(device, 'light', { on })).toEqual({ kind: 'accepted', note: 'it was so already' });
      expect(await shown(device, 'light', { on })).toBe(true);
      expect(await shown(device, 'light', { on: !on })).toBe(false);
    }
  });

  test('it sleeps and wakes, and keeps its preset', async () => {
    const device = at(model, 2);
    const preset = (await site().read(device.ip)).reading.miningModePreset;
    expect(await shown(device, 'powerMode', { mode: 'sleep' })).toBe(false);
    expect(await act(device, 'powerMode', { mode: 'sleep' })).toEqual({ kind: 'accepted' });
    expect(await shown(device, 'powerMode', { mode: 'sleep' })).toBe(true);
    expect(await shown(device, 'powerMode', { mode: 'normal' })).toBe(false);
    const { reading } = await site().read(device.ip);
    expectTruth(reading, device);
    expect(reading.boards?.some(({ badChips }) => badChips !== undefined)).toBe(false);
    expect(await act(device, 'powerMode', { mode: 'normal' })).toEqual({ kind: 'accepted' });
    expect(await shown(device, 'powerMode', { mode: 'normal' })).toBe(true);
    expect((await site().read(device.ip)).reading.miningModePreset).toBe(preset);
    expect(await act(device, 'powerMode', { mode: 'normal' })).toMatchObject({
      note: expect.stringMatching(/already/),
    });
  });

  test('a preset is set by its name, and one that it does not have is refused and not sent', async () => {
    const device = at(model, 3);
    const preset = String(device.spec.powerW - 500);
    expect(await act(device, 'powerMode', { preset })).toEqual({ kind: 'accepted', note: 'mining restarts' });
    expect(await shown(device, 'powerMode', { preset })).toBe(true);
    expect(await shown(device, 'powerMode', { preset: 'disabled' })).toBe(false);
    expect((await site().read(device.ip)).reading).toMatchObject({ powerLimitW: device.spec.powerW - 500 });
    expect(await act(device, 'powerMode', { preset })).toEqual({ kind: 'accepted', note: 'it was so already' });
    await expect(act(device, 'powerMode', { preset: 'no-such' })).rejects.toMatchObject({
      code: 'peer.unsupported',
      wasSent: false,
    });
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
    const before = device.requests;
    const secured = { pools: [{ url: 'stratum+ssl://a.example:443', user: 'w', password: 'hush-hush' }] };
    const error: unknown = await (async () => act(device, 'pools', secured))().catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'peer.unsupported' });
    expect(renderError(error)).not.toContain('hush');
    expect(device.requests).toBe(before);
  });

  test('a device that says yes and does nothing is found out', async () => {
    const device = at(model);
    for (const [name, params] of [
      ['light', { on: true }],
      ['powerMode', { mode: 'sleep' }],
      ['pools', { pools: [{ url: 'stratum+tcp://other.example:1', user: 'w' }] }],
    ] as const)
      await findsOut(device, name, params);
    // A preset is read back at once.
    const preset = String(device.spec.powerW + 500);
    await withFault(device, 'ignores-writes', () =>
      expect(act(device, 'powerMode', { preset })).rejects.toMatchObject({ code: 'peer.rejected' }),
    );
  });

  test('refused where writing is switched off', async () => {
    const device = at(model, 3);
    for (const [name, params] of [
      ['reboot', {}],
      ['light', { on: true }],
      ['powerMode', { mode: 'sleep' }],
      ['powerMode', { preset: 'disabled' }],
      ['pools', { pools: [{ url: 'stratum+tcp://a.example:1', user: 'w' }] }],
    ] as const)
      await forbids(device, name, params);
    expect([device.reboots, device.truth().light_on]).toEqual([0, false]);
  });

  test('a mode that it does not have is refused before anything is sent', async () => {
    const device = at(model, 3);
    const before = device.requests;
    for (const mode of ['low', 'high']) {
      expect(await refusalOf((async () => act(device, 'powerMode', { mode }))())).toBe('peer.unsupported');
    }
    expect(device.requests).toBe(before);
  });

  test('an answer that is lost after sending is left to be seen', async () => {
    const device = at(model, 3);
    const pools = { pools: [{ url: 'stratum+tcp://third.example:1', user: 'w' }] };
    for (const [name, params] of [
      ['light', { on: true }],
      ['powerMode', { mode: 'sleep' }],
      ['powerMode', { preset: String(device.spec.powerW + 500) }],
      ['pools', pools],
      ['reboot', {}],
    ] as const) {
      expect(await actUnheard(device, name, params), name).toEqual({ kind: 'lost-reply' });
    }
    await returned(device);
    expect(await shown(device, 'light', { on: true })).toBe(true);
    expect(await shown(device, 'pools', pools)).toBe(true);
  });

  test('a reboot takes it away; one that is ignored is accepted and does not', async () => {
    const device = at(model, 2);
    device.setFault('ignores-reboot', true);
    expect(await act(device, 'reboot', {})).toEqual({ kind: 'accepted' });
    expect(device.reboots).toBe(0);
    device.setFault('ignores-reboot', false);
    expect((await act(device, 'reboot', {})).kind).toBe('accepted');
    await returned(device);
  });
});

test('a token in the wrong form is no refused login: the agent, which tries a login once, gets through', async () => {
  const device = at('S19j Pro');
  const trial = newTrial();
  const link = withTrial(site().link(device.ip), trial);
  for (const on of [true, false]) {
    expect(await actOver(link, 'light', { on })).toEqual({ kind: 'accepted' });
    expect([device.truth().light_on, trial.verdict]).toEqual([on, 'accepted']);
  }
});

describe('firmware and log', () => {
  const image = { name: 'vnish.tar.gz', sha256: '0'.repeat(64), bytes: new Blob(['an image']) };
  const { firmware } = driver.abilities;

  test('an image goes up with its settings kept, under either token; what it runs afterwards is the proof', async () => {
    for (const device of [at('S19j Pro', 1), at('L7', 2)]) {
      expect(await firmware?.act(site().link(device.ip), { version: '1.9' }, {}, image)).toEqual({ kind: 'accepted' });
      await returned(device);
      expect(await shown(device, 'firmware', { version: '1.9' })).toBe(false);
      expect(await shown(device, 'firmware', { version: String(device.truth().firmware_version) })).toBe(true);
      expect(await shown(device, 'firmware', {})).toBeUndefined();
    }
  });

  test('nothing is sent without an image', async () => {
    const device = at('L7', 3);
    const before = device.requests;
    expect(await refusalOf((async () => firmware?.act(site().link(device.ip), {}, {}))())).toBe('peer.unsupported');
    expect(device.requests).toBe(before);
  });

  test('the log is text, without login', async () => {
    expect(await act(at('S21'), 'log', {})).toMatchObject({ log: expect.stringMatching(/INFO: Antminer S21/) });
  });
});
