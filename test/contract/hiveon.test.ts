// Hiveon firmware: names and generations, the chains of a T9, and what it can be told, against simulated devices on real sockets.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hiveon } from '../../drivers/hiveon/driver.ts';
import { generationOf, modelOf } from '../../drivers/hiveon/read.ts';
import { drivers } from '../../drivers/index.ts';
import { type Device, type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import { chooseDriver, gatherEvidence } from '../../src/driver/identify.ts';
import { createVisitMemory, visit } from '../../src/driver/visit.ts';
import { createTransport, type Transport } from '../../src/transport/transport.ts';
import { fakeLink, refusalOf } from '../unit/drivers/fake-link.ts';

const PORTS = { 80: 18_083, 4028: 14_031 };

let farm: Farm;
let transport: Transport;
beforeAll(async () => {
  farm = await startFarm({
    network: '127.91.20.0/28',
    miners: 4,
    mix: 'hiveon',
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

const look = (of: Device, generation: string) =>
  visit({
    driver: hiveon,
    known: { generation },
    link: linkTo(of),
    memory: createVisitMemory(),
    rhythms: { slowMs: 300_000, staticMs: 3_600_000 },
    clock: systemClock,
    deadlineMs: 10_000,
  });

test.each([
  ['S19', 'modern'],
  ['T9', 'old'],
])('%s is named by TCP, of generation %s, and asked nothing that it does not have', async (model, generation) => {
  const { evidence } = await gatherEvidence(transport.link(device(model).ip), new Set([80, 4028]), {
    clock: systemClock,
  });
  const found = chooseDriver(drivers, evidence);
  expect([found?.driver.id, found?.identity]).toEqual([
    'hiveon',
    { confidence: 'sure', make: 'Antminer', model, generation, firmwareVersion: expect.any(String) },
  ]);
  expect((await look(device(model), generation)).failed).toEqual([]);
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

test('it sleeps and wakes, keeps its pools, and says so', async () => {
  const one = device('S19');
  const { pools } = one.truth();
  const set = (mode: string) => hiveon.abilities.powerMode?.act(linkTo(one), { mode }, {});
  expect(await set('sleep')).toEqual({ kind: 'accepted', note: 'M000' });
  expect((await look(one, 'modern')).reading).toMatchObject({ miningMode: 'sleep', isMining: false });
  expect(await set('normal')).toEqual({ kind: 'accepted', note: 'M000' });
  expect((await look(one, 'modern')).reading.miningMode).toBe('normal');
  expect(one.truth().pools.map(({ url }) => url)).toEqual(pools.map(({ url }) => url));
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
  const refused = hiveon.abilities.powerMode?.act(link, { mode: 'sleep' }, {});
  expect(await refusalOf(Promise.resolve(refused))).toBe('peer.rejected');
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

test('an old machine cannot sleep, and a wrong password is told as such', async () => {
  const sleep = (link: ReturnType<typeof linkTo>) =>
    refusalOf(Promise.resolve(hiveon.abilities.powerMode?.act(link, { mode: 'sleep' }, {})));
  expect(await sleep(linkTo(device('T9')))).toBe('peer.unsupported');
  expect(device('T9').truth().hashrate).toBeGreaterThan(0);
  expect(await sleep(linkTo(device('S19'), 'wrong'))).toBe('peer.auth');
});
