// Keys and what they open, at every endpoint of v1, in the words of the interface. Every route with every kind of key
// and place is auth.test.ts.
import { afterAll, beforeAll, expect } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/service/http/server.ts';
import { type Answer, call, type Rig, startOwnedRig } from '../unit/service-http/rig.ts';
import { type Check, rows } from './rows.ts';

const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const GRANTS = 'GET /me/grants';

/** What follows the prefix, with a body that is accepted. */
const ENDPOINTS: readonly (readonly [string, object?])[] = [
  ['GET /W/farms/F/miner/latest'],
  ['POST /W/farms/F/tasks/batches', { task_name: 'miner.system.reboot', miner_ids: [UNKNOWN] }],
  ['GET /W/farms/F/tasks/batches'],
  ['POST /W/farms/F/tasks/search', {}],
  ['POST /W/agents/search', {}],
  [GRANTS],
];

let rig: Rig;
let stop: () => Promise<void>;
let foreign: { workspaceId: string; farmId: string };

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig({
    limits: { ...DEFAULT_LIMITS, rates: { ...DEFAULT_LIMITS.rates, perWorkspace: 10_000, perStranger: 10_000 } },
  }));
  const { id } = await rig.service.admin.createWorkspace({ name: 'Foreign', slug: 'foreign' });
  const farm = await rig.service.admin.createFarm({ workspaceId: id, name: 'North' });
  foreign = { workspaceId: id, farmId: farm.id };
});
afterAll(() => stop());

const own = () => ({ workspaceId: rig.workspaceId, farmId: rig.farmId });

/** One answer per endpoint. */
function askAll(
  headers: Record<string, string>,
  { place = own(), endpoints = ENDPOINTS } = {},
): Promise<{ endpoint: string; answer: Answer }[]> {
  return Promise.all(
    endpoints.map(async ([endpoint, body]) => {
      const [method = '', path = ''] = endpoint.split(' ');
      const url = path.replace('/W', `/${place.workspaceId}`).replace('/F', `/${place.farmId}`);
      const answer = await call(`${rig.url}/private-api/v1${url}`, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { endpoint, answer };
    }),
  );
}

const expectAll = (answers: { endpoint: string; answer: Answer }[], status: number, error: string, message: string) => {
  for (const { endpoint, answer } of answers)
    expect([endpoint, answer.status, answer.body]).toEqual([endpoint, status, { statusCode: status, message, error }]);
};
const expectOpen = (answers: { endpoint: string; answer: Answer }[]) => {
  for (const { endpoint, answer } of answers) expect([endpoint, answer.status]).toEqual([endpoint, 200]);
};
const keyOf = async (
  workspaceId: string,
  { permissions, expiresAt }: { permissions?: []; expiresAt?: string } = {},
) => {
  const scope = permissions === undefined ? { role: 'admin' as const } : { permissions };
  const { id, key } = await rig.service.admin.createKey({ workspaceId, name: 'k', expiresAt, ...scope });
  return { id, headers: { 'x-api-key': key } };
};

rows('Authentication', {
  'in one of two equivalent ways': async () => {
    expectOpen(await askAll({ 'x-api-key': rig.key }));
    expectOpen(await askAll({ authorization: `Bearer ${rig.key}` }));
  },
  'The declared scheme is HTTP bearer with format API key': async () => {
    const { body } = await rig.get('/openapi.json', {});
    const { bearer } = body.components.securitySchemes;
    expect(bearer).toMatchObject({ type: 'http', scheme: 'bearer', bearerFormat: 'API key' });
    expect(body.security).toContainEqual({ bearer: [] });
  },
  'Keys are issued by the platform administrator on request': async () => {
    const { headers } = await keyOf(rig.workspaceId);
    expect(headers['x-api-key']).toMatch(/^phk_[0-9a-f]{8}_\S+$/);
    expectOpen(await askAll(headers));
  },
  'The grants endpoint acts for the workspace that owns the key': async () => {
    const { headers } = await keyOf(foreign.workspaceId);
    await rig.service.admin.createGrant({
      grantorId: rig.workspaceId,
      granteeId: foreign.workspaceId,
      permissions: ['grants.read'],
    });
    const granted = async (key: Record<string, string>) =>
      (await rig.get('/private-api/v1/me/grants', key)).body.data.length;
    expect([await granted(headers), await granted({ 'x-api-key': rig.key })]).toEqual([1, 0]);
  },
  "a grant gives the grantee workspace access to another workspace's resources": async () => {
    const endpoints = ENDPOINTS.filter(([endpoint]) => endpoint !== GRANTS);
    const guest = await rig.service.admin.createWorkspace({ name: 'Guest', slug: 'guest' });
    const { headers } = await keyOf(guest.id);
    const closed = await askAll(headers, { place: foreign, endpoints });
    expectAll(closed, 403, 'Forbidden', 'Access denied to workspace');
    await rig.service.admin.createGrant({
      grantorId: foreign.workspaceId,
      granteeId: guest.id,
      permissions: ['miners.read', 'agents.read', 'tasks.read', 'tasks.create'],
    });
    expectOpen(await askAll(headers, { place: foreign, endpoints }));
  },
  'Scopes, roles or per-endpoint permissions of a key': async () => {
    const { headers } = await keyOf(rig.workspaceId, { permissions: [] });
    for (const { answer } of await askAll(headers)) {
      expect(answer.status).toBe(403);
      expect(answer.body.message).toMatch(/^Access denied: the key lacks the permission \w+\.\w+$/);
    }
  },
});

rows('Authentication failures', {
  '401 · Unauthorized · the x-api-key header is missing': async () => {
    for (const headers of [{}, { 'x-api-key': '' }, { authorization: 'Basic YTpi' }])
      expectAll(await askAll({ ...headers }), 401, 'Unauthorized', 'Missing x-api-key header');
  },
  '401 · Unauthorized · the key is invalid or expired': async () => {
    const revoked = await keyOf(rig.workspaceId);
    await rig.service.admin.revokeKey(revoked.id);
    const over = new Date(rig.clock.nowMs() - 1).toISOString();
    const expired = await keyOf(rig.workspaceId, { expiresAt: over });
    const bad = ['nonsense', `${rig.key}x`, revoked.headers['x-api-key'], expired.headers['x-api-key']];
    for (const key of bad)
      for (const headers of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }])
        expectAll(await askAll({ ...headers }), 401, 'Unauthorized', 'Invalid or missing API key');
  },
  '403 · Forbidden · the key is valid but lacks permission for the resource (for example access to the workspace is denied)':
    async () => {
      const endpoints = ENDPOINTS.filter(([endpoint]) => endpoint !== GRANTS);
      for (const workspaceId of [foreign.workspaceId, UNKNOWN]) {
        const place = { workspaceId, farmId: foreign.farmId };
        const answers = await askAll({ 'x-api-key': rig.key }, { place, endpoints });
        expectAll(answers, 403, 'Forbidden', 'Access denied to workspace');
      }
    },
});

const denied: Check = async () => {
  for (const { answer } of await askAll({})) expect(answer.status).toBe(401);
};

rows('Endpoints', {
  'All endpoints require authentication': denied,
  '`workspace_id` (string), `farm_id` (string)': async () => {
    for (const farmId of [foreign.farmId, UNKNOWN, 'x', rig.workspaceId]) {
      const place = { workspaceId: rig.workspaceId, farmId };
      for (const { endpoint, answer } of await askAll({ 'x-api-key': rig.key }, { place })) {
        if (!endpoint.includes('/F/')) continue;
        const isCreate = endpoint === 'POST /W/farms/F/tasks/batches';
        expect([endpoint, answer.body]).toEqual([
          endpoint,
          isCreate
            ? { statusCode: 404, message: 'Resource not found', error: 'Not Found' }
            : { statusCode: 403, message: 'Access denied to farm', error: 'Forbidden' },
        ]);
      }
    }
  },
  'Every endpoint can answer 400, 401, 403 (create also 404)': async () => {
    const { body } = await rig.get('/openapi.json', {});
    for (const [endpoint] of ENDPOINTS) {
      const [method = '', path = ''] = endpoint.split(' ');
      const url = `/private-api/v1${path.replace('/W', '/{workspace_id}').replace('/F', '/{farm_id}')}`;
      const { responses } = body.paths[url][method.toLowerCase()];
      // The list of grants too: "Errors: 400, 401, 403, 404".
      const isWith404 = endpoint === GRANTS || (method === 'POST' && path.endsWith('/tasks/batches'));
      expect(404 in responses).toBe(isWith404);
      for (const status of [400, 401, 403, ...(isWith404 ? [404] : [])])
        expect(responses[status].content['application/json'].schema.$ref).toBe('#/components/schemas/Error');
    }
  },
});
