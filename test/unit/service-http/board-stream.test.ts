// The stream of a board over real sockets: what changes comes each second, the same to all, and who may not have it
// gets nothing.
import { once } from 'node:events';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { MOST_VIEWERS } from '../../../src/service/board/stream/streams.ts';
import { BoardReader } from '../../../src/wire/api/board/reader.ts';
import { boardOf, openSocket, read, snapshotOf } from './board-readers.ts';
import { type MinerChange, minerRecord } from './records.ts';
import { call, startRig } from './rig.ts';
import { connect, type WireAgent } from './wire-agent.ts';

const LONG = { timeout: 10_000, interval: 20 };
const keys = ['a', 'b', 'c', 'd'].map((letter) => `00000000-0000-4000-8000-00000000000${letter}`);

const report = (agent: WireAgent, nowMs: number, ...changes: readonly MinerChange[]) =>
  agent.report(changes.map((change, i) => minerRecord(i + 1, nowMs, { key: keys[i] ?? '', ...change })));

async function farm() {
  const rig = await startRig();
  const agent = await connect(rig);
  await report(agent, rig.clock.nowMs(), {}, {}, {});
  return { rig, agent };
}

test('readers get what has changed, and something each second where nothing has', async () => {
  const { rig, agent } = await farm();
  const one = await read(rig);
  const two = await read(rig, new BoardReader());
  await expect.poll(() => Math.min(one.heard.length, two.heard.length), LONG).toBeGreaterThan(2);
  await report(agent, rig.clock.nowMs(), {}, { document: { hashrate: 77e12 } });
  await expect.poll(() => [one.rateOf('10.0.0.2'), two.rateOf('10.0.0.2')], LONG).toEqual([77e12, 77e12]);
  const again = new BoardReader();
  again.apply(await snapshotOf(rig));
  await expect.poll(() => [...one.reader.rows.values()], LONG).toEqual([...again.rows.values()]);
  expect(two.reader.rows).toEqual(one.reader.rows);
  expect(new Set([...one.heard, ...two.heard])).toEqual(new Set(['rows']));
  const changes = ({ frames }: typeof one) => frames.find((frame) => frame.includes('columns'));
  expect(changes(one)).toBeDefined();
  expect(changes(two)).toEqual(changes(one));
});

test('a reader that comes back gets what it missed; one of another epoch has to begin anew', async () => {
  const { rig, agent } = await farm();
  const before = await read(rig);
  before.socket.close();
  await before.closed;
  await report(agent, rig.clock.nowMs(), { document: { hashrate: 11e12 } });
  rig.clock.step(1_001);
  const after = await read(rig, before.reader);
  await expect.poll(() => after.rateOf('10.0.0.1'), LONG).toBe(11e12);
  const other = openSocket(rig, { query: '?epoch=other&since=1' });
  expect((await other.closed).code).toBe(1000);
  expect(other.frames.map(String)).toEqual(['{"type":"snapshot"}']);
  expect((await openSocket(rig).closed).code).toBe(1000);
});

test('a key that is revoked ends its stream, and others go on', async () => {
  const { rig } = await farm();
  const { workspaceId } = rig;
  const { key } = await rig.service.admin.createKey({ workspaceId, name: 'other', role: 'viewer' });
  const [revoked, kept] = [await read(rig, new BoardReader(), key), await read(rig)];
  const id = (await rig.service.admin.listKeys()).find(({ name }) => name === 'other')?.id;
  await rig.service.admin.revokeKey(id ?? '');
  expect((await revoked.closed).code).toBe(4401);
  expect(kept.socket.readyState).toBe(WebSocket.OPEN);
});

test('who may not read the board gets an answer and no socket', async () => {
  const { rig } = await farm();
  const { workspaceId } = rig;
  const { key } = await rig.service.admin.createKey({ workspaceId, name: 'tasks', permissions: ['tasks.read'] });
  expect(await openSocket(rig, { key: 'wrong' }).refused).toBe(401);
  expect(await openSocket(rig, { key }).refused).toBe(403);
  expect(await openSocket(rig, { query: '?since=x' }).refused).toBe(400);
  const elsewhere = { ...rig, farmId: '01900000-0000-7000-8000-000000000000' };
  expect(await openSocket(elsewhere).refused).toBe(404);
  const { host } = new URL(rig.url);
  for (const origin of ['http://evil.example', 'null', `http://${host.split(':')[0]}`, ''])
    expect(await openSocket(rig, { headers: { origin } }).refused).toBe(403);
  const own = openSocket(rig, { headers: { origin: `http://${host}` } });
  expect((await own.closed).code).toBe(1000);
});

test('what asks for no WebSocket, or for one elsewhere, is a request like any other', async () => {
  const { rig } = await farm();
  const plain = await rig.get(boardOf(rig, '/stream'));
  expect([plain.status, plain.body.message, plain.headers.get('upgrade')]).toEqual([
    426,
    'The path serves a WebSocket and nothing else',
    'websocket',
  ]);
  const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'x-api-key': rig.key };
  const elsewhere = ['', '/streams', '/stream/', '/search'].map(async (below) => {
    const outgoing = request(rig.url + boardOf(rig, below), { headers: upgrade }).end();
    const [response] = await once(outgoing, 'response');
    response.resume();
    return response.statusCode;
  });
  expect(await Promise.all(elsewhere)).toEqual([200, 404, 404, 405]);
  const handshake = request(rig.url + boardOf(rig, '/stream'), { headers: upgrade }).end();
  const [wrong] = await once(handshake, 'response');
  expect(wrong.statusCode).toBe(400);
  wrong.resume();
});

test('a reader that sends much is closed', async () => {
  const { rig } = await farm();
  const reader = await read(rig);
  reader.socket.send('x'.repeat(1_024));
  await expect.poll(() => reader.heard.length, LONG).toBeGreaterThan(2);
  reader.socket.send('x'.repeat(1_025));
  expect((await reader.closed).code).toBe(1009);
});

test('there are so many streams of a key and no more, until one is closed', async () => {
  const { rig } = await farm();
  const reader = new BoardReader();
  reader.apply(await snapshotOf(rig));
  const all = await Promise.all(Array.from({ length: MOST_VIEWERS.ofCaller }, () => read(rig, reader)));
  const more = await read(rig, reader);
  expect(await more.closed).toMatchObject({ code: 4429, reason: expect.stringContaining('100 streams of one key') });
  all[0]?.socket.close();
  await all[0]?.closed;
  const next = await read(rig, reader);
  await expect.poll(() => next.frames.length, LONG).toBeGreaterThan(0);
});

test('a service that stops says so, and does not wait for readers that do not answer', async () => {
  const { rig } = await farm();
  const [reader, deaf] = [await read(rig), await read(rig)];
  deaf.socket.pause();
  const startMs = performance.now();
  await rig.service.stop();
  expect(await reader.closed).toEqual({ code: 1001, reason: 'the service stops' });
  expect(performance.now() - startMs).toBeLessThan(3_000);
});

test('all readers of a snapshot have the same bytes, and none where nothing has changed', async () => {
  const { rig } = await farm();
  const all = await Promise.all(Array.from({ length: 3 }, () => rig.get(boardOf(rig))));
  const [first] = all;
  expect(new Set(all.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(first?.headers.get('content-encoding')).toBe('gzip');
  rig.clock.step(1_001);
  const known = { 'x-api-key': rig.key, 'if-none-match': first?.headers.get('etag') ?? '' };
  expect((await rig.get(boardOf(rig), known)).status).toBe(304);
  const bare = await call(rig.url + boardOf(rig), {
    headers: { 'x-api-key': rig.key, 'accept-encoding': 'identity' },
  });
  expect([bare.headers.get('content-encoding'), bare.body.data.seq]).toEqual([null, first?.body.data.seq]);
});
