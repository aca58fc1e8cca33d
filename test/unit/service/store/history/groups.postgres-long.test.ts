// History and counts of a farm in groups: what may be added up makes the whole, and hashrates of different algorithms
// are never added up.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { MODELS } from '../../../../../src/driver/kit/models/models.data.ts';
import { ALGORITHMS, algorithmOf, NOT_KNOWN } from '../../../../../src/service/store/history/algorithms.ts';
import { newId, openDatabases, openStore, type Store } from '../../../../../src/service/store/store.ts';
import { GROUP_KEYS } from '../../../../../src/wire/api/metrics.ts';
import type { MinerRecord } from '../../../../../src/wire/records.ts';
import { temporaryDatabase } from '../../../../support/database.ts';
import { minerRecord } from '../../../service-http/records.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const BEGIN_MS = Date.UTC(2026, 2, 2);
const END_MS = BEGIN_MS + 2 * HOUR_MS;
const CELLS = 12;

type Miner = {
  readonly algorithm: 'sha256' | 'scrypt' | null;
  readonly model: string | null;
  readonly firmware: string;
  readonly rack: string | null;
  readonly hashrate: number;
  readonly power: number | null;
  /** The tens of minutes in which it is there. */
  readonly cells: readonly boolean[];
};

const anyMiner: fc.Arbitrary<Miner> = fc.record({
  algorithm: fc.constantFrom('sha256', 'scrypt', null),
  model: fc.constantFrom('S19', 'L9', null),
  firmware: fc.constantFrom('antminer-stock', 'vnish'),
  rack: fc.constantFrom('A1', 'A2', null),
  hashrate: fc.integer({ min: 1e9, max: 1e14 }),
  power: fc.option(fc.integer({ min: 1_000, max: 5_000 })),
  cells: fc.array(fc.boolean(), { minLength: CELLS, maxLength: CELLS }),
});

/** A farm that two agents have reported two hours of; in odd minutes each gives a tenth more. */
async function farmOf(store: Store, target: string, miners: readonly Miner[]) {
  const farmId = newId(1);
  await store.tenants.createWorkspace({ id: farmId, name: 'w', slug: farmId }, 1);
  await store.tenants.createFarm({ id: farmId, workspaceId: farmId, name: 'F' }, 1);
  const keys = miners.map(() => randomUUID());
  for (const parity of [0, 1]) {
    const [agentId, epoch] = [newId(1), randomUUID()];
    await store.agents.createCode({ hash: agentId, farmId, nowMs: 1, expiresAtMs: 2 });
    const agent = { id: agentId, name: 'agent', tokenHash: '', identityKey: 'k', version: '1', nowMs: 1 };
    await store.agents.enrol(agentId, agent);
    for (let cell = 0; cell < CELLS; cell++) {
      const records = Array.from({ length: 10 }, (_, index) => cell * 10 + index).flatMap((minute) =>
        miners.flatMap((miner, n) =>
          n % 2 === parity && miner.cells[cell] ? [recordOf(miner, n, minute, keys[n] ?? '')] : [],
        ),
      );
      const nowMs = BEGIN_MS + (cell + 1) * 10 * MINUTE_MS;
      const slice = { agentId, farmId, epoch, seq: cell + 1, records, rejected: 0, producedAtMs: nowMs, nowMs };
      await store.ingest.storeSlice(slice);
    }
  }
  const databases = openDatabases(target);
  for (const [n, { rack }] of miners.entries())
    await databases.write
      .updateTable('miners')
      .set({ rack })
      .where('agent_key', '=', keys[n] ?? '')
      .execute();
  await databases.write.insertInto('racks').values({ farm_id: farmId, name: 'A1', container: 'C1' }).execute();
  await databases.close();
  return farmId;
}

const factorAt = (minute: number) => (minute % 2 === 0 ? 1 : 1.1);

function recordOf(miner: Miner, n: number, minute: number, key: string): MinerRecord {
  const { algorithm, model, firmware, hashrate, power } = miner;
  const factor = factorAt(minute);
  return minerRecord(n, BEGIN_MS + minute * MINUTE_MS, {
    key,
    document: { model, hashrate: hashrate * factor, power: power === null ? null : power * factor },
    extras: { firmware, algorithm, expected_hashrate: null },
  });
}

const near = (value: number) => expect.closeTo(value, 3 - Math.ceil(Math.log10(Math.max(1e-3, value))));
const total = (values: readonly (number | null)[]) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

test('whatever the key, the groups are the whole in power and counts, hour by hour', async () => {
  const target = await temporaryDatabase();
  const store = await openStore(target);
  onTestFinished(() => store.close());
  await fc.assert(
    fc.asyncProperty(fc.array(anyMiner, { minLength: 1, maxLength: 8 }), async (miners) => {
      const farmId = await farmOf(store, target, miners);
      const window = { farmId, fromMs: BEGIN_MS, toMs: END_MS, nowMs: END_MS };
      const whole = await store.history.query({ ...window, granularity: 'hour' });
      for (const groupBy of GROUP_KEYS) {
        const found = await store.farmGroups.query({ ...window, groupBy });
        if (found.kind !== 'series') throw new Error('within the limits');
        for (const [hour, bucket] of whole.entries()) {
          const of = found.series.flatMap(({ buckets }) => buckets[hour] ?? []);
          expect(total(of.map(({ power_avg }) => power_avg))).toEqual(near(bucket.power_avg ?? 0));
          expect(total(of.map(({ miners_online_avg }) => miners_online_avg))).toBeCloseTo(
            bucket.miners_online_avg ?? 0,
            6,
          );
          expect(total(of.map(({ minersTotal }) => minersTotal))).toBe(bucket.minersTotal);
          for (const { algorithms, hashrate_avg, efficiency } of of)
            if (algorithms.filter((one) => one !== null).length > 1)
              expect([hashrate_avg, efficiency]).toEqual([null, null]);
        }
      }
      await expectAlgorithms(store, farmId, miners);
      await expectCounts(store, farmId, miners);
    }),
    { numRuns: 3 },
  );
});

/** By algorithm, from the cells and from the hours of miners, against sums by hand. */
async function expectAlgorithms(store: Store, farmId: string, miners: readonly Miner[]): Promise<void> {
  const window = { farmId, fromMs: BEGIN_MS, toMs: END_MS, nowMs: END_MS };
  const cells = await store.history.queryByAlgorithm({ ...window, granularity: '10min' });
  const known = new Set(miners.filter((miner) => miner.cells.includes(true)).map(({ algorithm }) => algorithm));
  expect(new Set(cells.map(({ group }) => group))).toEqual(known);
  for (const { group, buckets } of cells)
    for (const [cell, bucket] of buckets.entries()) {
      const there = miners.filter((miner) => miner.algorithm === group && miner.cells[cell]);
      const expected = total(there.map(({ hashrate }) => hashrate * 1.05));
      expect(bucket.hashrate_avg ?? 0).toEqual(near(expected));
      expect(bucket.miners_online_avg ?? 0).toBeCloseTo(there.length, 6);
    }
  const whole = await store.history.query({ ...window, granularity: '10min' });
  for (const [cell, bucket] of whole.entries()) {
    const of = cells
      .map(({ group, buckets }) => ({ group, bucket: buckets[cell] }))
      .filter(({ bucket: one }) => one?.minersTotal);
    const names = of.map(({ group }) => group);
    expect(new Set(bucket.algorithms)).toEqual(new Set(names));
    const certain = of.filter(({ group }) => group !== null);
    const only = certain.length === 0 ? of[0] : certain.length === 1 ? certain[0] : undefined;
    expect(bucket.hashrate_avg).toBe(only?.bucket?.hashrate_avg ?? null);
    expect(bucket.efficiency).toBe(only?.bucket?.efficiency ?? null);
    expect(bucket.power_avg ?? 0).toEqual(near(total(of.map((one) => one.bucket?.power_avg ?? null))));
  }
}

async function expectCounts(store: Store, farmId: string, miners: readonly Miner[]): Promise<void> {
  const there = miners.filter((miner) => miner.cells.includes(true));
  const all = await store.classification.classify(farmId, END_MS);
  for (const groupBy of GROUP_KEYS) {
    const groups = await store.classification.groups(farmId, groupBy, END_MS);
    expect(total(groups.map(({ count }) => count))).toBe(there.length);
    const online = all.status.find(({ value }) => value === 'online')?.count;
    expect(total(groups.map((group) => group.online))).toBe(online);
    const isThere = (miner: Miner) => miner.cells.at(-1) === true;
    expect(total(groups.map(({ power }) => power))).toEqual(
      near(total(there.filter(isThere).map(({ power }) => (power ?? 0) * factorAt(119)))),
    );
    if (groupBy === 'container') {
      const expected = there.filter(({ rack }) => rack === 'A1').length;
      expect(groups.find(({ value }) => value === 'C1')?.count ?? 0).toBe(expected);
    }
    if (groupBy !== 'rack') continue;
    for (const group of groups) {
      const members = there.filter(({ rack }) => rack === group.value);
      expect(group.count).toBe(members.length);
      const known = new Set(members.flatMap(({ algorithm }) => algorithm ?? []));
      if (known.size > 1) expect([group.hashrate, group.expected]).toEqual([null, null]);
    }
  }
}

test('history knows the algorithms of the model table, and takes other words for none', () => {
  const inTable = new Set(MODELS.flatMap(([, , algorithm]) => algorithm ?? []));
  expect([...inTable].filter((name) => !ALGORITHMS.includes(name))).toEqual([]);
  const of = (algorithm: string | null) => algorithmOf(minerRecord(1, 0, { extras: { algorithm } }));
  expect([of('scrypt'), of('invented'), of(''), of(null)]).toEqual(['scrypt', NOT_KNOWN, NOT_KNOWN, NOT_KNOWN]);
});

test('a farm that changes its coin has no hashrate for the time that has both', async () => {
  const target = await temporaryDatabase();
  const store = await openStore(target);
  onTestFinished(() => store.close());
  const usual = { model: null, firmware: 'f', rack: null, power: 1_000 };
  const early = Array.from({ length: CELLS }, (_, cell) => cell < 6);
  const farmId = await farmOf(store, target, [
    { ...usual, algorithm: 'sha256', hashrate: 1e14, cells: early },
    { ...usual, algorithm: 'scrypt', hashrate: 1e10, cells: early.map((isEarly) => !isEarly) },
  ]);
  const window = { farmId, fromMs: BEGIN_MS, toMs: END_MS, nowMs: END_MS };
  const hours = await store.history.query({ ...window, granularity: 'hour' });
  expect(hours.map(({ hashrate_avg, algorithms }) => [hashrate_avg, algorithms])).toEqual([
    [near(1.05e14), ['sha256']],
    [near(1.05e10), ['scrypt']],
  ]);
  const [day] = await store.history.query({ ...window, granularity: 'day' });
  expect(day).toMatchObject({
    hashrate_avg: null,
    expected_hashrate_avg: null,
    efficiency: null,
    power_avg: near(1_050),
  });
  expect(day?.algorithms).toEqual(['scrypt', 'sha256']);
});

test('a window that is too long for the size of the farm is refused with what is possible', async () => {
  const target = await temporaryDatabase();
  const store = await openStore(target);
  const databases = openDatabases(target);
  onTestFinished(async () => {
    await databases.close();
    await store.close();
  });
  const usual = { algorithm: null, model: null, firmware: 'f', rack: null, power: 1, hashrate: 1e12 } as const;
  const farmId = await farmOf(store, target, [{ ...usual, cells: Array.from({ length: CELLS }, () => true) }]);
  // A farm of 10,000 miners as far as the narrow table goes, of 500 racks.
  await sql`insert into miners (id, farm_id, created_at, reported_at, reported_order, ip_num, mac, serial, serials, anomaly_flags, mining_mode, rack)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 9999)
    select 'm' || n, ${farmId}, created_at, reported_at, 1, n, '', '', '', 0, 'normal', 'R' || (n % 500)
    from numbers, miners where farm_id = ${farmId}`.execute(databases.write);
  const ask = (groupBy: 'rack' | 'model', hours: number) =>
    store.farmGroups.query({ farmId, groupBy, fromMs: BEGIN_MS, toMs: BEGIN_MS + hours * HOUR_MS, nowMs: END_MS });
  expect((await ask('model', 60)).kind).toBe('series');
  expect(await ask('model', 61)).toMatchObject({ kind: 'too-much', miners: 10_000, groups: 1, maxHours: 60 });
  expect((await ask('rack', 39)).kind).toBe('series');
  expect(await ask('rack', 40)).toMatchObject({ kind: 'too-much', groups: 501, maxHours: 39 });
});
