// From the order of a client to the outcome that an agent reports: what is made, what is skipped and why, how tasks
// reach agents, how batches end.
import { randomUUID } from 'node:crypto';
import { expect, inject, test, vi } from 'vitest';
import { batchSummarySchema, createAnswerSchema } from '../../../src/service/http/v1/batches.ts';
import { MAX_PARAMS_LENGTH } from '../../../src/wire/protocol.ts';
import type { TaskRecord } from '../../../src/wire/records.ts';
import { query } from './database.ts';
import { minerRecord } from './records.ts';
import { type Rig, startRig } from './rig.ts';
import { connect, enrol, type WireAgent } from './wire-agent.ts';

const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const MINUTE_MS = 60_000;
const isPostgres = inject('postgres') !== undefined;

/** A rig with an agent and miners 1 to `count`. */
async function withMiners(count: number): Promise<{ rig: Rig; agent: WireAgent; ids: string[]; keys: string[] }> {
  const rig = await startRig();
  const agent = await connect(rig);
  const keys = Array.from({ length: count }, () => randomUUID());
  await agent.report(keys.map((key, index) => minerRecord(index + 1, rig.clock.nowMs(), { key })));
  return { rig, agent, keys, ids: await idsOf(rig) };
}

async function idsOf(rig: Rig): Promise<string[]> {
  const { body } = await rig.get(rig.farm('/miner/latest?pageSize=1000'));
  return body.data.map(({ id }: { id: string }) => id);
}

const reboot = (rig: Rig, minerIds: readonly string[], extra: object = {}, headers: Record<string, string> = {}) =>
  rig.post(
    rig.farm('/tasks/batches'),
    { task_name: 'miner.system.reboot', miner_ids: minerIds, ...extra },
    { 'x-api-key': rig.key, ...headers },
  );

async function batches(rig: Rig) {
  const { body } = await rig.get(rig.farm('/tasks/batches?pageSize=100'));
  return body.data.map((item: unknown) => batchSummarySchema.parse(item));
}

const outcome = (taskId: string, status: TaskRecord['status'], nowMs: number): TaskRecord => ({
  kind: 'task',
  task_id: taskId,
  status,
  at: new Date(nowMs).toISOString(),
  message: `it ${status}`,
  evidence: { uptimeBefore: 100, uptimeAfter: 3 },
});

test('tasks that nobody can open any more end with a reason, and hold up none that came later', async () => {
  const { rig, agent, ids } = await withMiners(500);
  await agent.report([minerRecord(501, rig.clock.nowMs()), minerRecord(502, rig.clock.nowMs())]);
  await agent.close();
  await reboot(rig, ids);
  await query(rig, "UPDATE task_batches SET params = 'sealed:1:of-another-key'");
  const all = await query(rig, 'SELECT id FROM miners');
  await reboot(
    rig,
    all.map(({ id }) => String(id)).filter((id) => !ids.includes(id)),
  );
  const back = await connect(rig, { identity: agent.identity });
  await back.frame('task');
  await eventually(async () => expect(back.frames.filter(({ type }) => type === 'task')).toHaveLength(2));
  expect(await batches(rig)).toEqual(
    expect.arrayContaining([expect.objectContaining({ status: 'failed', failed_count: 500 })]),
  );
  const rows = await query(rig, "SELECT message, count(*) AS n FROM tasks WHERE status = 'failed' GROUP BY message");
  expect(rows).toEqual([{ message: expect.stringContaining('key file'), n: 500 }]);
});

/** Waits until the service has done what it does by itself every so often. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 25 });

test('a batch is made as the interface says, reaches the connected agent at once, and ends as its tasks do', async () => {
  const { rig, agent, ids, keys } = await withMiners(2);
  const { status, body } = await reboot(rig, ids, { params: { force: true, note: 'why not' } });
  expect(status).toBe(200);
  const answer = createAnswerSchema.parse(body);
  expect(answer.meta).toEqual({ summary: { created_count: 2, skipped_count: 0 }, skipped: [] });
  expect(answer.data).toHaveLength(1);
  const [made] = answer.data;
  const actor = {
    type: 'api_key',
    id: rig.key.split('_')[1],
    name: 'test',
    avatar: expect.stringMatching(/^data:image\/svg/),
    metadata: {},
  };
  expect(made).toMatchObject({
    task_name: 'miner.system.reboot',
    task_count: 2,
    task_params: { force: true, note: 'why not' },
    created_by: actor,
  });
  const orders = [
    await agent.frame('task', ({ miner_key }) => miner_key === keys[0]),
    await agent.frame('task', ({ miner_key }) => miner_key === keys[1]),
  ];
  expect(orders[0]).toMatchObject({
    batch_id: made?.batch_id,
    name: 'miner.system.reboot',
    params: { force: true, note: 'why not' },
    created_at: made?.created_at,
    expires_at: new Date(Date.parse(made?.created_at ?? '') + 15 * MINUTE_MS).toISOString(),
  });
  expect(await batches(rig)).toEqual([
    {
      batch_id: made?.batch_id,
      task_name: 'miner.system.reboot',
      status: 'pending',
      task_count: 2,
      succeed_count: 0,
      failed_count: 0,
      task_params: { force: true, note: 'why not' },
      created_by: actor,
      created_at: made?.created_at,
      metadata: {},
    },
  ]);
  const [first, second] = orders.map(({ task_id }) => task_id);
  await agent.report([outcome(first ?? '', 'running', rig.clock.nowMs())]);
  expect(await batches(rig)).toMatchObject([{ status: 'running', succeed_count: 0 }]);
  await agent.report([outcome(first ?? '', 'succeeded', rig.clock.nowMs())]);
  expect(await batches(rig)).toMatchObject([{ status: 'running', succeed_count: 1 }]);
  await agent.report([outcome(second ?? '', 'failed', rig.clock.nowMs())]);
  expect(await batches(rig)).toMatchObject([{ status: 'partially_succeeded', succeed_count: 1, failed_count: 1 }]);
  expect(await query(rig, 'SELECT status, message, evidence FROM tasks WHERE id = ?', second ?? '')).toEqual([
    { status: 'failed', message: 'it failed', evidence: '{"uptimeBefore":100,"uptimeAfter":3}' },
  ]);
});

test('a final outcome stays, whatever is said after it', async () => {
  const { rig, agent, ids } = await withMiners(1);
  await reboot(rig, ids);
  const { task_id } = await agent.frame('task');
  await agent.report([outcome(task_id, 'succeeded', rig.clock.nowMs())]);
  await agent.report([outcome(task_id, 'running', rig.clock.nowMs()), outcome(task_id, 'failed', rig.clock.nowMs())]);
  expect(await batches(rig)).toMatchObject([{ status: 'succeeded', succeed_count: 1, failed_count: 0 }]);
});

test('an agent cannot say anything about the tasks of another', async () => {
  const { rig, agent, ids } = await withMiners(1);
  await reboot(rig, ids);
  const { task_id } = await agent.frame('task');
  const stranger = await connect(rig);
  stranger.send({ type: 'task-received', task_id });
  await stranger.report([outcome(task_id, 'succeeded', rig.clock.nowMs())]);
  expect(await batches(rig)).toMatchObject([{ status: 'pending' }]);
  expect(await query(rig, 'SELECT received_at FROM tasks')).toEqual([{ received_at: null }]);
});

test('each miner that gets no task is accounted for with its reason', async () => {
  const { rig, agent, ids } = await withMiners(5);
  const [busy = '', retired = '', archived = '', orphan = '', fine = ''] = ids;
  await agent.report([minerRecord(6, rig.clock.nowMs(), { abilities: ['miner.light.update'] })]);
  const unable = (await idsOf(rig)).find((id) => !ids.includes(id)) ?? '';
  await reboot(rig, [busy]);
  await query(rig, "UPDATE miners SET ops_status = 'retired' WHERE id = ?", retired);
  await query(rig, "UPDATE miners SET ops_status = 'archived' WHERE id = ?", archived);
  await query(rig, 'UPDATE miners SET agent_id = NULL, agent_key = NULL WHERE id = ?', orphan);
  const all = [busy, retired, archived, orphan, unable, UNKNOWN, 'not an id', fine, fine, UNKNOWN];
  const answer = createAnswerSchema.parse((await reboot(rig, all)).body);
  expect(answer.data.map(({ task_count }) => task_count)).toEqual([1]);
  expect(answer.meta.summary).toEqual({ created_count: 1, skipped_count: 7 });
  const bySkip = Object.fromEntries(answer.meta.skipped.map(({ reason, miner_ids }) => [reason, miner_ids]));
  expect(bySkip).toEqual({
    no_change: [busy],
    ops_status: [retired, archived],
    no_agent: [orphan],
    unsupported: [unable],
    not_found: [UNKNOWN, 'not an id'],
  });
  for (const { message } of answer.meta.skipped) expect(message).not.toBe('');
});

test('miners under maintenance can be rebooted', async () => {
  const { rig, ids } = await withMiners(1);
  await query(rig, "UPDATE miners SET ops_status = 'maintenance'");
  expect((await reboot(rig, ids)).body.meta.summary.created_count).toBe(1);
});

test('a miner of another farm is not found', async () => {
  const { rig } = await withMiners(1);
  const farm = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Second' });
  const other = await connect(rig, { identity: await enrol(rig, farm.id) });
  await other.report([minerRecord(50, rig.clock.nowMs())]);
  const { body } = await rig.get(`/private-api/v1/${rig.workspaceId}/farms/${farm.id}/miner/latest`);
  const answer = await reboot(rig, [body.data[0].id]);
  expect(answer.body.meta.skipped).toMatchObject([{ reason: 'not_found' }]);
});

test('miners of two agents become two batches', async () => {
  const { rig, agent } = await withMiners(2);
  const second = await connect(rig);
  await second.report([minerRecord(70, rig.clock.nowMs())]);
  const { body } = await reboot(rig, await idsOf(rig));
  expect(body.data.map(({ task_count }: { task_count: number }) => task_count).toSorted()).toEqual([1, 2]);
  const one = await agent.frame('task');
  const other = await second.frame('task');
  expect(one.batch_id).not.toBe(other.batch_id);
});

test('params that no agent would take are refused, and as much as it takes is not', async () => {
  const { rig, agent, ids } = await withMiners(1);
  const note = 'x'.repeat(MAX_PARAMS_LENGTH - '{"note":""}'.length);
  const { status, body } = await reboot(rig, ids, { params: { note: `${note}x` } });
  expect(body).toEqual({ statusCode: 400, message: expect.stringContaining('params'), error: 'Bad Request' });
  expect([status, await batches(rig)]).toEqual([400, []]);
  expect((await reboot(rig, ids, { params: { note } })).status).toBe(200);
  expect((await agent.frame('task')).params).toEqual({ note });
});

test('what fails after the batch is stored does not fail the request: its tasks are delivered later', async () => {
  const { rig, agent, ids } = await withMiners(1);
  await query(rig, isPostgres ? ONLY_UNSENT.postgres : ONLY_UNSENT.sqlite);
  const { status, body } = await reboot(rig, ids);
  expect([status, body.meta?.summary.created_count]).toEqual([200, 1]);
  await query(rig, isPostgres ? 'ALTER TABLE tasks DROP CONSTRAINT unsent' : 'DROP TRIGGER unsent');
  await agent.frame('task');
});

/** Lets nobody mark a task as sent. */
const ONLY_UNSENT = {
  postgres: 'ALTER TABLE tasks ADD CONSTRAINT unsent CHECK (sent_at IS NULL)',
  sqlite: "CREATE TRIGGER unsent BEFORE UPDATE OF sent_at ON tasks BEGIN SELECT RAISE(ABORT, 'unsent'); END",
};

test('1,000 miners in one request', async () => {
  const { rig, agent, ids } = await withMiners(400);
  const many = [...ids, ...Array.from({ length: 600 }, () => randomUUID())];
  const { body } = await reboot(rig, many);
  expect(body.meta.summary).toEqual({ created_count: 400, skipped_count: 600 });
  await eventually(async () => {
    expect(agent.frames.filter(({ type }) => type === 'task')).toHaveLength(400);
  });
});

test('the same idempotency key and body give the same answer and make nothing; another body is a conflict; a day later it is new', async () => {
  const { rig, ids } = await withMiners(2);
  const headers = { 'idempotency-key': 'order-1' };
  const first = await reboot(rig, [ids[0] ?? ''], { params: { a: 1, b: 2 } }, headers);
  const again = await reboot(rig, [ids[0] ?? ''], { params: { b: 2, a: 1 } }, headers);
  expect(again.body).toEqual(first.body);
  expect(await batches(rig)).toHaveLength(1);
  const other = await reboot(rig, [ids[1] ?? ''], {}, headers);
  expect(other.status).toBe(409);
  expect(other.body).toEqual({
    statusCode: 409,
    error: 'Conflict',
    message: expect.stringContaining('Idempotency-Key'),
  });
  const colleague = await rig.service.admin.createKey({ workspaceId: rig.workspaceId, name: 'other', role: 'admin' });
  const theirs = await reboot(rig, [ids[1] ?? ''], {}, { 'x-api-key': colleague.key, ...headers });
  expect(theirs.body.meta.summary.created_count).toBe(1);
  rig.clock.step(24 * 60 * MINUTE_MS + 1);
  await eventually(async () => expect(await batches(rig)).toMatchObject([{ status: 'failed' }, { status: 'failed' }]));
  expect((await reboot(rig, [ids[1] ?? ''], {}, headers)).body.meta.summary.created_count).toBe(1);
});

test('the same idempotency key for another farm is a conflict that says so', async () => {
  const { rig, ids } = await withMiners(1);
  const headers = { 'idempotency-key': 'order-1' };
  expect((await reboot(rig, ids, {}, headers)).status).toBe(200);
  const other = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Other' });
  const path = `/private-api/v1/${rig.workspaceId}/farms/${other.id}/tasks/batches`;
  const body = { task_name: 'miner.system.reboot', miner_ids: ids };
  const { status, body: said } = await rig.post(path, body, { 'x-api-key': rig.key, ...headers });
  expect([status, said.message]).toEqual([409, 'This Idempotency-Key was already used for another farm']);
});

test('two requests with the same idempotency key at the same time make one batch', async () => {
  const { rig, ids } = await withMiners(1);
  const headers = { 'idempotency-key': 'at once' };
  const answers = await Promise.all(Array.from({ length: 8 }, () => reboot(rig, ids, {}, headers)));
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(await batches(rig)).toHaveLength(1);
});

test('two orders for the same miner at the same time make one task', async () => {
  const { rig, ids } = await withMiners(1);
  const answers = await Promise.all(Array.from({ length: 5 }, () => reboot(rig, ids)));
  const created = answers.map(({ body }) => body.meta.summary.created_count);
  expect(created.toSorted()).toEqual([0, 0, 0, 0, 1]);
});

test('an idempotency key that is too long is refused', async () => {
  const { rig, ids } = await withMiners(1);
  expect((await reboot(rig, ids, {}, { 'idempotency-key': 'x'.repeat(256) })).status).toBe(400);
});

test('an agent that was away gets its tasks when it returns, again until it has confirmed them', async () => {
  const { rig, agent, ids } = await withMiners(2);
  await agent.close();
  await reboot(rig, ids);
  const options = { identity: agent.identity, epoch: agent.epoch, nextSeq: 2 };
  const second = await connect(rig, options);
  const first = await second.frame('task');
  const other = await second.frame('task', ({ task_id }) => task_id !== first.task_id);
  second.send({ type: 'task-received', task_id: first.task_id });
  await eventually(async () => {
    expect(await query(rig, 'SELECT id FROM tasks WHERE received_at IS NOT NULL')).toEqual([{ id: first.task_id }]);
  });
  await second.close();
  const third = await connect(rig, options);
  expect((await third.frame('task')).task_id).toBe(other.task_id);
  await third.report([]);
  expect(third.frames.filter(({ type }) => type === 'task')).toHaveLength(1);
});

test('a connected agent that does not confirm is sent its task again, not sooner than half a minute later', async () => {
  const { rig, agent, ids } = await withMiners(1);
  await reboot(rig, ids);
  await agent.frame('task');
  const count = () => agent.frames.filter(({ type }) => type === 'task').length;
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(count()).toBe(1);
  rig.clock.step(31_000);
  await eventually(async () => expect(count()).toBe(2));
});

test('a task that no agent took in 15 minutes times out and is not handed out any more', async () => {
  const { rig, agent, ids } = await withMiners(1);
  await agent.close();
  await reboot(rig, ids);
  rig.clock.step(14 * MINUTE_MS);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await batches(rig)).toMatchObject([{ status: 'pending' }]);
  rig.clock.step(2 * MINUTE_MS);
  await eventually(async () => {
    expect(await batches(rig)).toMatchObject([{ status: 'failed', succeed_count: 0, failed_count: 1 }]);
  });
  expect(await query(rig, 'SELECT status, message FROM tasks')).toMatchObject([
    { status: 'timeout', message: expect.stringContaining('agent') },
  ]);
  const back = await connect(rig, { identity: agent.identity, epoch: agent.epoch, nextSeq: 2 });
  await back.report([]);
  expect(back.frames.filter(({ type }) => type === 'task')).toEqual([]);
});

test('a task that the agent has taken gets longer, and what the agent says late replaces the presumed timeout', async () => {
  const { rig, agent, ids } = await withMiners(1);
  await reboot(rig, ids);
  const { task_id } = await agent.frame('task');
  await agent.report([outcome(task_id, 'running', rig.clock.nowMs())]);
  rig.clock.step(20 * MINUTE_MS);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await batches(rig)).toMatchObject([{ status: 'running' }]);
  rig.clock.step(30 * MINUTE_MS);
  await eventually(async () => expect(await batches(rig)).toMatchObject([{ status: 'failed', failed_count: 1 }]));
  await agent.report([outcome(task_id, 'succeeded', rig.clock.nowMs())]);
  expect(await batches(rig)).toMatchObject([{ status: 'succeeded', succeed_count: 1, failed_count: 0 }]);
});

test('after its task has ended a miner can have the next one', async () => {
  const { rig, agent, ids } = await withMiners(1);
  await reboot(rig, ids);
  const { task_id } = await agent.frame('task');
  await agent.report([outcome(task_id, 'succeeded', rig.clock.nowMs())]);
  expect((await reboot(rig, ids)).body.meta.summary).toEqual({ created_count: 1, skipped_count: 0 });
});

test('a secret in params is in no answer, nor in what is kept of one', async () => {
  const { rig, ids } = await withMiners(1);
  const params = { force: true, login: { user: 'u', password: 'in-clear' }, api_token: 'in-clear' };
  const shown = { force: true, login: { user: 'u', password: '***' }, api_token: '***' };
  const order = () => reboot(rig, ids, { params }, { 'idempotency-key': 'once' });
  const first = await order();
  expect(first.body.data).toMatchObject([{ task_params: shown }]);
  expect((await order()).body).toEqual(first.body);
  expect(await batches(rig)).toMatchObject([{ task_params: shown }]);
  const stored = await query(rig, 'SELECT response FROM idempotency_keys');
  expect(stored).toHaveLength(1);
  expect(JSON.stringify(stored)).not.toContain('in-clear');
});
