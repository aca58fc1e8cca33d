// Two services on one database: whatever one is told holds on the other, and an agent has one connection.
import { expect, test } from 'vitest';
import { minerRecord } from './records.ts';
import { startRig } from './rig.ts';
import { connect } from './wire-agent.ts';

const startPair = async () => {
  const first = await startRig();
  return { first, second: await startRig({ databasePath: first.databasePath }) };
};

test('they agree on the first workspace and farm', async () => {
  const { first, second } = await startPair();
  expect([second.workspaceId, second.farmId]).toEqual([first.workspaceId, first.farmId]);
});

test('a key made on one opens the other until it is revoked on either', async () => {
  const { first, second } = await startPair();
  expect((await second.get(second.farm('/miner/latest'), { 'x-api-key': first.key })).status).toBe(200);
  const [key] = await second.service.admin.listKeys();
  await second.service.admin.revokeKey(key?.id ?? '');
  expect((await first.get(first.farm('/miner/latest'))).status).toBe(401);
});

test('an agent that comes to the other one goes on where it was; its older connection is closed', async () => {
  const { first, second } = await startPair();
  const before = await connect(first);
  await before.report([minerRecord(1, first.clock.nowMs())]);
  const after = await connect(second, { identity: before.identity, epoch: before.epoch, nextSeq: 2 });
  expect((await after.frame('welcome')).acked_seq).toBe(1);
  expect(await before.closed).toMatchObject({ code: 4001 });
  await after.report([minerRecord(2, first.clock.nowMs())]);
  expect((await first.get(first.farm('/miner/latest'))).body.data).toHaveLength(2);
  expect((await second.get(second.farm('/miner/latest'))).body.data).toHaveLength(2);
});

test('agents on different copies keep their connections', async () => {
  const { first, second } = await startPair();
  const agents = [await connect(first), await connect(second)];
  for (const rig of [first, second]) await connect(rig);
  for (const [n, agent] of agents.entries()) await agent.report([minerRecord(n, first.clock.nowMs())]);
  expect((await first.get(first.farm('/miner/latest'))).body.data).toHaveLength(2);
});
