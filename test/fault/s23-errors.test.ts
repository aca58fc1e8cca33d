// Every code of an error that a client of HTTP or an agent on its WebSocket can meet is forced, and every status of
// HTTP that the document names: none of the answers tells anything of the inside of the service.
import { randomUUID } from 'node:crypto';

import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { onTestFinished, test } from 'vitest';
import { DATABASE_ERRORS, HTTP_STATUSES, REFUSALS } from '../../src/base/error-codes.data.ts';
import { PERMISSIONS } from '../../src/model/permissions/permissions.ts';
import { DEFAULT_LIMITS } from '../../src/service/http/server.ts';
import { FREE_FAILURES } from '../../src/service/people/login-failures.ts';
import { MOST_PEOPLE } from '../../src/service/store/people/people.ts';
import { MOST_POOL_SETS } from '../../src/service/store/tasks/pool-sets.ts';
import { MOST_KEYS } from '../../src/service/store/tenants/api-keys.ts';
import { MAX_EPOCHS } from '../../src/wire/frames.ts';
import { ENROL_PATH, UPLINK_PATH } from '../../src/wire/protocol.ts';
import { type Cluster, startCluster } from '../postgres/cluster.ts';
import { INSIDES } from '../property/exchange.ts';
import { newPostgresDatabase, queryDatabase } from '../support/database.ts';
import { addPerson, type Browser, claimAdmin, peoplePath, SESSION } from '../unit/service-http/browser.ts';
import { minerRecord } from '../unit/service-http/records.ts';
import { call, type Rig, startRig, temporaryFolder } from '../unit/service-http/rig.ts';
import { connect, enrol, helloOf, identityKey, open, slice, type WireAgent } from '../unit/service-http/wire-agent.ts';
import { report } from './table.ts';

/** What was said to the client, head and all; `code` as the table of errors has it, or a status. */
type Reply = { readonly code: string; readonly text: string };

/** Met by commands of the host alone. */
const OF_COMMANDS = ['webhooks.full'];

const CODES = [
  ...Object.entries(REFUSALS).flatMap(([code, { status }]) =>
    status === undefined || OF_COMMANDS.includes(code) ? [] : [code],
  ),
  ...Object.keys(REFUSALS).filter((code) => code.startsWith('frame.') || code === 'auth.proof'),
  ...Object.keys(DATABASE_ERRORS),
  ...Object.keys(HTTP_STATUSES).filter((status) => Number(status) >= 400),
];

/** Everything that the service says to these bytes until it closes, or has said a whole answer. */
async function rawAnswer(rig: Rig, bytes: string): Promise<string> {
  const { hostname, port } = new URL(rig.url);
  const socket = connectTcp(Number(port), hostname, () => socket.write(bytes));
  let text = '';
  for await (const data of socket) {
    text += data;
    const [head = '', body = ''] = text.split('\r\n\r\n');
    if (/content-length: \d+/i.test(head) && body.length >= Number(/content-length: (\d+)/i.exec(head)?.[1])) break;
  }
  return text;
}

/** One answer of HTTP as text, with its head. */
async function ask(rig: Rig, code: string, method: string, path: string, body?: unknown, headers = {}): Promise<Reply> {
  const answer = await call(rig.url + path, {
    method,
    headers: {
      'x-api-key': rig.key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = `${answer.status} ${JSON.stringify([...answer.headers])} ${JSON.stringify(answer.body)}`;
  const expected = Object.hasOwn(REFUSALS, code)
    ? Object.entries(REFUSALS).find(([name]) => name === code)?.[1].status
    : undefined;
  if (answer.status !== (expected ?? Number(code))) throw new Error(`${code} was not forced: ${text}`);
  return { code, text };
}

async function tooManyPoolSets(rig: Rig, farm: string): Promise<Reply> {
  const body = { pools: [{ url: 'stratum+tcp://pool.example:3333', user: 'account' }] };
  for (let n = 0; n < MOST_POOL_SETS; n++) await ask(rig, '200', 'PUT', `${farm}/pool-sets/set-${n}`, body);
  return ask(rig, 'pool-sets.full', 'PUT', `${farm}/pool-sets/one-more`, body);
}

async function overHttp(rig: Rig): Promise<Reply[]> {
  const farm = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}`;
  const { admin } = rig.service;
  const reader = await admin.createKey({
    workspaceId: rig.workspaceId,
    name: 'reader',
    permissions: [PERMISSIONS[0] ?? 'farms.read'],
  });
  const elsewhere = await admin.createWorkspace({ name: 'Elsewhere', slug: 'elsewhere' });
  const archived = await admin.createFarm({ workspaceId: rig.workspaceId, name: 'Archived' });
  await admin.archiveFarm(archived.id);
  const agent = await connect(rig);
  await agent.report([1, 2].map((n) => minerRecord(n, rig.clock.nowMs())));
  const list = await rig.get(`${farm}/miners`);
  const [first, second] = list.body.data.map(({ id }: { id: string }) => id);
  const reboot = { task_name: 'miner.system.reboot', miner_ids: [first] };
  await ask(rig, '200', 'PATCH', `${farm}/miners/${first}`, { rack: 'R1', position: 1 });
  const once = { 'idempotency-key': 'one' };
  await ask(rig, '200', 'POST', `${farm}/task-batches`, reboot, once);
  const v1 = rig.farm('/miner/latest');
  return [
    await ask(rig, 'request.invalid', 'GET', `${farm}/miners?page=${encodeURIComponent("x' OR 1=1 --")}`),
    await ask(rig, 'request.not-found', 'GET', `${farm}/task-batches/${randomUUID()}`),
    await ask(rig, 'request.conflict', 'POST', `${farm}/task-batches`, { ...reboot, miner_ids: [second] }, once),
    await ask(rig, 'request.conflict', 'PATCH', `${farm}/miners/${second}`, { rack: 'R1', position: 1 }),
    await ask(rig, 'farm.archived', 'POST', `${farm.replace(rig.farmId, archived.id)}/task-batches`, reboot),
    await tooManyPoolSets(rig, farm),
    await ask(rig, 'request.media-type', 'POST', `${farm}/task-batches`, 'a=1', { 'content-type': 'text/plain' }),
    await ask(rig, 'request.upgrade', 'GET', `${farm}/board/stream`),
    await otherOrigin(rig, `${farm}/board/stream`),
    await ask(rig, 'auth.missing', 'GET', v1, undefined, { 'x-api-key': '' }),
    await ask(rig, 'auth.invalid', 'GET', v1, undefined, { 'x-api-key': `${rig.key}x` }),
    await ask(rig, 'auth.code', 'POST', ENROL_PATH, {
      ...{ code: 'WRONG', name: 'x', version: '1', protocol: 1 },
      identity_key: identityKey,
    }),
    await ask(rig, 'auth.workspace', 'GET', v1.replace(rig.workspaceId, elsewhere.id)),
    await ask(rig, 'auth.permission', 'POST', `${farm}/task-batches`, reboot, { 'x-api-key': reader.key }),
    await ask(rig, 'auth.farm', 'GET', v1.replace(rig.farmId, randomUUID())),
    ...(await plainStatuses(rig, farm)),
  ];
}

async function otherOrigin(rig: Rig, path: string): Promise<Reply> {
  const text = await rawAnswer(
    rig,
    `GET ${path} HTTP/1.1\r\nhost: x\r\norigin: https://evil.example\r\nx-api-key: ${rig.key}\r\n${HANDSHAKE}\r\n`,
  );
  if (!text.startsWith('HTTP/1.1 403 ')) throw new Error(`auth.origin was not forced: ${text}`);
  return { code: 'auth.origin', text };
}

const HANDSHAKE = `connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${Buffer.alloc(16).toString('base64')}\r\n`;

/** What people meet that log in, and those that manage them. */
async function ofPeople(rig: Rig): Promise<Reply[]> {
  const admin = await claimAdmin(rig);
  const technician = await addPerson(rig, 'Tek', { role: 'technician' });
  const by = (browser: Browser) => ({ 'x-api-key': '', cookie: browser.cookie() ?? '', origin: rig.url });
  const people = peoplePath(rig);
  const { id } = (await admin.get(SESSION)).body.data.person;
  const agent = await connect(rig, { identity: await enrol(rig, rig.farmId) });
  await agent.report(Array.from({ length: 21 }, (_, n) => minerRecord(100 + n, rig.clock.nowMs())));
  const list = await rig.get(rig.farm('/miner/latest?pageSize=100'));
  const miner_ids = list.body.data.map((miner: { id: string }) => miner.id);
  const batches = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/task-batches`;
  const reboot = { task_name: 'miner.system.reboot', miner_ids };
  const login = { name: 'Ada', password: 'not the password' };
  const ours = { origin: rig.url };
  const wrongHost = await rawAnswer(rig, `GET ${SESSION} HTTP/1.1\r\nhost: evil.example\r\n\r\n`);
  if (!wrongHost.startsWith('HTTP/1.1 403 ')) throw new Error(`auth.host was not forced: ${wrongHost}`);
  const replies = [
    { code: 'auth.host', text: wrongHost },
    await ask(rig, 'auth.plain', 'GET', SESSION, undefined, { 'x-forwarded-for': '192.0.2.1' }),
    await ask(rig, 'auth.session', 'GET', SESSION),
    await ask(rig, 'auth.origin', 'POST', batches, reboot, { ...by(technician), origin: 'http://evil.example' }),
    await ask(rig, 'auth.claim', 'POST', `${SESSION}/claim`, { code: 'AAAAA-AAAAA' }, ours),
    await ask(rig, 'people.reboots', 'POST', batches, reboot, by(technician)),
    await ask(rig, 'people.name', 'POST', people, { name: 'ada', role: 'viewer' }, by(admin)),
    await ask(rig, 'people.last-admin', 'DELETE', `${people}/${id}`, undefined, by(admin)),
  ];
  const { data } = (await rig.post(batches, reboot)).body;
  replies.push(await ask(rig, 'people.second-person', 'POST', `${batches}/${data[0]?.id}/confirm`));
  for (let n = 0; n < FREE_FAILURES; n++) replies.push(await ask(rig, 'auth.login', 'POST', SESSION, login, ours));
  replies.push(await ask(rig, 'auth.wait', 'POST', SESSION, login, ours));
  await queryDatabase(
    rig.databasePath,
    `INSERT INTO people (id, workspace_id, name, farm_roles, is_wall, created_at)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MOST_PEOPLE})
     SELECT 'x' || i, ?, 'x' || i, '{}', 0, 0 FROM n`,
    rig.workspaceId,
  );
  await queryDatabase(
    rig.databasePath,
    `INSERT INTO api_keys (id, hash, workspace_id, name, permissions, created_at)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MOST_KEYS})
     SELECT 'x' || i, 'x' || i, ?, 'x' || i, '[]', 0 FROM n`,
    rig.workspaceId,
  );
  const one = { name: 'x', role: 'viewer' };
  const keys = `/public-api/v2/workspaces/${rig.workspaceId}/keys`;
  return [
    ...replies,
    await ask(rig, 'people.full', 'POST', people, one, by(admin)),
    await ask(rig, 'keys.full', 'POST', keys, one, by(admin)),
  ];
}

/** Those that come from below the routes. */
async function plainStatuses(rig: Rig, farm: string): Promise<Reply[]> {
  const status = async (code: string, bytes: string): Promise<Reply> => {
    const text = await rawAnswer(rig, bytes);
    if (!text.startsWith(`HTTP/1.1 ${code} `)) throw new Error(`${code} was not forced: ${text}`);
    return { code, text };
  };
  return [
    await status('400', 'nonsense\r\n\r\n'),
    await ask(rig, '400', 'POST', `${farm}/task-batches`, '{"__proto__": {}, "x": '),
    await ask(rig, '401', 'GET', `${farm}/miners`, undefined, { 'x-api-key': 'x' }),
    await ask(rig, '403', 'GET', rig.farm('/miner/latest').replace(rig.workspaceId, randomUUID())),
    await ask(rig, '404', 'GET', '/../../etc/passwd'),
    await ask(rig, '405', 'DELETE', '/healthz'),
    await status('408', 'GET /healthz HTTP/1.1\r\nhost: x\r\n'),
    await ask(
      rig,
      '409',
      'POST',
      `${farm}/task-batches`,
      { task_name: 'miner.system.reboot', miner_ids: ['x'] },
      { 'idempotency-key': 'one' },
    ),
    await ask(rig, '413', 'POST', `${farm}/task-batches`, `{"x": "${'a'.repeat(1024 * 1024)}"}`),
    await ask(rig, '414', 'GET', `/private-api/v1/${'w'.repeat(300)}/farms/x/miner/latest`),
    await ask(rig, '415', 'POST', `${farm}/task-batches`, '<a/>', { 'content-type': 'application/xml' }),
    await ask(rig, '426', 'HEAD', `${farm}/board/stream`),
    await status('431', `GET /healthz HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`),
  ];
}

/** What a workspace gets that asks too much. */
async function limits(): Promise<Reply[]> {
  const rates = { ...DEFAULT_LIMITS.rates, perWorkspace: 3 };
  const poor = await startRig({ limits: { ...DEFAULT_LIMITS, rates } });
  await Promise.all([1, 2, 3].map(() => poor.get(poor.farm('/miner/latest'))));
  const spent = await ask(poor, 'request.rate', 'GET', poor.farm('/miner/latest'));
  const rig = await startRig({ limits: { ...DEFAULT_LIMITS, rates: { ...DEFAULT_LIMITS.rates, perWorkspace: 1e6 } } });
  const path = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/miners?page_size=10000`;
  const answers = await Promise.all(Array.from({ length: 200 }, () => rig.get(path)));
  const refused = answers.find(({ body }) => /large requests/.test(JSON.stringify(body)));
  if (refused === undefined) throw new Error('request.line was not forced');
  const inLine = `${refused.status} ${JSON.stringify([...refused.headers])} ${JSON.stringify(refused.body)}`;
  return [spent, { ...spent, code: '429' }, { code: 'request.line', text: inLine }];
}

/** A table is gone, which is a failure of the service itself; the database is away; it is newer than the program. */
async function failures(rig: Rig): Promise<Reply[]> {
  await queryDatabase(rig.databasePath, 'DROP TABLE task_batches');
  const failed = await ask(rig, '500', 'GET', rig.farm('/tasks/batches?task_name=miner.system.reboot'));
  await queryDatabase(rig.databasePath, 'DROP TABLE workspaces');
  return [failed, await ask(rig, '503', 'GET', '/readyz')];
}

/** On PostgreSQL. */
async function databaseFailures(cluster: Cluster): Promise<Reply[]> {
  const { target } = await newPostgresDatabase(cluster.url);
  const rig = await startRig({ databasePath: target });
  const path = rig.farm('/miner/latest');
  await cluster.halt();
  const away = await ask(rig, '503', 'GET', path);
  await cluster.restart();
  await queryDatabase(target, 'UPDATE schema_version SET version = version + 1');
  const newer = await firstOf(rig, path, DATABASE_ERRORS['database.newer'].text);
  return [
    { ...away, code: 'database.away' },
    { code: 'database.newer', text: newer },
  ];
}

async function firstOf(rig: Rig, path: string, message: string): Promise<string> {
  for (let turn = 0; turn < 200; turn++) {
    const answer = await rig.get(path);
    const text = `${answer.status} ${JSON.stringify([...answer.headers])} ${JSON.stringify(answer.body)}`;
    if (text.includes(message)) return text;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`was not forced: ${message}`);
}

/** After this an agent says something that closes any connection. */
const PATIENCE_MS = 5_000;

/** What the service says to an agent as it closes, after everything that it has said before. */
async function closing(code: string, agent: WireAgent, expected: RegExp): Promise<Reply> {
  const patience = setTimeout(() => agent.sendBytes('no answer came'), PATIENCE_MS);
  const { code: number, reason } = await agent.closed.finally(() => clearTimeout(patience));
  const text = `${number} ${reason} ${JSON.stringify(agent.frames)}`;
  if (!expected.test(text)) throw new Error(`${code} was not forced: ${text}`);
  return { code, text };
}

async function overWebSocket(rig: Rig): Promise<Reply[]> {
  const fresh = async () => open(rig, await enrol(rig));
  const after = async (code: string, expected: RegExp, agent: WireAgent, work: (agent: WireAgent) => unknown) => {
    await work(agent);
    return closing(code, agent, expected);
  };
  const upgrade = await rawAnswer(
    rig,
    `GET ${UPLINK_PATH} HTTP/1.1\r\nhost: x\r\n${HANDSHAKE}authorization: Bearer ${randomUUID()}.${'x'.repeat(43)}\r\n\r\n`,
  );
  const archived = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Later archived' });
  const ofArchived = await open(rig, await enrol(rig, archived.id));
  const busy = await enrol(rig);
  return [
    { code: '401', text: upgrade },
    await after('auth.proof', /^1008 .*prove/, await fresh(), (agent) =>
      agent.send(helloOf({ ...agent, challenge: 'x' })),
    ),
    await after('frame.invalid', /^1008 read a frame/, await connect(rig), (agent) =>
      agent.sendBytes('{"type": "hello", "x'),
    ),
    await after('frame.invalid', /^1008 unpack/, await connect(rig), (agent) =>
      agent.sendBytes(Buffer.concat([slice(agent.epoch, 1, []).subarray(0, -20), Buffer.from("' OR 1=1")])),
    ),
    await after('frame.order', /^1008 take a slice:/, await fresh(), (agent) =>
      agent.sendBytes(slice(agent.epoch, 1, [])),
    ),
    await after('frame.order', /^1008 take slice/, await connect(rig), (agent) =>
      agent.sendBytes(slice(agent.epoch, 9, [])),
    ),
    await after('frame.protocol', /^1008 speak protocol/, await fresh(), (agent) =>
      agent.send({ ...helloOf(agent), protocol: 99 }),
    ),
    await after('frame.epochs', /^1008 open an epoch/, await connect(rig), (agent) => {
      for (let n = 0; n <= MAX_EPOCHS; n++) agent.send({ type: 'epoch', epoch: randomUUID(), next_seq: 1 });
    }),
    await tooOften(rig, busy),
    await after('farm.archived', /^1008 .*archived/, ofArchived, async (agent) => {
      await rig.service.admin.archiveFarm(archived.id);
      agent.send(helloOf(agent));
    }),
  ];
}

async function tooOften(rig: Rig, identity: Awaited<ReturnType<typeof enrol>>): Promise<Reply> {
  for (let turn = 0; turn < 200; turn++) {
    const agent = await open(rig, identity);
    agent.send(helloOf(agent));
    const end = await Promise.race([agent.closed, agent.frame('welcome').catch(() => agent.closed)]);
    if ('code' in end && /too often/.test(end.reason)) return { code: 'frame.rate', text: `${end.code} ${end.reason}` };
    await agent.close();
  }
  throw new Error('frame.rate was not forced');
}

/** A slice cannot be stored: the service says so and closes. */
async function storing(rig: Rig): Promise<Reply> {
  const agent = await connect(rig);
  await queryDatabase(rig.databasePath, 'DROP TABLE ingest_cursors');
  agent.sendBytes(slice(agent.epoch, 1, [minerRecord(1, rig.clock.nowMs())]));
  return closing('500', agent, /^1011 /);
}

test('no answer to what goes wrong tells of the inside', { timeout: 180_000 }, async ({ skip }) => {
  const cluster = await startCluster().catch((error: unknown) => {
    if (process.env.PITHEAD_REQUIRE_POSTGRES === '1') throw error;
    return skip(`PostgreSQL could not be started: ${error}`);
  });
  onTestFinished(() => cluster.stop());
  const keyFile = `${temporaryFolder()}/service.key`;
  const rig = await startRig({
    trustProxy: ['127.0.0.1'],
    keyFiles: { own: keyFile, shared: keyFile },
    limits: {
      ...DEFAULT_LIMITS,
      headersMs: 300,
      requestMs: 300,
      rates: { ...DEFAULT_LIMITS.rates, perStranger: 1e6, perCode: 1e6 },
    },
  });
  const replies = [
    ...(await overHttp(rig)),
    ...(await ofPeople(rig)),
    ...(await overWebSocket(rig)),
    await storing(rig),
    ...(await failures(rig)),
    ...(await limits()),
    ...(await databaseFailures(cluster)),
  ];
  const missing = CODES.filter((code) => !replies.some((reply) => reply.code === code));
  const secrets = [
    rig.key.slice(4),
    rig.databasePath,
    keyFile,
    tmpdir(),
    process.cwd(),
    'postgres://',
    'task_batches',
    'ingest_cursors',
  ];
  const telling = replies.filter(({ text }) => INSIDES.test(text) || secrets.some((secret) => text.includes(secret)));
  for (const { code, text } of telling) process.stdout.write(`S23: ${code}: ${text.slice(0, 300)}\n`);
  report({
    id: 'S23',
    value: `${replies.length} errors of ${new Set(replies.map(({ code }) => code)).size} codes and statuses over REST and WebSocket: ${telling.length} tell of the inside, ${missing.length} were not forced ${missing.join(' ')}`,
    bar: '0 stack traces, paths, SQL or secrets',
    isMet: telling.length + missing.length === 0,
  });
});
