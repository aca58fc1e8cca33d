// Prepares the outbox of a database that was restored from a copy, before the agent starts with it again.
import { DatabaseSync } from 'node:sqlite';
import { v4 as newUuid } from 'uuid';
import { openStore } from './store.ts';

/**
 * A service may have been sent slices that the copy knows nothing of: numbers that it has seen must not come again with
 * other contents. Each uplink begins a new epoch with what the copy still holds, but for those `inStep`, whose services
 * were put back to the same moment. The outbox gets a new name: what a service has from numbers that it will see again
 * is older than all that comes now.
 */
export function beginNewEpochs(path: string, inStep: readonly string[] = []): void {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'outbox_epochs'").get();
    if (table === undefined) return;
    const names = database
      .prepare('SELECT DISTINCT name FROM outbox_epochs')
      .all()
      .map(({ name }) => String(name));
    const forget = database.prepare('DELETE FROM outbox_epochs WHERE name = ?');
    for (const name of names) if (!inStep.includes(name)) forget.run(name);
    const store = openStore(database);
    const meta = store.meta();
    // One that is damaged is made anew at the start, with a new name.
    if (meta !== undefined && meta !== 'damaged') store.commit({ meta: { ...meta, outbox: newUuid() } });
  } finally {
    database.close();
  }
}
