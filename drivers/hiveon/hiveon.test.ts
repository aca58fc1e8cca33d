// Hiveon firmware: names and generations, the chains of a T9, and what it can be told, against simulated devices on
// real sockets.
import { describe, expect, test } from 'vitest';
import type { AbilityName } from '../../src/driver/contract.ts';
import { acting } from '../../test/contract/acting.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { fakeLink, lostAfterSending, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { hiveon } from './index.ts';
import { generationOf, modelOf } from './read.ts';

const site = standing(hiveon, { miners: 4, mix: 'hiveon', bootS: 0.4, patience: 0.2 });

const modern = acting(hiveon, site, { generation: 'modern' });
const old = acting(hiveon, site, { generation: 'old' });

test.each([
  ['S19', 'modern'],
  ['T9', 'old'],
])('%s is named by TCP, of generation %s, and read as it is', async (model, generation) => {
  const device = modern.of(model);
  const found = await site().recognise(device.ip);
  expect(found?.known).toEqual({ make: 'Antminer', model, generation, firmwareVersion: expect.any(String) });
  const outcome = await site().read(device.ip, found?.known);
  // The light is asked in the way of stock first, and then by a form.
  expect(outcome.failed.map(({ ask }) => ask)).toEqual(['blink']);
  expectTruth(outcome.reading, device);
});

test.each([
  ['Antminer S19 HIVEON', 'S19', 'modern'],
  ['Antminer S19JPro (Hiveon 1.2)', 'S19j Pro', 'modern'],
  ['ANTMINER T9-Hiveon', 'T9', 'old'],
  ['Antminer S9j HIVEON', 'S9j', 'old'],
  ['HIVEON', undefined, undefined],
  [undefined, undefined, undefined],
])('%s is %s, %s', (reported, model, generation) => {
  const { name } = modelOf(reported);
  expect(name).toBe(model);
  expect(generationOf(name)).toBe(generation);
});

const chain = (number: number, rate: string, acn = 18) => ({
  [`chain_acn${number}`]: acn,
  [`chain_rate${number}`]: rate,
  [`temp2_${number}`]: 70 + number,
});
const t9 = (...chains: object[]) =>
  hiveon.read(
    { stats: { STATS: [{ Type: 'Antminer T9 HIVEON' }, { STATS: 0, Elapsed: 9, ...Object.assign({}, ...chains) }] } },
    {},
  ).reading.boards;

test('a board of a T9 is three chains; one that lacks a rate has none; a dead one leaves the others in place', () => {
  expect(
    t9(chain(2, '1200'), chain(9, '1300'), chain(10, '1250'), chain(4, '1000'), chain(13, ''), chain(14, '900')),
  ).toEqual([
    { slot: 0, chips: 54, hashrateHs: 3_750e9, chipTempMaxC: 80, chipTempAvgC: 77 },
    { slot: 2, chips: 54, chipTempMaxC: 84, chipTempAvgC: expect.closeTo(80.333, 2) },
  ]);
});

describe.each([
  ['S19', modern],
  ['T9', old],
] as const)('the light of a %s', (model, miner) => {
  test.each([0, 1])('of device %i blinks whether it answers or keeps silent, and stops', async (nth) => {
    const device = miner.of(model, nth);
    for (const on of [true, false]) {
      expect((await miner.act(device, 'light', { on })).kind).toBe('accepted');
      expect(await miner.shown(device, 'light', { on })).toBe(true);
      expect(device.truth().light_on).toBe(on);
    }
  });

  test('is refused, only said to be on, or switched unheard', async () => {
    const device = miner.of(model);
    await miner.forbids(device, 'light', { on: true });
    await miner.withFault(device, 'ignores-writes', async () => {
      expect(await refusalOf(miner.act(device, 'light', { on: true }))).toBe('peer.rejected');
      expect(await miner.shown(device, 'light', { on: true })).toBe(false);
    });
    await miner.refusedLogin(device, 'light', { on: true });
    // A look right after it stands for the answer that was lost.
    expect(await miner.actUnheard(device, 'light', { on: true })).toEqual({ kind: 'accepted' });
    await miner.act(device, 'light', { on: false });
  });
});

describe('modes and pools', () => {
  const pools = [{ url: 'stratum+tcp://new.example:3333', user: 'farm.w1', password: 'x' }];
  const ORDERS: readonly [AbilityName, object][] = [
    ['powerMode', { mode: 'sleep' }],
    ['pools', { pools }],
  ];

  test('it sleeps and wakes, keeps its pools, and says so', async () => {
    const device = modern.of('S19');
    const before = device.truth().pools.map(({ url }) => url);
    for (const mode of ['sleep', 'normal']) {
      expect(await modern.act(device, 'powerMode', { mode })).toEqual({ kind: 'accepted', note: 'M000' });
      expect(await modern.shown(device, 'powerMode', { mode })).toBe(true);
      expectTruth(await modern.look(device), device);
    }
    expect(device.truth().pools.map(({ url }) => url)).toEqual(before);
  });

  test('it takes pools, and keeps its mode', async () => {
    const device = modern.of('S19', 1);
    expect(await modern.act(device, 'pools', { pools })).toEqual({ kind: 'accepted', note: 'M000' });
    expect(await modern.shown(device, 'pools', { pools })).toBe(true);
    expectTruth(await modern.look(device), device);
  });

  test('it says no, says yes without doing it, or does it unheard', async () => {
    const device = modern.of('S19');
    for (const [name, params] of ORDERS) {
      await modern.forbids(device, name, params);
      await modern.findsOut(device, name, params, name === 'powerMode' ? 'at once' : 'later');
      await modern.refusedLogin(device, name, params);
      expect(await modern.actUnheard(device, name, params), name).toEqual({ kind: 'lost-reply' });
      await expect.poll(() => modern.shown(device, name, params)).toBe(true);
    }
    await modern.act(device, 'powerMode', { mode: 'normal' });
  });

  test('modes that it lacks are refused unsent, and everything by an old machine before anything is changed', async () => {
    const link = fakeLink(() => ({}));
    for (const mode of ['low', 'high'])
      expect(await refusalOf(modern.ability('powerMode').act(link, { mode }, {}))).toBe('peer.unsupported');
    expect(link.sent).toEqual([]);
    const device = old.of('T9');
    for (const [name, params] of ORDERS)
      await expect(old.act(device, name, params)).rejects.toMatchObject({ code: 'peer.unsupported', wasSent: false });
    expect(device.truth().hashrate).toBeGreaterThan(0);
  });

  test('all that Bitmain’s web of 2020 wants back is sent: both names of the mode, the level, three pools', async () => {
    const link = fakeLink((request) =>
      'json' in request
        ? { code: 'M000' }
        : {
            'bitmain-fan-ctrl': false,
            'bitmain-fan-pwm': '100',
            'bitmain-freq-level': '90',
            'bitmain-work-mode': '0',
            'bitmain-freq': '675',
            pools: [{ url: 'a', user: 'b', pass: 'c' }],
          },
    );
    const refused = modern.ability('powerMode').act(link, { mode: 'sleep' }, {});
    expect(await refusalOf(refused)).toBe('peer.rejected');
    const empty = { url: '', user: '', pass: '' };
    expect(link.sent[1]).toMatchObject({
      json: {
        'bitmain-fan-ctrl': false,
        'bitmain-fan-pwm': '100',
        'freq-level': '90',
        'miner-mode': '1',
        'bitmain-work-mode': '1',
        pools: [{ url: 'a', user: 'b', pass: 'c' }, empty, empty],
      },
    });
  });
});

test('it reboots, whether it answers or not', async () => {
  const device = old.of('T9', 1);
  await old.refusedLogin(device, 'reboot', {}, 'along');
  expect(await old.actUnheard(device, 'reboot')).toEqual({ kind: 'lost-reply' });
  await expect.poll(() => device.reboots).toBe(1);
  const link = fakeLink(() => {
    throw lostAfterSending();
  });
  expect(await old.ability('reboot').act(link, {}, {})).toEqual({ kind: 'lost-reply' });
});
