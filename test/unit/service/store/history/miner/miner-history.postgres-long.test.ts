// The history of one miner: every minute once, whatever the order of the slices, over restarts, two agents and a clock
// that is set; what it costs; how long it is kept.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { MinerBucket } from '../../../../../../src/service/store/history/miner/miner-history.ts';
import { newId, openDatabases, openStore, type Store } from '../../../../../../src/service/store/store.ts';
import { temporaryDatabase } from '../../../../../support/database.ts';
import { minerRecord, SILENT } from '../../../../service-http/records.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const BEGIN_MS = Date.UTC(2026, 2, 2);
const atMinute = (minute: number) => BEGIN_MS + minute * MINUTE_MS;

type Values = { hashrate: number | null; power: number | null; temp: number | null; isSilent?: boolean };
const USUAL: Values = { hashrate: 110e12, power: 3_250, temp: 70 };

/** A farm whose agents report one miner, each slice twice. */
async function newFarm(target: string, before?: Store) {
  const store = before ?? (await openStore(target));
  if (before === undefined) onTestFinished(() => store.close());
  const databases = openDatabases(target);
  onTestFinished(() => databases.close());
  const farmId = newId(1);
  await store.tenants.createWorkspace({ id: farmId, name: 'w', slug: farmId }, 1);
  await store.tenants.createFarm({ id: farmId, workspaceId: farmId, name: 'F' }, 1);
  const key = randomUUID();
  const join = async () => {
    const [agentId, epoch] = [newId(1), randomUUID()];
    await store.agents.createCode({ hash: agentId, farmId, nowMs: 1, expiresAtMs: 2 });
    const agent = { id: agentId, name: 'agent', tokenHash: '', identityKey: 'k', version: '1', nowMs: 1 };
    await store.agents.enrol(agentId, agent);
    let seq = 0;
    return async (readings: readonly (readonly [minute: number, values: Values])[], nowMs?: number) => {
      const now = nowMs ?? atMinute(Math.max(...readings.map(([minute]) => minute)));
      const records = readings.map(([minute, { isSilent = false, ...document }]) =>
        minerRecord(1, atMinute(minute), {
          key,
          document: { last_check_succeed: !isSilent, ...document },
          extras: { flags: isSilent ? [SILENT] : [] },
        }),
      );
      const slice = { agentId, farmId, epoch, seq: ++seq, records, rejected: 0, producedAtMs: now, nowMs: now };
      expect((await store.ingest.storeSlice(slice)).kind).toBe('stored');
      expect((await store.ingest.storeSlice(slice)).kind).toBe('duplicate');
    };
  };
  const query = async (hours: number, options: { granularity?: 'hour' | 'day' | 'week'; nowMs?: number } = {}) => {
    const miners = await databases.read.selectFrom('miners').select('id').where('farm_id', '=', farmId).execute();
    const { granularity = 'hour', nowMs = atMinute(hours * 60) } = options;
    const window = { fromMs: BEGIN_MS, toMs: BEGIN_MS + hours * HOUR_MS };
    const minerId = miners[0]?.id ?? '';
    return (await store.minerHistory.query({ farmId, minerId, granularity, ...window, nowMs })) ?? [];
  };
  return { store, databases, farmId, join, query };
}

const minutes = (first: number, last: number, values: Values) =>
  Array.from({ length: last - first + 1 }, (_, index) => [first + index, values] as const);
const near = (value: number) => expect.closeTo(value, 3 - Math.ceil(Math.log10(Math.max(1e-9, value))));
const shown = (buckets: readonly MinerBucket[]) =>
  buckets.map(({ hashrate, power, temperature, coverage }) => ({ hashrate, power, temperature, coverage }));

test('reported late, in any order and over a restart, each hour is what its minutes are', async () => {
  const target = await temporaryDatabase();
  const store = await openStore(target);
  onTestFinished(() => store.close());
  const option = <T>(of: fc.Arbitrary<T>) => fc.option(of, { freq: 4 });
  const values = fc.record({
    hashrate: option(fc.integer({ min: 80, max: 120 }).map((ths) => ths * 1e12)),
    power: option(fc.integer({ min: 2_000, max: 4_000 })),
    temp: option(fc.integer({ min: 30, max: 90 })),
    isSilent: fc.constantFrom(false, false, false, true),
  });
  // Eight hours in spans of half an hour, some of them missing, in any order.
  const spans = fc
    .array(fc.array(values, { minLength: 30, maxLength: 30 }), { minLength: 1, maxLength: 16 })
    .chain((all) =>
      fc.shuffledSubarray(
        all.map((span, index) => ({ span, index })),
        { minLength: 1 },
      ),
    );
  await fc.assert(
    fc.asyncProperty(spans, async (parts) => {
      const farm = await newFarm(target, store);
      const [first, second] = [await farm.join(), await farm.join()];
      for (const [turn, { span, index }] of parts.entries()) {
        const readings = span.map((reading, minute) => [index * 30 + minute, reading] as const);
        await (turn % 2 === 0 ? first : second)(readings, atMinute(480));
      }
      const buckets = await farm.query(8);
      for (const [hour, bucket] of buckets.entries()) {
        const inHour = parts.filter(({ index }) => Math.floor(index / 2) === hour).flatMap(({ span }) => span);
        expect(bucket).toMatchObject(expectedOf(inHour));
      }
    }),
    { numRuns: 6 },
  );
});

/** By hand: means over what is known. */
function expectedOf(readings: readonly Values[]) {
  const mean = (values: readonly (number | null)[]) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return null;
    const value = known.reduce((a, b) => a + b, 0) / known.length;
    return value === 0 ? 0 : near(value);
  };
  const temperatures = readings.flatMap(({ temp, isSilent }) => (isSilent || temp === null ? [] : [temp]));
  return {
    hashrate: mean(readings.map(({ hashrate, isSilent }) => (isSilent ? 0 : hashrate))),
    power: mean(readings.map(({ power, isSilent }) => (isSilent ? 0 : power))),
    temperature: temperatures.length === 0 ? null : expect.closeTo(mean0(temperatures), 0),
    temperatureMax: temperatures.length === 0 ? null : Math.max(...temperatures),
    online: readings.length === 0 ? null : readings.filter(({ isSilent }) => !isSilent).length / readings.length,
  };
}
const mean0 = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

test('hours that are folded stay as true as those that are not, and days are made of their minutes', async () => {
  const farm = await newFarm(await temporaryDatabase());
  const report = await farm.join();
  const valuesAt = (minute: number) => ({ ...USUAL, hashrate: 100e12 + minute * 1e9, temp: 50 + (minute % 60) / 10 });
  // The miner comes at half past.
  await report([[30, valuesAt(30)]]);
  for (let first = 31; first < 300; first += 3)
    await report([first, first + 1, first + 2].filter((one) => one < 300).map((one) => [one, valuesAt(one)] as const));
  const hours = await farm.query(5);
  expect(shown(hours).slice(1)).toEqual(
    [1, 2, 3, 4].map((hour) => ({
      hashrate: near(100e12 + (hour * 60 + 29.5) * 1e9),
      power: near(3_250),
      temperature: expect.closeTo(52.95, 1),
      coverage: 1,
    })),
  );
  // Nothing was due of it before it came.
  expect(hours[0]).toMatchObject({ coverage: 1, hashrate: near(100e12 + 44.5e9), online: 1 });
  expect(hours[0]?.efficiency).toBeCloseTo(3_250 / 100.0445, 2);
  const days = await farm.query(5, { granularity: 'day' });
  expect(days).toHaveLength(1);
  expect(days[0]).toMatchObject({ hashrate: near(100e12 + 164.5e9), temperatureMax: expect.closeTo(55.9, 6) });
  const weeks = await farm.query(5, { granularity: 'week' });
  expect(weeks[0]).toMatchObject({ fromMs: BEGIN_MS, toMs: BEGIN_MS + 7 * DAY_MS, coverage: 1 });
});

test('silence is a gap for a day, and a miner that nobody knows has no history', async () => {
  const farm = await newFarm(await temporaryDatabase());
  const report = await farm.join();
  await report([[0, USUAL]]);
  await report(minutes(1, 29, USUAL));
  const buckets = await farm.query(48);
  expect(buckets.map(({ coverage }) => coverage)).toEqual([0.5, ...Array.from({ length: 47 }, () => 0)]);
  expect(buckets[1]).toMatchObject({
    hashrate: null,
    power: null,
    temperatureMax: null,
    efficiency: null,
    online: null,
  });
  const asked = { farmId: farm.farmId, minerId: newId(1), granularity: 'hour' as const, nowMs: BEGIN_MS };
  expect(await farm.store.minerHistory.query({ ...asked, fromMs: BEGIN_MS, toMs: BEGIN_MS + 1 })).toBeUndefined();
});

test('a second reading within the minute counts no time, but a peak is a peak', async () => {
  const farm = await newFarm(await temporaryDatabase());
  const report = await farm.join();
  await report(minutes(0, 59, USUAL));
  await report([[30, { ...USUAL, hashrate: 1, temp: 95 }]], atMinute(60));
  expect((await farm.query(1))[0]).toMatchObject({ hashrate: near(110e12), temperatureMax: 95, coverage: 1 });
});

test('after the clock was set back nothing is counted twice, and what was set aside comes back', async () => {
  const farm = await newFarm(await temporaryDatabase());
  const { store } = farm;
  const report = await farm.join();
  for (let hour = 0; hour < 6; hour++)
    await report(minutes(hour * 60, hour * 60 + 59, { ...USUAL, power: 1_000 + hour }));
  const powers = async () => (await farm.query(6)).map(({ power }) => power && Math.round(power));
  expect(await powers()).toEqual([1_000, 1_001, 1_002, 1_003, 1_004, 1_005]);
  // To ten minutes past two: the hours from two on are ahead of it, or were begun by another clock.
  await store.clock.repairHistory(atMinute(130));
  expect(await powers()).toEqual([1_000, 1_001, null, null, null, null]);
  await report(minutes(130, 139, { ...USUAL, power: 2_000 }), atMinute(140));
  await report(minutes(180, 239, { ...USUAL, power: 2_003 }), atMinute(240));
  expect(await powers()).toEqual([1_000, 1_001, 2_000, 2_003, null, null]);
  // It is set on again: what is over comes back where nothing else was counted.
  await store.clock.repairHistory(atMinute(305));
  expect(await powers()).toEqual([1_000, 1_001, 2_000, 2_003, 1_004, null]);
  await store.clock.repairHistory(atMinute(360));
  expect(await powers()).toEqual([1_000, 1_001, 2_000, 2_003, 1_004, 1_005]);
  await store.clock.repairHistory(atMinute(360));
  expect(await powers()).toEqual([1_000, 1_001, 2_000, 2_003, 1_004, 1_005]);
});

test('a row is kept for 400 days and goes with its miner; it has at most half a KB', async () => {
  const farm = await newFarm(await temporaryDatabase());
  const { store, databases } = farm;
  const report = await farm.join();
  for (let hour = 0; hour < 27; hour++) await report(minutes(hour * 60, hour * 60 + 9, USUAL));
  const rows = () => databases.read.selectFrom('miner_days').selectAll().execute();
  expect((await rows()).map(({ hours }) => hours.length)).toEqual([384, 384]);
  await store.prune(BEGIN_MS + 400 * DAY_MS);
  expect(await rows()).toHaveLength(2);
  await store.prune(BEGIN_MS + 401 * DAY_MS);
  expect(await rows()).toHaveLength(1);
  await store.prune(BEGIN_MS + 402 * DAY_MS);
  expect(await rows()).toHaveLength(0);

  const again = await farm.join();
  for (let hour = 48; hour < 75; hour++) await again(minutes(hour * 60, hour * 60 + 9, USUAL));
  expect(await rows()).toHaveLength(3);
  // Seen in passing, as far as its own row says.
  const last = sql<number>`reported_at`;
  await databases.write.updateTable('miners').set({ seen_at: last, created_at: last }).execute();
  await store.prune(BEGIN_MS + 30 * DAY_MS);
  expect(await databases.read.selectFrom('miners').select('id').execute()).toEqual([]);
  expect(await rows()).toEqual([]);
});
