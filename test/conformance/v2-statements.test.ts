// What the document says of every endpoint of v2: one statement, one test. The rows themselves are in v2.test.ts.
import { afterAll, beforeAll, expect } from 'vitest';
import { hostRecord, minerRecord } from '../unit/service-http/records.ts';
import { type Answer, call, type Rig, startOwnedRig } from '../unit/service-http/rig.ts';
import { connect } from '../unit/service-http/wire-agent.ts';
import { each } from './cases.ts';
import { statements } from './rows.ts';

type Endpoint = {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** Below `/public-api/v2/workspaces`, with W, F and B for workspace, farm and batch. */
  readonly path: string;
  readonly body?: () => object;
};

const LISTS: readonly Endpoint[] = [
  { name: 'list farms', method: 'GET', path: '/W/farms' },
  { name: 'list agents', method: 'GET', path: '/W/farms/F/agents' },
  { name: 'list miners', method: 'GET', path: '/W/farms/F/miners' },
  { name: 'list task batches', method: 'GET', path: '/W/farms/F/task-batches' },
  { name: 'tasks of a batch', method: 'GET', path: '/W/farms/F/task-batches/B/tasks' },
];
const SEARCHES: readonly Endpoint[] = [
  { name: 'search miners', method: 'POST', path: '/W/farms/F/miners/search', body: () => ({}) },
  { name: 'search task batches', method: 'POST', path: '/W/farms/F/task-batches/search', body: () => ({}) },
];
const SINGLE: readonly Endpoint[] = [
  { name: 'classification metrics (beta)', method: 'POST', path: '/W/farms/F/miner-metrics/query' },
  {
    ...{ name: 'historical metrics (beta)', method: 'POST', path: '/W/farms/F/metrics/query' },
    body: () => ({
      from_time: new Date(rig.clock.nowMs() - 7_200_000).toISOString(),
      to_time: new Date(rig.clock.nowMs()).toISOString(),
    }),
  },
  { name: 'task batch detail', method: 'GET', path: '/W/farms/F/task-batches/B' },
];
const WORKSPACES: Endpoint = { name: 'list workspaces', method: 'GET', path: '' };
const SCOPED = [...LISTS, ...SEARCHES, ...SINGLE];
const ENDPOINTS = [WORKSPACES, ...SCOPED];

let rig: Rig;
let stop: () => Promise<void>;
let weakKey: string;
let foreignId: string;
let batchId: string;

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  const agent = await connect(rig);
  await agent.report([hostRecord(rig.clock.nowMs()), minerRecord(1, rig.clock.nowMs())]);
  const { admin } = rig.service;
  ({ key: weakKey } = await admin.createKey({ workspaceId: rig.workspaceId, name: 'weak', permissions: [] }));
  ({ id: foreignId } = await admin.createWorkspace({ name: 'Foreign', slug: 'foreign' }));
  await admin.createGrant({ grantorId: foreignId, granteeId: rig.workspaceId, permissions: ['grants.read'] });
  const [miner] = (await rig.get(rig.farm('/miner/latest'))).body.data;
  const order = { task_name: 'miner.system.reboot', miner_ids: [miner.id] };
  batchId = (await rig.post(rig.farm('/tasks/batches'), order)).body.data[0].batch_id;
});
afterAll(() => stop());

type Asked = { headers?: Record<string, string>; query?: string; farmId?: string; body?: object | undefined };

function ask({ method, path, body: ownBody }: Endpoint, asked: Asked = {}): Promise<Answer> {
  const { headers: key = { 'x-api-key': rig.key }, query = '', farmId = rig.farmId } = asked;
  const place = path.replace('/W', `/${rig.workspaceId}`).replace('/F', `/${farmId}`).replace('/B', `/${batchId}`);
  const body = asked.body ?? ownBody?.();
  return call(`${rig.url}/public-api/v2/workspaces${place}${query}`, {
    method,
    headers: body === undefined ? key : { ...key, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

const isRefused = ({ status, body }: Answer, expected: number, error: string) =>
  expect([status, body]).toEqual([expected, { statusCode: expected, error, message: expect.stringMatching(/\S/) }]);
const of = (endpoints: readonly Endpoint[], what: string, check: (endpoint: Endpoint) => Promise<void>) =>
  each(endpoints, ({ name }) => `${name}: ${what}`, check);

statements('Versioning', {
  ...of(ENDPOINTS, 'takes the same key as v1', async (endpoint) => expect((await ask(endpoint)).status).toBe(200)),
  ...of(ENDPOINTS, 'takes the key as `Authorization: Bearer`', async (endpoint) =>
    expect((await ask(endpoint, { headers: { authorization: `Bearer ${rig.key}` } })).status).toBe(200),
  ),
  ...of(ENDPOINTS, 'answers with `success`, `data` and `error`', async (endpoint) =>
    expect((await ask(endpoint)).body).toMatchObject({ success: true, data: expect.anything(), error: null }),
  ),
  ...of(ENDPOINTS, '401 is a failure of authentication', async (endpoint) =>
    isRefused(await ask(endpoint, { headers: {} }), 401, 'Unauthorized'),
  ),
  ...of(ENDPOINTS, '403 is a failure of permission', async (endpoint) =>
    isRefused(await ask(endpoint, { headers: { 'x-api-key': weakKey } }), 403, 'Forbidden'),
  ),
  ...of(SCOPED, '404 is a workspace that the key may not use', async (endpoint) =>
    isRefused(
      await ask({ ...endpoint, path: endpoint.path.replace('/W', '/00000000-0000-4000-8000-000000000000') }),
      404,
      'Not Found',
    ),
  ),
  ...of(
    SCOPED.filter(({ path }) => path.includes('/F')),
    '404 is a farm that is not there',
    async (endpoint) =>
      isRefused(await ask(endpoint, { farmId: '00000000-0000-4000-8000-000000000000' }), 404, 'Not Found'),
  ),
  ...of(LISTS, 'takes `page_size`', async (endpoint) =>
    expect((await ask(endpoint, { query: '?page_size=7' })).body.pagination.page_size).toBe(7),
  ),
  ...of(LISTS, 'takes no `pageSize`', async (endpoint) =>
    isRefused(await ask(endpoint, { query: '?pageSize=7' }), 400, 'Bad Request'),
  ),
  ...of(SEARCHES, 'takes `page_size`', async (endpoint) =>
    expect((await ask(endpoint, { body: { page_size: 7 } })).body.pagination.page_size).toBe(7),
  ),
  ...of(SEARCHES, 'takes no `limit`', async (endpoint) =>
    isRefused(await ask(endpoint, { body: { limit: 7 } }), 400, 'Bad Request'),
  ),
  ...of([...LISTS, ...SEARCHES], 'has 20 on a page where nothing else is asked for', async (endpoint) =>
    expect((await ask(endpoint)).body.pagination.page_size).toBe(20),
  ),
  ...of(LISTS, 'has at most 10000 on a page', async (endpoint) => {
    const statuses = await Promise.all(
      [10_000, 10_001].map(async (size) => (await ask(endpoint, { query: `?page_size=${size}` })).status),
    );
    expect(statuses).toEqual([200, 400]);
  }),
  ...of([...LISTS, ...SEARCHES], 'says its position as `page` and `page_size`', async (endpoint) =>
    expect(Object.keys((await ask(endpoint)).body.pagination).toSorted()).toEqual([
      ...['page', 'page_size', 'total', 'total_pages'],
    ]),
  ),
  ...each(
    ['id', 'name', 'slug', 'relations', 'permissions'],
    (field) => `list workspaces: an item has \`${field}\``,
    async (field) => expect((await ask(WORKSPACES)).body.data[0]).toHaveProperty(field),
  ),
  'list workspaces: the own one is related as `member`': async () => {
    const { data } = (await ask(WORKSPACES)).body;
    expect(data.find(({ id }: { id: string }) => id === rig.workspaceId).relations).toEqual(['member']);
  },
  'list workspaces: a granted one is related as `grantee`': async () => {
    const { data } = (await ask(WORKSPACES)).body;
    expect(data.find(({ id }: { id: string }) => id === foreignId).relations).toEqual(['grantee']);
  },
  'list workspaces: is not paginated': async () =>
    expect((await ask(WORKSPACES)).body).not.toHaveProperty('pagination'),
  'list agents: has no details of the host': async () =>
    expect((await ask({ ...WORKSPACES, path: '/W/farms/F/agents' })).body.data[0]).not.toHaveProperty('host'),
});
