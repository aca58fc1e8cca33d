// Every route × every permission × own, granted, foreign workspace: opened by the permission that stands here, and by
// no other. A route without a row here fails. And of the tasks: each by its own permission alone.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PERMISSION_ROWS } from '../../../src/model/permissions/permissions.data.ts';
import { PERMISSIONS, permissionsOf, ROLES, TASK_PERMISSIONS } from '../../../src/model/permissions/permissions.ts';
import { EXECUTION_TASK_NAMES } from '../../../src/model/task.ts';
import {
  RULES,
  type Rule,
  V1_FARM,
  V1_WORKSPACE,
  V2_FARM,
  V2_SESSION,
  V2_WORKSPACE,
} from '../../../src/service/auth/rules.data.ts';
import { askRoute, type Place, startGuardRig, UNKNOWN } from './guard-rig.ts';
import type { Rig } from './rig.ts';

/** Who may ask: the permissions of which one is enough, or what else is asked for. */
const EXPECTED: Readonly<Record<string, readonly string[] | Exclude<Rule['access'], 'key'>>> = {
  'GET /healthz': 'open',
  'GET /readyz': 'open',
  'GET /metrics': ['metrics.read'],
  'GET /openapi.json': 'open',
  'GET /docs': 'open',
  'GET /docs/:file': 'open',
  'GET /': 'open',
  'GET /login': 'open',
  'GET /claim': 'open',
  'GET /trust': 'open',
  'GET /trust/farm.crt': 'open',
  'GET /f/*': 'open',
  'GET /page/:file': 'open',
  'POST /agent/v1/enrol': 'enrolment-code',
  [`GET ${V1_FARM}/miner/latest`]: ['miners.read'],
  [`POST ${V1_FARM}/tasks/batches`]: ['tasks.reboot'],
  [`GET ${V1_FARM}/tasks/batches`]: ['tasks.read'],
  [`POST ${V1_FARM}/tasks/search`]: ['tasks.read'],
  [`POST ${V1_WORKSPACE}/agents/search`]: ['agents.read'],
  'GET /private-api/v1/me/grants': ['grants.read'],
  'GET /public-api/v2/workspaces': PERMISSIONS,
  [`GET ${V2_WORKSPACE}/farms`]: ['farms.read'],
  [`GET ${V2_WORKSPACE}/audit`]: ['audit.read'],
  [`GET ${V2_FARM}/agents`]: ['agents.read'],
  [`GET ${V2_FARM}/miners`]: ['miners.read'],
  [`POST ${V2_FARM}/miners/search`]: ['miners.read'],
  [`POST ${V2_FARM}/miner-metrics/query`]: ['metrics.read'],
  [`GET ${V2_FARM}/task-batches`]: ['tasks.read'],
  [`POST ${V2_FARM}/task-batches`]: TASK_PERMISSIONS,
  [`POST ${V2_FARM}/task-batches/search`]: ['tasks.read'],
  [`POST ${V2_FARM}/task-batches/:task_batch_id/confirm`]: TASK_PERMISSIONS,
  [`POST ${V2_FARM}/task-batches/:task_batch_id/cancel`]: ['tasks.cancel'],
  [`GET ${V2_FARM}/task-batches/:task_batch_id`]: ['tasks.read'],
  [`GET ${V2_FARM}/task-batches/:task_batch_id/tasks`]: ['tasks.read'],
  [`GET ${V2_FARM}/pool-sets`]: ['tasks.pools_saved', 'tasks.pools'],
  [`GET ${V2_FARM}/pool-sets/:name`]: ['tasks.pools_saved', 'tasks.pools'],
  [`PUT ${V2_FARM}/pool-sets/:name`]: ['tasks.pools'],
  [`DELETE ${V2_FARM}/pool-sets/:name`]: ['tasks.pools'],
  [`GET ${V2_FARM}/work`]: ['miners.read'],
  [`POST ${V2_FARM}/work/take`]: ['miners.update'],
  [`POST ${V2_FARM}/work/release`]: ['miners.update'],
  [`GET ${V2_FARM}/miners/:miner_id`]: ['miners.read'],
  [`GET ${V2_FARM}/miners/:miner_id/notes`]: ['miners.read'],
  [`POST ${V2_FARM}/miners/:miner_id/notes`]: ['miners.update'],
  [`PATCH ${V2_FARM}/miners/:miner_id`]: ['miners.update'],
  [`GET ${V2_FARM}/board`]: ['miners.read'],
  [`GET ${V2_FARM}/board/stream`]: ['miners.read'],
  [`POST ${V2_FARM}/board/search`]: ['miners.read'],
  [`POST ${V2_FARM}/miners/export`]: ['miners.read'],
  [`GET ${V2_FARM}/miner-positions`]: ['miners.read'],
  [`POST ${V2_FARM}/miner-positions`]: ['miners.update'],
  [`POST ${V2_FARM}/metrics/query`]: ['metrics.read'],
  [`POST ${V2_FARM}/miners/:miner_id/metrics/query`]: ['metrics.read'],
  [`GET ${V2_FARM}/changes`]: ['events.read'],
  [`GET ${V2_FARM}/events`]: ['events.read'],
  [`GET ${V2_FARM}/events/stream`]: ['events.read'],
  [`GET ${V2_FARM}/scans/:task_id/addresses`]: ['tasks.read'],
  [`GET ${V2_WORKSPACE}/webhooks`]: ['webhooks.update'],
  [`POST ${V2_WORKSPACE}/webhooks`]: ['webhooks.update'],
  [`GET ${V2_WORKSPACE}/webhooks/:webhook_id`]: ['webhooks.update'],
  [`PATCH ${V2_WORKSPACE}/webhooks/:webhook_id`]: ['webhooks.update'],
  [`DELETE ${V2_WORKSPACE}/webhooks/:webhook_id`]: ['webhooks.update'],
  [`POST ${V2_WORKSPACE}/webhooks/:webhook_id/rotate`]: ['webhooks.update'],
  [`POST ${V2_WORKSPACE}/webhooks/:webhook_id/test`]: ['webhooks.update'],
  [`GET ${V2_WORKSPACE}/keys`]: ['keys.update'],
  [`POST ${V2_WORKSPACE}/keys`]: ['keys.update'],
  [`DELETE ${V2_WORKSPACE}/keys/:key_id`]: ['keys.update'],
  [`POST ${V2_SESSION}`]: 'login',
  [`GET ${V2_SESSION}`]: 'session',
  [`DELETE ${V2_SESSION}`]: 'session',
  [`POST ${V2_SESSION}/claim`]: 'claim',
  [`POST ${V2_SESSION}/password`]: 'session',
  [`GET ${V2_SESSION}/devices`]: 'session',
  [`DELETE ${V2_SESSION}/devices`]: 'session',
  [`DELETE ${V2_SESSION}/devices/:session_id`]: 'session',
  [`GET ${V2_WORKSPACE}/people`]: ['people.update'],
  [`POST ${V2_WORKSPACE}/people`]: ['people.update'],
  [`GET ${V2_WORKSPACE}/people/:person_id`]: ['people.update'],
  [`PATCH ${V2_WORKSPACE}/people/:person_id`]: ['people.update'],
  [`DELETE ${V2_WORKSPACE}/people/:person_id`]: ['people.update'],
  [`POST ${V2_WORKSPACE}/people/:person_id/code`]: ['people.update'],
  [`DELETE ${V2_WORKSPACE}/people/:person_id/sessions`]: ['people.update'],
  [`GET ${V2_FARM}/locations`]: ['miners.read'],
  [`GET ${V2_FARM}/location-changes`]: ['miners.read'],
  [`POST ${V2_FARM}/location-changes`]: ['miners.update'],
  [`POST ${V2_FARM}/location-changes/:location_change_id/undo`]: ['miners.update'],
  [`POST ${V2_FARM}/miners/:miner_id/same-chassis`]: ['miners.update'],
  [`GET ${V2_FARM}/racks`]: ['miners.read'],
  [`GET ${V2_FARM}/racks/:rack`]: ['miners.read'],
  [`PUT ${V2_FARM}/racks/:rack`]: ['miners.update'],
  [`DELETE ${V2_FARM}/racks/:rack`]: ['miners.update'],
  [`GET ${V2_FARM}/containers`]: ['miners.read'],
  [`PUT ${V2_FARM}/containers/:container`]: ['miners.update'],
  [`DELETE ${V2_FARM}/containers/:container`]: ['miners.update'],
  [`GET ${V2_WORKSPACE}/webhooks/:webhook_id/dead-letters`]: ['webhooks.update'],
  [`POST ${V2_WORKSPACE}/webhooks/:webhook_id/dead-letters/resend`]: ['webhooks.update'],
};
const ROWS = Object.entries(EXPECTED).flatMap(([route, opens]) =>
  typeof opens === 'string' ? [] : [{ route, opens }],
);

/** Of each kind of task a body that creates nothing: what it is about does not exist. */
const ORDERS: Readonly<Record<(typeof EXECUTION_TASK_NAMES)[number], { needs: string; body: object }>> = {
  'miner.system.reboot': { needs: 'tasks.reboot', body: { miner_ids: [UNKNOWN] } },
  'miner.log.get': { needs: 'tasks.log', body: { miner_ids: [UNKNOWN] } },
  'miner.refresh.get': { needs: 'tasks.refresh', body: { miner_ids: [UNKNOWN] } },
  'miner.light.update': { needs: 'tasks.light', body: { miner_ids: [UNKNOWN], params: { on: true } } },
  'miner.power_mode.update': { needs: 'tasks.power_mode', body: { miner_ids: [UNKNOWN], params: { mode: 'sleep' } } },
  'miner.pool.update': {
    needs: 'tasks.pools',
    body: { miner_ids: [UNKNOWN], params: { pools: [{ url: 'stratum+tcp://pool.example:3333', user: 'w' }] } },
  },
  'miner.pool.lock': { needs: 'tasks.pools', body: { miner_ids: [UNKNOWN], params: { locked: true } } },
  'miner.firmware.update': {
    needs: 'tasks.firmware',
    body: { miner_ids: [UNKNOWN], params: { url: 'https://files.example/image.bin', sha256: 'a'.repeat(64) } },
  },
  'miner.password.update': {
    needs: 'tasks.password',
    body: { miner_ids: [UNKNOWN], params: { password: 'a new one' } },
  },
  'agent.scan.create': { needs: 'tasks.scan', body: { agent_ids: [UNKNOWN] } },
  'agent.login.update': {
    needs: 'tasks.password',
    body: { agent_ids: [UNKNOWN], params: { addresses: ['10.0.0.7'], user: 'root', password: 'a login' } },
  },
  'agent.self.update': {
    needs: 'tasks.agent_update',
    body: { agent_ids: [UNKNOWN], params: { url: 'https://updates.example/pithead.update' } },
  },
};

let rig: Rig;
let stop: () => Promise<void>;
let host: Place;
/** Of the own workspace, with one permission each. */
let keys: ReadonlyMap<string, string>;
/** Full keys of workspaces that a grant of one permission leads to the host. */
let guests: ReadonlyMap<string, string>;

beforeAll(async () => {
  ({ rig, host, stop } = await startGuardRig());
  const { admin } = rig.service;
  const made = await Promise.all(
    PERMISSIONS.map(async (permission) => {
      const own = await admin.createKey({ workspaceId: rig.workspaceId, name: permission, permissions: [permission] });
      const slug = permission.replaceAll(/\W|_/g, '-');
      const { id: granteeId } = await admin.createWorkspace({ name: permission, slug });
      await admin.createGrant({ grantorId: host.workspaceId, granteeId, permissions: [permission] });
      const guest = await admin.createKey({ workspaceId: granteeId, name: permission, role: 'admin' });
      return { permission, own: own.key, guest: guest.key };
    }),
  );
  keys = new Map(made.map(({ permission, own }) => [permission, own]));
  guests = new Map(made.map(({ permission, guest }) => [permission, guest]));
});
afterAll(() => stop());

const ask = (route: string, place: Place, key: string | undefined, body?: object) =>
  askRoute(rig, route, place, { 'x-api-key': key ?? '' }, body);

const own = (): Place => ({ workspaceId: rig.workspaceId, farmId: rig.farmId });
/** The guard lets in: what is below the farm does not exist, and the body is none, so the route answers for itself. */
/** 426: asked without the headers of a WebSocket. */
const IS_IN = [200, 400, 404, 415, 426];
/** Which permissions open it: of keys in their own workspace, or of grants. */
async function openers(of: ReadonlyMap<string, string>, route: string, place: Place, body?: object) {
  const open: string[] = [];
  for (const [permission, key] of of) {
    const { status } = await ask(route, place, key, body);
    expect([...IS_IN, 403], `${route} with ${permission}`).toContain(status);
    if (status !== 403) open.push(permission);
  }
  return open;
}

test('every route of the service stands here, and nothing else', () => {
  expect(Object.keys(EXPECTED).toSorted()).toEqual(Object.keys(RULES).toSorted());
  const access = Object.entries(RULES).map(([route, rule]) => [route, rule.access]);
  for (const [route, what] of access) {
    const expected = EXPECTED[String(route)];
    expect([route, what]).toEqual([route, typeof expected === 'string' ? expected : 'key']);
  }
});

describe.each(ROWS)('$route', ({ route, opens }) => {
  test('own workspace: each permission', async () => {
    expect(await openers(keys, route, own())).toEqual(PERMISSIONS.filter((one) => opens.includes(one)));
  });

  const isGrantable = route.includes(':workspace_id') && !/\/(audit|webhooks|keys|people)(\/|$)/.test(route);
  test.runIf(isGrantable)('granted workspace: each permission of the grant', async () => {
    expect(await openers(guests, route, host)).toEqual(PERMISSIONS.filter((one) => opens.includes(one)));
  });

  test.runIf(route.includes(':workspace_id'))('foreign workspace: none', async () => {
    const status = route.includes('/private-api/v1/') ? 403 : 404;
    for (const key of [rig.key, ...keys.values()]) expect((await ask(route, host, key)).status).toBe(status);
  });
});

describe.each(EXECUTION_TASK_NAMES)('task %s', (task_name) => {
  const { needs, body } = ORDERS[task_name];
  const create = `POST ${V2_FARM}/task-batches`;
  const order = { task_name, ...body };

  test('is created with its permission alone, in the key', async () => {
    expect((await ask(create, own(), keys.get(needs), order)).body).toMatchObject({ success: true, data: [] });
    expect(await openers(keys, create, own(), order)).toEqual([needs]);
    const reader = await ask(create, own(), keys.get(needs === 'tasks.log' ? 'tasks.light' : 'tasks.log'), order);
    expect(reader.body.message).toBe(`Access denied: the key lacks the permission ${needs}`);
  });

  test('is created with its permission alone, in the grant', async () => {
    expect(await openers(guests, create, host, order)).toEqual([needs]);
    const other = needs === 'tasks.log' ? 'tasks.light' : 'tasks.log';
    const { body: refusal } = await ask(create, host, guests.get(other), order);
    expect(refusal).toEqual({
      statusCode: 403,
      message: `Access denied: the grant lacks the permission ${needs}`,
      error: 'Forbidden',
    });
  });
});

test('a saved set of pools is given with its own permission or with that of all pools; others are not', async () => {
  const create = `POST ${V2_FARM}/task-batches`;
  const task = { task_name: 'miner.pool.update', miner_ids: [UNKNOWN] };
  const saved = { ...task, params: { pool_set: 'main' } };
  const set = { pools: [{ url: 'stratum+tcp://pool.example:3333', user: 'w' }] };
  expect(await openers(keys, create, own(), saved)).toEqual(['tasks.pools_saved', 'tasks.pools']);
  expect(await openers(guests, create, host, saved)).toEqual(['tasks.pools_saved', 'tasks.pools']);
  const free = { ...task, params: set };
  expect((await ask(create, own(), keys.get('tasks.pools_saved'), free)).body.message).toBe(
    'Access denied: the key lacks the permission tasks.pools',
  );
});

test('a grant of tasks.create means reboots: it neither sets pools, nor writes firmware, nor updates agents', async () => {
  const { admin } = rig.service;
  const { id: granteeId } = await admin.createWorkspace({ name: 'Partner', slug: 'partner' });
  await admin.createGrant({ grantorId: host.workspaceId, granteeId, permissions: ['tasks.create'] });
  const { key } = await admin.createKey({ workspaceId: granteeId, name: 'partner', role: 'admin' });
  const allowed: string[] = [];
  for (const task_name of EXECUTION_TASK_NAMES) {
    const order = { task_name, ...ORDERS[task_name].body };
    if ((await ask(`POST ${V2_FARM}/task-batches`, host, key, order)).status === 200) allowed.push(task_name);
  }
  expect(allowed).toEqual(['miner.system.reboot']);
  const { body } = await ask('GET /public-api/v2/workspaces', host, key);
  expect(body.data).toContainEqual(expect.objectContaining({ id: host.workspaceId, permissions: ['tasks.reboot'] }));
  const reboot = { task_name: 'miner.system.reboot', miner_ids: [UNKNOWN] };
  expect((await ask(`POST ${V1_FARM}/tasks/batches`, host, key, reboot)).status).toBe(200);
});

test('of two grants each allows its own on its own farms', async () => {
  const { admin } = rig.service;
  const { id: granteeId } = await admin.createWorkspace({ name: 'Two', slug: 'two' });
  const { id: farmId } = await admin.createFarm({ workspaceId: host.workspaceId, name: 'South' });
  const grant = { grantorId: host.workspaceId, granteeId };
  await admin.createGrant({ ...grant, permissions: ['tasks.reboot'], farmIds: [host.farmId] });
  await admin.createGrant({ ...grant, permissions: ['tasks.pools'], farmIds: [farmId] });
  const { key } = await admin.createKey({ workspaceId: granteeId, name: 'two', role: 'admin' });
  const statusOf = async (task_name: 'miner.system.reboot' | 'miner.pool.update', place: Place) =>
    (await ask(`POST ${V2_FARM}/task-batches`, place, key, { task_name, ...ORDERS[task_name].body })).status;
  const south = { ...host, farmId };
  expect([await statusOf('miner.system.reboot', host), await statusOf('miner.pool.update', host)]).toEqual([200, 403]);
  expect([await statusOf('miner.system.reboot', south), await statusOf('miner.pool.update', south)]).toEqual([
    403, 200,
  ]);
});

describe('roles', () => {
  test('each has what the one before has, the last one has everything', () => {
    const [...sets] = ROLES.map((role) => new Set(permissionsOf(role)));
    for (const [index, set] of sets.entries())
      expect([...(sets[index - 1] ?? [])].every((one) => set.has(one))).toBe(true);
    expect(sets.at(-1)).toEqual(new Set(PERMISSIONS));
  });

  test('each task has a permission of the table', () => {
    expect(Object.keys(PERMISSION_ROWS)).toEqual(expect.arrayContaining([...TASK_PERMISSIONS]));
  });

  // biome-ignore format: a table
  test.each([
    ['viewer', []],
    ['technician', ['agent.scan.create', 'miner.light.update', 'miner.log.get', 'miner.refresh.get', 'miner.system.reboot']],
    ['operator', ['agent.scan.create', 'miner.light.update', 'miner.log.get', 'miner.power_mode.update', 'miner.refresh.get', 'miner.system.reboot']],
    ['manager', EXECUTION_TASK_NAMES.filter((name) => name !== 'agent.self.update')],
    ['admin', EXECUTION_TASK_NAMES],
  ] as const)('a key of the role %s creates its tasks and reads the farm', async (role, tasks) => {
    const { key } = await rig.service.admin.createKey({ workspaceId: rig.workspaceId, name: role, role });
    const allowed: string[] = [];
    for (const task_name of EXECUTION_TASK_NAMES) {
      const { status } = await ask(`POST ${V2_FARM}/task-batches`, own(), key, { task_name, ...ORDERS[task_name].body });
      if (status === 200) allowed.push(task_name);
    }
    expect(allowed.toSorted()).toEqual([...tasks].toSorted());
    const reads = ROWS.filter(({ opens }) => opens.length === 1 && opens[0]?.endsWith('.read'));
    for (const { route, opens } of reads)
      if (role === 'admin' || opens[0] !== 'audit.read')
        expect([route, (await ask(route, own(), key)).status]).not.toContain(403);
    const changes = await ask(`PATCH ${V2_FARM}/miners/:miner_id`, own(), key);
    expect(changes.status === 403).toBe(role === 'viewer');
    const cancel = await ask(`POST ${V2_FARM}/task-batches/:task_batch_id/cancel`, own(), key);
    expect(cancel.status === 403).toBe(role === 'viewer' || role === 'technician');
  });
});
