// Looks into the database of a rig beside the running service, and sets what has no door yet.
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Rig } from './rig.ts';

/** Rows of a statement, on a connection of its own. */
export function query(
  rig: Pick<Rig, 'databasePath'>,
  text: string,
  ...values: SQLInputValue[]
): Record<string, unknown>[] {
  const db = new DatabaseSync(rig.databasePath);
  try {
    db.exec('PRAGMA busy_timeout = 5000');
    return db
      .prepare(text)
      .all(...values)
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}
