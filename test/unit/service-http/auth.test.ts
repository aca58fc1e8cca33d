// Who may do what, in the interface's words and order: key, workspace, permission, farm. Foreign things are never
// confirmed.
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { RULES } from '../../../src/service/auth/rules.data.ts';
import { DEFAULT_LIMITS } from '../../../src/service/http/server.ts';
import { query } from './database.ts';
import { minerRecord } from './records.ts';
import { type Answer, call, type Rig, recordingLog, startOwnedRig, startRig } from './rig.ts';
import { connect, enrol } from './wire-agent.ts';

const HOUR_MS = 3_600_000;
const UNKNOWN = '01900000-0000-7000-8000-000000000000';

let rig: Rig;
let stop: () => Promise<void>;
let foreign: { workspaceId: string; farmId: string; secondFarmId: string };

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig({
    limits: { ...DEFAULT_LIMITS, rates: { ...DEFAULT_LIMITS.rates, perWorkspace: 10_000, perStranger: 10_000 } },
  }));
  const { admin } = rig.service;
  const workspace = await admin.createWorkspace({ name: 'Foreign', slug: 'foreign' });
  const farm = await admin.createFarm({ workspaceId: workspace.id, name: 'North' });
  const second = await admin.createFarm({ workspaceId: workspace.id, name: 'South' });
  foreign = { workspaceId: workspace.id, farmId: farm.id, secondFarmId: second.id };
  const agent = await connect(rig, { identity: await enrol(rig, farm.id) });
  await agent.report([minerRecord(1, rig.clock.nowMs())]);
  await agent.close();
});
afterAll(() => stop());

type Place = { workspaceId: string; farmId: string };
/** Every v1 route (v2-auth.long.test.ts has the others) as a request to a place; `body` is one that is accepted. */
const ROUTES = [
  { route: 'GET /private-api/v1/:workspace_id/farms/:farm_id/miner/latest', body: undefined },
  {
    route: 'POST /private-api/v1/:workspace_id/farms/:farm_id/tasks/batches',
    body: { task_name: 'miner.system.reboot', miner_ids: [UNKNOWN] },
  },
  { route: 'GET /private-api/v1/:workspace_id/farms/:farm_id/tasks/batches', body: undefined },
  { route: 'POST /private-api/v1/:workspace_id/farms/:farm_id/tasks/search', body: {} },
  { route: 'POST /private-api/v1/:workspace_id/agents/search', body: {} },
  { route: 'GET /private-api/v1/me/grants', body: undefined },
] as const;

function request(
  { route, body }: (typeof ROUTES)[number],
  place: Place,
  headers: Record<string, string> = { 'x-api-key': rig.key },
): Promise<Answer> {
  const [method = '', path = ''] = route.split(' ');
  const url = rig.url + path.replace(':workspace_id', place.workspaceId).replace(':farm_id', place.farmId);
  return call(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const own = (): Place => ({ workspaceId: rig.workspaceId, farmId: rig.farmId });
const isAboutFarm = (route: string) => route.includes(':farm_id');
const isAboutWorkspace = (route: string) => route.includes(':workspace_id');

test('the routes of these tests are the v1 routes of the table', () => {
  const ofV1 = Object.keys(RULES).filter((route) => route.includes(' /private-api/v1/'));
  expect(ROUTES.map(({ route }) => route).toSorted()).toEqual(ofV1.toSorted());
});

function ruleOf(route: string) {
  const rule = RULES[route];
  if (rule?.access !== 'key' || rule.permission === 'any' || rule.permission === 'any-task')
    throw new Error(`${route} asks for no permission`);
  return { ...rule, permission: rule.permission };
}

let guests = 0;

describe.each(ROUTES)('$route', (entry) => {
  const { route } = entry;
  const refused = async (
    place: Place,
    headers: Record<string, string>,
    status: number,
    error: string,
    message: string,
  ) => {
    const answer = await request(entry, place, headers);
    expect(answer.body).toEqual({ statusCode: status, message, error });
    expect(answer.status).toBe(status);
  };

  test('answers a good key, given either way', async () => {
    expect((await request(entry, own())).status).toBe(200);
    expect((await request(entry, own(), { authorization: `Bearer ${rig.key}` })).status).toBe(200);
    expect((await request(entry, own(), { authorization: `bearer ${rig.key}` })).status).toBe(200);
  });

  test('refuses a request without key', async () => {
    for (const headers of [{}, { 'x-api-key': '' }, { authorization: 'Basic YTpi' }, { authorization: 'Bearer ' }])
      await refused(own(), { ...headers }, 401, 'Unauthorized', 'Missing x-api-key header');
  });

  test('refuses keys that are wrong, revoked or expired', async () => {
    const { admin } = rig.service;
    const { workspaceId } = rig;
    const revoked = await admin.createKey({ workspaceId, name: 'revoked', role: 'admin' });
    await admin.revokeKey(revoked.id);
    const expired = await admin.createKey({
      workspaceId,
      name: 'expired',
      role: 'admin',
      expiresAt: new Date(rig.clock.nowMs()).toISOString(),
    });
    const wrong = `${rig.key.slice(0, -1)}${rig.key.endsWith('A') ? 'B' : 'A'}`;
    for (const key of ['nonsense', `phk_00000000_${'a'.repeat(43)}`, wrong, `${rig.key}x`, revoked.key, expired.key]) {
      await refused(own(), { 'x-api-key': key }, 401, 'Unauthorized', 'Invalid or missing API key');
      await refused(own(), { authorization: `Bearer ${key}` }, 401, 'Unauthorized', 'Invalid or missing API key');
    }
  });

  test('refuses a key without the permission, and takes one with only it', async () => {
    const rule = ruleOf(route);
    const { workspaceId } = rig;
    const none = await rig.service.admin.createKey({ workspaceId, name: 'none', permissions: [] });
    await refused(
      own(),
      { 'x-api-key': none.key },
      403,
      'Forbidden',
      `Access denied: the key lacks the permission ${rule.permission}`,
    );
    const only = await rig.service.admin.createKey({ workspaceId, name: 'only', permissions: [rule.permission] });
    expect((await request(entry, own(), { 'x-api-key': only.key })).status).toBe(200);
  });

  test.runIf(isAboutWorkspace(route))(
    'refuses a foreign workspace and one that does not exist in the same words',
    async () => {
      const key = { 'x-api-key': rig.key };
      for (const workspaceId of [foreign.workspaceId, UNKNOWN, 'x', '%27', rig.farmId])
        await refused({ workspaceId, farmId: foreign.farmId }, key, 403, 'Forbidden', 'Access denied to workspace');
    },
  );

  test.runIf(isAboutFarm(route))('refuses a foreign farm and one that does not exist in the same words', async () => {
    const rule = RULES[route];
    const isHidden = rule?.access === 'key' && rule.scope === 'farm' && rule.unknownFarm === 'not-found';
    const [status, error, message] = isHidden
      ? ([404, 'Not Found', 'Resource not found'] as const)
      : ([403, 'Forbidden', 'Access denied to farm'] as const);
    for (const farmId of [foreign.farmId, UNKNOWN, 'x', rig.workspaceId])
      await refused({ workspaceId: rig.workspaceId, farmId }, { 'x-api-key': rig.key }, status, error, message);
  });

  test.runIf(isAboutWorkspace(route))(
    'is opened by a grant with the permission, for the farms that it names, until it ends',
    async () => {
      const rule = ruleOf(route);
      const { admin } = rig.service;
      const guest = await admin.createWorkspace({ name: 'Guest', slug: `guest-${guests++}` });
      const { key } = await admin.createKey({ workspaceId: guest.id, name: 'guest', role: 'admin' });
      const headers = { 'x-api-key': key };
      await refused(foreign, headers, 403, 'Forbidden', 'Access denied to workspace');
      const useless = await admin.createGrant({
        grantorId: foreign.workspaceId,
        granteeId: guest.id,
        permissions: ['grants.read'],
      });
      await refused(
        foreign,
        headers,
        403,
        'Forbidden',
        `Access denied: the grant lacks the permission ${rule.permission}`,
      );
      await admin.revokeGrant(useless.id);
      const useful = await admin.createGrant({
        grantorId: foreign.workspaceId,
        granteeId: guest.id,
        farmIds: [foreign.farmId],
        permissions: [rule.permission],
      });
      expect((await request(entry, foreign, headers)).status).toBe(200);
      if (isAboutFarm(route)) {
        const elsewhere = await request(entry, { ...foreign, farmId: foreign.secondFarmId }, headers);
        expect(elsewhere.status).toBe(rule.scope === 'farm' && rule.unknownFarm === 'not-found' ? 404 : 403);
      }
      await admin.revokeGrant(useful.id);
      await refused(foreign, headers, 403, 'Forbidden', 'Access denied to workspace');
      await admin.createGrant({
        grantorId: foreign.workspaceId,
        granteeId: guest.id,
        permissions: [rule.permission],
        // By the clock of the service, which may differ a little.
        expiresAt: new Date(rig.clock.nowMs() - HOUR_MS).toISOString(),
      });
      await refused(foreign, headers, 403, 'Forbidden', 'Access denied to workspace');
    },
  );
});

test('who may not is told so before what is wrong with the request', async () => {
  const path = `/private-api/v1/${foreign.workspaceId}/farms/${foreign.farmId}/tasks/batches`;
  expect((await rig.post(path, { nonsense: true }, {})).status).toBe(401);
  expect((await rig.post(path, { nonsense: true })).status).toBe(403);
  expect((await rig.get(`${path}?page=0`, { 'x-api-key': 'x' })).status).toBe(401);
});

test('x-api-key counts when both headers are given', async () => {
  const { status } = await rig.get(rig.farm('/miner/latest'), {
    'x-api-key': 'wrong',
    authorization: `Bearer ${rig.key}`,
  });
  expect(status).toBe(401);
});

test('a key that expires later works until then; its last use is written down', async () => {
  const { admin } = rig.service;
  const expiresAt = new Date(rig.clock.nowMs() + HOUR_MS).toISOString();
  const { id, key } = await admin.createKey({
    workspaceId: rig.workspaceId,
    name: 'for an hour',
    role: 'admin',
    expiresAt,
  });
  const info = async () => (await admin.listKeys()).find((entry) => entry.id === id);
  expect(await info()).toMatchObject({ lastUsedAt: null, expiresAt, name: 'for an hour' });
  expect((await rig.get(rig.farm('/miner/latest'), { 'x-api-key': key })).status).toBe(200);
  await expect
    .poll(async () => Date.parse((await info())?.lastUsedAt ?? ''))
    .toBeGreaterThan(rig.clock.nowMs() - 60_000);
  rig.clock.step(HOUR_MS);
  expect((await rig.get(rig.farm('/miner/latest'), { 'x-api-key': key })).status).toBe(401);
  rig.clock.step(-HOUR_MS);
});

test('that its use cannot be written down fails no request, and is not tried with every one', async () => {
  const log = recordingLog();
  const own = await startRig({ log });
  const isPostgres = inject('postgres') !== undefined;
  await query(own, isPostgres ? UNUSED.postgres : UNUSED.sqlite);
  onTestFinished(async () => {
    if (isPostgres) await query(own, 'ALTER TABLE api_keys DROP CONSTRAINT unused');
  });
  const warnings = () => log.lines.filter(({ message }) => message === 'write down when a key was used');
  for (let n = 0; n < 3; n++) expect((await own.get(own.farm('/miner/latest'))).status).toBe(200);
  await expect.poll(warnings).toHaveLength(1);
  own.clock.step(60_000);
  expect((await own.get(own.farm('/miner/latest'))).status).toBe(200);
  await expect.poll(warnings).toHaveLength(2);
});

/** Lets nobody write down that a key was used. */
const UNUSED = {
  postgres: 'ALTER TABLE api_keys ADD CONSTRAINT unused CHECK (last_used_at IS NULL)',
  sqlite: "CREATE TRIGGER unused BEFORE UPDATE OF last_used_at ON api_keys BEGIN SELECT RAISE(ABORT, 'unused'); END",
};

test('a granted workspace shows only the agents of the granted farms', async () => {
  const { admin } = rig.service;
  const guest = await admin.createWorkspace({ name: 'Guest', slug: 'guest-agents' });
  const { key } = await admin.createKey({ workspaceId: guest.id, name: 'guest', role: 'admin' });
  await admin.createGrant({
    grantorId: foreign.workspaceId,
    granteeId: guest.id,
    farmIds: [foreign.secondFarmId],
    permissions: ['agents.read'],
  });
  const search = (body: unknown) =>
    rig.post(`/private-api/v1/${foreign.workspaceId}/agents/search`, body, { 'x-api-key': key });
  expect((await search({ farm_id: { eq: foreign.secondFarmId } })).status).toBe(200);
  expect((await search({ farm_id: { eq: foreign.farmId } })).body).toEqual({
    statusCode: 403,
    message: 'Access denied to farm',
    error: 'Forbidden',
  });
});
