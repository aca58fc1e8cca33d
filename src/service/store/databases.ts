// What the store asks of a database beside the query builder: the two connections, and the few things that each database does in its own way.
import type { ColumnDefinitionBuilder } from 'kysely';
import { BugError } from '../../base/errors.ts';
import type { DiskFault } from '../../base/storage/disk-fault.ts';
import type { ReadItems } from './miners/items.ts';
import type { Db } from './schema.ts';

/** How this database makes a primary key number by itself. */
export type AutoNumber = (key: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;

/**
 * In a transaction: waits until no other transaction holds the lock of this name, on any copy, and holds it until this one ends. What is read
 * after it is what they left. Whoever takes two takes `uplink` before `identity` before `history`,
 * `tasks` before `request`, so that nobody waits in a circle.
 */
export type Lock = (transaction: Db, name: LockName) => Promise<void>;
type LockName =
  | 'schema'
  | 'defaults'
  | 'task-keys'
  | 'time'
  | `identity ${string}`
  | `tasks ${string}`
  | `uplink ${string}`
  | `history ${string}`
  | `locations ${string}`
  | `request ${string}`;

/** One transaction. What was given up for the sake of another one is done again from its beginning: `work` changes nothing but the database. */
type Transact = <T>(work: (transaction: Db) => Promise<T>) => Promise<T>;

/** Short texts to every process that has the database open, this one too. They may get lost: they say where to look, not what is so. */
export type Messages = {
  /** At most 8,000 bytes. Does nothing where only one process can have the database. */
  send(text: string): Promise<void>;
  /** Ends with `stop`. A lost connection is made again without end. */
  listen(listener: MessageListener): { stop(): Promise<void> };
};

export type MessageListener = {
  readonly onMessage: (text: string) => void;
  /** Connected, for the first time or again: what was sent before may have been missed. */
  readonly onConnected: () => void;
  readonly onError: (error: unknown) => void;
};

export type Databases = {
  /** Transactions here see each other's work in full or not at all where they take the same lock. */
  readonly write: Db;
  readonly transact: Transact;
  /** Sees what is committed; refuses to write. */
  readonly read: Db;
  /** A page of a list in the way that costs this database and us the least. */
  readonly readItems: ReadItems;
  readonly autoNumber: AutoNumber;
  readonly lock: Lock;
  /** Before the schema changes from this version: a copy to go back to, where that is ours to make. */
  readonly backUp: (version: number) => Promise<void>;
  /** In the transaction that has changed the schema: what this database should know of it beside the tables. */
  readonly afterMigration: (transaction: Db) => Promise<void>;
  readonly messages: Messages;
  /** Of the file of an embedded database; absent where a server keeps the data and says itself how it is. */
  readonly storage?: StorageWatch;
  /** The clock that all copies of the service share, ms since the epoch. Undefined where one process has the database for itself. */
  readonly sharedNowMs: (() => Promise<number>) | undefined;
  close(): Promise<void>;
};

/** Whether what is written to the file is kept. */
export type StorageWatch = {
  /** Why not; undefined = it is, as far as the newest writes have shown. */
  fault(): DiskFault | undefined;
  /** Looks where the file is and, while there is a fault, writes in earnest to see whether it is over. */
  probe(): Promise<void>;
  /** Aborts when the database says that it is damaged: nothing brings it back but a start with another one. */
  readonly damaged: AbortSignal;
};

/** The types that the tables have; throws for every other. */
export function plainValue(value: unknown): string | number | bigint | null {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value;
  throw new BugError(`bind a ${typeof value} to a statement: not a type that the tables have`);
}
