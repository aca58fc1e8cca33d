// Saved sets of pools in the database: encrypted where there is a key, those of a farm apart from those of another.
import { expect, onTestFinished, test } from 'vitest';
import { createVault, type Vault } from '../../../../../src/base/storage/vault.ts';
import { openDatabases, openStore, type Store } from '../../../../../src/service/store/store.ts';
import { temporaryDatabase } from '../../../../support/database.ts';

const actor = (name: string) => ({ type: 'api_key', id: name, name, avatar: '', metadata: {} }) as const;
const POOLS = [
  { url: 'stratum+tcp://pool.example:3333', user: 'a.{ip4}', password: 'canary-of-a-set' },
  { url: { keep: true }, user: { keep: true } },
] as const;
const [vault, other] = [7, 8].map((byte) => createVault(Buffer.alloc(32, byte)));

async function open(target: string, key?: Vault): Promise<Store> {
  const store = await openStore(target, undefined, () => key);
  onTestFinished(() => store.close());
  return store;
}

async function stored(target: string): Promise<string> {
  const databases = openDatabases(target);
  try {
    return JSON.stringify(await databases.read.selectFrom('pool_sets').selectAll().execute());
  } finally {
    await databases.close();
  }
}

const save = ({ poolSets }: Store, farmId: string, name: string, by = 'first', nowMs = 1) =>
  poolSets.save({ farmId, name, pools: POOLS, actor: actor(by), nowMs });

test('a set is kept with who made it and who changed it last, each farm for itself', async () => {
  const store = await open(await temporaryDatabase());
  await save(store, 'f', 'b');
  await save(store, 'f', 'B');
  await save(store, 'g', 'b');
  const changed = await save(store, 'f', 'b', 'second', 2);
  expect(changed).toMatchObject({
    ...{ farmId: 'f', name: 'b', pools: POOLS, createdBy: actor('first'), createdAtMs: 1 },
    ...{ updatedBy: actor('second'), updatedAtMs: 2 },
  });
  expect(await store.poolSets.find('f', 'b')).toEqual(changed);
  expect((await store.poolSets.list('f')).map(({ name }) => name)).toEqual(['B', 'b']);
  expect([await store.poolSets.remove('f', 'b'), await store.poolSets.remove('f', 'b')]).toEqual([true, false]);
  expect(await store.poolSets.find('f', 'b')).toBeUndefined();
  expect((await store.poolSets.find('g', 'b'))?.updatedAtMs).toBe(1);
});

test('pools are encrypted where there is a key, and what was written before is then', async () => {
  const target = await temporaryDatabase();
  const without = await openStore(target);
  await save(without, 'f', 'open');
  await without.close();
  expect(await stored(target)).toContain('canary-of-a-set');
  const store = await open(target, vault);
  await store.encryptPlaintext();
  await save(store, 'f', 'sealed');
  expect(await stored(target)).not.toContain('canary-of-a-set');
  expect((await store.poolSets.list('f')).map(({ pools }) => pools)).toEqual([POOLS, POOLS]);
  const elsewhere = await open(target, other);
  expect((await elsewhere.poolSets.list('f')).map(({ pools }) => pools)).toEqual([undefined, undefined]);
});
