// Antminers with stock firmware from 2020 on, on real sockets: each order accepted, refused, ignored or unheard, on
// generations B and C.
import { Blob } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import type { Device } from '../../fixtures/farm/farm.ts';
import { PeerError } from '../../src/base/errors.ts';
import type { AbilityName, FirmwareImage } from '../../src/driver/contract.ts';
import type { VisitOutcome } from '../../src/driver/visit/visit.ts';
import type { Reading } from '../../src/model/reading.ts';
import { acting } from '../../test/contract/acting.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { type BundleItem, bundleOf } from '../../test/unit/drivers/bundle-file.ts';
import { fakeLink, lostAfterSending, neverSent, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { antminerStock as driver } from './index.ts';

const site = standing(driver, {
  miners: 20,
  mix: 'antminer-b=1,antminer-c=1',
  bootS: 0.4,
});

const b = acting(driver, site, { generation: 'b' });
const c = acting(driver, site, { generation: 'c' });
const GENERATIONS = [
  ['B', b, 'S19 Pro'],
  ['C', c, 'S21'],
] as const;
const [A, B] = [
  { url: 'stratum+tcp://a.example:3333', user: 'farm.a', password: '"é%' },
  { url: 'stratum+tcp://b.example:443', user: 'farm.b', password: '' },
];
const EMPTY = { url: '', user: '', pass: '' };
const confOf = ({ ip }: Device) =>
  site().link(ip).send({ via: 'http', method: 'GET', path: '/cgi-bin/get_miner_conf.cgi', auth: 'digest', as: 'json' });
const isRead = (request: object) => 'method' in request && request.method === 'GET';

/** The pages name serial numbers of boards beside it. */
const gist = ({ hashrateHs, tempC, fans, miningMode, isMining, pools, boards }: Reading) => ({
  ...{ hashrateHs, tempC, fans, miningMode, isMining },
  pools: pools?.map(({ url, user, isAlive, isActive }) => [url, user, isAlive, isActive]),
  boards: boards?.map(({ slot, hashrateHs: boardHs, chips, frequencyMhz }) => [slot, boardHs, chips, frequencyMhz]),
});

describe.each(GENERATIONS)('generation %s', (_, miner, model) => {
  test('takes every mode, keeps its pools, and starts anew without hashing', async () => {
    const device = miner.of(model);
    const { pools } = device.truth();
    for (const mode of ['sleep', 'low', 'high', 'normal']) {
      expect(await miner.act(device, 'powerMode', { mode })).toEqual({ kind: 'accepted', note: 'M000' });
      expect(await miner.shown(device, 'powerMode', { mode })).toBe(true);
      const reading = await miner.look(device);
      expectTruth(reading, device);
      expect(reading).toMatchObject({ miningMode: mode, isMining: false, uptimeS: 0 });
    }
    expect(device.truth().pools.map(({ url }) => url)).toEqual(pools.map(({ url }) => url));
    expect(await miner.act(device, 'powerMode', { mode: 'normal' })).toMatchObject({ note: 'was so before' });
  });

  test('with its TCP port shut tells the same by its pages', async () => {
    const device = miner.of(model, 2);
    const link = site().link(device.ip);
    const { reading, failed } = await site().read(
      device.ip,
      { generation: model === 'S21' ? 'c' : 'b' },
      {
        ...link,
        send: (request, limits) => {
          if (request.via === 'cgminer') throw neverSent();
          return link.send(request, limits);
        },
      },
    );
    expect(gist(reading)).toEqual(gist(await miner.look(device)));
    expect(failed.map(({ ask }) => ask).toSorted()).toEqual(['pools', 'stats', 'version']);
  });

  test('tells nothing over TCP while it starts anew, and its configuration all the same', async () => {
    const device = miner.of(model, 1);
    let outcome: VisitOutcome | undefined;
    // It is soon up again: a look that came too late is taken once more.
    for (let turn = 0; turn < 20 && !outcome?.failed.some(({ ask }) => ask === 'stats'); turn++) {
      const mode = turn % 2 === 0 ? 'sleep' : 'low';
      const order = miner.act(device, 'powerMode', { mode });
      await expect.poll(() => device.truth().mining_mode, { interval: 5 }).toBe(mode);
      outcome = await site().read(device.ip, { generation: model === 'S21' ? 'c' : 'b' });
      await order;
    }
    expect(outcome?.failed.map(({ ask }) => ask)).toEqual(expect.arrayContaining(['stats']));
    expect(outcome?.reading.miningMode).toBe(device.truth().mining_mode);
    await miner.act(device, 'powerMode', { mode: 'normal' });
  });

  test('takes pools and keeps the rest of its configuration', async () => {
    const device = miner.of(model, 2);
    const before = await confOf(device);
    expect(await miner.act(device, 'pools', { pools: [A, B] })).toEqual({ kind: 'accepted', note: 'M000' });
    expect(await miner.shown(device, 'pools', { pools: [A, B] })).toBe(true);
    expectTruth(await miner.look(device), device);
    expect(await confOf(device)).toEqual({
      ...(typeof before === 'object' ? before : {}),
      pools: [{ url: A.url, user: A.user, pass: A.password }, { url: B.url, user: B.user, pass: B.password }, EMPTY],
    });
    expect(await miner.act(device, 'pools', { pools: [A, B] })).toMatchObject({ note: 'they were so already' });
    expect(await miner.act(device, 'pools', { pools: [A, { ...B, password: 'new' }] })).toMatchObject({ note: 'M000' });
    expect(miner.ability('pools').params.safeParse({ pools: [A, A, A, A] }).success).toBe(false);
  });

  test('blinks, and stops', async () => {
    const device = miner.of(model);
    for (const on of [true, false]) {
      expect(await miner.act(device, 'light', { on })).toEqual({ kind: 'accepted', note: on ? 'B000' : 'B100' });
      expect(await miner.shown(device, 'light', { on })).toBe(true);
      expect(await miner.shown(device, 'light', { on: !on })).toBe(false);
    }
  });

  /** Sent without a look before. */
  const AT_ONCE: ReadonlySet<AbilityName> = new Set(['light', 'log', 'reboot']);
  const ORDERS: readonly [AbilityName, object][] = [
    ['light', { on: true }],
    ['powerMode', { mode: 'sleep' }],
    ['pools', { pools: [A] }],
  ];

  test('says no, and says yes without doing it', async () => {
    const device = miner.of(model, 3 % (model === 'S21' ? 4 : 3));
    for (const [name, params] of ORDERS) {
      await miner.forbids(device, name, params);
      await miner.findsOut(device, name, params, name === 'powerMode' ? 'at once' : 'later');
    }
    for (const [name, params] of [...ORDERS, ['log', {}], ['reboot', {}]] as const)
      await miner.refusedLogin(device, name, params, AT_ONCE.has(name) ? 'along' : 'first');
    expect(device.reboots).toBe(0);
  });

  test('does what it cannot confirm', async () => {
    const device = miner.of(model, 1);
    for (const [name, params] of ORDERS) {
      expect(await miner.actUnheard(device, name, params), name).toEqual({ kind: 'lost-reply' });
      await expect.poll(() => miner.shown(device, name, params)).toBe(true);
    }
    await miner.act(device, 'powerMode', { mode: 'normal' });
  });
});

describe('the configuration goes back', () => {
  const conf = {
    'bitmain-fan-ctrl': true,
    'bitmain-fan-pwm': '80',
    'bitmain-freq-level': '90',
    'bitmain-work-mode': '0',
    pools: [{ url: 'a', user: 'b', pass: 'c' }],
  };
  const write = async (name: AbilityName, params: object, given: object, generation?: string) => {
    const link = fakeLink((request) => (isRead(request) ? given : { code: 'M000' }));
    const known = generation === undefined ? {} : { generation };
    await b
      .ability(name)
      .act(link, params, known)
      .catch(() => undefined);
    return link.sent.flatMap((request) => ('json' in request ? [request.json] : []));
  };
  const asRead = { 'bitmain-fan-ctrl': true, 'bitmain-fan-pwm': '80', 'freq-level': '90' };

  test.each([
    ['b', 1],
    ['c', '1'],
    [undefined, '1'],
  ])('whole, with the mode under both names in the form of generation %s', async (generation, mode) => {
    const modes = { 'miner-mode': mode, 'bitmain-work-mode': mode };
    expect(await write('powerMode', { mode: 'sleep' }, conf, generation)).toEqual([
      { ...asRead, ...modes, pools: [{ url: 'a', user: 'b', pass: 'c' }, EMPTY, EMPTY] },
    ]);
  });

  test('with new pools and every mode that it had', async () => {
    const pools = [{ url: A.url, user: A.user, pass: A.password }, EMPTY, EMPTY];
    const body = async (modes: object, generation: string) =>
      write('pools', { pools: [A] }, { ...conf, ...modes }, generation);
    expect(await body({}, 'b')).toEqual([{ ...asRead, 'miner-mode': 0, 'bitmain-work-mode': 0, pools }]);
    const torn = { 'miner-mode': '1', 'bitmain-work-mode': '0' };
    expect(await body(torn, 'c')).toEqual([{ ...asRead, ...torn, pools }]);
  });

  test('although its two names for the mode disagree', async () => {
    const sent = await write('powerMode', { mode: 'normal' }, { ...conf, 'miner-mode': '1' }, 'c');
    expect(sent).toMatchObject([{ 'miner-mode': '0', 'bitmain-work-mode': '0' }]);
  });

  test('or nothing is written: without a mode, without pools, as a page of words', async () => {
    const { 'bitmain-work-mode': _, ...modeless } = conf;
    for (const given of [modeless, { ...conf, pools: [] }, '<html>'])
      expect(await write('powerMode', { mode: 'sleep' }, Object(given), 'b')).toEqual([]);
  });

  test('and a no is a no', async () => {
    const link = fakeLink((request) => (isRead(request) ? conf : { stats: 'error', code: 'M002' }));
    for (const [name, params] of [
      ['powerMode', { mode: 'sleep' }],
      ['pools', { pools: [A] }],
    ] as const)
      expect(await refusalOf(b.ability(name).act(link, params, { generation: 'b' }))).toBe('peer.rejected');
  });
});

describe('log', () => {
  test.each([
    [b, 'S19'],
    [b, 'S19j Pro'],
    [c, 'S21 Pro'],
  ] as const)('is found on whichever page has it (%#)', async (miner, model) => {
    const result = await miner.act(miner.of(model), 'log');
    expect(result.kind === 'accepted' && result.log).toContain('Booting Linux');
  });

  test('is refused when it is too long, and a page that fails is no page that is missing', async () => {
    const failing = (code: 'peer.too-large' | 'peer.timeout') =>
      fakeLink(() => {
        throw new PeerError(code, 'get', 'later', undefined, { wasSent: true });
      });
    const tooLong = failing('peer.too-large');
    expect(await refusalOf(b.ability('log').act(tooLong, {}, {}))).toBe('peer.rejected');
    const silent = failing('peer.timeout');
    expect(await refusalOf(b.ability('log').act(silent, {}, {}))).toBe('peer.timeout');
    expect([tooLong.sent.length, silent.sent.length]).toEqual([1, 1]);
  });
});

describe('firmware', () => {
  const image = (bytes: Buffer): FirmwareImage => ({
    name: 'Antminer-merge.bmu',
    sha256: '0'.repeat(64),
    bytes: new Blob([new Uint8Array(bytes)]),
  });
  const item = (model: string, subtype: string, version: string): BundleItem => ({
    name: `${subtype}.bin`,
    hardware: subtype,
    model,
    payload: `firmware "${version}" for ${subtype === '' ? model : subtype}`,
  });
  const merged = (version: string) =>
    image(
      bundleOf([
        item('Antminer S21', 'CVCtrl_BHB68601', version),
        item('Antminer S21', 'AMLCtrl_BHB68601', version),
        item('Antminer S19 Pro', 'CVCtrl_BHB42601', version),
        item('Antminer S19', '', version),
      ]),
    );

  test.each([
    [c, 'S21', 'FR-1.13(251101-S21)'],
    [b, 'S19 Pro', 'Thu Jul 13 11:02:17 CST 2023'],
    [b, 'S19', 'Fri Jan 13 11:02:17 CST 2023'],
  ] as const)('goes up in part, and the machine comes back with it (%#)', async (miner, model, version) => {
    const device = miner.of(model, 1);
    expect(await miner.act(device, 'firmware', {}, merged(version))).toEqual({ kind: 'accepted', note: 'U000' });
    await expect.poll(() => [device.reboots, device.isUp]).toEqual([1, true]);
    expect((await miner.look(device)).firmwareVersion).toBe(version);
  });

  test('for other machines, damaged, in another form, or none, is not sent', async () => {
    const device = c.of('S21 Pro');
    const before = device.requests;
    await expect(c.act(device, 'firmware', {}, merged('1'))).rejects.toMatchObject({
      code: 'peer.unsupported',
      wasSent: false,
      cause: {
        message: expect.stringMatching(/^Antminer-merge\.bmu: it is for .*, not for Antminer S21 Pro with AML/),
      },
    });
    const damaged = bundleOf([item('Antminer S21 Pro', 'AMLCtrl_BHB68801', '1')]);
    damaged[damaged.length - 1] = 0;
    for (const file of [image(damaged), image(Buffer.from([0x1f, 0x8b, 8, 0])), undefined])
      expect(await refusalOf(c.act(device, 'firmware', {}, file))).toBe('peer.unsupported');
    // Which machine it is, and nothing more.
    expect(device.requests - before).toBeLessThanOrEqual(8);
    expect(device.reboots).toBe(0);
  });

  test('that the machine refuses, ignores or takes in silence', async () => {
    const device = c.of('S21', 2);
    const bad = image(bundleOf([{ ...item('Antminer S21', 'AMLCtrl_BHB68601', '1'), payload: 'home made' }]));
    await expect(c.act(device, 'firmware', {}, bad)).rejects.toMatchObject({
      code: 'peer.rejected',
      cause: { message: 'the device says U001 Firmware verify failed' },
    });
    await c.withFault(device, 'write-api-off', async () =>
      expect(await refusalOf(c.act(device, 'firmware', {}, merged('2')))).toBe('peer.permission'),
    );
    // Made with the password of before.
    const link = site().link(device.ip);
    await c.withFault(device, 'wrong-password', async () =>
      expect(await refusalOf(c.ability('firmware').act(link, {}, { generation: 'c' }, merged('2')))).toBe('peer.auth'),
    );
    await c.withFault(device, 'ignores-writes', async () =>
      expect(await c.act(device, 'firmware', {}, merged('2'))).toMatchObject({ kind: 'accepted' }),
    );
    expect(device.reboots).toBe(0);
    expect(await c.actUnheard(device, 'firmware', {}, merged('2'))).toEqual({ kind: 'lost-reply' });
    await expect.poll(() => device.reboots).toBe(1);
  });
});

test('a reboot whose answer is lost is left to be seen', async () => {
  const device = b.of('S19', 2);
  expect(await b.actUnheard(device, 'reboot')).toEqual({ kind: 'lost-reply' });
  await expect.poll(() => device.reboots).toBe(1);
});

test('where the generation is not known it is asked first', async () => {
  const unknown = acting(driver, site);
  const device = unknown.of('S21', 3);
  expect(await unknown.act(device, 'powerMode', { mode: 'low' })).toMatchObject({ kind: 'accepted' });
  expect(await unknown.shown(device, 'powerMode', { mode: 'low' })).toBe(true);
  const link = fakeLink(() => {
    throw lostAfterSending();
  });
  await expect(unknown.ability('powerMode').act(link, { mode: 'low' }, {})).rejects.toMatchObject({ wasSent: false });
});
