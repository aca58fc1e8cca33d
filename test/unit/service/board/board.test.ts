// The board of a farm from a real database: what each kind of change shows, read as little as may be, and the same as
// what a board shows that reads everything anew.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseSelector } from '../../../../src/model/selector/selector.ts';
import { avatarOf } from '../../../../src/model/task.ts';
import { createBoard, type FarmBoard } from '../../../../src/service/board/board.ts';
import type { Databases } from '../../../../src/service/store/databases.ts';
import { removeMiners } from '../../../../src/service/store/miners/identity/removal.ts';
import type { BoardStore } from '../../../../src/service/store/store.ts';
import { openDatabases, openStore, type Store } from '../../../../src/service/store/store.ts';
import { newDatabase, type TestDatabase } from '../../../support/database.ts';
import { type MinerChange, minerRecord } from '../../service-http/records.ts';
import { type Fleet, fillFleet, fleetRecord, report } from '../store/fleet.ts';

const NOW_MS = Date.UTC(2026, 2, 2);
const MINERS = 30;

let database: TestDatabase;
let databases: Databases;
let store: Store;
let fleet: Fleet;
let board: FarmBoard;
let passedMs = 0;
let seq = 2;
const read: { marks: number[]; documents: number[] } = { marks: [], documents: [] };

const clock = { nowMs: () => NOW_MS + passedMs, elapsedMs: () => passedMs };
const boardOn = (rows: BoardStore, hasCopies = true) =>
  createBoard(fleet.farmId, { store: rows, hasCopies, statusAt: store.agents.statusAt, clock });

beforeAll(async () => {
  database = await newDatabase();
  store = await openStore(database.target);
  databases = openDatabases(database.target);
  fleet = await fillFleet(store, databases, { miners: MINERS, nowMs: NOW_MS });
  await store.agents.touch([...fleet.agentIds], NOW_MS);
  board = boardOn({
    ...store.board,
    async marks(...asked) {
      const marks = await store.board.marks(...asked);
      read.marks.push(marks.length);
      return marks;
    },
    async marksSince(...asked) {
      const marks = await store.board.marksSince(...asked);
      read.marks.push(marks.length);
      return marks;
    },
    documents(rowIds) {
      read.documents.push(rowIds.length);
      return store.board.documents(rowIds);
    },
  });
});
afterAll(async () => {
  await databases.close();
  await store.close();
  await database.drop();
});

/** What other copies of the service have stored shows after this time. */
const OTHERS_MS = 5_000;

/** Two seconds later, or more; the rows by the last number of their address. Says too what was read for it. */
async function look(afterMs = 2_000) {
  passedMs += afterMs;
  Object.assign(read, { marks: [], documents: [] });
  const { rows } = await board.state();
  const shown = new Map([...rows.entries()].map(({ miner }) => [Number(miner.ip.split('.')[3]), miner]));
  const anew = [...(await boardOn(store.board).state()).rows.entries()].map(({ miner }) => miner);
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect([...shown.values()].toSorted(byId)).toEqual(anew.toSorted(byId));
  return { shown, marks: read.marks, documents: read.documents, seq: rows.seq };
}
const reportAgain = (n: number, change: MinerChange = {}, [agentId] = fleet.agentIds) => {
  const record = fleetRecord(n, clock.nowMs());
  const { key } = record;
  const document = { ...record.document, ...change.document };
  return report(store, { farmId: fleet.farmId, agentId, seq: seq++ }, [{ ...record, key, document }], clock.nowMs());
};

it('reads all once, and then what an agent has reported since', async () => {
  expect(await look()).toMatchObject({ marks: [MINERS], documents: [MINERS] });
  const { seq: before, documents } = await look();
  expect(documents).toEqual([0]);
  await reportAgain(7, { document: { hashrate: 77e12 } });
  const after = await look();
  expect([after.documents, after.shown.get(7)?.hashrateHs, after.seq]).toEqual([[1], 77e12, before + 1]);
  // The newest slice of each agent: it may be followed by live states of the same order.
  expect((await look()).marks).toEqual([1 + 3]);
});

it('shows what operators set, whoever has stored it', async () => {
  const id = (await look()).shown.get(5)?.id ?? '';
  const actor = { type: 'user', id: 'u', name: 'U', avatar: avatarOf('user'), metadata: {} } as const;
  const edits = [{ id, opsStatus: 'transit', rack: 'C03', position: 4 } as const];
  await store.operators.edit({ workspaceId: 'w', farmId: fleet.farmId, edits, actor, nowMs: clock.nowMs() });
  const { shown, documents } = await look(OTHERS_MS);
  expect(shown.get(5)).toMatchObject({ opsStatus: 'transit', rack: 'C03', position: 4 });
  expect(documents).toEqual([0]);
  await databases.write
    .insertInto('racks')
    .values({ farm_id: fleet.farmId, name: 'C03', container: 'hall 2' })
    .execute();
  expect((await look(OTHERS_MS)).shown.get(5)?.container).toBe('hall 2');
});

it('reads only the rows that were stored, where all reports come to this copy', async () => {
  const asked: number[][] = [];
  const own = boardOn(
    {
      ...store.board,
      marksSince: () => Promise.reject(new Error('it seeks what it knows')),
      marksOf(farmId, rowIds) {
        asked.push([...rowIds]);
        return store.board.marksOf(farmId, rowIds);
      },
    },
    false,
  );
  const rateOf = async (n: number) => {
    const { rows } = await own.state();
    return Array.from(rows.entries(), ({ miner }) => miner).find(({ ip }) => ip.endsWith(`.${n}`))?.hashrateHs;
  };
  await rateOf(8);
  const record = { ...fleetRecord(8, clock.nowMs()) };
  const slice = {
    agentId: fleet.agentIds[0],
    farmId: fleet.farmId,
    epoch: `epoch of ${fleet.agentIds[0]}`,
    seq: seq++,
  };
  const outcome = await store.ingest.storeSlice({
    ...{ ...slice, producedAtMs: clock.nowMs(), rejected: 0, nowMs: clock.nowMs() },
    records: [{ ...record, document: { ...record.document, hashrate: 88e12 } }],
  });
  if (outcome.kind !== 'stored') throw new Error(outcome.kind);
  passedMs += 1_000;
  expect(await rateOf(8)).not.toBe(88e12);
  own.stored(outcome.changed);
  passedMs += 1_000;
  expect(await rateOf(8)).toBe(88e12);
  expect(asked).toEqual([[], outcome.changed.map(({ rowId }) => rowId)]);
});

it('does not read a report that was handed over, unless it is not the one that is stored', async () => {
  const read: number[] = [];
  const own = boardOn(
    {
      ...store.board,
      documents(rowIds) {
        read.push(...rowIds);
        return store.board.documents(rowIds);
      },
    },
    false,
  );
  const rowsNow = async () => {
    const { rows } = await own.state();
    return Array.from(rows.entries(), ({ miner }) => miner);
  };
  const storeRate = async (hashrate: number) => {
    const record = fleetRecord(9, clock.nowMs());
    const outcome = await store.ingest.storeSlice({
      ...{ agentId: fleet.agentIds[0], farmId: fleet.farmId, epoch: `epoch of ${fleet.agentIds[0]}`, seq: seq++ },
      ...{ producedAtMs: clock.nowMs(), rejected: 0, nowMs: clock.nowMs() },
      records: [{ ...record, document: { ...record.document, hashrate } }],
    });
    if (outcome.kind !== 'stored') throw new Error(outcome.kind);
    return outcome.changed;
  };
  await rowsNow();
  read.length = 0;
  own.stored(await storeRate(91e12));
  passedMs += 1_000;
  const handed = await rowsNow();
  expect(read).toEqual([]);
  expect(handed.find(({ ip }) => ip.endsWith('.9'))?.hashrateHs).toBe(91e12);
  const anew = boardOn(store.board, false);
  const { rows } = await anew.state();
  expect(new Set(Array.from(rows.entries(), ({ miner }) => miner))).toEqual(new Set(handed));
  const before = await storeRate(92e12);
  await storeRate(93e12);
  own.stored(before);
  passedMs += 1_000;
  expect((await rowsNow()).find(({ ip }) => ip.endsWith('.9'))?.hashrateHs).toBe(93e12);
  expect(read).toEqual(before.map(({ rowId }) => rowId));
});

it('acts on what operators have set a second ago, whoever has stored it', async () => {
  await look(OTHERS_MS);
  const select = async () => {
    const read = parseSelector('rack:D07');
    if (read.kind === 'wrong') throw new Error(read.problems.join());
    return (await board.select(read.selector)).length;
  };
  expect(await select()).toBe(0);
  const other = databases.write.updateTable('miners').set({ rack: 'D07' }).where('farm_id', '=', fleet.farmId);
  await other.where('ip_num', '=', 0x0a000006).execute();
  passedMs += 1_000;
  expect(await select()).toBe(1);
});

it('shows a new miner, and none that is gone, also where one has come and one has gone', async () => {
  await reportAgain(40);
  expect((await look()).shown.get(40)).toBeDefined();
  const gone = databases.read.selectFrom('miners').select('row_id').where('ip_num', '=', 0x0a000003);
  const { row_id } = await gone.where('farm_id', '=', fleet.farmId).executeTakeFirstOrThrow();
  await databases.transact((trx) => removeMiners(trx, [row_id]));
  await reportAgain(41);
  const { shown } = await look(OTHERS_MS);
  expect([shown.has(3), shown.has(41), shown.size]).toEqual([false, true, MINERS + 1]);
});

it('shows what time changes: agents that are not heard, reports that are too old', async () => {
  passedMs += 100_000;
  await store.agents.touch([fleet.agentIds[0]], clock.nowMs());
  const states = (await look()).shown;
  const ofFirst = [...states.values()].filter(({ agentId }) => agentId === fleet.agentIds[0]);
  const ofSecond = [...states.values()].filter(({ agentId }) => agentId === fleet.agentIds[1]);
  expect([ofFirst.some(({ isUnknown }) => isUnknown), ofSecond.every(({ isUnknown }) => isUnknown)]).toEqual([
    false,
    true,
  ]);
  expect([ofSecond.length, ofFirst.some(({ isOnline }) => isOnline)]).toEqual([3, true]);
  passedMs += 200_000;
  await store.agents.touch([fleet.agentIds[0]], clock.nowMs());
  expect([...(await look()).shown.values()].some(({ isOnline }) => isOnline)).toBe(false);
});

it('shows a miner that another agent reports now', async () => {
  const record = fleetRecord(9, clock.nowMs());
  await store.agents.touch([...fleet.agentIds], clock.nowMs());
  const other = minerRecord(9, clock.nowMs(), { key: record.key, document: { ...record.document, power: 1_234 } });
  await report(store, { farmId: fleet.farmId, agentId: fleet.agentIds[1], seq: 2 }, [other], clock.nowMs());
  const { shown } = await look();
  expect(shown.size).toBeGreaterThan(MINERS);
});
