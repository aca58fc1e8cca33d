import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../../src/base/clock.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { Secret } from '../../../../src/base/secrets.ts';
import type { Login } from '../../../../src/transport/request.ts';
import { createTransport, type Transport } from '../../../../src/transport/transport.ts';
import { md5CryptHash } from '../../../../src/transport/whatsminer/md5-crypt.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { type Device, peerErrorOf, startDevice } from '../loopback-device.ts';

const PASSWORD = 'farm-secret';
const login: Login = { user: 'admin', password: new Secret(PASSWORD) };
const reboot = { via: 'whatsminer2-write', cmd: 'reboot', params: { respbefore: 'true' } } as const;
const SALT = 'BQ5hoXV9';
const NEWSALT = 'jbzkfQls';

const open: (Transport | Device)[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

type Command = Readonly<Record<string, unknown>>;
type Answer = { readonly sealed: unknown } | { readonly plain: unknown } | 'hang' | 'reset';

/** A miner that checks tokens as the real ones do; `act` answers commands whose token is right. */
async function whatsminer(
  act: (command: Command) => Answer,
  options: { token?: unknown; isTokenAccepted?: (nth: number) => boolean; clock?: Clock } = {},
) {
  const commands: Command[] = [];
  const seen = { tokens: 0, presented: 0 };
  const send = (socket: Socket, value: unknown) => socket.end(`${JSON.stringify(value)}\0`);
  const started = await startDevice((socket, request) => {
    const message: Command = JSON.parse(request);
    if (message.cmd === 'get_token') {
      const Msg = { time: String(5_000 + seen.tokens++), salt: SALT, newsalt: NEWSALT };
      send(socket, options.token ?? { STATUS: 'S', When: 1, Code: 134, Msg, Description: '' });
      return;
    }
    const key = md5CryptHash(PASSWORD, SALT);
    const aesKey = createHash('sha256').update(key).digest();
    const decipher = createDecipheriv('aes-256-ecb', aesKey, null).setAutoPadding(false);
    const plain = Buffer.concat([decipher.update(String(message.data), 'base64'), decipher.final()]).toString('utf8');
    const end = plain.indexOf('\0');
    const text = end < 0 ? plain : plain.slice(0, end);
    if (!text.startsWith('{')) {
      send(socket, { STATUS: 'E', When: 1, Code: 23, Msg: 'enc json load err', Description: '' });
      return;
    }
    const command: Command = JSON.parse(text);
    const expected = md5CryptHash(`${key}${4_999 + seen.tokens}`, NEWSALT);
    const isAccepted = command.token === expected && (options.isTokenAccepted?.(seen.presented++) ?? true);
    if (!isAccepted) {
      send(socket, { STATUS: 'E', When: 1, Code: 135, Msg: 'check token err', Description: '' });
      return;
    }
    commands.push(command);
    const answer = act(command);
    if (answer === 'hang') return;
    if (answer === 'reset') {
      socket.resetAndDestroy();
      return;
    }
    if ('plain' in answer) {
      send(socket, answer.plain);
      return;
    }
    const reply = Buffer.from(JSON.stringify(answer.sealed));
    const padded = Buffer.alloc(Math.ceil(reply.length / 16) * 16);
    padded.set(reply);
    const cipher = createCipheriv('aes-256-ecb', aesKey, null).setAutoPadding(false);
    send(socket, { enc: Buffer.concat([cipher.update(padded), cipher.final()]).toString('base64') });
  });
  const transport = createTransport({
    clock: options.clock ?? systemClock,
    log: silentLog,
    portMap: new Map([[4028, started.port]]),
  });
  open.push(transport, started);
  return { commands, seen, started, transport, link: transport.link('127.0.0.1', login) };
}

const done = { STATUS: 'S', When: 1, Code: 131, Msg: 'API command OK', Description: '' };

describe('an encrypted write', () => {
  test('reaches the miner with its params, and the sealed answer comes back open', async () => {
    const miner = await whatsminer(() => ({ sealed: done }));
    expect(await miner.link.send(reboot)).toEqual(done);
    expect(miner.commands).toMatchObject([{ cmd: 'reboot', respbefore: 'true' }]);
    expect(miner.started.requests.at(-1)).not.toContain('reboot');
  });
  test('keeps the token for the next command', async () => {
    const miner = await whatsminer(() => ({ sealed: done }));
    for (let i = 0; i < 5; i++) await miner.link.send(reboot);
    expect(miner.seen.tokens).toBe(1);
    expect(miner.commands).toHaveLength(5);
  });
  test('fetches a new token after 25 minutes', async () => {
    const shift = { ms: 0 };
    const clock: Clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + shift.ms };
    const miner = await whatsminer(() => ({ sealed: done }), { clock });
    await miner.link.send(reboot);
    shift.ms = 24 * 60_000;
    await miner.link.send(reboot);
    expect(miner.seen.tokens).toBe(1);
    shift.ms = 26 * 60_000;
    await miner.link.send(reboot);
    expect(miner.seen.tokens).toBe(2);
  });
  test('fetches a new token once when the device refuses the old one', async () => {
    const miner = await whatsminer(() => ({ sealed: done }), { isTokenAccepted: (nth) => nth !== 1 });
    await miner.link.send(reboot);
    expect(await miner.link.send(reboot)).toEqual(done);
    expect(miner.seen.tokens).toBe(2);
    expect(miner.commands).toHaveLength(2);
  });
  test('gives up with a login error when a fresh token is refused too', async () => {
    const miner = await whatsminer(() => ({ sealed: done }), { isTokenAccepted: () => false });
    expect(await peerErrorOf(miner.link.send(reboot))).toMatchObject({ code: 'peer.auth', retry: 'never' });
    expect(miner.seen.tokens).toBe(2);
    expect(miner.commands).toEqual([]);
  });
  test('with a wrong password is a login error', async () => {
    const miner = await whatsminer(() => ({ sealed: done }));
    const link = miner.transport.link('127.0.0.1', { user: 'admin', password: new Secret('wrong') });
    const error = await peerErrorOf(link.send(reboot));
    expect(error.code).toBe('peer.auth');
    expect(error.message).not.toContain('wrong');
    expect(miner.commands).toEqual([]);
  });
  test('without a login is a login error, and nothing is sent', async () => {
    const miner = await whatsminer(() => ({ sealed: done }));
    expect(await peerErrorOf(miner.transport.link('127.0.0.1').send(reboot))).toMatchObject({
      code: 'peer.auth',
      wasSent: false,
    });
    expect(miner.started.connections).toBe(0);
  });
});

describe('a write that holds the login', () => {
  const setting = {
    via: 'whatsminer2-write',
    cmd: 'update_pwd',
    params: { new: 'next' },
    carry: ({ password }: { readonly password: string }) => ({ old: password }),
  } as const;
  test('goes out sealed, and its token is not used again', async () => {
    const miner = await whatsminer(() => ({ sealed: done }));
    await miner.link.send(setting);
    await miner.link.send(reboot);
    expect(miner.commands[0]).toMatchObject({ cmd: 'update_pwd', new: 'next', old: PASSWORD });
    expect(miner.started.requests.join()).not.toContain(PASSWORD);
    expect(miner.seen.tokens).toBe(2);
  });
  test('waits for leave', async () => {
    const miner = await whatsminer(() => ({ sealed: done }));
    const beforeSending = () => Promise.reject(new Error('not now'));
    await expect(miner.transport.link('127.0.0.1', { ...login, beforeSending }).send(setting)).rejects.toThrow(
      'not now',
    );
    expect(miner.started.connections).toBe(0);
  });
  test('is refused with words about passwords, which are not about the login', async () => {
    const words = { STATUS: 'E', Code: 132, Msg: 'password too long', When: 1 };
    const miner = await whatsminer(() => ({ sealed: words }));
    expect((await peerErrorOf(miner.link.send(setting))).code).toBe('peer.rejected');
    expect((await peerErrorOf(miner.link.send(reboot))).code).toBe('peer.auth');
  });
});

describe('a lost answer', () => {
  test('by reset says that the command was sent', async () => {
    const miner = await whatsminer(() => 'reset');
    expect(await peerErrorOf(miner.link.send(reboot))).toMatchObject({ code: 'peer.reset', wasSent: true });
    expect(miner.commands).toHaveLength(1);
  });
  test('by silence says that the command was sent', async () => {
    const clock = createVirtualClock();
    const miner = await whatsminer(() => 'hang', { clock });
    const error = peerErrorOf(miner.link.send(reboot, { deadlineMs: 400 }));
    await expect.poll(() => miner.commands).toHaveLength(1);
    await clock.advance(500);
    expect(await error).toMatchObject({ code: 'peer.timeout', wasSent: true });
    expect(miner.commands).toHaveLength(1);
  });
  test('of the token says that the command was not sent', async () => {
    const started = await startDevice((socket) => socket.resetAndDestroy());
    const transport = createTransport({ clock: systemClock, log: silentLog, portMap: new Map([[4028, started.port]]) });
    open.push(transport, started);
    const error = await peerErrorOf(transport.link('127.0.0.1', login).send(reboot));
    expect(error).toMatchObject({ code: 'peer.reset', wasSent: false });
  });
});

describe('a refused write', () => {
  test.each<[string, unknown, string]>([
    ['code 45', { STATUS: 'E', When: 1, Code: 45, Msg: 'permission denied', Description: '' }, 'peer.permission'],
    [
      'words about access',
      { STATUS: 'E', When: 1, Code: 132, Msg: 'API access denied', Description: '' },
      'peer.permission',
    ],
    ['code 136', { STATUS: 'E', When: 1, Code: 136, Msg: 'over max connect', Description: '' }, 'peer.busy'],
  ])('at the token, %s', async (_name, token, code) => {
    const miner = await whatsminer(() => ({ sealed: done }), { token });
    const error = await peerErrorOf(miner.link.send(reboot));
    expect(error.code).toBe(code);
    if (code === 'peer.permission') expect(error.message).toContain('WhatsMinerTool');
  });
  test.each<[string, Answer, string]>([
    ['sealed, code 45', { sealed: { STATUS: 'E', Code: 45, Msg: 'no right', When: 1 } }, 'peer.permission'],
    ['plain, code 14', { plain: { STATUS: 'E', Code: 14, Msg: 'invalid command', When: 1 } }, 'peer.unsupported'],
    ['sealed, code 132', { sealed: { STATUS: 'E', Code: 132, Msg: 'power is off', When: 1 } }, 'peer.rejected'],
    ['sealed with another key', { plain: { enc: Buffer.alloc(32, 7).toString('base64') } }, 'peer.unparsable'],
    ['sealed and cut', { plain: { enc: 'AAAA' } }, 'peer.unparsable'],
  ])('at the command, %s', async (_name, answer, code) => {
    const miner = await whatsminer(() => answer);
    expect((await peerErrorOf(miner.link.send(reboot))).code).toBe(code);
  });
});
