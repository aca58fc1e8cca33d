// The 24-hour average hashrate of miners that report none: time-weighted over 10-minute buckets, kept across restarts.
// Time without samples does not count; with less than half of the day covered there is no average.
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../../base/clock.ts';
import { BUCKETS, createRows } from './rows.ts';
import { createAveragesStore, type StoredRow } from './store.ts';

export const BUCKET_MS = 10 * 60_000;
const MIN_COVERED = BUCKETS / 2;

type Options = { readonly clock: Pick<Clock, 'elapsedMs'>; readonly maxMiners?: number };

export class Averages {
  readonly #clock: Options['clock'];
  readonly #maxMiners: number;
  readonly #store: ReturnType<typeof createAveragesStore>;
  readonly #rows = createRows();
  readonly #rowOf = new Map<string, number>();
  /** By row: newest bucket with data. Its length is the number of rows ever given out. */
  readonly #newestOf: number[] = [];
  /** Rows whose miner was silent for a day: no stored bucket has data of it. */
  readonly #free = new Set<number>();
  readonly #unsavedRows = new Map<number, StoredRow>();
  readonly #unsavedBuckets = new Set<number>();
  #open: number;
  #isDue = false;

  /**
   * Buckets are numbered by the elapsed time of `clock`, which lasts over restarts: no step of the wall clock moves
   * any.
   */
  constructor(db: DatabaseSync, { clock, maxMiners = 100_000 }: Options) {
    this.#clock = clock;
    this.#maxMiners = maxMiners;
    this.#store = createAveragesStore(db);
    this.#open = bucketOf(clock.elapsedMs());
  }

  /** Takes one sample into memory; `atMs` by `Clock.elapsedMs`. Add nothing for a miner that did not answer. */
  add(key: string, hashrateHs: number, atMs: number): void {
    if (!Number.isFinite(hashrateHs) || hashrateHs < 0) return;
    const bucket = bucketOf(atMs);
    // Samples may arrive a little out of order.
    if (bucket > this.#open) {
      this.#isDue = true;
      this.#open = bucket;
    }
    const row = this.#rowOf.get(key) ?? this.#takeRow(key);
    if (row === undefined) return;
    this.#rows.add(row, bucket, hashrateHs, this.#open);
    this.#newestOf[row] = Math.max(this.#newestOf[row] ?? 0, bucket);
    this.#unsavedBuckets.add(bucket);
  }

  /** H/s, from memory; undefined until at least half of the last 24 h is covered. */
  average24h(key: string): number | undefined {
    const row = this.#rowOf.get(key);
    if (row === undefined) return undefined;
    const newest = bucketOf(this.#clock.elapsedMs());
    let sum = 0;
    let covered = 0;
    for (let bucket = newest - BUCKETS + 1; bucket <= newest; bucket++) {
      const cell = this.#rows.at(row, bucket);
      if (cell.count === 0) continue;
      sum += cell.sum / cell.count;
      covered++;
    }
    return covered < MIN_COVERED ? undefined : sum / covered;
  }

  /** Loads what earlier runs have written. To be awaited once, before anything is added. */
  async load(): Promise<void> {
    for (const { row, key } of this.#store.loadRows()) {
      while (this.#newestOf.length <= row) this.#newestOf.push(0);
      if (key === null) this.#free.add(row);
      else this.#rowOf.set(key, row);
    }
    this.#store.loadBuckets((bucket, cells) => {
      if (!this.#isKept(bucket)) return;
      for (const [row, cell] of cells.entries()) {
        if (cell.count === 0 || row >= this.#newestOf.length || this.#free.has(row)) continue;
        this.#rows.set(row, bucket, cell);
        this.#newestOf[row] = bucket;
      }
    });
  }

  /** Writes ended buckets. To be called about every second: a kill then loses little more than the open bucket. */
  async writeDue(): Promise<void> {
    if (this.#isDue) this.#write([...this.#unsavedBuckets].filter((bucket) => bucket !== this.#open));
  }

  /** Writes what is not on disk yet, the open bucket included. For a clean stop. */
  async flush(): Promise<void> {
    this.#write([...this.#unsavedBuckets]);
  }

  #isKept(bucket: number): boolean {
    return bucket > this.#open - BUCKETS && bucket <= this.#open;
  }

  #write(buckets: readonly number[]): void {
    const kept = buckets.filter((bucket) => this.#isKept(bucket));
    if (kept.length > 0 || this.#unsavedRows.size > 0) {
      const cellsOf = (bucket: number) => this.#newestOf.map((_, row) => this.#rows.at(row, bucket));
      this.#store.write({
        rows: [...this.#unsavedRows.values()],
        buckets: new Map(kept.map((bucket) => [bucket, cellsOf(bucket)])),
        keep: [this.#open - BUCKETS + 1, this.#open],
      });
    }
    this.#isDue = false;
    this.#unsavedRows.clear();
    for (const bucket of buckets) this.#unsavedBuckets.delete(bucket);
  }

  #takeRow(key: string): number | undefined {
    if (this.#newestOf.length >= this.#maxMiners && this.#free.size === 0) this.#dropSilent();
    const [row = this.#newestOf.length] = this.#free;
    if (row >= this.#maxMiners) return undefined;
    this.#free.delete(row);
    this.#newestOf[row] = this.#open;
    this.#rows.clear(row);
    this.#rowOf.set(key, row);
    this.#unsavedRows.set(row, { row, key });
    return row;
  }

  /** Only when there is no room. */
  #dropSilent(): void {
    for (const [key, row] of this.#rowOf) {
      if ((this.#newestOf[row] ?? 0) > this.#open - BUCKETS) continue;
      this.#rowOf.delete(key);
      this.#free.add(row);
      this.#unsavedRows.set(row, { row, key: null });
    }
  }
}

const bucketOf = (atMs: number): number => Math.floor(atMs / BUCKET_MS);
