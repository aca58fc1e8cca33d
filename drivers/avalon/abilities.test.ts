// What is sent to an Avalon for each action, and what its answers are taken for.
import { describe, expect, test } from 'vitest';
import { PeerError } from '../../src/base/errors.ts';
import type { MinerRequest } from '../../src/transport/request.ts';
import { fakeLink, lostAfterSending, neverSent, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { abilities } from './abilities.ts';

const said = (Code: number, Msg: string, STATUS = 'S') => ({ STATUS: [{ STATUS, Code, Msg, When: 1_000 }] });
const parameters = (sent: readonly MinerRequest[]) =>
  sent.flatMap((request) => ('parameter' in request ? [request.parameter] : []));

/** A device in the given state that takes every `ascset`. */
const device = (stats: string) =>
  fakeLink((request) => {
    if (request.via !== 'cgminer') throw neverSent();
    if (request.command === 'stats') return { ...said(70, 'stats'), STATS: [{ 'MM ID0': stats }] };
    return request.command === 'ascset' ? said(119, 'ASC 0 set OK') : said(22, 'versions');
  });

describe('reboot', () => {
  test('is one ascset; 118 and 119 are yes', async () => {
    for (const [code, status] of [
      [118, 'I'],
      [119, 'S'],
    ] as const) {
      const link = fakeLink(() => said(code, 'yes', status));
      expect(await abilities.reboot.act(link)).toEqual({ kind: 'accepted', note: 'yes' });
      expect(link.sent).toEqual([{ via: 'cgminer', command: 'ascset', parameter: '0,reboot,0' }]);
    }
  });
  test('is refused by 120 and by anything else that is no yes', async () => {
    expect(await refusalOf(abilities.reboot.act(fakeLink(() => said(120, 'ASC 0 set failed', 'E'))))).toBe(
      'peer.rejected',
    );
    expect(await refusalOf(abilities.reboot.act(fakeLink(() => said(14, 'Invalid command', 'E'))))).toBe(
      'peer.rejected',
    );
  });
  test('without an answer, or with one that is none, is to be looked at', async () => {
    const lost = fakeLink(() => {
      throw lostAfterSending();
    });
    expect(await abilities.reboot.act(lost)).toEqual({ kind: 'lost-reply' });
    expect(await abilities.reboot.act(fakeLink(() => ({})))).toEqual({ kind: 'lost-reply' });
  });
  test('that never left is an error', async () => {
    const link = fakeLink(() => {
      throw neverSent();
    });
    expect(await refusalOf(abilities.reboot.act(link))).toBe('peer.refused');
  });
});

describe('light', () => {
  test('tries the second order of numbers when the first is refused', async () => {
    const link = fakeLink((request) => {
      if ('parameter' in request && request.parameter === '0,led,1-1')
        throw new PeerError('peer.rejected', 'write', 'never');
      return said(119, 'ASC 0 set OK');
    });
    expect(await abilities.light.act(link, { on: true })).toMatchObject({ kind: 'accepted' });
    expect(parameters(link.sent)).toEqual(['0,led,1-1', '0,led,0-1']);
  });
  test('goes off with the same verb', async () => {
    const link = device('');
    await abilities.light.act(link, { on: false });
    expect(parameters(link.sent)).toEqual(['0,led,1-0']);
  });
});

describe('power mode', () => {
  const set = async (stats: string, mode: string, generation: string) => {
    const link = device(stats);
    await abilities.powerMode.act(link, { mode }, { generation });
    return parameters(link.sent);
  };
  test("sleep is set a little ahead on the device's own clock", async () => {
    expect(await set('SoftOFF[0]', 'sleep', 'a')).toEqual(['0,softoff,1:1005']);
  });
  test('a sleeping machine is woken, and then set only if its mode is another one', async () => {
    expect(await set('SoftOFF[1] WORKMODE[0]', 'normal', 'a')).toEqual(['0,softon,1:1005']);
    expect(await set('SoftOFF[1] WORKMODE[0]', 'high', 'a')).toEqual(['0,softon,1:1005', '0,workmode,1']);
  });
  test('A series and home models count and write their modes differently', async () => {
    expect(await set('SoftOFF[0] WORKMODE[0]', 'high', 'a')).toEqual(['0,workmode,1']);
    expect(await set('SoftOFF[0] WORKMODE[0]', 'high', 'home')).toEqual(['0,workmode,set,2']);
    expect(await set('SoftOFF[0] WORKMODE[0]', 'low', 'home')).toEqual([]);
  });
  test('the A series has no low mode: refused before anything is sent', async () => {
    const link = device('SoftOFF[0]');
    expect(await refusalOf(abilities.powerMode.act(link, { mode: 'low' }, { generation: 'a' }))).toBe(
      'peer.unsupported',
    );
    expect(link.sent).toEqual([]);
  });
  test('without the clock of the device nothing is sent', async () => {
    const link = fakeLink(() => ({ STATUS: [{ STATUS: 'S' }] }));
    expect(await refusalOf(abilities.powerMode.act(link, { mode: 'sleep' }, { generation: 'a' }))).toBe(
      'peer.unparsable',
    );
    expect(parameters(link.sent)).toEqual([]);
  });
});

describe('pools', () => {
  const pools = [{ url: 'stratum+tcp://a.example:3333', user: 'w', password: 'p' }];
  /** Takes everything; `sent` of requests with a login shows what they would carry. */
  const told = (link: ReturnType<typeof fakeLink>) =>
    link.sent.flatMap((request) =>
      request.via === 'cgminer' && request.command !== 'pools'
        ? [`${request.command} ${request.parameter ?? request.carry?.({ user: 'me', password: 'mine' }) ?? ''}`]
        : [],
    );
  const list = (...urls: string[]) => ({ POOLS: urls.map((URL, POOL) => ({ POOL, URL, User: 'w' })) });
  const taking = (before: object) =>
    fakeLink((request) => ('command' in request && request.command === 'pools' ? before : said(119, 'OK')));

  test('fill all three places and are followed by a reboot', async () => {
    const link = taking(list('stratum+tcp://old.example:1'));
    await abilities.pools.act(link, { pools }, { generation: 'a' });
    expect(told(link)).toEqual([
      ...[0, 1, 2].map((place) => `ascset 0,setpool,me,mine,${place},stratum+tcp://a.example:3333,w,p`),
      'ascset 0,reboot,0',
    ]);
    const home = taking(list());
    await abilities.pools.act(home, { pools }, { generation: 'home' });
    expect(told(home)[0]).toBe('setpool me,mine,0,stratum+tcp://a.example:3333,w,p');
  });

  test('that are set already, alone or repeated, reboot nothing', async () => {
    for (const length of [1, 3]) {
      const link = taking(list(...Array.from({ length }, () => 'stratum+tcp://a.example:3333')));
      expect(await abilities.pools.act(link, { pools }, {})).toMatchObject({ note: 'they were so already' });
      expect(told(link)).toEqual([]);
    }
  });

  test('after a lost answer nothing more is sent; when the list cannot be read, nothing at all', async () => {
    const lost = fakeLink((request) => {
      if ('command' in request && request.command === 'pools') return list();
      throw lostAfterSending();
    });
    expect(await abilities.pools.act(lost, { pools }, {})).toEqual({ kind: 'lost-reply' });
    expect(told(lost)).toHaveLength(1);
    const deaf = fakeLink(() => {
      throw lostAfterSending();
    });
    await expect(abilities.pools.act(deaf, { pools }, {})).rejects.toMatchObject({ wasSent: false });
    expect(told(deaf)).toEqual([]);
  });

  test('a login with a comma is refused: the command has no place for it', async () => {
    const link = fakeLink((request) => {
      if ('command' in request && request.command === 'pools') return list();
      return 'carry' in request ? request.carry?.({ user: 'me', password: 'a,b' }) : said(119, 'OK');
    });
    await expect(abilities.pools.act(link, { pools }, {})).rejects.toMatchObject({
      code: 'peer.unsupported',
      wasSent: false,
    });
  });
});

test('a light that takes the first form and does nothing gets the second', async () => {
  const link = device('Led[0]');
  await abilities.light.act(link, { on: true });
  expect(parameters(link.sent)).toEqual(['0,led,1-1', '0,led,0-1']);
});
