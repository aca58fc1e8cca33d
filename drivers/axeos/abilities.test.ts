// What is sent to AxeOS and its kin for each action, and what its answers are taken for.
import { describe, expect, test } from 'vitest';
import { PeerError } from '../../src/base/errors.ts';
import { type Answering, fakeLink, lostAfterSending, neverSent, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { abilities } from './abilities.ts';

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

describe('frequency', () => {
  const set = (link: ReturnType<typeof device>, preset: string) => abilities.powerMode.act(link, { preset });

  test('is set with a restart, and not for nothing', async () => {
    const link = device({ frequency: 525 }, { '/api/system/asic': () => ({ frequencyOptions: [400, 500, 525] }) });
    expect(await set(link, '500 MHz')).toEqual({ kind: 'accepted' });
    expect(lines(link).slice(2)).toEqual(['PATCH /api/system', 'POST /api/system/restart']);
    expect(link.sent[2]).toMatchObject({ json: { frequency: 500 } });
    expect(await set(link, '525mhz')).toMatchObject({ note: 'it was so already' });
  });
  test('that the chip is not made for is refused; a build that does not tell takes what it is told', async () => {
    const link = device({ frequency: 525 }, { '/api/system/asic': () => ({ frequencyOptions: [400, 500, 525] }) });
    expect(await refusalOf(set(link, '600 MHz'))).toBe('peer.unsupported');
    expect(lines(link)).not.toContain('PATCH /api/system');
    const old = device(
      { frequency: 525 },
      { '/api/system/asic': fail(() => new PeerError('peer.unsupported', 'read', 'never')) },
    );
    expect(await set(old, '600 MHz')).toEqual({ kind: 'accepted' });
  });
  test('in other words is refused before anything is sent', async () => {
    const link = device({});
    for (const preset of ['fast', '600', '20 W', '9000 MHz', '10 MHz'])
      expect(await refusalOf(set(link, preset)), preset).toBe('peer.unsupported');
    expect(link.sent).toEqual([]);
    expect(abilities.powerMode.params.safeParse({ mode: 'normal', preset: '500 MHz' }).success).toBe(false);
  });
});

describe('firmware', () => {
  const application = Buffer.alloc(100);
  application[0] = 0xe9;
  application.writeUInt32LE(0xabcd5432, 32);
  const update = (link: ReturnType<typeof device>, bytes: Buffer) =>
    abilities.firmware.act(link, {}, {}, { name: 'a.bin', sha256: '', bytes: new Blob([Uint8Array.from(bytes)]) });

  test('goes out as it is; a lost answer is to be looked at', async () => {
    const link = device({});
    expect(await update(link, application)).toEqual({ kind: 'accepted' });
    expect(link.sent).toMatchObject([{ method: 'POST', path: '/api/system/OTA', octets: expect.any(Blob) }]);
    const lost = device({}, { '/api/system/OTA': fail(lostAfterSending) });
    expect(await update(lost, application)).toEqual({ kind: 'lost-reply' });
  });
  test('that is no application is refused before anything is sent', async () => {
    const link = device({});
    const loader = Buffer.alloc(100);
    loader[0] = 0xe9;
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(100), loader, application.subarray(0, 33)])
      await expect(update(link, bytes)).rejects.toMatchObject({ code: 'peer.unsupported', wasSent: false });
    expect(link.sent).toEqual([]);
  });
  test('is shown by its version, with or without the v', () => {
    const shows = (firmwareVersion: string, version?: string) =>
      abilities.firmware.shows?.({ firmwareVersion }, { version });
    expect([shows('v2.4.5', '2.4.5'), shows('v2.4.5', 'V2.4.5'), shows('v2.4.5', '2.4.6'), shows('v2.4.5')]).toEqual([
      true,
      true,
      false,
      undefined,
    ]);
  });
});
