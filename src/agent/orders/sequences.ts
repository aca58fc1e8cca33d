// The sequence number of the last order admitted of each service, on disk.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Migrations } from '../../base/storage/sqlite.ts';

export const ordersMigrations: Migrations = {
  owner: 'orders',
  steps: [
    `CREATE TABLE orders_admitted (uplink TEXT NOT NULL, agent_id TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (uplink, agent_id))
     STRICT, WITHOUT ROWID`,
  ],
};

const rowSchema = z.object({ seq: z.int() });

export function openSequences(db: DatabaseSync, uplink: string, agentId: string) {
  const select = db.prepare('SELECT seq FROM orders_admitted WHERE uplink = ? AND agent_id = ?');
  const upsert = db.prepare(
    'INSERT INTO orders_admitted VALUES (?, ?, ?) ON CONFLICT (uplink, agent_id) DO UPDATE SET seq = excluded.seq',
  );
  return {
    /** 0 = none. */
    read: () => rowSchema.safeParse(select.get(uplink, agentId)).data?.seq ?? 0,
    write: (seq: number) => void upsert.run(uplink, agentId, seq),
  };
}
