// node:sqlite under the query builder: prepares each statement once, and waits for a database that another process or
// connection has locked without blocking the event loop. It opens nothing and knows no table.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  type AbortableOperationOptions,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteStatement,
} from 'kysely';
import { systemClock } from '../../../base/clock.ts';
import { DatabaseError } from '../../../base/errors.ts';
import { SQLITE, sqliteCode } from '../../../base/storage/sqlite.ts';
import { plainValue } from '../databases.ts';

const CACHED_STATEMENTS = 200;
export const LOCK_WAIT_MS = 4_000;
const LOCK_RETRY_MS = 5;

type OnError = (error: unknown) => void;

/** `begin` is what a transaction starts with; `onError` gets the error of every statement that fails. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #mayWrite: boolean;
  constructor(db: DatabaseSync, { begin, mayWrite }: { begin: string; mayWrite: boolean }, onError: OnError) {
    super({ database: async () => adapt(db, begin, onError) });
    this.#mayWrite = mayWrite;
  }
  override createDriver(): Driver {
    return makePatient(super.createDriver(), this.#mayWrite);
  }
}

/** The disk or another process is in the way, or the file is damaged: the same statement may succeed later. */
const AWAY: ReadonlySet<number | undefined> = new Set([
  ...[SQLITE.busy, SQLITE.locked, SQLITE.noMemory, SQLITE.ioError, SQLITE.full, SQLITE.cannotOpen],
  ...[SQLITE.corrupt, SQLITE.notADatabase],
]);

/** What callers of the store get; `mayWrite`: of a connection that may write. */
export function translated(error: unknown, mayWrite: boolean): unknown {
  const code = sqliteCode(error);
  const isAway = AWAY.has(code) || (mayWrite && code === SQLITE.readOnly);
  return isAway ? new DatabaseError('database.away', undefined, error) : error;
}

/** The part of the better-sqlite3 shape that the builder uses. */
function adapt(db: DatabaseSync, begin: string, onError: OnError): SqliteDatabase {
  const heard = <T>(run: () => T): T => {
    try {
      return run();
    } catch (error) {
      onError(error);
      throw error;
    }
  };
  const cache = new Map<string, SqliteStatement>();
  return {
    close: () => db.close(),
    prepare(text) {
      if (text === 'rollback') return rollback(db);
      const make = () => adaptStatement(db.prepare(text === 'begin' ? begin : text), heard);
      const statement = cache.get(text) ?? heard(make);
      // The most recently used are at the end.
      cache.delete(text);
      cache.set(text, statement);
      const oldest = cache.keys().next().value;
      if (cache.size > CACHED_STATEMENTS && oldest !== undefined) cache.delete(oldest);
      return statement;
    },
  };
}

/** Where the disk refused, the database has rolled back by itself; a second error must not hide the first. */
function rollback(db: DatabaseSync): SqliteStatement {
  const run = () => {
    if (db.isTransaction) db.exec('ROLLBACK');
    return { changes: 0, lastInsertRowid: 0 };
  };
  return { reader: false, all: () => [], run, iterate: () => [][Symbol.iterator]() };
}

function adaptStatement(statement: StatementSync, heard: <T>(run: () => T) => T): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => heard(() => statement.all(...parameters.map(plainValue))),
    run: (parameters) => heard(() => statement.run(...parameters.map(plainValue))),
    iterate: (parameters) => statement.iterate(...parameters.map(plainValue)),
  };
}

function makePatient(driver: Driver, mayWrite: boolean): Driver {
  /** The lock was not to be had in time: what waits behind does not wait as long again, until it is to be had. */
  const lock = { isHeld: false };
  return {
    init: (options) => driver.init(options),
    acquireConnection: async (options) =>
      makePatientConnection(await driver.acquireConnection(options), lock, mayWrite),
    beginTransaction: (connection, settings) => driver.beginTransaction(connection, settings),
    commitTransaction: (connection) => driver.commitTransaction(connection),
    rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
    releaseConnection: async () => {},
    destroy: (options) => driver.destroy(options),
  };
}

/**
 * A statement that was refused as "busy" has done nothing: it can be tried again. Real time, because the other process
 * holds the lock in real time.
 */
function makePatientConnection(
  connection: DatabaseConnection,
  lock: { isHeld: boolean },
  mayWrite: boolean,
): DatabaseConnection {
  return {
    streamQuery: (query, chunkSize, options) => connection.streamQuery(query, chunkSize, options),
    async executeQuery<R>(query: CompiledQuery, options?: AbortableOperationOptions) {
      const startMs = systemClock.monotonicMs();
      for (;;) {
        try {
          const result = await connection.executeQuery<R>(query, options);
          // A rollback needs no lock.
          if (query.sql !== 'rollback') lock.isHeld = false;
          return result;
        } catch (error) {
          const isBusy = sqliteCode(error) === SQLITE.busy;
          const isOver = lock.isHeld || systemClock.monotonicMs() - startMs > LOCK_WAIT_MS;
          if (isBusy && isOver) lock.isHeld = true;
          if (!isBusy || isOver) throw translated(error, mayWrite);
        }
        await systemClock.sleep(LOCK_RETRY_MS);
      }
    },
  };
}
