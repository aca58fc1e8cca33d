// The statements of the outbox. Each write is one transaction; bookkeeping rows carry a checksum and are rebuilt from the slices when it is wrong.
// It decides nothing about what is kept.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { transact } from '../../base/storage/sqlite.ts';
import { ROW_BYTES, type StoredSlice } from './slice.ts';

/** `deletedThrough` = every slice up to here was acknowledged by all. `aliveMs` = what was produced before this time is on disk or counted. */
export type Meta = {
  readonly nextId: number;
  readonly deletedThrough: number;
  readonly isClean: boolean;
  readonly hasSamples: boolean;
  readonly aliveMs: number;
};

/** Part of what an uplink sends: slice `id` is sequence number `id - base` of `epoch`; `acked` is an id, `through` the last one, null while open. */
export type Lane = {
  readonly name: string;
  readonly epoch: string;
  readonly base: number;
  readonly acked: number;
  readonly through: number | null;
};

const int = z.int();
const sliceRow = z
  .object({
    id: int,
    produced_ms: int,
    samples: int,
    others: int,
    gaps: int,
    declared: int.nullable(),
    first_ms: int,
    last_ms: int,
    head_crc: int,
    body_crc: int,
    body: z.instanceof(Uint8Array),
    changes: int,
  })
  .transform(
    (row): StoredSlice => ({
      id: row.id,
      producedMs: row.produced_ms,
      samples: row.samples,
      changes: row.changes,
      others: row.others,
      gaps: row.gaps,
      declared: row.declared,
      firstMs: row.first_ms,
      lastMs: row.last_ms,
      headCrc: row.head_crc,
      bodyCrc: row.body_crc,
      body: row.body,
    }),
  );
const idRow = z.object({ id: int });
const idRows = z.array(idRow);
const metaRow = z.object({
  next_id: int,
  deleted_through: int,
  is_clean: int,
  has_samples: int,
  alive_ms: int,
  crc: int,
});
const laneRow = z.object({
  name: z.string(),
  epoch: z.string(),
  base: int,
  acked: int,
  through: int.nullable(),
  crc: int,
});
const bytesRows = z.array(z.object({ bytes: int }));
const sumsRow = z.object({ slices: int, bytes: int, first: int.nullable(), last: int.nullable() });

const metaCrc = (meta: Meta) =>
  crc32([meta.nextId, meta.deletedThrough, meta.isClean, meta.hasSamples, meta.aliveMs].join(':'));
const laneCrc = ({ name, epoch, base, acked, through }: Lane) =>
  crc32([name, epoch, base, acked, ...(through === null ? [] : [through])].join(':'));

/** A row under this id, whether or not its columns make sense. */
export type FoundSlice = { readonly id: number; readonly slice: StoredSlice | undefined };

export type Store = ReturnType<typeof openStore>;

export function openStore(db: DatabaseSync) {
  const insert = db.prepare('INSERT OR REPLACE INTO outbox_slices VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const selectFrom = db.prepare('SELECT * FROM outbox_slices WHERE id > ? AND id < ? ORDER BY id LIMIT ?');
  const selectOne = db.prepare('SELECT * FROM outbox_slices WHERE id = ?');
  const oldestSamples = db.prepare('SELECT id FROM outbox_slices WHERE id >= ? AND samples > 0 ORDER BY id LIMIT ?');
  const oldestChanges = db.prepare('SELECT id FROM outbox_slices WHERE id >= ? AND changes > 0 ORDER BY id LIMIT ?');
  const sums = db.prepare(
    `SELECT count(*) AS slices, coalesce(sum(length(body) + ${ROW_BYTES}), 0) AS bytes, min(id) AS first, max(id) AS last FROM outbox_slices`,
  );
  const remove = db.prepare(
    `DELETE FROM outbox_slices WHERE id <= ? AND id IN (SELECT id FROM outbox_slices ORDER BY id LIMIT ?)
     RETURNING length(body) + ${ROW_BYTES} AS bytes`,
  );
  const upsertMeta = db.prepare('INSERT OR REPLACE INTO outbox_meta VALUES (1, ?, ?, ?, ?, ?, ?)');
  const selectMeta = db.prepare('SELECT * FROM outbox_meta');
  const upsertLane = db.prepare('INSERT OR REPLACE INTO outbox_lanes VALUES (?, ?, ?, ?, ?, ?)');
  const selectLanes = db.prepare('SELECT * FROM outbox_lanes ORDER BY name, base, acked');
  const dropLane = db.prepare('DELETE FROM outbox_lanes WHERE name = ? AND epoch = ?');

  const writeSlice = (slice: StoredSlice) => {
    const values: SQLInputValue[] = [
      slice.id,
      slice.producedMs,
      slice.samples,
      slice.others,
      slice.gaps,
      slice.declared,
      slice.firstMs,
      slice.lastMs,
      slice.headCrc,
      slice.bodyCrc,
      slice.body,
      slice.changes,
    ];
    insert.run(...values);
  };
  const writeMeta = (meta: Meta) => {
    const { nextId, deletedThrough, isClean, hasSamples, aliveMs } = meta;
    upsertMeta.run(nextId, deletedThrough, Number(isClean), Number(hasSamples), aliveMs, metaCrc(meta));
  };
  const writeLanes = (lanes: Iterable<Lane>) => {
    for (const lane of lanes) {
      upsertLane.run(lane.name, lane.epoch, lane.base, lane.acked, lane.through, laneCrc(lane));
    }
  };
  const toFound = (row: unknown): FoundSlice | undefined => {
    const slice = sliceRow.safeParse(row);
    if (slice.success) return { id: slice.data.id, slice: slice.data };
    const id = idRow.safeParse(row);
    return id.success ? { id: id.data.id, slice: undefined } : undefined;
  };

  return {
    /** New slices, bookkeeping and lanes in one transaction. */
    commit(changes: {
      readonly slices?: readonly StoredSlice[];
      readonly meta: Meta;
      readonly lanes?: Iterable<Lane>;
      readonly forget?: Iterable<Lane>;
      /** Deletes up to this many of the oldest slices that all have; gives the bytes of each that went. */
      readonly dropLimit?: number | undefined;
    }): number[] {
      return transact(db, () => {
        for (const slice of changes.slices ?? []) writeSlice(slice);
        writeMeta(changes.meta);
        for (const { name, epoch } of changes.forget ?? []) dropLane.run(name, epoch);
        writeLanes(changes.lanes ?? []);
        if (changes.dropLimit === undefined) return [];
        const gone = remove.all(changes.meta.deletedThrough, changes.dropLimit);
        return bytesRows.parse(gone).map(({ bytes }) => bytes);
      });
    },
    /** Puts slices in the place of what is (or should be) there. */
    replace(slices: readonly StoredSlice[]): void {
      transact(db, () => {
        for (const slice of slices) writeSlice(slice);
      });
    },
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
      const row = metaRow.safeParse(found);
      if (!row.success) return 'damaged';
      const meta: Meta = {
        nextId: row.data.next_id,
        deletedThrough: row.data.deleted_through,
        isClean: row.data.is_clean === 1,
        hasSamples: row.data.has_samples === 1,
        aliveMs: row.data.alive_ms,
      };
      return metaCrc(meta) === row.data.crc ? meta : 'damaged';
    },
    /** Lanes whose checksum holds, oldest first. */
    lanes: (): Lane[] =>
      selectLanes.all().flatMap((found) => {
        const row = laneRow.safeParse(found);
        if (!row.success) return [];
        const { crc, ...lane } = row.data;
        return laneCrc(lane) === crc ? [lane] : [];
      }),
  };
}
