// Clocks that are wrong or set, of agents and of the service: the state of a miner follows the order of an agent's
// slices and never its clock, what is shown is dated by the clock of the service and never later than now, and what is
// older than the state counts in history all the same.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { MAX_ORDER } from '../../../src/service/store/outbox-order.ts';
import type { ReportRecord } from '../../../src/wire/records.ts';
import { untilSoon } from '../../e2e/until.ts';
import { query } from './database.ts';
import { hostRecord, type MinerChange, minerRecord } from './records.ts';
import { type Rig, recordingLog, startRig } from './rig.ts';
import { connect, enrol, type Identity, slice } from './wire-agent.ts';

const HOUR_MS = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();
const list = async (rig: Rig) => (await rig.get(rig.farm('/miner/latest?pageSize=1000'))).body.data;
const only = async (rig: Rig) => (await list(rig))[0];

const hashes = (key: string, atMs: number, change: MinerChange = {}) =>
  minerRecord(1, atMs, { key, ...change, document: { hashrate: 110e12, is_mining: true, ...change.document } });
const stopped = (key: string, atMs: number) =>
  minerRecord(1, atMs, { key, document: { hashrate: 0, is_mining: false, anomaly_flags: 128 } });

/** An agent that numbers its slices through all epochs; its clock is ahead by `aheadMs`. */
async function startAgent(
  rig: Rig,
  options: { identity?: Identity; outbox?: string; nextSeq?: number; epoch?: string } = {},
) {
  let aheadMs = 0;
  const setClock = (ms: number) => {
    aheadMs += ms;
  };
  const outbox = options.outbox ?? randomUUID();
  const agent = await connect(rig, { ...options, outbox });
  const agentMs = () => rig.clock.nowMs() + aheadMs;
  let seq = options.nextSeq ?? 1;
  const send = async (records: readonly ReportRecord[], header: { order?: number; ageMs?: number } = {}) => {
    const { order = seq, ageMs: age_ms = 0 } = header;
    agent.sendBytes(slice(agent.epoch, seq, records, iso(agentMs() - age_ms), { order, age_ms }));
    const sent = seq++;
    await agent.frame('ack', (ack) => ack.seq >= sent);
  };
  return { agent, outbox, agentMs, send, setClock };
}

/** Nothing that is shown of the farm is dated later than now. */
async function expectNoFuture(rig: Rig) {
  const v2 = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}`;
  const texts = [
    await rig.get(rig.farm('/miner/latest')),
    await rig.get(`${v2}/miners`),
    await rig.get(`${v2}/events`),
  ];
  const nowMs = rig.clock.nowMs();
  for (const { status, body } of texts) {
    expect(status).toBe(200);
    const times = JSON.stringify(body).match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? [];
    for (const time of times) expect(Date.parse(time), time).toBeLessThanOrEqual(nowMs);
  }
}

test.each([
  ['an agent that says ages', true],
  ['an agent that says none', false],
])('%s, two hours fast and then set right: what it reports next is shown at once', async (_name, saysAges) => {
  const rig = await startRig();
  const [key, other] = [randomUUID(), randomUUID()];
  const outbox = saysAges ? { outbox: randomUUID() } : {};
  const agent = await connect(rig, { skewMs: 2 * HOUR_MS, ...outbox });
  let seq = 0;
  const report = async (records: readonly ReportRecord[], agentMs: number) => {
    const header = saysAges ? { order: ++seq, age_ms: 0 } : {};
    seq = header.order ?? seq + 1;
    agent.sendBytes(slice(agent.epoch, seq, records, iso(agentMs), header));
    await agent.frame('ack', (ack) => ack.seq >= seq);
  };
  const fastMs = rig.clock.nowMs() + 2 * HOUR_MS;
  const appeared = { kind: 'event' as const, type: 'appeared', key, at: iso(fastMs), detail: {} };
  const flags = [
    {
      type: 'fan' as const,
      since: iso(fastMs),
      severity: 'minor' as const,
      value: 0,
      limit: 1,
      source: 's',
      message: 'm',
    },
  ];
  await report([hashes(key, fastMs, { extras: { flags } }), minerRecord(2, fastMs, { key: other }), appeared], fastMs);
  await expectNoFuture(rig);
  expect(Math.abs(Date.parse((await only(rig)).last_updated_at) - rig.clock.nowMs())).toBeLessThan(10_000);

  // It is set right; one miner stands still, the other is unplugged.
  const nowMs = rig.clock.nowMs();
  const away = { last_check_succeed: false, is_mining: false, last_updated_at: iso(nowMs - 1_000) };
  await report([stopped(key, nowMs), minerRecord(2, nowMs, { key: other, document: away })], nowMs);
  const [one, two] = await list(rig);
  expect(one).toMatchObject({ hashrate: 0, is_mining: false, anomaly_flags: 128 });
  expect(two).toMatchObject({ last_check_succeed: false, is_mining: false });
  await expectNoFuture(rig);
  rig.clock.step(200_000);
  expect((await list(rig)).map(({ stale }: { stale: boolean }) => stale)).toEqual([true, true]);
});

test.each([2 * HOUR_MS, -2 * HOUR_MS])(
  'an agent whose clock is set by %i ms while it is connected',
  async (setByMs) => {
    const rig = await startRig();
    const key = randomUUID();
    const { send, agentMs, setClock } = await startAgent(rig);
    await send([hashes(key, agentMs())]);
    setClock(setByMs);
    await send([stopped(key, agentMs())]);
    expect(await only(rig)).toMatchObject({ hashrate: 0, status: 'online' });
    expect(Math.abs(Date.parse((await only(rig)).last_updated_at) - rig.clock.nowMs())).toBeLessThan(10_000);
    await expectNoFuture(rig);
    rig.clock.step(200_000);
    expect(await only(rig)).toMatchObject({ status: 'stale' });
  },
);

test('a miner that is unplugged while the clock of its agent is set back goes stale: its last reading is no later for it', async () => {
  const rig = await startRig();
  const key = randomUUID();
  const { send, agentMs, setClock } = await startAgent(rig);
  await send([hashes(key, agentMs())]);
  const seen = (await only(rig)).last_updated_at;
  const away = { is_mining: false, last_check_succeed: false, last_updated_at: iso(agentMs()) };
  setClock(-2 * HOUR_MS);
  for (let minute = 1; minute <= 4; minute++) {
    rig.clock.step(60_000);
    await send([minerRecord(1, agentMs(), { key, document: away })]);
    expect(await only(rig)).toMatchObject({ last_check_succeed: false, last_updated_at: seen, stale: minute > 2 });
  }
});

test('what waited comes after what is new: it changes no state, and counts in history and in a figure', async () => {
  const rig = await startRig();
  const key = randomUUID();
  const { agent, send, agentMs } = await startAgent(rig);
  const second = randomUUID();
  agent.send({ type: 'epoch', epoch: second, next_seq: 2 });
  await agent.frame('epoch');
  await send([hashes(key, agentMs())], { order: 10 });
  const waited = [
    hashes(key, agentMs() - 30 * 60_000, { document: { hashrate: 50e12 } }),
    hostRecord(agentMs(), { version: 'old' }),
  ];
  agent.sendBytes(slice(second, 1, waited, iso(agentMs()), { order: 9, age_ms: 30 * 60_000 }));
  await agent.frame('ack', ({ epoch }) => epoch === second);
  expect((await only(rig)).hashrate).toBe(110e12);
  const cells = await query(rig, 'SELECT hashrate FROM history_cells ORDER BY from_at');
  expect(cells).toEqual([{ hashrate: 50e12 }, { hashrate: 110e12 }]);
  const figures = await (await fetch(`${rig.url}/metrics`, { headers: { 'x-api-key': rig.key } })).text();
  expect(figures).toContain('pithead_ingest_outdated_total 1');
});

test('of the agent itself too the newest slice stays, whatever its clock says', async () => {
  const rig = await startRig();
  const { send, agentMs } = await startAgent(rig);
  const versions = async () => (await query(rig, 'SELECT version FROM agents')).map(({ version }) => version);
  await send([hostRecord(agentMs() + HOUR_MS, { version: 'a' })], { order: 5 });
  await send([hostRecord(agentMs() - HOUR_MS, { version: 'b' })], { order: 6 });
  expect(await versions()).toEqual(['b']);
  await send([hostRecord(agentMs(), { version: 'c' })], { order: 4 });
  expect(await versions()).toEqual(['b']);
});

test('an outbox that began anew is newer than the one before, and so is a copy from before what it had sent', async () => {
  const rig = await startRig();
  const key = randomUUID();
  const identity = await enrol(rig);
  const first = await startAgent(rig, { identity });
  await first.send([hashes(key, first.agentMs(), { document: { hashrate: 1 } })], { order: 1_000 });
  await first.send([hashes(key, first.agentMs(), { document: { hashrate: 2 } })], { order: 1_001 });
  const second = await startAgent(rig, { identity });
  await second.send([hashes(key, second.agentMs(), { document: { hashrate: 3 } })], { order: 1 });
  await second.send([hashes(key, second.agentMs(), { document: { hashrate: 4 } })], { order: 2 });
  expect((await only(rig)).hashrate).toBe(4);
  // The same outbox goes on where it was.
  const again = await startAgent(rig, { identity, outbox: second.outbox, epoch: second.agent.epoch, nextSeq: 3 });
  await again.send([hashes(key, again.agentMs(), { document: { hashrate: 5 } })], { order: 1 });
  expect((await only(rig)).hashrate).toBe(4);
  await again.send([hashes(key, again.agentMs(), { document: { hashrate: 6 } })], { order: 3 });
  expect((await only(rig)).hashrate).toBe(6);
  // The host was set back to a picture of it: it counts from before what is stored, learns that, and begins an epoch.
  await connect(rig, { identity, outbox: second.outbox, epoch: second.agent.epoch, nextSeq: 2 });
  const restored = await startAgent(rig, { identity, outbox: second.outbox });
  await restored.send([hashes(key, restored.agentMs(), { document: { hashrate: 7 } })], { order: 2 });
  expect((await only(rig)).hashrate).toBe(7);
});

test('an agent that does not number its slices: each epoch is newer than those that it named before', async () => {
  const rig = await startRig();
  const key = randomUUID();
  const agent = await connect(rig);
  const [live, atMs] = [randomUUID(), rig.clock.nowMs()];
  agent.send({ type: 'epoch', epoch: live, next_seq: 1 });
  await agent.frame('epoch');
  agent.sendBytes(slice(live, 1, [stopped(key, atMs)]));
  await agent.frame('ack', ({ epoch }) => epoch === live);
  for (const seq of [1, 2]) await agent.report([hashes(key, atMs)], seq);
  expect((await only(rig)).hashrate).toBe(0);
  const again = await connect(rig, { identity: agent.identity, epoch: live, nextSeq: 2 });
  await again.report([hashes(key, atMs)], 2);
  expect((await only(rig)).hashrate).toBe(110e12);
});

test('between two agents the one that serves the miner keeps it, by our clock: one that is fast locks out no other for longer', async () => {
  const rig = await startRig();
  const fast = await startAgent(rig);
  fast.setClock(2 * HOUR_MS);
  const keyOfFast = randomUUID();
  await fast.send([hashes(keyOfFast, fast.agentMs(), { document: { hashrate: 1 } })], { order: 500 });
  const slow = await startAgent(rig);
  slow.setClock(-2 * HOUR_MS);
  rig.clock.step(60_000);
  const key = randomUUID();
  await slow.send([hashes(key, slow.agentMs(), { document: { hashrate: 2 } })]);
  expect(await list(rig)).toMatchObject([{ hashrate: 1 }]);
  rig.clock.step(15 * 60_000);
  await slow.send([hashes(key, slow.agentMs(), { document: { hashrate: 2 } })]);
  expect(await list(rig)).toMatchObject([{ hashrate: 2 }]);
  // What the other one saw before that comes later.
  await fast.send([hashes(keyOfFast, fast.agentMs() - 30_000, { document: { hashrate: 3 } })], {
    order: 501,
    ageMs: 30_000,
  });
  expect(await list(rig)).toMatchObject([{ hashrate: 2 }]);
});

test('an agent whose clock differs by more than a minute has an event, once an hour', async () => {
  const log = recordingLog();
  const rig = await startRig({ log });
  const identity = await enrol(rig);
  const events = async () =>
    (await rig.get(`/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/events?type=clock_differs`)).body
      .data;
  await connect(rig, { identity, skewMs: 50_000 });
  expect(await events()).toEqual([]);
  for (const _ of [1, 2]) await connect(rig, { identity, skewMs: -2 * HOUR_MS });
  await untilSoon(events, (found) => found.length > 0);
  expect(log.lines.filter(({ message }) => message === 'the clock of the agent differs from ours')).toHaveLength(2);
  const [event, ...more] = await events();
  expect(more).toEqual([]);
  expect(event).toMatchObject({ agent_id: identity.agentId, miner_id: null });
  expect(Math.round(event.detail.ahead_ms / 60_000)).toBe(-120);
  rig.clock.step(HOUR_MS);
  const ahead = async (options: { skewMs: number }) => {
    const agent = await connect(rig, { identity, ...options });
    await agent.report([hostRecord(rig.clock.nowMs())]);
    const path = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/agents`;
    return (await rig.get(path)).body.data[0].clock_ahead_ms;
  };
  expect(await ahead({ skewMs: 0 })).toBeNull();
  expect(Math.round((await ahead({ skewMs: -2 * HOUR_MS })) / 60_000)).toBe(-120);
  await untilSoon(events, (found) => found.length === 2);
});

test('numbers of outboxes end somewhere, and then begin anew', async () => {
  const rig = await startRig();
  const identity = await enrol(rig);
  const key = randomUUID();
  await connect(rig, { identity, outbox: randomUUID() });
  await query(rig, `UPDATE agents SET outbox_number = ${2 ** 17 - 2}`);
  const orders: unknown[] = [];
  for (const hashrate of [1, 2, 3]) {
    const { send, agentMs } = await startAgent(rig, { identity });
    await send([hashes(key, agentMs(), { document: { hashrate } })], { order: MAX_ORDER });
    expect((await only(rig)).hashrate).toBe(hashrate);
    orders.push(...(await query(rig, 'SELECT reported_order FROM miners')));
  }
  expect(await query(rig, 'SELECT outbox_number FROM agents')).toEqual([{ outbox_number: 2 }]);
  expect(orders).toEqual(
    [Number.MAX_SAFE_INTEGER, 2 ** 37 - 1, 3 * 2 ** 36 - 1].map((reported_order) => ({ reported_order })),
  );
});

test('a slice with a number that no outbox reaches is refused', async () => {
  const rig = await startRig();
  const agent = await connect(rig, { outbox: randomUUID() });
  agent.sendBytes(slice(agent.epoch, 1, [], iso(rig.clock.nowMs()), { order: MAX_ORDER + 1 }));
  expect(await agent.closed).toMatchObject({ code: 1008 });
});
