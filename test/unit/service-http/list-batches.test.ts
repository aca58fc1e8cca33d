// Lists and searches of task batches: order, pages, filters with each operator, and what is refused.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { batchSummarySchema } from '../../../src/service/routes/v1/batches.ts';
import { query } from './database.ts';
import { type Rig, startOwnedRig } from './rig.ts';

let rig: Rig;
let stop: () => Promise<void>;

/** name, status, type of actor; made one minute after the other. */
const BATCHES = [
  ['miner.system.reboot', 'pending', 'api_key'],
  ['miner.system.reboot', 'running', 'user'],
  ['miner.light.update', 'succeeded', 'api_key'],
  ['miner.pool.update', 'failed', 'system'],
  ['agent.scan.create', 'partially_succeeded', 'agent'],
  ['miner.asset.update', 'cancelled', 'user'],
] as const;
const START_MS = Date.UTC(2026, 0, 1);
const at = (n: number) => new Date(START_MS + n * 60_000).toISOString();

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  for (const [n, [name, status, type]] of BATCHES.entries()) {
    const actor = JSON.stringify({ type, id: 'a', name: 'A', avatar: '', metadata: {} });
    const id = `01900000-0000-7000-8000-00000000000${n}`;
    await query(
      rig,
      `INSERT INTO task_batches (id, workspace_id, farm_id, agent_id, name, params, actor_type, actor, metadata, status, task_count,
        succeed_count, failed_count, created_at) VALUES (?, ?, ?, 'x', ?, '{}', ?, ?, '{}', ?, 3, 1, 2, ?)`,
      ...[id, rig.workspaceId, rig.farmId, name, type, actor, status, START_MS + n * 60_000],
    );
  }
});
afterAll(() => stop());

const numbers = (data: unknown[]) => data.map((item) => Number(batchSummarySchema.parse(item).batch_id.slice(-1)));

describe('GET', () => {
  test('newest first, with pages', async () => {
    const { body } = await rig.get(rig.farm('/tasks/batches'));
    expect(numbers(body.data)).toEqual([5, 4, 3, 2, 1, 0]);
    expect(body).toMatchObject({
      success: true,
      error: null,
      pagination: { total: 6, limit: 10, offset: 0, hasNext: false, hasPrevious: false },
    });
    const { body: page } = await rig.get(rig.farm('/tasks/batches?pageSize=4&page=2'));
    expect(numbers(page.data)).toEqual([1, 0]);
    expect(page.pagination).toEqual({ total: 6, limit: 4, offset: 4, hasNext: false, hasPrevious: true });
    const { body: middle } = await rig.get(rig.farm('/tasks/batches?pageSize=2&page=2'));
    expect(middle.pagination).toEqual({ total: 6, limit: 2, offset: 2, hasNext: true, hasPrevious: true });
  });

  test.each([
    ['task_name=miner.system.reboot', [1, 0]],
    ['task_name=miner.system.reboot,agent.scan.create', [4, 1, 0]],
    ['task_name=miner.system.reboot&task_name=miner.asset.update', [5, 1, 0]],
    ['task_name[]=miner.asset.update', [5]],
    ['task_name=miner.firmware.update', []],
    ['task_name=', [5, 4, 3, 2, 1, 0]],
  ])('%s', async (parameters, expected) => {
    expect(numbers((await rig.get(rig.farm(`/tasks/batches?${parameters}`))).body.data)).toEqual(expected);
  });

  test.each(['page=0', 'pageSize=10001', 'pageSize=x', 'task_name=dance'])('refuses %s', async (parameters) => {
    expect((await rig.get(rig.farm(`/tasks/batches?${parameters}`))).status).toBe(400);
  });
});

describe('search', () => {
  test.each<[object, number[]]>([
    [{}, [5, 4, 3, 2, 1, 0]],
    [{ status: { eq: 'failed' } }, [3]],
    [{ status: { ne: 'failed' } }, [5, 4, 2, 1, 0]],
    [{ status: { in: ['pending', 'running'] } }, [1, 0]],
    [{ status: { nin: ['pending', 'running'] } }, [5, 4, 3, 2]],
    [{ status: { in: ['pending', 'running'], ne: 'running' } }, [0]],
    [{ task_name: { eq: 'miner.system.reboot' } }, [1, 0]],
    [{ task_name: { in: ['miner.system.reboot', 'miner.light.update'] }, status: { eq: 'succeeded' } }, [2]],
    [{ task_name: { nin: ['miner.system.reboot'] } }, [5, 4, 3, 2]],
    [{ actor_type: { eq: 'user' } }, [5, 1]],
    [{ actor_type: { eq: 'agent' } }, [4]],
    [{ created_at: { gte: at(4) } }, [5, 4]],
    [{ created_at: { gt: at(4) } }, [5]],
    [{ created_at: { lte: at(1) } }, [1, 0]],
    [{ created_at: { lt: at(1) } }, [0]],
    [{ created_at: { gte: at(1), lt: at(3) } }, [2, 1]],
    [{ created_at: { eq: at(2) } }, [2]],
    [{ created_at: { ne: at(2) } }, [5, 4, 3, 1, 0]],
    [{ created_at: { gte: '2026-01-01T00:04:00Z' } }, [5, 4]],
  ])('%j', async (body, expected) => {
    const answer = await rig.post(rig.farm('/tasks/search'), body);
    expect(answer.status).toBe(200);
    expect(numbers(answer.body.data)).toEqual(expected);
    expect(answer.body.pagination).toMatchObject({ total: expected.length, limit: 10, offset: 0 });
  });

  test('pages', async () => {
    const { body } = await rig.post(rig.farm('/tasks/search'), { page: 2, limit: 4 });
    expect(numbers(body.data)).toEqual([1, 0]);
    expect(body.pagination).toEqual({ total: 6, limit: 4, offset: 4, hasNext: false, hasPrevious: true });
    const far = await rig.post(rig.farm('/tasks/search'), { page: Number.MAX_SAFE_INTEGER, limit: 10_000 });
    expect([far.status, far.body.data]).toEqual([200, []]);
  });

  test.each<[object, string]>([
    [{ status: {} }, 'status: received {}'],
    [{ status: 'failed' }, 'status'],
    [{ status: { eq: 'asleep' } }, 'status.eq'],
    [{ status: { in: [] } }, 'status.in'],
    [{ status: { in: 'failed' } }, 'status.in'],
    [{ status: { like: 'f%' } }, '"like"'],
    [{ status: { eq: null } }, 'status.eq'],
    [{ task_name: { eq: 'dance' } }, 'task_name.eq'],
    [{ actor_type: {} }, 'actor_type'],
    [{ actor_type: { in: ['user'] } }, 'actor_type'],
    [{ actor_type: { eq: 'robot' } }, 'actor_type.eq'],
    [{ created_at: {} }, 'created_at: received {}'],
    [{ created_at: { gte: 'yesterday' } }, 'created_at.gte: received "yesterday"'],
    [{ created_at: { gte: 1_700_000_000 } }, 'created_at.gte'],
    [{ created_at: { gte: '2026-01-01T00:00:00+02:00' } }, 'created_at.gte'],
    [{ created_at: { in: [at(1)] } }, '"in"'],
    [{ page: 0 }, 'page: received 0'],
    [{ page: '1' }, 'page: received "1"'],
    [{ page: 1.5 }, 'page'],
    [{ page: 2 ** 53 }, 'page'],
    [{ limit: 0 }, 'limit'],
    [{ limit: 10_001 }, 'limit'],
    [{ pageSize: 5 }, '"pageSize"'],
  ])('refuses %j', async (body, words) => {
    const answer = await rig.post(rig.farm('/tasks/search'), body);
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body).toSorted()).toEqual(['error', 'message', 'statusCode']);
    expect(answer.body.message).toContain(words);
  });
});
