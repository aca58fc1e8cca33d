// The check of tasks over connections, restarts and copies of the agent: the key is learnt once, numbers only rise,
// every refusal is counted.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { filePin, newPin, pinOf } from '../../../../../src/agent/uplink/signatures/key-pin.ts';
import {
  createMessageGuard,
  messageGuardMigrations,
} from '../../../../../src/agent/uplink/signatures/message-guard.ts';
import type { GuardEvent } from '../../../../../src/agent/uplink/signatures/refusals.ts';
import { silentLog } from '../../../../../src/base/log.ts';
import { openSqlite } from '../../../../../src/base/storage/sqlite.ts';
import type { KeyChange, TaskCommand } from '../../../../../src/wire/frames.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';
import { keyChange, newSigner, type Signer, signTask, task } from './signed.ts';

const AGENT = '0198c0de-0000-7000-8000-0000000000a1';
const HOUR_MS = 3_600_000;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'pithead-tasks-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function database(path = ':memory:'): DatabaseSync {
  const db = openSqlite(path, [messageGuardMigrations]);
  onTestFinished(() => {
    if (db.isOpen) db.close();
  });
  return db;
}

function setUp({ db = database(), pin = pinOf(), clock = createVirtualClock() } = {}) {
  const events: GuardEvent[] = [];
  const lines: string[] = [];
  const note = (_: unknown, message: string) => void lines.push(message);
  const log = { ...silentLog, info: note, warn: note, error: note };
  const guard = createMessageGuard(db, { uplink: 'x', agentId: AGENT, pin, clock, log, audit: (e) => events.push(e) });
  /** A connection to a service that shows this key; it signs with it. */
  const connect = (signer: Signer, changes: readonly KeyChange[] = [], skewMs = 0) => {
    const session = guard.begin();
    const at = new Date(clock.nowMs() + skewMs).toISOString();
    session.onWelcome({
      type: 'welcome',
      protocol: 1,
      acked_seq: 0,
      at,
      task_key: signer.publicKey,
      task_key_changes: [...changes],
    });
    let seq = session.taskSeq;
    const frame = (given: TaskCommand = task(), by = signer) =>
      signTask({ agent_id: AGENT, nonce: session.nonce, welcomed_at: at, seq: ++seq, task: given }, by);
    return { session, frame, at };
  };
  /** How many, by reason. */
  const refusals = () => {
    const counts: Record<string, number> = {};
    for (const { type, detail } of events)
      if (type === 'orders_refused')
        counts[String(detail.reason)] = (counts[String(detail.reason)] ?? 0) + Number(detail.count);
    return counts;
  };
  return { guard, connect, events, refusals, lines, clock, pin, db };
}

test('where no key is kept the one that is shown is learnt, with an event, and a task must be signed with it', () => {
  const { connect, events, refusals, pin } = setUp();
  const service = newSigner();
  const { session, frame } = connect(service);
  expect(pin.read()).toBe(service.publicKey);
  expect(events).toMatchObject([{ type: 'task_key_pinned', key: AGENT, detail: { uplink: 'x' } }]);
  const first = frame();
  expect(session.admit([first, frame(task(), newSigner())])).toHaveLength(1);
  expect(refusals()).toEqual({ signature: 1 });
});

test('nothing is taken before the welcome', () => {
  const { guard, connect } = setUp();
  const service = newSigner();
  const { frame } = connect(service);
  const session = guard.begin();
  expect(session.admit([frame()])).toEqual([]);
});

test('a check beforehand changes nothing of what is taken and refused', async () => {
  const { guard, connect, refusals } = setUp();
  const service = newSigner();
  const { session, frame } = connect(service);
  const frames = [frame(), frame(task(), newSigner()), frame()];
  await session.check(frames);
  expect(session.admit(frames)).toHaveLength(2);
  await session.check(frames);
  expect(session.admit(frames)).toEqual([]);
  const early = guard.begin();
  await early.check(frames);
  expect(early.admit(frames)).toEqual([]);
  guard.stop();
  expect(refusals()).toEqual({ signature: 2, sequence: 2 });
});

test('what has to come signed and does not is refused; what a newer service says is left aside', () => {
  const { guard, connect, events } = setUp();
  const { session } = connect(newSigner());
  const plain = task();
  session.leaveAside('task', JSON.stringify(plain));
  session.leaveAside('cancel', JSON.stringify({ type: 'cancel', task_id: plain.task_id }));
  session.leaveAside('ops-status', '{"type":"ops-status"}');
  session.leaveAside('weather', '{"type":"weather"}');
  guard.stop();
  expect(events.slice(1).map(({ detail }) => detail)).toEqual([
    { uplink: 'x', what: 'order', reason: 'unsigned', count: 1, task_ids: [plain.task_id] },
    { uplink: 'x', what: 'notice', reason: 'unsigned', count: 2, task_ids: [plain.task_id] },
  ]);
});

test('a task counts once on its connection, and on no other', () => {
  const { connect, refusals, guard } = setUp();
  const service = newSigner();
  const first = connect(service);
  const [one, two] = [first.frame(), first.frame()];
  expect(first.session.admit([one, two, one])).toHaveLength(2);
  expect(first.session.admit([one])).toEqual([]);
  const second = connect(service);
  expect(second.session.taskSeq).toBe(2);
  expect(second.session.admit([one, two])).toEqual([]);
  expect(second.session.admit([second.frame()])).toHaveLength(1);
  guard.stop();
  expect(refusals()).toEqual({ sequence: 2, 'another connection': 2 });
});

test('the last number survives a restart, and an agent put back to an old copy takes nothing twice', () => {
  const path = join(folder(), 'agent.sqlite');
  const [service, pin] = [newSigner(), pinOf()];
  const before = setUp({ db: database(path), pin });
  const line = before.connect(service);
  const recorded = [line.frame(), line.frame(), line.frame()];
  expect(line.session.admit(recorded.slice(0, 1))).toHaveLength(1);
  before.db.close();
  const copy = readFileSync(path);

  const running = setUp({ db: database(path), pin });
  expect(running.connect(service).session.taskSeq).toBe(1);
  running.db.close();

  writeFileSync(path, copy);
  const restored = setUp({ db: database(path), pin });
  const { session, frame } = restored.connect(service);
  expect(session.admit(recorded)).toEqual([]);
  expect(session.admit([frame()])).toHaveLength(1);
  restored.guard.stop();
  expect(restored.refusals()).toEqual({ 'another connection': 3 });
});

test('a task whose number cannot be written is not admitted, and its next sending is', () => {
  const { connect, db } = setUp();
  const { session, frame } = connect(newSigner());
  db.exec('PRAGMA query_only = ON');
  expect(() => session.admit([frame()])).toThrow();
  db.exec('PRAGMA query_only = OFF');
  expect(session.admit([frame()])).toHaveLength(1);
});

test.each([0, HOUR_MS, -HOUR_MS, 25 * HOUR_MS])(
  'a clock that is %i ms off makes a task live no longer and no shorter',
  (skewMs) => {
    const { connect, clock } = setUp();
    const { session, frame, at } = connect(newSigner(), [], skewMs);
    const fifteen = task({ expires_at: new Date(Date.parse(at) + 900_000).toISOString() });
    const [fresh] = session.admit([frame(fifteen)]);
    expect(Date.parse(fresh?.expires_at ?? '')).toBe(clock.nowMs() + 900_000);
    const over = task({ expires_at: new Date(Date.parse(at) - 1).toISOString() });
    const [late] = session.admit([frame(over)]);
    expect(Date.parse(late?.expires_at ?? '')).toBeLessThan(clock.nowMs());
  },
);

test('a clock that is set after the welcome changes nothing about it', async () => {
  const { connect, clock } = setUp();
  const { session, frame, at } = connect(newSigner());
  await clock.advance(60_000);
  clock.stepWall(-HOUR_MS);
  const given = task({ expires_at: new Date(Date.parse(at) + 900_000).toISOString() });
  const [admitted] = session.admit([frame(given)]);
  expect(Date.parse(admitted?.expires_at ?? '')).toBe(clock.nowMs() + 840_000);
});

test('a suspend after the welcome is part of its life', async () => {
  const { connect, clock } = setUp();
  const { session, frame, at } = connect(newSigner());
  clock.suspend(600_000);
  const given = task({ expires_at: new Date(Date.parse(at) + 900_000).toISOString() });
  const [admitted] = session.admit([frame(given)]);
  expect(Date.parse(admitted?.expires_at ?? '')).toBe(clock.nowMs() + 300_000);
});

test('another key is refused with an event, once, and its tasks too; reports may go on', () => {
  const { connect, events, refusals, lines, pin } = setUp();
  const [service, stranger] = [newSigner(), newSigner()];
  connect(service);
  const { session, frame } = connect(stranger, [keyChange(stranger, service)]);
  connect(stranger);
  expect(session.admit([frame()])).toEqual([]);
  expect(pin.read()).toBe(service.publicKey);
  expect(events.filter(({ type }) => type === 'task_key_refused')).toHaveLength(1);
  expect(refusals()).toEqual({ signature: 1 });
  expect(lines.join('\n')).toMatch(/remove the file that keeps the old one/);
});

test('a new key that the old one signed is taken over, with an event', () => {
  const { connect, events, pin } = setUp();
  const [first, second, third] = [newSigner(), newSigner(), newSigner()];
  connect(first);
  const { session, frame } = connect(third, [keyChange(first, second), keyChange(second, third)]);
  expect(pin.read()).toBe(third.publicKey);
  expect(session.admit([frame()])).toHaveLength(1);
  expect(session.admit([frame(task(), first)])).toEqual([]);
  expect(events.map(({ type }) => type)).toEqual(['task_key_pinned', 'task_key_changed', 'orders_refused']);
});

test('a flood of forged tasks makes few events, and every one is counted', async () => {
  const { connect, refusals, events, clock, guard } = setUp();
  const { session, frame } = connect(newSigner());
  const forger = newSigner();
  for (let n = 0; n < 1_000; n++) {
    session.admit([frame(task(), forger), frame(task(), forger)]);
    await clock.advance(20);
  }
  guard.stop();
  expect(refusals()).toEqual({ signature: 2_000 });
  expect(events.length).toBeLessThanOrEqual(5);
  for (const { detail } of events.filter(({ type }) => type === 'orders_refused'))
    expect(detail).toMatchObject({ task_ids: expect.toSatisfy((ids: string[]) => ids.length <= 5) });
});

test('the key is kept for its owner alone, beside the credentials; a damaged file stops the start with advice', () => {
  const path = join(folder(), 'agent-x.key.json');
  const service = newSigner();
  expect(filePin(path).read()).toBeUndefined();
  const pin = filePin(path);
  pin.keep(service.publicKey);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(filePin(path).read()).toBe(service.publicKey);
  writeFileSync(path, '{"task_key":"none"}');
  expect(() => filePin(path)).toThrow(
    expect.objectContaining({ problems: [expect.objectContaining({ message: expect.stringContaining('remove it') })] }),
  );
  // An identity that was got just now replaces it.
  expect(newPin(path, service.publicKey).read()).toBe(service.publicKey);
  expect(filePin(path).read()).toBe(service.publicKey);
});
