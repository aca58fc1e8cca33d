// Task batches in v2: lists, searches, one batch with its counts, its tasks. Creating and cancelling is
// v2-orders.test.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerOf, listOf } from '../../src/wire/api/envelope.ts';
import { batchDetailSchema, batchV2Schema, taskV2Schema } from '../../src/wire/api/tasks.ts';
import { query } from '../unit/service-http/database.ts';
import { minerRecord } from '../unit/service-http/records.ts';
import { type Rig, startOwnedRig } from '../unit/service-http/rig.ts';
import { connect } from '../unit/service-http/wire-agent.ts';
import { BATCHES, madeAt, START_MS, storeBatch } from './stored-batches.ts';

const ACTOR = { id: 'a', name: 'A', avatar: '', metadata: {} };
const UNKNOWN = '01900000-0000-7000-8000-0000000000ff';
/** Later than these tests run: the service ends what is over. */
const EXPIRES_MS = Date.UTC(2090, 0, 1);

/** Statuses of the tasks of batch 1; of two more the first is about an agent, the second was done by nobody's agent. */
const TASKS = ['pending', 'running', 'succeeded', 'failed', 'failed', 'timeout', 'cancelled', 'cancelled'] as const;

let rig: Rig;
let stop: () => Promise<void>;
let agentId: string;
let minerId: string;

const idOf = (n: number) => `01900000-0000-7000-8000-00000000000${n}`;
const taskIdOf = (n: number) => `01900000-0000-7000-9000-00000000000${n}`;

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  const agent = await connect(rig);
  await agent.report([minerRecord(1, rig.clock.nowMs())]);
  agentId = agent.identity.agentId;
  await agent.close();
  const [miner] = await query(rig, 'SELECT id, row_id FROM miners');
  minerId = String(miner?.id);
  const rowId = Number(miner?.row_id);
  for (const [n, [name, status, type]] of BATCHES.entries()) {
    const params = n === 3 ? { pools: [{ url: 'stratum+tcp://p:1', user: 'u', password: 'hunter2' }] } : { n };
    await storeBatch(rig, {
      id: idOf(n),
      farmId: rig.farmId,
      name,
      status,
      params,
      actor: { type, ...ACTOR },
      counts: [8, 1, 5],
      createdMs: START_MS + n * 60_000,
    });
  }
  for (const [n, status] of TASKS.entries()) {
    const [about, by] = n === 0 ? [0, agentId] : n === 1 ? [rowId, ''] : [rowId, agentId];
    await query(
      rig,
      `INSERT INTO tasks (id, batch_id, agent_id, row_id, miner_key, name, status, created_at, expires_at, updated_at, is_presumed, message,
        evidence) VALUES (?, ?, ?, ?, 'k', 'miner.system.reboot', ?, ?, ?, ?, 0, ?, ?)`,
      ...[taskIdOf(n), idOf(1), by, about, status, START_MS, EXPIRES_MS, START_MS + 1_000],
      n === 3 ? 'it failed' : null,
      n === 3 ? '{"uptimeBefore":100}' : '{}',
    );
  }
});
afterAll(() => stop());

const farm = (path: string, farmId = rig.farmId) =>
  `/public-api/v2/workspaces/${rig.workspaceId}/farms/${farmId}/task-batches${path}`;
const numbers = (body: unknown) =>
  listOf(batchV2Schema)
    .parse(body)
    .data.map(({ id }) => Number(id.slice(-1)));

test('a batch of the list has its id and its unsuccessful tasks, and shows no password', async () => {
  const { status, body } = await rig.get(farm(''));
  expect(status).toBe(200);
  const { data, pagination } = listOf(batchV2Schema).parse(body);
  expect(data.map(({ id }) => id)).toEqual([5, 4, 3, 2, 1, 0].map(idOf));
  expect(pagination).toEqual({ total: 6, page: 1, page_size: 20, total_pages: 1 });
  expect(data[2]).toEqual({
    id: idOf(3),
    task_name: 'miner.pool.update',
    status: 'failed',
    task_count: 8,
    succeed_count: 1,
    unsuccessful_count: 5,
    task_params: { pools: [{ url: 'stratum+tcp://p:1', user: 'u', password: '***' }] },
    created_by: { type: 'system', ...ACTOR },
    created_at: madeAt(3),
    metadata: { a: 1 },
  });
  const v1 = await rig.get(rig.farm('/tasks/batches'));
  expect(JSON.stringify(v1.body)).not.toContain('hunter2');
  expect(v1.body.data[2].task_params.pools[0].password).toBe('***');
});

describe('the list', () => {
  test.each<[string, number[]]>([
    ['task_name=miner.system.reboot', [1, 0]],
    ['task_name=miner.system.reboot,agent.scan.create', [4, 1, 0]],
    ['task_name[]=miner.asset.update&task_name[]=miner.light.update', [5, 2]],
    ['task_name=', [5, 4, 3, 2, 1, 0]],
    ['page=2&page_size=4', [1, 0]],
    ['page=&page_size=', [5, 4, 3, 2, 1, 0]],
  ])('%s', async (parameters, expected) => {
    expect(numbers((await rig.get(farm(`?${parameters}`))).body)).toEqual(expected);
  });

  test.each(['page=0', 'page_size=10001', 'page_size=x', 'task_name=dance'])('refuses %s', async (parameters) => {
    const { status, body } = await rig.get(farm(`?${parameters}`));
    expect([status, body.message]).toEqual([400, expect.stringContaining(parameters.split('=')[0] ?? '')]);
  });

  test('is of its farm only', async () => {
    const { id } = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Second' });
    expect((await rig.get(farm('', id))).body).toMatchObject({ data: [], pagination: { total: 0, total_pages: 0 } });
  });
});

describe('the search', () => {
  test.each<[object, number[]]>([
    [{}, [5, 4, 3, 2, 1, 0]],
    [{ status: { eq: 'failed' } }, [3]],
    [{ status: { nin: ['pending', 'running'] } }, [5, 4, 3, 2]],
    [{ task_name: { in: ['miner.system.reboot', 'miner.light.update'] }, status: { ne: 'running' } }, [2, 0]],
    [{ actor_type: { eq: 'user' } }, [5, 1]],
    [{ created_at: { gte: madeAt(4) } }, [5, 4]],
    [{ created_at: { gt: madeAt(1), lt: madeAt(3) } }, [2]],
    [{ created_at: { lte: madeAt(0) } }, [0]],
    [{ page: 3, page_size: 2 }, [1, 0]],
  ])('%j', async (body, expected) => {
    const answer = await rig.post(farm('/search'), body);
    expect(answer.status).toBe(200);
    expect(numbers(answer.body)).toEqual(expected);
  });

  test.each<[object, string]>([
    [{ status: {} }, 'status'],
    [{ status: { eq: 'late' } }, 'status.eq'],
    [{ status: { gt: 'failed' } }, '"gt"'],
    [{ task_name: { eq: 'dance' } }, 'task_name.eq'],
    [{ actor_type: { ne: 'user' } }, '"ne"'],
    [{ created_at: { gte: 'x' } }, 'created_at.gte'],
    [{ created_at: {} }, 'created_at'],
    [{ limit: 10 }, '"limit"'],
    [{ page_size: 0 }, 'page_size'],
    [{ page: 1.5 }, 'page'],
  ])('refuses %j', async (body, words) => {
    const answer = await rig.post(farm('/search'), body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(words);
  });
});

describe('one batch', () => {
  test('counts execution failures by themselves', async () => {
    const { status, body } = await rig.get(farm(`/${idOf(1)}`));
    expect(status).toBe(200);
    expect(answerOf(batchDetailSchema).parse(body).data).toMatchObject({
      id: idOf(1),
      status: 'running',
      unsuccessful_count: 5,
      pending_count: 1,
      running_count: 1,
      succeed_count: 1,
      failed_count: 2,
      timeout_count: 1,
      cancelled_count: 2,
      task_params: { n: 1 },
      metadata: { a: 1 },
    });
  });

  test('its tasks, newest first, in pages', async () => {
    const { status, body } = await rig.get(farm(`/${idOf(1)}/tasks`));
    expect(status).toBe(200);
    const { data, pagination } = listOf(taskV2Schema).parse(body);
    expect(data.map(({ id }) => id)).toEqual([7, 6, 5, 4, 3, 2, 1, 0].map(taskIdOf));
    expect(data.map((task) => task.status)).toEqual([...TASKS].toReversed());
    expect(pagination).toEqual({ total: 8, page: 1, page_size: 20, total_pages: 1 });
    expect(data[4]).toEqual({
      id: taskIdOf(3),
      task_batch_id: idOf(1),
      task_name: 'miner.system.reboot',
      status: 'failed',
      miner_id: minerId,
      agent_id: agentId,
      message: 'it failed',
      evidence: { uptimeBefore: 100 },
      created_at: madeAt(0),
      updated_at: new Date(START_MS + 1_000).toISOString(),
      expires_at: new Date(EXPIRES_MS).toISOString(),
    });
    expect(data[7]).toMatchObject({ miner_id: null, agent_id: agentId });
    expect(data[6]).toMatchObject({ miner_id: minerId, agent_id: null });
    const page = await rig.get(farm(`/${idOf(1)}/tasks?page=2&page_size=3`));
    expect(page.body.data.map(({ id }: { id: string }) => id)).toEqual([4, 3, 2].map(taskIdOf));
    expect(page.body.pagination).toEqual({ total: 8, page: 2, page_size: 3, total_pages: 3 });
    expect((await rig.get(farm(`/${idOf(1)}/tasks?page=0`))).status).toBe(400);
  });

  test.each(['', '/tasks'])('that the farm does not have is not found%s', async (below) => {
    const { id } = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Other' });
    const notFound = { statusCode: 404, message: 'Resource not found', error: 'Not Found' };
    for (const batchId of [UNKNOWN, 'x', '%27', '%00', rig.farmId])
      expect((await rig.get(farm(`/${batchId}${below}`))).body).toEqual(notFound);
    expect((await rig.get(farm(`/${idOf(1)}${below}`, id))).body).toEqual(notFound);
  });
});
