import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { Outbox } from '../../../../src/agent/outbox/outbox.ts';
import { createOutbox } from '../../../../src/agent/outbox/outbox.ts';
import { outboxMigrations } from '../../../../src/agent/outbox/storage/store.ts';
import type { Uplink, UplinkState } from '../../../../src/agent/uplink/uplink.ts';
import { type Clock, systemClock } from '../../../../src/base/clock.ts';
import { ConfigError } from '../../../../src/base/errors.ts';
import { type Log, silentLog } from '../../../../src/base/log.ts';
import { Secret } from '../../../../src/base/secrets.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import type { TaskCommand } from '../../../../src/wire/frames.ts';
import { emptyOutlook } from '../../../support/empty-outlook.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { makeDir, sample } from '../outbox/farm-records.ts';
import { startService, type TinyService, welcomeFrame } from './tiny-service.ts';
import { inForm, prove, uplinkTo } from './uplink-to.ts';

const WAIT = { interval: 10 };
type Timing = NonNullable<Parameters<typeof uplinkTo>[1]>['timing'];
const QUICK: Timing = { backoff: { baseMs: 5, capMs: 50 } };
const AGENT = '0198a7a2-0000-7000-8000-00000000000a';
const TOKEN = 'token-that-is-secret';

let dir: ReturnType<typeof makeDir>;
let db: DatabaseSync;
let outbox: Outbox;
let service: TinyService;
let uplink: Uplink | undefined;
let produced = 0;
let commands: TaskCommand[] = [];
let cancels: string[] = [];
let taskFault: Error | undefined;
let lines: string[] = [];

const log: Log = {
  ...silentLog,
  info: (fields, message) => lines.push(`${message} ${JSON.stringify(fields)}`),
  warn: (fields, message) => lines.push(`${message} ${JSON.stringify(fields)}`),
  error: (fields, message) => lines.push(`${message} ${JSON.stringify(fields)}`),
};

beforeEach(async () => {
  dir = makeDir();
  db = openSqlite(dir.path('outbox.db'), [outboxMigrations]);
  outbox = createOutbox(db, { clock: systemClock, log: silentLog, newEpoch: randomUUID, settings: { flushMs: 5 } });
  service = await startService();
  produced = 0;
  commands = [];
  cancels = [];
  lines = [];
  taskFault = undefined;
});
afterEach(async () => {
  await uplink?.stop();
  uplink = undefined;
  await service.stop();
  await outbox.close();
  db.close();
  dir.remove();
});

async function produce(slices: number): Promise<void> {
  for (let slice = 0; slice < slices; slice++) await outbox.append([sample(++produced, 0), sample(++produced, 0)]);
}
const all = () => Array.from({ length: produced }, (_, index) => index + 1);

function link(
  options: { clock?: Clock; timing?: Timing; random?: () => number; onState?: (state: UplinkState) => void } = {},
): Uplink {
  uplink = uplinkTo(service.url, {
    credentials: { agentId: AGENT, token: new Secret(TOKEN), prove },
    source: outbox.source('farm'),
    tasks: {
      onTasks: (got) => {
        if (taskFault !== undefined) throw taskFault;
        commands.push(...got);
      },
      onCancel: (id) => cancels.push(id),
      outlook: emptyOutlook,
    },
    clock: options.clock ?? systemClock,
    random: options.random ?? (() => 0.5),
    log,
    timing: { ...QUICK, ...options.timing },
    ...(options.onState === undefined ? {} : { onState: options.onState }),
  });
  return uplink;
}

function command(): TaskCommand {
  return {
    type: 'task',
    task_id: randomUUID(),
    batch_id: randomUUID(),
    name: 'miner.system.reboot',
    miner_key: randomUUID(),
    params: {},
    created_at: new Date().toISOString(),
    expires_at: new Date(Date.now() + 60_000).toISOString(),
  };
}

test('what was stored before and what comes later arrives in order, once, and leaves the outbox', async () => {
  await produce(30);
  link().start();
  await expect.poll(() => service.samples().length, WAIT).toBe(60);
  await produce(20);
  await expect.poll(service.samples, WAIT).toEqual(all());
  await expect.poll(() => outbox.state().slices, WAIT).toBe(0);
  expect(service.duplicates()).toBe(0);
  expect(uplink?.state()).toMatchObject({ phase: 'online', backlog: 0, lastError: undefined });
  expect(service.requests[0]?.headers.authorization).toBe(`Bearer ${AGENT}.${TOKEN}`);
  expect(service.frames[0]).toMatchObject({ type: 'hello', version: '1.2.3', next_seq: 31 });
});

test('connections that are cut at any slice lose and double nothing', async () => {
  let count = 0;
  service.behaviour.onSlice = () => {
    if (++count % 7 === 0) service.cut();
  };
  link().start();
  await produce(60);
  await expect.poll(service.samples, WAIT).toEqual(all());
  expect(service.holes()).toBe(0);
  expect(service.requests.length).toBeGreaterThan(5);
});

test('acknowledgements that are lost lead to a resend from what the service says that it has', async () => {
  service.behaviour.mayAck = () => false;
  link({ timing: { ackMs: 60 } }).start();
  await produce(20);
  await expect.poll(service.samples, WAIT).toEqual(all());
  await expect.poll(() => outbox.state().slices, WAIT).toBe(0);
  expect(service.duplicates()).toBe(0);
  expect(lines.some((line) => line.includes('acknowledges nothing'))).toBe(true);
});

test('acknowledgements that come late, doubled and in any order confirm each slice once', async () => {
  service.behaviour.mayAck = () => false;
  const [{ epoch }] = await outbox.source('farm').epochs();
  let held: number[] = [];
  service.behaviour.onSlice = (socket, seq) => {
    held.push(seq);
    if (held.length < 4) return;
    for (const late of [held[2], held[0], held[3], held[3], held[1]]) {
      socket.send(JSON.stringify({ type: 'ack', epoch, seq: late }));
    }
    held = [];
  };
  await produce(24);
  link().start();
  await expect.poll(service.samples, WAIT).toEqual(all());
  await expect.poll(() => outbox.state().slices, WAIT).toBe(0);
  expect(service.requests.length).toBe(1);
});

test('no more than eight slices are on the way', async () => {
  service.behaviour.mayAck = () => false;
  await produce(30);
  link().start();
  await expect.poll(() => service.samples().length, WAIT).toBe(16);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(service.samples().length).toBe(16);
});

test('a peer that is silently gone is noticed within 45 s and the rest arrives over a new connection', async () => {
  const clock = createVirtualClock();
  link({ clock }).start();
  await produce(3);
  await expect.poll(service.samples, WAIT).toEqual(all());
  service.freeze();
  await produce(3);
  let waitedMs = 0;
  while (uplink?.state().phase === 'online' && waitedMs < 120_000) {
    await clock.advance(1_000);
    waitedMs += 1_000;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect(waitedMs).toBeGreaterThan(30_000);
  expect(waitedMs).toBeLessThanOrEqual(45_000);
  expect(uplink?.state().lastError).toContain('silent');
  service.behaviour.onWelcomed = () => {};
  for (let turn = 0; turn < 10_000 && service.samples().length < produced; turn++) {
    await clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(service.samples()).toEqual(all());
  expect(service.holes()).toBe(0);
});

test('a service that accepts the connection and never greets is given up', async () => {
  service.behaviour.isSilent = true;
  link({ timing: { answerMs: 40 } }).start();
  await expect.poll(() => service.requests.length, WAIT).toBeGreaterThan(2);
  expect(uplink?.state().lastError).toContain('greeting');
});

test('a name that leads nowhere is tried after a pause each time, and a stop does not wait for it', async () => {
  const clock = createVirtualClock();
  const tries: string[] = [];
  const log: Log = { ...silentLog, warn: (_fields, message) => void tries.push(message) };
  // Too long for a name: the host finds that out by itself and asks no server.
  const lost = uplinkTo(`https://${'a'.repeat(64)}.invalid`, { clock, log });
  lost.start();
  await expect.poll(() => lost.state().lastError, WAIT).toContain('ENOTFOUND');
  expect(lost.state().phase).toBe('waiting');
  const before = tries.length;
  await clock.advance(60_000);
  await expect.poll(() => tries.length, WAIT).toBeGreaterThan(before);
  await lost.stop();
});

test('a quiet line stays up as long as pings are answered', async () => {
  const clock = createVirtualClock();
  link({ clock }).start();
  await expect.poll(() => uplink?.state().phase, WAIT).toBe('online');
  for (let second = 0; second < 300; second += 5) {
    await clock.advance(5_000);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  expect(uplink?.state().phase).toBe('online');
  expect(service.requests.length).toBe(1);
});

test('tries are spread at random under a growing window, and a refusal waits five minutes', async () => {
  const clock = createVirtualClock();
  const delays: number[] = [];
  service.behaviour.refuse = 503;
  link({
    clock,
    random: () => 0.999_999,
    timing: { backoff: { baseMs: 1_000, capMs: 60_000 } },
    onState: ({ nextTryAt }) => nextTryAt !== undefined && delays.push(nextTryAt - clock.nowMs()),
  }).start();
  for (let turn = 0; turn < 10_000 && delays.length < 9; turn++) {
    await clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect(delays.slice(0, 9)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  service.behaviour.refuse = 401;
  for (let turn = 0; turn < 10_000 && uplink?.state().phase !== 'refused'; turn++) {
    await clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect(delays.at(-1)).toBeGreaterThan(250_000);
  expect(uplink?.state().lastError).toContain('401');
});

test.each([
  ['restarts', 1_012, 45_000],
  ['is away', 1_013, 1_000],
])('a service that %s has its agents back within their window', async (_what, code, windowMs) => {
  const clock = createVirtualClock();
  const delays: number[] = [];
  link({
    clock,
    random: () => 0.999_999,
    timing: { backoff: { baseMs: 1_000, capMs: 60_000 } },
    onState: ({ nextTryAt }) => nextTryAt !== undefined && delays.push(nextTryAt - clock.nowMs()),
  }).start();
  await expect.poll(() => uplink?.state().phase, WAIT).toBe('online');
  service.close(code);
  await expect.poll(() => delays.length, WAIT).toBe(1);
  expect(delays.map(Math.round)).toEqual([windowMs]);
});

test('an agent that connects to a service that stops waits as long as those that were connected', async () => {
  const clock = createVirtualClock();
  const delays: number[] = [];
  service.behaviour.isSilent = true;
  link({
    clock,
    random: () => 0.999_999,
    timing: { backoff: { baseMs: 1_000, capMs: 60_000 } },
    onState: ({ nextTryAt }) => nextTryAt !== undefined && delays.push(nextTryAt - clock.nowMs()),
  }).start();
  await expect.poll(() => service.requests.length, WAIT).toBe(1);
  service.close(1_012);
  await expect.poll(() => delays.map(Math.round), WAIT).toEqual([45_000]);
});

test('tasks are confirmed after they were taken, cancels follow in order', async () => {
  link().start();
  await expect.poll(() => uplink?.state().phase, WAIT).toBe('online');
  const sent = Array.from({ length: 300 }, command);
  for (const task of sent) service.send(inForm(task));
  service.send(inForm({ type: 'cancel', task_id: sent[0]?.task_id ?? '' }));
  await expect.poll(() => cancels, WAIT).toEqual([sent[0]?.task_id]);
  expect(commands.map(({ task_id }) => task_id)).toEqual(sent.map(({ task_id }) => task_id));
  const confirmed = () => service.frames.flatMap((frame) => (frame.type === 'task-received' ? [frame.task_id] : []));
  await expect.poll(confirmed, WAIT).toEqual(sent.map(({ task_id }) => task_id));
});

test('a task that could not be taken is not confirmed', async () => {
  taskFault = new Error('disk full');
  link().start();
  await expect.poll(() => uplink?.state().phase, WAIT).toBe('online');
  service.send(inForm(command()));
  await expect.poll(() => lines.filter((line) => line.includes('could not be taken')).length, WAIT).toBe(1);
  expect(service.frames.filter(({ type }) => type === 'task-received')).toEqual([]);
  expect(uplink?.state().phase).toBe('online');
});

test('hostile frames have no effect, close the connection with a reason and are survived', {
  timeout: 30_000,
}, async () => {
  const epoch = (await outbox.source('farm').epochs())[0].epoch;
  const good = inForm(command());
  const hostile: (string | Buffer | object)[] = [
    'not json',
    '{"type":"signed-task"',
    '[]',
    'null',
    '{"type":7}',
    Buffer.from([1, 2, 3]),
    welcomeFrame(),
    { ...welcomeFrame(), task_key: undefined },
    { type: 'ack', epoch, seq: 999_999 },
    { type: 'ack', epoch: randomUUID(), seq: 1 },
    { type: 'ack', epoch, seq: -1 },
    { type: 'ack', epoch, seq: 1e300 },
    { ...good, text: { ...command() } },
    { ...good, text: undefined },
    { ...good, signature: '' },
    { ...good, signature: '../../etc/passwd' },
    { ...good, type: 'signed-notice', signature: 7 },
    '['.repeat(200_000),
    'x'.repeat(2 * 1024 * 1024),
  ];
  link().start();
  for (const frame of hostile) {
    await expect.poll(() => uplink?.state().phase, WAIT).toBe('online');
    const before = service.closes.length;
    service.send(frame);
    await expect.poll(() => service.closes.length, WAIT).toBeGreaterThan(before);
    const { code } = service.closes.at(-1) ?? {};
    expect([4400, 1009]).toContain(code);
  }
  expect(commands).toEqual([]);
  expect(cancels).toEqual([]);
  await produce(2);
  await expect.poll(service.samples, WAIT).toEqual(all());
});

test('what only a newer service says is left aside, its tasks are handed on', async () => {
  link().start();
  await expect.poll(() => uplink?.state().phase, WAIT).toBe('online');
  service.send({ type: 'weather', of: 'tomorrow' });
  const dance = { ...command(), name: 'miner.dance.begin', mood: 'high' };
  service.send(inForm(dance));
  await expect.poll(() => commands.map(({ name }) => name), WAIT).toEqual(['miner.dance.begin']);
  expect(service.closes).toEqual([]);
});

test.each(['present', 'newer'])('what a service of the %s version says is taken', async (name) => {
  const text = readFileSync(new URL(`../../../../fixtures/wire/${name}.json`, import.meta.url), 'utf8');
  const frames = z.object({ service: z.array(z.looseObject({ type: z.string() })) }).parse(JSON.parse(text)).service;
  link().start();
  await expect.poll(() => uplink?.state().phase, WAIT).toBe('online');
  // Those that answer something come when there is something to answer.
  const unasked = frames.filter(({ type }) => !['welcome', 'ack', 'epoch'].includes(type));
  for (const frame of unasked) service.send(frame);
  const wanted = name === 'present' ? ['miner.system.reboot'] : ['miner.system.reboot', 'miner.dance.begin'];
  await expect.poll(() => commands.map((taken) => taken.name), WAIT).toEqual(wanted);
  await expect.poll(() => cancels.length, WAIT).toBe(1);
  expect(service.closes).toEqual([]);
});

test('what is not signed is not taken, and ends nothing', async () => {
  link().start();
  await expect.poll(() => uplink?.state().phase, WAIT).toBe('online');
  const task = command();
  service.send(task);
  service.send({ type: 'cancel', task_id: task.task_id });
  service.send(inForm({ ...task, name: 'miner.dance.begin' }));
  await expect.poll(() => commands.map(({ name }) => name), WAIT).toEqual(['miner.dance.begin']);
  expect([cancels, service.closes]).toEqual([[], []]);
});

test('a service that asks for no proof gets no hello', async () => {
  service.behaviour.isStranger = true;
  link().start();
  await expect.poll(() => uplink?.state().lastError, WAIT).toContain('does not ask us to prove our key');
  expect(service.frames).toEqual([]);
});

test('a task before the welcome is not taken', async () => {
  service.behaviour.isSilent = true;
  link().start();
  await expect.poll(() => service.frames.length, WAIT).toBeGreaterThan(0);
  service.send(inForm(command()));
  await expect.poll(() => service.closes.at(-1)?.reason, WAIT).toContain('before welcome');
  expect(commands).toEqual([]);
});

test('a service that knows more than was ever written is answered with a new epoch that begins at 1', async () => {
  await produce(3);
  service.behaviour.welcomeSeq = 50;
  const { epoch } = (await outbox.source('farm').epochs())[0];
  service.behaviour.onWelcomed = () => {
    service.behaviour.welcomeSeq = undefined;
  };
  link().start();
  await expect.poll(service.samples, WAIT).toEqual(all());
  expect([...service.stored.keys()]).not.toContain(epoch);
  expect(service.holes()).toBe(0);
});

test('start and stop may be called in any number, and stop says goodbye', async () => {
  const line = link();
  line.start();
  line.start();
  await expect.poll(() => line.state().phase, WAIT).toBe('online');
  await Promise.all([line.stop(), line.stop()]);
  await line.stop();
  expect(line.state().phase).toBe('stopped');
  await expect.poll(() => service.closes.at(-1)?.code, WAIT).toBe(1000);
  expect(service.requests.length).toBe(1);
  line.start();
  await expect.poll(() => line.state().phase, WAIT).toBe('online');
});

test('stop ends a line that is trying, waiting or refused at once', async () => {
  service.behaviour.refuse = 401;
  const line = link();
  line.start();
  await expect.poll(() => line.state().phase, WAIT).toBe('refused');
  await line.stop();
  expect(line.state().phase).toBe('stopped');
});

test('the token is in no log line and no state', async () => {
  service.behaviour.refuse = 401;
  link().start();
  await expect.poll(() => uplink?.state().phase, WAIT).toBe('refused');
  expect(JSON.stringify([lines, uplink?.state()])).not.toContain(TOKEN);
});

test.each([
  'http://farm.example.com',
  'ws://10.0.0.1:8080',
  'ftp://127.0.0.1',
  'file:///etc/passwd',
  'nonsense',
  'https://user:pass@farm.example.com',
  'http://127.0.0.1.example.com',
  'http://localhost.example.com',
])('an identity is never sent to %s', (url) => {
  const make = () =>
    uplinkTo(url, {
      credentials: { agentId: AGENT, token: new Secret(TOKEN), prove },
      source: outbox.source('farm'),
      log,
    });
  expect(make).toThrow(ConfigError);
});
