// Whatever goes wrong over HTTP, the answer has exactly three fields, and the limits hold.
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/service/http/server.ts';
import { createService } from '../../../src/service/service.ts';
import { query } from './database.ts';
import { call, type Rig, recordingLog, startOwnedRig, startRig, steppedClock, temporaryFolder } from './rig.ts';

let rig: Rig;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
});
afterAll(() => stop());

const NAMES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

function expectError(answer: { status: number; body: unknown }, status: number, words = ''): void {
  expect(answer.body).toEqual({ statusCode: status, message: expect.stringContaining(words), error: NAMES[status] });
  expect(answer.status).toBe(status);
}

const raw = (body: string | Uint8Array<ArrayBuffer>, type: string | undefined) =>
  call(rig.url + rig.farm('/tasks/search'), {
    method: 'POST',
    headers: { 'x-api-key': rig.key, ...(type === undefined ? {} : { 'content-type': type }) },
    body,
  });

test.each([
  ['GET', '/private-api/v1'],
  ['GET', '/private-api/v1/x/farms/y/miner/latest/z'],
  ['GET', '/private-api/v1/me/grants/'],
  ['GET', '/agent/v1/uplink'],
  ['GET', '/../../etc/passwd'],
])('an unknown route: %s %s', async (method, path) => {
  expectError(await call(rig.url + path, { method }), 404, 'Resource not found');
});

test.each([
  ['DELETE', '/private-api/v1/me/grants', 'GET, HEAD'],
  ['POST', '/openapi.json', 'GET, HEAD'],
  ['PUT', '/public-api/v2/workspaces/x/farms/y/miner-positions?dry_run=true', 'GET, HEAD, POST'],
  ['OPTIONS', '/public-api/v2/workspaces/x/farms/y/miners/z', 'GET, HEAD, PATCH'],
])('a method that the path does not have: %s %s', async (method, path, allowed) => {
  const answer = await call(rig.url + path, { method });
  expectError(answer, 405, allowed);
  expect(answer.headers.get('allow')).toBe(allowed);
});

test('a body that is not JSON', async () => {
  expectError(await raw('{"page": ', 'application/json'), 400, 'Invalid request parameters');
  expectError(await raw('', 'application/json'), 400);
  expectError(await raw('[]', 'application/json'), 400, 'body');
  expectError(await raw('"x"', 'application/json'), 400, 'body');
  expectError(await raw('{"__proto__": {"page": 2}}', 'application/json'), 400);
});

test('a body of another type', async () => {
  expectError(await raw('page=1', 'application/x-www-form-urlencoded'), 415, 'application/json');
  expectError(await raw('{}', 'text/plain'), 415);
  expectError(await raw('{}', 'nonsense'), 415);
});

test('a search without any body is a search without conditions', async () => {
  const { status, body } = await call(rig.url + rig.farm('/tasks/search'), {
    method: 'POST',
    headers: { 'x-api-key': rig.key },
  });
  expect([status, body.data]).toEqual([200, []]);
});

test('a body above 1 MiB', async () => {
  expectError(await raw(`{"x": "${'a'.repeat(1024 * 1024)}"}`, 'application/json'), 413, '1 MiB');
});

test('deeply nested JSON is refused, not followed', async () => {
  expectError(
    await raw(`{"status": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'application/json'),
    400,
    'nested too deep',
  );
  const params = { deep: JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`) };
  const order = { task_name: 'miner.system.reboot', miner_ids: ['x'], params };
  expectError(await rig.post(rig.farm('/tasks/batches'), order), 400, 'nested too deep');
  const brackets = { text: `${'['.repeat(1_000)}\\"` };
  expect((await rig.post(rig.farm('/tasks/batches'), { ...order, params: brackets })).status).toBe(200);
});

test('a path that cannot be decoded, and one that is too long', async () => {
  expectError(await call(`${rig.url}/private-api/v1/%zz/farms/x/miner/latest`, {}), 400);
  const { status, body } = await call(`${rig.url}/private-api/v1/${'w'.repeat(300)}/farms/x/miner/latest`, {});
  expect(Object.keys(body).toSorted()).toEqual(['error', 'message', 'statusCode']);
  expect([404, 414]).toContain(status);
});

/** The first answer to these bytes. */
async function answerTo(bytes: string): Promise<{ status: number; body: unknown }> {
  const { hostname, port } = new URL(rig.url);
  const socket = connectTcp(Number(port), hostname, () => socket.write(bytes));
  let received = '';
  for await (const data of socket) {
    received += data;
    const [head = '', body = ''] = received.split('\r\n\r\n');
    if (body.length === Number(/content-length: (\d+)/i.exec(head)?.[1]))
      return { status: Number(head.split(' ')[1]), body: JSON.parse(body) };
  }
  throw new Error(`no whole answer: ${received}`);
}

test.each([
  ['bytes that are no HTTP', 'nonsense\r\n\r\n', 400],
  ['headers above the limit', `GET /healthz HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
  ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
])('%s', async (_name, bytes, status) => {
  expectError(await answerTo(bytes), status);
});

test.each([
  [
    'an offer of HTTP/2, as Java and curl make it',
    'connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk',
  ],
  ['an offer of an upgrade that nobody here knows', 'connection: upgrade\r\nupgrade: websocket'],
  ['an expectation that nobody here knows', 'expect: foo'],
])('%s is left aside', async (_name, headers) => {
  const answer = await answerTo(`GET /healthz HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n`);
  expect(answer).toEqual({ status: 200, body: { status: 'ok' } });
  expectError(
    await answerTo(`GET /agent/v1/uplink HTTP/1.1\r\nhost: x\r\n${headers.replace('websocket', 'h2c')}\r\n\r\n`),
    404,
  );
});

test('more requests of one workspace than its points: 429 with what is left and when, other workspaces are not touched', async () => {
  const own = await startRig({ limits: { ...DEFAULT_LIMITS, rates: { ...DEFAULT_LIMITS.rates, perWorkspace: 5 } } });
  const same = await own.service.admin.createKey({ workspaceId: own.workspaceId, name: 'same', role: 'admin' });
  const workspace = await own.service.admin.createWorkspace({ name: 'Other', slug: 'other' });
  const other = await own.service.admin.createKey({ workspaceId: workspace.id, name: 'other', role: 'admin' });
  for (let n = 0; n < 5; n++) expect((await own.get(own.farm('/miner/latest'))).status).toBe(200);
  const refused = await own.get(own.farm('/miner/latest'));
  expectError(refused, 429, '5 points of a minute: this request costs 1, 0 are left, in 12 s');
  expect(refused.headers.get('retry-after')).toBe('12');
  expect((await own.get(own.farm('/miner/latest'), { 'x-api-key': same.key })).status).toBe(429);
  expect((await own.get('/private-api/v1/me/grants', { 'x-api-key': other.key })).status).toBe(200);
  expect((await own.get('/healthz', {})).status).toBe(200);
});

test('guessing keys is slowed down; good keys from the same address go on', async () => {
  const own = await startRig({ limits: { ...DEFAULT_LIMITS, rates: { ...DEFAULT_LIMITS.rates, perStranger: 3 } } });
  for (let n = 0; n < 3; n++)
    expect((await own.get(own.farm('/miner/latest'), { 'x-api-key': 'guess' })).status).toBe(401);
  const refused = await own.get(own.farm('/miner/latest'), { 'x-api-key': 'guess' });
  expectError(refused, 429);
  expect(refused.headers.get('retry-after')).not.toBeNull();
  expect((await own.get(own.farm('/miner/latest'))).status).toBe(200);
});

test('our own failure is a 500 without details; the cause is in the log with the id of the request, secrets are not', async () => {
  const log = recordingLog();
  const own = await startRig({ log });
  await query(own, 'DROP TABLE task_batches');
  const answer = await own.get(own.farm('/tasks/batches?task_name=miner.system.reboot'));
  expectError(answer, 500, 'Internal Server Error');
  expect(JSON.stringify(answer.body)).not.toContain('task_batches');
  const line = log.lines.find(({ message }) => message === 'request failed');
  expect(line?.fields.requestId).toBe(answer.headers.get('x-request-id'));
  expect(String(line?.fields.error)).toContain('task_batches');
  expect(log.lines.some(({ message, fields }) => message === 'request' && fields.status === 500)).toBe(true);
  expect(JSON.stringify(log.lines)).not.toContain(own.key);
});

test('health: alive while it runs, ready while the database answers', async () => {
  const own = await startRig();
  expect((await own.get('/healthz', {})).body).toEqual({ status: 'ok' });
  expect((await own.get('/readyz', {})).body).toEqual({ status: 'ok' });
  await query(own, 'DROP TABLE workspaces');
  expectError(await own.get('/readyz', {}), 503, 'database');
  expect((await own.get('/healthz', {})).status).toBe(200);
});

test('stop lets a request finish, then nothing answers; stopping twice and stopping what never ran are harmless', async () => {
  const { rig: own, stop: end } = await startOwnedRig();
  const slow = own.get(own.farm('/miner/latest'));
  const [answer] = await Promise.all([slow, slow.then(() => own.service.stop())]);
  expect(answer.status).toBe(200);
  await expect(own.get('/healthz')).rejects.toThrow();
  await end();
  const databasePath = join(temporaryFolder(), 'service.sqlite');
  const idle = await createService({
    databasePath,
    host: '127.0.0.1',
    port: 0,
    clock: steppedClock(),
    log: recordingLog(),
    version: '0',
  });
  await idle.stop();
  await idle.stop();
});

test('a port that is taken fails the start and leaves nothing open', async () => {
  const service = await createService({
    databasePath: join(temporaryFolder(), 'service.sqlite'),
    host: '127.0.0.1',
    port: Number(new URL(rig.url).port),
    clock: steppedClock(),
    log: recordingLog(),
    version: '0',
  });
  await expect(service.start()).rejects.toThrow(/EADDRINUSE/);
  await service.stop();
});

test('the log names the address of who has no good key or asks too often, and the key where it is known', async () => {
  const log = recordingLog();
  const rates = { perWorkspace: 1, perStranger: 1, perCode: 1, perVisitor: 1 };
  const own = await startRig({ log, limits: { ...DEFAULT_LIMITS, rates } });
  const [keyId] = /[0-9a-f]{8}/.exec(own.key) ?? [];
  const logged = async (path: string, headers: Record<string, string>) => {
    const { status, headers: answer } = await own.get(path, headers);
    const requestId = answer.get('x-request-id');
    const find = () => log.lines.find(({ fields }) => fields.requestId === requestId);
    await expect.poll(find).toBeDefined();
    const { address, keyId } = find()?.fields ?? {};
    return { status, address, keyId };
  };
  const path = own.farm('/miner/latest');
  const key = { 'x-api-key': own.key };
  const elsewhere = path.replace(own.workspaceId, own.farmId);
  expect(await logged(elsewhere, key)).toEqual({ status: 403, address: undefined, keyId });
  expect(await logged(path, key)).toEqual({ status: 429, address: '127.0.0.1', keyId });
  expect(await logged(path, {})).toEqual({ status: 401, address: '127.0.0.1', keyId: undefined });
  expect(await logged(path, { 'x-api-key': 'x' })).toEqual({ status: 401, address: '127.0.0.1', keyId: undefined });
  expect(await logged(path, { 'x-api-key': 'x' })).toEqual({ status: 429, address: '127.0.0.1', keyId: undefined });
});
