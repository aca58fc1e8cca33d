import { createDecipheriv, createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../../src/base/clock.ts';
import { Secret } from '../../../../src/base/secrets.ts';
import type { Transport } from '../../../../src/transport/transport.ts';
import { encodeFrame } from '../../../../src/transport/whatsminer/api3-frames.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { type Device, peerErrorOf, startDevice, transportTo } from '../loopback-device.ts';

const PASSWORD = 'farm-secret';
const SALT = 'Zk3vP9xQ';
/** The device lives in another year than we do. */
const DEVICE_TIME = 1_600_000_000;
const login = { user: 'super', password: new Secret(PASSWORD) };

const open: (Transport | Device)[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

type Message = Readonly<Record<string, unknown>>;

async function whatsminer3(act: (message: Message) => unknown, clock?: Clock) {
  const written: Message[] = [];
  const started = await startDevice((socket, request) => {
    const message: Message = JSON.parse(request.slice(request.indexOf('{')));
    if (message.cmd === 'get.device.info') {
      socket.end(encodeFrame({ code: 0, when: DEVICE_TIME, msg: { salt: SALT }, desc: message.cmd }));
      return;
    }
    const digest = createHash('sha256').update(`${message.cmd}${PASSWORD}${SALT}${message.ts}`).digest();
    const isRight = message.token === digest.toString('base64').slice(0, 8) && message.ts === DEVICE_TIME;
    if (!isRight) {
      socket.end(encodeFrame({ code: -4, when: DEVICE_TIME, msg: 'token err', desc: message.cmd }));
      return;
    }
    const param =
      typeof message.param === 'string' && message.cmd === 'set.miner.pools'
        ? unseal(message.param, digest)
        : message.param;
    written.push({ ...message, param });
    const reply = act(message);
    if (reply !== undefined) socket.end(encodeFrame(reply));
  });
  const transport = transportTo({ 4433: started.port }, {}, clock);
  open.push(transport, started);
  return { written, started, transport, link: transport.link('127.0.0.1', login) };
}

function unseal(text: string, key: Buffer): unknown {
  const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const plain = Buffer.concat([decipher.update(text, 'base64'), decipher.final()]).toString('utf8');
  return JSON.parse(plain.replaceAll('\0', ''));
}

const ok = { code: 0, when: DEVICE_TIME, msg: 'ok', desc: 'x' };

describe('a signed write', () => {
  test('is signed with the salt and the clock of the device', async () => {
    const miner = await whatsminer3(() => ok);
    expect(await miner.link.send({ via: 'whatsminer3-write', cmd: 'set.system.reboot' })).toEqual(ok);
    expect(miner.written).toMatchObject([{ cmd: 'set.system.reboot', account: 'super', ts: DEVICE_TIME }]);
  });
  test('may hold the login, sealed, with the account that it is signed for', async () => {
    const miner = await whatsminer3(({ cmd }) =>
      cmd === 'set.miner.pools' ? ok : { ...ok, code: -3, msg: 'passwd error' },
    );
    const carry = ({ user, password }: { readonly user: string; readonly password: string }) => ({
      user,
      old: password,
    });
    const param = { new: 'next' };
    const request = { via: 'whatsminer3-write', cmd: 'set.miner.pools', param, isEncrypted: true, carry } as const;
    const asAdmin = miner.transport.link('127.0.0.1', { user: 'admin', password: new Secret(PASSWORD) });
    await asAdmin.send(request);
    expect(miner.written.map((each) => each.param)).toEqual([{ new: 'next', user: 'super', old: PASSWORD }]);
    expect(miner.started.requests.join()).not.toContain(PASSWORD);
    // What it says of passwords is not about the login then.
    expect((await peerErrorOf(asAdmin.send({ ...request, cmd: 'set.other' }))).code).toBe('peer.rejected');
  });
  test('that tries the login waits for leave, and takes a no to it for a wrong one', async () => {
    const miner = await whatsminer3(() => ({ ...ok, code: -4, msg: 'permission denied' }));
    const request = { via: 'whatsminer3-write', cmd: 'set.system.led', param: 'auto' } as const;
    expect((await peerErrorOf(miner.link.send(request))).code).toBe('peer.permission');
    expect((await peerErrorOf(miner.link.send({ ...request, triesLogin: true }))).code).toBe('peer.auth');
    const beforeSending = () => Promise.reject(new Error('not now'));
    const guarded = miner.transport.link('127.0.0.1', { ...login, beforeSending });
    const before = miner.written.length;
    await expect(guarded.send({ ...request, triesLogin: true })).rejects.toThrow('not now');
    expect(miner.written).toHaveLength(before);
  });
  test('carries an open param, or a sealed one', async () => {
    const miner = await whatsminer3(() => ok);
    const pools = [{ pool: 'stratum+tcp://a:3333', worker: 'w.1', passwd: 'x' }];
    await miner.link.send({ via: 'whatsminer3-write', cmd: 'set.miner.power_limit', param: 3_300 });
    await miner.link.send({ via: 'whatsminer3-write', cmd: 'set.miner.pools', param: pools, isEncrypted: true });
    expect(miner.written.map(({ param }) => param)).toEqual([3_300, pools]);
    expect(miner.started.requests.join()).not.toContain('stratum');
  });
  test('uses `super` for a login that API 3 does not know', async () => {
    const miner = await whatsminer3(() => ok);
    const asAdmin = miner.transport.link('127.0.0.1', { ...login, user: 'admin' });
    await asAdmin.send({ via: 'whatsminer3-write', cmd: 'set.system.led', param: 'auto' });
    const asUser = miner.transport.link('127.0.0.1', { ...login, user: 'user2' });
    await asUser.send({ via: 'whatsminer3-write', cmd: 'set.system.led', param: 'auto' });
    expect(miner.written.map(({ account }) => account)).toEqual(['super', 'user2']);
  });
  test('that gets no answer says that it was sent', async () => {
    const clock = createVirtualClock();
    const miner = await whatsminer3(() => undefined, clock);
    const error = peerErrorOf(
      miner.link.send({ via: 'whatsminer3-write', cmd: 'set.system.reboot' }, { deadlineMs: 400 }),
    );
    await expect.poll(() => miner.written).toHaveLength(1);
    await clock.advance(500);
    expect(await error).toMatchObject({ code: 'peer.timeout', wasSent: true });
    expect(miner.written).toHaveLength(1);
  });
  test('with a wrong password is a login error', async () => {
    const miner = await whatsminer3(() => ok);
    const link = miner.transport.link('127.0.0.1', { user: 'super', password: new Secret('nope') });
    const error = await peerErrorOf(link.send({ via: 'whatsminer3-write', cmd: 'set.system.reboot' }));
    expect(error).toMatchObject({ code: 'peer.auth', retry: 'never' });
    expect(miner.written).toEqual([]);
  });
  test('without a login is a login error, and nothing is sent', async () => {
    const miner = await whatsminer3(() => ok);
    const write = miner.transport.link('127.0.0.1').send({ via: 'whatsminer3-write', cmd: 'set.system.reboot' });
    expect(await peerErrorOf(write)).toMatchObject({ code: 'peer.auth', wasSent: false });
    expect(miner.started.connections).toBe(0);
  });
  test('whose salt is lost says that it was not sent', async () => {
    const started = await startDevice((socket) => socket.end());
    const transport = transportTo({ 4433: started.port });
    open.push(transport, started);
    const write = transport.link('127.0.0.1', login).send({ via: 'whatsminer3-write', cmd: 'set.system.reboot' });
    expect(await peerErrorOf(write)).toMatchObject({ code: 'peer.reset', wasSent: false });
  });
});
