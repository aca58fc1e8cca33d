// Opens the embedded database: one connection writes, one reads beside it, and one more reads in the thread that makes
// large pages. All that is special to SQLite is in this folder; the rest of the store uses the query builder only.
import { existsSync, lstatSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { type Log, silentLog } from '../../../base/log.ts';
import { type OpenFile, watchOpenFile } from '../../../base/storage/open-file.ts';
import {
  ASIDE,
  type Aside,
  DamagedError,
  openOrSetAside,
  openSqlite,
  throwIfDamaged,
  throwIfNoDatabase,
} from '../../../base/storage/sqlite.ts';
import { createAvailability } from '../availability.ts';
import type { Databases, SchemaChanges } from '../databases.ts';
import { readItemsFromRows } from '../miners/items.ts';
import type { Tables } from '../schema.ts';
import { backUp } from './backup.ts';
import { LOCK_WAIT_MS, NodeSqliteDialect } from './dialect.ts';
import { createItemReader } from './items.ts';
import { writeStatistics } from './statistics.ts';
import { createFaultWatch } from './storage-watch.ts';

/** A larger file is not read from end to end at a start: that it is damaged shows when the damage is met. */
const MAX_CHECKED_BYTES = 1024 ** 3;
/** Of a larger one indexes are not compared with their tables at a start: that takes several times as long. */
const MAX_COMPARED_BYTES = 64 * 1024 ** 2;

/** What becomes of a damaged file: `onAside` hears where it lies, and a new one is begun. */
export type OnAside = (aside: Aside & { readonly cause: unknown }) => void;

/**
 * Where a damaged database goes. The first one holds what the farm has known for long: what is damaged after it, before
 * a person has looked, does not take its place.
 */
export const serviceAsideOf = (path: string): string =>
  existsSync(`${path}${ASIDE}`) ? `${path}${ASIDE}-later` : `${path}${ASIDE}`;

/**
 * Opens or creates the file. With `onAside`, which only the one process that serves the file may give, a damaged file
 * is set aside and a new one begun; without, throws when it is damaged. Throws when it cannot be made durable.
 */
export function openSqliteDatabases(path: string, log: Log = silentLog, onAside?: OnAside): Databases {
  const open = () => openConnections(path, log, { isChecked: onAside !== undefined });
  const [writer, reader] =
    onAside === undefined ? open() : openOrSetAside(path, open, onAside, { asideOf: serviceAsideOf });
  const file = path === ':memory:' ? IN_MEMORY : watchOpenFile(path);
  // Waiting for a lock is done without holding up the process: see the dialect. What is replaced is overwritten where
  // that costs nothing: secrets that are encrypted later leave no traces of the time before.
  writer.exec('PRAGMA busy_timeout = 0; PRAGMA secure_delete = FAST;');
  reader.exec(READ_ONLY);
  // A deferred begin could fail half-way: the writer locks at once.
  const watch = createFaultWatch(dirname(path), file, (isOdd) => writeMark(write, isOdd));
  const forWrites = { begin: 'BEGIN IMMEDIATE', mayWrite: true };
  const write = new Kysely<Tables>({ dialect: new NodeSqliteDialect(writer, forWrites, watch.onWriter) });
  const read = new Kysely<Tables>({ dialect: new NodeSqliteDialect(reader, FOR_READS, watch.onReader) });
  return {
    storage: watch.storage,
    availability: createAvailability(),
    schemaChanges: ALONE,
    write,
    read,
    readItems: readItemsFromRows,
    // Writers wait for each other: no two can be in each other's way.
    transact: (work) => write.transaction().execute(work),
    autoNumber: (key) => key.autoIncrement(),
    // A transaction holds the write lock of the whole file from its first statement.
    lock: async () => {},
    backUp: (version) => backUp(write, path, version),
    afterMigration: writeStatistics,
    // One process serves the file: there is no other copy to notify.
    messages: { hasCopies: false, send: async () => {}, listen: () => ({ stop: async () => {} }) },
    sharedNowMs: undefined,
    async close() {
      if (!writer.isOpen) return;
      for (const each of [read, write]) await each.destroy();
      // The builder closes only what it has used.
      for (const each of [reader, writer]) if (each.isOpen) each.close();
      file.close();
    },
  };
}

const QUERY_ONLY = 'PRAGMA query_only = ON; PRAGMA cache_size = -32768;';
const READ_ONLY = `PRAGMA busy_timeout = 0; ${QUERY_ONLY}`;
const FOR_READS = { begin: 'BEGIN', mayWrite: false };

/**
 * A connection more to a file that this process has opened and watches, for a thread that may wait for it; what fails
 * on it is only thrown.
 */
export function openSqliteReads(path: string): Pick<Databases, 'read' | 'readItems'> {
  const reader = openSqlite(path, []);
  reader.exec(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}; ${QUERY_ONLY}`);
  return {
    read: new Kysely<Tables>({ dialect: new NodeSqliteDialect(reader, FOR_READS, () => {}) }),
    readItems: createItemReader(reader),
  };
}

type Connections = [writer: DatabaseSync, reader: DatabaseSync];

function openConnections(path: string, log: Log, { isChecked }: { isChecked: boolean }): Connections {
  const isNew = lstatSync(path, { throwIfNoEntry: false }) === undefined;
  if (isChecked && !isNew) throwIfNoDatabase(path);
  const writer = openWriter(path, isNew);
  try {
    const { size } = statSync(path);
    if (isChecked && size <= MAX_CHECKED_BYTES) throwIfDamaged(writer, path);
    if (isChecked && size <= MAX_COMPARED_BYTES) mendIndexes(writer, path, log);
    return [writer, openSqlite(path, [])];
  } catch (error) {
    writer.close();
    throw error;
  }
}

/**
 * An index that lacks a row hides it from lists, and the table still has it: the index is made anew. It may have been
 * the table that was damaged, so this is told.
 */
function mendIndexes(db: DatabaseSync, path: string, log: Log): void {
  const check = () => db.prepare('PRAGMA integrity_check(1)').get()?.integrity_check;
  const difference = check();
  if (difference === 'ok') return;
  try {
    db.exec('REINDEX');
  } catch {
    // A table that does not fit its indexes either.
  }
  if (check() !== 'ok') throw new DamagedError(`check database ${path}: tables and indexes differ`);
  log.error(
    { database: path, difference },
    'the database is damaged: its tables and indexes differed, and the indexes were made anew; values may be wrong, compare them with a backup',
  );
}

function openWriter(path: string, isNew: boolean): DatabaseSync {
  try {
    return openSqlite(path, [], 'service');
  } catch (error) {
    // Where the disk took no more than the name: the next start shall not find an empty file and wonder what was in it.
    if (isNew && statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path, { force: true });
    throw error;
  }
}

/** One process serves the file. Defaults of columns stay: the file cannot lose them. */
const ALONE: SchemaChanges = {
  lockWriters: async () => {},
  findOlderCopies: async () => ({ unaware: [], aware: [] }),
  refuseNewer: () => {},
  dropDefault: async () => {},
  async columnsOf(transaction, table) {
    const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(transaction);
    return new Set(rows.map(({ name }) => name));
  },
};

const IN_MEMORY: OpenFile = { isInPlace: () => true, canBeRead: async () => true, close() {} };

/**
 * Changes a number in the header of the file that nothing else uses: the smallest write that goes the way of all
 * others.
 */
const writeMark = (write: Databases['write'], isOdd: boolean) =>
  (isOdd ? sql`PRAGMA user_version = 1` : sql`PRAGMA user_version = 2`).execute(write);
