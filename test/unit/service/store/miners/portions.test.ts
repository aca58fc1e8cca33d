// A page that is larger than one portion: each miner once, in order, as one state of the farm, while others have their
// turn and the farm changes between the portions.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { yieldToEventLoop } from '../../../../../src/base/clock.ts';
import type { Databases } from '../../../../../src/service/store/databases.ts';
import { openDatabases, openStore, type Store } from '../../../../../src/service/store/store.ts';
import { newDatabase, queryDatabase, type TestDatabase } from '../../../../support/database.ts';
import { type Fleet, fillFleet } from '../fleet.ts';
import { ID, rowsOf } from './item-rows.ts';

const NOW_MS = Date.UTC(2026, 2, 2);
const MINERS = 1_100;

let database: TestDatabase;
let databases: Databases;
let store: Store;
let fleet: Fleet;
beforeAll(async () => {
  database = await newDatabase();
  store = await openStore(database.target);
  databases = openDatabases(database.target);
  fleet = await fillFleet(store, databases, { miners: MINERS, nowMs: NOW_MS });
  // Several at one address: their ids decide, also where a portion ends among them.
  await queryDatabase(
    database.target,
    'UPDATE miners SET ip_num = 167772360 WHERE ip_num BETWEEN 167772360 AND 167772660',
  );
});
afterAll(async () => {
  await databases.close();
  await store.close();
  await database.drop();
});

const list = (limit: number, offset = 0, more = {}) =>
  store.miners.list({ farmId: fleet.farmId, window: { limit, offset }, item: ID, nowMs: NOW_MS, ...more });
const idsOf = async (page: ReturnType<typeof list>) => rowsOf(await page).map(({ id }) => id);

test('a large page has what small ones have, in their order, wherever it begins and ends', async () => {
  const small: string[] = [];
  for (let offset = 0; offset < MINERS; offset += 100) small.push(...(await idsOf(list(100, offset))));
  expect(new Set(small).size).toBe(MINERS);
  for (const [limit, offset] of [
    [10_000, 0],
    [MINERS, 0],
    [400, 0],
    [401, 50],
    [201, 1_000],
    [300, 900],
    [500, 2_000],
  ] as const) {
    const page = await list(limit, offset);
    expect(
      rowsOf(page).map(({ id }) => id),
      `${limit} from ${offset}`,
    ).toEqual(small.slice(offset, offset + limit));
    expect(page.total).toBe(MINERS);
  }
  const only = { miningModesNotIn: ['no such mode'] };
  expect(await idsOf(list(10_000, 0, { filter: only }))).toEqual(small);
});

test('others have their turn while it is made, and see what was written meanwhile; the page is of one state', async () => {
  const [first] = await idsOf(list(1));
  let [turns, isMade] = [0, false];
  const page = idsOf(list(10_000)).finally(() => {
    isMade = true;
  });
  // Counted from the start: beside a PostgreSQL the page may be made before the change has its connection.
  const counting = (async () => {
    while (!isMade) {
      await yieldToEventLoop();
      turns++;
    }
  })();
  // The first miner moves behind the last: it would be met again, or the one after it left out.
  await yieldToEventLoop();
  await queryDatabase(database.target, 'UPDATE miners SET ip_num = 4000000000 WHERE id = ?', first ?? '');
  await counting;
  expect(turns).toBeGreaterThan(2);
  const ids = await page;
  expect(ids).toHaveLength(MINERS);
  expect(new Set(ids).size).toBe(MINERS);
  expect((await idsOf(list(10_000))).at(-1)).toBe(first);
  expect(await idsOf(list(1, MINERS - 1))).toEqual([first]);
});

test('two at once are made one after the other, each in full', async () => {
  const [one, other] = await Promise.all([idsOf(list(10_000)), idsOf(list(1_000))]);
  expect(one.slice(0, 1_000)).toEqual(other);
});
