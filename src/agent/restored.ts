// What an agent's database needs after it was put back from a copy, before the agent starts with it again.
import { DatabaseSync } from 'node:sqlite';

/** Where each uplink stands, by schema of the outbox, the newest first. */
const CURSORS = [
  {
    name: 'outbox_lanes',
    read: 'SELECT DISTINCT name FROM outbox_lanes',
    forget: 'DELETE FROM outbox_lanes WHERE name = ?',
  },
  {
    name: 'outbox_uplinks',
    read: 'SELECT name FROM outbox_uplinks',
    forget: 'DELETE FROM outbox_uplinks WHERE name = ?',
  },
] as const;

/**
 * A service may have been sent slices that the copy knows nothing of: numbers that it has seen must not come again with other contents. Each
 * uplink begins a new epoch with what the copy still holds, but for those `inStep`, whose services were put back to the same moment.
 */
export function beginNewEpochs(path: string, inStep: readonly string[] = []): void {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    for (const { name: cursors, read, forget } of CURSORS) {
      if (!tables.some((table) => table.name === cursors)) continue;
      const names = database
        .prepare(read)
        .all()
        .map(({ name }) => String(name));
      for (const name of names) if (!inStep.includes(name)) database.prepare(forget).run(name);
    }
  } finally {
    database.close();
  }
}
