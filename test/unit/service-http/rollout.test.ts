// Batches with a rollout: the rule goes with every task, and a batch that was stopped says so.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { driverAbilityOf, EXECUTION_TASK_NAMES } from '../../../src/model/task.ts';
import { answerOf } from '../../../src/wire/api/envelope.ts';
import { batchDetailSchema, createdAnswerSchema } from '../../../src/wire/api/tasks.ts';
import { query } from './database.ts';
import { hostRecord, minerRecord } from './records.ts';
import { type Rig, startRig } from './rig.ts';
import { connect, type WireAgent } from './wire-agent.ts';

async function withMiners(count: number) {
  const rig = await startRig();
  const agent = await connect(rig);
  const nowMs = rig.clock.nowMs();
  const keys = Array.from({ length: count }, () => randomUUID());
  const miners = keys.map((key, index) =>
    minerRecord(index + 1, nowMs, {
      key,
      abilities: EXECUTION_TASK_NAMES.filter((name) => driverAbilityOf(name) !== undefined),
    }),
  );
  await agent.report([hostRecord(nowMs), ...miners]);
  const rows = await query(rig, 'SELECT id FROM miners WHERE agent_id = ? ORDER BY ip_num', agent.identity.agentId);
  return { rig, agent, keys, ids: rows.map(({ id }) => String(id)) };
}

async function tasksOf({ frames, frame }: WireAgent, count: number) {
  const tasks = () => frames.filter((sent) => sent.type === 'task');
  await frame('task', () => tasks().length >= count);
  return tasks();
}

const path = (rig: Rig, below = '') =>
  `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/task-batches${below}`;
const reboot = (ids: readonly string[], more: object) => ({
  task_name: 'miner.system.reboot',
  miner_ids: ids,
  params: {},
  ...more,
});

async function create(rig: Rig, body: unknown, headers: Record<string, string> = {}) {
  const answer = await rig.post(path(rig), body, { 'x-api-key': rig.key, ...headers });
  expect([answer.status, answer.body.message ?? '']).toEqual([200, '']);
  return createdAnswerSchema.parse(answer.body).data;
}
const detail = async (rig: Rig, id: string) =>
  answerOf(batchDetailSchema).parse((await rig.get(path(rig, `/${id}`))).body).data;

test('the rule comes with each task, in the order in which the miners were named, and they have hours', async () => {
  const { rig, agent, keys, ids } = await withMiners(5);
  const turned = [4, 2, 0, 1, 3];
  const [batch] = await create(
    rig,
    reboot(
      turned.map((index) => ids[index] ?? ''),
      { rollout: { canary: 2, stop_after: 4, stop_after_percent: 50 } },
    ),
  );
  const orders = await tasksOf(agent, 5);
  expect(orders.map(({ miner_key }) => miner_key)).toEqual(turned.map((index) => keys[index]));
  expect(orders.map(({ name, rollout }) => ({ name, rollout }))).toEqual(
    Array.from({ length: 5 }, () => ({ name: 'miner.system.reboot', rollout: { canary: 2, stop_after: 3 } })),
  );
  const [first] = orders;
  expect(Date.parse(first?.expires_at ?? '') - Date.parse(first?.created_at ?? '')).toBe(4 * 3_600_000);
  expect((await detail(rig, batch?.id ?? '')).metadata).toEqual({ rollout: { canary: 2, stop_after: 3 } });
});

test('a batch that its agent has stopped says so, once', async () => {
  const { rig, agent, ids } = await withMiners(3);
  const [batch] = await create(rig, reboot(ids, { rollout: { canary: 1 } }));
  const [first, ...others] = await tasksOf(agent, 3);
  const at = new Date(rig.clock.nowMs()).toISOString();
  const stopped = { reason: 'canary', succeeded: 0, failed: 1 };
  const message = 'not started: the batch was stopped, 1 failed before the first 1 had succeeded';
  await agent.report([
    { kind: 'task', task_id: first?.task_id ?? '', status: 'failed', at, message: 'it did not restart', evidence: {} },
    ...others.map(
      ({ task_id }) => ({ kind: 'task', task_id, status: 'cancelled', at, message, evidence: { stopped } }) as const,
    ),
  ]);
  expect(await detail(rig, batch?.id ?? '')).toMatchObject({
    status: 'failed',
    failed_count: 1,
    cancelled_count: 2,
    metadata: { rollout: { canary: 1 }, stopped: { ...stopped, message } },
  });
  const { body } = await rig.get(`/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/events`);
  const cancels = body.data.filter((event: { detail: { status?: string } }) => event.detail.status === 'cancelled');
  const who = {
    actor: { type: 'agent', id: agent.identity.agentId, name: 'test agent' },
    ordered_by: { name: 'test' },
  };
  expect(cancels).toMatchObject([{ detail: who }, { detail: who }]);
  const v1 = await rig.get(rig.farm('/tasks/batches'));
  expect(v1.body.data[0].metadata.stopped).toEqual({ ...stopped, message });
});

test('what an agent says of a batch without a rule changes nothing of it', async () => {
  const { rig, agent, ids } = await withMiners(1);
  const [batch] = await create(rig, reboot(ids, {}));
  const [order] = await tasksOf(agent, 1);
  expect(order).not.toHaveProperty('rollout');
  const at = new Date(rig.clock.nowMs()).toISOString();
  const evidence = { stopped: { reason: 'canary', succeeded: 0, failed: 1 } };
  await agent.report([
    { kind: 'task', task_id: order?.task_id ?? '', status: 'cancelled', at, message: null, evidence },
  ]);
  expect(await detail(rig, batch?.id ?? '')).toMatchObject({ status: 'cancelled', metadata: {} });
});

test('the time that tasks have may be ordered too', async () => {
  const { rig, agent, ids } = await withMiners(1);
  await create(rig, reboot(ids, { expires_in_s: 86_400 }));
  const [order] = await tasksOf(agent, 1);
  expect(Date.parse(order?.expires_at ?? '') - Date.parse(order?.created_at ?? '')).toBe(86_400_000);
});

test.each([
  [{ rollout: {} }, 'rollout'],
  [{ rollout: { canary: 0 } }, 'canary'],
  [{ rollout: { stop_after_percent: 101 } }, 'stop_after_percent'],
  [{ rollout: { pace: 3 } }, 'pace'],
  [{ expires_in_s: 5 }, 'expires_in_s'],
])('%j is refused and named', async (more, words) => {
  const { rig, ids } = await withMiners(1);
  const { status, body } = await rig.post(path(rig), reboot(ids, more));
  expect(status).toBe(400);
  expect(body.message).toContain(words);
});

test('agents have none, and another rule under the same idempotency key is a conflict', async () => {
  const { rig, agent, ids } = await withMiners(1);
  const scan = { task_name: 'agent.scan.create', agent_ids: [agent.identity.agentId], rollout: { canary: 1 } };
  expect((await rig.post(path(rig), scan)).status).toBe(400);
  const key = { 'x-api-key': rig.key, 'idempotency-key': 'one' };
  await create(rig, reboot(ids, { rollout: { canary: 1 } }), key);
  await create(rig, reboot(ids, { rollout: { canary: 1 } }), key);
  expect((await rig.post(path(rig), reboot(ids, { rollout: { canary: 2 } }), key)).status).toBe(409);
});
