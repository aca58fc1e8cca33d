// An agent that is not itself any more invents miners: it gets no further than what it was granted, its real miners go
// on, and what was never seen again is gone after a week.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { budgetAt } from '../../../src/service/store/miners/identity/grant.ts';
import { isPassing } from '../../../src/service/store/pruning.ts';
import { openStore } from '../../../src/service/store/store.ts';
import { ENROL_PATH, PROTOCOL_VERSION } from '../../../src/wire/protocol.ts';
import { minerRecord } from './records.ts';
import { call, type Rig, recordingLog, startRig } from './rig.ts';
import { connect, type Identity, identityKey } from './wire-agent.ts';

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];

async function enrolWith(rig: Rig, maxMiners: number): Promise<Identity> {
  const { code } = await rig.service.admin.createEnrolmentCode({ farmId: rig.farmId, ttlMs: 60_000, maxMiners });
  const { body } = await call(rig.url + ENROL_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ code, name: 'agent', version: '1.2.3', protocol: PROTOCOL_VERSION, identity_key: identityKey },
    }),
  });
  return { agentId: body.agent_id, token: body.token };
}

const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
const total = async (rig: Rig): Promise<number> =>
  (await rig.get(rig.farm('/miner/latest?pageSize=1'))).body.pagination.total;

async function eventsOf(rig: Rig, type: string) {
  await using store = await openStoreOf(rig);
  const { events } = await store.events.list({
    farmId: rig.farmId,
    types: [type],
    window: { limit: 100, offset: 0 },
  });
  return events;
}

async function openStoreOf(rig: Rig) {
  const store = await openStore(rig.databasePath);
  return { ...store, [Symbol.asyncDispose]: () => store.close() };
}

test('miners beyond the grant are not stored, counted as a gap and told once an hour; those that are known go on', async () => {
  const log = recordingLog();
  const rig = await startRig({ log });
  const identity = await enrolWith(rig, 20);
  const agent = await connect(rig, { identity });
  const real = range(0, 15).map((n) => ({ n, key: randomUUID() }));
  const report = (hashrate: number) =>
    real.map(({ n, key }) => minerRecord(n, rig.clock.nowMs(), { key, document: { hashrate } }));
  await agent.report(report(1e12));
  for (let flood = 0; flood < 10; flood++)
    await agent.report([
      ...range(100 + flood * 100, 100).map((n) => minerRecord(n, rig.clock.nowMs())),
      ...report((flood + 2) * 1e12),
    ]);
  expect(await total(rig)).toBe(20);
  const { body } = await rig.get(rig.farm('/miner/latest?pageSize=100'));
  const known = body.data.filter(
    ({ mac }: { mac: string }) => Number.parseInt(mac.slice(-5).replace(':', ''), 16) < 15,
  );
  expect(known.map(({ hashrate }: { hashrate: number }) => hashrate)).toEqual(real.map(() => 11e12));

  const told = log.lines.filter(({ message }) => message.includes('more miners than it may have'));
  expect(told).toHaveLength(1);
  const events = await eventsOf(rig, 'miners_refused');
  expect(events).toMatchObject([{ agentId: identity.agentId, minerId: null, detail: { known: 20, max_miners: 20 } }]);
  await using store = await openStoreOf(rig);
  expect((await store.ingest.needOf(identity.agentId)).miners).toBe(20);

  rig.clock.step(HOUR_MS + 1);
  await agent.report([minerRecord(5_000, rig.clock.nowMs())]);
  expect(await eventsOf(rig, 'miners_refused')).toHaveLength(2);
});

test('a larger grant lets them in', async () => {
  const rig = await startRig();
  const identity = await enrolWith(rig, 2);
  const agent = await connect(rig, { identity });
  await agent.report(range(0, 5).map((n) => minerRecord(n, rig.clock.nowMs())));
  expect(await total(rig)).toBe(2);
  expect(await rig.service.admin.limitAgent(identity.agentId, 10)).toBe(true);
  expect(await rig.service.admin.limitAgent(randomUUID(), 10)).toBe(false);
  await expect(rig.service.admin.limitAgent(identity.agentId, 0)).rejects.toThrow('administer');
  await agent.report(range(10, 5).map((n) => minerRecord(n, rig.clock.nowMs())));
  expect(await total(rig)).toBe(7);
  expect(await rig.service.admin.listAgents()).toMatchObject([{ maxMiners: 10 }]);
});

test('the budget: as many as granted at first, then a tenth and 100 an hour', () => {
  const full = { left: 10_000, atMs: 0 };
  expect(budgetAt(full, 10_000, 0)).toBe(10_000);
  expect(budgetAt({ left: 0, atMs: 0 }, 10_000, HOUR_MS)).toBe(1_100);
  expect(budgetAt({ left: 9_500, atMs: 0 }, 10_000, 100 * HOUR_MS)).toBe(10_000);
  // The clock was set back: nothing is gained, and nothing lost.
  expect(budgetAt({ left: 5, atMs: HOUR_MS }, 10_000, 0)).toBe(5);
});

test('what was seen in passing is gone after a week, with all that was kept of it; everything else stays', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const keys = range(0, 5).map(() => randomUUID());
  const report = (numbers: readonly number[]) =>
    agent.report(numbers.map((n) => minerRecord(n, rig.clock.nowMs(), { key: keys[n] ?? '' })));
  await report([0, 1, 2, 3]);
  const { body } = await rig.get(rig.farm('/miner/latest?pageSize=100'));
  const idOf = (n: number) => body.data[n].id;
  // 1 is there for longer, an operator has said something of 2, 3 has a task.
  const ordered = await rig.post(rig.farm('/tasks/batches'), {
    task_name: 'miner.system.reboot',
    miner_ids: [idOf(3)],
  });
  expect(ordered.status).toBe(200);
  const path = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/miners/${idOf(2)}`;
  const patched = await call(rig.url + path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-api-key': rig.key },
    body: JSON.stringify({ rack: 'A1' }),
  });
  expect(patched.status).toBe(200);
  rig.clock.step(2 * HOUR_MS);
  await report([1]);
  rig.clock.step(7 * DAY_MS + HOUR_MS);
  await using store = await openStoreOf(rig);
  await store.prune(rig.clock.nowMs());
  const left = (await rig.get(rig.farm('/miner/latest?pageSize=100'))).body.data.map(({ id }: { id: string }) => id);
  expect(left).toEqual([idOf(1), idOf(2), idOf(3)]);
  expect((await store.ingest.needOf(agent.identity.agentId)).miners).toBe(3);
});

test('what counts as seen in passing', () => {
  const NOW_MS = 100 * DAY_MS;
  const base = { created_at: NOW_MS - 8 * DAY_MS, ops_status: null, rack: null, position: null };
  const passing = { ...base, reported_at: base.created_at + 60_000, seen_at: base.created_at + 60_000 };
  expect(isPassing(passing, NOW_MS)).toBe(true);
  expect(isPassing({ ...passing, seen_at: null }, NOW_MS)).toBe(true);
  expect(isPassing(passing, NOW_MS - 2 * DAY_MS)).toBe(false);
  expect(isPassing({ ...passing, seen_at: base.created_at + HOUR_MS }, NOW_MS)).toBe(false);
  // Still reported as silent, or reported for days without an answer: somebody knows it.
  expect(isPassing({ ...passing, reported_at: NOW_MS - HOUR_MS }, NOW_MS)).toBe(false);
  expect(isPassing({ ...passing, seen_at: null, reported_at: NOW_MS - 7.5 * DAY_MS }, NOW_MS)).toBe(false);
  for (const said of [{ ops_status: 'retired' }, { rack: 'A1' }, { position: 3 }])
    expect(isPassing({ ...passing, ...said }, NOW_MS)).toBe(false);
});
