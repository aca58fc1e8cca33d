// Opens the embedded database: one connection writes, one reads snapshots beside it. With sqlite-dialect.ts this is all that is SQLite's own;
// the rest of the store speaks the query builder only.
import { type ColumnDefinitionBuilder, Kysely } from 'kysely';
import { openSqlite } from '../../base/sqlite.ts';
import type { Db, Tables } from './schema.ts';
import { NodeSqliteDialect } from './sqlite-dialect.ts';

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

/** Opens or creates the file. Throws when it is damaged or cannot be made durable. */
export function openSqliteDatabases(path: string): Databases {
  const writer = openSqlite(path, []);
  const reader = openSqlite(path, []);
  // Waiting for a lock is done without holding up the process: see the dialect.
  writer.exec('PRAGMA busy_timeout = 0;');
  reader.exec('PRAGMA busy_timeout = 0; PRAGMA query_only = ON; PRAGMA cache_size = -32768;');
  // A deferred begin could fail half-way: the writer locks at once.
  const write = new Kysely<Tables>({ dialect: new NodeSqliteDialect(writer, 'BEGIN IMMEDIATE') });
  const read = new Kysely<Tables>({ dialect: new NodeSqliteDialect(reader, 'BEGIN') });
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
