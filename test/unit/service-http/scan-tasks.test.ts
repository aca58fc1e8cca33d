// A scan as a task of an agent: how far it is and what came of it is in the task, one at a time, for as long as the
// agent speaks of it, on every copy and over a restart of the service.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Scanned, TaskRecord } from '../../../src/wire/records.ts';
import { query } from './database.ts';
import { hostRecord } from './records.ts';
import { type Rig, startRig } from './rig.ts';
import { connect, type WireAgent } from './wire-agent.ts';

const MINUTE_MS = 60_000;
const ACCOUNT = {
  addresses: 1_024,
  excluded: 2,
  notReached: 0,
  counts: { identified: 12, unknown: 0, login_refused: 0, closed: 1_010, silent: 0, missing: 0 },
  isCancelled: false,
};

const path = (rig: Rig, below = '') =>
  `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/task-batches${below}`;

async function setUp() {
  const rig = await startRig();
  const agent = await connect(rig);
  await agent.report([hostRecord(rig.clock.nowMs())]);
  return { rig, agent };
}

const order = async (rig: Rig, agent: WireAgent, params: unknown = {}) =>
  (await rig.post(path(rig), { task_name: 'agent.scan.create', agent_ids: [agent.identity.agentId], params })).body;

const taskOf = async (rig: Rig, batchId: string) => (await rig.get(path(rig, `/${batchId}/tasks`))).body.data[0];

const say = (
  rig: Rig,
  task_id: string,
  status: TaskRecord['status'],
  evidence: TaskRecord['evidence'],
): TaskRecord => ({
  kind: 'task',
  task_id,
  status,
  at: new Date(rig.clock.nowMs()).toISOString(),
  message: null,
  evidence,
});
const progress = (probed: number) => ({ progress: { phase: 'first pass', probed, total: 1_022, found: 3 } });

async function begun() {
  const { rig, agent } = await setUp();
  const made = await order(rig, agent, { ranges: ['10.0.0.0/22'] });
  const frame = await agent.frame('task');
  expect(frame).toMatchObject({
    name: 'agent.scan.create',
    miner_key: agent.identity.agentId,
    params: { ranges: ['10.0.0.0/22'] },
  });
  await agent.report([say(rig, frame.task_id, 'running', progress(100))]);
  return { rig, agent, batchId: made.data[0].id, taskId: frame.task_id };
}

test('the newest progress shows while it runs, the account when it is over', async () => {
  const { rig, agent, batchId, taskId } = await begun();
  expect(await taskOf(rig, batchId)).toMatchObject({ status: 'running', evidence: progress(100), miner_id: null });
  await agent.report([say(rig, taskId, 'running', progress(500)), say(rig, taskId, 'running', progress(900))]);
  expect(await taskOf(rig, batchId)).toMatchObject({ status: 'running', evidence: progress(900) });
  await agent.report([say(rig, taskId, 'succeeded', { account: ACCOUNT }), say(rig, taskId, 'running', progress(950))]);
  expect(await taskOf(rig, batchId)).toMatchObject({ status: 'succeeded', evidence: { account: ACCOUNT } });
});

test('what it found at each address is listed, the newest word of each, for this farm alone', async () => {
  const { rig, agent, taskId } = await begun();
  const at = new Date(rig.clock.nowMs()).toISOString();
  const found = (ip: string, status: Scanned['status'], advice: string | null = null): Scanned => ({
    ...{ ip, status, driver: null, model: null, advice },
  });
  const say = (addresses: Scanned[], task_id = taskId) => ({ kind: 'scan' as const, task_id, at, addresses });
  await agent.report([say([found('10.0.0.20', 'unknown'), found('10.0.0.3', 'closed', 'see whether it is on')])]);
  await agent.report([say([found('10.0.0.20', 'identified')]), say([found('10.9.9.9', 'closed')], randomUUID())]);
  const scans = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/scans`;
  const { body } = await rig.get(`${scans}/${taskId}/addresses`);
  expect(body.data).toMatchObject([
    { ip: '10.0.0.3', status: 'closed', advice: 'see whether it is on', miner_id: null, is_new: false },
    { ip: '10.0.0.20', status: 'identified' },
  ]);
  expect(body.pagination.total).toBe(2);
  expect((await rig.get(`${scans}/${taskId}/addresses?status=closed,missing`)).body.data).toHaveLength(1);
  expect((await rig.get(`${scans}/${taskId}/addresses?status=gone`)).status).toBe(400);
  expect((await rig.get(`${scans}/${randomUUID()}/addresses`)).status).toBe(404);
});

test('while one runs there is no second; afterwards there is', async () => {
  const { rig, agent, taskId } = await begun();
  const again = await order(rig, agent);
  expect([again.data, again.meta.skipped]).toMatchObject([
    [],
    [{ reason: 'no_change', agent_ids: [agent.identity.agentId] }],
  ]);
  await agent.report([say(rig, taskId, 'succeeded', { account: ACCOUNT })]);
  expect((await order(rig, agent)).data).toHaveLength(1);
});

test('it is over for the service when nothing was heard of it for long, not before', async () => {
  const { rig, agent, batchId, taskId } = await begun();
  for (let step = 0; step < 4; step++) {
    rig.clock.step(20 * MINUTE_MS);
    await agent.report([say(rig, taskId, 'running', progress(200 + step))]);
  }
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(await taskOf(rig, batchId)).toMatchObject({ status: 'running' });
  rig.clock.step(31 * MINUTE_MS);
  await expect.poll(async () => (await taskOf(rig, batchId)).status).toBe('timeout');
  await agent.report([say(rig, taskId, 'succeeded', { account: ACCOUNT })]);
  expect(await taskOf(rig, batchId)).toMatchObject({ status: 'succeeded' });
});

test('a cancel reaches the agent also after the time in which it had to begin', async () => {
  const { rig, agent, batchId, taskId } = await begun();
  rig.clock.step(20 * MINUTE_MS);
  await agent.report([say(rig, taskId, 'running', progress(300))]);
  expect((await rig.post(path(rig, `/${batchId}/cancel`), undefined)).status).toBe(200);
  await agent.frame('cancel', ({ task_id }) => task_id === taskId);
  expect(await taskOf(rig, batchId)).toMatchObject({ status: 'running' });
  const evidence = { account: { ...ACCOUNT, isCancelled: true } };
  await agent.report([say(rig, taskId, 'cancelled', evidence)]);
  expect(await taskOf(rig, batchId)).toMatchObject({ status: 'cancelled', evidence });
});

test('it goes on through another copy when the first one is gone', async () => {
  const { rig, agent, batchId, taskId } = await begun();
  const other = await startRig({ databasePath: rig.databasePath });
  await agent.close();
  const back = await connect(other, { identity: agent.identity, epoch: agent.epoch, nextSeq: 3 });
  await back.report([say(rig, taskId, 'running', progress(700))]);
  for (const copy of [rig, other]) expect(await taskOf(copy, batchId)).toMatchObject({ evidence: progress(700) });
  expect(back.frames.filter(({ type }) => type === 'task')).toEqual([]);
  expect(await query(rig, 'SELECT status FROM tasks')).toEqual([{ status: 'running' }]);
});
