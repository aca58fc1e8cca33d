// What operators say of miners reaches the agent that serves them: when it connects and when it changes, on whichever
// copy.
import { expect, test } from 'vitest';
import { OPS_STATUS_PAGE, type OpsStatusFrame } from '../../../src/wire/frames.ts';
import { query } from './database.ts';
import { minerRecord } from './records.ts';
import { call, type Rig, startRig } from './rig.ts';
import { connect, type WireAgent } from './wire-agent.ts';

const patch = (rig: Rig, id: string | undefined, ops_status: string | null) =>
  call(`${rig.url}/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/miners/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-api-key': rig.key },
    body: JSON.stringify({ ops_status }),
  });

async function fill(rig: Rig, count: number) {
  const agent = await connect(rig);
  const records = Array.from({ length: count }, (_, index) => minerRecord(index, rig.clock.nowMs()));
  for (let from = 0; from < count; from += 500) await agent.report(records.slice(from, from + 500));
  const { body } = await rig.get(rig.farm('/miner/latest?pageSize=10'));
  return { agent, keys: records.map(({ key }) => key), ids: body.data.map(({ id }: { id: string }): string => id) };
}

const told = (agent: WireAgent) => agent.frames.filter((frame): frame is OpsStatusFrame => frame.type === 'ops-status');
/** What the agent believes now. */
function beliefs(agent: WireAgent): Record<string, string> {
  const all = new Map<string, string>();
  for (const { is_first, miners } of told(agent)) {
    if (is_first) all.clear();
    for (const { miner_key, ops_status } of miners) all.set(miner_key, ops_status);
  }
  return Object.fromEntries(all);
}

test('an agent hears the whole list after its welcome, empty as it may be, and each change', async () => {
  const rig = await startRig();
  const { agent, keys, ids } = await fill(rig, 3);
  expect(agent.frames.slice(0, 3)).toMatchObject([
    { type: 'welcome' },
    { type: 'signed-notice' },
    { type: 'ops-status', is_first: true, miners: [] },
  ]);
  await patch(rig, ids[0], 'maintenance');
  await expect.poll(() => beliefs(agent)).toEqual({ [keys[0] ?? '']: 'maintenance' });
  await patch(rig, ids[1], 'transit');
  await patch(rig, ids[0], null);
  await expect.poll(() => beliefs(agent)).toEqual({ [keys[1] ?? '']: 'transit' });
  await agent.close();
  await patch(rig, ids[2], 'retired');
  const back = await connect(rig, { identity: agent.identity, epoch: agent.epoch, nextSeq: 2 });
  await expect.poll(() => beliefs(back)).toEqual({ [keys[1] ?? '']: 'transit', [keys[2] ?? '']: 'retired' });
  expect(told(back)).toHaveLength(1);
});

test('what is not about ops status, or changes nothing, is not told', async () => {
  const rig = await startRig();
  const { agent, ids } = await fill(rig, 1);
  await patch(rig, ids[0], 'maintenance');
  await expect.poll(() => told(agent).length).toBe(2);
  await patch(rig, ids[0], 'maintenance');
  const url = `${rig.url}/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/miners/${ids[0]}`;
  const headers = { 'content-type': 'application/json', 'x-api-key': rig.key };
  expect((await call(url, { method: 'PATCH', headers, body: '{"rack":"R1","position":1}' })).status).toBe(200);
  await agent.report([]);
  expect(told(agent)).toHaveLength(2);
});

test('each agent hears of its own miners only', async () => {
  const rig = await startRig();
  const { agent, ids } = await fill(rig, 1);
  const other = await connect(rig);
  await other.report([minerRecord(100, rig.clock.nowMs())]);
  await patch(rig, ids[0], 'maintenance');
  await expect.poll(() => Object.keys(beliefs(agent))).toHaveLength(1);
  await other.report([]);
  expect(beliefs(other)).toEqual({});
});

test('what is said on one copy reaches the agent on the other', { timeout: 20_000 }, async () => {
  const first = await startRig();
  const second = await startRig({ databasePath: first.databasePath });
  const { agent, keys, ids } = await fill(second, 1);
  await patch(first, ids[0], 'maintenance');
  await expect.poll(() => beliefs(agent)).toEqual({ [keys[0] ?? '']: 'maintenance' });
});

test('a long list comes in frames of a bounded size', { timeout: 60_000 }, async () => {
  const rig = await startRig();
  const { agent, keys } = await fill(rig, OPS_STATUS_PAGE + 10);
  await query(rig, "UPDATE miners SET ops_status = 'archived'");
  const back = await connect(rig, { identity: agent.identity, epoch: agent.epoch, nextSeq: 99 });
  await expect.poll(() => Object.keys(beliefs(back)).length).toBe(keys.length);
  expect(told(back).map(({ is_first, miners }) => [is_first, miners.length])).toEqual([
    [true, OPS_STATUS_PAGE],
    [false, 10],
  ]);
});
