// Firmware and logs of Whatsminer: one connection, every byte, nothing before the device is ready; and what becomes of
// it when that goes wrong.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, openAsBlob, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { tarOf } from '../../../../drivers/_farm/tar.ts';
import { Secret } from '../../../../src/base/secrets.ts';
import { encodeFrame } from '../../../../src/transport/whatsminer/api3-frames.ts';
import { textOfArchive } from '../../../../src/transport/whatsminer/archive.ts';
import { md5CryptHash } from '../../../../src/transport/whatsminer/md5-crypt.ts';
import { listen, peerErrorOf, portOf, transportTo } from '../loopback-device.ts';

const PASSWORD = 'farm-secret';
const SALT = 'BQ5hoXV9';
const image = randomBytes(700_000);
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

type Device = { readonly received: () => Buffer; readonly connections: () => number };

/** Answers the first message of each connection with `answers(text)`, then hands every further byte to `after`. */
async function device(
  answers: (request: Buffer, socket: Socket) => void,
  after: (file: Buffer, socket: Socket) => void = () => {},
) {
  const files: Buffer[] = [];
  let count = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    count++;
    open.push({ close: () => socket.destroy() });
    socket.on('error', () => {});
    socket.once('data', (bytes) => {
      socket.on('data', (more) => {
        files.push(Buffer.from(more));
        after(Buffer.concat(files), socket);
      });
      answers(Buffer.from(bytes), socket);
    });
  });
  await listen(server);
  const transport = transportTo({ 4028: portOf(server), 4433: portOf(server) });
  open.push(transport, { close: () => server.close() });
  const seen: Device = { received: () => Buffer.concat(files), connections: () => count };
  return { ...seen, link: transport.link('127.0.0.1', { user: 'super', password: new Secret(PASSWORD) }) };
}

const aes = createHash('sha256').update(md5CryptHash(PASSWORD, SALT)).digest();
const sealed = (value: object) => {
  const text = Buffer.from(JSON.stringify(value));
  const padded = Buffer.alloc(Math.ceil(text.length / 16) * 16);
  padded.set(text);
  const cipher = createCipheriv('aes-256-ecb', aes, null).setAutoPadding(false);
  return JSON.stringify({ enc: Buffer.concat([cipher.update(padded), cipher.final()]).toString('base64') });
};
const opened = (data: string) => {
  const decipher = createDecipheriv('aes-256-ecb', aes, null).setAutoPadding(false);
  return Buffer.concat([decipher.update(data, 'base64'), decipher.final()])
    .toString('latin1')
    .replace(/\0+$/, '');
};
const done2 = (Msg: unknown, Code = 131) => ({ STATUS: Code === 131 ? 'S' : 'E', When: 1, Code, Msg, Description: '' });

/** API 2: hands out a token, then says `reply` to the command. */
const api2 =
  (reply: (command: string, socket: Socket) => void) =>
  (request: Buffer, socket: Socket): void => {
    const message = JSON.parse(request.toString());
    if (message.cmd === 'get_token') {
      socket.end(JSON.stringify(done2({ time: '1234', salt: SALT, newsalt: 'jbzkfQls' }, 134)).replace('"E"', '"S"'));
    } else reply(opened(message.data), socket);
  };
const api3 =
  (reply: (command: { cmd: string; account?: string }, socket: Socket) => void) =>
  (request: Buffer, socket: Socket): void => {
    const message = JSON.parse(request.toString('utf8', 4));
    if (message.param === 'salt') socket.end(encodeFrame({ code: 0, when: 77, msg: { salt: 'abc' } }));
    else reply(message, socket);
  };
const isWhole = (file: Buffer) => file.length === image.length + 4;
const write2 = { via: 'whatsminer2-write', cmd: 'update_firmware', params: {} } as const;
const write3 = { via: 'whatsminer3-write', cmd: 'set.system.update_firmware' } as const;
const blob = new Blob([image]);

describe.each([
  [
    'API 2',
    { ...write2, upload: blob },
    api2((_, socket) => socket.write(`${sealed(done2('ready'))}\0`)),
    (socket: Socket, isTaken: boolean) =>
      socket.end(`${sealed(isTaken ? done2('API command OK') : done2('bad image', 132))}\0`),
    api2((_, socket) => socket.end(sealed(done2('no', 45)))),
  ],
  [
    'API 3',
    { ...write3, upload: blob },
    api3((_, socket) => socket.write(encodeFrame({ code: 0, msg: 'ready' }))),
    (socket: Socket, isTaken: boolean) =>
      socket.end(encodeFrame(isTaken ? { code: 0, msg: 'ok' } : { code: -3, msg: 'bad image' })),
    api3((_, socket) => socket.end(encodeFrame({ code: -4, msg: 'not allowed' }))),
  ],
] as const)('firmware of %s', (_api, request, ready, verdict, refuse) => {
  test('goes out behind its length on the connection that asked for it, and the verdict is the answer', async () => {
    const miner = await device(ready, (file, socket) => isWhole(file) && verdict(socket, true));
    expect(JSON.stringify(await miner.link.send(request))).toMatch(/ok/i);
    expect(miner.connections()).toBe(2);
    expect(miner.received().readUInt32LE(0)).toBe(image.length);
    expect(miner.received().subarray(4).equals(image)).toBe(true);
  });
  test('that the device does not like is rejected', async () => {
    const miner = await device(ready, (file, socket) => isWhole(file) && verdict(socket, false));
    expect((await peerErrorOf(miner.link.send(request))).code).toBe('peer.rejected');
  });
  test('does not leave when the device refuses the command', async () => {
    const miner = await device(refuse);
    expect((await peerErrorOf(miner.link.send(request))).code).toBe('peer.permission');
    expect(miner.received().length).toBe(0);
  });
  test('without a verdict says that it was sent; cut off before its end says that it was not', async () => {
    const silent = await device(ready, (file, socket) => isWhole(file) && socket.resetAndDestroy());
    expect(await peerErrorOf(silent.link.send(request))).toMatchObject({ code: 'peer.reset', wasSent: true });
    const torn = await device(ready, (_file, socket) => socket.resetAndDestroy());
    expect(
      await peerErrorOf(torn.link.send({ ...request, upload: new Blob([image, image, image, image]) })),
    ).toMatchObject({ code: 'peer.reset', wasSent: false });
  });
  test('ends at the deadline when the device stops reading', async () => {
    const stuck = await device((bytes, socket) => {
      ready(bytes, socket);
      socket.pause();
    });
    const many = new Blob(Array.from({ length: 24 }, () => image));
    const error = await peerErrorOf(stuck.link.send({ ...request, upload: many }, { deadlineMs: 700 }));
    expect(error).toMatchObject({ code: 'peer.timeout', wasSent: false });
  });
  test('that cannot be read on the way is an error of ours', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'pithead-file-'));
    open.push({ close: () => rmSync(dir, { recursive: true, force: true }) });
    const path = join(dir, 'image.bin');
    writeFileSync(path, image);
    const file = await openAsBlob(path);
    truncateSync(path, 10);
    const miner = await device(ready);
    await expect(miner.link.send({ ...request, upload: file })).rejects.toMatchObject({ code: 'upload.unreadable' });
  });
});

const logs = gzipSync(
  tarOf([
    { name: 'logs/new.log', text: 'newest line\n', writtenS: 200 },
    { name: 'logs/old.log', text: 'first\nlast of old\n', writtenS: 100 },
    { name: 'logs/core.bin', text: '\0\u0001\u0002', writtenS: 300 },
  ]),
);
const TEXT = '==> logs/old.log <==\nfirst\nlast of old\n\n==> logs/new.log <==\nnewest line\n\n';
const download2 = { via: 'whatsminer2-write', cmd: 'download_logs', params: {}, download: 'archive' } as const;
const download3 = { via: 'whatsminer3', cmd: 'get.log.download', download: 'archive' } as const;

describe('logs', () => {
  test('of API 2 follow the sealed answer, whatever stands between, in any pieces', async () => {
    for (const between of ['', '\0', '\r\n']) {
      const bytes = Buffer.concat([Buffer.from(sealed(done2({ logfilelen: logs.length })) + between), logs]);
      const miner = await device(
        api2((_, socket) => {
          socket.write(bytes.subarray(0, 40));
          setImmediate(() => socket.write(bytes.subarray(40)));
        }),
      );
      expect(await miner.link.send(download2)).toBe(TEXT);
    }
  });
  test('of API 3 follow the frame; no login is needed, and with one it is signed', async () => {
    const bytes = Buffer.concat([encodeFrame({ code: 0, msg: { logsize: String(logs.length) } }), logs]);
    const accounts: unknown[] = [];
    const miner = await device(
      api3((command, socket) => {
        accounts.push(command.account);
        socket.end(bytes);
      }),
    );
    expect(await miner.link.send(download3)).toBe(TEXT);
    expect(await miner.link.send({ ...download3, via: 'whatsminer3-write' })).toBe(TEXT);
    expect(accounts).toEqual([undefined, 'super']);
  });
  test('that end early, have no size or a size beyond all reason are errors', async () => {
    const answering = async (msg: object, ...rest: Buffer[]) => {
      const bytes = Buffer.concat([encodeFrame({ code: 0, msg }), ...rest]);
      return peerErrorOf((await device(api3((_, socket) => socket.end(bytes)))).link.send(download3));
    };
    expect((await answering({ logsize: logs.length }, logs.subarray(0, 30))).code).toBe('peer.reset');
    expect((await answering({ size: 'many' }, logs)).code).toBe('peer.unparsable');
    expect((await answering({ logsize: 4_000_000_000 }, logs)).code).toBe('peer.too-large');
  });
});

describe('an archive', () => {
  const bytes = (size: number) => 'x'.repeat(size);
  test('gives each file its share, from its end', async () => {
    const tar = tarOf([
      { name: 'a', text: `${bytes(5_000)}END-A`, writtenS: 1 },
      { name: 'b', text: `${bytes(5_000)}END-B`, writtenS: 2 },
    ]);
    const text = await textOfArchive(gzipSync(tar), 1_000);
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text).toContain('END-A\n==> b <==');
    expect(text.endsWith('END-B\n')).toBe(true);
  });
  test('that is cut keeps what came before the cut', async () => {
    const packed = gzipSync(
      tarOf([
        { name: 'a', text: 'whole', writtenS: 1 },
        { name: 'b', text: bytes(90_000), writtenS: 2 },
      ]),
      {
        level: 0,
      },
    );
    expect(await textOfArchive(packed.subarray(0, 20_000), 100_000)).toMatch(
      /^==> a <==\nwhole\n==> b <==\nx{10000,}\n$/,
    );
  });
  test('ends where a header does not add up, and after 256 files', async () => {
    const two = tarOf([
      { name: 'a', text: 'whole', writtenS: 1 },
      { name: 'b', text: 'hurt', writtenS: 2 },
    ]);
    two.write('x', 1_024, 'latin1');
    expect(await textOfArchive(two, 1_000)).toBe('==> a <==\nwhole\n');
    const many = tarOf(Array.from({ length: 300 }, (_, at) => ({ name: `f${at}`, text: 'x', writtenS: at })));
    expect((await textOfArchive(many, 100_000)).match(/==>/g)).toHaveLength(256);
  });
  test('that unpacks to a flood, or is none, costs no more than its bounds', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 ** 2, 'x'));
    expect((await textOfArchive(bomb, 1_000)).length).toBe(1_000);
    expect(await textOfArchive(Buffer.from('plain words of a log'), 5)).toBe('a log');
    expect(await textOfArchive(Buffer.from([0x1f, 0x8b, 9, 9]), 100)).toBe('');
    expect(await textOfArchive(Buffer.alloc(0), 100)).toBe('');
    // A size below zero must not turn the reading back.
    const evil = tarOf([{ name: 'a', text: 'b', writtenS: 1 }]);
    evil.write('-0000001000', 124, 'latin1');
    expect(await textOfArchive(gzipSync(evil), 100)).toBe('');
  });
});
