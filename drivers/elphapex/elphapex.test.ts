// Elphapex, which copied Bitmain's web: by what it is known, what stands in its place in odd cases, and what it can be
// told, against simulated devices on real sockets.
import { describe, expect, test } from 'vitest';
import { PeerError } from '../../src/base/errors.ts';
import { matchDriver } from '../../src/driver/identify.ts';
import { acting } from '../../test/contract/acting.ts';
import {
  losesBoardAndFan,
  refusesPools,
  refusesStranger,
  replacesPools,
  switchesLight,
} from '../../test/contract/copied-web-steps.ts';
import { standing } from '../../test/contract/simulated.ts';
import { fakeLink, lostAfterSending, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { drivers } from '../index.ts';
import { elphapex } from './index.ts';

const site = standing([elphapex], { miners: 4, mix: 'elphapex', bootS: 0.4 });

const miner = acting(elphapex, site);
const { act, look } = miner;
/** With a wrong password. */
const strangerTo = (nth: number) => site().linkAs(site().device(nth).ip, 'root', 'wrong');

test('is known by the words of its login', async () => {
  const found = matchDriver(drivers, await site().evidenceOf(site().device(0).ip, [80]));
  expect([found?.driver.id, found?.identity]).toEqual(['elphapex', { confidence: 'sure', make: 'Elphapex' }]);
});

describe('readings', () => {
  const head = { STATS: [{ elapsed: 9, rate_5s: 1, rate_unit: 'MH/s' }] };
  const board = (fields: object) =>
    elphapex.read({ stats: { STATS: [{ ...head.STATS[0], chain: [{ index: 0, asic_num: 9, ...fields }] }] } }, {})
      .reading.boards?.[0];

  test('thousandths of a degree and plain ones; a clock in no known unit and a count of chips are not told', () => {
    const one = board({ temp_chip: ['61250', '', '60000'], freq_avg: 62_000, hw: 9 });
    expect(one).toMatchObject({ chipTempMaxC: 61.25, chipTempAvgC: 60.625, chips: 9 });
    expect(one).not.toHaveProperty('frequencyMhz');
    expect(one).not.toHaveProperty('hwErrors');
    expect(board({ temp_chip: [61, 60], freq_avg: 1_850 })).toMatchObject({ chipTempMaxC: 61 });
    expect(board({ temp_chip: ['', ''], freq_avg: '' })).not.toHaveProperty('chipTempMaxC');
  });

  test('what the last share was worth is no sum of shares', () => {
    const pool = {
      index: 0,
      url: 'a',
      status: 'Alive',
      accepted: 40,
      diffa: 524_288,
      diffr: 524_288,
      diffs: 0,
      lsdiff: 64,
    };
    const [read] = elphapex.read({ pools: { POOLS: [pool] } }, {}).reading.pools ?? [];
    expect(read).toEqual({
      index: 0,
      url: 'a',
      user: '',
      isAlive: true,
      isActive: true,
      accepted: 40,
      difficulty: 64,
    });
  });

  test('only modes that are known are told, and the clock is never the uptime', () => {
    const mode = (number: unknown) => elphapex.read({ conf: { 'fc-work-mode': number } }, {}).reading.miningMode;
    expect([0, '1', 2, 3].map(mode)).toEqual(['normal', 'sleep', undefined, undefined]);
    expect(elphapex.read({ stats: { ...head, STATUS: { when: 924_785 } } }, {}).reading).not.toHaveProperty(
      'deviceTimeS',
    );
  });

  test('asleep is not mining, whatever the last rate was', () => {
    expect(elphapex.read({ stats: head, conf: { 'fc-work-mode': 1 } }, {}).reading.isMining).toBe(false);
    expect(elphapex.read({ stats: head }, {}).reading.isMining).toBe(true);
  });

  test('the active pool is the first that lives, and nobody’s guess', () => {
    const active = (...states: (string | undefined)[]) =>
      elphapex
        .read({ pools: { POOLS: states.map((status, index) => ({ index, url: 'a', status, priority: index })) } }, {})
        .reading.pools?.map(({ isActive }) => isActive);
    expect(active('Unreachable', 'Alive', 'Alive')).toEqual([false, true, false]);
    expect(active('Unreachable', 'Unreachable')).toEqual([false, false]);
    expect(active('odd', 'Alive')).toEqual([undefined, undefined]);
  });

  test('a board that died and a fan that stopped', () => losesBoardAndFan(miner, site().device(0)));
});

describe('actions', () => {
  test('the light goes on and off, and is seen', () => switchesLight(miner, site().device(0)));

  test('it sleeps and wakes, keeps its pools, and is not restarted for nothing', async () => {
    const one = site().device(0);
    const { pools } = one.truth();
    const set = (mode: string) => act(one, 'powerMode', { mode });
    expect(await set('normal')).toMatchObject({ kind: 'accepted' });
    expect(one.truth().uptime).toBeGreaterThan(0);
    expect(await set('sleep')).toEqual({ kind: 'accepted', note: 'M000' });
    expect(one.truth()).toMatchObject({ mining_mode: 'sleep', is_mining: false, uptime: 0 });
    expect(await look(one)).toMatchObject({ miningMode: 'sleep', isMining: false });
    expect(await set('normal')).toEqual({ kind: 'accepted', note: 'M000' });
    expect(one.truth().mining_mode).toBe('normal');
    expect(one.truth().pools.map(({ url }) => url)).toEqual(pools.map(({ url }) => url));
  });

  test('a mode that it does not have is refused before anything is sent', async () => {
    const link = fakeLink(() => ({}));
    for (const mode of ['low', 'high']) {
      const refused = elphapex.abilities.powerMode?.act(link, { mode }, {});
      expect(await refusalOf(Promise.resolve(refused))).toBe('peer.unsupported');
    }
    expect(link.sent).toEqual([]);
  });

  test('a wrong password is told as such, by every action', () => refusesStranger(elphapex, strangerTo(0)));

  const conf = { 'fc-work-mode': '0', 'fc-freq-level': '100', pools: [{ url: 'a', user: 'b', pass: 'c' }] };
  const sleep = (answer: Parameters<typeof fakeLink>[0]) => {
    const link = fakeLink(answer);
    return { link, result: Promise.resolve(elphapex.abilities.powerMode?.act(link, { mode: 'sleep' }, {})) };
  };

  test('a yes that changes nothing is a no; a no is a no; a lost answer is left to be seen', async () => {
    const isRead = (request: { readonly via: string }) => 'method' in request && request.method === 'GET';
    const liar = sleep((request) => (isRead(request) ? conf : { stats: 'success', code: 'M000' }));
    expect(await refusalOf(liar.result)).toBe('peer.rejected');
    expect(liar.link.sent).toHaveLength(3);
    const refuser = sleep((request) => (isRead(request) ? conf : { stats: 'error', code: 'M001' }));
    expect(await refusalOf(refuser.result)).toBe('peer.rejected');
    const lost = sleep((request) => {
      if (isRead(request)) return conf;
      throw lostAfterSending();
    });
    expect(await lost.result).toEqual({ kind: 'lost-reply' });
  });

  test('the whole configuration goes back, the mode in the form that it had', async () => {
    let isWritten = false;
    const { link, result } = sleep((request) => {
      if ('json' in request) isWritten = true;
      return 'json' in request ? { code: 'M000' } : { ...conf, 'fc-work-mode': isWritten ? '1' : '0' };
    });
    expect(await result).toEqual({ kind: 'accepted', note: 'M000' });
    expect(link.sent[1]).toMatchObject({ json: { ...conf, 'fc-work-mode': '1' } });
  });

  test('nothing is written over a configuration that could not be read', async () => {
    const { link, result } = sleep(() => ({ 'fc-work-mode': 0 }));
    await expect(result).rejects.toBeInstanceOf(PeerError);
    expect(link.sent).toHaveLength(1);
  });
});

describe('pools', () => {
  test('are replaced, seen, and not written twice', () => replacesPools(miner, site().device(2)));

  test('a yes that does nothing shows; a no is a matter of permission', () =>
    refusesPools(miner, site().device(3), strangerTo(3)));
});
