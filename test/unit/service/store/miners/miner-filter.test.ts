// Filters in SQL against the same filters in plain code, on random fleets; and the plans that the database makes for
// them.
import fc from 'fast-check';
import { CompiledQuery } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPS_STATUSES } from '../../../../../src/model/miner.ts';
import type { Databases } from '../../../../../src/service/store/databases.ts';
import { migrate } from '../../../../../src/service/store/migrations/migrations.ts';
import {
  type MinerFilter,
  minerConditions,
  type StatusSet,
} from '../../../../../src/service/store/miners/miner-filter.ts';
import { createMinerStore } from '../../../../../src/service/store/miners/miners.ts';
import { isPostgresUrl } from '../../../../../src/service/store/postgres/postgres.ts';
import { openDatabases } from '../../../../../src/service/store/store.ts';
import { newDatabase, type TestDatabase } from '../../../../support/database.ts';
import { ID, rowsOf } from './item-rows.ts';

const NOW_MS = 1_000_000;
const FARM = 'farm';
let database: TestDatabase;
let databases: Databases;

beforeAll(async () => {
  database = await newDatabase();
  databases = openDatabases(database.target);
  await migrate(databases, 'test');
});
afterAll(async () => {
  await databases.close();
  await database.drop();
});

const minerArbitrary = fc.record({
  ip_num: fc.integer({ min: 0, max: 40 }),
  agent_id: fc.constantFrom('a', 'b', null),
  stale_at: fc.constantFrom(null, NOW_MS - 1, NOW_MS, NOW_MS + 1),
  ops_status: fc.constantFrom(null, null, ...OPS_STATUSES),
  anomaly_flags: fc.integer({ min: 0, max: 7 }),
  unstable_reason: fc.constantFrom(null, 'ip_only'),
  mining_mode: fc.constantFrom('sleep', 'normal', 'high'),
  hashrate: fc.constantFrom(null, 0, 50, 100, 120),
  expected_hashrate: fc.constantFrom(null, 0, 100),
  mac: fc.constantFrom('', 'M1', 'M2'),
});
type Miner = typeof minerArbitrary extends fc.Arbitrary<infer T> ? T : never;

const statusArbitrary: fc.Arbitrary<StatusSet> = fc
  .record({
    run: fc.uniqueArray(fc.constantFrom('online' as const, 'stale' as const)),
    ops: fc.uniqueArray(fc.constantFrom(...OPS_STATUSES), { maxLength: 3 }),
  })
  .filter(({ run, ops }) => run.length + ops.length > 0);

const filterArbitrary: fc.Arbitrary<MinerFilter> = fc.record(
  {
    agentId: fc.constantFrom('a', 'b', 'c'),
    mac: fc.constantFrom('M1', 'M3'),
    status: statusArbitrary,
    statusExclude: statusArbitrary,
    opsStatus: fc.uniqueArray(fc.constantFrom(...OPS_STATUSES), { minLength: 1 }),
    isUnstable: fc.constant(true as const),
    hasAnomaly: fc.boolean(),
    anomalyMask: fc.integer({ min: 1, max: 7 }),
    realizationMin: fc.constantFrom(0, 0.5, 1),
    realizationMax: fc.constantFrom(0.5, 1, 1.2),
    miningModesIn: fc.uniqueArray(fc.constantFrom('sleep', 'normal', 'other'), { minLength: 1 }),
    miningModesNotIn: fc.uniqueArray(fc.constantFrom('sleep', 'high'), { minLength: 1 }),
    ipRanges: fc.array(
      fc
        .tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 10 }))
        .map(([first, size]) => ({ first, last: first + size })),
      { minLength: 1, maxLength: 4 },
    ),
  },
  { requiredKeys: [] },
);

function isSelected(filter: MinerFilter, miner: Miner): boolean {
  const run = miner.stale_at !== null && miner.stale_at > NOW_MS ? 'online' : 'stale';
  const isIn = (set: StatusSet) =>
    set.run.includes(run) || (miner.ops_status !== null && set.ops.includes(miner.ops_status));
  const share =
    miner.hashrate === null || !miner.expected_hashrate ? undefined : miner.hashrate / miner.expected_hashrate;
  const { realizationMin: min, realizationMax: max } = filter;
  return (
    (filter.agentId === undefined || miner.agent_id === filter.agentId) &&
    (filter.mac === undefined || miner.mac === filter.mac) &&
    (filter.status === undefined || isIn(filter.status)) &&
    (filter.statusExclude === undefined || !isIn(filter.statusExclude)) &&
    (filter.opsStatus === undefined || (miner.ops_status !== null && filter.opsStatus.includes(miner.ops_status))) &&
    (filter.isUnstable === undefined || miner.unstable_reason !== null) &&
    (filter.hasAnomaly === undefined || (miner.anomaly_flags !== 0) === filter.hasAnomaly) &&
    (filter.anomalyMask === undefined || (miner.anomaly_flags & filter.anomalyMask) !== 0) &&
    (min === undefined || (share !== undefined && share >= min)) &&
    (max === undefined || (share !== undefined && share <= max)) &&
    (filter.miningModesIn === undefined || filter.miningModesIn.includes(miner.mining_mode)) &&
    (filter.miningModesNotIn === undefined || !filter.miningModesNotIn.includes(miner.mining_mode)) &&
    (filter.ipRanges === undefined ||
      filter.ipRanges.some(({ first, last }) => miner.ip_num >= first && miner.ip_num <= last))
  );
}

async function fill(miners: readonly Miner[]): Promise<void> {
  const { write } = databases;
  await write.deleteFrom('miner_documents').execute();
  await write.deleteFrom('miners').execute();
  for (const [n, miner] of miners.entries()) {
    const { row_id } = await write
      .insertInto('miners')
      .values({
        ...{
          id: String(n).padStart(5, '0'),
          farm_id: FARM,
          agent_key: null,
          created_at: 1,
          reported_at: 1,
          reported_order: 1,
          seen_at: null,
        },
        ...{ serial: '', serials: '', rack: null, position: null },
        ...miner,
      })
      .returning('row_id')
      .executeTakeFirstOrThrow();
    await write
      .insertInto('miner_documents')
      .values({ row_id, document: '{}', extras: '{}', abilities: '[]' })
      .execute();
  }
}

test('the database selects exactly what the filter means, in order, page by page', async () => {
  const store = createMinerStore(databases);
  await fc.assert(
    fc.asyncProperty(
      fc.array(minerArbitrary, { minLength: 1, maxLength: 25 }),
      fc.array(filterArbitrary, { minLength: 8, maxLength: 8 }),
      fc.integer({ min: 1, max: 7 }),
      async (miners, filters, limit) => {
        await fill(miners);
        for (const filter of filters) {
          const expected = miners
            .map((miner, n) => ({ miner, id: String(n).padStart(5, '0') }))
            .filter(({ miner }) => isSelected(filter, miner))
            .toSorted((a, b) => a.miner.ip_num - b.miner.ip_num || (a.id < b.id ? -1 : 1))
            .map(({ id }) => id);
          for (let offset = 0; offset <= expected.length; offset += limit) {
            const page = await store.list({
              farmId: FARM,
              filter,
              window: { limit, offset },
              item: ID,
              nowMs: NOW_MS,
            });
            expect(rowsOf(page).map(({ id }) => id)).toEqual(expected.slice(offset, offset + limit));
            expect(page.total).toBe(expected.length);
          }
        }
      },
    ),
    { numRuns: 25 },
  );
});

test('no list reads the whole table: every plan starts from an index', async () => {
  const filters: readonly MinerFilter[] = [
    {},
    { agentId: 'a' },
    { serial: 'S' },
    { mac: 'M' },
    { status: { run: ['stale'], ops: [] } },
    { statusExclude: { run: ['stale'], ops: ['retired'] } },
    { opsStatus: ['maintenance'] },
    { isUnstable: true },
    { hasAnomaly: true },
    { anomalyMask: 5 },
    { realizationMin: 0.5 },
    { miningModesIn: ['sleep'] },
    { ipRanges: [{ first: 1, last: 9 }] },
  ];
  for (const filter of filters) {
    const { sql, parameters } = databases.read
      .selectFrom('miners')
      .innerJoin('miner_documents', 'miner_documents.row_id', 'miners.row_id')
      .select('document')
      .where((eb) => minerConditions(eb, FARM, filter, NOW_MS))
      .orderBy('ip_num')
      .orderBy('miners.id')
      .limit(10)
      .compile();
    const steps = await explain(sql, parameters);
    expect(steps.filter((step) => /^(SCAN|.*Seq Scan)/.test(step))).toEqual([]);
    expect(
      steps.some((step) => /SEARCH miners USING (COVERING )?(INDEX|INTEGER)|Index Cond: .*farm_id/.test(step)),
    ).toBe(true);
  }
});

/**
 * Steps of the plan; on PostgreSQL of the plan that it has when it must not read whole tables, because these are too
 * small to need an index.
 */
function explain(text: string, parameters: readonly unknown[]): Promise<string[]> {
  return databases.read.transaction().execute(async (trx) => {
    const isPostgres = isPostgresUrl(database.target);
    if (isPostgres) await trx.executeQuery(CompiledQuery.raw('SET LOCAL enable_seqscan = off'));
    const explained = CompiledQuery.raw(`EXPLAIN ${isPostgres ? '' : 'QUERY PLAN '}${text}`, [...parameters]);
    const { rows } = await trx.executeQuery<{ detail: string } | { 'QUERY PLAN': string }>(explained);
    return rows.map((row) => ('detail' in row ? row.detail : row['QUERY PLAN']));
  });
}
