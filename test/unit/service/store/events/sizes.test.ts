// The events of a miner have an end: one that changes its mind all day loses its own oldest ones, and no other miner
// loses any. And how many bytes one really takes.
import { expect, onTestFinished, test } from 'vitest';
import { appendEvents } from '../../../../../src/service/store/events/append.ts';
import { newId, openDatabases, openStore } from '../../../../../src/service/store/store.ts';
import { queryDatabase, temporaryDatabase } from '../../../../support/database.ts';

const NOW_MS = Date.UTC(2026, 5, 1);
const DAY_MS = 86_400_000;
const KEPT_DAYS = 400;
const BYTES_PER_DAY = 1_000;

async function setUp() {
  const target = await temporaryDatabase();
  const store = await openStore(target);
  onTestFinished(() => store.close());
  const databases = openDatabases(target);
  onTestFinished(() => databases.close());
  const workspace = { id: newId(NOW_MS), name: 'W', slug: 'w' };
  const { id: farmId } = await store.tenants.ensure(workspace, { id: newId(NOW_MS), name: 'F' }, NOW_MS);
  /** As the agents report them: about 250 bytes of evidence. */
  const flap = (minerId: string, count: number, sinceMs: number) =>
    databases.transact((trx) =>
      appendEvents(
        trx,
        Array.from({ length: count }, (_, n) => ({
          ...{ farmId, agentId: newId(NOW_MS), minerId, atMs: sinceMs + n * 60_000 },
          type: n % 2 === 0 ? 'flag_raised' : 'flag_cleared',
          detail: {
            ...{ flag: 'hashboard', since: new Date(sinceMs).toISOString(), severity: 'major', value: 2, limit: 3 },
            ...{ source: 'hashboards[1].chips', message: 'board 1 has 2 of 3 chips that answer, for 12 minutes now' },
          },
        })),
      ),
    );
  const countOf = async (minerId: string) =>
    (await store.events.list({ farmId, minerId, window: { limit: 1, offset: 0 } })).total;
  return { target, store, farmId, flap, countOf };
}

test('a miner that flaps for days keeps its newest events, within a kilobyte for each day, and others keep theirs', async () => {
  const { target, store, farmId, flap, countOf } = await setUp();
  const [steady, flapping] = [newId(NOW_MS), newId(NOW_MS)];
  await flap(steady, 10, NOW_MS - 300 * DAY_MS);
  for (let day = 3; day > 0; day--) await flap(flapping, 1_400, NOW_MS - day * DAY_MS);
  await store.prune(NOW_MS);
  expect(await countOf(steady)).toBe(10);
  const kept = await countOf(flapping);
  const [row] = await queryDatabase(target, 'SELECT sum(length(detail)) AS n FROM events WHERE miner_id = ?', flapping);
  expect(Number(row?.n)).toBeGreaterThan(0.2 * KEPT_DAYS * BYTES_PER_DAY);
  expect(Number(row?.n) + 300 * kept).toBeLessThan(KEPT_DAYS * BYTES_PER_DAY);
  const window = { limit: 1, offset: 0 };
  const { events } = await store.events.list({ farmId, minerId: flapping, window });
  expect(events[0]?.atMs).toBe(NOW_MS - DAY_MS + 1_399 * 60_000);
  await flap(flapping, 10, NOW_MS - 60_000 * 10);
  await store.prune(NOW_MS);
  expect(await countOf(flapping), 'not again before it is full again').toBe(kept + 10);
});

test('events are kept for 400 days', async () => {
  const { store, flap, countOf } = await setUp();
  const [old, older] = [newId(NOW_MS), newId(NOW_MS)];
  await flap(old, 2, NOW_MS - 399 * DAY_MS);
  await flap(older, 2, NOW_MS - 401 * DAY_MS);
  await store.prune(NOW_MS);
  expect([await countOf(old), await countOf(older)]).toEqual([2, 0]);
});

test('a span of time has its newest events in order, and says how many there were before them', async () => {
  const { store, farmId, flap } = await setUp();
  await flap(newId(NOW_MS), 3_000, NOW_MS - 3_000 * 60_000);
  const span = { farmId, sinceMs: NOW_MS - 2_990 * 60_000, untilMs: NOW_MS - 60_000 };
  const whole = await store.events.between({ ...span, most: 10_000 });
  expect([whole.events.length, whole.leftOut]).toEqual([2_989, 0]);
  const times = whole.events.map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect([times[0], times.at(-1)]).toEqual([span.sinceMs, span.untilMs - 60_000]);
  const some = await store.events.between({ ...span, most: 2_500 });
  expect([some.events.length, some.leftOut]).toEqual([2_500, 489]);
  expect(some.events.at(-1)).toEqual(whole.events.at(-1));
});
