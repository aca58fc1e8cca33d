// What agents report arrives exactly once, in order, whatever is sent twice, late or damaged, and is served as it was
// said.
import { randomUUID } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { minerV1Schema } from '../../../src/model/miner.ts';
import { encodeSlice } from '../../../src/wire/frames.ts';
import { MAX_FRAME_BYTES, MAX_SLICE_BYTES, MAX_SLICE_RECORDS } from '../../../src/wire/protocol.ts';
import { query } from './database.ts';
import { hostRecord, minerRecord } from './records.ts';
import { type Rig, startRig } from './rig.ts';
import { connect, slice } from './wire-agent.ts';

const list = async (rig: Rig) => (await rig.get(rig.farm('/miner/latest?pageSize=1000'))).body.data;

test('a reported miner is served with every field of the interface', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const record = minerRecord(1, rig.clock.nowMs());
  await agent.report([record]);
  const { status, body, headers } = await rig.get(rig.farm('/miner/latest'));
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(body).toMatchObject({
    success: true,
    error: null,
    pagination: { total: 1, limit: 10, offset: 0, hasNext: false, hasPrevious: false },
  });
  const miner = minerV1Schema.parse(body.data[0]);
  expect(miner).toMatchObject({
    ...record.document,
    farm_id: rig.farmId,
    farm: { id: rig.farmId, name: 'Default' },
    workspace_id: rig.workspaceId,
    status: 'online',
    stale: false,
    lifecycle_status: 'online',
    ops_status: null,
    health_status: null,
    rack: null,
    position: null,
    created_at: record.at,
  });
});

test('text that needs escaping in JSON is served as it was reported', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const model = 'S19 "pro" \\ <b> ⛏';
  await agent.report([minerRecord(1, rig.clock.nowMs(), { document: { model } })]);
  expect((await list(rig))[0].model).toBe(model);
});

test('a slice that is sent again changes nothing and is acknowledged again', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const record = minerRecord(1, rig.clock.nowMs());
  const event = { kind: 'event' as const, type: 'appeared' as const, key: record.key, at: record.at, detail: {} };
  await agent.report([record, event]);
  const changed = { ...record, document: { ...record.document, hashrate: 1 } };
  agent.sendBytes(slice(agent.epoch, 1, [changed, event]));
  await agent.report([]);
  expect(agent.frames.flatMap((frame) => (frame.type === 'ack' ? [frame.seq] : []))).toEqual([1, 1, 2]);
  expect((await list(rig))[0].hashrate).toBe(110e12);
  expect(await query(rig, 'SELECT count(*) AS n FROM events')).toEqual([{ n: 1 }]);
});

test('a slice that skips one closes the connection with the reason, and stores nothing', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  await agent.report([minerRecord(1, rig.clock.nowMs())]);
  agent.sendBytes(slice(agent.epoch, 3, [minerRecord(2, rig.clock.nowMs())]));
  const { code, reason } = await agent.closed;
  expect(code).toBe(1008);
  expect(reason).toContain('the next one is 2');
  expect(await list(rig)).toHaveLength(1);
});

test('after a reconnect the welcome says where to go on', async () => {
  const rig = await startRig();
  const first = await connect(rig);
  await first.report([minerRecord(1, rig.clock.nowMs())]);
  await first.report([minerRecord(2, rig.clock.nowMs())]);
  await first.close();
  const again = await connect(rig, { identity: first.identity, epoch: first.epoch, nextSeq: 3 });
  expect(await again.frame('welcome')).toMatchObject({ acked_seq: 2, protocol: 1 });
  await again.report([minerRecord(3, rig.clock.nowMs())]);
  expect(await list(rig)).toHaveLength(3);
});

test('another epoch starts from nothing', async () => {
  const rig = await startRig();
  const first = await connect(rig);
  await first.report([minerRecord(1, rig.clock.nowMs())]);
  const again = await connect(rig, { identity: first.identity });
  expect(await again.frame('welcome')).toMatchObject({ acked_seq: 0 });
});

test('of two records of a miner in one slice the one that was made last stays, whatever time it says', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const key = randomUUID();
  const nowMs = rig.clock.nowMs();
  await agent.report([
    minerRecord(1, nowMs, { key, document: { hashrate: 1 } }),
    minerRecord(1, nowMs - 60_000, { key, document: { hashrate: 100 } }),
  ]);
  const miners = await list(rig);
  expect(miners).toHaveLength(1);
  expect(miners[0].hashrate).toBe(100);
});

test('an agent whose clock runs ahead cannot lock out its later reports nor keep a dead miner online', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const key = randomUUID();
  await agent.report([minerRecord(1, rig.clock.nowMs() + 86_400_000, { key, document: { hashrate: 1 } })]);
  rig.clock.step(1_000);
  await agent.report([minerRecord(1, rig.clock.nowMs(), { key, document: { hashrate: 2 } })]);
  expect((await list(rig))[0].hashrate).toBe(2);
  rig.clock.step(181_000);
  expect((await list(rig))[0].status).toBe('stale');
});

test.each([-3_600_000, -200_000, 3_600_000])(
  'an agent whose clock is off by %i ms has miners that are online as long as others, dated by our clock',
  async (skewMs) => {
    const rig = await startRig();
    const agent = await connect(rig, { skewMs });
    const agentMs = rig.clock.nowMs() + skewMs;
    const late = minerRecord(2, agentMs - 150_000);
    await agent.report([minerRecord(1, agentMs), late, minerRecord(3, agentMs - 200_000)]);
    const statuses = async () => (await list(rig)).map(({ status }: { status: string }) => status);
    expect(await statuses()).toEqual(['online', 'online', 'stale']);
    const seenMs = Date.parse((await list(rig))[1].last_updated_at);
    expect(Math.abs(seenMs - (rig.clock.nowMs() - 150_000))).toBeLessThan(5_000);
    rig.clock.step(60_000);
    expect(await statuses()).toEqual(['online', 'stale', 'stale']);
    await agent.report([hostRecord(agentMs + 60_000, { poll_interval_ms: 120_000 })]);
    expect(await statuses()).toEqual(['online', 'online', 'online']);
    rig.clock.step(310_000);
    expect(await statuses()).toEqual(['stale', 'stale', 'stale']);
  },
);

test('a miner is online for three minutes after its newest successful reading, then stale', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  await agent.report([minerRecord(1, rig.clock.nowMs())]);
  rig.clock.step(179_000);
  expect((await list(rig))[0]).toMatchObject({ status: 'online', stale: false });
  rig.clock.step(2_000);
  expect((await list(rig))[0]).toMatchObject({ status: 'stale', stale: true, lifecycle_status: 'stale' });
});

test('failed polls are reports too, but do not make a miner online', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const key = randomUUID();
  const seen = new Date(rig.clock.nowMs()).toISOString();
  await agent.report([minerRecord(1, rig.clock.nowMs(), { key })]);
  rig.clock.step(200_000);
  const failed = { last_check_succeed: false, last_updated_at: seen };
  await agent.report([minerRecord(1, rig.clock.nowMs(), { key, document: failed })]);
  await agent.report([
    minerRecord(2, rig.clock.nowMs(), { document: { last_check_succeed: false, last_updated_at: null } }),
  ]);
  const [one, never] = await list(rig);
  expect(one).toMatchObject({ status: 'stale', last_check_succeed: false, last_updated_at: seen });
  expect(never).toMatchObject({ status: 'stale', last_updated_at: null });
});

test('an agent that polls slowly has more time before its miners are stale, also those reported before it said so', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  await agent.report([minerRecord(1, rig.clock.nowMs())]);
  await agent.report([hostRecord(rig.clock.nowMs(), { poll_interval_ms: 300_000 })]);
  await agent.report([minerRecord(2, rig.clock.nowMs())]);
  rig.clock.step(890_000);
  expect((await list(rig)).map((miner: { status: string }) => miner.status)).toEqual(['online', 'online']);
  rig.clock.step(20_000);
  expect((await list(rig)).map((miner: { status: string }) => miner.status)).toEqual(['stale', 'stale']);
});

test('a record that fits no schema is left out and declared as a gap; the rest of its slice is stored', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const good = minerRecord(1, rig.clock.nowMs());
  const bad = { ...minerRecord(2, rig.clock.nowMs()), key: 'no uuid' };
  agent.sendBytes(slice(agent.epoch, 1, [bad, good, { kind: 'from the future' }]));
  await agent.frame('ack');
  expect(await list(rig)).toHaveLength(1);
  expect(await query(rig, 'SELECT reason, count FROM gaps')).toEqual([{ reason: 'rejected', count: 2 }]);
});

test('declared gaps are kept', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const at = new Date(rig.clock.nowMs()).toISOString();
  await agent.report([{ kind: 'gap', from: at, to: at, reason: 'buffer_full', count: 12 }]);
  expect(await query(rig, 'SELECT reason, count, seq FROM gaps')).toEqual([
    { reason: 'buffer_full', count: 12, seq: 1 },
  ]);
});

test('an event is kept with the miner that its key means, also when the miner came in an earlier slice', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const record = minerRecord(1, rig.clock.nowMs());
  await agent.report([record]);
  const moved = {
    kind: 'event' as const,
    type: 'moved' as const,
    key: record.key,
    at: record.at,
    detail: { from: '10.0.0.9' },
  };
  await agent.report([moved, { ...moved, key: randomUUID() }]);
  const [{ id }] = await list(rig);
  expect(await query(rig, 'SELECT miner_id, type, detail FROM events')).toEqual([
    { miner_id: id, type: 'moved', detail: '{"from":"10.0.0.9"}' },
    { miner_id: null, type: 'moved', detail: '{"from":"10.0.0.9"}' },
  ]);
});

test('a frame of a newer agent is left aside, and what it says beside it goes on', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  agent.sendBytes('{"type":"weather","of":"tomorrow"}');
  await agent.report([minerRecord(1, rig.clock.nowMs())]);
  expect(await list(rig)).toHaveLength(1);
});

test.each([
  ['text that is no frame', (): string => 'hello?', 1008, 'read a frame'],
  ['bytes without header', () => Buffer.from([9, 9, 9, 9, 9]), 1008, 'no valid header'],
  ['a body that is not compressed', (epoch: string) => header(epoch, Buffer.from('{}')), 1008, 'not zstd'],
  [
    'a body that is no list of records',
    (epoch: string) => header(epoch, zstdCompressSync('{"v":1}')),
    1008,
    'not a list',
  ],
  [
    'a body of another version',
    (epoch: string) => header(epoch, zstdCompressSync('{"v":2,"records":[]}')),
    1008,
    'not a list',
  ],
  ['a slice of another epoch', () => slice(randomUUID(), 1, []), 1008, 'epoch'],
  ['too many records', (epoch: string) => slice(epoch, 1, Array(MAX_SLICE_RECORDS + 1).fill({})), 1008, 'at most'],
  [
    'a body that unpacks to more than the limit',
    (epoch: string) => header(epoch, zstdCompressSync(Buffer.alloc(MAX_SLICE_BYTES + 1))),
    1008,
    'larger than',
  ],
  ['a frame above the limit', () => Buffer.alloc(MAX_FRAME_BYTES + 1), 1009, ''],
])('%s closes the connection', async (_name, make, expectedCode, words) => {
  const rig = await startRig();
  const agent = await connect(rig);
  const bytes = make(agent.epoch);
  agent.sendBytes(bytes);
  const { code, reason } = await agent.closed;
  expect(code).toBe(expectedCode);
  expect(reason).toContain(words);
});

function header(epoch: string, body: Buffer): Buffer {
  return encodeSlice({ epoch, seq: 1, produced_at: new Date().toISOString() }, body);
}

test('thousands of miners in many slices sent at once all arrive', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  for (let seq = 1; seq <= 20; seq++)
    agent.sendBytes(
      slice(
        agent.epoch,
        seq,
        Array.from({ length: 100 }, (_, i) => minerRecord(seq * 100 + i, rig.clock.nowMs())),
      ),
    );
  await agent.frame('ack', ({ seq }) => seq === 20);
  const { body } = await rig.get(rig.farm('/miner/latest?pageSize=10000'));
  expect(body.pagination.total).toBe(2_000);
  expect(body.data).toHaveLength(2_000);
  for (const miner of body.data.slice(0, 50)) minerV1Schema.parse(miner);
});
