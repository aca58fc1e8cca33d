// Databases of every earlier version, full of rows, brought to this one: nothing is missing and nothing is different. Newer ones are left alone.
import { sql } from 'kysely';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { Databases } from '../../../src/service/store/databases.ts';
import { migrate, STEPS } from '../../../src/service/store/migrations.ts';
import { openDatabases, openStore } from '../../../src/service/store/store.ts';
import { queryDatabase, temporaryDatabase } from '../../database.ts';
import { ID, rowsOf } from './item-rows.ts';

const ROWS = 3;
const isPostgres = inject('postgres') !== undefined;
const EARLIER = STEPS.slice(0, -1).map((_, index) => index + 1);

function open(target: string): Databases {
  const databases = openDatabases(target);
  onTestFinished(() => databases.close());
  return databases;
}

/** What a column of this name may hold beside a text of its own. */
const TEXTS: Readonly<Record<string, (n: number) => string>> = {
  document: (n) => JSON.stringify({ model: `model ${n}`, firmware_version: `version ${n}` }),
  extras: (n) => JSON.stringify({ firmware: `firmware ${n}`, hostname: `hostname ${n}` }),
};

type Column = { readonly table: string; readonly name: string; readonly type: string };

async function tablesOf(db: Databases['read']): Promise<Map<string, Column[]>> {
  const ofPostgres = sql<Column>`SELECT table_name AS "table", column_name AS name, data_type AS type
    FROM information_schema.columns WHERE table_schema = 'public' ORDER BY ordinal_position`;
  const ofSqlite = sql<Column>`SELECT m.name AS "table", c.name, c.type FROM sqlite_schema m, pragma_table_info(m.name) c
    WHERE m.type = 'table' ORDER BY c.cid`;
  const { rows } = await (isPostgres ? ofPostgres : ofSqlite).execute(db);
  return Map.groupBy(
    rows.filter(({ table }) => !/^(schema_version|sqlite_)/.test(table)),
    ({ table }) => table,
  );
}

/** Rows in every table, each value another one. */
async function fill({ read, write }: Databases): Promise<void> {
  for (const [name, columns] of await tablesOf(read))
    for (let n = 1; n <= ROWS; n++) {
      const values = columns.map((column, index) =>
        column.type.toLowerCase().startsWith('text')
          ? (TEXTS[column.name]?.(n) ?? `${name} ${column.name} ${n}`)
          : column.name === 'row_id'
            ? n
            : n * 1_000 + index,
      );
      const names = sql.join(columns.map((column) => sql.ref(column.name)));
      await sql`INSERT INTO ${sql.table(name)} (${names}) VALUES (${sql.join(values)})`.execute(write);
    }
}

type Dump = Record<string, { columns: string[]; rows: Record<string, unknown>[] }>;

async function dump({ read }: Databases, like?: Dump): Promise<Dump> {
  const all: Dump = {};
  for (const [name, found] of await tablesOf(read)) {
    if (like !== undefined && like[name] === undefined) continue;
    const columns = like?.[name]?.columns ?? found.map((column) => column.name);
    const { rows } = await sql<
      Record<string, unknown>
    >`SELECT ${sql.join(columns.map((column) => sql.ref(column)))} FROM ${sql.table(name)} ORDER BY 1, 2`.execute(read);
    all[name] = { columns, rows: rows.map((row) => ({ ...row })) };
  }
  return all;
}

test.each(EARLIER)('from schema %i nothing is lost', async (version) => {
  const target = await temporaryDatabase();
  const old = openDatabases(target);
  await migrate(old, 'test', STEPS.slice(0, version));
  await fill(old);
  const before = await dump(old);
  expect(Object.values(before).every(({ rows }) => rows.length === ROWS)).toBe(true);
  await old.close();

  const store = await openStore(target);
  onTestFinished(() => store.close());
  expect(await dump(open(target), before)).toEqual(before);
  // It is not only there, it is understood.
  expect((await store.tenants.findFarm('farms id 1'))?.name).toBe('farms name 1');
  const page = await store.search.page({
    farmId: 'miners farm_id 2',
    search: { model: { eq: version < 4 ? 'model 2' : 'miners model 2' } },
    window: { limit: 10, offset: 0 },
    item: ID,
    nowMs: 1,
  });
  expect(rowsOf(page)).toEqual([{ id: 'miners id 2' }]);
});

test('a database of a newer version is refused with what to do, and stays as it is', async () => {
  const target = await temporaryDatabase();
  await (await openStore(target)).close();
  await queryDatabase(target, 'UPDATE schema_version SET version = ?', STEPS.length + 1);
  await expect(openStore(target)).rejects.toThrow(
    new RegExp(`schema ${STEPS.length + 1}, this version knows ${STEPS.length}; use the newer version`),
  );
  expect(await queryDatabase(target, 'SELECT version FROM schema_version')).toEqual([{ version: STEPS.length + 1 }]);
});
