// While the disk takes nothing the newest states are there for a service that shows them, with the reason; what was
// produced is stored or declared as ever.
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createOutbox } from '../../../../src/agent/outbox/outbox.ts';
import { createLiveStates } from '../../../../src/agent/outbox/queue.ts';
import { toEntry } from '../../../../src/agent/outbox/storage/slice.ts';
import { outboxMigrations } from '../../../../src/agent/outbox/storage/store.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { contents, makeDir, readOldest, sample } from './farm-records.ts';

const WAIT = { interval: 10 };
const KEYS = [randomUUID(), randomUUID()] as const;

function open() {
  const dir = makeDir();
  const clock = createVirtualClock();
  const db = openSqlite(dir.path('outbox.db'), [outboxMigrations]);
  onTestFinished(() => {
    db.close();
    dir.remove();
  });
  const outbox = createOutbox(db, { clock, log: silentLog, newEpoch: randomUUID, settings: { sliceRecords: 2 } });
  const source = outbox.source('farm');
  const samplesOf = (live: Awaited<ReturnType<typeof source.live>>) =>
    live.count === 0 ? [] : contents([live]).samples;
  return { clock, db, outbox, source, samplesOf };
}

test('the newest state of each miner, once, with the reason and its place among the slices; nothing of it while the disk is well', async () => {
  const { clock, db, outbox, source, samplesOf } = open();
  await source.epochs();
  const offer = (key: string, number: number) => outbox.offer({ ...sample(number, clock.nowMs()), key });
  for (const number of [1, 2]) offer(KEYS[0], number);
  await expect.poll(() => outbox.state().slices, WAIT).toBe(1);
  expect(source.whyUnkept()).toBeUndefined();
  expect((await source.live(0)).count).toBe(0);

  db.exec('PRAGMA query_only = ON');
  for (const number of [3, 4]) offer(KEYS[0], number);
  await expect.poll(() => source.whyUnkept(), WAIT).toBe('the disk is read-only');
  expect(outbox.state().fault).toBe('the disk is read-only');
  for (const number of [5, 6]) offer(KEYS[0], number);
  offer(KEYS[1], 7);
  const first = await source.live(0);
  expect(samplesOf(first)).toEqual([6, 7]);
  // Five wait: they become three slices at most, and one more for what is lost meanwhile.
  expect(first.header).toMatchObject({ live: true, order: 2, through: 6, fault: 'the disk is read-only' });
  expect((await source.live(first.last)).count).toBe(0);
  offer(KEYS[0], 8);
  expect(samplesOf(await source.live(first.last))).toEqual([8]);

  db.exec('PRAGMA query_only = OFF');
  await clock.advance(60_000);
  await expect.poll(() => outbox.state().pendingRecords, WAIT).toBe(0);
  await clock.advance(15_000);
  expect(source.whyUnkept()).toBeUndefined();
  const after = await source.live(0);
  expect([after.count, after.header.fault]).toEqual([0, undefined]);
  const { samples, gaps } = contents(await readOldest(outbox, 'farm'));
  expect([samples, gaps]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8], []]);
});

test('what is kept for it is bounded: those that changed longest ago go', () => {
  const entry = toEntry(sample(1, 0));
  const live = createLiveStates(3 * entry.bytes);
  const limits = { maxRecords: 500, maxBytes: 1e9 };
  for (const key of ['a', 'b', 'c', 'a', 'd']) live.note(key, { ...entry, json: key });
  expect(live.news(0, limits).entries.map(({ json }) => json)).toEqual(['c', 'a', 'd']);
  const part = live.news(0, { ...limits, maxRecords: 2 });
  expect(part.entries.map(({ json }) => json)).toEqual(['c', 'a']);
  expect(live.news(part.last, limits).entries.map(({ json }) => json)).toEqual(['d']);
});
