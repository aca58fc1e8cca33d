// The table of differences of v2 and the table of its endpoints, row by row; each beside v1 with the same miners and
// batches. What each endpoint takes and refuses in detail is in the other files of v2.
import { afterAll, beforeAll, expect } from 'vitest';
import { query } from '../unit/service-http/database.ts';
import { hostRecord, minerRecord } from '../unit/service-http/records.ts';
import { type Answer, call, type Rig, startOwnedRig } from '../unit/service-http/rig.ts';
import { connect } from '../unit/service-http/wire-agent.ts';
import { rows } from './rows.ts';
import { storeBatch } from './stored-batches.ts';

const BATCH = '01900000-0000-7000-8000-000000000001';
const ACTOR = { type: 'user', id: 'a', name: 'A', avatar: '', metadata: {} };
const STATUSES = ['failed', 'timeout', 'cancelled', 'succeeded'];

let rig: Rig;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  const nowMs = rig.clock.nowMs();
  const agent = await connect(rig);
  const old = { last_updated_at: '2020-01-01T00:00:00.000Z', last_check_succeed: false };
  await agent.report([
    hostRecord(nowMs),
    ...Array.from({ length: 25 }, (_, n) => minerRecord(n, nowMs, n === 0 ? { document: old } : {})),
  ]);
  await storeBatch(rig, {
    ...{ id: BATCH, farmId: rig.farmId, name: 'miner.system.reboot', status: 'partially_succeeded', params: {} },
    actor: ACTOR,
    counts: [4, 1, 3],
    createdMs: nowMs,
  });
  const [miner] = await query(rig, 'SELECT row_id FROM miners LIMIT 1');
  for (const [n, status] of STATUSES.entries())
    await query(
      rig,
      `INSERT INTO tasks (id, batch_id, agent_id, row_id, miner_key, name, status, created_at, expires_at, updated_at, is_presumed, message,
        evidence) VALUES (?, ?, ?, ?, 'k', 'miner.system.reboot', ?, ?, ?, ?, 0, NULL, '{}')`,
      ...[`01900000-0000-7000-9000-00000000000${n}`, BATCH, agent.identity.agentId, Number(miner?.row_id), status],
      ...[nowMs, nowMs, nowMs],
    );
});
afterAll(() => stop());

const V2 = '/public-api/v2/workspaces';
const farm = (path: string) => `${V2}/${rig.workspaceId}/farms/${rig.farmId}${path}`;
const miners = async (parameters = '') => (await rig.get(farm(`/miners${parameters}`))).body;
/** Of a list: its envelope, and how many. */
const expectList = ({ status, body }: Answer, count: number) => {
  expect([status, Object.keys(body).toSorted()]).toEqual([200, ['data', 'error', 'pagination', 'success']]);
  expect([body.success, body.error, body.data.length]).toEqual([true, null, count]);
  expect(Object.keys(body.pagination).toSorted()).toEqual(['page', 'page_size', 'total', 'total_pages']);
};
const expectOne = ({ status, body }: Answer) => {
  expect([status, Object.keys(body).toSorted()]).toEqual([200, ['data', 'error', 'success']]);
  expect([body.success, body.error]).toEqual([true, null]);
};

rows('v2 differences', {
  'Page size, GET': async () => {
    expect((await miners('?page_size=3')).data).toHaveLength(3);
    // That of v1 is a parameter that v2 does not know.
    expect((await rig.get(farm('/miners?pageSize=3'))).body.message).toContain('did you mean page_size?');
  },
  'Page size, search': async () => {
    const search = (body: object) => rig.post(farm('/miners/search'), body);
    expect((await search({ page_size: 3 })).body.data).toHaveLength(3);
    expect((await search({ limit: 3 })).status).toBe(400);
  },
  'Default page size': async () => {
    expect((await miners()).pagination.page_size).toBe(20);
    for (const path of ['/miners/search', '/task-batches/search'])
      expect((await rig.post(farm(path), {})).body.pagination.page_size).toBe(20);
    expect((await rig.get(rig.farm('/miner/latest'))).body.pagination.limit).toBe(10);
  },
  'Maximum page size': async () => {
    const paths = ['/agents', '/miners', '/task-batches', `/task-batches/${BATCH}/tasks`];
    for (const path of paths)
      for (const [size, status] of [
        [10_000, 200],
        [10_001, 400],
        [0, 400],
      ])
        expect([path, (await rig.get(farm(`${path}?page_size=${size}`))).status]).toEqual([path, status]);
    for (const path of ['/miners/search', '/task-batches/search']) {
      expect((await rig.post(farm(path), { page_size: 10_000 })).status).toBe(200);
      expect((await rig.post(farm(path), { page_size: 10_001 })).status).toBe(400);
    }
  },
  'Page position in response': async () => {
    expect((await miners('?page=2&page_size=10')).pagination).toEqual({
      ...{ total: 25, page: 2, page_size: 10, total_pages: 3 },
    });
    expect((await miners('?page=9&page_size=10')).pagination).toMatchObject({ page: 9, total_pages: 3 });
  },
  'Next / previous page': async () => {
    const seen: string[] = [];
    for (let page = 1, last = false; !last; page++) {
      const { data, pagination } = await miners(`?page=${page}&page_size=10`);
      seen.push(...data.map(({ id }: { id: string }) => id));
      last = !(pagination.page < pagination.total_pages);
    }
    const { body } = await rig.get(rig.farm('/miner/latest?pageSize=100'));
    expect(seen).toEqual(body.data.map(({ id }: { id: string }) => id));
  },
  'Miner temperature field': async () => {
    const [miner] = (await miners()).data;
    expect([miner.temperature, Object.keys(miner).includes('temp')]).toEqual([71.5, false]);
  },
  'Miner stale flag': async () => {
    const [first, second] = (await miners()).data;
    expect([first.status, second.status]).toEqual(['stale', 'online']);
    expect(Object.keys(first)).not.toContain('stale');
  },
  'Nested farm object': async () => {
    const [miner] = (await miners()).data;
    expect([miner.farm_id, Object.keys(miner).includes('farm')]).toEqual([rig.farmId, false]);
    const { body } = await rig.get(farm('/agents'));
    expect([body.data[0].farm_id, Object.keys(body.data[0]).includes('farm')]).toEqual([rig.farmId, false]);
  },
  'Task batch id': async () => {
    const [batch] = (await rig.get(farm('/task-batches'))).body.data;
    expect([batch.id, Object.keys(batch).includes('batch_id')]).toEqual([BATCH, false]);
  },
  'Task batch failures in list': async () => {
    const [v1] = (await rig.get(rig.farm('/tasks/batches'))).body.data;
    const [v2] = (await rig.get(farm('/task-batches'))).body.data;
    expect([v1.failed_count, v2.unsuccessful_count, Object.keys(v2).includes('failed_count')]).toEqual([3, 3, false]);
    const { body } = await rig.get(farm(`/task-batches/${BATCH}`));
    expect(body.data).toMatchObject({ failed_count: 1, unsuccessful_count: 3, timeout_count: 1, cancelled_count: 1 });
  },
});

rows('v2 endpoints', {
  'list workspaces': async () => {
    const answer = await rig.get(V2);
    expectOne(answer);
    expect(answer.body.data).toEqual([
      {
        id: rig.workspaceId,
        name: 'Default',
        slug: 'default',
        relations: ['member'],
        permissions: expect.arrayContaining(['miners.read']),
      },
    ]);
  },
  'list farms': {
    'has pages': async () => expectList(await rig.get(`${V2}/${rig.workspaceId}/farms`), 1),
    'archived ones are among them, and can be read': async () => {
      const { id } = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Old' });
      const archived = async () =>
        (await rig.get(`${V2}/${rig.workspaceId}/farms`)).body.data.map(
          ({ archived_at }: { archived_at: string | null }) => archived_at,
        );
      expect(await archived()).toEqual([null, null]);
      expect(await rig.service.admin.archiveFarm(id)).toBe(true);
      expect(await rig.service.admin.archiveFarm(id)).toBe(false);
      expect(await archived()).toEqual([null, expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/)]);
      expectList(await rig.get(`${V2}/${rig.workspaceId}/farms/${id}/miners`), 0);
      expect((await rig.get(`/private-api/v1/${rig.workspaceId}/farms/${id}/miner/latest`)).status).toBe(200);
      await expect(rig.service.admin.createEnrolmentCode({ farmId: id, ttlMs: 1_000 })).rejects.toThrow('administer');
      expect(await rig.service.admin.restoreFarm(id)).toBe(true);
      expect(await archived()).toEqual([null, null]);
    },
  },
  'list agents': async () => {
    const answer = await rig.get(farm('/agents'));
    expectList(answer, 1);
    expect(Object.keys(answer.body.data[0])).not.toContain('host');
  },
  'list miners': async () => expectList(await rig.get(farm('/miners')), 20),
  'search miners': {
    'conditions are ANDed': async () => {
      const both = { status: { eq: 'stale' }, search: { field: 'ip', value: '10.0.0.1' } };
      expectList(await rig.post(farm('/miners/search'), both), 0);
      expectList(await rig.post(farm('/miners/search'), { status: { eq: 'stale' } }), 1);
    },
    'status takes only online and stale': async () => {
      for (const status of ['online', 'stale'])
        expect((await rig.post(farm('/miners/search'), { status: { eq: status } })).status).toBe(200);
      for (const status of ['offline', 'maintenance', 'error'])
        expect((await rig.post(farm('/miners/search'), { status: { eq: status } })).status).toBe(400);
    },
    'anomaly_flags.in': async () =>
      expectList(await rig.post(farm('/miners/search'), { anomaly_flags: { in: ['fan', 'pool'] } }), 0),
    'search.field and search.value find parts of values': async () =>
      expectList(await rig.post(farm('/miners/search'), { search: { field: 'serial_number', value: 'n-0018' } }), 1),
    'gt and lt of last_updated_at are strict': async () => {
      const at = '2020-01-01T00:00:00.000Z';
      expectList(await rig.post(farm('/miners/search'), { last_updated_at: { lt: at } }), 0);
      expectList(await rig.post(farm('/miners/search'), { last_updated_at: { lte: at } }), 1);
      expect((await rig.post(farm('/miners/search'), { last_updated_at: { gt: at } })).body.pagination.total).toBe(24);
    },
  },
  'classification metrics (beta)': async () => {
    const url = rig.url + farm('/miner-metrics/query');
    const answer = await call(url, { method: 'POST', headers: { 'x-api-key': rig.key } });
    expectOne(answer);
    expect(answer.body.data).toMatchObject({
      total: 25,
      status: [
        { value: 'online', count: 24 },
        { value: 'stale', count: 1 },
      ],
    });
  },
  'historical metrics (beta)': {
    'the window is half-open, the granularity an hour when not given': async () => {
      const [from_time, to_time] = ['2026-01-05T00:00:00Z', '2026-01-05T02:00:00Z'];
      const answer = await rig.post(farm('/metrics/query'), { from_time, to_time });
      expectOne(answer);
      expect(answer.body.data.map(({ from }: { from: string }) => from)).toEqual([
        '2026-01-05T00:00:00.000Z',
        '2026-01-05T01:00:00.000Z',
      ]);
    },
    'refuses a window that ends before it begins': async () => {
      const [from_time, to_time] = ['2026-01-05T02:00:00Z', '2026-01-05T00:00:00Z'];
      expect((await rig.post(farm('/metrics/query'), { from_time, to_time })).status).toBe(400);
    },
  },
  'list task batches': async () => expectList(await rig.get(farm('/task-batches')), 1),
  'search task batches': async () => {
    expectList(await rig.post(farm('/task-batches/search'), { status: { eq: 'partially_succeeded' } }), 1);
    expectList(await rig.post(farm('/task-batches/search'), { status: { eq: 'failed' } }), 0);
  },
  'task batch detail': async () => {
    const answer = await rig.get(farm(`/task-batches/${BATCH}`));
    expectOne(answer);
    expect(answer.body.data.id).toBe(BATCH);
  },
  'tasks of a batch': async () => expectList(await rig.get(farm(`/task-batches/${BATCH}/tasks`)), 4),
});
