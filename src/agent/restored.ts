// What an agent's database needs after it was put back from a copy, before the agent starts with it again.
import { DatabaseSync } from 'node:sqlite';

/**
 * The service may have been sent slices that the copy knows nothing of: numbers that it has seen must not come again with other contents. Each
 * uplink begins a new epoch with what the copy still holds.
 */
export function beginNewEpochs(path: string): void {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    const isThere = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'outbox_uplinks'").get() !== undefined;
    if (isThere) database.exec('DELETE FROM outbox_uplinks');
  } finally {
    database.close();
  }
}
