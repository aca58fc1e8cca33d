// The edge of the store to PostgreSQL: what the driver throws because the database is away becomes a DatabaseError,
// here and nowhere else. While the database is known to be away nothing is sent to it. Every write is behind the fence
// of the schema.
import type { AbortableOperationOptions, CompiledQuery, DatabaseConnection, Driver } from 'kysely';
import type { Availability } from '../databases.ts';
import { translated } from './faults.ts';
import type { SchemaFence, SchemaRow } from './schema-fence.ts';

export type GuardParts = {
  readonly availability: Availability;
  /** The connections may write. */
  readonly mayWrite: boolean;
  readonly fence: SchemaFence;
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
  const begin: Begin = async (connection, settings = {}) => {
    await driver.beginTransaction(connection, settings);
    const { fence, mayWrite } = parts;
    if (!mayWrite || !fence.isArmed()) return;
    try {
      await connection.executeQuery(fence.holdUpgrades);
      const { rows } = await connection.executeQuery<SchemaRow>(fence.readSchema);
      fence.compare(rows);
    } catch (error) {
      await driver.rollbackTransaction(connection).catch(() => {});
      throw error;
    }
  };
  return {
    init: (options) => driver.init(options),
    async acquireConnection(options) {
      const lost = availability.lost();
      lost.throwIfAborted();
      const acquiring = guarded(() => driver.acquireConnection(options));
      const connection = await unlessLost(lost, acquiring, (late) => void driver.releaseConnection(late));
      const alone: Alone = async (work) => {
        await begin(connection);
        try {
          const result = await work();
          await driver.commitTransaction(connection);
          return result;
        } catch (error) {
          await driver.rollbackTransaction(connection).catch(() => {});
          throw error;
        }
      };
      return new GuardedConnection(connection, guarded, parts.mayWrite ? alone : undefined);
    },
    async beginTransaction(connection, settings) {
      await guarded(() => begin(inner(connection), settings));
      if (connection instanceof GuardedConnection) connection.isInTransaction = true;
    },
    commitTransaction: (connection) => guarded(() => driver.commitTransaction(inner(connection))),
    rollbackTransaction: (connection) => guarded(() => driver.rollbackTransaction(inner(connection))),
    releaseConnection: (connection, options) => driver.releaseConnection(inner(connection), options),
    destroy: (options) => driver.destroy(options),
  };
}

type Guarded = <T>(work: () => Promise<T>) => Promise<T>;
/** A statement in a transaction of its own. */
type Alone = Guarded;
type Begin = (connection: DatabaseConnection, settings?: Parameters<Driver['beginTransaction']>[1]) => Promise<void>;

const WRITES: ReadonlySet<string> = new Set([
  ...['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode', 'MergeQueryNode'],
]);

/** From its acquisition to its release: in that time there is at most one transaction. */
class GuardedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly #guarded: Guarded;
  readonly #alone: Alone | undefined;
  isInTransaction = false;
  constructor(connection: DatabaseConnection, guarded: Guarded, alone: Alone | undefined) {
    this.inner = connection;
    this.#guarded = guarded;
    this.#alone = alone;
  }
  executeQuery<R>(query: CompiledQuery, options?: AbortableOperationOptions) {
    const run = () => this.inner.executeQuery<R>(query, options);
    const alone = this.isInTransaction || !WRITES.has(query.query.kind) ? undefined : this.#alone;
    return this.#guarded(alone === undefined ? run : () => alone(run));
  }
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
