// A store with a fleet in it, for a whole test file.
import { afterAll, beforeAll } from 'vitest';
import type { Databases } from '../../../../src/service/store/databases.ts';
import { openDatabases, openStore, type Store } from '../../../../src/service/store/store.ts';
import { newDatabase, type TestDatabase } from '../../../support/database.ts';
import { type Fleet, fillFleet } from './fleet.ts';

export type FilledStore = {
  readonly database: TestDatabase;
  /** Beside the connections of the store. */
  readonly databases: Databases;
  readonly store: Store;
  readonly fleet: Fleet;
};

/** Call it at the top of the file; what it gives is there once the tests run. */
export function useFilledStore(size: Parameters<typeof fillFleet>[2]): () => FilledStore {
  let filled: FilledStore | undefined;
  beforeAll(async () => {
    const database = await newDatabase();
    const store = await openStore(database.target);
    const databases = openDatabases(database.target);
    filled = { database, store, databases, fleet: await fillFleet(store, databases, size) };
  });
  afterAll(async () => {
    await filled?.databases.close();
    await filled?.store.close();
    await filled?.database.drop();
  });
  return () => {
    if (filled === undefined) throw new Error('the store is filled before the first test');
    return filled;
  };
}
