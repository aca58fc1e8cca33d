// PATCH …/miners/{id}: what is set stays through reports, places hold one miner, each change is
// recorded, nothing is half done.
import { expect, test, vi } from 'vitest';
import { minerRecord } from './records.ts';
import { type Answer, call, type Rig, startRig } from './rig.ts';
import { connect, type WireAgent } from './wire-agent.ts';

async function startFarm(miners: number): Promise<{ rig: Rig; ids: string[]; agent: WireAgent }> {
  const rig = await startRig();
  const agent = await connect(rig);
  await agent.report(Array.from({ length: miners }, (_, index) => minerRecord(index, rig.clock.nowMs())));
  const { body } = await rig.get(rig.farm('/miner/latest?pageSize=100'));
  return { rig, agent, ids: body.data.map(({ id }: { id: string }) => id) };
}

const patch = (rig: Rig, id: string | undefined, body: unknown, key = rig.key): Promise<Answer> =>
  call(`${rig.url}/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/miners/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify(body),
  });

test('fields are set one by one, shown in the list, kept through reports, and taken away', async () => {
  const { rig, ids, agent } = await startFarm(1);
  const [id] = ids;
  expect((await patch(rig, id, { rack: ' R1 ', position: 3 })).body).toEqual({
    success: true,
    data: { id, ops_status: null, rack: 'R1', position: 3 },
    error: null,
  });
  expect((await patch(rig, id, { ops_status: 'maintenance' })).body.data).toEqual({
    id,
    ops_status: 'maintenance',
    rack: 'R1',
    position: 3,
  });
  await agent.report([minerRecord(0, rig.clock.nowMs())]);
  const { body } = await rig.get(rig.farm('/miner/latest'));
  expect(body.data[0]).toMatchObject({
    rack: 'R1',
    position: 3,
    ops_status: 'maintenance',
    lifecycle_status: 'maintenance',
  });
  expect((await patch(rig, id, { rack: null })).body.data).toMatchObject({ rack: null, position: null });
});

test('a place holds one miner, and what cannot be is refused', async () => {
  const { rig, ids } = await startFarm(2);
  const [first, second] = ids;
  await patch(rig, first, { rack: 'R1', position: 1 });
  const taken = await patch(rig, second, { rack: 'R1', position: 1 });
  expect([taken.status, taken.body.message]).toEqual([409, 'Nothing was changed: R1-1 is held by 10.0.0.0']);
  expect(Object.keys(taken.body)).toEqual(['statusCode', 'message', 'error']);
  expect((await patch(rig, second, { rack: 'R2', position: 1 })).status).toBe(200);
  expect((await patch(rig, first, { rack: 'R1', position: 1 })).status).toBe(200);
  expect((await patch(rig, first, { rack: null })).status).toBe(200);
  for (const body of [
    {},
    { position: 1 },
    { rack: '' },
    { rack: "'R" },
    { rack: 'a\nb' },
    { rack: 'R', position: 0 },
    { rack: 'R', position: 1.5 },
    { rack: 'R', position: '1' },
    { ops_status: 'online' },
    { mac: '' },
  ])
    expect((await patch(rig, first, body)).status, JSON.stringify(body)).toBe(400);
  expect((await patch(rig, '0198c0de-0000-7000-8000-000000000000', { rack: 'R' })).status).toBe(404);
  const { key } = await rig.service.admin.createKey({
    workspaceId: rig.workspaceId,
    name: 'reader',
    permissions: ['miners.read'],
  });
  expect((await patch(rig, first, { rack: 'R' }, key)).status).toBe(403);
});

test('each kind of change is a batch of its event type, done at once and no task for any agent; no change is no batch', async () => {
  const { rig, ids, agent } = await startFarm(1);
  const [id] = ids;
  await patch(rig, id, { ops_status: 'transit', rack: 'R1', position: 1 });
  await patch(rig, id, { ops_status: 'transit', rack: 'R1', position: 1 });
  const { body } = await rig.get(rig.farm('/tasks/batches'));
  const byName = new Map(body.data.map((batch: { task_name: string }) => [batch.task_name, batch]));
  expect(body.data).toHaveLength(2);
  expect(byName.get('miner.rack_location.update')).toMatchObject({
    status: 'succeeded',
    task_count: 1,
    succeed_count: 1,
    failed_count: 0,
    task_params: { rack: 'R1', position: 1 },
    created_by: { type: 'api_key', name: 'test' },
  });
  expect(byName.get('miner.asset.update')).toMatchObject({ task_params: { ops_status: 'transit' } });
  await agent.report([minerRecord(0, rig.clock.nowMs())]);
  expect(agent.frames.filter(({ type }) => type === 'task')).toEqual([]);
});

test('a page that is kept for a second shows what was set at once, and what is reported a second later', async () => {
  // More than what is worth keeping.
  const { rig, ids, agent } = await startFarm(400);
  const large = async () => (await rig.get(rig.farm('/miner/latest?pageSize=1000'))).body.data;
  expect(await large()).toHaveLength(400);
  await patch(rig, ids[0], { rack: 'R1', position: 1 });
  expect((await large())[0]).toMatchObject({ rack: 'R1', position: 1 });
  await agent.report([minerRecord(400, rig.clock.nowMs())]);
  expect((await rig.get(rig.farm('/miner/latest?pageSize=999'))).body.data).toHaveLength(401);
  await vi.waitFor(async () => expect(await large()).toHaveLength(401), { timeout: 20_000, interval: 50 });
});
