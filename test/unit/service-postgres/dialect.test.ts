// What PostgreSQL would do differently from the embedded database, and does not: types, texts, the order of texts; and
// what it must not tell.
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { renderError } from '../../../src/base/errors.ts';
import { migrate } from '../../../src/service/store/migrations/migrations.ts';
import { openPostgresDatabases } from '../../../src/service/store/postgres/postgres.ts';
import { openStore } from '../../../src/service/store/store.ts';
import { temporaryDatabase } from '../../support/database.ts';

async function open() {
  const databases = openPostgresDatabases(await temporaryDatabase());
  onTestFinished(() => databases.close());
  await migrate(databases, 'test');
  return databases;
}

test('64-bit numbers and sums of them come back as numbers, and never wrong', async () => {
  const { read } = await open();
  const { rows } =
    await sql`SELECT 9007199254740991::bigint AS a, sum(x::bigint) AS b FROM (VALUES (1), (2)) AS t (x)`.execute(read);
  expect(rows).toEqual([{ a: Number.MAX_SAFE_INTEGER, b: 3 }]);
  await expect(sql`SELECT 9007199254740993::bigint`.execute(read)).rejects.toThrow('53 bits');
});

test('texts sort by their bytes, and a NUL in one is stored as another character', async () => {
  const { read, write } = await open();
  for (const name of ['b', 'B', 'a', 'ä', '_', 'A\0'])
    await write.insertInto('workspaces').values({ id: name, name, slug: name, created_at: 1 }).execute();
  const rows = await read.selectFrom('workspaces').select('name').orderBy('name').execute();
  expect(rows.map(({ name }) => name)).toEqual(['A\uFFFD', 'B', '_', 'a', 'b', 'ä']);
  expect(await read.selectFrom('workspaces').select('id').where('name', '=', 'A\0').execute()).toHaveLength(1);
});

test('statements and idle transactions end by themselves', async () => {
  const { read, write } = await open();
  const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
  for (const db of [read, write])
    for (const name of names) {
      const { rows } = await sql<{ value: string }>`SELECT current_setting(${name}) AS value`.execute(db);
      expect(rows[0]?.value).toMatch(/^\d+s$/);
    }
});

test('a password is in no error', async () => {
  const target = new URL(await temporaryDatabase());
  target.password = 'not-this-one';
  const error: unknown = await openStore(target.href).catch((reason: unknown) => reason);
  expect(renderError(error)).toContain('password authentication failed');
  expect(JSON.stringify([renderError(error), error])).not.toContain('not-this-one');
  expect(() => openPostgresDatabases('postgres://u:geheim@[')).toThrow(/^(?!.*geheim)/);
});
