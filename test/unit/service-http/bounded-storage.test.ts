// What one agent adds to the database beside miners and their events has an end too: records of any length, gaps,
// epochs, keys of miners that another agent serves, and words about its disk.
import { randomUUID } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { encodeSlice, MAX_EPOCHS } from '../../../src/wire/frames.ts';
import { MAX_RECORD_LENGTH } from '../../../src/wire/protocol.ts';
import type { ReportRecord } from '../../../src/wire/records.ts';
import { query } from './database.ts';
import { minerRecord } from './records.ts';
import { startRig } from './rig.ts';
import { connect, enrol, slice } from './wire-agent.ts';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

test('a record that is longer than any device has to say is left out and counted, the log of a task is not', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const nowMs = rig.clock.nowMs();
  const withModel = (n: number, length: number) => minerRecord(n, nowMs, { document: { model: 'x'.repeat(length) } });
  const log: ReportRecord = {
    ...{ kind: 'task', task_id: randomUUID(), status: 'succeeded', at: new Date(nowMs).toISOString(), message: null },
    evidence: { text: 'x'.repeat(2 * MAX_RECORD_LENGTH) },
  };
  await agent.report([withModel(1, MAX_RECORD_LENGTH), log, withModel(2, MAX_RECORD_LENGTH - 4_096)]);
  expect(await query(rig, 'SELECT mac FROM miners')).toEqual([{ mac: '02:00:00:00:00:02' }]);
  expect(await query(rig, 'SELECT reason, count FROM gaps')).toEqual([{ reason: 'rejected', count: 1 }]);
});

test('gaps without end are counted in one row, with the time that they are of', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const nowMs = rig.clock.nowMs();
  const gap = (n: number, count: number | null): ReportRecord => {
    const at = new Date(nowMs - 1_000 * n).toISOString();
    return { kind: 'gap', from: at, to: at, reason: `reason ${n}`, count };
  };
  for (let n = 0; n < 10_000; n += 500) await agent.report(range(500).map((k) => gap(n + k, 1)));
  const more = () => query(rig, "SELECT count, to_at - from_at AS long FROM gaps WHERE epoch = ''");
  expect(await more()).toEqual([]);
  await agent.report([gap(20, 3), gap(10, 4)]);
  await agent.report([gap(50, 5)]);
  expect(await more()).toEqual([{ count: 12, long: 40_000 }]);
  await agent.report([gap(30, null)]);
  expect(await more()).toEqual([{ count: null, long: 40_000 }]);
  expect(await query(rig, 'SELECT count(*) AS n FROM gaps')).toEqual([{ n: 10_001 }]);
});

test('of many epochs the newest are known, and that of the agent goes on', async () => {
  const rig = await startRig();
  const identity = await enrol(rig);
  const own = randomUUID();
  for (let round = 0; round < 15; round++) {
    const agent = await connect(rig, { identity, epoch: own, nextSeq: round + 1 });
    for (const _ of range(MAX_EPOCHS - 1)) {
      const epoch = randomUUID();
      agent.send({ type: 'epoch', epoch, next_seq: 1 });
      agent.sendBytes(slice(epoch, 1, []));
    }
    rig.clock.step(1_000);
    await agent.report([]);
    await agent.close();
  }
  const cursors = await query(rig, 'SELECT epoch, seq FROM ingest_cursors');
  expect(cursors).toHaveLength(100);
  expect(cursors.find(({ epoch }) => epoch === own)).toMatchObject({ seq: 15 });
});

test('an agent that is another installation each time has one key of a miner that another agent serves', async () => {
  const rig = await startRig();
  const serves = await connect(rig);
  await serves.report([minerRecord(1, rig.clock.nowMs())]);
  const identity = await enrol(rig);
  for (let round = 0; round < 5; round++) {
    const agent = await connect(rig, { identity });
    await agent.report([minerRecord(1, rig.clock.nowMs())]);
    await agent.close();
  }
  const keys = await query(rig, 'SELECT agent_id, count(*) AS n FROM registrations GROUP BY agent_id');
  expect(keys.map(({ n }) => n)).toEqual([1, 1]);
  expect(await query(rig, 'SELECT count(*) AS n FROM miners')).toEqual([{ n: 1 }]);
});

test('words about its disk count against what an agent may say, and long events as several', async () => {
  const rig = await startRig();
  const agent = await connect(rig, { outbox: randomUUID() });
  const at = new Date(rig.clock.nowMs()).toISOString();
  const event = (n: number, length: number): ReportRecord => {
    const detail = { n, text: 'x'.repeat(length) };
    return { kind: 'event', type: 'noise', key: agent.identity.agentId, at, detail };
  };
  for (let n = 0; n < 4; n++) await agent.report(range(150).map((k) => event(k, 4_000)));
  for (const fault of ['the disk is full', 'the disk is damaged']) {
    const header = { live: true as const, produced_at: at, order: 1, through: 1, fault };
    agent.sendBytes(encodeSlice(header, zstdCompressSync(Buffer.from('{"v":1,"records":[]}'))));
  }
  await agent.report([]);
  const counts = await query(rig, 'SELECT type, count(*) AS n FROM events GROUP BY type ORDER BY type');
  expect(counts).toEqual([
    { type: 'events_refused', n: 1 },
    { type: 'noise', n: 500 },
  ]);
});
