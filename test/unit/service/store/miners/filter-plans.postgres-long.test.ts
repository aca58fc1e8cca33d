// How the database gets at the miners of each filter: the statements that the store sends, on a farm of a size at which
// plans differ.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Databases } from '../../../../../src/service/store/databases.ts';
import { listLocations } from '../../../../../src/service/store/miners/locations.ts';
import { createMinerStore } from '../../../../../src/service/store/miners/miners.ts';
import { isPostgresUrl } from '../../../../../src/service/store/postgres/postgres.ts';
import { openDatabases, openStore, type Store } from '../../../../../src/service/store/store.ts';
import { newDatabase, type TestDatabase } from '../../../../support/database.ts';
import { type Fleet, fillFleet } from '../fleet.ts';
import { type Access, explain, describe as inWords, listening, type Plan } from '../query-plan.ts';
import { ask, filterCases } from './filter-cases.ts';
import { rowsOf } from './item-rows.ts';

const MINERS = 4_000;
const NOW_MS = Date.UTC(2026, 2, 2);
const IN_ORDER = 'miners_farm_id_ip_num_id';

let database: TestDatabase;
let databases: Databases;
let store: Store;
let fleet: Fleet;
let isPostgres: boolean;

beforeAll(async () => {
  database = await newDatabase();
  store = await openStore(database.target);
  databases = openDatabases(database.target);
  isPostgres = isPostgresUrl(database.target);
  fleet = await fillFleet(store, databases, { miners: MINERS, nowMs: NOW_MS });
  // What it does by itself every so often. The embedded database has what it needs from the schema.
  if (isPostgres) await sql`ANALYZE`.execute(databases.write);
}, 60_000);
afterAll(async () => {
  await databases.close();
  await store.close();
  await database.drop();
});

async function plansOf(wanted: ReturnType<typeof filterCases>[number]) {
  const plans: Promise<Plan>[] = [];
  const read = listening(databases.read, (query) => plans.push(explain(databases.read, query, isPostgres)));
  const { readItems } = databases;
  const found = await ask(createMinerStore({ read, readItems }), fleet, wanted);
  // What a statement is made of is heard too.
  const explained = await Promise.all(plans);
  const isPage = ({ sql: text }: Plan) => text.includes('"document"');
  const page = explained.find(isPage)?.accesses;
  const count = explained.find((plan) => plan.sql.includes('count(') && !isPage(plan))?.accesses;
  const ofMiners = (accesses: readonly Access[]) => accesses.filter(({ table }) => table === 'miners');
  return {
    whole: page ?? [],
    page: ofMiners(page ?? []),
    count: count && ofMiners(count),
    rows: rowsOf(found),
    total: found.total,
  };
}

const isSearch = ({ index, bound }: Access) => index !== undefined && bound > 0;
const BY_ROW = new Set(['INTEGER PRIMARY KEY', 'miners_pkey']);
const uses = (accesses: readonly Access[], name: string) =>
  accesses.some(({ index = '', bound }) => (BY_ROW.has(name) ? BY_ROW.has(index) : index === name && bound > 1));

test('each filter is served by its index, or has a reason why none can serve it', async () => {
  for (const wanted of filterCases(fleet, MINERS)) {
    const { page, count, rows, total } = await plansOf(wanted);
    const words = `${wanted.name}: page by ${page.map(inWords).join(', ')}; count by ${count?.map(inWords).join(', ')}`;
    expect(rows.length, words).toBe(
      Math.max(0, Math.min(wanted.window?.limit ?? 50, total - (wanted.window?.offset ?? 0))),
    );
    expect((wanted.index === undefined) !== (wanted.why === undefined), wanted.name).toBe(true);
    // Most of a table is read faster without an index: PostgreSQL may.
    const mayScan = isPostgres && (wanted.why !== undefined || total > MINERS / 4);
    if (!mayScan) for (const access of [...page, ...(count ?? [])]) expect(isSearch(access), words).toBe(true);
    if (wanted.index === undefined) continue;
    if (count !== undefined && !mayScan) expect(uses(count, wanted.index), words).toBe(true);
    // Who asks for one miner does not wait for a walk along the list.
    if (total < 5) expect(uses(page, wanted.index), words).toBe(true);
  }
});

test('the last page of a long list reads no documents but its own', async () => {
  const { whole, page, rows } = await plansOf({ name: 'last page', window: { limit: 50, offset: MINERS - 50 } });
  expect(rows).toHaveLength(50);
  const documents = whole.filter(({ table }) => table === 'miner_documents');
  expect(documents).toMatchObject([{ bound: 1 }]);
  if (!isPostgres) expect(page).toContainEqual(expect.objectContaining({ index: IN_ORDER, isCovering: true }));
});

test('the places of a whole farm are read in pages by the order of the list, and others have their turn between them', async () => {
  const plans: Promise<Plan>[] = [];
  const read = listening(databases.read, (query) => plans.push(explain(databases.read, query, isPostgres)));
  let turns = 0;
  let isReading = true;
  const count = () => {
    turns++;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  const miners = await listLocations(read, fleet.farmId);
  isReading = false;
  expect(turns).toBeGreaterThan(2);
  const whole = await databases.read
    .selectFrom('miners')
    .select('id')
    .where('farm_id', '=', fleet.farmId)
    .orderBy('ip_num')
    .orderBy('id')
    .execute();
  expect(miners.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
  expect(miners.length).toBe(MINERS);
  expect(plans.length).toBeGreaterThan(2);
  if (isPostgres) return;
  for (const { accesses } of await Promise.all(plans)) expect(accesses).toMatchObject([{ index: IN_ORDER }]);
});
