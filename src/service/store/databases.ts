// What the store needs of a database beside the query builder: two connections, and what each database does in its own
// way.
import type { ColumnDefinitionBuilder } from 'kysely';
import { BugError, type DatabaseError } from '../../base/errors.ts';
import type { DiskFault } from '../../base/storage/disk-fault.ts';
import type { ServiceAction } from '../../model/audit/actions.data.ts';
import type { AuditAct } from '../../model/audit/entry.ts';
import type { ReadItems } from './miners/items.ts';
import type { Db } from './schema.ts';

/** How this database makes a primary key number by itself. */
export type AutoNumber = (key: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;

/**
 * In a transaction: waits until no other transaction holds the lock of this name, on any copy, and holds it until this
 * one ends. What is read after it is what they left. A transaction that takes two locks takes `uplink` before
 * `identity` before `history`, `tasks` before `request`, and `people` before `sessions`; `audit` is the last lock, and
 * what follows it is short: otherwise two could wait for each other.
 */
export type Lock = (transaction: Db, name: LockName) => Promise<void>;
type LockName =
  | 'schema'
  | 'defaults'
  | 'task-keys'
  | 'time'
  | 'audit'
  | `identity ${string}`
  | `tasks ${string}`
  | `uplink ${string}`
  | `history ${string}`
  | `locations ${string}`
  | `webhooks ${string}`
  | `pool-sets ${string}`
  | `taken-work ${string}`
  | `people ${string}`
  | `sessions ${string}`
  | `request ${string}`;

/**
 * One transaction. The database may give it up for another one; then `work` runs again, so it must change nothing but
 * the database.
 */
type Transact = <T>(work: (transaction: Db) => Promise<T>) => Promise<T>;

/**
 * Short texts to every process that has the database open, this one too. They may get lost, and carry no state: the
 * receiver reads the database.
 */
export type Messages = {
  /** False where only one process can have the database. */
  readonly hasCopies: boolean;
  /** At most 8,000 bytes. Does nothing without copies. */
  send(text: string): Promise<void>;
  /** Until `stop`. A lost connection is opened again, without a limit of tries. */
  listen(listener: MessageListener): { stop(): Promise<void> };
};

export type ServiceAct = AuditAct<ServiceAction>;

/**
 * The last statements of a transaction: other copies wait for them. Throws ConfigError when the trail is signed with a
 * key that is not here.
 */
export type AppendAudit = (transaction: Db, acts: readonly ServiceAct[]) => Promise<void>;

/** With the audit trail, which is written in the transaction of the act. */
export type Audited<D = Databases> = D & { readonly audit: AppendAudit };

export type MessageListener = {
  readonly onMessage: (text: string) => void;
  /** Connected, for the first time or again: what was sent before may have been missed. */
  readonly onConnected: () => void;
  readonly onError: (error: unknown) => void;
};

/**
 * Whether the database takes work, as far as is known. Copies that share a database watch it; a file is not watched.
 */
export type Availability = {
  /** Why it takes none, for people; undefined = it does. */
  unavailable(): DatabaseError | undefined;
  /** Aborts, with that error, as soon as it takes none. A new signal begins when it does again. */
  lost(): AbortSignal;
  /** Called with each change, in the order of the calls. */
  onChange(listener: (unavailable: DatabaseError | undefined) => void): void;
};

/** Copies of the service on the same database with an older schema, one text each: which, from where, since when. */
export type OlderCopies = {
  /** They would go on writing as if nothing had changed. */
  readonly unaware: readonly string[];
  /** They take no more work as soon as the schema has changed. */
  readonly aware: readonly string[];
};

/** Changes of the schema, also beside other copies. */
export type SchemaChanges = {
  /** In the transaction that changes it: waits for every write under way, and no other begins until it has ended. */
  lockWriters(transaction: Db): Promise<void>;
  findOlderCopies(transaction: Db): Promise<OlderCopies>;
  /** From now on nothing is written on a newer schema, and this copy takes no more work once there is one. */
  refuseNewer(): void;
  /** Of a column that had to be added with one; where the database can. */
  dropDefault(transaction: Db, table: string, column: string): Promise<void>;
  /** Empty = there is no such table. */
  columnsOf(transaction: Db, table: string): Promise<ReadonlySet<string>>;
};

export type Databases = {
  /** Transactions here see each other's work in full or not at all where they take the same lock. */
  readonly write: Db;
  readonly transact: Transact;
  /** Sees what is committed; refuses to write. */
  readonly read: Db;
  /** A page of a list, in the cheapest way for this database. */
  readonly readItems: ReadItems;
  readonly autoNumber: AutoNumber;
  readonly lock: Lock;
  /** Before the schema changes from this version: makes a copy to go back to, of an embedded database. */
  readonly backUp: (version: number) => Promise<void>;
  /** In the transaction that has changed the schema: what this database needs beside the tables. */
  readonly afterMigration: (transaction: Db) => Promise<void>;
  readonly messages: Messages;
  readonly availability: Availability;
  readonly schemaChanges: SchemaChanges;
  /** Of the file of an embedded database; absent where a database server keeps the data. */
  readonly storage?: StorageWatch;
  /**
   * The clock that all copies of the service share, ms since the epoch. Undefined where one process has the database
   * for itself.
   */
  readonly sharedNowMs: (() => Promise<number>) | undefined;
  close(): Promise<void>;
};

/** Whether what is written to the file is kept. */
export type StorageWatch = {
  /** Why not; undefined = it is, as far as the newest writes have shown. */
  fault(): DiskFault | undefined;
  /** Checks the file and, while there is a fault, writes to it to see whether the fault is over. */
  probe(): Promise<void>;
  /** Aborts when the database is damaged: the process has to start again with another one. */
  readonly damaged: AbortSignal;
  /** A statement failed that another thread has read with. */
  noteReadError(error: unknown): void;
};

/** The types that the tables have; throws for every other. */
export function plainValue(value: unknown): string | number | bigint | null {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value;
  throw new BugError(`bind a ${typeof value} to a statement: not a type that the tables have`);
}
