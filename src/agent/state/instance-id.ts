// The name of this agent's memory of miners: made with its database, lost with it. While it is the same, so are the keys of the miners.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Migrations } from '../../base/storage/sqlite.ts';

export const instanceIdMigrations: Migrations = {
  owner: 'home',
  steps: ['CREATE TABLE home (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL) STRICT'],
};

const rowSchema = z.object({ id: z.uuid() });

export function instanceIdOf(db: DatabaseSync, newId: () => string): string {
  db.prepare('INSERT OR IGNORE INTO home VALUES (1, ?)').run(newId());
  return rowSchema.parse(db.prepare('SELECT id FROM home').get()).id;
}
