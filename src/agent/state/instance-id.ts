// The id of this agent's database: made with it, lost with it. While it is the same, so are the keys of the miners.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Migrations } from '../../base/storage/sqlite.ts';

export const instanceIdMigrations: Migrations = {
  owner: 'instance-id',
  steps: ['CREATE TABLE instance_id (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL) STRICT'],
};

const rowSchema = z.object({ id: z.uuid() });

export function instanceIdOf(db: DatabaseSync, newId: () => string): string {
  db.prepare('INSERT OR IGNORE INTO instance_id VALUES (1, ?)').run(newId());
  return rowSchema.parse(db.prepare('SELECT id FROM instance_id').get()).id;
}
