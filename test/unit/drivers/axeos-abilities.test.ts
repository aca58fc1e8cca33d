// What is sent to AxeOS and its kin for each action, and what its answers are taken for.
import { describe, expect, test } from 'vitest';
import { abilities } from '../../../drivers/axeos/abilities.ts';
import { PeerError } from '../../../src/base/errors.ts';
import { type Answering, fakeLink, lostAfterSending, neverSent, refusalOf } from './fake-link.ts';

/** A device with these settings; `special` answers or throws for single paths. */
const device = (info: object, special: Readonly<Record<string, Answering>> = {}) =>
  fakeLink((request) => {
    if (request.via !== 'http') throw neverSent();
    const own = special[request.path];
    if (own) return own(request);
    return request.path === '/api/system/info' ? { ASICModel: 'BM1370', ...info } : '';
  });
const lines = (link: ReturnType<typeof device>) =>
  link.sent.map((request) => (request.via === 'http' ? `${request.method} ${request.path}` : '?'));
const fail = (error: () => PeerError): Answering => {
  return () => {
    throw error();
  };
};

describe('reboot', () => {
  test('is one request; an empty answer is a yes, a lost one is to be looked at', async () => {
    const link = device({});
    expect(await abilities.reboot.act(link)).toEqual({ kind: 'accepted' });
    expect(lines(link)).toEqual(['POST /api/system/restart']);
    const lost = device({}, { '/api/system/restart': fail(lostAfterSending) });
    expect(await abilities.reboot.act(lost)).toEqual({ kind: 'lost-reply' });
  });
  test('that never left is an error, and 401 is a matter of permission', async () => {
    expect(await refusalOf(abilities.reboot.act(device({}, { '/api/system/restart': fail(neverSent) })))).toBe(
      'peer.refused',
    );
    const unauthorised = fail(() => new PeerError('peer.auth', 'write', 'never'));
    expect(await refusalOf(abilities.reboot.act(device({}, { '/api/system/restart': unauthorised })))).toBe(
      'peer.permission',
    );
  });
});

describe('light', () => {
  test('on is a request, off is none', async () => {
    const link = device({});
    await abilities.light.act(link, { on: true });
    expect(await refusalOf((async () => abilities.light.act(link, { on: false }))())).toBe('peer.unsupported');
    expect(lines(link)).toEqual(['POST /api/system/identify']);
  });
});

describe('power mode', () => {
  test.each([
    [{ miningPaused: false }, 'sleep', ['POST /api/system/pause']],
    [{ miningPaused: true }, 'normal', ['POST /api/system/resume']],
    [{ miningPaused: true }, 'sleep', []],
    [{ miningPaused: false }, 'normal', []],
  ])('%j and %s', async (info, mode, sent) => {
    const link = device(info);
    expect(await abilities.powerMode.act(link, { mode })).toMatchObject({ kind: 'accepted' });
    expect(lines(link)).toEqual(['GET /api/system/info', ...sent]);
  });
  test('a build that cannot pause is asked what it can, and not told to', async () => {
    const link = device({});
    expect(await refusalOf(abilities.powerMode.act(link, { mode: 'sleep' }))).toBe('peer.unsupported');
    expect(lines(link)).toEqual(['GET /api/system/info']);
  });
  test('low and high are refused before anything is sent', async () => {
    const link = device({ miningPaused: false });
    for (const mode of ['low', 'high'])
      expect(await refusalOf(abilities.powerMode.act(link, { mode }))).toBe('peer.unsupported');
    expect(link.sent).toEqual([]);
  });
  test('a state that cannot be read has changed nothing', async () => {
    for (const answer of [fail(lostAfterSending), () => ({ status: 'ok' })]) {
      const link = device({}, { '/api/system/info': answer });
      await expect(abilities.powerMode.act(link, { mode: 'sleep' })).rejects.toMatchObject({ wasSent: false });
    }
  });
});

describe('pools', () => {
  const [a, b] = [
    { url: 'stratum+tcp://a.example:3333', user: 'w', password: 'p' },
    { url: 'stratum+tcp://b.example:25', user: 'v', password: 'q' },
  ];
  const bodyOf = (link: ReturnType<typeof device>) =>
    link.sent.flatMap((request) => (request.via === 'http' && request.method === 'PATCH' ? [request.json] : []));

  test('host and port go apart, then it restarts', async () => {
    const link = device({});
    expect(await abilities.pools.act(link, { pools: [a, b] })).toEqual({ kind: 'accepted' });
    expect(lines(link)).toEqual(['GET /api/system/info', 'PATCH /api/system', 'POST /api/system/restart']);
    expect(bodyOf(link)).toEqual([
      {
        stratumURL: 'a.example',
        stratumPort: 3_333,
        stratumUser: 'w',
        stratumPassword: 'p',
        fallbackStratumURL: 'b.example',
        fallbackStratumPort: 25,
        fallbackStratumUser: 'v',
        fallbackStratumPassword: 'q',
      },
    ]);
  });
  test('one alone is the fallback too', async () => {
    const link = device({});
    await abilities.pools.act(link, { pools: [a] });
    expect(bodyOf(link)).toMatchObject([{ stratumURL: 'a.example', fallbackStratumURL: 'a.example' }]);
  });
  test('what is set already restarts nothing', async () => {
    const link = device({
      stratumURL: 'a.example',
      stratumPort: 3_333,
      stratumUser: 'w',
      fallbackStratumURL: 'stratum+tcp://b.example',
      fallbackStratumPort: 25,
      fallbackStratumUser: 'v',
    });
    expect(await abilities.pools.act(link, { pools: [a, b] })).toMatchObject({ note: 'they were so already' });
    expect(lines(link)).toEqual(['GET /api/system/info']);
  });
  test('after a lost answer it is not restarted', async () => {
    const link = device({}, { '/api/system': fail(lostAfterSending) });
    expect(await abilities.pools.act(link, { pools: [a, b] })).toEqual({ kind: 'lost-reply' });
    expect(lines(link)).not.toContain('POST /api/system/restart');
  });
  test('other protocols are refused before anything is sent, and so are more than two', async () => {
    const link = device({});
    const pools = [{ url: 'stratum+ssl://a.example:443', user: 'w' }];
    expect(await refusalOf(abilities.pools.act(link, { pools }))).toBe('peer.unsupported');
    expect(link.sent).toEqual([]);
    expect(abilities.pools.params.safeParse({ pools: [a, b, a] }).success).toBe(false);
    expect(abilities.pools.params.safeParse({ pools: [] }).success).toBe(false);
    expect(abilities.pools.params.safeParse({ pools: [{ url: 'a.example:3333', user: 'w' }] }).success).toBe(false);
  });
});
