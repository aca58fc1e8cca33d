// Repeats transactions that PostgreSQL gave up for others (deadlock, serialization failure), a few times, after a pause
// of random length. Any other error is thrown.
import type { DatabaseConnection, Driver } from 'kysely';
import { DatabaseError } from '../../../base/errors.ts';
import { fullJitterMs } from '../../../base/time/backoff.ts';

const CONFLICTS: ReadonlySet<unknown> = new Set(['40001', '40P01']);
const MAX_RETRIES = 6;
const PAUSE = { baseMs: 20, capMs: 1_000 };

export type ConflictParts = {
  readonly sleep: (delayMs: number) => Promise<void>;
  readonly random: () => number;
};

const isConflict = (error: unknown): boolean => error instanceof Error && 'code' in error && CONFLICTS.has(error.code);

/** Throws DatabaseError when even the last attempt met a conflict: a little over 2 s at most are spent waiting. */
export async function retryConflicts<T>(work: () => Promise<T>, { sleep, random }: ConflictParts): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt >= MAX_RETRIES) throw new DatabaseError('database.away', undefined, error);
    }
    await sleep(fullJitterMs(attempt, PAUSE, random));
  }
}

/**
 * A single statement is a transaction too. Inside a transaction only the whole can be repeated, by the caller that
 * began it.
 */
export function makePatient(driver: Driver, parts: ConflictParts): Driver {
  const inners = new WeakMap<DatabaseConnection, DatabaseConnection>();
  const inTransaction = new WeakSet<DatabaseConnection>();
  const inner = (connection: DatabaseConnection) => inners.get(connection) ?? connection;
  return {
    init: (options) => driver.init(options),
    async acquireConnection(options) {
      const connection = await driver.acquireConnection(options);
      const patient: DatabaseConnection = {
        streamQuery: (query, chunkSize, more) => connection.streamQuery(query, chunkSize, more),
        executeQuery: (query, more) =>
          inTransaction.has(patient)
            ? connection.executeQuery(query, more)
            : retryConflicts(() => connection.executeQuery(query, more), parts),
      };
      inners.set(patient, connection);
      return patient;
    },
    async beginTransaction(connection, settings) {
      inTransaction.add(connection);
      await driver.beginTransaction(inner(connection), settings);
    },
    async commitTransaction(connection) {
      await driver.commitTransaction(inner(connection));
      inTransaction.delete(connection);
    },
    async rollbackTransaction(connection) {
      await driver.rollbackTransaction(inner(connection));
      inTransaction.delete(connection);
    },
    releaseConnection: (connection, options) => driver.releaseConnection(inner(connection), options),
    destroy: (options) => driver.destroy(options),
  };
}
