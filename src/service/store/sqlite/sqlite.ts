// Opens the embedded database: one connection writes, one reads snapshots beside it. This folder is all that is SQLite's own;
// the rest of the store speaks the query builder only.
import { Kysely } from 'kysely';
import { openSqlite } from '../../../base/storage/sqlite.ts';
import type { Databases } from '../databases.ts';
import type { Tables } from '../schema.ts';
import { backUp } from './backup.ts';
import { NodeSqliteDialect } from './dialect.ts';
import { readItemsInside } from './items.ts';
import { writeStatistics } from './statistics.ts';

/** Opens or creates the file. Throws when it is damaged or cannot be made durable. */
export function openSqliteDatabases(path: string): Databases {
  const writer = openSqlite(path, []);
  const reader = openSqlite(path, []);
  // Waiting for a lock is done without holding up the process: see the dialect.
  // What is replaced is overwritten where that costs nothing: secrets that are sealed later leave no traces of the time before.
  writer.exec('PRAGMA busy_timeout = 0; PRAGMA secure_delete = FAST;');
  reader.exec('PRAGMA busy_timeout = 0; PRAGMA query_only = ON; PRAGMA cache_size = -32768;');
  // A deferred begin could fail half-way: the writer locks at once.
  const write = new Kysely<Tables>({ dialect: new NodeSqliteDialect(writer, 'BEGIN IMMEDIATE') });
  const read = new Kysely<Tables>({ dialect: new NodeSqliteDialect(reader, 'BEGIN') });
  return {
    write,
    read,
    readItems: readItemsInside,
    // Writers wait for each other: no two can be in each other's way.
    transact: (work) => write.transaction().execute(work),
    autoNumber: (key) => key.autoIncrement(),
    // A transaction holds the write lock of the whole file from its first statement.
    lock: async () => {},
    backUp: (version) => backUp(write, path, version),
    settle: writeStatistics,
    // One process serves the file: it tells itself.
    messages: { send: async () => {}, listen: () => ({ stop: async () => {} }) },
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
