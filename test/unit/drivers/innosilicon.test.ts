// Innosilicon where the simulated devices do not reach: an A9 that counts solutions, odd codes, old tokens, and lost answers.
import { describe, expect, test } from 'vitest';
import { innosilicon as driver } from '../../../drivers/innosilicon/driver.ts';
import { ERRORS } from '../../../drivers/innosilicon/errors.data.ts';
import { session } from '../../../drivers/innosilicon/session.ts';
import type { AbilityName } from '../../../src/driver/contract.ts';
import { innosilicon as sample } from '../../contract/samples-iceriver-goldshell-innosilicon.ts';
import { type Answering, fakeLink, lostAfterSending, neverSent, refusalOf } from './fake-link.ts';

test('the sample is understood: the web before TCP, an empty chain left out', () => {
  const { reading, unparsable } = driver.read(sample, {});
  expect(unparsable).toEqual([]);
  expect(reading).toMatchObject({
    make: 'Innosilicon',
    model: 'T3H+',
    firmwareVersion: '20200117_1730',
    controlBoard: 'g19',
    apiVersion: '3.7',
    hashrateHs: 57_300_600_901_200,
    hashrateWindow: 'realtime',
    powerW: 3_301,
    uptimeS: 8_990,
    tempC: 71.2,
    isMining: true,
    miningMode: 'normal',
    errors: [{ code: '33', category: 'hashboard' }],
    pools: [{ isAlive: true }],
    expected: { hashrateHs: 57e12, boards: 3, chipsPerBoard: 114 },
  });
  expect(reading.boards?.map(({ slot, chips }) => [slot, chips])).toEqual([
    [0, 114],
    [1, 114],
  ]);
  expect(reading.fans).toEqual([0, 1, 2, 3].map((index) => ({ index, dutyPercent: 80 })));
});

describe('rates of an A9 count solutions: without a unit that is sure they are not told', () => {
  const summary = { SUMMARY: [{ 'MHS 1m': 51_274.6, Elapsed: 9 }], STATUS: [{ Description: 'innominer a9-1.1.0' }] };
  test.each([
    [{ summary }, undefined],
    [{ summary: { ...summary, STATUS: [{ Description: 'innominer t3-1.0' }] } }, 51_274.6e6],
    [{ all: { all: { total_hash: { 'Hash Rate': 51.2 } } }, type: { type: 'A9++' } }, undefined],
    [{ all: { all: { total_hash: { 'Hash Rate': 1_500 } } }, type: { type: 'A10' } }, 1_500e6],
    [{ all: { all: { total_hash: { 'Hash Rate H': 51_200 } } }, type: { type: 'A9++' } }, 51_200],
  ])('%j', (raw, hs) => expect(driver.read(raw, {}).reading.hashrateHs).toBe(hs));
});

describe('codes', () => {
  const errors = (fault: object) => driver.read({ fault }, {}).reading.errors;
  test('0 is none, a known one has its words, an unknown one keeps those of the device', () => {
    expect(errors({ code: '0', detail: { msg: 'OK' } })).toEqual([]);
    expect(errors({ code: 35 })).toEqual([{ code: '35', message: 'No output from the power supply', category: 'psu' }]);
    expect(errors({ code: '77', detail: { msg: 'odd' } })).toEqual([
      { code: '77', message: 'odd', category: 'unknown' },
    ]);
    expect(errors({ code: '' })).toBeUndefined();
  });
  test('all of the table are told', () => {
    for (const [code, [message, category]] of Object.entries(ERRORS))
      expect(errors({ code })).toEqual([{ code, message, category }]);
    expect(Object.keys(ERRORS)).toHaveLength(20);
  });
});

test('of a model that nobody knows no fan is told, as nobody knows how many there are, and nothing is expected', () => {
  const { reading } = driver.read({ all: { all: { total_hash: { 'Hash Rate H': 5 }, fansSpeed: 40 } } }, {});
  expect(reading).not.toHaveProperty('fans');
  expect(reading).not.toHaveProperty('expected');
});

test('the login: a form, a token, and the word for one that is too old', () => {
  expect(session.open({ user: 'admin', password: 'p' })).toMatchObject({
    path: '/api/auth',
    form: { username: 'admin', password: 'p' },
  });
  expect(session.grant({ status: 200, body: { success: true, jwt: 'a.b' } })).toEqual({ Authorization: 'Bearer a.b' });
  expect(session.grant({ status: 200, body: { success: false } })).toBeUndefined();
  expect(session.isRefused?.({ success: false, token: 'expired' })).toBe(true);
  expect(session.isRefused?.({ success: false, msg: 'no' })).toBe(false);
  expect(session.isRefused?.({ success: true, token: 'expired' })).toBe(false);
});

describe('what is sent', () => {
  const act = (name: AbilityName, special: Answering, params: object = {}) => {
    const ability = driver.abilities[name];
    if (ability === undefined) throw new Error(name);
    const link = fakeLink((request) => {
      if (request.via !== 'http') throw neverSent();
      return request.path === '/api/pools'
        ? { success: true, pools: [{ url: 'tcp://o:1', user: 'o' }] }
        : special(request);
    });
    return { link, result: Promise.resolve(ability.act(link, params, {})) };
  };
  const pools = [{ url: 'stratum+tcp://n.example:2', user: 'v', password: 'q' }];

  test('all three places, as a form', async () => {
    const { link, result } = act('pools', () => ({ success: true, message: 'lock' }), { pools });
    // What `lock` means is not known: the pools are looked at afterwards.
    expect(await result).toEqual({ kind: 'accepted', note: 'lock' });
    expect(link.sent[1]).toMatchObject({
      path: '/api/updatePools',
      form: {
        Pool1: 'stratum+tcp://n.example:2',
        UserName1: 'v',
        Password1: 'q',
        Pool2: '',
        UserName2: '',
        Password2: '',
        Pool3: '',
        UserName3: '',
        Password3: '',
      },
    });
    expect(link.sent[1]).not.toHaveProperty('json');
  });

  test.each([
    ['reboot', {}],
    ['pools', { pools }],
  ] as const)('%s: lost, unsent, refused, nonsense', async (name, params) => {
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
    expect(await refusalOf(act(name, () => ({ success: false, msg: 'busy now' }), params).result)).toBe(
      'peer.rejected',
    );
    // Neither yes nor no: it may have been done.
    expect(await act(name, () => ({}), params).result).toEqual({ kind: 'lost-reply' });
  });
});
