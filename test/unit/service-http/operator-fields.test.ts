// PATCH …/miners/{id}, and positions as CSV: what is set stays through reports, places hold one miner, each change is
// recorded, nothing is half done.
import { expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { ConfigError } from '../../../src/base/errors.ts';
import { openAdmin } from '../../../src/service/admin.ts';
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
  expect(taken.status).toBe(409);
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

async function withAdmin(rig: Rig) {
  const admin = await openAdmin(rig.databasePath, { clock: systemClock });
  const { farmId } = rig;
  return {
    exported: () => admin.exportPositions(farmId),
    imported: (text: string, isDryRun = false) => admin.importPositions({ farmId, text, isDryRun }),
    close: () => admin.close(),
  };
}

test('CSV: out, edited, tried, in; miners swap places, rows left out change nothing', async () => {
  const { rig, ids } = await startFarm(3);
  const [a, b, c] = ids;
  await patch(rig, a, { rack: '=R1', position: 1 });
  await patch(rig, b, { rack: '=R1', position: 2 });
  await patch(rig, c, { rack: 'R9', position: 9 });
  const admin = await withAdmin(rig);
  const csv = await admin.exported();
  const [header, first, second, ...rest] = csv.trim().split('\n');
  expect(header).toBe('id,mac,serial_number,ip,rack,position');
  expect(first).toBe(`${a},02:00:00:00:00:00,SN-0000,10.0.0.0,'=R1,1`);
  expect(rest).toHaveLength(1);
  expect(await admin.imported(csv)).toEqual([]);

  const swapped = [header, first?.replace(/1$/, '2'), second?.replace(/2$/, '1')].join('\n');
  const wanted = [
    {
      id: a,
      before: { opsStatus: null, rack: '=R1', position: 1 },
      after: { opsStatus: null, rack: '=R1', position: 2 },
    },
    {
      id: b,
      before: { opsStatus: null, rack: '=R1', position: 2 },
      after: { opsStatus: null, rack: '=R1', position: 1 },
    },
  ];
  expect(await admin.imported(swapped, true)).toEqual(wanted);
  expect(await admin.exported()).toBe(csv);
  expect(await admin.imported(swapped)).toEqual(wanted);
  const { body } = await rig.get(rig.farm('/miner/latest'));
  expect(body.data.map(({ rack, position }: { rack: string; position: number }) => [rack, position])).toEqual([
    ['=R1', 2],
    ['=R1', 1],
    ['R9', 9],
  ]);
  const batches = await rig.get(rig.farm('/tasks/batches'));
  expect(batches.body.data[0]).toMatchObject({ task_name: 'miner.rack_location.update', task_count: 2 });
  await admin.close();
});

test('CSV: every wrong line is named and nothing is changed', async () => {
  const { rig, ids } = await startFarm(3);
  const [a, b, c] = ids;
  await patch(rig, c, { rack: 'R1', position: 1 });
  const admin = await withAdmin(rig);
  const before = await admin.exported();
  const problemsOf = async (text: string) => {
    const error = await admin.imported(text).catch((caught: unknown) => caught);
    return error instanceof ConfigError ? error.problems.map(({ path, message }) => `${path}: ${message}`) : [];
  };
  const head = 'id,mac,serial_number,ip,rack,position';
  const good = `${a},02:00:00:00:00:00,SN-0000,10.0.0.0,R5,1`;
  const wrong: readonly (readonly [string, RegExp])[] = [
    [`id,rack\n${a},R5`, /line 1: received without position/],
    [`${head},owner\n${good},me`, /line 1: received with the column 'owner'/],
    [`${head}\n${good}\nnobody,,,,R5,2`, /line 3: no miner/],
    [`${head}\n${good}\n${good}`, /line 3: .* twice/],
    [`${head}\n${good}\n${b},02:00:00:00:00:00,SN-0001,10.0.0.1,R5,2`, /line 3: mac is/],
    [`${head}\n${good}\n${b},02:00:00:00:00:01,SN-0001,10.9.9.9,,2`, /line 3: a position needs a rack/],
    [`${head}\n${good}\n${b},02:00:00:00:00:01,SN-0001,10.9.9.9,R5,1`, /line [23]: this place is also that/],
    [`${head}\n${good}\n${b},02:00:00:00:00:01,SN-0001,10.9.9.9,R1,1`, /line 3: this place is also that of the miner/],
    [`${head}\n${good}\n${b},02:00:00:00:00:01,SN-0001,10.9.9.9,R5,zwei`, /line 3: position: received 'zwei'/],
    [`${head}\n${good}\n${b},02:00:00:00:00:01`, /file: /],
  ];
  for (const [text, expected] of wrong) expect((await problemsOf(text)).join('\n')).toMatch(expected);
  expect(await admin.exported()).toBe(before);
  await admin.close();
});
