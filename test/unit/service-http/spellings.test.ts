// What clients of other languages send: times, nulls, blanks and lists in their own spelling, HEAD, request ids of
// their own. It means what the plain spelling means.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { minerRecord } from './records.ts';
import { call, type Rig, recordingLog, startOwnedRig } from './rig.ts';
import { connect } from './wire-agent.ts';

let rig: Rig;
let stop: () => Promise<void>;
let minerIds: string[];
const log = recordingLog();
const { lines } = log;
beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig({ log }));
  const agent = await connect(rig);
  const nowMs = rig.clock.nowMs();
  const abilities = ['miner.system.reboot'];
  await agent.report([0, 1, 2].map((n) => minerRecord(n, nowMs, { abilities, document: { anomaly_flags: 1 << n } })));
  const { body } = await rig.get(rig.farm('/miner/latest'));
  minerIds = body.data.map(({ id }: { id: string }) => id);
  expect(minerIds).toHaveLength(3);
  expect((await rig.post(rig.farm('/tasks/batches'), rebootOf(minerIds.slice(0, 1)))).status).toBe(200);
});
afterAll(() => stop());

const v2 = (path: string) => `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}${path}`;
const rebootOf = (ids: readonly string[], more: object = {}) => ({
  ...{ task_name: 'miner.system.reboot', miner_ids: ids },
  ...more,
});

describe('times', () => {
  const spellings = ['Z', 'z', '+00:00', '-00:00', '+0000', '+00'];
  test.each(spellings)('a body with %s is in UTC', async (zone) => {
    const day = rig.clock.nowMs() - 86_400_000;
    const from = new Date(day).toISOString().replace('Z', zone);
    const to = new Date(rig.clock.nowMs() + 60_000).toISOString().replace('Z', zone);
    const batches = await rig.post(rig.farm('/tasks/search'), { created_at: { gte: from, lt: to } });
    expect([batches.status, batches.body.data?.length]).toEqual([200, 1]);
    const before = await rig.post(rig.farm('/tasks/search'), { created_at: { lt: from } });
    expect([before.status, before.body.data?.length]).toEqual([200, 0]);
    const miners = await rig.post(v2('/miners/search'), { last_updated_at: { gt: from } });
    expect([miners.status, miners.body.data?.length]).toEqual([200, 3]);
    const history = await rig.post(v2('/metrics/query'), { from_time: from, to_time: to.replace(/T\d\d/, 'T00') });
    expect(history.status).toBe(200);
  });

  /** Of the events of a farm, and of the trail of a workspace. */
  const sinceParameters = () => [v2('/events'), `/public-api/v2/workspaces/${rig.workspaceId}/audit`];

  test.each(spellings)('a parameter with %s is in UTC', async (zone) => {
    const from = encodeURIComponent(new Date(rig.clock.nowMs() - 3_600_000).toISOString().replace('Z', zone));
    for (const path of sinceParameters()) {
      const { status, body } = await rig.get(`${path}?since=${from}`);
      expect([path, status, body.data?.length > 0]).toEqual([path, 200, true]);
    }
  });

  test.each(['+02:00', '', '+00:30', ' UTC', '-00:01'])('a parameter with "%s" is refused', async (zone) => {
    for (const path of sinceParameters()) {
      const { status, body } = await rig.get(`${path}?since=${encodeURIComponent(`2026-01-31T12:00:00${zone}`)}`);
      expect([status, body.message]).toEqual([400, expect.stringContaining('an ISO 8601 time in UTC')]);
    }
  });

  test.each(['+02:00', '', '+00:30', ' UTC', '-00:01'])('a body with "%s" is refused', async (zone) => {
    const { status, body } = await rig.post(rig.farm('/tasks/search'), {
      created_at: { gte: `2026-01-31T12:00:00${zone}` },
    });
    expect([status, body.message]).toEqual([400, expect.stringContaining('an ISO 8601 time in UTC')]);
  });
});

describe('null is not given', () => {
  test.each([
    ['/tasks/search', { page: null, limit: null, status: null, task_name: null, actor_type: null, created_at: null }],
    ['/tasks/search', { status: { in: ['pending', 'running'], eq: null, ne: null, nin: null } }],
    ['/tasks/search', { created_at: { gte: '2020-01-01T00:00:00Z', lt: null } }],
  ])('%s %j', async (path, body) => {
    const answer = await rig.post(rig.farm(path), body);
    expect([answer.status, answer.body.data?.length]).toEqual([200, 1]);
    expect(answer.body.pagination.limit).toBe(10);
  });

  test('search of agents and of miners, history', async () => {
    const agents = `/private-api/v1/${rig.workspaceId}/agents/search`;
    expect((await rig.post(agents, { farm_id: null, status: null, page: null, limit: null })).status).toBe(200);
    const nothing = { status: null, model: null, anomaly_flags: null, search: null, last_updated_at: null };
    const miners = await rig.post(v2('/miners/search'), { ...nothing, page: null, page_size: null });
    expect([miners.status, miners.body.pagination?.page_size, miners.body.data?.length]).toEqual([200, 20, 3]);
    const window = { from_time: '2026-01-31T12:00:00Z', to_time: '2026-01-31T14:00:00Z' };
    expect((await rig.post(v2('/metrics/query'), { ...window, granularity: null })).body.data).toHaveLength(2);
  });

  test('an operator object of nulls only has no operator', async () => {
    const { status, body } = await rig.post(rig.farm('/tasks/search'), { status: { eq: null } });
    expect([status, body.message]).toEqual([400, expect.stringContaining('at least one of eq, ne, in, nin')]);
  });

  test('params of a task, and what is in them', async () => {
    const v1 = await rig.post(rig.farm('/tasks/batches'), rebootOf(minerIds.slice(1, 2), { params: null }));
    expect([v1.status, v1.body.data?.[0]?.task_params]).toEqual([200, {}]);
    const forced = rebootOf(minerIds.slice(2), { params: { force: null }, rollout: null, expires_in_s: null });
    const second = await rig.post(v2('/task-batches'), forced);
    expect([second.status, second.body.data?.[0]?.task_params]).toEqual([200, {}]);
  });

  test('where null has a meaning it keeps it', async () => {
    const edit = (fields: object) =>
      call(rig.url + v2(`/miners/${minerIds[0]}`), {
        method: 'PATCH',
        headers: { 'x-api-key': rig.key, 'content-type': 'application/json' },
        body: JSON.stringify(fields),
      });
    await edit({ rack: 'R1', position: 1 });
    expect((await edit({ position: null })).body.data).toMatchObject({ rack: 'R1', position: null });
    expect((await edit({ rack: null })).body.data).toMatchObject({ rack: null, position: null });
  });
});

test.each([
  ['page=&pageSize=', 3],
  ['status=&sn=&mac=&agent_id=', 3],
  ['anomaly_filters[0]=fan&anomaly_filters[1]=power', 2],
  ['anomaly_filters%5B0%5D=fan', 1],
  ['anomaly_filters[]=fan&anomaly_filters=power', 2],
])('the list takes %s', async (query, count) => {
  const { status, body } = await rig.get(`${rig.farm('/miner/latest')}?${query}`);
  expect([status, body.data?.length]).toEqual([200, count]);
});

describe('unknown parameters', () => {
  const list = (query: string) => rig.get(`${rig.farm('/miner/latest')}?${query}`);

  test.each([
    ['stauts=stale', 'did you mean status?'],
    ['page_size=5', 'did you mean pageSize?'],
    ['PAGESIZE=5', 'did you mean pageSize?'],
    ['limit=5', 'received "limit"'],
    ['rack=NOPE', 'received "rack"'],
    ['model=S19', 'received "model"'],
    ['ip=10.0.0.1', 'received "ip"'],
    ['anomaly_filter[]=fan', 'did you mean anomaly_filters?'],
  ])('v1 refuses %s', async (query, words) => {
    const { status, body } = await list(query);
    expect([status, body.message]).toEqual([400, expect.stringContaining(words)]);
    expect(Object.keys(body)).toHaveLength(3);
  });

  test('v1 ignores others, and says so in the answer and once in the log', async () => {
    const first = await list('utm_source=mail&cb=1&_=5&_t=6');
    expect([first.status, first.body.data.length]).toEqual([200, 3]);
    expect(first.headers.get('x-ignored-parameters')).toBe('utm_source, cb');
    const again = await list('cb=2');
    expect(again.headers.get('x-ignored-parameters')).toBe('cb');
    const said = lines.filter(({ message }) => message === 'unknown query parameters were ignored');
    expect(said.map(({ fields }) => fields)).toEqual([
      expect.objectContaining({ names: ['utm_source', 'cb'], requestId: expect.any(String) }),
    ]);
    expect((await list('_=5')).headers.has('x-ignored-parameters')).toBe(false);
  });

  test('names that cannot stand in a header do not', async () => {
    const { status, headers } = await list(`${encodeURIComponent('a\r\nset-cookie: ü')}=1&${'x'.repeat(500)}=1`);
    expect(status).toBe(200);
    expect(headers.get('set-cookie')).toBeNull();
    expect(headers.get('x-ignored-parameters')).toMatch(/^a%0D%0Aset-cookie%3A%20%C3%BC, x{64}$/);
  });

  test('v2 refuses every one but those that begin with _', async () => {
    const refused = await rig.get(v2('/miners?rack=NOPE'));
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('accepted: page, page_size')]);
    const misspelt = await rig.get(v2('/miners?pagesize=5'));
    expect(misspelt.body.message).toContain('did you mean page_size?');
    expect((await rig.get(v2('/miner-positions?x=1'))).body.message).toContain('accepted: no parameters');
    expect((await rig.get(v2('/miners?_=5'))).status).toBe(200);
  });

  test('a stranger learns nothing of parameters', async () => {
    expect((await rig.get(v2('/miners?rack=NOPE'), {})).status).toBe(401);
  });
});

test.each(['/healthz', '/openapi.json', '/private-api/v1/me/grants'])('HEAD %s is GET without a body', async (path) => {
  const headers = { 'x-api-key': rig.key };
  const get = await call(rig.url + path, { headers });
  const head = await call(rig.url + path, { method: 'HEAD', headers });
  expect([get.status, head.status, head.body]).toEqual([200, 200, undefined]);
  expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
});

test('HEAD needs the same key', async () => {
  expect((await call(rig.url + rig.farm('/miner/latest'), { method: 'HEAD' })).status).toBe(401);
  const head = await call(rig.url + rig.farm('/miner/latest'), { method: 'HEAD', headers: { 'x-api-key': rig.key } });
  expect([head.status, head.body]).toEqual([200, undefined]);
});

test('the id that a client gives its request is answered and logged; one that is no id is not', async () => {
  const ask = (id: string) =>
    call(`${rig.url}/private-api/v1/me/grants`, { headers: { 'x-api-key': rig.key, 'x-request-id': id } });
  expect((await ask('order-7f/3:a@b=c+d.e_f')).headers.get('x-request-id')).toBe('order-7f/3:a@b=c+d.e_f');
  expect(lines.some(({ fields }) => fields.requestId === 'order-7f/3:a@b=c+d.e_f')).toBe(true);
  for (const id of ['x'.repeat(129), 'a b', 'a"b', 'a,b', '{}'])
    expect((await ask(id)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});
