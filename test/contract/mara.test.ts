// MARA firmware: whose words it speaks, the two units of its rates, its modes, and what it can be told, against simulated devices on real sockets.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { mara } from '../../drivers/mara/driver.ts';
import { type Device, type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import { chooseDriver, gatherEvidence } from '../../src/driver/identify.ts';
import { createVisitMemory, visit } from '../../src/driver/visit.ts';
import { createTransport, type Transport } from '../../src/transport/transport.ts';
import { fakeLink, lostAfterSending, refusalOf } from '../unit/drivers/fake-link.ts';

const PORTS = { 80: 18_082, 4028: 14_030 };

let farm: Farm;
let transport: Transport;
beforeAll(async () => {
  farm = await startFarm({
    network: '127.91.19.0/28',
    miners: 4,
    mix: 'mara',
    freeze: true,
    portMap: PORTS,
    bootS: 1,
  });
  transport = createTransport({
    clock: systemClock,
    log: silentLog,
    portMap: new Map(Object.entries(PORTS).map(([from, to]) => [Number(from), to])),
  });
});
afterAll(async () => {
  await transport.close();
  await farm.stop();
});

function device(model: string): Device {
  const found = farm.devices.find(({ spec }) => spec.model === model);
  if (found === undefined) throw new Error(`no ${model} in the farm`);
  return found;
}

const linkTo = ({ ip }: Device, password = 'root') =>
  transport.link(ip, { user: 'root', password: new Secret(password) });

const look = async (of: Device) => {
  const { reading } = await visit({
    driver: mara,
    known: {},
    link: linkTo(of),
    memory: createVisitMemory(),
    rhythms: { slowMs: 300_000, staticMs: 3_600_000 },
    clock: systemClock,
    deadlineMs: 10_000,
  });
  return reading;
};

test('TCP names it although the web speaks like stock; the web alone is taken for stock', async () => {
  const { ip } = device('S21');
  const choose = async (...ports: number[]) => {
    const { evidence } = await gatherEvidence(transport.link(ip), new Set(ports), { clock: systemClock });
    return chooseDriver(drivers, evidence);
  };
  expect((await choose(4028))?.identity).toEqual({ confidence: 'sure', make: 'Antminer', model: 'S21' });
  expect((await choose(80, 4028))?.driver.id).toBe('mara');
  expect((await choose(80))?.driver.id).toBe('antminer-stock');
});

describe('the unit of the rates', () => {
  const rate = (now: number, idealGhs?: number, average?: number) =>
    mara.read(
      {
        brief: {
          hashrate_realtime: now,
          ...(average !== undefined && { hashrate_average: average }),
          ...(idealGhs !== undefined && { hashrate_ideal: idealGhs }),
        },
      },
      {},
    ).reading.hashrateHs;

  test.each([
    ['TH/s', 103.5, 104_000, 103.5e12],
    ['GH/s', 103_500, 104_000, 103.5e12],
    ['TH/s at a tenth', 10.4, 104_000, 10.4e12],
    ['GH/s at a tenth', 10_400, 104_000, 10.4e12],
    ['GH/s in a warm-up', 500, 104_000, 500e9],
    ['nothing', 0, 104_000, 0],
  ])('%s', (_, now, idealGhs, hs) => expect(rate(now, idealGhs)).toBeCloseTo(hs, -3));

  test('cannot be known without an ideal rate', () => {
    expect(rate(103.5)).toBeUndefined();
    expect(rate(103.5, 0)).toBeUndefined();
    expect(rate(0)).toBe(0);
  });

  test('boards have the unit of the whole', () => {
    const boards = (now: number, board: number) =>
      mara.read(
        {
          brief: { hashrate_realtime: now, hashrate_ideal: 104_000 },
          hashboards: { hashboards: [{ index: 2, asic_num: 126, hashrate_average: board }] },
        },
        {},
      ).reading.boards;
    expect(boards(103, 34.5)).toEqual([{ slot: 2, chips: 126, hashrateHs: 34.5e12 }]);
    expect(boards(103_000, 34_500)).toEqual([{ slot: 2, chips: 126, hashrateHs: 34.5e12 }]);
  });
});

test.each([
  ['Sleep', undefined, 'sleep'],
  ['Stock', 'PowerTarget', 'normal'],
  ['Fixed', undefined, 'normal'],
  ['Auto', 'PowerTarget', 'power_tuning'],
  ['Auto', 'Hashrate', 'hashrate_tuning'],
  ['Auto', undefined, undefined],
  ['Odd', 'PowerTarget', undefined],
] as const)('mode %s with %s is %s', (selector, select, mode) => {
  const config = {
    mode: { 'work-mode-selector': selector, concorde: { 'mode-select': select, 'power-target': 3_100 } },
  };
  const { miningMode, powerLimitW } = mara.read({ config }, {}).reading;
  expect([miningMode, powerLimitW]).toEqual([mode, mode === 'power_tuning' ? 3_100 : undefined]);
});

test('a dead board is left out, and the rest of the device is read', async () => {
  const one = device('S19j Pro');
  one.setFault('board-dead', true, 0);
  const reading = await look(one);
  expect(reading.boards?.map(({ slot }) => slot)).toEqual([1, 2]);
  expect(reading.hashrateHs).toBeCloseTo(one.truth().hashrate ?? 0, -6);
  one.setFault('board-dead', false);
});

describe('actions', () => {
  test('the light goes on and off', async () => {
    const one = device('S21');
    for (const on of [true, false]) {
      expect(await mara.abilities.light?.act(linkTo(one), { on }, {})).toEqual({ kind: 'accepted' });
      expect((await look(one)).isLightOn).toBe(on);
    }
  });

  test('it sleeps and wakes, and keeps its pools', async () => {
    const one = device('S21');
    const { pools } = one.truth();
    const set = (mode: string) => mara.abilities.powerMode?.act(linkTo(one), { mode }, {});
    expect(await set('normal')).toEqual({ kind: 'accepted', note: 'was so before' });
    expect(await set('sleep')).toEqual({ kind: 'accepted' });
    expect(await look(one)).toMatchObject({ miningMode: 'sleep', isMining: false });
    expect(await set('normal')).toEqual({ kind: 'accepted' });
    expect(await look(one)).toMatchObject({ miningMode: 'normal' });
    expect(one.truth().pools.map(({ url }) => url)).toEqual(pools.map(({ url }) => url));
  });

  test('a wrong password is told as such', async () => {
    for (const [name, ability] of Object.entries(mara.abilities)) {
      const refused = ability.act(linkTo(device('S21'), 'wrong'), { on: true, mode: 'sleep' }, {});
      expect(await refusalOf(refused), name).toBe('peer.auth');
    }
  });

  const config = { mode: { 'work-mode-selector': 'Stock', concorde: {} }, pools: [], 'pool-group': [] };
  const sleep = (answer: Parameters<typeof fakeLink>[0]) => {
    const link = fakeLink(answer);
    return { link, result: Promise.resolve(mara.abilities.powerMode?.act(link, { mode: 'sleep' }, {})) };
  };

  test('a yes that changes nothing is a no, a lost answer is left to be seen, modes that it lacks are refused unsent', async () => {
    const liar = sleep((request) => ('json' in request ? '{"success":true}' : config));
    expect(await refusalOf(liar.result)).toBe('peer.rejected');
    expect(liar.link.sent[1]).toMatchObject({
      method: 'POST',
      path: '/kaonsu/v1/miner_config',
      json: { ...config, mode: { ...config.mode, 'work-mode-selector': 'Sleep' } },
    });
    const lost = sleep((request) => {
      if ('json' in request) throw lostAfterSending();
      return config;
    });
    expect(await lost.result).toEqual({ kind: 'lost-reply' });
    const link = fakeLink(() => config);
    const refused = mara.abilities.powerMode?.act(link, { mode: 'high' }, {});
    expect(await refusalOf(Promise.resolve(refused))).toBe('peer.unsupported');
    expect(link.sent).toEqual([]);
  });
});
