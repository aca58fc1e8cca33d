// The embedded database: node:sqlite under the query builder. Everything that is SQLite's own (pragmas, locking, statement cache) is in this
// file; the rest of the store speaks the builder only. One connection writes, one reads snapshots beside it.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { type ColumnDefinitionBuilder, Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import { BugError } from '../../base/errors.ts';
import { openSqlite } from '../../base/sqlite.ts';
import type { Db, Tables } from './schema.ts';

/** How this database makes a primary key number by itself. */
export type AutoNumber = (key: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;

export type Databases = {
  /** Transactions here hold the write lock from their first statement. */
  readonly write: Db;
  /** Sees what is committed; refuses to write. */
  readonly read: Db;
  readonly autoNumber: AutoNumber;
  close(): Promise<void>;
};

const CACHED_STATEMENTS = 200;

/** Opens or creates the file. Throws when it is damaged or cannot be made durable. */
export function openSqliteDatabases(path: string): Databases {
  const writer = openSqlite(path, []);
  const reader = openSqlite(path, []);
  reader.exec('PRAGMA query_only = ON; PRAGMA cache_size = -32768;');
  const write = new Kysely<Tables>({
    dialect: new SqliteDialect({ database: async () => adapt(writer, 'BEGIN IMMEDIATE') }),
  });
  const read = new Kysely<Tables>({ dialect: new SqliteDialect({ database: async () => adapt(reader, 'BEGIN') }) });
  return {
    write,
    read,
    autoNumber: (key) => key.autoIncrement(),
    async close() {
      if (!writer.isOpen) return;
      await read.destroy();
      await write.destroy();
      // The builder closes only what it has used.
      if (reader.isOpen) reader.close();
      if (writer.isOpen) writer.close();
    },
  };
}

/** The part of the better-sqlite3 shape that the builder uses. A deferred begin could fail half-way with "busy": the writer locks at once. */
function adapt(db: DatabaseSync, begin: string): SqliteDatabase {
  const cache = new Map<string, SqliteStatement>();
  return {
    close: () => db.close(),
    prepare(text) {
      const known = cache.get(text);
      if (known) {
        cache.delete(text);
        cache.set(text, known);
        return known;
      }
      const statement = adaptStatement(db.prepare(text === 'begin' ? begin : text));
      cache.set(text, statement);
      if (cache.size > CACHED_STATEMENTS) {
        const oldest = cache.keys().next().value;
        if (oldest !== undefined) cache.delete(oldest);
      }
      return statement;
    },
  };
}

function adaptStatement(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters.map(toInput)),
    run: (parameters) => statement.run(...parameters.map(toInput)),
    iterate: (parameters) => statement.iterate(...parameters.map(toInput)),
  };
}

function toInput(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value;
  throw new BugError(`bind a ${typeof value} to a statement: not a type that the tables have`);
}
