// What lists read of the store, and nothing else. A thread that makes large pages opens it once more, for itself.
import type { Databases } from './databases.ts';
import { createEventLists } from './events/events.ts';
import { createMinerStore } from './miners/miners.ts';
import { isPostgresUrl, openPostgresReads } from './postgres/postgres.ts';
import { openSqliteReads } from './sqlite/sqlite.ts';
import { createTaskLists } from './tasks/batch-detail.ts';

export type ListStores = ReturnType<typeof createListStores>;

const createListStores = (databases: Pick<Databases, 'read' | 'readItems'>) => ({
  miners: createMinerStore(databases),
  events: createEventLists(databases.read),
  tasks: createTaskLists(databases.read),
});

/** Of a database that a service has opened and keeps up to date. It only reads, on one connection, when first used. */
export const openListStores = (target: string): ListStores =>
  createListStores(isPostgresUrl(target) ? openPostgresReads(target) : openSqliteReads(target));
