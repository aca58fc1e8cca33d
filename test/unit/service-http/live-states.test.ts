// An agent whose disk takes nothing: its miners show what they do, the reason is told, nothing counts as stored; and
// what it could store after all comes in without setting anything back.
import { randomUUID } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { encodeSlice } from '../../../src/wire/frames.ts';
import type { ReportRecord } from '../../../src/wire/records.ts';
import { query } from './database.ts';
import { hostRecord, type MinerChange, minerRecord } from './records.ts';
import { type Rig, startRig } from './rig.ts';
import { connect, slice } from './wire-agent.ts';

const FULL = 'the disk is full';
const only = async (rig: Rig) => (await rig.get(rig.farm('/miner/latest'))).body.data[0];
const v2 = async (rig: Rig, path: string) =>
  (await rig.get(`/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}${path}`)).body.data;

async function startAgent(rig: Rig) {
  const agent = await connect(rig, { outbox: randomUUID() });
  const key = randomUUID();
  let seq = 0;
  const at = (atMs: number, hashrate: number, change: MinerChange = {}) =>
    minerRecord(1, atMs, { key, ...change, document: { hashrate, ...change.document } });
  return {
    agent,
    at,
    async store(records: readonly ReportRecord[]) {
      const sent = ++seq;
      agent.sendBytes(
        slice(agent.epoch, sent, records, new Date(rig.clock.nowMs()).toISOString(), { order: sent, age_ms: 0 }),
      );
      await agent.frame('ack', (ack) => ack.seq >= sent);
    },
    async show(
      records: readonly ReportRecord[],
      { fault = FULL, waiting = 1 }: { fault?: string | null; waiting?: number } = {},
    ) {
      const header = {
        ...{ live: true as const, produced_at: new Date(rig.clock.nowMs()).toISOString() },
        ...{ order: seq + 1, through: seq + 1 + waiting, ...(fault !== null && { fault }) },
      };
      agent.sendBytes(encodeSlice(header, zstdCompressSync(Buffer.from(JSON.stringify({ v: 1, records })))));
      // Frames are taken one after the other: the answer to this one says that the one before is done.
      const second = randomUUID();
      agent.send({ type: 'epoch', epoch: second, next_seq: 1 });
      await agent.frame('epoch', (frame) => frame.epoch === second);
    },
  };
}

test('the welcome says that live states are taken', async () => {
  const { agent } = await startAgent(await startRig());
  expect((await agent.frame('welcome')).takes).toEqual(['live']);
});

test('live states show, the reason is told, and nothing of them is stored as history, cursor or event of a miner', async () => {
  const rig = await startRig();
  const { at, store, show } = await startAgent(rig);
  await store([hostRecord(rig.clock.nowMs()), at(rig.clock.nowMs(), 1e12)]);
  const history = await query(rig, 'SELECT accounted FROM history_cells');
  rig.clock.step(200_000);
  expect((await only(rig)).status).toBe('stale');
  const shownAt = rig.clock.nowMs();
  await show([at(shownAt, 5e12, { document: { last_updated_at: new Date(shownAt).toISOString() } })]);
  expect(await only(rig)).toMatchObject({ status: 'online', hashrate: 5e12 });
  expect(await query(rig, 'SELECT accounted FROM history_cells')).toEqual(history);
  expect(await query(rig, 'SELECT seq FROM ingest_cursors')).toEqual([{ seq: 1 }]);
  expect((await v2(rig, '/agents'))[0].storage_fault).toEqual({ reason: FULL, since: expect.any(String) });
  await show([]);
  await show([], { fault: null });
  await show([], { fault: null });
  expect((await v2(rig, '/agents'))[0].storage_fault).toBeNull();
  const events = (await v2(rig, '/events')).map(({ type, detail }: { type: string; detail: unknown }) => [
    type,
    detail,
  ]);
  expect(events.toSorted()).toEqual([
    ['storage_failed', { reason: FULL }],
    ['storage_recovered', { reason: FULL }],
  ]);
});

test('what waited for the disk is history only; what is newer replaces the live state', async () => {
  const rig = await startRig();
  const { at, store, show } = await startAgent(rig);
  await store([at(rig.clock.nowMs(), 1e12)]);
  rig.clock.step(60_000);
  const waited = at(rig.clock.nowMs(), 2e12);
  rig.clock.step(60_000);
  const newest = at(rig.clock.nowMs(), 3e12);
  await show([newest], { waiting: 2 });
  await store([waited]);
  expect((await only(rig)).hashrate).toBe(3e12);
  await store([newest]);
  expect((await only(rig)).hashrate).toBe(3e12);
  expect(await query(rig, 'SELECT unkept_through FROM miners')).toEqual([{ unkept_through: null }]);
  await store([at(rig.clock.nowMs() + 1, 4e12)]);
  expect((await only(rig)).hashrate).toBe(4e12);
});

test('a clock that was set back does not hold the state: beyond what waited every slice is newer', async () => {
  const rig = await startRig();
  const { at, store, show } = await startAgent(rig);
  await show([at(rig.clock.nowMs(), 1e12)], { waiting: 1 });
  rig.clock.step(-7_200_000);
  await store([at(rig.clock.nowMs(), 2e12)]);
  await store([at(rig.clock.nowMs(), 3e12)]);
  await store([at(rig.clock.nowMs(), 4e12)]);
  expect((await only(rig)).hashrate).toBe(4e12);
});

test('only an agent that has named its outbox shows live states', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const header = { live: true as const, produced_at: new Date().toISOString(), order: 1, through: 1 };
  agent.sendBytes(encodeSlice(header, zstdCompressSync(Buffer.from('{"v":1,"records":[]}'))));
  expect(await agent.closed).toMatchObject({ code: 1008 });
});
