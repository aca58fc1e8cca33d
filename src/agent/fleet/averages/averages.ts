// The 24-hour average hashrate of miners that report none: time-weighted over 10-minute buckets, kept across restarts. Time without samples does
// not count, neither as zero nor as anything else; with less than half of the day covered there is no average.
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../../base/clock.ts';
import { BUCKETS, createRows } from './rows.ts';
import { createAveragesStore, type StoredRow } from './store.ts';

export const BUCKET_MS = 10 * 60_000;
const MIN_COVERED = BUCKETS / 2;

export type Averages = {
  /** Takes one sample into memory; `atMs` by `Clock.elapsedMs`. A miner that answered with 0 counts as 0; one that did not answer is not added. */
  add(key: string, hashrateHs: number, atMs: number): void;
  /** From memory. H/s, undefined until at least half of the last 24 h is covered. */
  average24h(key: string): number | undefined;
  /** What earlier runs have written. To be awaited once, before anything is added. */
  load(): Promise<void>;
  /** Writes buckets that have ended. To be called every second or so; a kill then loses little more than the open bucket. */
  writeDue(): Promise<void>;
  /** Writes what is not on disk yet, the open bucket included. For a clean stop. */
  flush(): Promise<void>;
};

/** The elapsed time of `clock` lasts over restarts: buckets are numbered by it, so that no step of the wall clock moves or empties any. */
export function createAverages(
  db: DatabaseSync,
  { clock, maxMiners = 100_000 }: { readonly clock: Pick<Clock, 'elapsedMs'>; readonly maxMiners?: number },
): Averages {
  const store = createAveragesStore(db);
  const rows = createRows();
  const rowOf = new Map<string, number>();
  /** By row: newest bucket with data. Its length is the number of rows ever given out. */
  const newestOf: number[] = [];
  /** Rows whose miner was silent for a day: nothing of it is left in any stored bucket. */
  const free = new Set<number>();
  const unsavedRows = new Map<number, StoredRow>();
  const unsavedBuckets = new Set<number>();
  let open = bucketOf(clock.elapsedMs());
  let isDue = false;

  const write = (buckets: readonly number[]) => {
    const kept = buckets.filter((bucket) => bucket > open - BUCKETS && bucket <= open);
    if (kept.length > 0 || unsavedRows.size > 0) {
      store.write({
        rows: [...unsavedRows.values()],
        buckets: new Map(kept.map((bucket) => [bucket, newestOf.map((_, row) => rows.at(row, bucket))])),
        keep: [open - BUCKETS + 1, open],
      });
    }
    isDue = false;
    unsavedRows.clear();
    for (const bucket of buckets) unsavedBuckets.delete(bucket);
  };

  /** Only when there is no room. */
  const dropSilent = () => {
    for (const [key, row] of rowOf) {
      if ((newestOf[row] ?? 0) > open - BUCKETS) continue;
      rowOf.delete(key);
      free.add(row);
      unsavedRows.set(row, { row, key: null });
    }
  };

  const takeRow = (key: string): number | undefined => {
    if (newestOf.length >= maxMiners && free.size === 0) dropSilent();
    const [row = newestOf.length] = free;
    if (row >= maxMiners) return undefined;
    free.delete(row);
    newestOf[row] = open;
    rows.clear(row);
    rowOf.set(key, row);
    unsavedRows.set(row, { row, key });
    return row;
  };

  return {
    add(key, hashrateHs, atMs) {
      if (!Number.isFinite(hashrateHs) || hashrateHs < 0) return;
      const bucket = bucketOf(atMs);
      // Samples may arrive a little out of order.
      if (bucket > open) {
        isDue = true;
        open = bucket;
      }
      const row = rowOf.get(key) ?? takeRow(key);
      if (row === undefined) return;
      rows.add(row, bucket, hashrateHs, open);
      newestOf[row] = Math.max(newestOf[row] ?? 0, bucket);
      unsavedBuckets.add(bucket);
    },
    average24h(key) {
      const row = rowOf.get(key);
      if (row === undefined) return undefined;
      const newest = bucketOf(clock.elapsedMs());
      let sum = 0;
      let covered = 0;
      for (let bucket = newest - BUCKETS + 1; bucket <= newest; bucket++) {
        const cell = rows.at(row, bucket);
        if (cell.count === 0) continue;
        sum += cell.sum / cell.count;
        covered++;
      }
      return covered < MIN_COVERED ? undefined : sum / covered;
    },
    async load() {
      for (const { row, key } of store.loadRows()) {
        while (newestOf.length <= row) newestOf.push(0);
        if (key === null) free.add(row);
        else rowOf.set(key, row);
      }
      store.loadBuckets((bucket, cells) => {
        if (bucket <= open - BUCKETS || bucket > open) return;
        for (const [row, cell] of cells.entries()) {
          if (cell.count === 0 || row >= newestOf.length || free.has(row)) continue;
          rows.set(row, bucket, cell);
          newestOf[row] = bucket;
        }
      });
    },
    async writeDue() {
      if (isDue) write([...unsavedBuckets].filter((bucket) => bucket !== open));
    },
    flush: async () => write([...unsavedBuckets]),
  };
}

function bucketOf(atMs: number): number {
  return Math.floor(atMs / BUCKET_MS);
}
