// A simulated device that serves one client at a time: a client that leaves frees its turn, whatever came before.
import { Buffer } from 'node:buffer';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FaultSet } from '../../../drivers/_farm/faults.ts';
import { exchangeServer } from '../../../drivers/_farm/servers/exchange.ts';
import type { Answer } from '../../../drivers/_farm/servers/host.ts';
import { Listeners } from '../../../drivers/_farm/servers/listener.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { loopback } from '../../support/loopback.ts';
import { errorCode, talk } from './clients.ts';

const PORT = 4028;
const FILE_BYTES = 8;
const ip = loopback().ip(9);

let faults: FaultSet;
let listeners: Listeners;
let heard: string[];
let files: string[];

const answerTo = (request: string): Answer =>
  request === 'file'
    ? {
        bytes: 'ready',
        onFile: (file) => {
          files.push(file.toString());
          return { bytes: 'stored' };
        },
      }
    : { bytes: 'here' };

beforeEach(async () => {
  [faults, listeners, heard, files] = [new FaultSet(), new Listeners(), [], []];
  const host = {
    ...{ index: 0, clock: systemClock, faults },
    begin: () => () => {},
    heard: (text: string) => void heard.push(text),
  };
  const server = exchangeServer<string>(host, {
    ...{ port: PORT, atOnce: 1, waiting: 8 },
    take: (received) => received.toString(),
    answer: answerTo,
  });
  await listeners.open(ip, [server]);
});
afterEach(() => listeners.close());

const asks = async () => (await talk(ip, PORT, 'who', 2_000)).toString();

/** A client that says this and stays. */
async function client(says: string): Promise<Socket> {
  const before = heard.length;
  const socket = connect({ host: ip, port: PORT }, () => socket.write(says));
  socket.on('error', () => {});
  await vi.waitFor(() => expect(heard).toHaveLength(before + 1));
  return socket;
}

test('one that leaves a hanging device leaves its turn to the next', async () => {
  faults.set('hangs', true);
  const left = await client('who');
  left.destroy();
  const next = await client('who');
  next.destroy();
});

test('one that was left without an answer leaves when the device hangs no more: the next is answered', async () => {
  faults.set('hangs', true);
  const caught = await client('who');
  faults.set('hangs', false);
  expect(await errorCode(talk(ip, PORT, 'who', 200))).toContain('silent');
  caught.destroy();
  expect(await asks()).toBe('here');
});

test('one that has said its end waits for a late answer', async () => {
  faults.set('slow', true, 0.2);
  const socket = await client('who');
  const said = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())));
  socket.end();
  expect(await said).toBe('here');
});

test('one that leaves in the middle of its file has stored nothing, and leaves its turn to the next', async () => {
  const socket = await client('file');
  await new Promise((resolve) => socket.once('data', resolve));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(FILE_BYTES);
  socket.write(length);
  socket.end('half');
  expect(await asks()).toBe('here');
  expect(files).toEqual([]);
});
