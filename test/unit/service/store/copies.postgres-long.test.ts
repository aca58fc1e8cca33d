// Several copies that write to one database at the same moment: each report has its effect once, each miner is one,
// each task is made once.
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { Slice } from '../../../../src/service/store/ingest.ts';
import { newId, openStore, type Store } from '../../../../src/service/store/store.ts';
import { planBatches } from '../../../../src/service/tasks/plan.ts';
import type { MinerRecord } from '../../../../src/wire/records.ts';
import { queryDatabase, temporaryDatabase } from '../../../support/database.ts';
import { minerRecord } from '../../service-http/records.ts';
import { rowsOf } from './miners/item-rows.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const COPIES = 4;
/** The whole list. */
const ALL: Omit<Parameters<Store['miners']['list']>[0], 'farmId'> = {
  filter: {},
  window: { limit: 10_000, offset: 0 },
  item: ['{"id":', { value: 'id' }, ',', { membersOf: 'document' }, '}'],
  nowMs: NOW_MS,
};

async function openCopies() {
  const target = await temporaryDatabase();
  const stores: Store[] = [];
  for (let n = 0; n < COPIES; n++) {
    const store = await openStore(target);
    onTestFinished(() => store.close());
    stores.push(store);
  }
  const [first] = stores;
  if (first === undefined) throw new Error('no copies');
  return { target, stores, first, farm: await makeFarm(first) };
}

async function makeFarm({ tenants }: Store) {
  const workspace = { id: newId(NOW_MS), name: 'W', slug: 'w' };
  return tenants.ensure(workspace, { id: newId(NOW_MS), name: 'F' }, NOW_MS);
}

async function addAgent({ agents }: Store, farmId: string): Promise<string> {
  const [id, hash] = [newId(NOW_MS), randomUUID()];
  await agents.createCode({ hash, farmId, nowMs: NOW_MS, expiresAtMs: NOW_MS + 1 });
  await agents.enrol(hash, { id, name: 'a', tokenHash: 'x', identityKey: 'k', version: '1', nowMs: NOW_MS });
  return id;
}

const slice = (agentId: string, farmId: string, seq: number, records: MinerRecord[], nowMs = NOW_MS): Slice => ({
  agentId,
  farmId,
  epoch: 'e',
  seq,
  producedAtMs: nowMs,
  records,
  rejected: 0,
  nowMs,
});

test('they may all start on an empty database, and agree on what is there first', async () => {
  const target = await temporaryDatabase();
  const stores = await Promise.all(Array.from({ length: COPIES }, () => openStore(target)));
  const farms = await Promise.all(stores.map(makeFarm));
  expect(new Set(farms.map(({ id }) => id)).size).toBe(1);
  expect(await stores[0]?.tenants.listFarms()).toHaveLength(1);
  await Promise.all(stores.map((store) => store.close()));
});

test('a slice that is brought to all of them at once is stored by one', async () => {
  const { target, stores, first, farm } = await openCopies();
  const agentId = await addAgent(first, farm.id);
  for (let seq = 1; seq <= 5; seq++) {
    const record = minerRecord(seq, NOW_MS);
    const event = { kind: 'event' as const, type: 'appeared' as const, key: record.key, at: record.at, detail: {} };
    const brought = { ...slice(agentId, farm.id, seq, []), records: [record, event] };
    const outcomes = await Promise.all(stores.map(({ ingest }) => ingest.storeSlice(brought)));
    expect(outcomes.filter(({ kind }) => kind === 'stored')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'duplicate')).toHaveLength(COPIES - 1);
  }
  expect(await queryDatabase(target, 'SELECT count(*) AS n FROM events')).toEqual([{ n: 5 }]);
  expect((await first.miners.list({ farmId: farm.id, ...ALL })).total).toBe(5);
});

test('agents that meet the same new miners at the same time agree on which they are', async () => {
  const { stores, first, farm } = await openCopies();
  const agentIds = await Promise.all(stores.map(() => addAgent(first, farm.id)));
  const miners = (n: number) => Array.from({ length: 50 }, (_, k) => minerRecord((k * 7 + n) % 50, NOW_MS + n));
  await Promise.all(
    stores.map(({ ingest }, n) => ingest.storeSlice(slice(agentIds[n] ?? '', farm.id, 1, miners(n), NOW_MS + 9))),
  );
  expect((await first.miners.list({ farmId: farm.id, ...ALL })).total).toBe(50);
});

test('of what several agents report of one miner the word of the one that serves it stays, whoever writes last', async () => {
  const { stores, first, farm } = await openCopies();
  const agentIds = await Promise.all(stores.map(() => addAgent(first, farm.id)));
  const report = (n: number, seq: number, ageMs: number) => {
    const record = minerRecord(1, NOW_MS + 1_000 * seq - ageMs, {
      key: `key-${n}`,
      document: { hashrate: seq * 100 + ageMs },
    });
    return stores[n]?.ingest.storeSlice(slice(agentIds[n] ?? '', farm.id, seq, [record], NOW_MS + 1_000 * seq));
  };
  for (let n = 0; n < COPIES; n++) await report(n, 1, n);
  for (let seq = 2; seq <= 6; seq++) {
    await Promise.all(stores.map((_, n) => report(n, seq, n)));
    const rows = rowsOf(await first.miners.list({ farmId: farm.id, ...ALL }));
    expect(rows.map(({ hashrate }) => hashrate)).toEqual([seq * 100]);
  }
});

test('known miners do not use up the numbers that the database makes', async () => {
  const { target, first, farm } = await openCopies();
  const agentId = await addAgent(first, farm.id);
  const record = minerRecord(1, NOW_MS);
  for (let seq = 1; seq <= 20; seq++) await first.ingest.storeSlice(slice(agentId, farm.id, seq, [record]));
  await first.ingest.storeSlice(slice(agentId, farm.id, 21, [record, minerRecord(2, NOW_MS)]));
  const rows = await queryDatabase(target, 'SELECT row_id FROM miners ORDER BY row_id');
  expect(rows).toEqual([{ row_id: 1 }, { row_id: 2 }]);
});

test('the same task is made once for each miner, and a request with a key is answered once', async () => {
  const { target, stores, first, farm } = await openCopies();
  const agentId = await addAgent(first, farm.id);
  const records = Array.from({ length: 30 }, (_, n) => minerRecord(n, NOW_MS));
  await first.ingest.storeSlice(slice(agentId, farm.id, 1, records));
  const rows = rowsOf(await first.miners.list({ farmId: farm.id, ...ALL }));
  const minerIds = rows.map(({ id }) => id);
  const name = 'miner.system.reboot';
  const order = (store: Store, key: string, ids: readonly string[]) =>
    store.batches.create(
      {
        workspaceId: farm.workspaceId,
        farmId: farm.id,
        ids,
        name,
        params: {},
        actor: { type: 'api_key', id: 'k', name: 'k', avatar: '', metadata: {} },
        nowMs: NOW_MS,
        expiresAtMs: NOW_MS + 1_000,
        idempotency: { callerId: 'k', key, body: 'h', sinceMs: 0 },
      },
      (candidates) => {
        const { batches } = planBatches(name, ids, candidates, () => newId(NOW_MS));
        return { batches, response: JSON.stringify(batches.map(({ id }) => id)) };
      },
    );
  const half = minerIds.slice(0, 15);
  const same = await Promise.all(stores.map((store) => order(store, 'same', half)));
  expect(same.filter(({ kind }) => kind === 'created')).toHaveLength(1);
  expect(new Set(same.map((outcome) => 'response' in outcome && outcome.response)).size).toBe(1);
  await Promise.all(stores.map((store, n) => order(store, `own-${n}`, minerIds)));
  const tasks = await queryDatabase(target, 'SELECT row_id FROM tasks');
  expect(tasks).toHaveLength(30);
  expect(new Set(tasks.map(({ row_id }) => row_id)).size).toBe(30);
});
