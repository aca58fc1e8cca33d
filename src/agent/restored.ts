// What an agent's database needs after it was put back from a copy, before the agent starts with it again.
import { DatabaseSync } from 'node:sqlite';

/** Where each uplink stands, by schema of the outbox, the newest first. */
const CURSORS = [
  { name: 'outbox_lanes', forget: 'DELETE FROM outbox_lanes' },
  { name: 'outbox_uplinks', forget: 'DELETE FROM outbox_uplinks' },
] as const;

/**
 * The service may have been sent slices that the copy knows nothing of: numbers that it has seen must not come again with other contents. Each
 * uplink begins a new epoch with what the copy still holds.
 */
export function beginNewEpochs(path: string): void {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    for (const { name, forget } of CURSORS) if (tables.some((table) => table.name === name)) database.exec(forget);
  } finally {
    database.close();
  }
}
