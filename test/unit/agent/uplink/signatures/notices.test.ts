// What a service says beside tasks, and another party might say in its name: who cancels tasks or calls miners out of
// operation must be the service once it has shown that it signs this, on this connection and on every later one; a
// service of before is heard as ever.
import { expect, onTestFinished, test } from 'vitest';
import { pinOf } from '../../../../../src/agent/uplink/signatures/key-pin.ts';
import {
  createMessageGuard,
  messageGuardMigrations,
} from '../../../../../src/agent/uplink/signatures/message-guard.ts';
import type { GuardEvent } from '../../../../../src/agent/uplink/signatures/refusals.ts';
import { silentLog } from '../../../../../src/base/log.ts';
import { openSqlite } from '../../../../../src/base/storage/sqlite.ts';
import type { Notice } from '../../../../../src/wire/frames.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';
import { newSigner, type Signer, signNotice, signTask, task } from './signed.ts';

const AGENT = '0198c0de-0000-7000-8000-0000000000a1';
const KEY = '0198c0de-0000-4000-8000-000000000001';
const CANCEL: Notice = { type: 'cancel', task_id: '0198c0de-0000-7000-8000-0000000000f1' };
const OUT: Notice = { type: 'ops-status', is_first: false, miners: [{ miner_key: KEY, ops_status: 'retired' }] };

function setUp() {
  const pin = pinOf();
  const db = openSqlite(':memory:', [messageGuardMigrations]);
  onTestFinished(() => db.close());
  const events: GuardEvent[] = [];
  const clock = createVirtualClock();
  const audit = (event: GuardEvent) => void events.push(event);
  const guard = createMessageGuard(db, { uplink: 'x', agentId: AGENT, pin, clock, log: silentLog, audit });
  const connect = (signer: Signer) => {
    const session = guard.begin();
    const at = new Date(clock.nowMs()).toISOString();
    const shown = { task_key: signer.publicKey, task_key_changes: [] };
    session.onWelcome({ type: 'welcome', protocol: 1, acked_seq: 0, at, ...shown });
    let seq = session.taskSeq;
    const forThis = () => ({ agent_id: AGENT, nonce: session.nonce, welcomed_at: at, seq: ++seq });
    return {
      session,
      signed: (notice: Notice, more: object = {}) => signNotice({ ...forThis(), notice, ...more }, signer),
      task: () => signTask({ ...forThis(), task: task() }, signer),
    };
  };
  const refusals = () => {
    guard.stop();
    const reported = events.filter(({ type }) => type === 'orders_refused');
    return reported.map(({ detail }) => `${detail.count} ${detail.what} ${detail.reason}`);
  };
  return { guard, connect, refusals, db };
}

test('a notice is heard by its signature, and none before the welcome', () => {
  const { connect, guard, refusals } = setUp();
  const { session, signed } = connect(newSigner());
  expect([session.hear(signed(CANCEL)), session.hear(signed(OUT))]).toEqual([CANCEL, OUT]);
  expect(guard.begin().hear(signed(CANCEL))).toBeUndefined();
  expect(refusals()).toEqual([]);
});

test('forged, altered, of another agent or connection, or said again: none is heard', () => {
  const { connect, refusals } = setUp();
  const service = newSigner();
  const earlier = connect(service);
  const old = earlier.signed(OUT);
  const { session, signed } = connect(service);
  const good = signed(CANCEL);
  expect(session.hear(good)).toEqual(CANCEL);
  const other = connect(newSigner());
  const asTask = signTask({ ...JSON.parse(good.text), task: task() }, service);
  for (const frame of [
    good,
    old,
    other.signed(OUT),
    { ...signed(OUT), text: signed(OUT).text.replace('retired', 'archived') },
    signed(OUT, { agent_id: KEY }),
    { ...asTask, type: 'signed-notice' as const },
    signNotice({ ...JSON.parse(good.text), seq: 1_000, notice: { type: 'cancel', task_id: 'x' } }, service),
  ])
    expect(session.hear(frame)).toBeUndefined();
  expect(refusals().toSorted()).toEqual(
    [
      ...['1 notice sequence', '1 notice another connection', '3 notice signature'],
      ...['1 notice another agent', '1 notice unreadable'],
    ].toSorted(),
  );
});

test('a signed notice is no task, a task no notice, and both are numbered in one row', () => {
  const { connect, db } = setUp();
  const { session, signed, task: next } = connect(newSigner());
  const [first, notice, second] = [next(), signed(CANCEL), next()];
  expect(session.admit([first])).toHaveLength(1);
  expect(session.admit([{ ...notice, type: 'signed-task' }])).toEqual([]);
  // A full disk takes no tasks; to give tasks up needs none.
  db.exec('PRAGMA query_only = ON');
  expect(session.hear(notice)).toEqual(CANCEL);
  db.exec('PRAGMA query_only = OFF');
  expect(session.admit([second, first])).toHaveLength(1);
});
