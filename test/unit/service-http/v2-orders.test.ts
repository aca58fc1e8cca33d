// Creating task batches in v2, for miners and for agents, each name with its params.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXECUTION_TASK_NAMES, forcedCanaryOf } from '../../../src/model/task.ts';
import { query } from './database.ts';
import { minerRecord } from './records.ts';
import { startOwnedRig, startRig } from './rig.ts';
import {
  ABILITIES,
  create,
  detail,
  fill,
  MINUTE_MS,
  order,
  outcome,
  type Place,
  path,
  UNKNOWN,
  withMiners,
} from './v2-batches.ts';
import { enrol } from './wire-agent.ts';

const POOLS = [
  { url: 'stratum+tcp://pool.example:3333', user: 'farm.1', password: 'hunter2' },
  { url: 'stratum+ssl://pool.example:443/path', user: 'farm.1' },
];
const SHA = 'ab'.repeat(32);

/** Params that each task takes; the first is what the agent must receive. */
const GOOD: Readonly<Record<(typeof EXECUTION_TASK_NAMES)[number], readonly (object | undefined)[]>> = {
  'miner.system.reboot': [{ force: true }, {}, undefined],
  'miner.log.get': [{}, undefined],
  'miner.refresh.get': [{}, undefined],
  'miner.light.update': [{ on: true }, { on: false }],
  'miner.power_mode.update': [{ mode: 'sleep' }, { preset: '290MHz' }],
  'miner.pool.update': [{ pools: POOLS }],
  'miner.pool.lock': [{ locked: true }],
  'miner.firmware.update': [
    { url: 'https://files.example/fw.bin', sha256: SHA, version: '1.2' },
    { file: 'S19 (stock) 2.bmu' },
    { file: 'fw.bin', sha256: SHA, family: 'antminer-stock' },
  ],
  'miner.password.update': [{ password: 'a new one' }],
  'agent.scan.create': [{ ranges: ['10.0.0.0/24', '10.1.0.1-50', '10.2.0.7'] }, {}, undefined],
  'agent.login.update': [{ addresses: ['10.0.0.7', '10.0.0.9'], user: 'root', password: 'a login' }],
  'agent.self.update': [
    { version: '2.0.0' },
    { url: 'https://files.example/pithead.bundle', sha256: SHA },
    { url: 'https://10.0.0.7:18443/pithead.bundle' },
    {},
    undefined,
  ],
};

const BAD: readonly [string, unknown, string][] = [
  ['miner.system.reboot', { force: 'yes' }, 'params.force'],
  ['miner.system.reboot', { note: 'x' }, '"note"'],
  ['miner.log.get', { lines: 5 }, '"lines"'],
  ['miner.refresh.get', { deep: true }, '"deep"'],
  ['miner.light.update', undefined, 'params'],
  ['miner.light.update', {}, 'params.on'],
  ['miner.light.update', { on: 1 }, 'params.on'],
  ['miner.power_mode.update', {}, 'params'],
  ['miner.power_mode.update', { mode: 'turbo' }, 'params.mode'],
  ['miner.power_mode.update', { mode: 'low', preset: 'x' }, 'either mode or preset'],
  ['miner.power_mode.update', { preset: '' }, 'params.preset'],
  ['miner.pool.update', { pools: [] }, 'params.pools'],
  ['miner.pool.update', { pools: Array(9).fill(POOLS[0]) }, 'params.pools'],
  ['miner.pool.update', { pools: [{ url: 'pool.example', user: 'u' }] }, 'params.pools[0].url'],
  ['miner.pool.update', { pools: [{ url: 'stratum+tcp://p:1', user: '' }] }, 'params.pools[0].user'],
  ['miner.pool.update', { pools: [{ url: 'stratum+tcp://p:1', user: 'a\nb' }] }, 'params.pools[0].user'],
  ['miner.pool.update', { pools: [{ ...POOLS[0], worker: 'x' }] }, '"worker"'],
  ['miner.pool.update', { pools: [{ ...POOLS[0], user: 'farm.{}' }] }, 'params.pools[0].user'],
  ['miner.pool.update', { pools: [{ ...POOLS[0], user: 'farm.{name}' }] }, '{worker}, {ip}'],
  ['miner.pool.update', { pools: [{ ...POOLS[0], user: { keep: false } }] }, 'params.pools[0].user'],
  ['miner.pool.update', { pools: [{ ...POOLS[0], url: 3 }] }, '{"keep": true}'],
  ['miner.pool.update', {}, 'either pools or pool_set'],
  ['miner.pool.update', { pools: POOLS, pool_set: 'main' }, 'either pools or pool_set'],
  ['miner.pool.update', { pool_set: 'no set' }, 'params.pool_set'],
  ['miner.pool.update', { pool_set: 'main' }, 'the farm has no set'],
  ['miner.pool.lock', { locked: 'true' }, 'params.locked'],
  ['miner.password.update', undefined, 'params'],
  ['miner.password.update', {}, 'params.password'],
  ['miner.password.update', { password: '' }, 'params.password'],
  ['miner.password.update', { password: 'a\nb' }, 'params.password'],
  ['miner.password.update', { password: 'x'.repeat(65) }, 'params.password'],
  ['miner.firmware.update', { url: 'ftp://x/y', sha256: SHA }, 'params.url'],
  ['miner.firmware.update', { url: 'https://x/y', sha256: 'abc' }, 'params.sha256'],
  ['miner.firmware.update', { url: 'https://x/y' }, 'either file, or url and sha256'],
  ['miner.firmware.update', { sha256: SHA }, 'either file, or url and sha256'],
  ['miner.firmware.update', { file: 'a.bin', url: 'https://x/y', sha256: SHA }, 'either file, or url and sha256'],
  ['miner.firmware.update', { file: '../a.bin' }, 'params.file'],
  ['miner.firmware.update', { file: '.hidden' }, 'params.file'],
  ['miner.firmware.update', { file: 'a.bin', family: 'Not An Id' }, 'params.family'],
  ['agent.scan.create', { ranges: [] }, 'params.ranges'],
  ['agent.scan.create', { ranges: ['10.0.0.0/24', '10.0.0.9-10.0.0.1'] }, 'downwards'],
  ['agent.scan.create', { ranges: ['farm'] }, 'params.ranges[0]'],
  ['agent.login.update', { addresses: [], user: 'root', password: 'a login' }, 'params.addresses'],
  ['agent.login.update', { addresses: ['10.0.0.0/24'], user: 'root', password: 'a login' }, 'params.addresses[0]'],
  ['agent.login.update', { addresses: ['10.0.0.7'], user: 'root' }, 'params.password'],
  ['agent.self.update', { version: '' }, 'params.version'],
  ['agent.self.update', { url: 'http://files.example/x' }, 'params.url'],
  ['agent.self.update', { url: 'https://10.0.0.256/x' }, 'params.url'],
  ['agent.self.update', { url: 'https://files.example:65536/x' }, 'params.url'],
  ['agent.self.update', { url: 'https://files.example/x', sha256: 'abc' }, 'params.sha256'],
];

const targetOf = (name: string) => (name.startsWith('agent.') ? 'agent_ids' : 'miner_ids');

/** Of those with a canary of their own: as with every rollout. */
const lifeMsOf = (name: string) => (forcedCanaryOf(name) === undefined ? 15 : 240) * MINUTE_MS;

describe('each task', () => {
  let place: Place;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const owned = await startOwnedRig();
    stop = owned.stop;
    place = await fill(owned.rig, 1, [...ABILITIES, 'miner.pool.lock', 'miner.refresh.get']);
  });
  afterAll(() => stop());

  test('has a form', () => {
    expect(Object.keys(GOOD).toSorted()).toEqual([...EXECUTION_TASK_NAMES].toSorted());
  });

  test.each(EXECUTION_TASK_NAMES)('%s reaches the agent with its params', async (name) => {
    const { rig, agent, keys, ids } = place;
    const ofAgent = name.startsWith('agent.');
    for (const params of GOOD[name]) {
      const target = { [targetOf(name)]: ofAgent ? [agent.identity.agentId] : ids };
      const { data, meta } = await create(rig, { task_name: name, ...target, ...(params ? { params } : {}) });
      const preview = name === 'miner.pool.update' ? { pools_preview: [{ ip: '10.0.0.1', user: 'farm.1' }] } : {};
      expect(meta).toEqual({ summary: { created_count: 1, skipped_count: 0 }, skipped: [], ...preview });
      const [made] = data;
      expect(made).toMatchObject({ task_name: name, task_count: 1, created_by: { type: 'api_key', name: 'test' } });
      const sent = await agent.frame('task', ({ batch_id }) => batch_id === made?.id);
      expect(sent).toMatchObject({
        name,
        miner_key: ofAgent ? agent.identity.agentId : keys[0],
        params: params ?? {},
        created_at: made?.created_at,
        expires_at: new Date(Date.parse(made?.created_at ?? '') + lifeMsOf(name)).toISOString(),
      });
      const tasks = (await rig.get(path(rig, `/${made?.id}/tasks`))).body.data;
      expect(tasks).toMatchObject([
        { id: sent.task_id, miner_id: ofAgent ? null : ids[0], agent_id: agent.identity.agentId, status: 'pending' },
      ]);
      await agent.report([outcome(rig, sent.task_id, 'succeeded')]);
      expect(await detail(rig, made?.id ?? '')).toMatchObject({ status: 'succeeded', succeed_count: 1 });
    }
  });

  test.each(BAD)('%s refuses %j', async (name, params, words) => {
    const answer = await order(place.rig, {
      task_name: name,
      [targetOf(name)]: ['a'],
      ...(params === undefined ? {} : { params }),
    });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body).toSorted()).toEqual(['error', 'message', 'statusCode']);
    expect(answer.body.message).toContain(words);
  });

  test.each<[string, unknown, string]>([
    ['no body', undefined, 'Body'],
    ['an empty body', {}, 'task_name'],
    ['an event', { task_name: 'miner.asset.update', miner_ids: ['a'] }, 'miner.system.reboot'],
    ['no miners', { task_name: 'miner.system.reboot', miner_ids: [] }, 'miner_ids'],
    ['10,001 miners', { task_name: 'miner.system.reboot', miner_ids: Array(10_001).fill('a') }, 'miner_ids'],
    ['agents for a task about miners', { task_name: 'miner.system.reboot', agent_ids: ['a'] }, 'miner_ids'],
    ['miners for a task about agents', { task_name: 'agent.scan.create', miner_ids: ['a'] }, 'agent_ids'],
    ['fields of its own', { task_name: 'miner.log.get', miner_ids: ['a'], workspace_id: 'x' }, '"workspace_id"'],
    ['an actor', { task_name: 'miner.log.get', miner_ids: ['a'], created_by: {} }, '"created_by"'],
    ['params that are no object', { task_name: 'miner.log.get', miner_ids: ['a'], params: [] }, 'params'],
  ])('refuses %s', async (_name, body, words) => {
    const answer = await order(place.rig, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(words);
  });
});

test('the password of a pool goes to the agent and into no answer', async () => {
  const { rig, agent, ids } = await withMiners(1);
  const headers = { 'idempotency-key': 'pools' };
  const body = { task_name: 'miner.pool.update', miner_ids: ids, params: { pools: POOLS } };
  const { body: made } = await order(rig, body, headers);
  expect(made.data[0].task_params.pools[0]).toEqual({ ...POOLS[0], password: '***' });
  expect(made.data[0].task_params.pools[1]).toEqual(POOLS[1]);
  const { params } = await agent.frame('task');
  expect(params).toEqual({ pools: POOLS });
  const id = made.data[0].id;
  const answers = await Promise.all([
    order(rig, body, headers),
    rig.get(path(rig)),
    rig.get(path(rig, `/${id}`)),
    rig.get(path(rig, `/${id}/tasks`)),
    rig.post(path(rig, '/search'), {}),
    rig.get(rig.farm('/tasks/batches')),
    rig.post(rig.farm('/tasks/search'), {}),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(200));
  expect(JSON.stringify(answers.map((answer) => answer.body))).not.toContain('hunter2');
});

test('each miner and each agent that gets no task is accounted for with its reason', async () => {
  const { rig, agent, ids } = await withMiners(4, ['miner.light.update']);
  const [busy = '', retired = '', orphan = '', fine = ''] = ids;
  await agent.report([minerRecord(9, rig.clock.nowMs(), { abilities: ['miner.system.reboot'] })]);
  const [unable] = await query(rig, 'SELECT id FROM miners WHERE ip_num = ?', (10 << 24) + 9);
  const light = { task_name: 'miner.light.update', params: { on: true } };
  await create(rig, { ...light, miner_ids: [busy] });
  await query(rig, "UPDATE miners SET ops_status = 'retired' WHERE id = ?", retired);
  await query(rig, 'UPDATE miners SET agent_id = NULL, agent_key = NULL WHERE id = ?', orphan);
  const { data, meta } = await create(rig, {
    ...light,
    miner_ids: [busy, retired, orphan, String(unable?.id), UNKNOWN, fine, fine],
  });
  expect(data.map(({ task_count }) => task_count)).toEqual([1]);
  expect(meta.summary).toEqual({ created_count: 1, skipped_count: 5 });
  expect(Object.fromEntries(meta.skipped.map(({ reason, miner_ids }) => [reason, miner_ids]))).toEqual({
    no_change: [busy],
    ops_status: [retired],
    no_agent: [orphan],
    unsupported: [unable?.id],
    not_found: [UNKNOWN],
  });
  for (const { agent_ids, message } of meta.skipped) expect([agent_ids, message === '']).toEqual([[], false]);

  const farm = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Second' });
  const elsewhere = await enrol(rig, farm.id);
  const gone = await enrol(rig);
  await query(rig, 'UPDATE agents SET revoked_at = 1 WHERE id = ?', gone.agentId);
  const scan = { task_name: 'agent.scan.create' };
  await create(rig, { ...scan, agent_ids: [agent.identity.agentId] });
  const again = await create(rig, {
    ...scan,
    agent_ids: [agent.identity.agentId, elsewhere.agentId, gone.agentId, UNKNOWN],
  });
  expect(again).toMatchObject({
    data: [],
    meta: {
      summary: { created_count: 0, skipped_count: 4 },
      skipped: [
        { reason: 'no_change', miner_ids: [], agent_ids: [agent.identity.agentId] },
        {
          reason: 'not_found',
          message: 'No agent with this id in the farm',
          agent_ids: [elsewhere.agentId, gone.agentId, UNKNOWN],
        },
      ],
    },
  });
});

test('the same idempotency key and body give the same answer; v1 and v2 word theirs differently, so they are different orders', async () => {
  const { rig, ids } = await withMiners(2);
  const headers = { 'idempotency-key': 'once' };
  const body = { task_name: 'miner.system.reboot', miner_ids: [ids[0]] };
  const first = await order(rig, body, headers);
  expect((await order(rig, body, headers)).body).toEqual(first.body);
  expect((await rig.get(path(rig))).body.pagination.total).toBe(1);
  expect((await order(rig, { ...body, miner_ids: [ids[1]] }, headers)).status).toBe(409);
  const v1 = await rig.post(rig.farm('/tasks/batches'), body, { 'x-api-key': rig.key, ...headers });
  expect(v1.status).toBe(409);
  expect((await order(rig, body, { 'idempotency-key': 'x'.repeat(256) })).status).toBe(400);
});

test('what goes beyond the interface is marked so in OpenAPI', async () => {
  const rig = await startRig();
  const { body } = await rig.get('/openapi.json', {});
  const farm = '/public-api/v2/workspaces/{workspace_id}/farms/{farm_id}/task-batches';
  expect(body.paths[farm].post['x-pithead-extension']).toBe(true);
  expect(body.paths[`${farm}/{task_batch_id}/cancel`].post['x-pithead-extension']).toBe(true);
  for (const path of [farm, `${farm}/{task_batch_id}`, `${farm}/{task_batch_id}/tasks`])
    expect(body.paths[path].get['x-pithead-extension']).toBeUndefined();
  const { schema } = body.paths[farm].post.requestBody.content['application/json'];
  expect((schema.oneOf ?? schema.anyOf).length).toBe(EXECUTION_TASK_NAMES.length);
});
