// The people of a workspace: added, changed, removed; who may do that to whom; and what a technician may have open.
import { expect, test } from 'vitest';
import { addFarm, addPerson, claimAdmin, createBrowser, PASSWORD, peoplePath, SESSION } from './browser.ts';
import { minerRecord } from './records.ts';
import { call, startRig } from './rig.ts';
import { connect } from './wire-agent.ts';

test('a person is added, sets its own password, and is changed', async () => {
  const rig = await startRig();
  const admin = await claimAdmin(rig);
  const north = await addFarm(rig, 'North');
  const expires_at = new Date(rig.clock.nowMs() + 86_400_000).toISOString();
  const body = { name: '  Gräce ', role: null, farm_roles: [{ farm_id: north, role: 'operator' }], expires_at };
  const made = await admin.post(peoplePath(rig), body);
  expect(made.body.data).toMatchObject({
    ...{ name: 'Gräce', role: null, farm_roles: [{ farm_id: north, role: 'operator' }], expires_at },
    ...{ is_disabled: false, is_wall: false, has_password: false, last_seen_at: null, session_count: 0 },
    code: { purpose: 'reset', code: expect.stringMatching(/^\w{5}-\w{5}$/) },
  });
  const { id, code } = made.body.data;
  const browser = createBrowser(rig);
  expect((await browser.login('Gräce', PASSWORD)).status).toBe(401);
  expect((await browser.claim(code.code, { password: PASSWORD })).status).toBe(200);
  const one = (await admin.get(peoplePath(rig, `/${id}`))).body.data;
  expect(one).toMatchObject({ has_password: true, session_count: 1 });
  const list = await admin.get(`${peoplePath(rig)}?page_size=1&page=2`);
  expect(list.body).toMatchObject({ data: [{ id }], pagination: { total: 2, page: 2 } });
  const changed = await admin.patch(peoplePath(rig, `/${id}`), { role: 'viewer', farm_roles: [], expires_at: null });
  expect(changed.body.data).toMatchObject({ role: 'viewer', farm_roles: [], expires_at: null });
  const reset = (await admin.post(peoplePath(rig, `/${id}/code`), { purpose: 'reset' })).body.data;
  const again = createBrowser(rig);
  expect((await again.claim(reset.code, { password: 'another long night' })).status).toBe(200);
  // A new password ends what was open with the old one.
  expect((await browser.get(SESSION)).status).toBe(401);
});

test('what does not fit is refused, and the field is named', async () => {
  const rig = await startRig();
  const admin = await claimAdmin(rig);
  const { id: elsewhere } = await rig.service.admin.createWorkspace({ name: 'Else', slug: 'else' });
  const { id: foreign } = await rig.service.admin.createFarm({ workspaceId: elsewhere, name: 'Theirs' });
  const refused: readonly (readonly [object, number, RegExp])[] = [
    [{ name: 'x' }, 400, /role: received none and no farm_roles/],
    [{ name: '', role: 'viewer' }, 400, /name: received "", accepted: 1 to 64 characters that can be seen/],
    [{ name: 'a\u202eb', role: 'viewer' }, 400, /name: /],
    [{ name: 'ada', role: 'viewer' }, 409, /name: 'ada' is the name of another person/],
    [{ name: 'x', role: 'boss' }, 400, /role: received "boss", accepted: viewer, technician/],
    [{ name: 'x', farm_roles: [{ farm_id: foreign, role: 'viewer' }] }, 400, /is no farm of the workspace/],
    [
      { name: 'x', role: 'viewer', expires_at: '2020-01-01T00:00:00Z' },
      400,
      /expires_at: received a time that has passed/,
    ],
    [{ name: 'x', role: 'viewer', password: PASSWORD }, 400, /has no field/],
  ];
  for (const [body, status, text] of refused) {
    const answer = await admin.post(peoplePath(rig), body);
    expect([body, answer.status, answer.body.message]).toEqual([body, status, expect.stringMatching(text)]);
  }
  // The people of another workspace are not there.
  const theirs = await rig.service.admin.people.add({
    workspaceId: elsewhere,
    name: 'Eve',
    role: 'admin',
    farmRoles: [],
  });
  for (const path of [peoplePath({ workspaceId: elsewhere }), peoplePath(rig, `/${theirs.id}`)])
    expect((await admin.get(path)).status).toBe(404);
  expect((await admin.delete(peoplePath(rig, `/${theirs.id}`))).status).toBe(404);
  expect((await admin.post(peoplePath(rig, `/${theirs.id}/code`), { purpose: 'pair' })).status).toBe(404);
});

test('the last admin that can log in stays one', async () => {
  const rig = await startRig();
  const admin = await claimAdmin(rig);
  const { id } = (await admin.get(SESSION)).body.data.person;
  const path = peoplePath(rig, `/${id}`);
  const soon = new Date(rig.clock.nowMs() + 60_000).toISOString();
  const tries = () =>
    Promise.all([
      ...[{ role: 'manager' }, { is_disabled: true }, { expires_at: soon }].map((change) => admin.patch(path, change)),
      admin.delete(path),
    ]);
  // An admin that cannot log in yet, or not for long, is none to count on.
  const other = (await admin.post(peoplePath(rig), { name: 'New', role: 'admin' })).body.data;
  await addPerson(rig, 'Short', { role: 'admin' });
  await rig.service.admin.people.change('Short', { expiresAtMs: rig.clock.nowMs() + 60_000 });
  for (const { status, body } of await tries())
    expect([status, body.message]).toEqual([
      409,
      expect.stringMatching(/^Change Ada: it is the last admin of the workspace/),
    ]);
  expect((await createBrowser(rig).claim(other.code.code, { password: PASSWORD })).status).toBe(200);
  expect((await admin.patch(path, { role: 'manager' })).status).toBe(200);
  // It gave itself less, and can give itself nothing back.
  expect((await admin.patch(path, { role: 'admin' })).status).toBe(403);
});

test('two admins that remove each other at the same time leave one', async () => {
  const rig = await startRig();
  const ada = await claimAdmin(rig);
  const bob = await addPerson(rig, 'Bob', { role: 'admin' });
  const { id } = (await ada.get(SESSION)).body.data.person;
  const both = await Promise.all([
    ...[ada.delete(peoplePath(rig, `/${bob.id}`)), bob.delete(peoplePath(rig, `/${id}`))],
  ]);
  expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await rig.service.admin.people.list()).length).toBe(1);
});

test('a caller gives no role that allows more than itself may, and touches no person that may more', async () => {
  const rig = await startRig();
  const admin = await claimAdmin(rig);
  const { id: adminId } = (await admin.get(SESSION)).body.data.person;
  const permissions = [
    'people.update',
    'farms.read',
    'miners.read',
    'agents.read',
    'tasks.read',
    'metrics.read',
    'events.read',
    'grants.read',
  ];
  const { key } = await rig.service.admin.createKey({ workspaceId: rig.workspaceId, name: 'people', permissions });
  const ask = (method: string, path: string, body?: object) =>
    call(rig.url + peoplePath(rig, path), {
      ...{ method, headers: { 'x-api-key': key, 'content-type': 'application/json' } },
      ...(body && { body: JSON.stringify(body) }),
    });
  const refused = await ask('POST', '', { name: 'Eve', role: 'admin' });
  expect([refused.status, refused.body.message]).toEqual([
    ...[403, expect.stringMatching(/^Access denied: the role admin allows more than the caller may do/)],
  ]);
  const eve = await ask('POST', '', { name: 'Eve', role: 'viewer' });
  expect(eve.status).toBe(200);
  const statuses = [
    await ask('PATCH', `/${eve.body.data.id}`, { role: 'technician' }),
    await ask('PATCH', `/${eve.body.data.id}`, { farm_roles: [{ farm_id: rig.farmId, role: 'operator' }] }),
    await ask('POST', `/${adminId}/code`, { purpose: 'reset' }),
    await ask('PATCH', `/${adminId}`, { role: 'viewer' }),
    await ask('DELETE', `/${adminId}`),
    await ask('DELETE', `/${adminId}/sessions`),
  ].map(({ status }) => status);
  expect(statuses).toEqual([403, 403, 403, 403, 403, 403]);
  expect((await ask('PATCH', `/${eve.body.data.id}`, { is_disabled: true })).status).toBe(200);
});

test('an admin of one farm does not manage people', async () => {
  const rig = await startRig();
  await claimAdmin(rig);
  const local = await addPerson(rig, 'Local', { farmRoles: [{ farmId: rig.farmId, role: 'admin' }] });
  for (const path of [peoplePath(rig), `/public-api/v2/workspaces/${rig.workspaceId}/webhooks`])
    expect((await local.get(path)).status).toBe(403);
});

test('a screen reads its farm and nothing more, and ends when it is removed', async () => {
  const rig = await startRig();
  const admin = await claimAdmin(rig);
  const north = await addFarm(rig, 'North');
  const made = await rig.service.admin.people.wall({ farmId: north });
  expect(made.name).toBe('wall North');
  const wall = createBrowser(rig);
  await wall.claim(made.code);
  const farm = (id: string, path: string) => `/public-api/v2/workspaces/${rig.workspaceId}/farms/${id}${path}`;
  const order = { task_name: 'miner.light.update', miner_ids: ['x'], params: { on: true } };
  expect((await wall.get(farm(north, '/miners'))).status).toBe(200);
  expect((await wall.get(farm(rig.farmId, '/miners'))).status).toBe(404);
  expect((await wall.post(farm(north, '/task-batches'), order)).status).toBe(403);
  const password = { current_password: '', new_password: PASSWORD };
  expect((await wall.post(`${SESSION}/password`, password)).body.message).toContain('a screen has no password');
  expect((await wall.login('wall North', '')).status).toBe(401);
  const path = peoplePath(rig, `/${made.id}`);
  expect((await admin.patch(path, { role: 'admin' })).status).toBe(400);
  expect((await admin.post(`${path}/code`, { purpose: 'reset' })).status).toBe(400);
  expect((await admin.get(peoplePath(rig))).body.data).toMatchObject([{ name: 'Ada' }, { is_wall: true }]);
  await admin.delete(path);
  expect((await wall.get(SESSION)).status).toBe(401);
});

test('a technician may have twenty open reboots, in all farms together; an operator any number', async () => {
  const rig = await startRig();
  await claimAdmin(rig);
  const agent = await connect(rig);
  await agent.report(Array.from({ length: 24 }, (_, index) => minerRecord(index, rig.clock.nowMs())));
  const { body } = await rig.get(rig.farm('/miner/latest?pageSize=100'));
  const ids: string[] = body.data.map(({ id }: { id: string }) => id);
  const path = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/task-batches`;
  const order = (some: readonly string[]) => ({ task_name: 'miner.system.reboot', miner_ids: some });
  const technician = await addPerson(rig, 'Tek', { role: 'technician' });
  const tooMany = await technician.post(path, order(ids));
  expect([tooMany.status, tooMany.body.message]).toEqual([
    ...[409, expect.stringMatching(/^Reboot 24 miners: a technician may have 20 open reboots, and Tek has 0; wait/)],
  ]);
  const made = await technician.post(path, order(ids.slice(0, 15)));
  expect(made.body.meta.summary.created_count).toBe(15);
  expect(made.body.data[0].created_by).toMatchObject({ type: 'user', id: technician.id, name: 'Tek' });
  const both = await Promise.all(
    [ids.slice(15, 20), ids.slice(20, 24)].map((some) => technician.post(path, order(some))),
  );
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  // Miners that are rebooted already are none more.
  expect((await technician.post(path, order(ids.slice(0, 15)))).status).toBe(200);
  const operator = await addPerson(rig, 'Op', { role: 'operator' });
  expect((await operator.post(path, order(ids))).status).toBe(200);
});
