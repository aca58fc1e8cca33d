// A new, empty database of the kind that the project tests on: a file, or a database of the cluster. And a look into it
// beside the service.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { numberTypes } from '../../src/service/store/postgres/dialect.ts';
import { isPostgresUrl } from '../../src/service/store/postgres/postgres.ts';

export type TestDatabase = {
  /** A path or a URL, as `openStore` takes it. */
  readonly target: string;
  drop(): Promise<void>;
};

/**
 * The caller drops it. `isReady`: it may have the schema already, and may have been used and emptied, where that is
 * faster.
 */
export async function newDatabase({ isReady = false } = {}): Promise<TestDatabase> {
  const postgres = inject('postgres');
  if (postgres !== undefined && 'url' in postgres)
    return isReady ? readyPostgresDatabase(postgres) : newPostgresDatabase(postgres.url);
  const folder = mkdtempSync(join(tmpdir(), 'pithead-service-'));
  return {
    target: join(folder, 'service.sqlite'),
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Its target; it ends with the test. */
export async function temporaryDatabase(): Promise<string> {
  const database = await newDatabase();
  onTestFinished(() => database.drop());
  return database.target;
}

/** Databases of this test file that nobody uses, emptied: making one takes longer than most tests. */
const idle: string[] = [];

async function readyPostgresDatabase(cluster: { url: string; template: string }): Promise<TestDatabase> {
  const used = idle.pop();
  const { target, drop } =
    used === undefined
      ? await newPostgresDatabase(cluster.url, cluster.template)
      : { target: used, drop: async () => void (await queryDatabase(cluster.url, dropStatement(used))) };
  return {
    target,
    async drop() {
      try {
        await queryDatabase(target, EMPTY_TABLES);
        idle.push(target);
      } catch {
        await drop();
      }
    },
  };
}

/** Fails where a table is missing or cannot be emptied. */
const EMPTY_TABLES = `DO $$ DECLARE one record; BEGIN
  IF to_regclass('workspaces') IS NULL OR to_regclass('task_batches') IS NULL THEN RAISE 'tables are missing'; END IF;
  FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('schema_version', 'schema_programs')
  LOOP EXECUTE format('DELETE FROM %I', one.tablename); END LOOP;
END $$`;
const dropStatement = (target: string) => `DROP DATABASE ${new URL(target).pathname.slice(1)} WITH (FORCE)`;

export async function newPostgresDatabase(clusterUrl: string, template = 'template1'): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await queryDatabase(clusterUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return {
    target: url.href,
    drop: async () => void (await queryDatabase(clusterUrl, dropStatement(url.href))),
  };
}

/** Rows of a statement with `?` for each value, on a connection of its own. */
export async function queryDatabase(
  target: string,
  text: string,
  ...values: (string | number | null)[]
): Promise<Record<string, unknown>[]> {
  if (isPostgresUrl(target)) {
    const client = new pg.Client({ connectionString: target, types: numberTypes() });
    await client.connect();
    try {
      let n = 0;
      return (
        await client.query<Record<string, unknown>>(
          text.replaceAll('?', () => `$${++n}`),
          values,
        )
      ).rows;
    } finally {
      await client.end();
    }
  }
  const db = new DatabaseSync(target);
  try {
    db.exec('PRAGMA busy_timeout = 5000');
    return db
      .prepare(text)
      .all(...values)
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}
