// What is sent to a Whatsminer for each action, and what its answers are taken for.
import { describe, expect, test } from 'vitest';
import { PeerError } from '../../src/base/errors.ts';
import type { MinerRequest } from '../../src/transport/request.ts';
import { combinedImage } from '../../test/contract/combined-image.ts';
import { fakeLink, lostAfterSending, neverSent, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { abilities } from './abilities.ts';
import { partFor } from './firmware.ts';

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

  test('of a miner that was seen by its web page alone goes to the server that is open', async () => {
    const link = fakeLink(({ via }) => {
      if (via === 'cgminer') throw neverSent();
      return done3;
    });
    expect(await abilities.reboot.act(link, {}, {})).toMatchObject({ kind: 'accepted' });
    expect(writes(link.sent)).toEqual([{ via: 'whatsminer3-write', cmd: 'set.system.reboot' }]);
    expect(await refusalOf(abilities.reboot.act(link, {}, { generation: 'api2' }))).toBe('peer.refused');
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

describe('pools', () => {
  const pools = [{ url: 'stratum+tcp://a.example:3333', user: 'w', password: 'p' }];
  const params2 = {
    pool1: 'stratum+tcp://a.example:3333',
    worker1: 'w',
    passwd1: 'p',
    ...{ pool2: '', worker2: '', passwd2: '', pool3: '', worker3: '', passwd3: '' },
  };

  test('of API 2 are three texts each, places without a pool are empty', async () => {
    const link = api2();
    expect(await abilities.pools.act(link, { pools }, { generation: 'api2' })).toMatchObject({ kind: 'accepted' });
    expect(writes(link.sent)).toEqual([{ via: 'whatsminer2-write', cmd: 'update_pools', params: params2 }]);
  });

  test('of API 3 are a sealed list', async () => {
    const link = api3();
    await abilities.pools.act(link, { pools }, { generation: 'api3' });
    const param = [{ pool: 'stratum+tcp://a.example:3333', worker: 'w', passwd: 'p' }];
    expect(writes(link.sent)).toEqual([{ via: 'whatsminer3-write', cmd: 'set.miner.pools', param, isEncrypted: true }]);
  });

  test('whose answer is lost are not followed by a restart', async () => {
    const link = fakeLink((request) => {
      if (request.via !== 'cgminer') throw lostAfterSending();
      return version('20230803.11.REL');
    });
    expect(await abilities.pools.act(link, { pools }, { generation: 'api2' })).toEqual({ kind: 'lost-reply' });
    expect(writes(link.sent)).toHaveLength(1);
  });
});

describe('firmware', () => {
  const image = (bytes: Buffer) => ({ name: 'a.bin', sha256: '', bytes: new Blob([Uint8Array.from(bytes)]) });
  const partOf = async (bytes: Buffer, chip = 'h616') =>
    Buffer.from(await (await partFor(image(bytes), chip, 'update')).arrayBuffer());
  const [h3, h616] = [Buffer.alloc(300, 3), Buffer.alloc(500, 6)];

  test.each([false, true])(
    'for several boards: the part of the device (offsets from the head: %s)',
    async (isRelative) => {
      const parts = [
        { chip: 'h3', bytes: h3 },
        { chip: 'H616', bytes: h616 },
      ];
      expect((await partOf(combinedImage(parts, isRelative))).equals(h616)).toBe(true);
      expect((await partOf(combinedImage(parts, isRelative), 'h3')).equals(h3)).toBe(true);
    },
  );

  test.each([
    ['behind the end of its name', 'h616\0junk'],
    ['in a name', 'h6 os'],
    ['no letters in a name', '\x01\x02'],
  ])('is still one for several boards with %s', async (_, chip) => {
    const parts = [
      { chip: 'h3', bytes: h3 },
      { chip, bytes: h616 },
    ];
    const image = combinedImage(parts);
    if (chip.startsWith('h616')) expect((await partOf(image)).equals(h616)).toBe(true);
    else await expect(partOf(image)).rejects.toMatchObject({ code: 'peer.unsupported', wasSent: false });
  });

  test('that is one image goes out whole, whatever stands where a count might', async () => {
    for (const bytes of [Buffer.alloc(20, 9), Buffer.alloc(9_000), Buffer.alloc(9_000, 1)]) {
      expect((await partOf(bytes)).equals(bytes)).toBe(true);
    }
    const odd = Buffer.alloc(9_000);
    odd.writeUInt32LE(3, 20);
    expect((await partOf(odd)).equals(odd)).toBe(true);
  });

  test('whose parts lie outside of it, or that has none for the device, is refused', async () => {
    const torn = combinedImage([{ chip: 'h616', bytes: h616 }]).subarray(0, -10);
    for (const [bytes, chip] of [
      [torn, 'h616'],
      [combinedImage([{ chip: 'h616', bytes: h616 }]), 'h6'],
      [Buffer.alloc(0), 'h616'],
    ] as const) {
      await expect(partOf(bytes, chip)).rejects.toMatchObject({ code: 'peer.unsupported', wasSent: false });
    }
  });

  test('is not sent to a device that does not name its board', async () => {
    const link = api3({ system: {} });
    const update = abilities.firmware.act(link, {}, { generation: 'api3' }, image(h616));
    await expect(update).rejects.toMatchObject({ wasSent: false });
    expect(writes(link.sent)).toEqual([]);
  });

  test('whose verdict is lost is to be looked at', async () => {
    const link = fakeLink((request) => {
      if (request.via === 'whatsminer3') return { code: 0, msg: { system: { platform: 'H616' } } };
      throw lostAfterSending();
    });
    expect(await abilities.firmware.act(link, {}, { generation: 'api3' }, image(h616))).toEqual({ kind: 'lost-reply' });
  });
});

test('a log that newer firmware shows only with a login is asked for with it', async () => {
  const link = fakeLink(({ via }) => {
    if (via === 'whatsminer3') throw new PeerError('peer.permission', 'read', 'never');
    return 'lines';
  });
  expect(await abilities.log.act(link, {}, { generation: 'api3' })).toEqual({ kind: 'accepted', log: 'lines' });
  expect(writes(link.sent)).toEqual([{ via: 'whatsminer3-write', cmd: 'get.log.download', download: 'archive' }]);
});
