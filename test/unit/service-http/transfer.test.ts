// Answers from 8 KiB on are compressed for clients that take it; who has an answer already hears that it is unchanged.
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { minerRecord } from './records.ts';
import { type Rig, startOwnedRig } from './rig.ts';
import { connect } from './wire-agent.ts';

let rig: Rig;
let stop: () => Promise<void>;
let agent: Awaited<ReturnType<typeof connect>>;
beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  agent = await connect(rig);
  const nowMs = rig.clock.nowMs();
  await agent.report(Array.from({ length: 30 }, (_, n) => minerRecord(n, nowMs)));
});
afterAll(() => stop());

/** The answer as its bytes, which `fetch` does not give. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; bytes: Buffer }>((resolve, reject) => {
    const asked = request(rig.url + path, { method, headers: { 'x-api-key': rig.key, ...headers } }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(parts) }),
      );
    });
    asked.on('error', reject).end();
  });
}

test('a large answer is compressed for a client that takes it, and not for others', async () => {
  const path = rig.farm('/miner/latest?pageSize=30');
  const plain = await ask(path);
  expect([plain.status, plain.headers['content-encoding'], plain.headers.vary]).toEqual([
    200,
    undefined,
    'accept-encoding',
  ]);
  expect(plain.bytes.length).toBeGreaterThan(8 * 1024);
  const packed = await ask(path, { 'accept-encoding': 'br, gzip' });
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 3);
  expect(gunzipSync(packed.bytes)).toEqual(plain.bytes);
  const head = await ask(path, { 'accept-encoding': 'gzip' }, 'HEAD');
  expect([head.status, head.bytes.length]).toEqual([200, 0]);
});

test('a small answer and an error go as they are', async () => {
  const small = await ask(rig.farm('/miner/latest?pageSize=1'), { 'accept-encoding': 'gzip' });
  expect([small.headers['content-encoding'], small.bytes.length > 500]).toEqual([undefined, true]);
  const refused = await ask(rig.farm('/miner/latest?pageSize=x'), { 'accept-encoding': 'gzip' });
  expect([refused.status, refused.headers['content-encoding'], refused.headers.etag]).toEqual([
    400,
    undefined,
    undefined,
  ]);
});

test('the tag of an answer asks whether it has changed, in either coding', async () => {
  const path = rig.farm('/miner/latest?pageSize=30');
  const first = await ask(path, { 'accept-encoding': 'gzip' });
  const tag = String(first.headers.etag);
  expect(tag).toMatch(/^W\/"[\w-]{27}"$/);
  expect(first.headers['cache-control']).toBe('private, no-cache');
  for (const known of [tag, `"x", ${tag}`, tag.slice(2), '*']) {
    const same = await ask(path, { 'if-none-match': known });
    expect([known, same.status, same.bytes.length, same.headers.etag]).toEqual([known, 304, 0, tag]);
    expect(same.headers['x-request-id']).toBeDefined();
  }
  expect((await ask(path, { 'if-none-match': '"x"' })).status).toBe(200);
  await agent.report([minerRecord(3, rig.clock.nowMs(), { document: { hashrate: 1 } })]);
  expect((await ask(path, { 'if-none-match': tag })).status).toBe(200);
});

test('the tag opens nothing: without a key there is no answer', async () => {
  const path = rig.farm('/miner/latest?pageSize=30');
  const { headers } = await ask(path);
  const stranger = await ask(path, { 'x-api-key': '', 'if-none-match': String(headers.etag) });
  expect([stranger.status, stranger.headers['cache-control']]).toEqual([401, 'no-store']);
});

test('what is written has no tag', async () => {
  expect((await ask('/public-api/v2/workspaces', {}, 'POST')).headers.etag).toBeUndefined();
});
