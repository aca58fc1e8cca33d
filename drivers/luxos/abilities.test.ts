// What is sent to LuxOS for each action, in which order, and what becomes of the session when things go wrong.
import { describe, expect, test } from 'vitest';
import { PeerError } from '../../src/base/errors.ts';
import type { MinerRequest } from '../../src/transport/request.ts';
import { type Answering, fakeLink, lostAfterSending, neverSent, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { abilities } from './abilities.ts';

const said = (Msg: string, content: object = {}) => ({ STATUS: [{ STATUS: 'S', Code: 1, Msg }], ...content });
const session = (SessionID: string) => said('Session', { SESSION: [{ SessionID }] });
const refusal = (code: PeerError['code']) => new PeerError(code, 'ask for it', 'later');

/** A device that gives session `s1`; `special` answers or throws for single commands. */
const device = (special: Readonly<Record<string, Answering>> = {}) =>
  fakeLink((request) => {
    if (request.via !== 'cgminer') throw neverSent();
    const own = special[request.command];
    if (own) return own(request);
    return request.command === 'logon' ? session('s1') : said('yes');
  });
const lines = (sent: readonly MinerRequest[]) =>
  sent.map((request) =>
    request.via === 'cgminer'
      ? [request.command, request.parameter].filter((part) => part !== undefined).join(' ')
      : '?',
  );
const fail = (error: () => PeerError): Answering => {
  return () => {
    throw error();
  };
};
const config = (row: object) => () => said('config', { CONFIG: [row] });

describe('the session', () => {
  test('is opened, used as first parameter and closed', async () => {
    const link = device();
    expect(await abilities.light.act(link, { on: true })).toEqual({ kind: 'accepted', note: 'yes' });
    expect(lines(link.sent)).toEqual(['logon', 'ledset s1,red,blink', 'logoff s1']);
  });

  test('is closed when the command is refused', async () => {
    const link = device({ ledset: fail(() => refusal('peer.rejected')) });
    expect(await refusalOf(abilities.light.act(link, { on: false }))).toBe('peer.rejected');
    expect(lines(link.sent)).toEqual(['logon', 'ledset s1,red,auto', 'logoff s1']);
  });

  test('is closed when the answer is lost, and a logoff that fails changes nothing', async () => {
    const link = device({ rebootdevice: fail(lostAfterSending), logoff: fail(neverSent) });
    expect(await abilities.reboot.act(link)).toEqual({ kind: 'lost-reply' });
    expect(lines(link.sent)).toEqual(['logon', 'rebootdevice s1', 'logoff s1']);
  });

  test('of somebody else is not touched', async () => {
    const link = device({ logon: fail(() => refusal('peer.rejected')), session: () => session('theirs') });
    await expect(abilities.reboot.act(link)).rejects.toMatchObject({ code: 'peer.busy', wasSent: false });
    expect(lines(link.sent)).toEqual(['logon', 'session']);
  });

  test('that is refused for another reason is that refusal', async () => {
    const link = device({ logon: fail(() => refusal('peer.rejected')), session: () => session('') });
    expect(await refusalOf(abilities.reboot.act(link))).toBe('peer.rejected');
    expect(await refusalOf(abilities.reboot.act(device({ logon: fail(() => refusal('peer.permission')) })))).toBe(
      'peer.permission',
    );
  });

  test('whose opening is lost has changed nothing', async () => {
    const link = device({ logon: fail(lostAfterSending) });
    await expect(abilities.reboot.act(link)).rejects.toMatchObject({ code: 'peer.reset', wasSent: false });
    expect(lines(link.sent)).toEqual(['logon']);
  });

  test('without an id is no session', async () => {
    const link = device({ logon: () => said('what?'), session: () => session('') });
    await expect(abilities.reboot.act(link)).rejects.toMatchObject({ code: 'peer.rejected', wasSent: false });
    expect(lines(link.sent)).toEqual(['logon', 'session']);
  });
});

test('an answer that is neither yes nor no is to be looked at', async () => {
  expect(await abilities.reboot.act(device({ rebootdevice: () => ({}) }))).toEqual({ kind: 'lost-reply' });
});

describe('power mode', () => {
  const set = async (row: object, params: object) => {
    const link = device({ config: config(row) });
    const result = await abilities.powerMode.act(link, params);
    return { sent: lines(link.sent).filter((line) => !/^(config|profiles$|logon|logoff)/.test(line)), result };
  };

  test('sleep is one command', async () => {
    expect((await set({}, { mode: 'sleep' })).sent).toEqual(['curtail s1,sleep']);
  });
  test('a sleeping machine is woken before its profile is set', async () => {
    const row = { CurtailMode: 'Sleep', Profile: '290MHz' };
    expect((await set(row, { mode: 'normal' })).sent).toEqual(['curtail s1,wakeup', 'profileset s1,default']);
    expect((await set(row, { preset: '290MHz' })).sent).toEqual(['curtail s1,wakeup']);
  });
  test('what is set already is not set again', async () => {
    const { sent, result } = await set({ CurtailMode: 'None', Profile: 'default' }, { mode: 'normal' });
    expect({ sent, result }).toEqual({ sent: [], result: { kind: 'accepted', note: 'it was so already' } });
  });
  test('a profile that is not on its list is not sent; without a list the device is asked', async () => {
    const listed = (profiles: Answering) => device({ config: config({ Profile: 'default' }), profiles });
    const link = listed(() => ({ PROFILES: [{ 'Profile Name': '290MHz' }] }));
    expect(await refusalOf(abilities.powerMode.act(link, { preset: '999MHz' }))).toBe('peer.unsupported');
    expect(lines(link.sent)).toEqual(['config', 'profiles']);
    for (const none of [() => ({}), () => ({ PROFILES: [] }), fail(() => refusal('peer.unsupported'))]) {
      const other = listed(none);
      expect((await abilities.powerMode.act(other, { preset: '999MHz' })).kind).toBe('accepted');
      expect(lines(other.sent)).toContain('profileset s1,999MHz');
    }
    await expect(abilities.powerMode.act(listed(fail(lostAfterSending)), { preset: '999MHz' })).rejects.toMatchObject({
      code: 'peer.reset',
      wasSent: false,
    });
  });
  test('says when the firmware may move the profile by itself', async () => {
    const { result } = await set({ CurtailMode: 'None', Profile: 'default', IsAtmEnabled: true }, { preset: '290MHz' });
    expect(result).toMatchObject({ note: expect.stringContaining('ATM') });
  });
  test('stops at the first answer that is lost', async () => {
    const link = device({
      config: config({ CurtailMode: 'Sleep', Profile: '290MHz' }),
      curtail: fail(lostAfterSending),
    });
    expect(await abilities.powerMode.act(link, { mode: 'normal' })).toEqual({ kind: 'lost-reply' });
    expect(lines(link.sent)).toEqual(['config', 'logon', 'curtail s1,wakeup', 'logoff s1']);
  });
  test('a state that cannot be read has changed nothing', async () => {
    const link = device({ config: fail(lostAfterSending) });
    await expect(abilities.powerMode.act(link, { mode: 'normal' })).rejects.toMatchObject({ wasSent: false });
    expect(lines(link.sent)).toEqual(['config']);
  });
  test('low and high are refused before anything is sent', async () => {
    const link = device();
    for (const mode of ['low', 'high'])
      expect(await refusalOf(abilities.powerMode.act(link, { mode }))).toBe('peer.unsupported');
    expect(link.sent).toEqual([]);
  });
  test('takes a mode or a preset, and no preset that would end its parameter', () => {
    const fits = (params: object) => abilities.powerMode.params.safeParse(params).success;
    expect([{}, { mode: 'sleep', preset: 'x' }, { preset: 'a,b' }, { preset: '' }].map(fits)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect([{ mode: 'sleep' }, { preset: '290MHz' }].map(fits)).toEqual([true, true]);
  });
});

describe('pools', () => {
  const row = (POOL: number, URL: string, GROUP = 3) => ({ POOL, URL, User: 'u', GROUP });
  const wanted = { pools: [{ url: 'stratum+tcp://new.example:1', user: 'u', password: 'p' }] };
  /** `lists` are what `pools` says, one after another. */
  const pooled = (lists: readonly (readonly object[])[], special: Readonly<Record<string, Answering>> = {}) => {
    const rest = [...lists];
    return device({ pools: () => said('pools', { POOLS: rest.shift() ?? [] }), ...special });
  };
  const [a, b] = [row(0, 'stratum+tcp://a:1'), row(1, 'stratum+tcp://b:1')];
  const added = row(2, 'stratum+tcp://new.example:1');

  test('new ones come first, then the old ones go from the end, all in the first group', async () => {
    const link = pooled([[a, b], [a, b, added], [{ ...added, POOL: 0 }]]);
    expect(await abilities.pools.act(link, wanted)).toEqual({ kind: 'accepted' });
    expect(lines(link.sent)).toEqual([
      'pools',
      'addpool stratum+tcp://new.example:1,u,p,3',
      'pools',
      'switchpool 2',
      'removepool 1',
      'removepool 0',
      'pools',
    ]);
  });
  test('nothing old goes when the new ones did not come', async () => {
    const link = pooled([
      [a, b],
      [a, b],
    ]);
    expect(await refusalOf(abilities.pools.act(link, wanted))).toBe('peer.rejected');
    expect(lines(link.sent).some((line) => line.startsWith('removepool'))).toBe(false);
  });
  test('what was added goes again when a later one is refused', async () => {
    const second = { url: 'stratum+tcp://bad.example:1', user: 'u', password: 'p' };
    const refusing: Answering = (request) => {
      if ('parameter' in request && request.parameter?.includes('bad')) throw refusal('peer.rejected');
      return said('addpool');
    };
    const link = pooled([[a, b], [a, b, added], []], { addpool: refusing });
    const result = abilities.pools.act(link, { pools: [...wanted.pools, second] });
    expect(await refusalOf(result)).toBe('peer.rejected');
    expect(lines(link.sent).filter((line) => !line.startsWith('addpool'))).toEqual(['pools', 'pools', 'removepool 2']);
  });
  test('so it does when it cannot be used, but nothing goes from a list that is another one', async () => {
    const unused = pooled([[a], [a, { ...added, POOL: 1 }], [a, { ...added, POOL: 1 }]], {
      switchpool: fail(() => refusal('peer.rejected')),
    });
    expect(await refusalOf(abilities.pools.act(unused, wanted))).toBe('peer.rejected');
    expect(lines(unused.sent).at(-1)).toBe('removepool 1');
    const other = pooled([[a], [b, added]], { addpool: fail(() => refusal('peer.rejected')) });
    expect(await refusalOf(abilities.pools.act(other, wanted))).toBe('peer.rejected');
    expect(lines(other.sent).some((line) => line.startsWith('removepool'))).toBe(false);
  });
  test('a device that says yes and lists others is not believed', async () => {
    expect(await refusalOf(abilities.pools.act(pooled([[a], [a, { ...added, POOL: 1 }], [a]]), wanted))).toBe(
      'peer.rejected',
    );
  });
  test('a lost answer is to be looked at, a refusal is one', async () => {
    expect(await abilities.pools.act(pooled([[a]], { addpool: fail(lostAfterSending) }), wanted)).toEqual({
      kind: 'lost-reply',
    });
    const refused = pooled([[a]], { addpool: fail(() => refusal('peer.permission')) });
    expect(await refusalOf(abilities.pools.act(refused, wanted))).toBe('peer.permission');
  });
  test('a list that cannot be read has changed nothing', async () => {
    const link = device({ pools: () => said('nothing') });
    await expect(abilities.pools.act(link, wanted)).rejects.toMatchObject({ code: 'peer.rejected', wasSent: false });
  });
  test('a comma in a name is refused before anything is sent', () => {
    const pools = [{ url: 'stratum+tcp://a:1', user: 'a,b' }];
    expect(abilities.pools.params.safeParse({ pools }).success).toBe(false);
  });
});
