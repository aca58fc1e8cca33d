// Logging in, what a session is good for, and how it ends.
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openSocket } from './board-readers.ts';
import { addFarm, addPerson, type Browser, claimAdmin, createBrowser, PASSWORD, SESSION } from './browser.ts';
import { type Rig, recordingLog, startRig } from './rig.ts';

const HOUR_MS = 3_600_000;

test('the first admin claims the workspace, logs out, and logs in again', async () => {
  const rig = await startRig();
  const { code } = await rig.service.admin.people.claim(rig.workspaceId);
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
  const browser = createBrowser(rig);
  expect((await browser.get(SESSION)).status).toBe(401);
  const claimed = await browser.claim(code.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l'), {
    name: ' Ada ',
    password: PASSWORD,
  });
  expect(claimed.status).toBe(200);
  const [cookie] = claimed.headers.getSetCookie();
  expect(cookie).toMatch(/^pithead=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(claimed.body.data).toMatchObject({
    person: { name: 'Ada' },
    ...{ is_wall: false, is_paired: false },
    workspaces: [{ id: rig.workspaceId, role: 'admin' }],
    farms: [{ id: rig.farmId, workspace_id: rig.workspaceId, role: 'admin' }],
  });
  expect(claimed.body.data.workspaces[0].permissions).toContain('people.update');
  expect((await browser.get(SESSION)).body.data.person).toEqual(claimed.body.data.person);
  expect((await browser.get('/public-api/v2/workspaces')).status).toBe(200);
  expect((await browser.delete(SESSION)).body.data).toEqual({ ended_count: 1 });
  expect(browser.cookie()).toBeUndefined();
  browser.setCookie(cookie?.split(';')[0]);
  const ended = await browser.get('/public-api/v2/workspaces');
  expect([ended.status, ended.body.message]).toEqual([401, 'The session was ended: log in again']);
  // It can be ended once more, and that clears the cookie.
  expect((await browser.delete(SESSION)).body.data).toEqual({ ended_count: 0 });
  expect((await browser.login('ADA', PASSWORD)).status).toBe(200);
});

test('a session ends when it is not used for 12 hours, of a paired phone for 30 days, of a wall never', async () => {
  const rig = await startRig();
  const { people } = rig.service.admin;
  const desk = await claimAdmin(rig);
  const phone = createBrowser(rig);
  const paired = await phone.claim((await people.pair('Ada')).code);
  expect(paired.body.data).toMatchObject({ person: { name: 'Ada' }, is_paired: true });
  expect(paired.headers.getSetCookie()[0]).toMatch(/Max-Age=34560000/);
  const wall = createBrowser(rig);
  const hung = await wall.claim((await people.wall({ farmId: rig.farmId })).code);
  expect(hung.body.data).toMatchObject({
    is_wall: true,
    expires_at: null,
    farms: [{ id: rig.farmId, role: 'viewer' }],
  });
  const good = async () => [
    ...[(await desk.get(SESSION)).status, (await phone.get(SESSION)).status, (await wall.get(SESSION)).status],
  ];
  expect(await good()).toEqual([200, 200, 200]);
  // Used now and then it goes on.
  for (let n = 0; n < 3; n++) {
    rig.clock.step(11 * HOUR_MS);
    expect(await good()).toEqual([200, 200, 200]);
    await settled(rig);
  }
  rig.clock.step(12 * HOUR_MS + 1_000);
  expect(await good()).toEqual([401, 200, 200]);
  expect((await desk.get(SESSION)).body.message).toBe('The session was not used for too long: log in again');
  await settled(rig);
  rig.clock.step(31 * 24 * HOUR_MS);
  expect(await good()).toEqual([401, 401, 200]);
  expect((await wall.get(`/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/miners`)).status).toBe(200);
});

test('what a page asks by itself makes no session last longer: not with its header, not by its socket', async () => {
  const rig = await startRig();
  const { people } = rig.service.admin;
  const desk = await claimAdmin(rig);
  const phone = createBrowser(rig);
  await phone.claim((await people.pair('Ada')).code);
  const wall = createBrowser(rig);
  await wall.claim((await people.wall({ farmId: rig.farmId })).code);
  const farm = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}`;
  const headers = { 'pithead-unattended': '1' };
  const asks = (browser: Browser) => [
    ...[browser.get(SESSION, { headers }), browser.get(`${farm}/board`, { headers })],
    browser.post(`${farm}/miners/search`, {}, { headers }),
  ];
  const connect = async () => {
    const cookie = desk.cookie() ?? '';
    const { socket } = openSocket(rig, { key: '', headers: { cookie, origin: rig.url } });
    await once(socket, 'open');
    socket.terminate();
  };
  const lastUsed = async (browser: Browser) => {
    const { data } = (await browser.get(`${SESSION}/devices`, { headers })).body;
    return data.find(({ is_current }: { is_current: boolean }) => is_current).last_used_at;
  };
  const before = await lastUsed(phone);
  for (let hour = 0; hour < 11; hour++) {
    rig.clock.step(HOUR_MS);
    await connect();
    for (const answer of await Promise.all([desk, phone, wall].flatMap(asks))) expect(answer.status).not.toBe(401);
    await settled(rig);
  }
  expect(await lastUsed(phone)).toBe(before);
  // That of a screen says that it is on.
  expect(Date.parse(await lastUsed(wall))).toBeGreaterThan(Date.parse(before) + 10 * HOUR_MS);
  rig.clock.step(HOUR_MS + 1_000);
  const ended = await desk.get(SESSION, { headers });
  expect([ended.status, ended.body.message]).toEqual([401, 'The session was not used for too long: log in again']);
  expect((await wall.get(SESSION, { headers })).status).toBe(200);
  // One request of a person counts.
  expect((await phone.get(SESSION)).status).toBe(200);
  await settled(rig);
  expect(Date.parse(await lastUsed(phone))).toBeGreaterThan(Date.parse(before) + 11 * HOUR_MS);
});

/** What is written beside requests is written. */
async function settled(rig: Rig): Promise<void> {
  await rig.service.admin.people.list();
  await new Promise((resolve) => setTimeout(resolve, 50));
}

test('devices are listed and ended, and a new password ends the others', async () => {
  const rig = await startRig();
  const desk = await claimAdmin(rig);
  const phone = createBrowser(rig);
  await phone.claim((await rig.service.admin.people.pair('Ada')).code);
  const third = createBrowser(rig);
  await third.login('Ada', PASSWORD);
  const { data } = (await desk.get(`${SESSION}/devices`)).body;
  expect(data).toHaveLength(3);
  expect(data[2]).toMatchObject({
    device: 'Firefox on Android',
    address: '127.0.0.1',
    is_current: true,
    is_paired: false,
  });
  expect(data[1]).toMatchObject({ is_current: false, is_paired: true });
  expect(Object.keys(data[0])).not.toContain('token');
  expect((await desk.delete(`${SESSION}/devices/${data[0].id}`)).body.data).toEqual({ ended_count: 1 });
  expect((await desk.delete(`${SESSION}/devices/${data[0].id}`)).status).toBe(404);
  expect((await third.get(SESSION)).status).toBe(401);
  expect((await phone.get(SESSION)).status).toBe(200);
  const change = (current: string, next: string) =>
    desk.post(`${SESSION}/password`, { current_password: current, new_password: next });
  const next = 'another long night';
  for (const [current, wanted, text] of [
    ['not this one', next, /current_password: it is not the password/],
    [PASSWORD, PASSWORD, /new_password: received the current one/],
    [PASSWORD, 'short', /new_password: received a value that is not shown, accepted: 10 to 128 characters/],
  ] as const)
    expect((await change(current, wanted)).body).toMatchObject({
      statusCode: 400,
      message: expect.stringMatching(text),
    });
  expect((await change(PASSWORD, next)).body.data).toEqual({ ended_count: 1 });
  expect((await phone.get(SESSION)).status).toBe(401);
  expect((await desk.get(SESSION)).status).toBe(200);
  expect((await third.login('Ada', PASSWORD)).status).toBe(401);
  expect((await third.login('Ada', next)).status).toBe(200);
  expect((await desk.delete(`${SESSION}/devices`)).body.data).toEqual({ ended_count: 1 });
});

test('an open stream ends with the session that opened it', async () => {
  const rig = await startRig();
  const admin = await claimAdmin(rig);
  const path = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/events/stream`;
  const stream = await fetch(rig.url + path, { headers: { cookie: admin.cookie() ?? '' } });
  expect(stream.status).toBe(200);
  await admin.delete(SESSION);
  expect(await stream.text()).toContain('{"reason":"revoked"}');
});

test('of a person twenty sessions stay, the newest', async () => {
  const rig = await startRig({});
  const first = await claimAdmin(rig);
  const browsers = [];
  for (let n = 0; n < 20; n++) {
    rig.clock.step(60_000);
    const browser = createBrowser(rig);
    expect((await browser.login('Ada', PASSWORD)).status).toBe(200);
    browsers.push(browser);
  }
  expect((await first.get(SESSION)).status).toBe(401);
  expect((await browsers[0]?.get(`${SESSION}/devices`))?.body.data).toHaveLength(20);
});

test('a person with roles in farms sees those farms, and may do there what the role says', async () => {
  const rig = await startRig();
  const north = await addFarm(rig, 'North');
  const south = await addFarm(rig, 'South');
  const farmRoles = [
    { farmId: north, role: 'technician' as const },
    { farmId: rig.farmId, role: 'viewer' as const },
  ];
  const person = await addPerson(rig, 'Grace', { farmRoles });
  const workspace = `/public-api/v2/workspaces/${rig.workspaceId}`;
  const listed = await person.get(`${workspace}/farms`);
  expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([rig.farmId, north]);
  const session = (await person.get(SESSION)).body.data;
  expect(session.workspaces).toMatchObject([{ role: null, permissions: [] }]);
  expect(session.farms.map((farm: { id: string; role: string }) => [farm.id, farm.role])).toEqual([
    [rig.farmId, 'viewer'],
    [north, 'technician'],
  ]);
  const miners = async (farmId: string) => (await person.get(`${workspace}/farms/${farmId}/miners`)).status;
  expect([await miners(rig.farmId), await miners(north), await miners(south)]).toEqual([200, 200, 404]);
  const reboot = async (farmId: string) =>
    person.post(`${workspace}/farms/${farmId}/task-batches`, { task_name: 'miner.system.reboot', miner_ids: ['x'] });
  expect((await reboot(north)).status).toBe(200);
  const refused = await reboot(rig.farmId);
  expect(refused.status).toBe(403);
  expect(refused.body.message).toMatch(/^Access denied: the role lacks a permission for tasks: one of tasks.reboot, /);
  expect((await reboot(south)).status).toBe(404);
  expect((await person.get(`${workspace}/audit`)).status).toBe(403);
  expect((await person.get('/private-api/v1/me/grants')).status).toBe(403);
  expect((await person.get('/public-api/v2/workspaces')).body.data).toMatchObject([{ id: rig.workspaceId }]);
});

test('the name of a person stands in batches, audit and log, and no secret does', async () => {
  const log = recordingLog();
  const rig = await startRig({ log });
  const admin = await claimAdmin(rig);
  const farm = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}`;
  const made = await admin.patch(`${farm}/miners/${rig.farmId}`, { ops_status: 'retired' });
  expect(made.status).toBe(404);
  expect(
    (await admin.post(`${farm}/task-batches`, { task_name: 'miner.system.reboot', miner_ids: ['x'] })).status,
  ).toBe(200);
  await admin.login('Ada', 'wrong wrong wrong');
  const { data } = (await admin.get(`/public-api/v2/workspaces/${rig.workspaceId}/audit`)).body;
  const id = (await admin.get(SESSION)).body.data.person.id;
  const created = data.find(({ action }: { action: string }) => action === 'person.created');
  expect(created).toMatchObject({ actor: { type: 'user', id, name: 'Ada' }, detail: { by: 'claim', name: 'Ada' } });
  expect(log.lines.some(({ fields }) => fields.user === id)).toBe(true);
  const everything = JSON.stringify([data, log.lines]);
  for (const secret of [PASSWORD, 'wrong wrong', admin.cookie()?.split('=')[1] ?? 'no cookie'])
    expect(everything).not.toContain(secret);
});
