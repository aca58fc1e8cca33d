// The age of a slice is how long ago it was produced, whatever is done to the wall clock in between.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOutbox } from '../../../../src/agent/outbox/outbox.ts';
import { beginAges, noteProduced, producedElapsedMs } from '../../../../src/agent/outbox/slice-ages.ts';
import { outboxMigrations } from '../../../../src/agent/outbox/storage/store.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { contents, makeDir, readOldest, sample } from './farm-records.ts';

const HOUR_MS = 3_600_000;
let dir: ReturnType<typeof makeDir>;
beforeEach(() => {
  dir = makeDir({ isQuick: true });
});
afterEach(() => dir.remove());

async function openRun(clock: ReturnType<typeof createVirtualClock>) {
  const db = openSqlite(dir.path('outbox.db'), [outboxMigrations]);
  const outbox = createOutbox(db, { clock, log: silentLog, newEpoch: randomUUID });
  await outbox.setUplinks(['farm']);
  return {
    produce: (number: number) => outbox.append([sample(number, clock.nowMs())]),
    ages: async () =>
      (await readOldest(outbox, 'farm')).map((slice) => Math.round(clock.elapsedMs() - slice.producedElapsedMs)),
    orders: async () => (await readOldest(outbox, 'farm')).map(({ header }) => header.order),
    async close() {
      await outbox.close();
      db.close();
    },
  };
}

test.each([-24, -1, 1, 24].map((hours) => hours * HOUR_MS))('a step of %i ms changes no age', async (stepMs) => {
  const clock = createVirtualClock();
  const run = await openRun(clock);
  await run.produce(1);
  await clock.advance(60_000);
  clock.stepWall(stepMs);
  await clock.advance(30_000);
  await run.produce(2);
  await clock.advance(10_000);
  expect(await run.ages()).toEqual([100_000, 10_000]);
  clock.stepWall(-stepMs);
  clock.suspend(HOUR_MS);
  await run.produce(3);
  expect(await run.ages()).toEqual([HOUR_MS + 100_000, HOUR_MS + 10_000, 0]);
  expect(await run.orders()).toEqual([1, 2, 3]);
  await run.close();
});

test('slices of an earlier run are as old as the wall clock says, and at least as old as this run', async () => {
  const clock = createVirtualClock();
  const first = await openRun(clock);
  await first.produce(1);
  await first.close();
  await clock.advance(60_000);
  const second = await openRun(clock);
  await clock.advance(5_000);
  expect(await second.ages()).toEqual([65_000]);
  clock.stepWall(-HOUR_MS);
  expect(await second.ages()).toEqual([5_000]);
  await second.close();
});

test('a clock that is set over and over costs a bounded list: the newest ages stay exact', () => {
  const at = (minute: number) => ({ wallMs: minute * 7 * 60_000, elapsedMs: minute * 60_000 });
  let ages = beginAges(1, at(0));
  for (let id = 1; id <= 100; id++) ages = noteProduced(ages, id, at(id));
  expect(ages.length).toBeLessThanOrEqual(32);
  const producedAt = (id: number) => producedElapsedMs(ages, { id, producedMs: at(id).wallMs }, at(100));
  expect([100, 99, 80].map(producedAt)).toEqual([100, 99, 80].map((minute) => minute * 60_000));
});

test.each([-24, -1, 1, 24].map((hours) => hours * HOUR_MS))(
  'what waits when the clock is set by %i ms goes apart, dated by the clock that it was made with',
  async (stepMs) => {
    const clock = createVirtualClock();
    const db = openSqlite(dir.path('outbox.db'), [outboxMigrations]);
    const outbox = createOutbox(db, { clock, log: silentLog, newEpoch: randomUUID });
    await outbox.setUplinks(['farm']);
    const madeMs = clock.nowMs();
    outbox.offer(sample(1, clock.nowMs()));
    outbox.offer(sample(2, clock.nowMs()));
    clock.stepWall(stepMs);
    const settledMs = clock.nowMs();
    outbox.offer(sample(3, clock.nowMs()));
    await outbox.flush();
    const slices = await readOldest(outbox, 'farm');
    expect(slices.map((slice) => contents([slice]).samples)).toEqual([[1, 2], [3]]);
    expect(slices.map(({ header }) => Date.parse(header.produced_at))).toEqual([madeMs, settledMs]);
    expect(slices.map(({ producedElapsedMs: ms }) => clock.elapsedMs() - ms)).toEqual([0, 0]);
    await outbox.close();
    db.close();
  },
);
