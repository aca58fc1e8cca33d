// What the document says of every endpoint of v1, of each field of a batch and of each bound: one statement, one test.
// The rows themselves are in the other files of v1.
import { afterAll, beforeAll, expect } from 'vitest';
import { EXECUTION_TASK_NAMES, TASK_NAMES } from '../../src/model/task.ts';
import { hostRecord, minerRecord } from '../unit/service-http/records.ts';
import { type Answer, call, type Rig, startOwnedRig } from '../unit/service-http/rig.ts';
import { connect } from '../unit/service-http/wire-agent.ts';
import { each } from './cases.ts';
import { statements } from './rows.ts';

type Endpoint = {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** Below `/private-api/v1`, with W for the workspace and F for the farm. */
  readonly path: string;
  readonly body?: object;
  /** A parameter or a body that does not fit. */
  readonly bad?: { readonly query?: string; readonly body?: object };
  readonly isList?: true;
};

const LIST_MINERS = {
  ...{ name: 'List miners', method: 'GET', path: '/W/farms/F/miner/latest', isList: true },
  bad: { query: '?page=0' },
} as const satisfies Endpoint;
const CREATE = {
  ...{ name: 'Create task batch', method: 'POST', path: '/W/farms/F/tasks/batches' },
  body: { task_name: 'miner.system.reboot', miner_ids: ['01900000-0000-7000-8000-000000000000'] },
  bad: { body: { task_name: 'miner.system.reboot' } },
} as const satisfies Endpoint;
const LIST_BATCHES = {
  ...{ name: 'List task batches', method: 'GET', path: '/W/farms/F/tasks/batches', isList: true },
  bad: { query: '?page=0' },
} as const satisfies Endpoint;
const SEARCH_BATCHES = {
  ...{ name: 'Search task batches', method: 'POST', path: '/W/farms/F/tasks/search', body: {}, isList: true },
  bad: { body: { page: 0 } },
} as const satisfies Endpoint;
const SEARCH_AGENTS = {
  ...{ name: 'Search agents', method: 'POST', path: '/W/agents/search', body: {}, isList: true },
  bad: { body: { page: 0 } },
} as const satisfies Endpoint;
const GRANTS = { name: 'List my grants', method: 'GET', path: '/me/grants' } as const satisfies Endpoint;
const ENDPOINTS: readonly Endpoint[] = [LIST_MINERS, CREATE, LIST_BATCHES, SEARCH_BATCHES, SEARCH_AGENTS, GRANTS];
const LISTS = ENDPOINTS.filter(({ isList }) => isList);
const WITH_WORKSPACE = ENDPOINTS.filter(({ path }) => path.startsWith('/W'));
const FAILING = ENDPOINTS.filter(({ bad }) => bad !== undefined);

let rig: Rig;
let stop: () => Promise<void>;
let weakKey: string;
let foreignId: string;
/** Of `create` with a miner that is there, and one that is not. */
let made: Answer['body'];

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  const agent = await connect(rig);
  await agent.report([hostRecord(rig.clock.nowMs()), minerRecord(1, rig.clock.nowMs())]);
  const { admin } = rig.service;
  ({ key: weakKey } = await admin.createKey({ workspaceId: rig.workspaceId, name: 'weak', permissions: [] }));
  ({ id: foreignId } = await admin.createWorkspace({ name: 'Foreign', slug: 'foreign' }));
  const [miner] = (await rig.get(rig.farm('/miner/latest'))).body.data;
  const order = { ...CREATE.body, miner_ids: [miner.id, ...CREATE.body.miner_ids] };
  ({ body: made } = await rig.post(rig.farm('/tasks/batches'), order));
});
afterAll(() => stop());

type Asked = { readonly headers?: Record<string, string>; readonly workspaceId?: string; readonly isBad?: boolean };

function ask(endpoint: Endpoint, { headers, workspaceId = rig.workspaceId, isBad = false }: Asked = {}) {
  const path = endpoint.path.replace('/W', `/${workspaceId}`).replace('/F', `/${rig.farmId}`);
  const { query = '', body = endpoint.body } = isBad ? (endpoint.bad ?? {}) : {};
  const key = headers ?? { 'x-api-key': rig.key };
  return call(`${rig.url}/private-api/v1${path}${query}`, {
    method: endpoint.method,
    headers: body === undefined ? key : { ...key, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

const isRefused = ({ status, body }: Answer, expected: number, error: string, message?: string) => {
  expect([status, body]).toEqual([
    expected,
    { statusCode: expected, error, message: message ?? expect.stringMatching(/\S/) },
  ]);
};
const ofEndpoints = (
  endpoints: readonly Endpoint[],
  what: string,
  check: (endpoint: Endpoint) => void | Promise<void>,
) => each(endpoints, ({ name }) => `${name} ${what}`, check);

statements('Endpoints', {
  ...ofEndpoints(ENDPOINTS, 'answers 401 without a key', async (endpoint) =>
    isRefused(await ask(endpoint, { headers: {} }), 401, 'Unauthorized', 'Missing x-api-key header'),
  ),
  ...ofEndpoints(ENDPOINTS, 'answers 401 to a key that is invalid', async (endpoint) =>
    isRefused(
      await ask(endpoint, { headers: { 'x-api-key': `${rig.key}x` } }),
      ...([401, 'Unauthorized', 'Invalid or missing API key'] as const),
    ),
  ),
  ...ofEndpoints(ENDPOINTS, 'answers 403 to a key without the permission', async (endpoint) =>
    isRefused(await ask(endpoint, { headers: { 'x-api-key': weakKey } }), 403, 'Forbidden'),
  ),
  ...ofEndpoints(WITH_WORKSPACE, 'answers 403 for a workspace that the key may not use', async (endpoint) =>
    isRefused(await ask(endpoint, { workspaceId: foreignId }), 403, 'Forbidden', 'Access denied to workspace'),
  ),
  ...ofEndpoints(FAILING, 'answers 400 to what does not fit', async (endpoint) =>
    isRefused(await ask(endpoint, { isBad: true }), 400, 'Bad Request'),
  ),
});

statements('Authentication', {
  ...ofEndpoints(ENDPOINTS, 'takes the key as `x-api-key`', async (endpoint) =>
    expect((await ask(endpoint, { headers: { 'x-api-key': rig.key } })).status).toBe(200),
  ),
  ...ofEndpoints(ENDPOINTS, 'takes the key as `Authorization: Bearer`', async (endpoint) =>
    expect((await ask(endpoint, { headers: { authorization: `Bearer ${rig.key}` } })).status).toBe(200),
  ),
});

statements('What the service does', {
  ...ofEndpoints(ENDPOINTS, 'answers with `success` true, `error` null and `data`', async (endpoint) =>
    expect((await ask(endpoint)).body).toMatchObject({ success: true, error: null, data: expect.any(Array) }),
  ),
  ...ofEndpoints(ENDPOINTS, 'answers in JSON', async (endpoint) =>
    expect((await ask(endpoint)).headers.get('content-type')).toMatch(/^application\/json/),
  ),
});

const PAGINATION = { total: 'number', limit: 'number', offset: 'number', hasNext: 'boolean', hasPrevious: 'boolean' };

statements('Pagination object (on every list response)', {
  ...Object.assign(
    {},
    ...Object.entries(PAGINATION).map(([field, type]) =>
      ofEndpoints(LISTS, `has \`pagination.${field}\`, a ${type}`, async (endpoint) =>
        expect(typeof (await ask(endpoint)).body.pagination[field]).toBe(type),
      ),
    ),
  ),
});

const statusOf = async (endpoint: Endpoint, query: string) =>
  (
    await rig.get(
      `/private-api/v1${endpoint.path.replace('/W', `/${rig.workspaceId}`).replace('/F', `/${rig.farmId}`)}${query}`,
    )
  ).status;
const searched = async (endpoint: Endpoint, body: object) => (await ask({ ...endpoint, body })).status;
const GETS: readonly Endpoint[] = [LIST_MINERS, LIST_BATCHES];
const SEARCHES: readonly Endpoint[] = [SEARCH_BATCHES, SEARCH_AGENTS];

statements('Limits', {
  ...ofEndpoints(GETS, 'has pages from 1 on', async (endpoint) =>
    expect([await statusOf(endpoint, '?page=1'), await statusOf(endpoint, '?page=0')]).toEqual([200, 400]),
  ),
  ...ofEndpoints(GETS, 'has a `pageSize` from 1 on', async (endpoint) =>
    expect([await statusOf(endpoint, '?pageSize=1'), await statusOf(endpoint, '?pageSize=0')]).toEqual([200, 400]),
  ),
  ...ofEndpoints(GETS, 'has a `pageSize` up to 10000', async (endpoint) =>
    expect([await statusOf(endpoint, '?pageSize=10000'), await statusOf(endpoint, '?pageSize=10001')]).toEqual([
      200, 400,
    ]),
  ),
  ...ofEndpoints(GETS, 'has a `pageSize` of 10 where none is given', async (endpoint) =>
    expect((await ask(endpoint)).body.pagination.limit).toBe(10),
  ),
  ...ofEndpoints(SEARCHES, 'has pages from 1 on', async (endpoint) =>
    expect([await searched(endpoint, { page: 1 }), await searched(endpoint, { page: 0 })]).toEqual([200, 400]),
  ),
  ...ofEndpoints(SEARCHES, 'has pages up to 9007199254740991', async (endpoint) =>
    expect([
      await searched(endpoint, { page: Number.MAX_SAFE_INTEGER }),
      await searched(endpoint, { page: Number.MAX_SAFE_INTEGER + 1 }),
    ]).toEqual([200, 400]),
  ),
  ...ofEndpoints(SEARCHES, 'has a `limit` from 1 on', async (endpoint) =>
    expect([await searched(endpoint, { limit: 1 }), await searched(endpoint, { limit: 0 })]).toEqual([200, 400]),
  ),
  ...ofEndpoints(SEARCHES, 'has a `limit` up to 10000', async (endpoint) =>
    expect([await searched(endpoint, { limit: 10_000 }), await searched(endpoint, { limit: 10_001 })]).toEqual([
      200, 400,
    ]),
  ),
});

const FILTERS = [
  [SEARCH_BATCHES, 'status', 'pending'],
  [SEARCH_BATCHES, 'task_name', 'miner.system.reboot'],
  [SEARCH_AGENTS, 'farm_id', undefined],
  [SEARCH_AGENTS, 'status', 'online'],
] as const;
const asked = (value: string | undefined) => value ?? rig.farmId;
const ofFilters = (what: string, check: (filter: (typeof FILTERS)[number]) => Promise<void>) =>
  each(FILTERS, ([endpoint, field]) => `${endpoint.name}: \`${field}\` ${what}`, check);

statements('Filter operator objects (search bodies)', {
  ...ofFilters('takes `eq` with a single value', async ([endpoint, field, value]) => {
    const { status, body } = await ask({ ...endpoint, body: { [field]: { eq: asked(value) } } });
    expect([status, body.data.length]).toEqual([200, 1]);
  }),
  ...ofFilters('takes `in` with an array', async ([endpoint, field, value]) => {
    const { status, body } = await ask({ ...endpoint, body: { [field]: { in: [asked(value)] } } });
    expect([status, body.data.length]).toEqual([200, 1]);
  }),
  ...ofFilters('needs at least one operator', async ([endpoint, field]) =>
    expect(await searched(endpoint, { [field]: {} })).toBe(400),
  ),
  '`actor_type` takes no other operator than `eq`': async () => {
    expect(await searched(SEARCH_BATCHES, { actor_type: { eq: 'api_key' } })).toBe(200);
    for (const operator of ['in', 'ne', 'nin'])
      expect(await searched(SEARCH_BATCHES, { actor_type: { [operator]: ['api_key'] } })).toBe(400);
  },
  '`created_at` needs at least one operator': async () =>
    expect(await searched(SEARCH_BATCHES, { created_at: {} })).toBe(400),
});

statements('Task names', {
  ...each(
    TASK_NAMES,
    (name) => `the list of task batches takes \`${name}\``,
    async (name) => {
      const { status, body } = await rig.get(rig.farm(`/tasks/batches?task_name=${name}`));
      expect([status, body.data.length]).toEqual([200, name === CREATE.body.task_name ? 1 : 0]);
    },
  ),
  ...each(
    TASK_NAMES,
    (name) => `the search of task batches takes \`${name}\``,
    async (name) => {
      const { status, body } = await ask({ ...SEARCH_BATCHES, body: { task_name: { eq: name } } });
      expect([status, body.data.length]).toEqual([200, name === CREATE.body.task_name ? 1 : 0]);
    },
  ),
});

const OTHER_TASKS = [
  ...EXECUTION_TASK_NAMES.filter((name) => name !== 'miner.system.reboot'),
  ...(['miner.asset.update', 'miner.asset.delete', 'miner.rack_location.update'] as const),
];
const SUMMARY = {
  batch_id: 'string',
  task_name: 'string',
  status: 'string',
  task_count: 'number',
  succeed_count: 'number',
  failed_count: 'number',
  task_params: 'object',
  created_by: 'object',
  created_at: 'string',
  metadata: 'object',
} as const;
const CREATED = ['batch_id', 'task_name', 'task_count', 'task_params', 'created_by', 'created_at'] as const;
const NOT_CREATED = ['status', 'succeed_count', 'failed_count', 'metadata'] as const;

statements('2. Create task batch', {
  ...each(
    OTHER_TASKS,
    (name) => `\`${name}\` cannot be created`,
    async (name) => expect(await searched(CREATE, { ...CREATE.body, task_name: name })).toBe(400),
  ),
  'an unknown farm is 404': async () => {
    const farm = { ...CREATE, path: CREATE.path.replace('/F', `/${CREATE.body.miner_ids[0]}`) };
    isRefused(await ask(farm), 404, 'Not Found', 'Resource not found');
  },
  '`meta.summary.created_count` is a number': () => expect(made.meta.summary.created_count).toBe(1),
  '`meta.summary.skipped_count` is a number': () => expect(made.meta.summary.skipped_count).toBe(1),
  '`meta.skipped` has a `reason`': () => expect(made.meta.skipped[0].reason).toBe('not_found'),
  '`meta.skipped` has a `message`': () => expect(made.meta.skipped[0].message).toMatch(/\S/),
  '`meta.skipped` has `miner_ids`': () => expect(made.meta.skipped[0].miner_ids).toEqual([...CREATE.body.miner_ids]),
});

statements('Created task batch (item of the create response)', {
  ...each(
    CREATED,
    (field) => `has \`${field}\``,
    (field) => expect(typeof made.data[0][field]).toBe(SUMMARY[field]),
  ),
  ...each(
    NOT_CREATED,
    (field) => `has no \`${field}\``,
    (field) => expect(made.data[0]).not.toHaveProperty(field),
  ),
});

const FOUND = [LIST_BATCHES, SEARCH_BATCHES] as const;
const ACTOR = { type: 'string', id: 'string', name: 'string', avatar: 'string', metadata: 'object' } as const;

statements('Task batch summary (item of the task batch list and search)', {
  ...Object.assign(
    {},
    ...Object.entries(SUMMARY).map(([field, type]) =>
      ofEndpoints(FOUND, `has \`${field}\`, of type ${type}`, async (endpoint) =>
        expect(typeof (await ask(endpoint)).body.data[0][field]).toBe(type),
      ),
    ),
  ),
  ...each(
    Object.entries(ACTOR),
    ([field, type]) => `\`created_by.${field}\` is of type ${type}`,
    async ([field, type]) => expect(typeof (await ask(LIST_BATCHES)).body.data[0].created_by[field]).toBe(type),
  ),
});

const MEMORY = ['total', 'free', 'used', 'swap_total', 'swap_free', 'swap_used'] as const;

statements('Agent (item of the agent search)', {
  ...each(
    MEMORY,
    (field) => `\`host.memory.${field}\` is a number`,
    async (field) => expect(typeof (await ask(SEARCH_AGENTS)).body.data[0].host.memory[field]).toBe('number'),
  ),
});
