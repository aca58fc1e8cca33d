import { afterEach, describe, expect, test } from 'vitest';
import type { Transport } from '../../../../src/transport/transport.ts';
import { encodeFrame } from '../../../../src/transport/whatsminer/api3-frames.ts';
import { type Device, pause, peerErrorOf, startDevice, transportTo } from '../loopback-device.ts';

const REPLY = {
  code: 0,
  when: 1_773_869_570,
  msg: { summary: { elapsed: 50_000, note: '測試' } },
  desc: 'get.miner.status',
};
const ask = { via: 'whatsminer3', cmd: 'get.miner.status', param: 'summary' } as const;

const open: (Transport | Device)[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function device(...args: Parameters<typeof startDevice>) {
  const started = await startDevice(...args);
  const transport = transportTo({ 4433: started.port });
  open.push(transport, started);
  return { started, link: transport.link('127.0.0.1') };
}

function header(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(length);
  return bytes;
}

describe('a framed exchange', () => {
  test('sends the length in little endian and the JSON, and gives the reply object', async () => {
    const { link, started } = await device((socket) => socket.write(encodeFrame(REPLY)));
    expect(await link.send(ask)).toEqual(REPLY);
    const body = '{"cmd":"get.miner.status","param":"summary"}';
    expect(started.requests).toEqual([`${header(body.length).toString('utf8')}${body}`]);
  });
  test('reads a frame that comes byte by byte', async () => {
    const { link } = await device(async (socket) => {
      socket.setNoDelay(true);
      for (const byte of encodeFrame(REPLY)) {
        socket.write(Buffer.from([byte]));
        await pause(0);
      }
    });
    expect(await link.send(ask)).toEqual(REPLY);
  });
  test('gives trouble in `msg` as it is when the code is 0', async () => {
    const reply = { code: 0, when: 1, msg: 'btminer process is down err', desc: 'get.miner.status' };
    const { link } = await device((socket) => socket.end(encodeFrame(reply)));
    expect(await link.send(ask)).toEqual(reply);
  });
  test('looks at nothing behind the frame', async () => {
    const { link } = await device((socket) =>
      socket.write(Buffer.concat([encodeFrame(REPLY), Buffer.alloc(50_000, 'x')])),
    );
    expect(await link.send(ask)).toEqual(REPLY);
  });
});

describe('a framed refusal', () => {
  test.each<[number, unknown, string]>([
    [-1, 'invalid command', 'peer.unsupported'],
    [-2, 'invalid json', 'peer.rejected'],
    [-4, 'no permission', 'peer.permission'],
    [-9, { odd: 1 }, 'peer.rejected'],
  ])('code %i', async (code, msg, expected) => {
    const { link } = await device((socket) => socket.end(encodeFrame({ code, msg, when: 1 })));
    const error = await peerErrorOf(link.send(ask));
    expect(error.code).toBe(expected);
    expect(error.message).toContain(typeof msg === 'string' ? msg : '-9');
  });
});

describe('a frame that lies', () => {
  test('a length beyond the cap is refused before its bytes come', async () => {
    const { link } = await device((socket) => socket.write(header(0xffff_ffff)));
    expect(await peerErrorOf(link.send(ask))).toMatchObject({ code: 'peer.too-large' });
  });
  test('a length that is too long ends as reset', async () => {
    const { link } = await device((socket) => socket.end(Buffer.concat([header(500), Buffer.from('{"code":0}')])));
    expect(await peerErrorOf(link.send(ask))).toMatchObject({ code: 'peer.reset', wasSent: true });
  });
  test('a length that is too short is unparsable', async () => {
    const { link } = await device((socket) => socket.end(Buffer.concat([header(5), Buffer.from('{"code":0}')])));
    expect(await peerErrorOf(link.send(ask))).toMatchObject({ code: 'peer.unparsable' });
  });
  test.each(['', '{}', '[]', 'null', '{"code":"0"}', '{"code":1.5}', 'down'])('body %j is unparsable', async (body) => {
    const { link } = await device((socket) => socket.end(Buffer.concat([header(body.length), Buffer.from(body)])));
    expect(await peerErrorOf(link.send(ask))).toMatchObject({ code: 'peer.unparsable' });
  });
  test('an end inside the header is a reset', async () => {
    const { link } = await device((socket) => socket.end(Buffer.from([1, 0])));
    expect(await peerErrorOf(link.send(ask))).toMatchObject({ code: 'peer.reset' });
  });
});
