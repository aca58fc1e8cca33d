import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OutboxSettings } from '../../../../src/agent/outbox/outbox.ts';
import { createOutbox } from '../../../../src/agent/outbox/outbox.ts';
import { outboxMigrations } from '../../../../src/agent/outbox/storage/store.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { acknowledgeOldest, contents, makeDir, outcome, readOldest, sample } from './farm-records.ts';

const WAIT = { interval: 10 };
const ALL = { maxSlices: 1_000, maxBytes: 1e9 };
const clock = createVirtualClock();
let dir: ReturnType<typeof makeDir>;
let databases: DatabaseSync[] = [];

beforeEach(() => {
  dir = makeDir();
});
afterEach(() => {
  for (const db of databases) if (db.isOpen) db.close();
  databases = [];
  dir.remove();
});

function open(settings: OutboxSettings = {}) {
  const db = openSqlite(dir.path('outbox.db'), [outboxMigrations]);
  databases.push(db);
  return { db, outbox: createOutbox(db, { clock, log: silentLog, newEpoch: randomUUID, settings }) };
}

test('a full slice is stored at once, a part of one after the flush time', async () => {
  const { outbox } = open({ sliceRecords: 3, flushMs: 1_000 });
  for (let number = 1; number <= 4; number++) outbox.offer(sample(number, clock.nowMs()));
  await outbox.source('farm').epochs();
  await expect.poll(async () => contents(await readOldest(outbox, 'farm', ALL)).samples, WAIT).toEqual([1, 2, 3]);
  await clock.advance(1_000);
  await expect.poll(async () => contents(await readOldest(outbox, 'farm', ALL)).samples, WAIT).toEqual([1, 2, 3, 4]);
  expect((await readOldest(outbox, 'farm', ALL)).map(({ header }) => header.seq)).toEqual([1, 2]);
});

test('append resolves once the records are on disk, after the samples that were handed over before', async () => {
  const { outbox } = open();
  outbox.offer(sample(1, clock.nowMs()));
  expect(await outbox.append([outcome(7, clock.nowMs())])).toBe(1);
  expect(contents(await readOldest(outbox, 'farm', ALL))).toMatchObject({ samples: [1], tasks: [7], gaps: [] });
});

test('each uplink has its own cursor and slices go when all have them', async () => {
  const { outbox } = open();
  await outbox.setUplinks(['farm', 'company']);
  for (let number = 1; number <= 5; number++) await outbox.append([sample(number, clock.nowMs())]);
  await acknowledgeOldest(outbox, 'farm', 5);
  await acknowledgeOldest(outbox, 'company', 2);
  await clock.advance(1_000);
  await expect.poll(() => outbox.state().slices, WAIT).toBe(3);
  expect(await readOldest(outbox, 'farm', ALL)).toEqual([]);
  expect(contents(await readOldest(outbox, 'company', ALL)).samples).toEqual([3, 4, 5]);
  expect(outbox.state().backlog).toEqual({ farm: 0, company: 3 });
  await outbox.setUplinks(['farm']);
  await outbox.append([sample(6, clock.nowMs())]);
  await expect.poll(() => outbox.state().slices, WAIT).toBe(1);
});

test('an uplink that comes later starts at sequence 1 with what is still stored', async () => {
  const { outbox } = open();
  for (let number = 1; number <= 3; number++) await outbox.append([sample(number, clock.nowMs())]);
  await acknowledgeOldest(outbox, 'farm', 2);
  await clock.advance(1_000);
  await expect.poll(() => outbox.state().slices, WAIT).toBe(1);
  const late = await readOldest(outbox, 'late', ALL);
  expect(late.map(({ header }) => header.seq)).toEqual([1]);
  expect(contents(late).samples).toEqual([3]);
  expect(late[0]?.header.epoch).not.toBe((await outbox.source('farm').epochs())[0].epoch);
});

test('acknowledgements that go backwards or name slices that were never written change nothing', async () => {
  const { outbox } = open();
  for (let number = 1; number <= 3; number++) await outbox.append([sample(number, clock.nowMs())]);
  await acknowledgeOldest(outbox, 'farm', 2);
  for (const seq of [1, 2, 4, 1e12, -1, 1.5, Number.NaN]) await acknowledgeOldest(outbox, 'farm', seq);
  expect(contents(await readOldest(outbox, 'farm', ALL)).samples).toEqual([3]);
});

test('epoch, cursor and numbering survive a clean end, without a gap', async () => {
  const first = open();
  for (let number = 1; number <= 3; number++) await first.outbox.append([sample(number, clock.nowMs())]);
  await acknowledgeOldest(first.outbox, 'farm', 1);
  const before = (await first.outbox.source('farm').epochs())[0];
  first.outbox.offer(sample(4, clock.nowMs()));
  await first.outbox.close();
  first.db.close();
  const second = open();
  await second.outbox.append([sample(5, clock.nowMs())]);
  expect((await second.outbox.source('farm').epochs())[0]).toMatchObject({
    epoch: before.epoch,
    ackedSeq: 1,
    nextSeq: 6,
  });
  expect(contents(await readOldest(second.outbox, 'farm', ALL))).toMatchObject({ samples: [2, 3, 4, 5], gaps: [] });
});

test('an end without close is declared as a gap, even when the next run dies before it could be stored', async () => {
  const first = open();
  const aliveMs = clock.nowMs();
  await first.outbox.append([sample(1, clock.nowMs())]);
  await clock.advance(5_000);
  first.outbox.offer(sample(2, clock.nowMs()));
  first.db.close();
  const second = open();
  second.db.close();
  await clock.advance(60_000);
  const third = open();
  await third.outbox.flush();
  const { gaps, samples } = contents(await readOldest(third.outbox, 'farm', ALL));
  expect(samples).toEqual([1]);
  expect(gaps).toEqual([
    {
      kind: 'gap',
      reason: 'restart',
      count: null,
      from: new Date(aliveMs).toISOString(),
      to: new Date(clock.nowMs()).toISOString(),
    },
  ]);
});

test('what is appended one by one in the same turn goes into one slice', async () => {
  const { outbox } = open();
  await outbox.setUplinks(['farm']);
  const ids = await Promise.all([1, 2, 3].map((n) => outbox.append([sample(n, clock.nowMs())])));
  expect(new Set(ids).size).toBe(1);
  expect(contents(await readOldest(outbox, 'farm', ALL)).samples).toEqual([1, 2, 3]);
});

test('the gap of a kill begins before what came while the last slice was being written', async () => {
  const { db, outbox } = open();
  await outbox.setUplinks(['farm']);
  const written = outbox.append([sample(1, clock.nowMs())]);
  await Promise.resolve();
  // Its body is being compressed: this one is too late for it.
  const lateMs = clock.nowMs();
  outbox.offer(sample(2, lateMs));
  clock.stepWall(5);
  await written;
  await outbox.abandon();
  db.close();
  await clock.advance(1_000);
  const { outbox: again } = open();
  await again.flush();
  const { samples, gaps } = contents(await readOldest(again, 'farm', ALL));
  expect(samples).toEqual([1]);
  expect(gaps.map(({ reason, from }) => [reason, Date.parse(from) <= lateMs])).toEqual([['restart', true]]);
});

test('an end without close before any sample is no gap', async () => {
  const first = open();
  await first.outbox.append([outcome(1, clock.nowMs())]);
  first.db.close();
  const second = open();
  await second.outbox.flush();
  expect(contents(await readOldest(second.outbox, 'farm', ALL)).gaps).toEqual([]);
});

test('when the cap is reached the oldest samples become counted gaps and tasks stay', async () => {
  const { outbox } = open({ maxBytes: 16_000, sliceRecords: 500 });
  let produced = 0;
  for (let slice = 0; slice < 40; slice++) {
    const batch = Array.from({ length: 5 }, () => sample(++produced, clock.nowMs()));
    await outbox.append(slice % 4 === 0 ? [...batch, outcome(slice, clock.nowMs())] : batch);
  }
  await outbox.flush();
  expect(outbox.state().bytes).toBeLessThanOrEqual(16_000);
  const slices = await readOldest(outbox, 'farm', ALL);
  expect(slices.map(({ header }) => header.seq)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  const { samples, tasks, gaps } = contents(slices);
  expect(gaps.every(({ reason }) => reason === 'buffer_full')).toBe(true);
  expect(samples.length + gaps.reduce((sum, { count }) => sum + (count ?? Number.NaN), 0)).toBe(produced);
  expect(samples.at(-1)).toBe(produced);
  expect(tasks).toEqual([0, 4, 8, 12, 16, 20, 24, 28, 32, 36]);
});

test('when nothing is left to give way new samples are counted, and kept again once the peer has caught up', async () => {
  const { outbox } = open({ maxBytes: 800 });
  let produced = 0;
  for (let round = 0; round < 30; round++) {
    outbox.offer(sample(++produced, clock.nowMs()));
    await outbox.flush();
  }
  expect(outbox.state()).toMatchObject({ isFull: true, pendingRecords: 0 });
  await outbox.append([outcome(1, clock.nowMs())]);
  const first = await readOldest(outbox, 'farm', ALL);
  await acknowledgeOldest(outbox, 'farm', first.length);
  await clock.advance(1_000);
  await expect.poll(() => outbox.state().isFull, WAIT).toBe(false);
  await outbox.append([sample(++produced, clock.nowMs())]);
  const second = await readOldest(outbox, 'farm', ALL);
  const { samples, tasks, gaps } = contents([...first, ...second]);
  expect(samples.length + gaps.reduce((sum, { count }) => sum + (count ?? Number.NaN), 0)).toBe(produced);
  expect(samples.at(-1)).toBe(produced);
  expect(tasks).toEqual([1]);
});

test('while the disk refuses memory stays bounded and what is dropped is declared when it works again', async () => {
  const { db, outbox } = open({ maxPendingRecords: 100, sliceRecords: 50, maxBytes: 1e9 });
  await outbox.append([sample(0, clock.nowMs())]);
  db.exec('PRAGMA max_page_count = 1');
  const bulky = (number: number) => ({
    ...sample(number, clock.nowMs()),
    abilities: Array.from({ length: 20 }, () => randomUUID()),
  });
  for (let number = 1; number <= 1_000; number++) outbox.offer(bulky(number));
  const task = outbox.append([outcome(1, clock.nowMs())]);
  for (let number = 1_001; number <= 1_300; number++) outbox.offer(bulky(number));
  for (let turn = 0; turn < 5; turn++) {
    await clock.advance(1_000);
    await outbox.flush();
  }
  expect(outbox.state().pendingRecords).toBeLessThanOrEqual(100);
  expect(outbox.state().fault).toContain('full');
  db.exec('PRAGMA max_page_count = 1000000');
  await clock.advance(60_000);
  await task;
  await outbox.flush();
  expect(outbox.state()).toMatchObject({ fault: undefined, undeclaredRecords: 0, pendingRecords: 0 });
  const { samples, tasks, gaps } = contents(await readOldest(outbox, 'farm', ALL));
  expect(samples.length + gaps.reduce((sum, { count }) => sum + (count ?? Number.NaN), 0)).toBe(1_301);
  expect(samples).toEqual([...samples].sort((a, b) => a - b));
  expect(samples.at(-1)).toBe(1_300);
  expect(tasks).toEqual([1]);
});

test('records that nothing may crowd out are refused when only such records wait', async () => {
  const { db, outbox } = open({ maxPendingRecords: 10 });
  db.close();
  const results = await Promise.allSettled([
    ...Array.from({ length: 12 }, (_, number) => outbox.append([outcome(number, clock.nowMs())])),
    outbox.close(),
  ]);
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
  expect(reasons.filter((code) => code === 'outbox.full').length).toBe(2);
  expect(reasons.filter((code) => code === 'cancelled').length).toBe(10);
});

test('a record that is no record is counted and does no harm', async () => {
  const { outbox } = open();
  outbox.offer({ ...sample(1, clock.nowMs()), at: 'yesterday' });
  outbox.offer({ ...sample(2, clock.nowMs()), abilities: ['x'.repeat(600_000)] });
  outbox.offer(sample(3, clock.nowMs()));
  await outbox.flush();
  const { samples, gaps } = contents(await readOldest(outbox, 'farm', ALL));
  expect(samples).toEqual([3]);
  expect(gaps.map(({ count }) => count)).toEqual([2]);
});

test('slices of records that do not compress still fit a frame', async () => {
  const { outbox } = open();
  const noise = () => Array.from({ length: 3_000 }, () => randomUUID()).join('');
  for (let number = 1; number <= 30; number++) outbox.offer({ ...sample(number, clock.nowMs()), abilities: [noise()] });
  await outbox.flush();
  const slices = await readOldest(outbox, 'farm', ALL);
  expect(Math.max(...slices.map(({ body }) => body.length))).toBeLessThan(1024 * 1024 - 4_096);
  expect(contents(slices).samples.length).toBe(30);
});

test('a peer that has more than we ever wrote gets a new epoch, one that has less gets all that is still here', async () => {
  const { outbox } = open();
  const farm = outbox.source('farm');
  for (let number = 1; number <= 4; number++) await outbox.append([sample(number, clock.nowMs())]);
  await acknowledgeOldest(outbox, 'farm', 2);
  const [{ epoch: old }] = await farm.epochs();
  await farm.renewEpoch(90, old);
  await outbox.flush();
  const [{ epoch }] = await farm.epochs();
  expect(epoch).not.toBe(old);
  const ahead = await readOldest(outbox, 'farm', ALL);
  expect(ahead[0]?.header).toMatchObject({ seq: 1, epoch });
  expect(contents(ahead)).toMatchObject({ samples: [3, 4], gaps: [{ reason: 'buffer_damaged', count: null }] });
  await farm.acknowledge(ahead.length, epoch);
  await farm.renewEpoch(0, epoch);
  await outbox.flush();
  expect(contents(await readOldest(outbox, 'farm', ALL)).gaps.length).toBeGreaterThanOrEqual(1);
});

test('one slice comes out even when it is larger than the bytes asked for, and never more slices than asked for', async () => {
  const { outbox } = open();
  for (let number = 1; number <= 4; number++) await outbox.append([sample(number, clock.nowMs())]);
  expect((await readOldest(outbox, 'farm', { maxSlices: 10, maxBytes: 1 })).length).toBe(1);
  expect((await readOldest(outbox, 'farm', { maxSlices: 2, maxBytes: 1e9 })).length).toBe(2);
  const [{ epoch }] = await outbox.source('farm').epochs();
  const slices = await outbox.source('farm').read({ epoch, afterSeq: 3, ...ALL });
  expect(slices.map(({ header }) => header.seq)).toEqual([4]);
});

test('flush waits for what another turn has just begun to write', async () => {
  const { outbox } = open();
  await outbox.append([outcome(1, clock.nowMs())]);
  await outbox.source('farm').split();
  outbox.offer(sample(1, clock.nowMs()));
  await outbox.source('farm').split();
  await outbox.flush();
  expect(outbox.state()).toMatchObject({ slices: 2, pendingRecords: 0 });
});
