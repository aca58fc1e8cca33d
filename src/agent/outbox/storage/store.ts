// The tables of the outbox and their statements. Each write is one transaction; bookkeeping rows carry a checksum and
// are rebuilt from the slices when it is wrong. What is kept is decided elsewhere.
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { type Migrations, transact } from '../../../base/storage/sqlite.ts';
import { ROW_BYTES, type StoredSlice, storedSliceSchema } from './slice.ts';

/** One row per slice, one per epoch of an uplink, one of bookkeeping. An index would be one more page per slice. */
export const outboxMigrations: Migrations = {
  owner: 'outbox',
  steps: [
    `CREATE TABLE outbox_slices (
       id INTEGER PRIMARY KEY,
       produced_ms INTEGER NOT NULL,
       samples INTEGER NOT NULL,
       others INTEGER NOT NULL,
       gaps INTEGER NOT NULL,
       declared INTEGER,
       first_ms INTEGER NOT NULL,
       last_ms INTEGER NOT NULL,
       head_crc INTEGER NOT NULL,
       body_crc INTEGER NOT NULL,
       body BLOB NOT NULL,
       changes INTEGER NOT NULL
     ) STRICT;
     CREATE TABLE outbox_meta (
       one INTEGER PRIMARY KEY CHECK (one = 1),
       next_id INTEGER NOT NULL,
       deleted_through INTEGER NOT NULL,
       is_clean INTEGER NOT NULL,
       has_samples INTEGER NOT NULL,
       alive_ms INTEGER NOT NULL,
       outbox TEXT NOT NULL,
       crc INTEGER NOT NULL
     ) STRICT;
     CREATE TABLE outbox_epochs (
       name TEXT NOT NULL,
       epoch TEXT NOT NULL,
       base INTEGER NOT NULL,
       acked INTEGER NOT NULL,
       through INTEGER,
       crc INTEGER NOT NULL,
       PRIMARY KEY (name, epoch)
     ) STRICT;`,
  ],
};
const SLICE_COLUMNS = `id, produced_ms AS producedMs, samples, changes, others, gaps, declared, first_ms AS firstMs, last_ms AS lastMs,
  head_crc AS headCrc, body_crc AS bodyCrc, body`;

const int = z.int();
const flag = z.literal([0, 1]).transform((value) => value === 1);
const metaSchema = z.object({
  nextId: int,
  /** Every slice up to here was acknowledged by all. */
  deletedThrough: int,
  isClean: flag,
  hasSamples: flag,
  /** What was produced before this time is on disk or counted. */
  aliveMs: int,
  /** Names what ids of slices count in: an outbox whose ids may come again with other contents has another one. */
  outbox: z.string().min(1),
  crc: int,
});
export type Meta = Readonly<Omit<z.output<typeof metaSchema>, 'crc'>>;

/** Slice `id` has sequence number `id - base` in `epoch`; `acked` is an id, `through` the last one, null while open. */
const cursorSchema = z.object({
  name: z.string(),
  epoch: z.string(),
  base: int,
  acked: int,
  through: int.nullable(),
  crc: int,
});
export type EpochCursor = Readonly<Omit<z.output<typeof cursorSchema>, 'crc'>>;

const idRow = z.object({ id: int });
const idRows = z.array(idRow);
const bytesRows = z.array(z.object({ bytes: int }));
const sumsRow = z.object({ slices: int, bytes: int, first: int.nullable(), last: int.nullable() });

const metaCrc = (meta: Meta) =>
  crc32([meta.nextId, meta.deletedThrough, meta.isClean, meta.hasSamples, meta.aliveMs, meta.outbox].join(':'));
const cursorCrc = ({ name, epoch, base, acked, through }: EpochCursor) =>
  crc32([name, epoch, base, acked, ...(through === null ? [] : [through])].join(':'));

/** A row under this id, whether or not its columns make sense. */
type FoundSlice = { readonly id: number; readonly slice: StoredSlice | undefined };

export type Store = ReturnType<typeof openStore>;

export function openStore(db: DatabaseSync) {
  const insert = db.prepare(
    `INSERT OR REPLACE INTO outbox_slices VALUES (:id, :producedMs, :samples, :others, :gaps, :declared, :firstMs, :lastMs, :headCrc, :bodyCrc,
       :body, :changes)`,
  );
  const selectFrom = db.prepare(
    `SELECT ${SLICE_COLUMNS} FROM outbox_slices WHERE id > ? AND id < ? ORDER BY id LIMIT ?`,
  );
  const selectOne = db.prepare(`SELECT ${SLICE_COLUMNS} FROM outbox_slices WHERE id = ?`);
  const oldestSamples = db.prepare('SELECT id FROM outbox_slices WHERE id >= ? AND samples > 0 ORDER BY id LIMIT ?');
  const oldestChanges = db.prepare('SELECT id FROM outbox_slices WHERE id >= ? AND changes > 0 ORDER BY id LIMIT ?');
  const sums = db.prepare(
    `SELECT count(*) AS slices, coalesce(sum(length(body) + ${ROW_BYTES}), 0) AS bytes, min(id) AS first, max(id) AS last FROM outbox_slices`,
  );
  const remove = db.prepare(
    `DELETE FROM outbox_slices WHERE id <= ? AND id IN (SELECT id FROM outbox_slices ORDER BY id LIMIT ?)
     RETURNING length(body) + ${ROW_BYTES} AS bytes`,
  );
  const upsertMeta = db.prepare('INSERT OR REPLACE INTO outbox_meta VALUES (1, ?, ?, ?, ?, ?, ?, ?)');
  const selectMeta = db.prepare(
    `SELECT next_id AS nextId, deleted_through AS deletedThrough, is_clean AS isClean, has_samples AS hasSamples, alive_ms AS aliveMs, outbox,
       crc
       FROM outbox_meta`,
  );
  const upsertEpoch = db.prepare('INSERT OR REPLACE INTO outbox_epochs VALUES (?, ?, ?, ?, ?, ?)');
  const selectEpochs = db.prepare('SELECT * FROM outbox_epochs ORDER BY name, base, acked');
  const dropEpoch = db.prepare('DELETE FROM outbox_epochs WHERE name = ? AND epoch = ?');

  const writeSlices = (slices: readonly StoredSlice[]) => {
    for (const slice of slices) insert.run(slice);
  };
  const toFound = (row: unknown): FoundSlice | undefined => {
    const slice = storedSliceSchema.safeParse(row);
    if (slice.success) return { id: slice.data.id, slice: slice.data };
    const id = idRow.safeParse(row);
    return id.success ? { id: id.data.id, slice: undefined } : undefined;
  };

  return {
    /** New slices, bookkeeping and epochs in one transaction. */
    commit(changes: {
      readonly slices?: readonly StoredSlice[];
      readonly meta: Meta;
      readonly epochs?: Iterable<EpochCursor>;
      readonly forget?: Iterable<EpochCursor>;
      /** Deletes up to this many of the oldest slices that all have; gives the bytes of each that went. */
      readonly dropLimit?: number | undefined;
    }): number[] {
      return transact(db, () => {
        writeSlices(changes.slices ?? []);
        const { nextId, deletedThrough, isClean, hasSamples, aliveMs, outbox } = changes.meta;
        const crc = metaCrc(changes.meta);
        upsertMeta.run(nextId, deletedThrough, Number(isClean), Number(hasSamples), aliveMs, outbox, crc);
        for (const { name, epoch } of changes.forget ?? []) dropEpoch.run(name, epoch);
        for (const cursor of changes.epochs ?? []) {
          upsertEpoch.run(cursor.name, cursor.epoch, cursor.base, cursor.acked, cursor.through, cursorCrc(cursor));
        }
        if (changes.dropLimit === undefined) return [];
        const gone = remove.all(deletedThrough, changes.dropLimit);
        return bytesRows.parse(gone).map(({ bytes }) => bytes);
      });
    },
    /** Puts slices in the place of what is (or should be) there. */
    replace: (slices: readonly StoredSlice[]): void => transact(db, () => writeSlices(slices)),
    /** Rows with afterId < id < beforeId, in order. */
    read: (afterId: number, beforeId: number, limit: number): FoundSlice[] =>
      selectFrom.all(afterId, beforeId, limit).flatMap((row) => toFound(row) ?? []),
    get: (id: number): FoundSlice | undefined => toFound(selectOne.get(id)),
    /** Reads every row from `fromId` on until it has found enough. */
    oldestWithSamples: (fromId: number, limit: number): number[] =>
      idRows.parse(oldestSamples.all(fromId, limit)).map(({ id }) => id),
    oldestWithChanges: (fromId: number, limit: number): number[] =>
      idRows.parse(oldestChanges.all(fromId, limit)).map(({ id }) => id),
    sums: () => sumsRow.parse(sums.get()),
    /** Undefined in a new database. */
    meta(): Meta | 'damaged' | undefined {
      const found = selectMeta.get();
      if (found === undefined) return undefined;
      const row = metaSchema.safeParse(found);
      return row.success && metaCrc(row.data) === row.data.crc ? row.data : 'damaged';
    },
    /** Epochs whose checksum holds, oldest first. */
    epochs: (): EpochCursor[] =>
      selectEpochs.all().flatMap((found) => {
        const row = cursorSchema.safeParse(found);
        if (!row.success) return [];
        const { crc, ...cursor } = row.data;
        return cursorCrc(cursor) === crc ? [cursor] : [];
      }),
  };
}
