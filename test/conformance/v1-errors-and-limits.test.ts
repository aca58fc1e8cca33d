// What holds for every answer of v1: the envelope, pages, errors, limits, order, and what the versions promise.
import { afterAll, beforeAll, expect } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/service/http/server.ts';
import { minerRecord } from '../unit/service-http/records.ts';
import { type Answer, call, type Rig, startOwnedRig, startRig } from '../unit/service-http/rig.ts';
import { connect } from '../unit/service-http/wire-agent.ts';
import { rows } from './rows.ts';

const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const ERROR_FIELDS = ['error', 'message', 'statusCode'];
const DAY_MS = 86_400_000;

let rig: Rig;
let stop: () => Promise<void>;
let agents: string;

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  agents = `/private-api/v1/${rig.workspaceId}/agents/search`;
  const agent = await connect(rig);
  const nowMs = rig.clock.nowMs();
  const errors = [{ code: 'FAN_LOST', message: null }];
  await agent.report([
    minerRecord(20, nowMs),
    minerRecord(3, nowMs, { document: { errors } }),
    minerRecord(300, nowMs),
  ]);
});
afterAll(() => stop());

const page = async (parameters: string) => (await rig.get(rig.farm(`/miner/latest?${parameters}`))).body.pagination;
/** Every list: GET lists by parameters, searches by bodies. */
const lists = (): Promise<Answer[]> =>
  Promise.all([
    rig.get(rig.farm('/miner/latest')),
    rig.get(rig.farm('/tasks/batches')),
    rig.post(rig.farm('/tasks/search'), {}),
    rig.post(agents, {}),
  ]);

/** One of each kind of refusal. */
const refusals = (): Promise<Answer[]> =>
  Promise.all([
    rig.get(rig.farm('/miner/latest?page=0')),
    rig.post(rig.farm('/tasks/search'), { page: 0 }),
    rig.get(rig.farm('/miner/latest'), {}),
    rig.get(rig.farm('/miner/latest'), { 'x-api-key': 'x' }),
    rig.get(`/private-api/v1/${UNKNOWN}/farms/${UNKNOWN}/miner/latest`),
    rig.get('/private-api/v1/nothing/here'),
    call(rig.url + rig.farm('/tasks/search'), {
      method: 'POST',
      headers: { 'x-api-key': rig.key, 'content-type': 'text/plain' },
      body: 'x',
    }),
    rig.post(rig.farm('/tasks/search'), { text: 'a'.repeat(1024 * 1024) }),
  ]);

rows('Interface Specification', {
  'Wire format: JSON over HTTPS': async () => {
    for (const { headers } of [...(await lists()), ...(await refusals())])
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  },
  'All v1 paths below start with `/private-api/v1`': async () => {
    const { status } = await rig.get(rig.farm('/miner/latest').replace('/private-api/v1', ''));
    expect(status).toBe(404);
  },
});

rows('What the service does', {
  'Read operations: list the latest status': async () => {
    for (const { status } of [...(await lists()), await rig.get('/private-api/v1/me/grants')]) expect(status).toBe(200);
  },
  'only the reboot task can be created': async () => {
    const { status } = await rig.post(rig.farm('/tasks/batches'), { task_name: 'miner.pool.update', miner_ids: ['a'] });
    expect(status).toBe(400);
  },
  'Every response uses one envelope': async () => {
    for (const { body } of [...(await lists()), await rig.get('/private-api/v1/me/grants')]) {
      expect(body).toMatchObject({ success: true, error: null });
      expect(Array.isArray(body.data)).toBe(true);
    }
  },
  'list responses also carry `pagination`': async () => {
    for (const { body } of await lists())
      expect(Object.keys(body.pagination).toSorted()).toEqual(['hasNext', 'hasPrevious', 'limit', 'offset', 'total']);
  },
  'Error responses use a different body shape': async () => {
    for (const { body } of await refusals()) expect(body.success).toBeUndefined();
  },
});

rows('Pagination object', {
  total: async () => {
    for (const parameters of ['', 'pageSize=1', 'page=2', 'page=1000']) expect((await page(parameters)).total).toBe(3);
    expect((await page('mac=ffffffffffff')).total).toBe(0);
  },
  limit: async () => {
    expect((await page('')).limit).toBe(10);
    expect((await page('pageSize=7')).limit).toBe(7);
  },
  offset: async () => {
    expect((await page('')).offset).toBe(0);
    expect((await page('page=3&pageSize=2')).offset).toBe(4);
  },
  hasNext: async () => {
    const next = async (parameters: string) => (await page(parameters)).hasNext;
    expect([await next('pageSize=1'), await next('pageSize=1&page=3'), await next('pageSize=3')]).toEqual([
      true,
      false,
      false,
    ]);
  },
  hasPrevious: async () => {
    const previous = async (parameters: string) => (await page(parameters)).hasPrevious;
    expect([await previous(''), await previous('pageSize=1&page=2'), await previous('page=9')]).toEqual([
      false,
      true,
      true,
    ]);
    expect(await previous('page=9&mac=ffffffffffff')).toBe(false);
  },
});

rows('Error body', {
  statusCode: async () => {
    for (const { status, body } of await refusals()) expect(body.statusCode).toBe(status);
  },
  message: async () => {
    for (const { body } of await refusals()) expect(body.message).toMatch(/^[A-Z].{5,}/);
  },
  error: async () => {
    expect((await refusals()).map(({ body }) => body.error)).toEqual([
      'Bad Request',
      'Bad Request',
      'Unauthorized',
      'Unauthorized',
      'Forbidden',
      'Not Found',
      'Unsupported Media Type',
      'Payload Too Large',
    ]);
  },
});

rows('Error statuses', {
  '400': async () => {
    const { status, body } = await rig.get(rig.farm('/miner/latest?page=0'));
    expect([status, body]).toEqual([
      400,
      { statusCode: 400, error: 'Bad Request', message: expect.stringMatching(/^Invalid request parameters/) },
    ]);
  },
  '401': async () => {
    const none = await rig.get(rig.farm('/miner/latest'), {});
    expect(none.body).toEqual({ statusCode: 401, message: 'Missing x-api-key header', error: 'Unauthorized' });
    const wrong = await rig.get(rig.farm('/miner/latest'), { 'x-api-key': 'x' });
    expect(wrong.body).toEqual({ statusCode: 401, message: 'Invalid or missing API key', error: 'Unauthorized' });
  },
  '403': async () => {
    const { body } = await rig.get(`/private-api/v1/${UNKNOWN}/farms/${UNKNOWN}/miner/latest`);
    expect(body).toEqual({ statusCode: 403, message: 'Access denied to workspace', error: 'Forbidden' });
  },
  '404': async () => {
    const order = { task_name: 'miner.system.reboot', miner_ids: [UNKNOWN] };
    const { body } = await rig.post(`/private-api/v1/${rig.workspaceId}/farms/${UNKNOWN}/tasks/batches`, order);
    expect(body).toEqual({ statusCode: 404, message: 'Resource not found', error: 'Not Found' });
  },
});

rows('Errors, text', {
  'Success bodies carry `success: true` and `error: null`': async () => {
    for (const { body } of await lists()) expect([body.success, body.error]).toEqual([true, null]);
  },
  'Error bodies have exactly three fields': async () => {
    for (const { status, body } of await refusals())
      expect([status, Object.keys(body).toSorted()]).toEqual([status, ERROR_FIELDS]);
  },
  'Which condition yields 404 on create task batch': async () => {
    const order = { task_name: 'miner.system.reboot', miner_ids: [UNKNOWN] };
    const create = async (farmId: string) =>
      (await rig.post(`/private-api/v1/${rig.workspaceId}/farms/${farmId}/tasks/batches`, order)).status;
    expect([await create(UNKNOWN), await create('x'), await create(rig.farmId)]).toEqual([404, 404, 200]);
  },
  'Other status codes, including server errors and rate-limit responses': async () => {
    const slow = await startRig({ limits: { ...DEFAULT_LIMITS, rates: { ...DEFAULT_LIMITS.rates, perWorkspace: 1 } } });
    await slow.get(slow.farm('/miner/latest'));
    const { status, body, headers } = await slow.get(slow.farm('/miner/latest'));
    expect([status, Object.keys(body).toSorted()]).toEqual([429, ERROR_FIELDS]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  },
  'Per-miner errors are data, not HTTP errors': async () => {
    const { status, body } = await rig.get(rig.farm('/miner/latest?ip_ranges=10.0.0.3'));
    expect([status, body.data[0].errors]).toEqual([200, [{ code: 'FAN_LOST', message: null }]]);
  },
});

/** Whether each is taken. */
async function taken(ask: (value: number) => Promise<Answer>, values: readonly number[]): Promise<boolean[]> {
  const answers = await Promise.all(values.map(ask));
  for (const { status } of answers) expect([200, 400]).toContain(status);
  return answers.map(({ status }) => status === 200);
}
const BOUNDS = [0, 1, 10_000, 10_001];
const IN_BOUNDS = [false, true, true, false];

rows('Limits', {
  'pageSize · GET lists · 1 to 10000, default 10': async () => {
    for (const path of ['/miner/latest', '/tasks/batches']) {
      expect(await taken((n) => rig.get(rig.farm(`${path}?pageSize=${n}`)), BOUNDS)).toEqual(IN_BOUNDS);
      expect((await rig.get(rig.farm(path))).body.pagination.limit).toBe(10);
    }
  },
  'limit · search bodies · 1 to 10000': async () => {
    for (const path of [agents, rig.farm('/tasks/search')])
      expect(await taken((limit) => rig.post(path, { limit }), BOUNDS)).toEqual(IN_BOUNDS);
  },
  'page · GET lists · >= 1, default 1': async () => {
    for (const path of ['/miner/latest', '/tasks/batches']) {
      const values = [-1, 0, 1, 1_000_000];
      expect(await taken((n) => rig.get(rig.farm(`${path}?page=${n}`)), values)).toEqual([false, false, true, true]);
      expect((await rig.get(rig.farm(path))).body.pagination.offset).toBe(0);
    }
  },
  'page · search bodies · 1 to 9007199254740991': async () => {
    for (const path of [agents, rig.farm('/tasks/search')]) {
      const values = [0, 1, Number.MAX_SAFE_INTEGER, 2 ** 53];
      expect(await taken((n) => rig.post(path, { page: n, limit: 10_000 }), values)).toEqual(IN_BOUNDS);
    }
  },
  'miner_ids · create task batch · 1 to 1000 elements': async () => {
    const order = (n: number) => ({ task_name: 'miner.system.reboot', miner_ids: Array(n).fill('none') });
    expect(await taken((n) => rig.post(rig.farm('/tasks/batches'), order(n)), [0, 1, 1_000, 1_001])).toEqual(IN_BOUNDS);
  },
});

rows('Limits, text', {
  'Rate limits and request size limits': async () => {
    const { status, body } = await rig.post(rig.farm('/tasks/search'), { text: 'a'.repeat(1024 * 1024) });
    expect([status, body.message]).toEqual([413, expect.stringContaining('1 MiB')]);
  },
});

rows('General', {
  'Default values of `page` and `limit` in search bodies': async () => {
    for (const path of [agents, rig.farm('/tasks/search')]) {
      const { pagination } = (await rig.post(path, {})).body;
      expect(pagination).toMatchObject({ limit: 10, offset: 0 });
    }
  },
  'Ordering of list results': async () => {
    const { body } = await rig.get(rig.farm('/miner/latest'));
    expect(body.data.map(({ ip }: { ip: string }) => ip)).toEqual(['10.0.0.3', '10.0.0.20', '10.0.1.44']);
  },
});

const v2Farm = (path: string) => `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}${path}`;
/** Whether a window of so many days is taken, and one that is a millisecond longer. */
async function windows(granularity: string, days: number): Promise<number[]> {
  const from = Date.UTC(2026, 0, 1);
  const ask = async (ms: number) => {
    const window = { from_time: new Date(from).toISOString(), to_time: new Date(from + ms).toISOString() };
    return (await rig.post(v2Farm('/metrics/query'), { granularity, ...window })).status;
  };
  return [await ask(days * DAY_MS), await ask(days * DAY_MS + 1)];
}

rows('Versioning', {
  'its path prefix is `/private-api/v1`': async () => {
    const { body } = await rig.get('/openapi.json', {});
    const v1 = Object.keys(body.paths).filter((path) => path.startsWith('/private-api/v1/'));
    expect(v1).toHaveLength(5);
  },
  'The machine-readable description is OpenAPI 3.1.0 with interface version 1.0.0': async () => {
    const { body } = await rig.get('/openapi.json', {});
    expect([body.openapi, body.info.version]).toEqual(['3.1.0', '1.0.0']);
  },
  'Deprecated response fields (`overheat`, `low_hashrate`, `overpower`, `underpower`, `health_status`, `lifecycle_status`) remain present':
    async () => {
      const { body } = await rig.get(rig.farm('/miner/latest?pageSize=1'));
      expect(body.data[0]).toMatchObject({
        ...{ overheat: false, low_hashrate: false, overpower: false, underpower: false },
        ...{ health_status: null, lifecycle_status: 'online' },
      });
    },
  'keeps the same workspace API keys, Bearer authentication and the `success`, `data`, `error` envelope': async () => {
    for (const headers of [{ 'x-api-key': rig.key }, { authorization: `Bearer ${rig.key}` }]) {
      const { status, body } = await rig.get('/public-api/v2/workspaces', { ...headers });
      expect([status, Object.keys(body).toSorted()]).toEqual([200, ['data', 'error', 'success']]);
    }
  },
  '`10min` 1 day': async () => expect(await windows('10min', 1)).toEqual([200, 400]),
  '`hour` 7 days': async () => expect(await windows('hour', 7)).toEqual([200, 400]),
  '`day` 90 days': async () => expect(await windows('day', 90)).toEqual([200, 400]),
  '`week` 365 days': async () => expect(await windows('week', 365)).toEqual([200, 400]),
  'In v2, 401 means authentication failure, 403 permission failure, 404 a missing or inaccessible scoped resource':
    async () => {
      const nobody = await rig.service.admin.createKey({ workspaceId: rig.workspaceId, name: 'no', permissions: [] });
      expect((await rig.get(v2Farm('/miners'), {})).status).toBe(401);
      expect((await rig.get(v2Farm('/miners'), { 'x-api-key': nobody.key })).status).toBe(403);
      expect((await rig.get(`/public-api/v2/workspaces/${UNKNOWN}/farms`)).status).toBe(404);
      expect((await rig.get(v2Farm(`/task-batches/${UNKNOWN}`))).status).toBe(404);
    },
  'No v2 endpoint returns the full grants record with farm ids and expirations': async () => {
    const { body } = await rig.get('/openapi.json', {});
    expect(Object.keys(body.paths).filter((path) => path.startsWith('/public-api') && path.includes('grant'))).toEqual(
      [],
    );
  },
});
