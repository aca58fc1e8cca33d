// What attackers try at sessions, codes and passwords: from other pages, with names turned to our address, by guessing,
// by fixing a session, by locking others out.
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { FREE_FAILURES } from '../../../src/service/people/login-failures.ts';
import { addPerson, claimAdmin, createBrowser, PASSWORD, peoplePath, SESSION } from './browser.ts';
import { type Rig, startRig } from './rig.ts';

const WRONG = 'not the password';
/** Something else encrypts the way of clients that come from beyond this host. */
const BEHIND_VPN = { enabled: true, allowPlain: true, hosts: [] };
const FARM_TASKS = ({ workspaceId, farmId }: Rig) =>
  `/public-api/v2/workspaces/${workspaceId}/farms/${farmId}/task-batches`;
const ORDER = { task_name: 'miner.system.reboot', miner_ids: ['x'] };

/** With any Host, which `fetch` does not let one choose. */
function askAs(
  rig: Rig,
  host: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<[number, string]> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const { hostname, port } = new URL(rig.url);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ hostname, port, path, method: text === undefined ? 'GET' : 'POST' },
        headers: { host, ...headers, ...(text === undefined ? {} : { 'content-type': 'application/json' }) },
      },
      async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(Buffer.from(chunk));
        const { message = '' } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
        resolve([answer.statusCode ?? 0, message]);
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}

test('what a session changes comes from our own page, as JSON, or is refused', async () => {
  const rig = await startRig();
  const admin = await claimAdmin(rig);
  const { host } = new URL(rig.url);
  const refused: readonly (readonly [string, Record<string, string | undefined>, number])[] = [
    ['no origin', { origin: undefined }, 403],
    ['the origin of another page', { origin: 'http://evil.example' }, 403],
    ['another port of this host', { origin: `http://127.0.0.1:1` }, 403],
    ['an origin of nothing', { origin: 'null' }, 403],
    ['an origin with a path', { origin: `${rig.url}/x` }, 403],
    ['an origin with a name that begins like ours', { origin: `http://${host}.evil.example` }, 403],
    ['a page of the same site', { 'sec-fetch-site': 'same-site' }, 403],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a form', { 'content-type': 'text/plain' }, 415],
    ['another form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
  ];
  for (const [what, headers, status] of refused) {
    expect([what, (await admin.post(FARM_TASKS(rig), ORDER, { headers })).status]).toEqual([what, status]);
    expect([what, (await admin.delete(SESSION, { headers })).status]).toEqual([what, status]);
    const login = await createBrowser(rig).login('Ada', PASSWORD, { headers });
    expect([what, login.status]).toEqual([what, status]);
  }
  for (const headers of [
    {},
    { 'sec-fetch-site': 'same-origin' },
    { 'content-type': 'application/json; charset=utf-8' },
  ])
    expect((await admin.post(FARM_TASKS(rig), ORDER, { headers })).status).toBe(200);
  const text = (await admin.post(FARM_TASKS(rig), ORDER, { headers: { origin: undefined } })).body.message;
  expect(text).toBe('The request comes from another web page, or from no page: the header Origin is missing');
  // A key is not sent by itself: it needs no origin, and wins over the cookie.
  const keyed = await admin.post(FARM_TASKS(rig), ORDER, { headers: { origin: undefined, 'x-api-key': rig.key } });
  expect(keyed.status).toBe(200);
  const bad = await admin.get('/public-api/v2/workspaces', { headers: { 'x-api-key': `${rig.key}x` } });
  expect([bad.status, bad.body.message]).toEqual([401, 'Invalid or missing API key']);
});

test('a name that is turned to our address opens nothing', async () => {
  const rig = await startRig({
    publicUrl: 'https://farm.example',
    page: { enabled: true, allowPlain: false, hosts: ['pithead.lan'] },
  });
  const admin = await claimAdmin(rig);
  const { port } = new URL(rig.url);
  const cookie = admin.cookie() ?? '';
  const get = async (host: string) => (await askAs(rig, host, SESSION, { cookie }))[0];
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    'localhost.evil.example',
    'x.local.evil.example',
    '2130706433',
    'local',
    'localhost.',
    'user@127.0.0.1',
  ])
    expect([host, await get(host)]).toEqual([host, 403]);
  for (const host of [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `[::1]:${port}`,
    'pithead-north.local',
    'FARM.example',
    `pithead.lan:${port}`,
  ])
    expect([host, await get(host)]).toEqual([host, 200]);
  const origin = 'http://evil.example';
  const login = { name: 'Ada', password: PASSWORD };
  expect((await askAs(rig, 'evil.example', SESSION, { origin }, login))[0]).toBe(403);
  expect((await askAs(rig, 'evil.example', `${SESSION}/claim`, { origin }, { code: 'AAAAA-AAAAA' }))[0]).toBe(403);
  expect((await askAs(rig, 'evil.example', '/public-api/v2/workspaces', { cookie }))[0]).toBe(403);
  const [, message] = await askAs(rig, 'evil.example', SESSION, { cookie });
  expect(message).toMatch(
    /under the host name 'evil.example': open the page by its address, localhost, a .local name, farm.example/,
  );
  // Behind a proxy that names itself as the host, our page has its public address.
  expect((await askAs(rig, `127.0.0.1:${port}`, SESSION, { origin: 'https://farm.example' }, login))[0]).toBe(200);
  // A key has no such trouble.
  expect((await askAs(rig, 'evil.example', '/public-api/v2/workspaces', { 'x-api-key': rig.key }))[0]).toBe(200);
});

test('a login begins a new session, and the one that the browser had ends', async () => {
  const rig = await startRig();
  const admin = await claimAdmin(rig);
  const victim = createBrowser(rig);
  // An attacker has put its own good session, or one that it knows, into the browser.
  const planted = admin.cookie();
  victim.setCookie(planted);
  expect((await victim.login('Ada', PASSWORD)).status).toBe(200);
  expect(victim.cookie()).not.toBe(planted);
  expect((await admin.get(SESSION)).status).toBe(401);
  victim.setCookie(`pithead=${'A'.repeat(43)}`);
  expect((await victim.login('Ada', PASSWORD)).status).toBe(200);
  expect(victim.cookie()).not.toContain('AAAA');
});

test('a cookie of the other scheme, a torn one and a guessed one open nothing', async () => {
  const rig = await startRig();
  const admin = await claimAdmin(rig);
  const token = admin.cookie()?.replace('pithead=', '') ?? '';
  for (const cookie of [
    `__Host-pithead=${token}`,
    `PITHEAD=${token}`,
    `pithead=${token}x`,
    `pithead=${token.slice(1)}`,
    'pithead=',
    `pithead=${encodeURIComponent("' OR 1=1 --")}`,
  ]) {
    const browser = createBrowser(rig);
    browser.setCookie(cookie);
    expect([cookie, (await browser.get(SESSION)).status]).toEqual([cookie, 401]);
    expect([cookie, (await browser.get(peoplePath(rig))).status]).toEqual([cookie, 401]);
  }
  // An API key opens no route of a session.
  for (const path of [SESSION, `${SESSION}/devices`]) expect((await rig.get(path)).status).toBe(401);
});

test('guessing a password costs a wait that grows, from that address alone', async () => {
  const rig = await startRig({ trustProxy: ['127.0.0.1'], page: BEHIND_VPN });
  await claimAdmin(rig);
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const guess = (address: string, name = 'Ada') => createBrowser(rig).login(name, WRONG, from(address));
  for (let n = 0; n < FREE_FAILURES; n++) {
    const { status, body } = await guess('203.0.113.7');
    expect([status, body.message]).toEqual([401, 'Wrong name or password']);
  }
  const waits = [];
  for (let n = 0; n < 8; n++) {
    const refused = await guess('203.0.113.7');
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get('retry-after'));
    waits.push(seconds);
    // The right password is not even looked at.
    expect((await createBrowser(rig).login('ADA', PASSWORD, from('203.0.113.7'))).status).toBe(429);
    rig.clock.step(seconds * 1_000);
    expect((await guess('203.0.113.7')).status).toBe(401);
  }
  expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900, 900]);
  // The person itself is elsewhere and hears nothing of it, nor do others at the same address.
  expect((await createBrowser(rig).login('Ada', PASSWORD, from('198.51.100.1'))).status).toBe(200);
  expect((await guess('203.0.113.7', 'Grace')).status).toBe(401);
  rig.clock.step(900_000);
  expect((await createBrowser(rig).login('Ada', PASSWORD, from('203.0.113.7'))).status).toBe(200);
  expect((await guess('203.0.113.7')).status).toBe(401);
});

test('of IPv6 the whole network of a client waits', async () => {
  const rig = await startRig({ trustProxy: ['127.0.0.1'], page: BEHIND_VPN });
  await claimAdmin(rig);
  const guess = (address: string) =>
    createBrowser(rig).login('Ada', WRONG, { headers: { 'x-forwarded-for': address } });
  for (let n = 0; n < FREE_FAILURES; n++) expect((await guess(`2001:db8:1:2::${n + 1}`)).status).toBe(401);
  expect((await guess('2001:db8:1:2:ffff::9')).status).toBe(429);
  expect((await guess('2001:db8:1:3::1')).status).toBe(401);
});

test('guesses at the same time count each, and the line of those that wait is bounded', async () => {
  const rig = await startRig();
  await claimAdmin(rig);
  const statuses = await Promise.all(Array.from({ length: 30 }, () => createBrowser(rig).login('Ada', WRONG)));
  const tried = statuses.filter(({ status }) => status === 401);
  expect(tried.length).toBeLessThanOrEqual(FREE_FAILURES);
  for (const { status, headers } of statuses)
    if (status !== 401) expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true]);
});

test('an unknown name is answered as a known one', async () => {
  const rig = await startRig();
  await claimAdmin(rig);
  await rig.service.admin.people.add({ workspaceId: rig.workspaceId, name: 'New', role: 'viewer', farmRoles: [] });
  const answers = [];
  for (const name of ['Ada', 'Nobody', 'New']) answers.push(await createBrowser(rig).login(name, WRONG));
  const [first] = answers;
  for (const { status, body } of answers) expect([status, body]).toEqual([401, first?.body]);
});

test('a code is good once, however many use it at the same time', async () => {
  const rig = await startRig();
  await claimAdmin(rig);
  const { code } = await rig.service.admin.people.pair('Ada');
  const answers = await Promise.all(Array.from({ length: 50 }, () => createBrowser(rig).claim(code)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(49);
  expect(answers.find(({ status }) => status === 401)?.body.message).toBe('Invalid, used or expired code');
});

test('an expired, a replaced and a guessed code open nothing, and guesses are bounded', async () => {
  const rig = await startRig();
  const { people } = rig.service.admin;
  const first = await people.claim(rig.workspaceId);
  const second = await people.claim(rig.workspaceId);
  const given = { name: 'Ada', password: PASSWORD };
  expect((await createBrowser(rig).claim(first.code, given)).status).toBe(401);
  // What else is wrong does not use the code up.
  for (const [wrong, text] of [
    [{ name: 'Ada' }, 'password: needed with this code'],
    [{ password: PASSWORD }, 'name: needed with a code that makes an admin'],
    [{ name: PASSWORD, password: PASSWORD.toUpperCase() }, 'password: received the name, accepted: another text'],
  ] as const)
    expect((await createBrowser(rig).claim(second.code, wrong)).body.message).toContain(text);
  rig.clock.step(15 * 60_000);
  expect((await createBrowser(rig).claim(second.code, given)).status).toBe(401);
  const third = await people.claim(rig.workspaceId);
  expect((await createBrowser(rig).claim(third.code, given)).status).toBe(200);
  await expect(people.claim(rig.workspaceId)).rejects.toThrow('the workspace has an admin already');
  const pair = await people.pair('Ada');
  rig.clock.step(10 * 60_000);
  expect((await createBrowser(rig).claim(pair.code)).status).toBe(401);
  for (const code of ['', '0', 'UUUUU-UUUUU', '*'.repeat(64)])
    expect((await createBrowser(rig).claim(code)).status).toBe(401);
  const statuses = await Promise.all(Array.from({ length: 60 }, () => createBrowser(rig).claim('AAAAA-AAAAA')));
  const limited = statuses.filter(({ status }) => status === 429);
  expect(limited.length).toBeGreaterThan(0);
  expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('disabled, expired, removed or with another role: it counts at once, and says what it is', async () => {
  const rig = await startRig();
  const admin = await claimAdmin(rig);
  const person = await addPerson(rig, 'Grace', { role: 'operator' });
  const path = peoplePath(rig, `/${person.id}`);
  const cancel = async () => (await person.post(`${FARM_TASKS(rig)}/${rig.farmId}/cancel`, {})).status;
  const saidTo = async () => (await person.get(SESSION)).body.message;
  expect(await cancel()).toBe(404);
  expect((await admin.patch(path, { role: 'viewer' })).body.data.role).toBe('viewer');
  expect(await cancel()).toBe(403);
  expect((await admin.patch(path, { is_disabled: true })).body.data.is_disabled).toBe(true);
  expect(await saidTo()).toMatch(/^This person is disabled: an administrator/);
  expect((await person.login('Grace', PASSWORD)).body.message).toMatch(/^This person is disabled/);
  expect((await person.login('Grace', WRONG)).body.message).toBe('Wrong name or password');
  await admin.patch(path, { is_disabled: false });
  // What was ended does not come back.
  expect(await saidTo()).toBe('The session was ended: log in again');
  expect((await person.login('Grace', PASSWORD)).status).toBe(200);
  await admin.patch(path, { expires_at: new Date(rig.clock.nowMs() + 60_000).toISOString() });
  expect((await person.get(SESSION)).status).toBe(200);
  rig.clock.step(60_000);
  expect(await saidTo()).toMatch(/^The time of this person is over/);
  await admin.patch(path, { expires_at: null });
  expect((await person.get(SESSION)).status).toBe(200);
  expect((await admin.delete(`${path}/sessions`)).body.data).toEqual({ ended_count: 1 });
  expect((await person.get(SESSION)).status).toBe(401);
  await person.login('Grace', PASSWORD);
  expect((await admin.delete(path)).body.data).toEqual({ id: person.id });
  expect(await saidTo()).toMatch(/^This person was removed/);
  expect((await person.login('Grace', PASSWORD)).body.message).toBe('Wrong name or password');
  expect((await admin.get(path)).status).toBe(404);
  // Its name is free, and what it did keeps it.
  expect((await admin.post(peoplePath(rig), { name: 'Grace', role: 'viewer' })).status).toBe(200);
});

test('a secret is in no answer but that of the one who made it', async () => {
  const rig = await startRig();
  const admin = await claimAdmin(rig);
  const made = (await admin.post(peoplePath(rig), { name: 'Grace', role: 'viewer' })).body.data;
  const code = (await admin.post(peoplePath(rig, `/${made.id}/code`), { purpose: 'pair' })).body.data;
  const shown = await Promise.all(
    [
      peoplePath(rig),
      peoplePath(rig, `/${made.id}`),
      SESSION,
      `${SESSION}/devices`,
      `/public-api/v2/workspaces/${rig.workspaceId}/audit`,
    ].map(async (path) => JSON.stringify((await admin.get(path)).body)),
  );
  const all = shown.join('\n');
  for (const secret of [
    PASSWORD,
    made.code.code,
    code.code,
    '$argon2id$',
    'token',
    admin.cookie()?.split('=')[1] ?? '-',
  ])
    expect([secret, all.includes(secret)]).toEqual([secret, false]);
});

test('people have no session beyond this host without TLS; over TLS by a proxy that we trust they have', async () => {
  const rig = await startRig({ trustProxy: ['127.0.0.1'] });
  const admin = await claimAdmin(rig);
  const afar = { 'x-forwarded-for': '192.0.2.1' };
  const refused = await admin.get(SESSION, { headers: afar });
  expect([refused.status, refused.body.message]).toEqual([403, 'People have no sessions beyond this host without TLS']);
  const login = { name: 'Ada', password: WRONG };
  expect((await admin.post(SESSION, login, { headers: afar })).status).toBe(403);
  // Another cookie counts there, so there is no session; but nothing else is wrong.
  expect((await admin.get(SESSION, { headers: { ...afar, 'x-forwarded-proto': 'https' } })).status).toBe(401);
  expect((await admin.get(SESSION)).status).toBe(200);
});
