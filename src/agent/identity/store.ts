// The rows behind the identity book. It writes what it is told and decides nothing.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { type Migrations, transact } from '../../base/storage/sqlite.ts';
import type { MinerEntry } from './record.ts';

export const identityMigrations: Migrations = {
  owner: 'identity',
  steps: [
    `CREATE TABLE identity_miner (
      key TEXT PRIMARY KEY,
      ip TEXT,
      last_ip TEXT NOT NULL,
      mac TEXT,
      mac_state TEXT NOT NULL,
      serial_number TEXT,
      serial_state TEXT NOT NULL,
      driver_id TEXT NOT NULL,
      generation TEXT,
      make TEXT,
      model TEXT,
      firmware_version TEXT,
      first_seen_ms INTEGER NOT NULL,
      last_seen_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX identity_miner_ip ON identity_miner (ip) WHERE ip IS NOT NULL;`,
    `ALTER TABLE identity_miner ADD COLUMN mac_source TEXT;
    UPDATE identity_miner SET mac_source = 'device' WHERE mac IS NOT NULL;`,
  ],
};

const ownFactState = z.enum(['ok', 'empty', 'invalid']);
const rowSchema = z.object({
  key: z.string(),
  ip: z.string().nullable(),
  last_ip: z.string(),
  mac: z.string().nullable(),
  mac_state: ownFactState,
  serial_number: z.string().nullable(),
  serial_state: ownFactState,
  driver_id: z.string(),
  generation: z.string().nullable(),
  make: z.string().nullable(),
  model: z.string().nullable(),
  firmware_version: z.string().nullable(),
  first_seen_ms: z.number(),
  last_seen_ms: z.number(),
  mac_source: z.enum(['device', 'neighbour']).nullable(),
});

export type IdentityStore = {
  load(): MinerEntry[];
  /** One transaction; removals first, then entries in the given order (an address is given up before it is taken). */
  write(change: { remove?: readonly string[]; put?: readonly MinerEntry[] }): void;
  /** One transaction. */
  writeLastSeen(entries: readonly MinerEntry[]): void;
};

export function createIdentityStore(db: DatabaseSync): IdentityStore {
  const select = db.prepare('SELECT * FROM identity_miner');
  const put = db.prepare(
    `INSERT INTO identity_miner VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET ip = excluded.ip, last_ip = excluded.last_ip, mac = excluded.mac, mac_state = excluded.mac_state,
       serial_number = excluded.serial_number, serial_state = excluded.serial_state, driver_id = excluded.driver_id,
       generation = excluded.generation, make = excluded.make, model = excluded.model, firmware_version = excluded.firmware_version,
       last_seen_ms = excluded.last_seen_ms, mac_source = excluded.mac_source`,
  );
  const remove = db.prepare('DELETE FROM identity_miner WHERE key = ?');
  const seen = db.prepare('UPDATE identity_miner SET last_seen_ms = ? WHERE key = ?');
  return {
    load: () =>
      select.all().map((raw) => {
        const row = rowSchema.parse(raw);
        return {
          key: row.key,
          ip: row.ip,
          lastIp: row.last_ip,
          mac: row.mac,
          macSource: row.mac_source,
          macState: row.mac_state,
          serialNumber: row.serial_number,
          serialState: row.serial_state,
          driverId: row.driver_id,
          generation: row.generation,
          make: row.make,
          model: row.model,
          firmwareVersion: row.firmware_version,
          firstSeenMs: row.first_seen_ms,
          lastSeenMs: row.last_seen_ms,
        };
      }),
    write: (change) =>
      transact(db, () => {
        for (const key of change.remove ?? []) remove.run(key);
        for (const entry of change.put ?? []) {
          put.run(
            entry.key,
            entry.ip,
            entry.lastIp,
            entry.mac,
            entry.macState,
            entry.serialNumber,
            entry.serialState,
            entry.driverId,
            entry.generation,
            entry.make,
            entry.model,
            entry.firmwareVersion,
            entry.firstSeenMs,
            entry.lastSeenMs,
            entry.macSource,
          );
        }
      }),
    writeLastSeen: (entries) =>
      transact(db, () => {
        for (const entry of entries) seen.run(entry.lastSeenMs, entry.key);
      }),
  };
}
