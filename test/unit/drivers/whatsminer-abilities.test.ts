// What is sent to a Whatsminer for each action, and what its answers are taken for.
import { describe, expect, test } from 'vitest';
import { abilities } from '../../../drivers/whatsminer/abilities.ts';
import type { MinerRequest } from '../../../src/transport/request.ts';
import { fakeLink, lostAfterSending, neverSent, refusalOf } from './fake-link.ts';

const done2 = { STATUS: 'S', Code: 131, Msg: 'API command OK' };
const done3 = { code: 0, msg: 'ok' };
const version = (fw_ver: string) => ({ STATUS: 'S', Code: 131, Msg: { api_ver: '1.4.0', fw_ver } });

/** A device of API 2 that is `status` and takes every write. */
const api2 = (status: object = {}) =>
  fakeLink((request) => {
    if (request.via !== 'cgminer') return done2;
    return request.command === 'get_version' ? version('20230803.11.REL') : { STATUS: 'S', Code: 131, Msg: status };
  });
const api3 = (info: object = {}) =>
  fakeLink((request) => (request.via === 'whatsminer3' ? { code: 0, msg: info } : done3));
const writes = (sent: readonly MinerRequest[]) => sent.filter(({ via }) => via.endsWith('-write'));

describe('reboot', () => {
  test('of API 2 asks the device to answer before it goes', async () => {
    const link = api2();
    expect(await abilities.reboot.act(link, {}, { generation: 'api2' })).toEqual({
      kind: 'accepted',
      note: 'API command OK',
    });
    expect(writes(link.sent)).toEqual([{ via: 'whatsminer2-write', cmd: 'reboot', params: { respbefore: 'true' } }]);
  });

  test('of API 3 is one signed command', async () => {
    const link = api3();
    expect(await abilities.reboot.act(link, {}, { generation: 'api3' })).toEqual({ kind: 'accepted', note: 'ok' });
    expect(link.sent).toEqual([{ via: 'whatsminer3-write', cmd: 'set.system.reboot' }]);
  });

  test('of API 1 is refused before anything is sent', async () => {
    const link = api2();
    expect(await refusalOf(abilities.reboot.act(link, {}, { generation: 'api1' }))).toBe('peer.unsupported');
    expect(link.sent).toEqual([]);
  });

  test('asks the firmware first: old firmware is refused before a write, newer firmware gets its own API', async () => {
    const old = fakeLink(() => version('20210322.22.REL'));
    expect(await refusalOf(abilities.reboot.act(old, {}, { generation: 'api2' }))).toBe('peer.unsupported');
    expect(writes(old.sent)).toEqual([]);

    const updated = fakeLink(({ via }) => (via === 'cgminer' ? version('20250214.11.Rel') : done3));
    await abilities.reboot.act(updated, {}, { generation: 'api2' });
    expect(writes(updated.sent)).toEqual([{ via: 'whatsminer3-write', cmd: 'set.system.reboot' }]);
  });

  test('that goes without a word is to be looked at, not failed', async () => {
    for (const generation of ['api2', 'api3']) {
      const link = fakeLink(({ via }) => {
        if (via === 'cgminer') return version('20230803.11.REL');
        throw lostAfterSending();
      });
      expect(await abilities.reboot.act(link, {}, { generation })).toEqual({ kind: 'lost-reply' });
    }
  });

  test('that never left is an error', async () => {
    const link = fakeLink(() => {
      throw neverSent();
    });
    expect(await refusalOf(abilities.reboot.act(link, {}, { generation: 'api3' }))).toBe('peer.refused');
  });

  test('with an answer that says neither yes nor no is to be looked at', async () => {
    const link = fakeLink(() => 'what?');
    expect(await abilities.reboot.act(link, {}, { generation: 'api3' })).toEqual({ kind: 'lost-reply' });
  });

  test.each([
    [{ STATUS: 'E', Code: 45, Msg: 'permission denied' }, 'peer.permission'],
    [{ STATUS: 'E', Code: 14, Msg: 'invalid cmd' }, 'peer.unsupported'],
    [{ STATUS: 'E', Code: 23, Msg: 'enc json load err' }, 'peer.auth'],
    [{ STATUS: 'E', Code: 136, Msg: 'over max token' }, 'peer.busy'],
    [{ STATUS: 'E', Code: 132, Msg: 'no' }, 'peer.rejected'],
    [{ code: -1, msg: 'invalid command' }, 'peer.unsupported'],
    [{ code: -4, msg: 'no permission' }, 'peer.permission'],
    [{ code: -3, msg: 'no' }, 'peer.rejected'],
  ])('answered with %j is %s', async (answer, code) => {
    const link = fakeLink(() => answer);
    expect(await refusalOf(abilities.reboot.act(link, {}, { generation: 'api3' }))).toBe(code);
  });
});

describe('light', () => {
  test('blinks in both colours, and goes back to automatic', async () => {
    const on = api2();
    await abilities.light.act(on, { on: true }, { generation: 'api2' });
    expect(writes(on.sent)).toEqual([
      { via: 'whatsminer2-write', cmd: 'set_led', params: { color: 'red', period: 200, duration: 100, start: 0 } },
      { via: 'whatsminer2-write', cmd: 'set_led', params: { color: 'green', period: 200, duration: 100, start: 0 } },
    ]);
    const off = api3();
    await abilities.light.act(off, { on: false }, { generation: 'api3' });
    expect(off.sent).toEqual([{ via: 'whatsminer3-write', cmd: 'set.system.led', param: 'auto' }]);
  });
});

describe('power mode', () => {
  const commands = (sent: readonly MinerRequest[]) =>
    writes(sent).map((request) =>
      'cmd' in request ? [request.cmd, 'param' in request ? request.param : ''].join(' ').trim() : '',
    );

  test('sleep suspends', async () => {
    const two = api2();
    await abilities.powerMode.act(two, { mode: 'sleep' }, { generation: 'api2' });
    const three = api3();
    await abilities.powerMode.act(three, { mode: 'sleep' }, { generation: 'api3' });
    expect([commands(two.sent), commands(three.sent)]).toEqual([['power_off'], ['set.miner.service stop']]);
  });

  test('a sleeping miner is woken first', async () => {
    const two = api2({ mineroff: 'true', power_mode: 'Normal' });
    await abilities.powerMode.act(two, { mode: 'high' }, { generation: 'api2' });
    const three = api3({ miner: { working: 'false' }, power: { mode: '1' } });
    await abilities.powerMode.act(three, { mode: 'low' }, { generation: 'api3' });
    expect([commands(two.sent), commands(three.sent)]).toEqual([
      ['power_on', 'set_high_power'],
      ['set.miner.service start', 'set.miner.power_mode low'],
    ]);
  });

  test('a mode that is set already is not set again: it would restart the mining process', async () => {
    const awake = api2({ mineroff: 'false', power_mode: 'Normal' });
    await abilities.powerMode.act(awake, { mode: 'normal' }, { generation: 'api2' });
    const asleep = api3({ miner: { working: 'false' }, power: { mode: '1' } });
    await abilities.powerMode.act(asleep, { mode: 'normal' }, { generation: 'api3' });
    expect([commands(awake.sent), commands(asleep.sent)]).toEqual([[], ['set.miner.service start']]);
  });

  test('after a lost answer nothing more is sent', async () => {
    const link = fakeLink((request) => {
      if (request.via === 'cgminer')
        return { ...version('20230803.11.REL'), ...(request.command === 'status' && { Msg: { mineroff: 'true' } }) };
      throw lostAfterSending();
    });
    expect(await abilities.powerMode.act(link, { mode: 'low' }, { generation: 'api2' })).toEqual({
      kind: 'lost-reply',
    });
    expect(commands(link.sent)).toEqual(['power_on']);
  });

  test('takes no other word', () => {
    expect(abilities.powerMode.params.safeParse({ mode: 'turbo' }).success).toBe(false);
  });
});
