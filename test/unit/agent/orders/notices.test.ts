// What a service says beside orders, and somebody else might say in its name: who cancels tasks or calls miners out of operation must be the service
// once it has shown that it signs this, on this connection and on every later one; a service of before is heard as ever.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { OrderEvent } from '../../../../src/agent/orders/contract.ts';
import { createOrderGuard } from '../../../../src/agent/orders/guard.ts';
import { filePin, memoryPin } from '../../../../src/agent/orders/pin.ts';
import { ordersMigrations } from '../../../../src/agent/orders/sequences.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import { NOTICES, type Notice } from '../../../../src/wire/frames.ts';
import { createVirtualClock } from '../../../virtual-clock.ts';
import { newSigner, order, type Signer, signNotice, signOrder } from './signed.ts';

const AGENT = '0198c0de-0000-7000-8000-0000000000a1';
const KEY = '0198c0de-0000-4000-8000-000000000001';
const CANCEL: Notice = { type: 'cancel', task_id: '0198c0de-0000-7000-8000-0000000000f1' };
const OUT: Notice = { type: 'ops-status', is_first: false, miners: [{ miner_key: KEY, ops_status: 'retired' }] };

function setUp(pin = memoryPin()) {
  const db = openSqlite(':memory:', [ordersMigrations]);
  onTestFinished(() => db.close());
  const events: OrderEvent[] = [];
  const clock = createVirtualClock();
  const audit = (event: OrderEvent) => void events.push(event);
  const guard = createOrderGuard(db, { uplink: 'x', agentId: AGENT, pin, clock, log: silentLog, audit });
  const connect = (signer: Signer | undefined, signs?: readonly string[]) => {
    const session = guard.begin();
    const at = new Date(clock.nowMs()).toISOString();
    const shown = { ...(signer && { task_key: signer.publicKey }), ...(signs && { signs: [...signs] }) };
    session.onWelcome({ type: 'welcome', protocol: 1, acked_seq: 0, at, ...shown });
    let seq = session.taskSeq;
    const forThis = () => ({ agent_id: AGENT, nonce: session.nonce, welcomed_at: at, seq: ++seq });
    const by = signer ?? newSigner();
    return {
      session,
      signed: (notice: Notice, more: object = {}) => signNotice({ ...forThis(), notice, ...more }, by),
      order: () => signOrder({ ...forThis(), order: order() }, by),
    };
  };
  const refusals = () => {
    guard.stop();
    const told = events.filter(({ type }) => type === 'orders_refused');
    return told.map(({ detail }) => `${detail.count} ${detail.what} ${detail.reason}`);
  };
  return { connect, refusals, db, pin };
}

test('a service that signs no notices is heard, whether a key is known or not', () => {
  const { connect, refusals } = setUp();
  for (const { session } of [connect(undefined), connect(newSigner())])
    expect([session.hear(CANCEL), session.hear(OUT)]).toEqual([CANCEL, OUT]);
  expect(refusals()).toEqual([]);
});

test('one that says so is heard by its signature alone', () => {
  const { connect, refusals } = setUp();
  const { session, signed } = connect(newSigner(), NOTICES);
  expect([session.hear(CANCEL), session.hear(OUT)]).toEqual([undefined, undefined]);
  expect([session.hear(signed(CANCEL)), session.hear(signed(OUT))]).toEqual([CANCEL, OUT]);
  expect(refusals()).toEqual(['1 notice unsigned', '1 notice unsigned']);
});

test('who leaves it out of the welcome of one that has signed before is not heard, also after a restart of the agent', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-notices-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'agent.key.json');
  const service = newSigner();
  const first = setUp(filePin(path));
  // What the welcome claims is not kept: nobody signs it.
  expect(first.connect(service, NOTICES).session.hear(CANCEL)).toBeUndefined();
  expect(first.connect(service).session.hear(CANCEL)).toEqual(CANCEL);
  const line = first.connect(service, NOTICES);
  expect(line.session.hear(line.signed(CANCEL))).toEqual(CANCEL);
  expect(first.connect(service).session.hear(OUT)).toBeUndefined();
  const again = setUp(filePin(path));
  expect(again.connect(service).session.hear(OUT)).toBeUndefined();
  expect(again.connect(undefined).session.hear(CANCEL)).toBeUndefined();
  expect(again.pin.read()).toBe(service.publicKey);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ task_key: service.publicKey, signs_notices: true });
});

test('forged, altered, of another agent or connection, or said again: none is heard', () => {
  const { connect, refusals } = setUp();
  const service = newSigner();
  const earlier = connect(service, NOTICES);
  const old = earlier.signed(OUT);
  const { session, signed } = connect(service, NOTICES);
  const good = signed(CANCEL);
  expect(session.hear(good)).toEqual(CANCEL);
  const other = connect(newSigner(), NOTICES);
  const asOrder = signOrder({ ...JSON.parse(good.text), order: order() }, service);
  for (const frame of [
    good,
    old,
    other.signed(OUT),
    { ...signed(OUT), text: signed(OUT).text.replace('retired', 'archived') },
    signed(OUT, { agent_id: KEY }),
    { ...asOrder, type: 'signed-notice' as const },
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

test('a signed notice is no order, an order no notice, and both are numbered in one row', () => {
  const { connect, db } = setUp();
  const { session, signed, order: next } = connect(newSigner(), NOTICES);
  const [first, notice, second] = [next(), signed(CANCEL), next()];
  expect(session.admit([first])).toHaveLength(1);
  expect(session.admit([{ ...notice, type: 'signed-task' }])).toEqual([]);
  // A full disk takes no orders; to give tasks up needs none.
  db.exec('PRAGMA query_only = ON');
  expect(session.hear(notice)).toEqual(CANCEL);
  db.exec('PRAGMA query_only = OFF');
  expect(session.admit([second, first])).toHaveLength(1);
});
