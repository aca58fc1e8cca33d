// The API keys of a workspace over the interface: made, listed, ended; who may do that, and what stands in the trail.
import { expect, test } from 'vitest';
import { addPerson, claimAdmin } from './browser.ts';
import { call, type Rig, startRig } from './rig.ts';

const keysOf = ({ workspaceId }: Pick<Rig, 'workspaceId'>, path = '') =>
  `/public-api/v2/workspaces/${workspaceId}/keys${path}`;
const trailOf = async (rig: Rig) =>
  (await rig.get(`/public-api/v2/workspaces/${rig.workspaceId}/audit?order=newest&page_size=100`)).body.data;

test('an admin makes a key, which opens what it says, and ends it', async () => {
  const rig = await startRig();
  const admin = await claimAdmin(rig);
  const expires_at = new Date(rig.clock.nowMs() + 86_400_000).toISOString();
  const made = (await admin.post(keysOf(rig), { name: ' dashboard ', role: 'viewer', expires_at })).body.data;
  expect(made).toEqual({
    ...{ id: expect.stringMatching(/^[0-9a-f]{8}$/), name: 'dashboard', role: 'viewer', permissions: [] },
    ...{ created_at: expect.any(String), expires_at, last_used_at: null, revoked_at: null },
    key: expect.stringMatching(new RegExp(`^phk_${made.id}_[\\w-]{43}$`)),
  });
  const { key, ...shown } = made;
  const byKey = { 'x-api-key': key };
  expect((await rig.get(rig.farm('/miner/latest'), byKey)).status).toBe(200);
  expect((await rig.get(keysOf(rig), byKey)).status).toBe(403);
  const list = await admin.get(`${keysOf(rig)}?page_size=100`);
  const listed = list.body.data.find(({ id }: { id: string }) => id === made.id);
  expect(listed).toEqual({ ...shown, last_used_at: expect.any(String) });
  expect(JSON.stringify(list.body)).not.toContain('phk_');
  const ended = await admin.delete(keysOf(rig, `/${made.id}`));
  expect(ended.body.data).toEqual({ ...listed, revoked_at: expect.any(String) });
  expect((await rig.get(rig.farm('/miner/latest'), byKey)).status).toBe(401);
  rig.clock.step(1_000);
  // Once more it stays as it is, and that is no act.
  expect((await admin.delete(keysOf(rig, `/${made.id}`))).body.data).toEqual(ended.body.data);
  const acts = (await trailOf(rig)).filter(({ subject }: { subject: { key?: string } }) => subject.key === made.id);
  expect(acts).toEqual([
    expect.objectContaining({
      ...{ action: 'key.revoked', detail: { name: 'dashboard' } },
      actor: expect.objectContaining({ type: 'user', name: 'Ada' }),
    }),
    expect.objectContaining({
      ...{ action: 'key.created', detail: { name: 'dashboard', role: 'viewer', permissions: [], expires_at } },
      actor: expect.objectContaining({ type: 'user', name: 'Ada' }),
    }),
  ]);
  expect(JSON.stringify(await trailOf(rig))).not.toContain('phk_');
});

test('what does not fit is refused, and the field is named', async () => {
  const rig = await startRig();
  const admin = await claimAdmin(rig);
  const refused: readonly (readonly [object, RegExp])[] = [
    [{ name: 'x' }, /role: received none and no permissions/],
    [{ name: 'x', role: 'viewer', permissions: ['miners.read'] }, /role: received one beside permissions/],
    [{ name: 'x', permissions: [] }, /permissions: /],
    [{ name: 'x', permissions: ['all'] }, /permissions\[0\]: received "all", accepted: farms.read, /],
    [{ name: 'x', role: 'boss' }, /role: received "boss", accepted: viewer, technician/],
    [{ name: ' ', role: 'viewer' }, /name: received "", accepted: 1 to 128 characters that can be seen/],
    [{ name: 'a\u202eb', role: 'viewer' }, /name: /],
    [{ name: 'x', role: 'viewer', expires_at: '2020-01-01T00:00:00Z' }, /expires_at: received a time that has passed/],
    [{ name: 'x', role: 'viewer', key: 'mine' }, /has no field/],
  ];
  for (const [body, text] of refused) {
    const { status, body: answer } = await admin.post(keysOf(rig), body);
    expect([body, status, answer.message]).toEqual([body, 400, expect.stringMatching(text)]);
  }
});

test('keys of another workspace are not there, and neither are those that nothing has', async () => {
  const rig = await startRig();
  const admin = await claimAdmin(rig);
  const { id: workspaceId } = await rig.service.admin.createWorkspace({ name: 'Else', slug: 'else' });
  const theirs = await rig.service.admin.createKey({ workspaceId, name: 'theirs', role: 'viewer' });
  expect((await admin.get(keysOf({ workspaceId }))).status).toBe(404);
  expect((await admin.post(keysOf({ workspaceId }), { name: 'x', role: 'viewer' })).status).toBe(404);
  for (const id of [theirs.id, '00000000', 'none'])
    expect((await admin.delete(keysOf(rig, `/${id}`))).status).toBe(404);
  const all = await rig.service.admin.listKeys(workspaceId);
  expect(all.map(({ revokedAt }) => revokedAt)).toEqual([null]);
});

test('a caller gives no key that may more than itself, and ends none that may more', async () => {
  const rig = await startRig();
  const admin = await claimAdmin(rig);
  const permissions = ['keys.update', 'farms.read', 'tasks.pools'];
  const { key } = (await admin.post(keysOf(rig), { name: 'giver', permissions })).body.data;
  const headers = { 'x-api-key': key };
  const make = (body: object) => rig.post(keysOf(rig), { name: 'x', ...body }, headers);
  for (const body of [{ role: 'viewer' }, { role: 'admin' }, { permissions: ['farms.read', 'people.update'] }]) {
    const { status, body: answer } = await make(body);
    expect([body, status, answer.message]).toEqual([
      ...[body, 403, expect.stringMatching(/^Access denied: the key may do what the caller may not \([\w.]+\)/)],
    ]);
  }
  // What one of its own includes is its own too.
  const less = await make({ permissions: ['farms.read', 'tasks.pools_saved'] });
  expect(less.body.data).toMatchObject({ role: null, permissions: ['farms.read', 'tasks.pools_saved'] });
  const all = (await admin.get(`${keysOf(rig)}?page_size=100`)).body.data;
  const mighty = all.find(({ role }: { role: string }) => role === 'admin');
  const end = (id: string) => call(rig.url + keysOf(rig, `/${id}`), { method: 'DELETE', headers });
  expect((await end(mighty.id)).status).toBe(403);
  expect((await rig.get(rig.farm('/miner/latest'))).status).toBe(200);
  expect((await end(less.body.data.id)).status).toBe(200);
});

test('a manager of a farm has no part in keys, and a session only where others cannot read it', async () => {
  const rig = await startRig({ trustProxy: ['127.0.0.1'] });
  const admin = await claimAdmin(rig);
  const manager = await addPerson(rig, 'Mia', { role: 'manager' });
  const body = { name: 'x', role: 'viewer' };
  expect((await manager.get(keysOf(rig))).status).toBe(403);
  expect((await manager.post(keysOf(rig), body)).status).toBe(403);
  const plain = await admin.post(keysOf(rig), body, { headers: { 'x-forwarded-for': '192.0.2.1' } });
  expect([plain.status, plain.body.message]).toEqual([403, expect.stringMatching(/encrypt|TLS|plain/i)]);
  const elsewhere = await admin.post(keysOf(rig), body, { headers: { origin: 'https://evil.example' } });
  expect(elsewhere.status).toBe(403);
  expect((await admin.post(keysOf(rig), body)).status).toBe(200);
});
