// Transactions that PostgreSQL ends for the sake of others: real deadlocks, real serialization failures, and an end to
// trying again.
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../../src/service/store/migrations/migrations.ts';
import { retryConflicts } from '../../../src/service/store/postgres/conflicts.ts';
import { openPostgresDatabases } from '../../../src/service/store/postgres/postgres.ts';
import type { Db } from '../../../src/service/store/schema.ts';
import { temporaryDatabase } from '../../support/database.ts';

async function openWithTwoRows() {
  const databases = openPostgresDatabases(await temporaryDatabase());
  onTestFinished(() => databases.close());
  await migrate(databases, 'test');
  for (const id of ['a', 'b'])
    await databases.write.insertInto('workspaces').values({ id, name: '', slug: id, created_at: 0 }).execute();
  return databases;
}

const add = (db: Db, id: string, name: string) =>
  db
    .updateTable('workspaces')
    .set((eb) => ({ name: sql<string>`${eb.ref('name')} || ${name}`, created_at: eb('created_at', '+', 1) }))
    .where('id', '=', id)
    .execute();

/** Lets everybody through once all have come, the first time; later ones pass. */
function meeting(count: number): () => Promise<void> {
  let missing = count;
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    if (--missing <= 0) open();
    return opened;
  };
}

test('two transactions in a deadlock both end, each once', async () => {
  const { transact, read } = await openWithTwoRows();
  const met = meeting(2);
  let attempts = 0;
  const both = (first: string, second: string, name: string) =>
    transact(async (trx) => {
      attempts++;
      await add(trx, first, name);
      await met();
      await add(trx, second, name);
    });
  await Promise.all([both('a', 'b', 'x'), both('b', 'a', 'y')]);
  // One of them was begun again, or there was no deadlock.
  expect(attempts).toBe(3);
  const rows = await read.selectFrom('workspaces').select(['name', 'created_at']).orderBy('id').execute();
  expect(rows.map(({ name }) => [...name].toSorted().join(''))).toEqual(['xy', 'xy']);
  expect(rows.map(({ created_at }) => created_at)).toEqual([2, 2]);
});

test('a statement on its own that is the victim of a deadlock is done again', async () => {
  const { transact, write, read } = await openWithTwoRows();
  // Whoever waits longest looks for deadlocks first and is the victim: the other one does not look.
  let attempts = 0;
  const hasBoth = meeting(2);
  const other = transact(async (trx) => {
    attempts++;
    await sql`SET LOCAL deadlock_timeout = '1min'`.execute(trx);
    await add(trx, 'b', 'x');
    void hasBoth();
    // By now the statement below holds a and waits for b.
    await sql`SELECT pg_sleep(0.3)`.execute(trx);
    await add(trx, 'a', 'x');
  });
  while (attempts === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 100));
  await sql`WITH first AS (UPDATE workspaces SET name = name || 'y' WHERE id = 'a' RETURNING 1)
    UPDATE workspaces SET name = name || 'y' WHERE id = 'b' AND (SELECT count(*) FROM first) = 1`.execute(write);
  await other;
  expect(attempts).toBe(1);
  const rows = await read.selectFrom('workspaces').select('name').orderBy('id').execute();
  expect(rows.map(({ name }) => name)).toEqual(['xy', 'xy']);
});

test('a serialization failure is begun again on what the other one left', async () => {
  const { transact, read } = await openWithTwoRows();
  const met = meeting(4);
  let attempts = 0;
  const increase = () =>
    transact(async (trx) => {
      attempts++;
      await sql`SET TRANSACTION ISOLATION LEVEL SERIALIZABLE`.execute(trx);
      const { created_at } = await trx
        .selectFrom('workspaces')
        .select('created_at')
        .where('id', '=', 'a')
        .executeTakeFirstOrThrow();
      await met();
      await trx
        .updateTable('workspaces')
        .set({ created_at: created_at + 1 })
        .where('id', '=', 'a')
        .execute();
    });
  await Promise.all([1, 2, 3, 4].map(increase));
  expect(attempts).toBeGreaterThan(4);
  expect(await read.selectFrom('workspaces').select('created_at').where('id', '=', 'a').execute()).toEqual([
    { created_at: 4 },
  ]);
});

test('it ends: seven attempts, pauses of random length below a growing bound; other errors at once', async () => {
  const conflict = Object.assign(new Error('deadlock detected'), { code: '40P01' });
  const pauses: number[] = [];
  const parts = { sleep: async (delayMs: number) => void pauses.push(delayMs), random: () => 0.5 };
  let attempts = 0;
  const fail = (error: Error) => () => {
    attempts++;
    return Promise.reject(error);
  };
  await expect(retryConflicts(fail(conflict), parts)).rejects.toMatchObject({ code: 'database.away', cause: conflict });
  expect(attempts).toBe(7);
  expect(pauses).toEqual([10, 20, 40, 80, 160, 320]);
  attempts = 0;
  await expect(retryConflicts(fail(new Error('23505')), parts)).rejects.toThrow('23505');
  expect(attempts).toBe(1);
});
