// The SQLite rows of the miner registry. It decides nothing.
import type { DatabaseSync } from 'node:sqlite';
import { type Migrations, transact } from '../../../../base/storage/sqlite.ts';
import { type MinerEntry, minerEntrySchema, type Rejection, rejectionSchema } from '../record.ts';

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
      last_seen_ms INTEGER NOT NULL,
      mac_source TEXT,
      net_mac TEXT,
      board_serials TEXT,
      claims_key TEXT,
      claimed_facts TEXT NOT NULL,
      claim_state TEXT,
      claimed_since_ms INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX identity_miner_ip ON identity_miner (ip) WHERE ip IS NOT NULL;`,
    `CREATE TABLE identity_rejection (
      key TEXT NOT NULL,
      ip TEXT NOT NULL,
      net_mac TEXT,
      at_ms INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX identity_rejection_key ON identity_rejection (key);`,
  ],
};

export type StoreChange = {
  readonly remove?: readonly string[];
  readonly put?: readonly MinerEntry[];
  readonly rejections?: ReadonlyMap<string, readonly Rejection[]>;
};

const FIELDS = minerEntrySchema.keyof().options;
const columnOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const COLUMNS = FIELDS.map(columnOf).join(', ');
const VALUES = FIELDS.map((field) => `:${field}`).join(', ');
const AS_FIELDS = FIELDS.map((field) => `${columnOf(field)} AS ${field}`).join(', ');
const CHANGES = FIELDS.filter((field) => field !== 'key')
  .map((field) => `${columnOf(field)} = excluded.${columnOf(field)}`)
  .join(', ');

export function createIdentityStore(db: DatabaseSync) {
  const select = db.prepare(`SELECT ${AS_FIELDS} FROM identity_miner`);
  const put = db.prepare(
    `INSERT INTO identity_miner (${COLUMNS}) VALUES (${VALUES}) ON CONFLICT (key) DO UPDATE SET ${CHANGES}`,
  );
  const remove = db.prepare('DELETE FROM identity_miner WHERE key = ?');
  const seen = db.prepare('UPDATE identity_miner SET last_seen_ms = ? WHERE key = ?');
  const rejections = db.prepare('SELECT key, ip, net_mac AS netMac, at_ms AS atMs FROM identity_rejection');
  const forget = db.prepare('DELETE FROM identity_rejection WHERE key = ?');
  const reject = db.prepare(
    'INSERT INTO identity_rejection (key, ip, net_mac, at_ms) VALUES (:key, :ip, :netMac, :atMs)',
  );
  return {
    load: (): MinerEntry[] => select.all().map((row) => minerEntrySchema.parse(row)),
    loadRejections: (): Rejection[] => rejections.all().map((row) => rejectionSchema.parse(row)),
    /**
     * One transaction; removals first, then entries in the given order: an address is released before it is taken.
     * `rejections` replace all rejections of these miners. Those of a removed miner are removed too.
     */
    write: (change: StoreChange): void =>
      transact(db, () => {
        for (const key of change.remove ?? []) {
          remove.run(key);
          forget.run(key);
        }
        for (const entry of change.put ?? []) put.run(entry);
        for (const [key, all] of change.rejections ?? []) {
          forget.run(key);
          for (const rejection of all) reject.run(rejection);
        }
      }),
    /** One transaction. */
    writeLastSeen: (entries: readonly MinerEntry[]): void =>
      transact(db, () => {
        for (const entry of entries) seen.run(entry.lastSeenMs, entry.key);
      }),
  };
}
