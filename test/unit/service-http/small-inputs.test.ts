// What differs in how it is written and not in what it means is the same: ids in either case, blank filters. What has
// no meaning is refused.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostRecord, minerRecord } from './records.ts';
import { call, type Rig, startOwnedRig } from './rig.ts';
import { connect, type WireAgent } from './wire-agent.ts';

let rig: Rig;
let stop: () => Promise<void>;
let agent: WireAgent;
let minerId: string;
beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  agent = await connect(rig);
  const nowMs = rig.clock.nowMs();
  await agent.report([hostRecord(nowMs), minerRecord(1, nowMs), minerRecord(2, nowMs)]);
  const { body } = await rig.get(rig.farm('/miner/latest'));
  minerId = body.data[0].id;
});
afterAll(() => stop());

const v2 = (path: string, workspaceId = rig.workspaceId, farmId = rig.farmId) =>
  `/public-api/v2/workspaces/${workspaceId}/farms/${farmId}${path}`;
const upper = (id: string) => id.toUpperCase();
const idsOf = ({ status, body }: { status: number; body: { data: { id: string }[] } }) => {
  expect([status, body]).toEqual([200, expect.anything()]);
  return body.data.map(({ id }) => id);
};

test('workspaces and farms are found by ids in capitals, and served with theirs', async () => {
  const v1 = `/private-api/v1/${upper(rig.workspaceId)}/farms/${upper(rig.farmId)}/miner/latest?pageSize=1`;
  expect((await rig.get(v1)).body.data).toMatchObject([
    { id: minerId, farm_id: rig.farmId, workspace_id: rig.workspaceId },
  ]);
  expect(idsOf(await rig.get(v2('/miners?page_size=1', upper(rig.workspaceId), upper(rig.farmId))))).toEqual([minerId]);
  const search = { farm_id: { in: [upper(rig.farmId)] } };
  expect(idsOf(await rig.post(`/private-api/v1/${rig.workspaceId}/agents/search`, search))).toHaveLength(1);
  expect((await rig.post(`/private-api/v1/NOBODY/agents/search`, search)).status).toBe(403);
});

test('miners, agents and batches too', async () => {
  const { agentId } = agent.identity;
  expect(idsOf(await rig.get(v2(`/miners?agent_id=${upper(agentId)}`)))).toHaveLength(2);
  expect(idsOf(await rig.post(v2('/miners/search'), { agent_id: { eq: upper(agentId) } }))).toHaveLength(2);
  const order = { task_name: 'miner.system.reboot', miner_ids: [upper(minerId), minerId] };
  const made = await rig.post(rig.farm('/tasks/batches'), order);
  expect(made.body).toMatchObject({ data: [{ task_count: 1 }], meta: { skipped: [] } });
  const batch = v2(`/task-batches/${upper(made.body.data[0].batch_id)}`);
  expect((await rig.get(batch)).body.data).toMatchObject({ id: made.body.data[0].batch_id });
  expect(idsOf(await rig.get(`${batch}/tasks`))).toHaveLength(1);
  const again = await rig.post(v2('/task-batches'), { ...order, miner_ids: [upper(minerId)] });
  expect(again.body.meta.skipped).toMatchObject([{ reason: 'no_change', miner_ids: [minerId] }]);
  const patched = await call(rig.url + v2(`/miners/${upper(minerId)}`), {
    method: 'PATCH',
    headers: { 'x-api-key': rig.key, 'content-type': 'application/json' },
    body: JSON.stringify({ rack: 'R1' }),
  });
  expect([patched.status, patched.body.data]).toEqual([200, expect.objectContaining({ id: minerId, rack: 'R1' })]);
  const csv = await call(rig.url + v2('/miner-positions'), {
    method: 'POST',
    headers: { 'x-api-key': rig.key, 'content-type': 'text/csv' },
    body: `id,rack,position\n${upper(minerId)},R2,1\n`,
  });
  expect([csv.status, csv.body.data]).toEqual([200, [expect.objectContaining({ id: minerId })]]);
});

test('a blank filter is one that was not given, whichever it is', async () => {
  const all = await rig.get(rig.farm('/miner/latest'));
  const blank = await rig.get(rig.farm('/miner/latest?status=&mac=&has_anomaly=&ip_ranges=&hashrate_realization_min='));
  expect([blank.status, blank.body.pagination]).toEqual([200, all.body.pagination]);
});

test('a character that no text has is refused where parts of texts are looked for', async () => {
  for (const value of ['\0', 'a\0b']) {
    const { status, body } = await rig.post(v2('/miners/search'), { search: { field: 'model', value } });
    expect([status, body.message]).toEqual([400, expect.stringContaining('accepted: printable text')]);
  }
});
