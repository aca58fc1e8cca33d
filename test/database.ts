// A new, empty database of the kind that the project tests on: a file, or a database of the cluster. And a look into it beside the service.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { isPostgresUrl } from '../src/service/store/postgres.ts';
import { numberTypes } from '../src/service/store/postgres-dialect.ts';

export type TestDatabase = {
  /** A path or a URL, as `openStore` takes it. */
  readonly target: string;
  drop(): Promise<void>;
};

/** The caller drops it. */
export async function newDatabase(): Promise<TestDatabase> {
  const postgres = inject('postgres');
  if (postgres !== undefined && 'url' in postgres) return newPostgresDatabase(postgres.url);
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

export async function newPostgresDatabase(clusterUrl: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await queryDatabase(clusterUrl, `CREATE DATABASE ${name}`);
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return {
    target: url.href,
    drop: async () => void (await queryDatabase(clusterUrl, `DROP DATABASE ${name} WITH (FORCE)`)),
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
