// Reports that come in any order, cut into slices at will, sent again, by an agent that starts anew: the state of the
// slice that was made last stays, whatever times the slices say, and history is what a plain model makes of the
// readings.
import fc from 'fast-check';
import type { ControlledTransaction } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Databases } from '../../../../../src/service/store/databases.ts';
import { createHistoryStore } from '../../../../../src/service/store/history/history.ts';
import { createIngestStore } from '../../../../../src/service/store/ingest.ts';
import { migrate } from '../../../../../src/service/store/migrations/migrations.ts';
import type { Tables } from '../../../../../src/service/store/schema.ts';
import { newId, openDatabases } from '../../../../../src/service/store/store.ts';
import type { MinerRecord } from '../../../../../src/wire/records.ts';
import { newDatabase, type TestDatabase } from '../../../../support/database.ts';
import { minerRecord, SILENT } from '../../../service-http/records.ts';

const MINUTE_MS = 60_000;
const BEGIN_MS = Date.UTC(2026, 2, 2);
const HOURS = 2;
const END_MS = BEGIN_MS + HOURS * 60 * MINUTE_MS;
const RUNS = inject('postgres') === undefined ? 500 : 60;

let database: TestDatabase;
let databases: Databases;
/** Never committed: what is tested is what is written, not that it lasts. */
let trx: ControlledTransaction<Tables>;

beforeAll(async () => {
  database = await newDatabase();
  databases = openDatabases(database.target);
  await migrate(databases, 'test');
  trx = await databases.write.startTransaction().execute();
});
afterAll(async () => {
  await trx.rollback().execute();
  await databases.close();
  await database.drop();
});

/** What a miner said in a minute; of one minute every report is the same. */
type Reading = { readonly miner: number; readonly minute: number; readonly isOnline: boolean; readonly level: number };

/**
 * Spells of minutes with a report; a hole has two minutes or more, because one late poll is no hole (history.test.ts).
 */
const spellsArbitrary = fc.array(
  fc.record({ hole: fc.integer({ min: 2, max: 40 }), length: fc.integer({ min: 1, max: 12 }) }),
  { minLength: 1, maxLength: 3 },
);
const readingsArbitrary: fc.Arbitrary<Reading[]> = fc
  .array(fc.record({ spells: spellsArbitrary, silentFrom: fc.integer({ min: 0, max: 150 }) }), {
    minLength: 1,
    maxLength: 2,
  })
  .map((miners) =>
    miners.flatMap(({ spells, silentFrom }, miner) => {
      let minute = -2;
      return spells.flatMap(({ hole, length }) => {
        const first = minute + hole;
        minute = first + length;
        return Array.from({ length }, (_, index) => first + index)
          .filter((at) => at < HOURS * 60)
          .map((at) => ({ miner, minute: at, isOnline: at < silentFrom, level: 1 + ((at * 7 + miner * 3) % 11) }));
      });
    }),
  );

const SLICES = 5;
const historyArbitrary = fc.record({
  readings: readingsArbitrary,
  /** How many minutes after each other are in one slice; the slices take turns. */
  stretch: fc.integer({ min: 2, max: 40 }),
  /** The slice that is reported once more, as if it were new. */
  again: fc.integer({ min: 0, max: SLICES - 1 }),
  /** The epoch of each slice: an agent that lost its outbox begins a new one. */
  epochs: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: SLICES + 1, maxLength: SLICES + 1 }),
  order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: SLICES + 1 }),
  isRepeated: fc.array(fc.boolean(), { minLength: SLICES + 1, maxLength: SLICES + 1 }),
});

const atMs = ({ miner, minute }: Reading) => BEGIN_MS + minute * MINUTE_MS + miner * 20_000;

function toRecord(reading: Reading, run: string): MinerRecord {
  const { miner, isOnline, level } = reading;
  const values = { hashrate: level * 10e12, power: level * 300 + miner, temp: 50 + level };
  return minerRecord(miner, atMs(reading), {
    key: `${run}-${miner}`,
    // What lists look up changes now and then.
    document: {
      last_check_succeed: isOnline,
      anomaly_flags: Math.floor(level / 4),
      ...(isOnline ? values : { hashrate: null, power: null, temp: null, last_updated_at: null }),
    },
    extras: { expected_hashrate: 120e12, flags: isOnline ? [] : [SILENT] },
  });
}

const unexpected = (): never => {
  throw new Error('a miner without a reading');
};

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

/**
 * The hour in plain words: of each cell of ten minutes the average over its miner-minutes, times its miners; of the
 * hour the mean of its cells.
 */
function hourOf(readings: readonly Reading[]) {
  const cells = [...Map.groupBy(readings, ({ minute }) => Math.floor(minute / 10)).values()].map((cell) => {
    const perMiner = new Set(cell.map(({ miner }) => miner)).size / cell.length;
    const online = cell.filter(({ isOnline }) => isOnline);
    return {
      hashrate: sum(online.map(({ level }) => level * 10e12)) * perMiner,
      power: sum(online.map(({ level, miner }) => level * 300 + miner)) * perMiner,
      online: online.length * perMiner,
    };
  });
  const online = readings.filter(({ isOnline }) => isOnline);
  const mean = (values: readonly number[]) => (values.length === 0 ? null : sum(values) / values.length);
  const temperatures = online.map(({ level }) => 50 + level);
  return {
    hashrate_avg: mean(cells.map(({ hashrate }) => hashrate)),
    power_avg: mean(cells.map(({ power }) => power)),
    miners_online_avg: mean(cells.map((cell) => cell.online)),
    temperature_avg: mean(temperatures),
    temperature_max: temperatures.length === 0 ? null : Math.max(...temperatures),
  };
}

const near = (values: Readonly<Record<string, number | null>>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value === null ? null : expect.closeTo(value, value > 1e9 ? -3 : 6),
    ]),
  );

test('whatever the order, the newest state stays and history is that of the readings', {
  timeout: 60_000,
}, async () => {
  const ingest = createIngestStore(
    { write: trx, transact: (work) => work(trx), lock: async () => {}, audit: async () => {} },
    newId,
  );
  const history = createHistoryStore({ read: trx });
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(historyArbitrary, async ({ readings, stretch, again, epochs, order, isRepeated }) => {
      const run = `run-${++runs}`;
      const parts = Array.from({ length: SLICES }, (_, slice) =>
        readings.filter(({ minute }) => Math.floor(minute / stretch) % SLICES === slice),
      );
      parts.push(parts[again] ?? []);
      /** The slice that is reported once more is the same one. */
      const madeAs = (index: number) => 1 + (index === SLICES ? again : index);
      const lastMade = (all: readonly Reading[]) => {
        const last = parts.findLast((part, index) => index < SLICES && part.some((one) => all.includes(one)));
        return (last ?? []).filter((one) => all.includes(one)).at(-1) ?? unexpected();
      };
      const sequences = new Map<number, number>();
      for (const index of order) {
        const epoch = epochs[index] ?? 0;
        const seq = (sequences.get(epoch) ?? 0) + 1;
        sequences.set(epoch, seq);
        const records = (parts[index] ?? []).map((reading) => toRecord(reading, run));
        const origin = { agentId: run, farmId: run, epoch: `${run} ${epoch}`, seq, order: madeAs(index) };
        const slice = { ...origin, producedAtMs: END_MS, records };
        const store = () => ingest.storeSlice({ ...slice, rejected: 0, nowMs: END_MS });
        expect((await store()).kind).toBe('stored');
        if (isRepeated[index]) expect(await store()).toEqual({ kind: 'duplicate', seq });
      }
      const rows = await trx
        .selectFrom('miners')
        .innerJoin('miner_documents', 'miner_documents.row_id', 'miners.row_id')
        .select(['agent_key', 'reported_at', 'anomaly_flags', 'hashrate', 'document'])
        .where('farm_id', '=', run)
        .orderBy('agent_key')
        .execute();
      const newest = [...Map.groupBy(readings, ({ miner }) => miner).values()].map(lastMade);
      expect(rows).toEqual(
        newest.map((reading) => ({
          agent_key: `${run}-${reading.miner}`,
          reported_at: atMs(reading),
          anomaly_flags: Math.floor(reading.level / 4),
          hashrate: reading.isOnline ? reading.level * 10e12 : null,
          document: JSON.stringify(toRecord(reading, run).document),
        })),
      );
      const window = { farmId: run, fromMs: BEGIN_MS, toMs: END_MS, nowMs: END_MS };
      const hours = await history.query({ ...window, granularity: 'hour' });
      for (const [hour, found] of hours.entries())
        expect(found).toMatchObject(near(hourOf(readings.filter(({ minute }) => Math.floor(minute / 60) === hour))));
    }),
    { numRuns: RUNS },
  );
});
