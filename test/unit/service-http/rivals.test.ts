// Two agents of a farm that claim the same miner: the one that serves it keeps it, whatever the other one says; both
// are named. A miner goes to another agent when the first one has lost it for long enough, or was revoked: so a
// reinstalled agent finds its miners, at once or a little later.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openStore } from '../../../src/service/store/store.ts';
import { type MinerChange, minerRecord } from './records.ts';
import { type Rig, startRig } from './rig.ts';
import { connect, type WireAgent } from './wire-agent.ts';

const MINUTE_MS = 60_000;
type Served = { id: string; ip: string; mac: string; hashrate: number | null };

const list = async (rig: Rig): Promise<Served[]> => (await rig.get(rig.farm('/miner/latest?pageSize=100'))).body.data;

const duplicates = (rig: Rig) => eventsOf(rig, 'duplicate');

const takenOver = (rig: Rig) => eventsOf(rig, 'miners_taken_over');

async function eventsOf(rig: Rig, type: string) {
  const store = await openStore(rig.databasePath);
  const window = { limit: 100, offset: 0 };
  const { events } = await store.events.list({ farmId: rig.farmId, types: [type], window });
  await store.close();
  return events;
}

/** An agent that serves miner 1, and reports it again and again. */
async function serving(rig: Rig) {
  const agent = await connect(rig);
  const key = randomUUID();
  const report = (change: MinerChange = {}) => agent.report([minerRecord(1, rig.clock.nowMs(), { key, ...change })]);
  await report();
  const [miner] = await list(rig);
  if (miner === undefined) throw new Error('it serves a miner');
  return { agent, report, miner };
}

/** Of an agent that no longer reaches the miner. */
const silentSince = (ms: number): MinerChange => ({
  document: { last_updated_at: new Date(ms).toISOString(), last_check_succeed: false, hashrate: null },
});

const claim = (rig: Rig, agent: WireAgent, key: string, change: MinerChange = {}) =>
  agent.report([minerRecord(1, rig.clock.nowMs(), { key, document: { ip: '10.66.0.1' }, ...change })]);

test('by MAC and serial, one of them or both, no agent takes a miner that another one serves', async () => {
  const rig = await startRig();
  const first = await serving(rig);
  const attacker = await connect(rig);
  const claims: MinerChange[] = [
    {},
    { sn_state: 'empty', document: { serial_number: null, ip: '10.66.0.2' } },
    { mac_state: 'empty', document: { mac: '', ip: '10.66.0.3' } },
  ];
  for (const change of claims) await claim(rig, attacker, randomUUID(), change);
  for (let round = 0; round < 5; round++) {
    rig.clock.step(5 * MINUTE_MS);
    await first.report({ document: { hashrate: (round + 1) * 1e12 } });
    await claim(rig, attacker, randomUUID(), { document: { ip: '10.66.0.9', hashrate: 9e15 } });
  }
  const miners = await list(rig);
  expect(miners.find(({ id }) => id === first.miner.id)).toMatchObject({ ip: '10.0.0.1', hashrate: 5e12 });
  expect(miners.length).toBeGreaterThan(3);

  const events = await duplicates(rig);
  const [claimed] = events.filter(({ minerId }) => minerId !== first.miner.id);
  expect(claimed).toMatchObject({ agentId: attacker.identity.agentId });
  const ofMiner = events.filter(({ minerId }) => minerId === first.miner.id);
  expect(ofMiner.length).toBeGreaterThan(3);
  expect(ofMiner[0]).toMatchObject({
    agentId: first.agent.identity.agentId,
    detail: {
      served_by: { agent_id: first.agent.identity.agentId, miner_id: first.miner.id },
      claimed_by: { agent_id: attacker.identity.agentId },
    },
  });
});

test('the same device, seen by two agents, is one miner: the first one keeps it, and what the other one says changes nothing', async () => {
  const rig = await startRig();
  const first = await serving(rig);
  const second = await connect(rig);
  const key = randomUUID();
  const see = () => second.report([minerRecord(1, rig.clock.nowMs(), { key, document: { hashrate: 9e15 } })]);
  for (let round = 0; round < 3; round++) {
    await see();
    expect(await list(rig)).toMatchObject([{ id: first.miner.id, hashrate: 110e12 }]);
    rig.clock.step(5 * MINUTE_MS);
    await first.report();
  }
  expect(await duplicates(rig)).toHaveLength(2);
  const at = new Date(rig.clock.nowMs()).toISOString();
  await second.report([{ kind: 'event', type: 'made_up', key, at, detail: {} }]);
  expect(await eventsOf(rig, 'made_up')).toEqual([]);
  // It is there when the first one is not.
  rig.clock.step(16 * MINUTE_MS);
  await see();
  expect(await list(rig)).toMatchObject([{ id: first.miner.id, hashrate: 9e15 }]);
  const from = [first.agent.identity.agentId];
  expect(await takenOver(rig)).toMatchObject([
    { minerId: null, agentId: second.identity.agentId, detail: { from, count: 1, miner_ids: [first.miner.id] } },
  ]);
  await see();
  expect(await takenOver(rig)).toHaveLength(1);
  await first.report();
  expect(await list(rig)).toMatchObject([{ id: first.miner.id, hashrate: 9e15 }]);
});

test('a key that once had the miner does not get it back from the agent that serves it now', async () => {
  const rig = await startRig();
  const first = await serving(rig);
  await first.agent.close();
  rig.clock.step(120 * MINUTE_MS);
  const second = await connect(rig);
  const key = randomUUID();
  await claim(rig, second, key);
  expect((await list(rig)).map(({ id, ip }) => [id, ip])).toEqual([[first.miner.id, '10.66.0.1']]);

  const back = await connect(rig, { identity: first.agent.identity });
  const report = (change: MinerChange) =>
    back.report([minerRecord(1, rig.clock.nowMs(), { key: randomUUID(), ...change })]);
  await report({ document: { ip: '10.99.0.1' } });
  const miners = await list(rig);
  expect(miners).toHaveLength(2);
  expect(miners.find(({ id }) => id === first.miner.id)?.ip).toBe('10.66.0.1');
});

test('a miner that was carried to another agent goes there when the first one has lost it for an hour, and its word changes nothing then', async () => {
  const rig = await startRig();
  const first = await serving(rig);
  const lostMs = rig.clock.nowMs();
  const second = await connect(rig);
  const key = randomUUID();
  const both = async () => {
    rig.clock.step(5 * MINUTE_MS);
    await first.report(silentSince(lostMs));
    await claim(rig, second, key);
  };
  await both();
  expect(await list(rig)).toHaveLength(2);
  for (let round = 0; round < 12; round++) await both();
  expect((await list(rig)).map(({ id, ip }) => [id, ip])).toEqual([[first.miner.id, '10.66.0.1']]);
  await both();
  expect((await list(rig)).map(({ id, ip, hashrate }) => [id, ip, hashrate])).toEqual([
    [first.miner.id, '10.66.0.1', 110e12],
  ]);
});

test('a reinstalled agent has its miners at once when the old one was revoked, else when that was silent for a quarter of an hour', async () => {
  for (const isRevoked of [true, false]) {
    const rig = await startRig();
    const first = await serving(rig);
    await first.agent.close();
    if (isRevoked) await rig.service.admin.revokeAgent(first.agent.identity.agentId);
    rig.clock.step(MINUTE_MS);
    const second = await connect(rig);
    const key = randomUUID();
    await claim(rig, second, key);
    expect(await list(rig)).toHaveLength(isRevoked ? 1 : 2);
    rig.clock.step(15 * MINUTE_MS);
    await claim(rig, second, key);
    await claim(rig, second, key);
    expect((await list(rig)).map(({ id, ip }) => [id, ip])).toEqual([[first.miner.id, '10.66.0.1']]);
    expect(await takenOver(rig)).toHaveLength(isRevoked ? 0 : 1);
  }
});

test('what an operator has said of the newer one of two keeps them apart', async () => {
  const rig = await startRig();
  const first = await serving(rig);
  await first.agent.close();
  const second = await connect(rig);
  const key = randomUUID();
  await claim(rig, second, key);
  const newer = (await list(rig)).find(({ id }) => id !== first.miner.id);
  const store = await openStore(rig.databasePath);
  await store.operators.edit({
    ...{ workspaceId: rig.workspaceId, farmId: rig.farmId, edits: [{ id: newer?.id ?? '', rack: 'A1' }] },
    ...{ actor: { type: 'user', id: 'u', name: 'u', avatar: '', metadata: {} }, nowMs: rig.clock.nowMs() },
  });
  await store.close();
  rig.clock.step(20 * MINUTE_MS);
  await claim(rig, second, key);
  expect(await list(rig)).toHaveLength(2);
});
