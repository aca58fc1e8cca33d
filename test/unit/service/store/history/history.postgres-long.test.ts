// Historical metrics: a day worked out by hand, reported with gaps, restarts and a late backlog, in several orders;
// what is counted once; limits.
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { Slice } from '../../../../../src/service/store/ingest.ts';
import { newId, openStore, type Store } from '../../../../../src/service/store/store.ts';
import type { MinerRecord } from '../../../../../src/wire/records.ts';
import { temporaryDatabase } from '../../../../support/database.ts';
import { hostRecord, minerRecord, SILENT } from '../../../service-http/records.ts';
import {
  CELLS_FROM_NINE,
  DAY,
  DAY_BEGIN_MS,
  DAY_END_MS,
  EXPECTED,
  HOURS,
  isLate,
  type Reading,
  readingsOfTheDay,
} from './golden-farm-day.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

async function newFarm(store: Store): Promise<{ farmId: string; join: () => Promise<string> }> {
  await store.tenants.createWorkspace({ id: 'w', name: 'W', slug: 'w' }, 1);
  const farmId = newId(1);
  await store.tenants.createFarm({ id: farmId, workspaceId: 'w', name: 'F' }, 1);
  const join = async () => {
    const id = newId(1);
    await store.agents.createCode({ hash: id, farmId, nowMs: 1, expiresAtMs: 2 });
    await store.agents.enrol(id, { id, name: 'agent', tokenHash: '', identityKey: 'k', version: '1', nowMs: 1 });
    return id;
  };
  return { farmId, join };
}

const NUMBER = { A: 1, B: 2, C: 3 } as const;

function toRecord({ miner, atMs, reading }: Reading, keys: Readonly<Record<'A' | 'B' | 'C', string>>): MinerRecord {
  return minerRecord(NUMBER[miner], atMs, {
    key: keys[miner],
    document: { last_check_succeed: reading !== null, ...(reading ?? { hashrate: null, power: null, temp: null }) },
    extras: { expected_hashrate: EXPECTED[miner], flags: reading === null ? [SILENT] : [] },
  });
}

const newKeys = () => ({ A: randomUUID(), B: randomUUID(), C: randomUUID() });

/** Sends slices of one agent in one epoch, one after the other. */
function sender(store: Store, agentId: string, farmId: string) {
  const epoch = randomUUID();
  let seq = 0;
  return async (records: readonly MinerRecord[], nowMs: number, again?: number) => {
    const slice: Slice = {
      agentId,
      farmId,
      epoch,
      seq: again ?? ++seq,
      producedAtMs: nowMs,
      records,
      rejected: 0,
      nowMs,
    };
    return store.ingest.storeSlice(slice);
  };
}

/**
 * Reports the whole day, ten minutes a slice; the late hour at the end, its slices twice, then its records once more as
 * a reinstalled agent.
 */
async function reportTheDay(store: Store, farmId: string, agentId: string): Promise<void> {
  const keys = newKeys();
  const send = sender(store, agentId, farmId);
  const minutes = readingsOfTheDay();
  const late: Reading[][] = [];
  for (let start = 0; start < minutes.length; start += 10) {
    const readings = minutes.slice(start, start + 10).flat();
    if (isLate(start)) late.push(readings);
    else
      await send(
        readings.map((reading) => toRecord(reading, keys)),
        DAY_BEGIN_MS + (start + 10) * MINUTE_MS,
      );
  }
  const slicesBefore = minutes.length / 10 - late.length;
  for (const readings of late)
    await send(
      readings.map((reading) => toRecord(reading, keys)),
      DAY_END_MS,
    );
  for (const [index, readings] of late.entries()) {
    const again = slicesBefore + index + 1;
    const outcome = await send(
      readings.map((reading) => toRecord(reading, keys)),
      DAY_END_MS,
      again,
    );
    expect(outcome.kind).toBe('duplicate');
  }
  const sendAgain = sender(store, agentId, farmId);
  await sendAgain(
    late.flat().map((reading) => toRecord(reading, keys)),
    DAY_END_MS,
  );
}

const near = (expected: Readonly<Record<string, number | null>>) =>
  Object.fromEntries(
    Object.entries(expected).map(([name, value]) => [
      name,
      value === null ? null : expect.closeTo(value, value > 1e9 ? -3 : 6),
    ]),
  );

test('a day with gaps, restarts and a late backlog is what it is on paper', async () => {
  const path = await temporaryDatabase();
  let store = await openStore(path);
  const { farmId, join } = await newFarm(store);
  await reportTheDay(store, farmId, await join());
  // What was rolled up is in the file, not in the process.
  await store.close();
  store = await openStore(path);
  onTestFinished(() => store.close());
  const window = { farmId, fromMs: DAY_BEGIN_MS, toMs: DAY_END_MS, nowMs: DAY_END_MS };

  const hours = await store.history.query({ ...window, granularity: 'hour' });
  expect(hours).toHaveLength(24);
  for (const [index, expected] of HOURS.entries())
    expect(hours[index], `hour ${index}`).toEqual({
      fromMs: DAY_BEGIN_MS + index * HOUR_MS,
      toMs: DAY_BEGIN_MS + (index + 1) * HOUR_MS,
      ...near(expected),
      algorithms: expect.any(Array),
    });

  const [day, ...more] = await store.history.query({ ...window, granularity: 'day' });
  expect(more).toEqual([]);
  expect(day).toEqual({ fromMs: DAY_BEGIN_MS, toMs: DAY_END_MS, ...near(DAY), algorithms: ['sha256'] });

  const cells = await store.history.query({ ...window, granularity: '10min' });
  expect(cells).toHaveLength(144);
  for (const [index, expected] of CELLS_FROM_NINE.entries())
    expect(cells[9 * 6 + index], `cell ${index}`).toMatchObject(near(expected));

  // 2 March 2026 is a Monday: the day is the first of its week.
  const [week] = await store.history.query({ ...window, granularity: 'week' });
  expect(week).toMatchObject({ fromMs: DAY_BEGIN_MS, toMs: DAY_BEGIN_MS + 7 * DAY_MS, temperature_max: 85 });
  expect(week?.hashrate_avg).toBe(day?.hashrate_avg);
});

test('reports in any order of slices make the same history', async () => {
  const store = await openStore(await temporaryDatabase());
  onTestFinished(() => store.close());
  const { farmId, join } = await newFarm(store);
  const keys = newKeys();
  const send = sender(store, await join(), farmId);
  const minutes = readingsOfTheDay().map((readings, minute) => ({ readings, minute }));
  // Even tens of minutes first, then the odd ones from the end.
  const tens = Array.from({ length: 144 }, (_, index) => minutes.slice(index * 10, index * 10 + 10));
  const even = tens.filter((_, index) => index % 2 === 0);
  const odd = tens.filter((_, index) => index % 2 === 1).toReversed();
  for (const ten of [...even, ...odd])
    await send(
      ten.flatMap(({ readings }) => readings).map((reading) => toRecord(reading, keys)),
      DAY_END_MS,
    );
  const [day] = await store.history.query({
    farmId,
    granularity: 'day',
    fromMs: DAY_BEGIN_MS,
    toMs: DAY_END_MS,
    nowMs: DAY_END_MS,
  });
  expect(day).toMatchObject(near({ ...DAY, coverage: DAY.coverage }));
});

test('two agents that report the same miner count its minutes once', async () => {
  const store = await openStore(await temporaryDatabase());
  onTestFinished(() => store.close());
  const { farmId, join } = await newFarm(store);
  const keys = newKeys();
  const agents = [sender(store, await join(), farmId), sender(store, await join(), farmId)];
  for (let minute = 0; minute < 10; minute++) {
    const atMs = DAY_BEGIN_MS + minute * MINUTE_MS;
    const reading = { hashrate: 100e12, power: 3_000, temp: 60 };
    for (const send of agents) await send([toRecord({ miner: 'A', atMs, reading }, keys)], atMs);
  }
  const [cell] = await store.history.query({
    farmId,
    granularity: '10min',
    fromMs: DAY_BEGIN_MS,
    toMs: DAY_BEGIN_MS + 1,
    nowMs: DAY_END_MS,
  });
  expect(cell).toMatchObject({ hashrate_avg: 100e12, miners_online_avg: 1, coverage: 1, minersTotal: 1 });
});

test('agents of one farm that report at the same time lose nothing of each other', async () => {
  const store = await openStore(await temporaryDatabase());
  onTestFinished(() => store.close());
  const { farmId, join } = await newFarm(store);
  const agents = await Promise.all(
    [0, 1, 2, 3].map(async (index) => {
      const send = sender(store, await join(), farmId);
      const key = randomUUID();
      return async () => {
        for (let minute = 0; minute < 60; minute += 5) {
          const atMs = DAY_BEGIN_MS + minute * MINUTE_MS;
          const records = [0, 1, 2, 3, 4].map((more) => minerRecord(index, atMs + more * MINUTE_MS, { key }));
          await send(records, DAY_END_MS);
        }
      };
    }),
  );
  await Promise.all(agents.map((report) => report()));
  const [hour] = await store.history.query({
    farmId,
    granularity: 'hour',
    fromMs: DAY_BEGIN_MS,
    toMs: DAY_BEGIN_MS + 1,
    nowMs: DAY_END_MS,
  });
  expect(hour).toMatchObject({ hashrate_avg: 440e12, miners_online_avg: 4, minersTotal: 4, coverage: 1 });
});

test('a slow rhythm leaves no gaps: a report stands for the poll interval before it', async () => {
  const store = await openStore(await temporaryDatabase());
  onTestFinished(() => store.close());
  const { farmId, join } = await newFarm(store);
  const agentId = await join();
  const keys = newKeys();
  const send = sender(store, agentId, farmId);
  await store.ingest.storeSlice({
    agentId,
    farmId,
    epoch: randomUUID(),
    seq: 1,
    producedAtMs: DAY_BEGIN_MS,
    records: [hostRecord(DAY_BEGIN_MS, { poll_interval_ms: 5 * MINUTE_MS })],
    rejected: 0,
    nowMs: DAY_BEGIN_MS,
  });
  const reading = { hashrate: 100e12, power: 3_000, temp: 60 };
  // Every five minutes, a minute early or late.
  for (const minute of [4, 10, 14, 18, 25, 29, 34, 40, 44, 49, 55, 59]) {
    const atMs = DAY_BEGIN_MS + minute * MINUTE_MS;
    await send([toRecord({ miner: 'A', atMs, reading }, keys)], atMs);
  }
  const [hour] = await store.history.query({
    farmId,
    granularity: 'hour',
    fromMs: DAY_BEGIN_MS,
    toMs: DAY_BEGIN_MS + 1,
    nowMs: DAY_END_MS,
  });
  expect(hour).toMatchObject({ coverage: 1, miners_online_avg: 1, hashrate_avg: 100e12 });
});

test('a clock ahead of ours counts as now; what is older than a month is not counted', async () => {
  const store = await openStore(await temporaryDatabase());
  onTestFinished(() => store.close());
  const { farmId, join } = await newFarm(store);
  const send = sender(store, await join(), farmId);
  const reading = { hashrate: 100e12, power: 3_000, temp: 60 };
  const keys = newKeys();
  await send([toRecord({ miner: 'A', atMs: DAY_BEGIN_MS + 5 * DAY_MS, reading }, keys)], DAY_BEGIN_MS);
  await send([toRecord({ miner: 'B', atMs: DAY_BEGIN_MS - 40 * DAY_MS, reading }, keys)], DAY_BEGIN_MS);
  const days = await store.history.query({
    farmId,
    granularity: 'day',
    fromMs: DAY_BEGIN_MS - 41 * DAY_MS,
    toMs: DAY_BEGIN_MS + 6 * DAY_MS,
    nowMs: DAY_BEGIN_MS,
  });
  const withData = days.filter(({ hashrate_avg }) => hashrate_avg !== null).map(({ fromMs }) => fromMs);
  expect(withData).toEqual([DAY_BEGIN_MS]);
});

test('cells are kept for a month, hours for more than a year; what the cells were is still in the hours', async () => {
  const store = await openStore(await temporaryDatabase());
  onTestFinished(() => store.close());
  const { farmId, join } = await newFarm(store);
  const send = sender(store, await join(), farmId);
  const reading = { hashrate: 100e12, power: 3_000, temp: 60 };
  await send([toRecord({ miner: 'A', atMs: DAY_BEGIN_MS, reading }, newKeys())], DAY_BEGIN_MS);
  const window = { farmId, fromMs: DAY_BEGIN_MS, toMs: DAY_BEGIN_MS + 1, nowMs: DAY_END_MS };
  const hashratesAt = async (ageDays: number) => {
    await store.prune(DAY_BEGIN_MS + ageDays * DAY_MS);
    const cells = await store.history.query({ ...window, granularity: '10min' });
    const days = await store.history.query({ ...window, granularity: 'day' });
    return [cells[0]?.hashrate_avg, days[0]?.hashrate_avg];
  };
  expect(await hashratesAt(31)).toEqual([100e12, 100e12]);
  expect(await hashratesAt(33)).toEqual([null, 100e12]);
  expect(await hashratesAt(399)).toEqual([null, 100e12]);
  expect(await hashratesAt(401)).toEqual([null, null]);
});

test('of what has not been yet nothing is due, and nobody is there', async () => {
  const store = await openStore(await temporaryDatabase());
  onTestFinished(() => store.close());
  const { farmId, join } = await newFarm(store);
  const send = sender(store, await join(), farmId);
  const reading = { hashrate: 100e12, power: 3_000, temp: 60 };
  const keys = newKeys();
  for (let minute = 0; minute < 90; minute++) {
    const atMs = DAY_BEGIN_MS + minute * MINUTE_MS;
    await send(
      (['A', 'B'] as const).map((miner) => toRecord({ miner, atMs, reading }, keys)),
      atMs,
    );
  }
  const nowMs = DAY_BEGIN_MS + 90 * MINUTE_MS;
  const window = { farmId, fromMs: DAY_BEGIN_MS - HOUR_MS, toMs: DAY_BEGIN_MS + 4 * HOUR_MS, nowMs };
  const shown = async (granularity: 'hour' | 'day') =>
    (await store.history.query({ ...window, granularity })).map(({ minersTotal, coverage }) => [minersTotal, coverage]);
  expect(await shown('hour')).toEqual([
    [0, 0],
    [2, 1],
    [2, 1],
    [0, 0],
    [0, 0],
  ]);
  expect(await shown('day')).toEqual([
    [0, 0],
    [2, 1],
  ]);
  // A day later they are still missed, two days later they are gone.
  const silent = { ...window, fromMs: DAY_END_MS, toMs: DAY_END_MS + 2 * DAY_MS, nowMs: DAY_END_MS + 90 * MINUTE_MS };
  const days = await store.history.query({ ...silent, granularity: 'day' });
  expect(days.map(({ minersTotal, coverage }) => [minersTotal, coverage])).toEqual([
    [2, 0],
    [0, 0],
  ]);
});
