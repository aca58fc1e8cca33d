// node:sqlite under the query builder: prepares each statement once, and waits for a database that another process or
// connection has locked without blocking the event loop. It opens nothing and knows no table.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type DatabaseConnection, type Driver, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import { systemClock } from '../../../base/clock.ts';
import { plainValue } from '../databases.ts';

const CACHED_STATEMENTS = 200;
const SQLITE_BUSY = 5;
const LOCK_WAIT_MS = 5_000;
const LOCK_RETRY_MS = 5;

type OnError = (error: unknown) => void;

/** `begin` is what a transaction starts with; `onError` gets the error of every statement that fails. */
export class NodeSqliteDialect extends SqliteDialect {
  constructor(db: DatabaseSync, begin: string, onError: OnError) {
    super({ database: async () => adapt(db, begin, onError) });
  }
  override createDriver(): Driver {
    return makePatient(super.createDriver());
  }
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

function makePatient(driver: Driver): Driver {
  return {
    init: (options) => driver.init(options),
    acquireConnection: async (options) => makePatientConnection(await driver.acquireConnection(options)),
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
function makePatientConnection(connection: DatabaseConnection): DatabaseConnection {
  return {
    streamQuery: (query, chunkSize, options) => connection.streamQuery(query, chunkSize, options),
    async executeQuery(query, options) {
      const startMs = systemClock.monotonicMs();
      for (;;) {
        try {
          return await connection.executeQuery(query, options);
        } catch (error) {
          if (!isBusy(error) || systemClock.monotonicMs() - startMs > LOCK_WAIT_MS) throw error;
        }
        await systemClock.sleep(LOCK_RETRY_MS);
      }
    },
  };
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
