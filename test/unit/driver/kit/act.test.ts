// Sessions and commands of the kit: what a device grants, what it refuses, and what it may have done when nothing is
// known.
import { describe, expect, test } from 'vitest';
import { PeerError } from '../../../../src/base/errors.ts';
import * as kit from '../../../../src/driver/kit/index.ts';
import type { MinerLink } from '../../../../src/transport/request.ts';

const login = { user: 'root', password: 'pw' };

describe('a session with a cookie', () => {
  const session = kit.cookieSession({ name: 'x', path: '/login', form: ({ user }) => ({ user }), isEnded: kit.isPage });
  test('is opened with the form, and carries the cookie', () => {
    expect(session.open(login)).toEqual({ via: 'http', method: 'POST', path: '/login', form: { user: 'root' } });
    expect(session.grant({ status: 200, body: '', cookie: 'a=b' })).toEqual({ Cookie: 'a=b' });
  });
  test('is refused without a cookie, and with a status of 400 and above', () => {
    expect(session.grant({ status: 200, body: '' })).toBeUndefined();
    expect(session.grant({ status: 401, body: '', cookie: 'a=b' })).toBeUndefined();
  });
  test('has ended when a page comes in place of an answer', () => {
    expect(session.isRefused?.('  <html>')).toBe(true);
    expect(session.isRefused?.({ a: '<html>' })).toBe(false);
  });
});

describe('a session with a token', () => {
  const session = kit.tokenSession({ name: 'x', path: '/t', json: () => login, token: (answer) => answer.text('jwt') });
  test('carries what the answer holds', () => {
    expect(session.open(login)).toMatchObject({ json: login });
    expect(session.grant({ status: 200, body: { jwt: 'abc' } })).toEqual({ Authorization: 'Bearer abc' });
    const named = kit.tokenSession({ name: 'x', path: '/t', token: () => 'abc', header: 'Token' });
    expect(named.grant({ status: 200, body: {} })).toEqual({ Token: 'abc' });
  });
  test.each([{}, { jwt: '' }, { jwt: 'a b' }, { jwt: 'a\r\nX: y' }, null, 'abc'])('%j grants nothing', (body) =>
    expect(session.grant({ status: 200, body })).toBeUndefined(),
  );
});

const linkWith = (answer: unknown): MinerLink & { readonly sent: unknown[] } => {
  const sent: unknown[] = [];
  return {
    ip: '127.0.0.1',
    sent,
    async send(request) {
      sent.push(request);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
};
const lost = new PeerError('peer.reset', 'ask', 'later', undefined, { wasSent: true });
const never = new PeerError('peer.refused', 'ask', 'later', undefined, { wasSent: false });
const request = kit.post('/go');
const judge = (answer: kit.Answer): kit.Verdict =>
  answer.int('error') === 0 ? true : answer.has('error') ? 'no' : undefined;
const codeOf = (act: Promise<unknown>) =>
  act.then(
    () => 'done',
    (error: unknown) => (error instanceof PeerError ? error.code : String(error)),
  );

describe('a command', () => {
  test('is done when the device says so', async () => {
    expect(await kit.command(linkWith({ error: 0 }), 'restart', request, judge)).toEqual({ kind: 'accepted' });
  });
  test('is done with a note, where the answer calls for one', async () => {
    const act = kit.command(linkWith({}), 'restart', request, () => kit.SO_ALREADY);
    expect(await act).toEqual({ kind: 'accepted', note: 'it was so already' });
  });
  test('is refused in words that may be about permission', async () => {
    const code = (words?: string) =>
      kit.command(linkWith({}), 'restart', request, () => kit.refused(words)).catch((error: unknown) => error);
    expect(await code('3: permission denied')).toMatchObject({ code: 'peer.permission' });
    expect(await code('busy')).toMatchObject({ code: 'peer.rejected', cause: { message: 'the device says busy' } });
    expect(await code()).toMatchObject({ code: 'peer.rejected', cause: { message: 'the device says no' } });
  });
  test('is refused in its words', async () => {
    const act = kit.command(linkWith({ error: 1 }), 'restart', request, judge);
    await expect(act).rejects.toMatchObject({ code: 'peer.rejected', cause: { message: 'the device says no' } });
    const denied = kit.command(linkWith({}), 'restart', request, () => ({ code: 'peer.permission' }));
    expect(await codeOf(denied)).toBe('peer.permission');
  });
  test('may have been done when the answer is lost or says neither, and never was when nothing went out', async () => {
    expect(await kit.command(linkWith(lost), 'restart', request, judge)).toEqual({ kind: 'lost-reply' });
    expect(await kit.command(linkWith('rubbish'), 'restart', request, judge)).toEqual({ kind: 'lost-reply' });
    expect(await codeOf(kit.command(linkWith(never), 'restart', request, judge))).toBe('peer.refused');
  });
});

test('steps in turn end where an answer is lost', async () => {
  const [first, second] = [linkWith(lost), linkWith({ error: 0 })];
  const step = (link: MinerLink) => () => kit.command(link, 'go on', request, judge);
  expect(await kit.inTurn(step(first), step(second))).toEqual({ kind: 'lost-reply' });
  expect(second.sent).toEqual([]);
  expect(await kit.inTurn(step(second), step(second))).toEqual({ kind: 'accepted' });
});

test('a look before a change that fails has changed nothing', async () => {
  const ask = (answer: unknown) => kit.askFirst(linkWith(answer), 'change the pools of', kit.get('/conf'));
  expect((await ask({ a: 1 })).number('a')).toBe(1);
  await expect(ask('rubbish')).rejects.toMatchObject({ code: 'peer.rejected', wasSent: false });
  await expect(ask(lost)).rejects.toMatchObject({ code: 'peer.reset', wasSent: false });
});

test('of several words for one thing the first counts that the device knows', async () => {
  const unknown = new PeerError('peer.unsupported', 'ask', 'never');
  const tried: string[] = [];
  const go = (refusal: Error) => async (way: string) => {
    tried.push(way);
    if (way === 'old') throw refusal;
    return way;
  };
  expect(await kit.firstKnown(['old', 'new', 'newest'], go(unknown))).toBe('new');
  expect(tried).toEqual(['old', 'new']);
  expect(await codeOf(kit.firstKnown(['old', 'old'], go(unknown)))).toBe('peer.unsupported');
  expect(await codeOf(kit.firstKnown(['old', 'new'], go(lost)))).toBe('peer.reset');
});

test('a yes after which the device has something else is a refusal; what cannot be seen is not', async () => {
  const link = linkWith({});
  const act = (isKept: () => Promise<boolean | undefined>, result: kit.ActResult = kit.ACCEPTED) =>
    kit.orNotKept(link, 'set the mode of', async () => result, isKept);
  expect(await act(async () => true)).toEqual({ kind: 'accepted' });
  expect(await act(async () => undefined)).toEqual({ kind: 'accepted' });
  expect(await act(async () => Promise.reject(lost))).toEqual({ kind: 'accepted' });
  expect(await act(async () => false, { kind: 'lost-reply' })).toEqual({ kind: 'lost-reply' });
  expect(await codeOf(act(async () => false))).toBe('peer.rejected');
  await expect(act(async () => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
});

describe('fans and ideals', () => {
  test('fans that turn are fans; of those that stand as many as the model has', () => {
    expect(kit.fansOf([0, 3_000, 0, 'x'], 2)).toEqual([
      { index: 0, rpm: 0 },
      { index: 1, rpm: 3_000 },
    ]);
    expect(kit.fansOf([0, 0], undefined)).toEqual([]);
    expect(kit.fansOf(['x'], 2)).toBeUndefined();
    expect(kit.fansOf(undefined, 2)).toBeUndefined();
  });
  test('fans with more than a speed: as many as the model has, else those that turn', () => {
    const rows = [{ no: 1, rpm: 0 }, { rpm: 3_000 }, { no: 9, rpm: 1 }].map((row) => new kit.Answer(row));
    const fans = (usual?: number) => kit.listedFans(rows, usual, { index: 'no', rpm: 'rpm' }, () => 50);
    expect(fans(2)).toEqual([
      { index: 1, rpm: 0, dutyPercent: 50 },
      { index: 1, rpm: 3_000, dutyPercent: 50 },
      undefined,
    ]);
    expect(fans()?.map((fan) => fan?.index)).toEqual([undefined, 1, 9]);
    expect(kit.listedFans(undefined, 2, { index: 'no', rpm: 'rpm' }, () => 50)).toBeUndefined();
  });
  test('the ideal of all boards counts, if it is believable; else the nameplate', () => {
    const ideal = (expectedHashrateHs?: number) => ({ slot: 0, expectedHashrateHs });
    expect(kit.idealOr({ hashrateHs: 100 }, [ideal(50), ideal(55)], 100)).toBe(105);
    expect(kit.idealOr({ hashrateHs: 100, boards: 3 }, [ideal(50), ideal(55)], 100)).toBe(100);
    expect(kit.idealOr({ hashrateHs: 100 }, [ideal(1), ideal(1)], 100)).toBe(100);
    expect(kit.idealOr({}, [ideal(50), ideal()], 100)).toBeUndefined();
    expect(kit.idealOr({}, undefined, 0)).toBeUndefined();
  });
});

describe('a log that stands in an answer', () => {
  const log = (answer: unknown) => kit.fetchLog(linkWith(answer), request, (it) => it.text('text'), judge);
  test('is told, or refused by the device, or not there', async () => {
    expect(await log({ error: 0, text: 'all is well' })).toBe('all is well');
    expect(await codeOf(log({ error: 1, text: 'all is well' }))).toBe('peer.rejected');
    expect(await codeOf(log({ error: 0 }))).toBe('peer.unparsable');
    expect(await codeOf(log('<html>'))).toBe('peer.unparsable');
  });
});

test('pools that are not known are not those that are wanted, not even none', () => {
  const pool = { url: 'stratum+tcp://A.example:1', user: 'w' };
  expect(kit.samePools([pool], [{ ...pool, url: 'stratum+tcp://a.example:1' }])).toBe(true);
  expect(kit.samePools([pool], [{ ...pool, user: 'W' }])).toBe(false);
  for (const wanted of [[], [pool]]) expect(kit.samePools(undefined, wanted)).toBe(false);
});
