// An empty store of the wanted kind for the length of a bench: a file, or a PostgreSQL that is started for it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Databases } from '../../src/service/store/databases.ts';
import { openDatabases, openStore, type Store } from '../../src/service/store/store.ts';
import { startCluster } from '../postgres/cluster.ts';

export type BenchStore = { readonly store: Store; readonly databases: Databases; readonly isPostgres: boolean };

export async function withStore(database: string, work: (parts: BenchStore) => Promise<void>): Promise<void> {
  const isPostgres = database === 'postgres';
  const folder = mkdtempSync(join(tmpdir(), 'pithead-bench-'));
  const cluster = isPostgres ? await startCluster() : undefined;
  const target = cluster?.url ?? join(folder, 'service.sqlite');
  try {
    const store = await openStore(target);
    const databases = openDatabases(target);
    try {
      await work({ store, databases, isPostgres });
    } finally {
      await databases.close();
      await store.close();
    }
  } finally {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
