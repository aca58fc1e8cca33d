// Goldshell where the simulated devices do not reach: plans without a word, estimates, several web forms, the login, and lost answers.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { goldshell as driver } from '../../../drivers/goldshell/driver.ts';
import { session } from '../../../drivers/goldshell/session.ts';
import { PeerError } from '../../../src/base/errors.ts';
import type { AbilityName } from '../../../src/driver/contract.ts';
import { evidenceOf } from '../../../src/driver/identify.ts';
import { goldshellByte, goldshell as sample } from '../../contract/samples-iceriver-goldshell-innosilicon.ts';
import { type Answering, fakeLink, lostAfterSending, neverSent, refusalOf } from './fake-link.ts';

describe('the samples', () => {
  test('a model that the table does not know: named, expected by its own estimate, fans that turn', () => {
    const { reading, unparsable } = driver.read(sample, {});
    expect(unparsable).toEqual([]);
    expect(reading).toMatchObject({
      make: 'Goldshell',
      model: 'SC5Pro',
      mac: '02:11:22:33:44:55',
      firmwareVersion: '2.2.0',
      controlBoard: 'MCB_V3_3',
      miningMode: 'normal',
      miningModePreset: '700 MHz 11750 V 30 RPM 30 RPM PV 11900',
      tempC: 90,
      uptimeS: 8_292,
      expected: { hashrateHs: 14e12 },
    });
    expect(reading.hashrateHs).toBeCloseTo(4 * 3_301_758.726e6, -6);
    expect(reading.fans?.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(reading.boards?.[0]).toMatchObject({ chips: 46, frequencyMhz: 700, boardTempsC: [77.75], chipTempAvgC: 90 });
  });
  test('a Byte over the web: two rates that do not add up', () => {
    const { reading, unparsable } = driver.read(goldshellByte, {});
    expect(unparsable).toEqual([]);
    expect(reading).toMatchObject({
      model: 'Byte',
      isMining: true,
      boards: [{ hashrateHs: 80.5e6, boardTempsC: [51.2] }, { hashrateHs: 0 }],
      fans: [{ rpm: 2_000 }, { rpm: 2_010 }],
    });
    expect(reading.boards?.map(({ chips }) => chips)).toEqual([5, undefined]);
    expect(reading).not.toHaveProperty('hashrateHs');
    expect(reading).not.toHaveProperty('expected');
    // A manual setting has its own words and none of ours.
    expect(reading).not.toHaveProperty('miningMode');
    expect(reading.miningModePreset).toBe('700 MHz 11750 V 30 RPM 30 RPM PV 11900');
  });
});

describe('recognised', () => {
  const page = { status: 200, body: '<title>cloud-box</title>' };
  const status = { status: 200, body: '{"model":"Goldshell-KD5","firmware":"2.2.0","hardware":"GS"}' };
  const bfgminer = '{"VERSION":[{"Miner":"5.4.2"}],"STATUS":[{"STATUS":"S","Description":"bfgminer 5.4.2"}]}';
  test.each([
    ['its own program', { version: '{"STATUS":[{"STATUS":"S","Description":"KDAMiner 1.0"}]}' }, 'sure'],
    ['its own chips', { version: bfgminer, devdetails: '{"DEVDETAILS":[{"Driver":"intchains_qomo"}]}' }, 'sure'],
    ['the page that it alone has', { web: page, familyPage: status }, 'sure'],
    ['a word on a page', { web: page }, 'likely'],
    ['a program that many run', { version: bfgminer }, undefined],
    ['that beside an ordinary web server', { version: bfgminer, web: { status: 200, body: 'nginx' } }, undefined],
    ['its words anywhere in an answer', { version: '{"x":"KDAMiner"}', web: page }, 'likely'],
  ])('%s', (_, parts, confidence) => expect(driver.identify(evidenceOf(parts))?.confidence).toBe(confidence));
});

describe('expected', () => {
  const expected = (estimates: readonly number[], select = 0, model = 'Goldshell-New1') =>
    driver.read(
      {
        devs: { DEVS: estimates.map((estimate_hash_rate, ID) => ({ ID, 'MHS 20s': 1e6, estimate_hash_rate })) },
        setting: { select, powerplans: [{ level: 0 }, { level: 1 }] },
        status: { model },
      },
      {},
    ).reading.expected?.hashrateHs;
  test.each([
    [[3e12, 3e12], 0, 3e12],
    // Boards that differ say something else, one alone may mean anything, and nobody is faster than his estimate by that much.
    [[3e12, 4e12], 0, undefined],
    [[3e12], 0, undefined],
    [[40e9, 40e9], 0, undefined],
    [[3e12, 3e12], 1, undefined],
  ])('%j on plan %i', (estimates, select, hs) => expect(expected(estimates, select)).toBe(hs));
  test('the nameplate first, and only on the normal plan', () => {
    expect(expected([3e12, 3e12], 0, 'Goldshell-KD5')).toBe(18e12);
    expect(expected([3e12, 3e12], 1, 'Goldshell-KD5')).toBeUndefined();
    expect(expected([3e12, 3e12], 7, 'Goldshell-KD5')).toBeUndefined();
  });
});

describe('a Byte', () => {
  const byte = (...kinds: (string | undefined)[]) =>
    driver.read(
      {
        devs: {
          DEVS: kinds.map((pool, PGA) => ({ PGA, pool, 'MHS 20s': 80, estimate_hash_rate: 82e6, theory_hash: 40 })),
        },
        setting: { select: 0 },
        status: { model: 'Goldshell-Byte' },
      },
      {},
    ).reading;
  test('with boards of one kind is as good as any other', () => {
    const reading = byte('scrypt(LTC)', 'scrypt(LTC)');
    expect(reading).toMatchObject({ hashrateHs: 160e6, expected: { hashrateHs: 164e6 } });
  });
  test('with two kinds, or none told, has no sum; each board has what its kind says', () => {
    const reading = byte('scrypt(LTC)', 'zkSNARK(ALEO)');
    expect(reading).not.toHaveProperty('hashrateHs');
    expect(reading).not.toHaveProperty('expected');
    expect(reading.boards?.map((board) => board.expectedHashrateHs)).toEqual([82e6, 40e6]);
    expect(byte(undefined, undefined)).not.toHaveProperty('hashrateHs');
    expect(byte(undefined, undefined).boards?.[0]).not.toHaveProperty('expectedHashrateHs');
  });
});

test('a name that its owner gave is no MAC', () => {
  const mac = (name: string) => driver.read({ setting: { name, select: 0 } }, {}).reading.mac;
  expect(mac('rack 7')).toBeUndefined();
  expect(mac('0211-2233-4455')).toBe('02:11:22:33:44:55');
});

test('without a board that tells its rate there is no sum', () => {
  const of = (...rates: unknown[]) =>
    driver.read({ devs: { DEVS: rates.map((rate, ID) => ({ ID, 'MHS 20s': rate })) } }, {}).reading;
  expect(of(5, undefined)).not.toHaveProperty('hashrateHs');
  expect(of(5, undefined).isMining).toBe(true);
  expect(of(0, undefined)).not.toHaveProperty('isMining');
  expect(of(0, 0)).toMatchObject({ hashrateHs: 0, isMining: false });
});

test('the login: who sits there goes first, and names and passwords survive the address', () => {
  expect(session.before).toMatchObject({ path: '/user/logout' });
  expect(session.open({ user: 'admin', password: 'a b&c' }).path).toBe(
    '/user/login?username=admin&password=a%20b%26c&cipher=false',
  );
  const encrypt = (key: string, text: string) => `${key.length} ${text}`;
  expect(session.orElse?.({ user: 'admin', password: 'p' }, { encrypt }).path).toBe(
    '/user/login?username=admin&password=16%20p&cipher=true',
  );
  expect(session.grant({ status: 200, body: { 'JWT Token': 'abc.def' } })).toEqual({ Authorization: 'Bearer abc.def' });
  expect(session.grant({ status: 200, body: { 'JWT Token': 'a\r\nb' } })).toBeUndefined();
  expect(session.grant({ status: 200, body: 'cipher error' })).toBeUndefined();
});

describe('what is sent', () => {
  const SETTING = {
    select: 0,
    manual: true,
    ledcontrol: false,
    name: ' x',
    odd: [1],
    powerplans: [
      { level: 0, info: 'a' },
      { level: 3, info: 'b' },
    ],
  };
  const POOL = { url: 'stratum+tcp://o.example:1', user: 'o', pass: 'x', dragid: 4, legal: true };
  const act = (name: AbilityName, special: Answering, params: object = {}) => {
    const ability = driver.abilities[name];
    if (ability === undefined) throw new Error(name);
    const link = fakeLink((request) => {
      if (request.via !== 'http') throw neverSent();
      if (request.method === 'GET' && request.path === '/mcb/setting') return SETTING;
      if (request.method === 'GET' && request.path === '/mcb/pools') return [POOL];
      return special(request);
    });
    return { link, result: Promise.resolve(ability.act(link, params, {})) };
  };
  const puts = (link: ReturnType<typeof act>['link']) =>
    link.sent.flatMap((request) =>
      request.via === 'http' && request.method === 'PUT' ? [[request.path, request.json]] : [],
    );
  const pools = [{ url: 'stratum+tcp://n.example:2', user: 'v', password: 'q' }];

  test('the whole object, changed: what we do not know goes back as it came', async () => {
    const { link, result } = act('powerMode', () => '', { mode: 'sleep' });
    expect(await result).toEqual({ kind: 'accepted' });
    expect(puts(link)).toEqual([['/mcb/setting', { ...SETTING, select: 3, manual: false }]]);
    // A manual setting of the same number is not that plan.
    const normal = act('powerMode', () => '', { mode: 'normal' });
    await normal.result;
    expect(puts(normal.link)).toHaveLength(1);
  });
  test('a plan that the machine lacks is unsupported, and not sent', async () => {
    const { link, result } = act('powerMode', () => '', { mode: 'low' });
    expect(await refusalOf(result)).toBe('peer.unsupported');
    expect(puts(link)).toEqual([]);
  });
  describe('pools', () => {
    const added = { url: 'stratum+tcp://n.example:2', user: 'v', pass: 'q' };
    /** Its list has room for two, and takes no pool of the user `bad`. */
    const listing = (...before: readonly (typeof POOL)[]) => {
      let rows: readonly object[] = before;
      let least = rows.length;
      const link = fakeLink((request) => {
        if (request.via !== 'http') throw neverSent();
        const { url = '', user = '', dragid } = pool.safeParse(request.json).data ?? {};
        if (request.path === '/mcb/newpool') {
          if (rows.length >= 2 || user === 'bad') throw new PeerError('peer.rejected', 'put', 'never');
          rows = [...rows, { ...POOL, ...pool.parse(request.json) }];
        }
        if (request.path === '/mcb/delpool') rows = rows.filter((_, at) => at !== dragid || url === '');
        least = Math.min(least, rows.length);
        rows = rows.map((row, dragid) => ({ ...row, dragid }));
        return rows;
      });
      const set = (...wanted: readonly object[]) => driver.abilities.pools?.act(link, { pools: wanted }, {});
      return { link, set, names: () => rows.map((row) => pool.parse(row).user), least: () => least };
    };
    const pool = z.looseObject({ url: z.string(), user: z.string(), dragid: z.number().optional() });
    const old = (user: string, dragid: number) => ({ ...POOL, user, dragid });

    test('the new one comes before the old one goes, which is named as it was read', async () => {
      const device = listing(old('o', 0));
      expect(await device.set(...pools)).toEqual({ kind: 'accepted' });
      expect(puts(device.link)).toEqual([
        ['/mcb/newpool', added],
        ['/mcb/delpool', { ...POOL, dragid: 0 }],
      ]);
    });
    test('a full list makes room by one, and none is ever empty', async () => {
      const device = listing(old('a', 0), old('b', 1));
      expect(await device.set({ ...pools[0], user: 'c' }, { ...pools[0], user: 'd' })).toEqual({ kind: 'accepted' });
      expect([device.names(), device.least()]).toEqual([['c', 'd'], 1]);
    });
    test('one that is in its place stays there', async () => {
      const device = listing(old('a', 0));
      expect(await device.set({ url: POOL.url, user: 'a' }, { ...pools[0], user: 'c' })).toEqual({ kind: 'accepted' });
      expect([device.names(), device.least()]).toEqual([['a', 'c'], 1]);
    });
    test('one that stays changes its place', async () => {
      const device = listing(old('a', 0), old('b', 1));
      const { url } = POOL;
      expect(await device.set({ url, user: 'b' }, { url, user: 'a' })).toEqual({ kind: 'accepted' });
      expect(device.names()).toEqual(['b', 'a']);
    });
    test.each([
      [['a'], ['bad']],
      [['a'], ['c', 'bad']],
      [
        ['a', 'b'],
        ['c', 'bad'],
      ],
    ])('%j stay when of %j one is refused', async (before, wanted) => {
      const device = listing(...before.map(old));
      const result = Promise.resolve(device.set(...wanted.map((user) => ({ ...pools[0], user }))));
      expect(await refusalOf(result)).toBe('peer.rejected');
      expect([device.names(), device.least()]).toEqual([before, 1]);
    });
    test('a yes that added nothing costs no old one', async () => {
      const { link, result } = act('pools', () => '[]', { pools });
      expect(await refusalOf(result)).toBe('peer.rejected');
      expect(puts(link).map(([path]) => path)).toEqual(['/mcb/newpool']);
    });
  });
  test('a restart is put: a GET does nothing', async () => {
    const { link, result } = act('reboot', () => '');
    await result;
    expect(puts(link)).toEqual([['/mcb/restart', undefined]]);
  });
  test.each([
    ['reboot', {}],
    ['light', { on: true }],
    ['powerMode', { mode: 'sleep' }],
    ['pools', { pools }],
  ] as const)('%s: a lost answer is to be looked at, what never left is an error', async (name, params) => {
    const failing = (error: () => Error) =>
      act(
        name,
        () => {
          throw error();
        },
        params,
      ).result;
    expect(await failing(lostAfterSending)).toEqual({ kind: 'lost-reply' });
    expect(await refusalOf(failing(neverSent))).toBe('peer.refused');
  });
  test('what a reading can tell of a plan, and what not', () => {
    const shows = driver.abilities.powerMode?.shows;
    expect(shows?.({}, { mode: 'sleep' })).toBeUndefined();
    expect(shows?.({ miningModePreset: 'own' }, { mode: 'sleep' })).toBe(false);
    expect(shows?.({ miningMode: 'sleep', miningModePreset: 'b' }, { preset: 'b' })).toBe(true);
  });
});
