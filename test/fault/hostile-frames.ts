// What a hostile service may say to an agent: everything that no service in its senses would, by kinds. Each script
// leaves the connection such that the next wrong frame ends it, if it has not ended before.
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Random } from '../../src/driver/check/answers/mutate.ts';
import { serviceFrameSchema, type TaskCommand } from '../../src/wire/frames.ts';
import { MAX_FRAME_BYTES } from '../../src/wire/protocol.ts';
import { welcomeFrame } from '../unit/agent/uplink/tiny-service.ts';
import { inForm } from '../unit/agent/uplink/uplink-to.ts';

/** One connection after the agent's hello: `raw` is what the WebSocket stands on. */
export type Line = { readonly ws: WebSocket; readonly raw: Socket; readonly epoch: string; readonly random: Random };
export type Script = (line: Line) => void;

const now = () => new Date().toISOString();

export const welcome = () => ({ ...welcomeFrame(), at: now() });

const unsignedTask = (): TaskCommand => ({
  type: 'task',
  task_id: randomUUID(),
  batch_id: randomUUID(),
  name: 'miner.system.reboot',
  miner_key: randomUUID(),
  params: {},
  created_at: now(),
  expires_at: '2999-01-01T00:00:00.000Z',
});

export const wholeTask = () => inForm(unsignedTask());

/** One right frame of each type. */
const RIGHT: Readonly<Record<string, (epoch: string) => Readonly<Record<string, unknown>>>> = {
  welcome,
  epoch: (epoch) => ({ type: 'epoch', epoch, acked_seq: 0 }),
  ack: (epoch) => ({ type: 'ack', epoch, seq: 1 }),
  'signed-task': wholeTask,
  'signed-notice': () => inForm({ type: 'cancel', task_id: randomUUID() }),
};

const ODD: readonly unknown[] = [
  null,
  '',
  'x'.repeat(70_000),
  '../x',
  '\u0000\u001b[2J',
  -1,
  0.5,
  2 ** 60,
  1e308,
  true,
  [],
  [[[]]],
  { __proto__: null, toString: 1 },
  Array(50).fill({}),
  '2026-13-45T99:99:99Z',
  '00000000-0000-0000-0000-00000000000',
];

const one = <T>(random: Random, values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)];

/** A frame of the type with one field that is missing or not what it must be; never a right one. */
function spoilt(type: string, epoch: string, random: Random): string {
  for (;;) {
    const right = RIGHT[type]?.(epoch) ?? {};
    const field = one(random, Object.keys(right)) ?? 'type';
    const text = JSON.stringify({ ...right, [field]: random() < 0.2 ? undefined : one(random, ODD) });
    if (!serviceFrameSchema.safeParse(JSON.parse(text)).success) return text;
  }
}

/**
 * A frame as it goes over the wire from a service: `first` holds the bits and the kind, the length as the protocol
 * wants it or as it claims.
 */
function wire(first: number, body: Buffer, claimed: number | bigint = body.length): Buffer {
  if (typeof claimed === 'bigint') {
    const head = Buffer.alloc(10);
    head.set([first, 127]);
    head.writeBigUInt64BE(claimed, 2);
    return Buffer.concat([head, body]);
  }
  if (claimed < 126) return Buffer.concat([Buffer.from([first, claimed]), body]);
  const head = Buffer.alloc(4);
  head.set([first, 126]);
  head.writeUInt16BE(claimed, 2);
  return Buffer.concat([head, body]);
}

const TEXT = 0x81;
const after =
  (say: Script): Script =>
  (line) => {
    line.ws.send(JSON.stringify(welcome()));
    say(line);
  };
const text = (make: (line: Line) => string): Script => after((line) => line.ws.send(make(line)));
const json = (make: (line: Line) => unknown): Script => text((line) => JSON.stringify(make(line)));
const bytes = (...frames: readonly Buffer[]): Script =>
  after(({ raw }) => {
    for (const frame of frames) raw.write(frame);
  });
const first =
  (make: (line: Line) => unknown): Script =>
  (line) =>
    line.ws.send(JSON.stringify(make(line)));

/** In fragments of this size. */
function fragments(ws: WebSocket, whole: Buffer, size: number): void {
  for (let at = 0; at < whole.length; at += size)
    ws.send(whole.subarray(at, at + size), { binary: false, fin: at + size >= whole.length });
}

const types = Object.keys(RIGHT);

/** By kind. What is right in itself comes at the wrong time. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  ...Object.fromEntries(
    types.map((type) => [`a spoilt ${type}`, text(({ epoch, random }) => spoilt(type, epoch, random))]),
  ),
  ...Object.fromEntries(
    types.slice(1).map((type) => [`${type} before the welcome`, first(({ epoch }) => RIGHT[type]?.(epoch))]),
  ),
  'a second welcome': json(welcome),
  'an acknowledgement of what was not sent': json(({ epoch }) => ({ type: 'ack', epoch, seq: 2 ** 40 })),
  'an acknowledgement of another epoch': json(() => ({ type: 'ack', epoch: randomUUID(), seq: 1 })),
  'an epoch that was not asked for': json(() => ({ type: 'epoch', epoch: randomUUID(), acked_seq: 0 })),
  'a welcome that has more than there is': first(() => ({ ...welcome(), acked_seq: 2 ** 40 })),
  'another version': first(({ random }) => ({ ...welcome(), protocol: Math.floor(random() * 1e6) + 2 })),
  'an older version': first(({ random }) => ({ ...welcome(), protocol: -Math.floor(random() * 3) })),
  'a version that is none': first(({ random }) => ({ ...welcome(), protocol: one(random, ['1', null, 1.5, [1]]) })),
  'an unsigned task': json(unsignedTask),
  'an unsigned cancel': json(() => ({ type: 'cancel', task_id: randomUUID() })),
  'an unknown type': json(({ random }) => ({
    ...wholeTask(),
    type: one(random, ['__proto__', 'constructor', 'task2', 'Task']),
  })),
  'a type that is none': json(({ random }) => ({ ...wholeTask(), type: one(random, [['task'], {}, 7, null]) })),
  'a list of tasks': json(() => [wholeTask()]),
  'nothing at all': text(() => ''),
  'a cut frame': text(({ random }) => {
    const whole = JSON.stringify(wholeTask());
    return whole.slice(0, Math.floor(random() * whole.length));
  }),
  'two frames in one': text(() => JSON.stringify(wholeTask()).repeat(2)),
  'a task with a tail': text(() => `${JSON.stringify(wholeTask())}\0`),
  'levels without end': text(() => '['.repeat(50_000)),
  'levels within a task': text(() => `{"type":"signed-task","text":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_001)}`),
  'a binary task': after(({ ws }) => ws.send(Buffer.from(JSON.stringify(wholeTask())), { binary: true })),
  'binary nonsense': after(({ ws, random }) =>
    ws.send(Buffer.from(Array.from({ length: 1_000 }, () => random() * 256))),
  ),
  'a giant frame': text(() => `{"type":"signed-task","text":"${'x'.repeat(2 * MAX_FRAME_BYTES)}"}`),
  'a giant in pieces': after(({ ws }) => fragments(ws, Buffer.alloc(2 * MAX_FRAME_BYTES, 0x20), 64 * 1024)),
  'a frame that claims to be a giant': bytes(wire(TEXT, Buffer.from('{'), 2n ** 50n)),
  'a frame that claims more than numbers can': bytes(wire(TEXT, Buffer.from('{'), 2n ** 63n)),
  'a spoilt task byte by byte': after(({ ws, epoch, random }) =>
    fragments(ws, Buffer.from(spoilt('signed-task', epoch, random).slice(0, 600)), 1),
  ),
  'a spoilt task in single bytes of the line': after(({ raw, epoch, random }) => {
    const frame = wire(TEXT, Buffer.from(spoilt('signed-notice', epoch, random).slice(0, 120)));
    for (const byte of frame) raw.write(Buffer.from([byte]));
  }),
  'a new frame within fragments': bytes(wire(0x01, Buffer.from('{"type":')), wire(TEXT, Buffer.from('{}'))),
  'the end of nothing': bytes(wire(0x80, Buffer.from('{}'))),
  'reserved bits': bytes(wire(0xf1, Buffer.from('{}'))),
  'an unknown kind of frame': bytes(wire(0x83, Buffer.from('{}'))),
  'a masked frame': bytes(Buffer.concat([Buffer.from([TEXT, 0x82, 1, 2, 3, 4]), Buffer.from('{}')])),
  'a long ping': bytes(wire(0x89, Buffer.alloc(4_000))),
  'a ping in pieces': bytes(wire(0x09, Buffer.from('x'))),
  'no UTF-8': bytes(wire(TEXT, Buffer.alloc(100, 0xc3))),
  'a goodbye with a code that is none': bytes(wire(0x88, Buffer.from([0x00, 0x05]))),
  'a goodbye with terminal codes': after(({ ws }) => ws.close(4000, '\u001b]0;owned\u0007')),
  'a goodbye, and then tasks': after(({ raw }) => {
    raw.write(wire(0x88, Buffer.from([0x03, 0xe8])));
    raw.write(wire(TEXT, Buffer.from(JSON.stringify(wholeTask()).slice(0, 125))));
  }),
  'half a frame, then silence and an end': after(({ raw }) => {
    raw.write(wire(TEXT, Buffer.from('{"type":"ta'), 120));
    raw.end();
  }),
  'a cut line': after(({ raw }) => void raw.resetAndDestroy()),
  'no welcome, and a cut line': ({ raw }) => void raw.resetAndDestroy(),
  'HTTP in the middle': bytes(Buffer.from('HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\n\r\n')),
};
