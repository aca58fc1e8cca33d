// A miner keeps its id, its created_at and its history through everything that happens to it and to its agents.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type MinerChange, minerRecord } from './records.ts';
import { type Rig, startRig } from './rig.ts';
import { connect, enrol } from './wire-agent.ts';

type Served = { id: string; created_at: string; ip: string; mac: string };

async function list(rig: Rig): Promise<Served[]> {
  return (await rig.get(rig.farm('/miner/latest?pageSize=100'))).body.data;
}

const unknownIdentity = (document: MinerChange['document'] = {}): MinerChange => ({
  mac_state: 'empty',
  sn_state: 'empty',
  document: { mac: '', serial_number: null, unstable_reason: 'ip_only', ...document },
});

test.each([0, -3_600_000])(
  'a key that lives keeps its miner, also where the clock of the agent is off by %i ms',
  async (skewMs) => {
    const rig = await startRig();
    const agent = await connect(rig, { skewMs });
    const agentMs = rig.clock.nowMs() + skewMs;
    await agent.report([minerRecord(1, agentMs)]);
    await agent.report([minerRecord(1, agentMs + 1_000, { document: { ip: '10.0.9.9' } })]);
    expect((await rig.get(rig.farm('/miner/latest'))).body.pagination.total).toBe(2);
  },
);

test('ids are version 7 and stay with the key through a new address', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const key = randomUUID();
  await agent.report([minerRecord(1, rig.clock.nowMs(), { key })]);
  const [before] = await list(rig);
  rig.clock.step(60_000);
  await agent.report([minerRecord(1, rig.clock.nowMs(), { key, document: { ip: '10.9.9.9' } })]);
  const after = await list(rig);
  expect(after).toHaveLength(1);
  expect(after[0]).toMatchObject({ id: before?.id, created_at: before?.created_at, ip: '10.9.9.9' });
  expect(before?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
});

test('a reinstalled agent, with new keys and a new identity, finds its miners by MAC, by serial and by address', async () => {
  const rig = await startRig();
  const report = (nowMs: number) => [
    minerRecord(1, nowMs, { document: { ip: `10.1.0.${nowMs % 200}` } }),
    minerRecord(2, nowMs, { mac_state: 'empty', document: { mac: '', ip: `10.2.0.${nowMs % 200}` } }),
    minerRecord(3, nowMs, unknownIdentity()),
  ];
  const first = await connect(rig);
  await first.report(report(rig.clock.nowMs()));
  const before = await list(rig);
  await first.close();
  rig.clock.step(3_600_000);
  const second = await connect(rig);
  expect(second.identity.agentId).not.toBe(first.identity.agentId);
  await second.report(report(rig.clock.nowMs()));
  const after = await list(rig);
  expect(new Set(after.map(({ id }) => id))).toEqual(new Set(before.map(({ id }) => id)));
  expect(new Set(after.map(({ created_at }) => created_at))).toEqual(
    new Set(before.map(({ created_at }) => created_at)),
  );
});

test('a miner first known by address only keeps its id when it shows a MAC, also to a new agent', async () => {
  const rig = await startRig();
  const first = await connect(rig);
  await first.report([minerRecord(1, rig.clock.nowMs(), unknownIdentity())]);
  const [before] = await list(rig);
  await first.close();
  rig.clock.step(3_600_000);
  const second = await connect(rig);
  await second.report([minerRecord(1, rig.clock.nowMs())]);
  const after = await list(rig);
  expect(after).toHaveLength(1);
  expect(after[0]?.id).toBe(before?.id);
});

test('two keys with the same MAC stay two miners, and stay the same two for a new agent', async () => {
  const rig = await startRig();
  const twins = (nowMs: number) => [
    minerRecord(1, nowMs, { mac_state: 'duplicate', document: { ip: '10.0.0.1' } }),
    minerRecord(1, nowMs, { mac_state: 'duplicate', document: { ip: '10.0.0.2', serial_number: 'SN-TWIN' } }),
  ];
  const first = await connect(rig);
  const [one, two] = twins(rig.clock.nowMs());
  if (!one || !two) throw new Error('two records');
  await first.report([one]);
  await first.report([two]);
  const before = await list(rig);
  expect(new Set(before.map(({ id }) => id)).size).toBe(2);
  await first.close();
  rig.clock.step(3_600_000);
  const second = await connect(rig);
  // The other way round: the pairing must not depend on who comes first.
  await second.report(twins(rig.clock.nowMs()).toReversed());
  expect((await list(rig)).map(({ id, ip }) => [id, ip])).toEqual(before.map(({ id, ip }) => [id, ip]));
});

// The id, its history and its tasks went to the stranger once its agent had not reported the miner for a quarter of an
// hour.
test('a unit that its agent doubts does not get the id of a miner that stands nowhere, however long', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const key = randomUUID();
  await agent.report([minerRecord(1, rig.clock.nowMs(), { key })]);
  const [before] = await list(rig);
  rig.clock.step(24 * 3_600_000);
  const doubted = { mac_state: 'duplicate', sn_state: 'duplicate' } as const;
  await agent.report([minerRecord(1, rig.clock.nowMs(), { ...doubted, document: { ip: '10.9.9.9' } })]);
  const both = await list(rig);
  expect(both).toHaveLength(2);
  expect(both.find(({ id }) => id === before?.id)?.ip).toBe(before?.ip);
  rig.clock.step(60_000);
  await agent.report([minerRecord(1, rig.clock.nowMs(), { key, document: { ip: '10.9.9.8' } })]);
  const back = await list(rig);
  expect(back.find(({ id }) => id === before?.id)).toMatchObject({ ip: '10.9.9.8', created_at: before?.created_at });
});

test('a MAC or serial that cannot identify merges nobody', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const filler: MinerChange = {
    mac_state: 'invalid',
    sn_state: 'invalid',
    document: { mac: '00:00:00:00:00:00', serial_number: 'N/A', unstable_reason: 'all_invalid' },
  };
  await agent.report([minerRecord(1, rig.clock.nowMs(), filler)]);
  await agent.report([minerRecord(2, rig.clock.nowMs(), filler)]);
  expect(await list(rig)).toHaveLength(2);
});

test('another unit at the same address is another miner', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  await agent.report([minerRecord(1, rig.clock.nowMs())]);
  await agent.report([minerRecord(2, rig.clock.nowMs(), { document: { ip: '10.0.0.1' } })]);
  expect(await list(rig)).toHaveLength(2);
});

test('a miner without identity does not become the known one that had its address', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  await agent.report([minerRecord(1, rig.clock.nowMs())]);
  await agent.report([minerRecord(1, rig.clock.nowMs(), unknownIdentity())]);
  expect(await list(rig)).toHaveLength(2);
});

test('two agents with the same private addresses do not share miners that only an address identifies', async () => {
  const rig = await startRig();
  const one = await connect(rig);
  const two = await connect(rig);
  await one.report([minerRecord(1, rig.clock.nowMs(), unknownIdentity())]);
  await two.report([minerRecord(1, rig.clock.nowMs(), unknownIdentity())]);
  expect(await list(rig)).toHaveLength(2);
});

test('the same MAC on another farm is another miner', async () => {
  const rig = await startRig();
  const farm = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Second' });
  const one = await connect(rig);
  await one.report([minerRecord(1, rig.clock.nowMs())]);
  const two = await connect(rig, { identity: await enrol(rig, farm.id) });
  await two.report([minerRecord(1, rig.clock.nowMs())]);
  const { body } = await rig.get(`/private-api/v1/${rig.workspaceId}/farms/${farm.id}/miner/latest`);
  expect(body.data).toHaveLength(1);
  expect(body.data[0].id).not.toBe((await list(rig))[0]?.id);
});

test('a key that comes back after its miner was given to a newer key is a new miner, not a second master of the old one', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const [oldKey, newKey] = [randomUUID(), randomUUID()];
  await agent.report([minerRecord(1, rig.clock.nowMs(), { key: oldKey })]);
  rig.clock.step(16 * 60_000);
  await agent.report([minerRecord(1, rig.clock.nowMs(), { key: newKey })]);
  expect(await list(rig)).toHaveLength(1);
  await agent.report([minerRecord(1, rig.clock.nowMs(), { key: oldKey, document: { ip: '10.0.7.7' } })]);
  expect((await list(rig)).map(({ ip }) => ip)).toEqual(['10.0.0.1', '10.0.7.7']);
});
