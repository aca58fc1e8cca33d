// The averages on disk: one row number per miner, one blob per 10-minute bucket with the counts and sums of all rows.
// Damaged blobs are left out.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { type Migrations, transact } from '../../../base/storage/sqlite.ts';
import type { Cell } from './rows.ts';

export const averagesMigrations: Migrations = {
  owner: 'averages',
  steps: [
    `CREATE TABLE average_miner (
      row_number INTEGER PRIMARY KEY,
      key TEXT UNIQUE
    ) STRICT;
    CREATE TABLE average_bucket (
      bucket INTEGER PRIMARY KEY,
      entries BLOB NOT NULL
    ) STRICT;`,
  ],
};

/** `key` null = free. */
export type StoredRow = Readonly<z.output<typeof rowSchema>>;

/** All counts, one byte each, then all sums, eight bytes each, little endian. */
const BYTES_PER_CELL = 9;

export function encodeCells(cells: readonly Cell[]): Uint8Array {
  const bytes = new Uint8Array(cells.length * BYTES_PER_CELL);
  const view = new DataView(bytes.buffer);
  for (const [index, { count, sum }] of cells.entries()) {
    bytes[index] = count;
    view.setFloat64(cells.length + index * 8, sum, true);
  }
  return bytes;
}

export function decodeCells(bytes: Uint8Array): Cell[] {
  if (bytes.byteLength % BYTES_PER_CELL !== 0) return [];
  const length = bytes.byteLength / BYTES_PER_CELL;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length }, (_, index) => {
    const sum = view.getFloat64(length + index * 8, true);
    const count = bytes[index] ?? 0;
    return Number.isFinite(sum) && sum >= 0 ? { count, sum } : { count: 0, sum: 0 };
  });
}

const rowSchema = z.object({ row: z.int().min(0), key: z.string().nullable() });
const bucketSchema = z.object({ bucket: z.int(), entries: z.instanceof(Uint8Array) });

export function createAveragesStore(db: DatabaseSync) {
  const putRow = db.prepare(
    `INSERT INTO average_miner VALUES (?, ?)
     ON CONFLICT (row_number) DO UPDATE SET key = excluded.key`,
  );
  const putBucket = db.prepare(
    'INSERT INTO average_bucket VALUES (?, ?) ON CONFLICT (bucket) DO UPDATE SET entries = excluded.entries',
  );
  const dropBuckets = db.prepare('DELETE FROM average_bucket WHERE bucket < ? OR bucket > ?');
  return {
    loadRows: (): StoredRow[] =>
      db
        .prepare('SELECT row_number AS row, key FROM average_miner ORDER BY row_number')
        .all()
        .map((raw) => rowSchema.parse(raw)),
    loadBuckets(take: (bucket: number, cells: readonly Cell[]) => void): void {
      for (const raw of db.prepare('SELECT * FROM average_bucket ORDER BY bucket').iterate()) {
        const { bucket, entries } = bucketSchema.parse(raw);
        take(bucket, decodeCells(entries));
      }
    },
    /** One transaction. Buckets outside `keep` (inclusive) are deleted. */
    write: (change: {
      readonly rows: readonly StoredRow[];
      readonly buckets: ReadonlyMap<number, readonly Cell[]>;
      readonly keep: readonly [oldest: number, newest: number];
    }): void =>
      transact(db, () => {
        for (const row of change.rows) putRow.run(row.row, row.key);
        for (const [bucket, cells] of change.buckets) putBucket.run(bucket, encodeCells(cells));
        dropBuckets.run(...change.keep);
      }),
  };
}
