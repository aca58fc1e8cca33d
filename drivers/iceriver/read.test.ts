// Iceriver where the simulated devices do not reach: names, units, broken sensors, a mining program that is down, and
// lost answers.
import { describe, expect, test } from 'vitest';
import type { AbilityName } from '../../src/driver/contract.ts';
import { caseAnswers } from '../../test/contract/samples.ts';
import { type Answering, fakeLink, lostAfterSending, neverSent, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { session } from './abilities.ts';
import { iceriver as driver } from './index.ts';

const sample = caseAnswers(driver, 'a-sensor-and-a-fan-broken');
const iceriverDown = caseAnswers(driver, 'mining-program-down');

const read = (data: object, mode?: number) =>
  driver.read(
    {
      panel: { error: 0, data: { rtpow: '100G', unit: 'G', ...data } },
      ...(mode !== undefined && { machine: { error: 0, data: { mode, ratio: 60 } } }),
    },
    {},
  ).reading;

describe('the sample', () => {
  const { reading, unparsable } = driver.read(sample, {});
  test('is understood', () => {
    expect(unparsable).toEqual([]);
    expect(reading).toMatchObject({
      model: 'KS3M',
      hashrateHs: 6.226e12,
      hashrateAverageHs: 6.308e12,
      uptimeS: 3 * 86_400 + 9 * 3_600 + 36 * 60 + 2,
      isLightOn: true,
      errors: [{ code: 'fanstate', category: 'fan' }],
      expected: { hashrateHs: 6.3e12 },
    });
  });
  test('a sensor that reads 126 beside cool neighbours is no sensor', () => {
    expect(reading.boards?.map(({ outletTempC }) => outletTempC)).toEqual([49, undefined, 51]);
    expect(reading.tempC).toBe(51);
  });
  test('a reserve that nothing is connected to is not dead, an address without scheme gets one, an empty place is none', () => {
    const [first, second] = [0, 1].map((index) => ({ index, user: 'kaspa:farm.w1' }));
    expect(reading.pools).toEqual([
      { ...first, url: 'stratum+tcp://pool-b.example:443', isActive: false, accepted: 0, rejected: 0 },
      {
        ...second,
        url: 'stratum+tcp://pool-a.example:3333',
        isAlive: true,
        isActive: true,
        accepted: 3_058,
        rejected: 76,
      },
    ]);
  });
});

test('a mining program that is down does not mine, whatever the page knows', () => {
  const { reading, unparsable } = driver.read(iceriverDown, { model: 'KS3M' });
  expect(unparsable).toEqual([]);
  expect(reading).toMatchObject({
    model: 'KS3M',
    isMining: false,
    errors: [{ code: 'web:1', message: 'Connect miner failed!', category: 'software' }],
  });
  expect(reading).not.toHaveProperty('hashrateHs');
});

test.each([
  [{ softver1: '5977449_ks3m_miner' }, 'KS3M'],
  [{ softver1: 'pbv077c_ks0miner' }, 'KS0'],
  [{ softver1: '211_10306_miner' }, 'AL3'],
  [{ softver1: '1_ks9x_miner' }, 'KS9X'],
  [{ model: 'ks5l', softver1: 'x' }, 'KS5L'],
  [{ model: 'none', softver1: 'miner' }, undefined],
  [{ softver1: '(null)' }, undefined],
])('%j is %s', (data, model) => expect(read(data).model).toBe(model));

test.each([
  ['6226G', 'G', 6.226e12],
  ['15.2T', 'T', 15.2e12],
  ['15.2', 'T', 15.2e12],
  ['950M', 'G', 950e6],
  ['0G', 'G', 0],
  ['', 'G', undefined],
  ['fast', 'G', undefined],
  ['12', undefined, undefined],
])('a rate of %s in %s', (rtpow, unit, hs) => expect(read({ rtpow, unit }).hashrateHs).toBe(hs));

test.each([
  ['100G', 1, true, 'normal'],
  ['0G', 1, false, 'normal'],
  ['0G', 2, false, 'sleep'],
  // It hashes: then it is awake, in a mode that nothing names.
  ['100G', 2, true, undefined],
  ['100G', undefined, true, undefined],
  // Without a rate there is no telling whether it sleeps.
  ['', 2, undefined, undefined],
])('%s in mode %s', (rtpow, mode, isMining, miningMode) => {
  const reading = read({ rtpow }, mode);
  expect([reading.isMining, reading.miningMode]).toEqual([isMining, miningMode]);
});

test.each([
  [-1, false],
  [0, false],
  [1, true],
  [2, true],
  [false, false],
  [true, true],
  ['', undefined],
])('a pool whose connect is %j: at work is %s', (connect, isActive) => {
  const pools = [{ no: 1, addr: 'pool-a.example:3333', user: 'farm.w1', connect }];
  expect(
    driver.read({ panel: { error: 0, data: { mac: '02-8c-03-36-ec-e7', pools } } }, {}).reading.pools?.[0]?.isActive,
  ).toBe(isActive);
});

test('the settled rate is that of thirty minutes; the one of five swings by a third on a healthy unit', () => {
  const swinging = { rtpow: '7350G', avgpow: '11980G', unit: 'G' };
  expect(read(swinging)).toMatchObject({ hashrateHs: 7.35e12, hashrateWindow: '5m', hashrateSettledHs: 11.98e12 });
  expect(read({ ...swinging, avgpow: undefined })).not.toHaveProperty('hashrateSettledHs');
});

test('absent is no statement: no rate and no power state, chips that are not counted', () => {
  const mac = '02-00-00-00-00-01';
  expect(read({ mac, rtpow: '', powstate: false })).toMatchObject({ mac });
  expect(read({ mac, rtpow: '', powstate: false })).not.toHaveProperty('isMining');
  expect(read({ mac, rtpow: '', powstate: true }).isMining).toBe(true);
  const board = (no: number, chipnum: number) => ({ no, chipnum, rtpow: '37G' });
  const uncounted = read({ boards: [board(1, 0), board(2, 18)] });
  expect(uncounted.boards?.map(({ chips }) => chips)).toEqual([undefined, 18]);
  expect(read({ softver1: '1_ks1_miner', boards: [board(1, 20), board(2, 20)] }).expected?.chipsPerBoard).toBe(20);
});

test('rates that are too good beside an ideal show that it is the ideal of something else', () => {
  const board = (rtpow: string, idealpow: string) =>
    read({ softver1: '1_ks1_miner', boards: [{ no: 1, chipnum: 18, rtpow, idealpow }] }).boards?.[0];
  expect(board('37.68G', '1.18G')).not.toHaveProperty('expectedHashrateHs');
  expect(board('37.68G', '0.00G')).not.toHaveProperty('expectedHashrateHs');
  expect(board('37.68G', '41G')?.expectedHashrateHs).toBe(41e9);
  // Nothing of the sum of one board is expected of a machine that has three.
  expect(
    read({ softver1: '1_ks1_miner', boards: [{ no: 1, chipnum: 18, rtpow: '37G', idealpow: '41G' }] }).expected,
  ).toMatchObject({
    hashrateHs: 1e12,
  });
});

describe('the login', () => {
  const answer = (body: unknown, cookie?: string) =>
    session.grant({ status: 200, body, ...(cookie !== undefined && { cookie }) });
  test('0 is a yes, with a cookie or without; other numbers and pages are a no', () => {
    expect(answer({ error: 0, message: '(null)' }, '-http-session-=1')).toEqual({ Cookie: '-http-session-=1' });
    expect(answer({ error: 0 })).toEqual({});
    expect(answer({ error: 1_002, message: 'password error' }, 'a=b')).toBeUndefined();
    expect(answer('<html>', 'a=b')).toBeUndefined();
  });
  test('the password is in the body, not in the address', () => {
    expect(session.open({ user: 'u', password: 'p&p' })).toMatchObject({
      path: '/user/loginpost',
      form: { post: '6', user: 'u', pwd: 'p&p' },
    });
  });
  test('a page in place of an answer means that the session is over', () => {
    expect(session.isRefused?.('<!doctype html>')).toBe(true);
    expect(session.isRefused?.({ error: 0 })).toBe(false);
  });
});

describe('what is sent', () => {
  const SETTINGS = { error: 0, data: { pools: [{ no: 1, addr: 'a.example:1', user: 'w' }], ratio: 55, mode: 1 } };
  const device = (special: Answering) =>
    fakeLink((request) => {
      if (request.via !== 'http') throw neverSent();
      return request.path === '/user/machineconfig?post=1' ? SETTINGS : special(request);
    });
  const act = (name: AbilityName, special: Answering, params: object = {}) => {
    const ability = driver.abilities[name];
    if (ability === undefined) throw new Error(name);
    const link = device(special);
    return { link, result: Promise.resolve(ability.act(link, params, {})) };
  };
  const pools = [{ url: 'stratum+tcp://n.example:2', user: 'v', password: 'q' }];
  const WRITES = [
    ['reboot', {}],
    ['light', { on: true }],
    ['pools', { pools }],
  ] as const;

  test('the forms of the pages, with the fans as they were', async () => {
    const { link, result } = act('pools', () => ({ error: 0, message: '' }), { pools });
    expect(await result).toEqual({ kind: 'accepted' });
    expect(link.sent[1]).toMatchObject({
      path: '/user/machineconfig',
      form: {
        post: '2',
        pool1address: 'stratum+tcp://n.example:2',
        pool1miner: 'v',
        pool1pwd: 'q',
        pool2address: '',
        pool3pwd: '',
        fanratio: '55',
        fanmode: 'normal',
      },
    });
    const light = act('light', () => ({ error: 0 }), { on: false });
    await light.result;
    expect(light.link.sent).toMatchObject([{ path: '/user/userpanel?post=5&locate=0' }]);
  });

  test('pools that are set already are left alone', async () => {
    const same = [{ url: 'stratum+tcp://A.example:1', user: 'w', password: 'x' }];
    const { link, result } = act('pools', () => ({ error: 0 }), { pools: same });
    expect(await result).toMatchObject({ note: 'they were so already' });
    expect(link.sent).toHaveLength(1);
  });

  test.each(WRITES)(
    '%s: a lost answer is to be looked at, a page without the order is unsupported, a number is a no',
    async (name, params) => {
      const lost = act(
        name,
        () => {
          throw lostAfterSending();
        },
        params,
      );
      expect(await lost.result).toEqual({ kind: 'lost-reply' });
      const unsent = act(
        name,
        () => {
          throw neverSent();
        },
        params,
      );
      expect(await refusalOf(unsent.result)).toBe('peer.refused');
      expect(await refusalOf(act(name, () => ({ data: 'userpanel' }), params).result)).toBe('peer.unsupported');
      expect(await refusalOf(act(name, () => ({ error: 2, message: 'Miner return failed!' }), params).result)).toBe(
        'peer.rejected',
      );
    },
  );

  test('never the number beside the restart', async () => {
    const { link, result } = act('reboot', () => ({ error: 0 }));
    await result;
    expect(link.sent).toMatchObject([{ method: 'POST', path: '/user/userpanel?post=3' }]);
  });

  test('a log that is refused is an error', async () => {
    expect(await refusalOf(act('log', () => ({ error: 1, message: 'x' })).result)).toBe('peer.rejected');
  });
});
