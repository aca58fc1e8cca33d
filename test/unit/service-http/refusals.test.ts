// What answers say of requests that do not fit: the place, what was received there, what is accepted, and nothing that
// is not so.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, type Rig, startOwnedRig } from './rig.ts';

let rig: Rig;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
});
afterAll(() => stop());

const v2 = (path: string) => `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}${path}`;
const expectRefusal = ({ status, body }: { status: number; body: { message: string } }, message: string) =>
  expect([status, body.message]).toEqual([400, `Invalid request parameters: ${message}`]);

test.each([
  [{ status: { like: 'o' } }, 'status: received {"like":"o"}, has no field "like"; accepted: eq, ne, in, nin'],
  [{ status: {} }, 'status: received {}, accepted: an object with at least one of eq, ne, in, nin'],
  [
    { created_at: { gte: 5 } },
    'created_at.gte: received 5, accepted: an ISO 8601 time in UTC such as 2026-01-31T12:00:00Z',
  ],
  [{ status: 'pending' }, 'status: received "pending", accepted: an object'],
  [{ actor_type: { eq: 'robot' } }, 'actor_type.eq: received "robot", accepted: user, api_key, agent, system'],
  [{ page: 1.5 }, 'page: received 1.5, accepted: a whole number'],
  [[], 'body: received [], accepted: an object'],
])('a search body %j', async (body, message) => {
  expectRefusal(await rig.post(rig.farm('/tasks/search'), body), message);
});

test('a field that is not there is one problem, and not nothing received', async () => {
  const patch = (body: unknown) =>
    call(rig.url + v2('/miners/x'), {
      method: 'PATCH',
      headers: { 'x-api-key': rig.key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  expectRefusal(
    await patch({ foo: 1 }),
    'body: received {"foo":1}, has no field "foo"; accepted: ops_status, rack, position',
  );
  expectRefusal(
    await patch({}),
    'body: received {}, accepted: an object with at least one of ops_status, rack, position',
  );
});

test('an order without a name that is known is told which it had', async () => {
  const order = { task_name: 'miner.system.explode', miner_ids: ['x'], params: { note: 'n' } };
  const refusal = await rig.post(v2('/task-batches'), order);
  expect(refusal.body.message).toContain('task_name: received "miner.system.explode", accepted: miner.system.reboot,');
  const nameless = await rig.post(v2('/task-batches'), { miner_ids: ['x'] });
  expect(nameless.body.message).toContain('task_name: received nothing, accepted: miner.system.reboot,');
  expectRefusal(await rig.post(v2('/task-batches'), []), 'body: received [], accepted: an object');
});

test('what is missing is nothing received, said once', async () => {
  expectRefusal(
    await rig.post(rig.farm('/tasks/batches'), {}),
    'task_name: received nothing, accepted: miner.system.reboot; miner_ids: received nothing, accepted: a list',
  );
  const answer = await rig.post(v2('/task-batches'), { task_name: 'miner.light.update', miner_ids: ['x'] });
  expectRefusal(answer, 'params: received nothing, accepted: an object');
});

test('who may not learns whether the key or the grant lacks the permission', async () => {
  const { admin } = rig.service;
  const grantee = await admin.createWorkspace({ name: 'G', slug: 'refusals-grantee' });
  await admin.createGrant({ grantorId: rig.workspaceId, granteeId: grantee.id, permissions: ['miners.read'] });
  const messageTo = async (permissions: readonly string[]) => {
    const { key } = await admin.createKey({ workspaceId: grantee.id, name: 'k', permissions });
    const { status, body } = await rig.get(rig.farm('/tasks/batches'), { 'x-api-key': key });
    return [status, body.message];
  };
  expect(await messageTo(['tasks.read'])).toEqual([403, 'Access denied: the grant lacks the permission tasks.read']);
  expect(await messageTo(['miners.read'])).toEqual([403, 'Access denied: the key lacks the permission tasks.read']);
});
