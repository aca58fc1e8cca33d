// The edge of the store to PostgreSQL: what the driver throws because the database is away becomes a DatabaseError,
// here and nowhere else. While the database is known to be away nothing is sent to it.
import type { DatabaseConnection, Driver } from 'kysely';
import type { Availability } from '../databases.ts';
import { translated } from './faults.ts';

export type GuardParts = {
  readonly availability: Availability;
  /** The connections may write. */
  readonly mayWrite: boolean;
};

export function guardDriver(driver: Driver, parts: GuardParts): Driver {
  const { availability } = parts;
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw translated(error, parts);
    }
  };
  return {
    init: (options) => driver.init(options),
    async acquireConnection(options) {
      const lost = availability.lost();
      lost.throwIfAborted();
      const acquiring = guarded(() => driver.acquireConnection(options));
      const connection = await unlessLost(lost, acquiring, (late) => void driver.releaseConnection(late));
      return new GuardedConnection(connection, guarded);
    },
    beginTransaction: (connection, settings) => guarded(() => driver.beginTransaction(inner(connection), settings)),
    commitTransaction: (connection) => guarded(() => driver.commitTransaction(inner(connection))),
    rollbackTransaction: (connection) => guarded(() => driver.rollbackTransaction(inner(connection))),
    releaseConnection: (connection, options) => driver.releaseConnection(inner(connection), options),
    destroy: (options) => driver.destroy(options),
  };
}

type Guarded = <T>(work: () => Promise<T>) => Promise<T>;

class GuardedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly #guarded: Guarded;
  constructor(connection: DatabaseConnection, guarded: Guarded) {
    this.inner = connection;
    this.#guarded = guarded;
  }
  executeQuery: DatabaseConnection['executeQuery'] = (query, options) =>
    this.#guarded(() => this.inner.executeQuery(query, options));
  streamQuery: DatabaseConnection['streamQuery'] = (query, chunkSize, options) =>
    this.inner.streamQuery(query, chunkSize, options);
}

const inner = (connection: DatabaseConnection): DatabaseConnection =>
  connection instanceof GuardedConnection ? connection.inner : connection;

/** Rejects with the reason of `lost` as soon as that aborts; what comes after goes to `discard`. */
function unlessLost<T>(lost: AbortSignal, work: Promise<T>, discard: (late: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const onLost = () => reject(lost.reason);
    lost.addEventListener('abort', onLost, { once: true });
    const over = () => lost.removeEventListener('abort', onLost);
    work.then(
      (value) => {
        over();
        if (lost.aborted) discard(value);
        else resolve(value);
      },
      (error: unknown) => {
        over();
        reject(error);
      },
    );
  });
}
