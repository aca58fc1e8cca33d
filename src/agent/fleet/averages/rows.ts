// Fixed-size memory for buckets: one row of typed numbers per miner, in slabs, so that a farm costs a known number of
// bytes and no garbage. Of time it knows only bucket numbers.

/** `count` values that add up to `sum`; count 0 = none. */
export type Cell = { readonly count: number; readonly sum: number };

/** Buckets that one row remembers. */
export const BUCKETS = 144;
const SLAB_ROWS = 256;

type Slab = { readonly sums: Float64Array; readonly counts: Uint8Array; readonly laps: Uint16Array };

export function createRows() {
  const slabs: Slab[] = [];

  const slabOf = (row: number): Slab => {
    const number = Math.floor(row / SLAB_ROWS);
    for (;;) {
      const slab = slabs[number];
      if (slab !== undefined) return slab;
      const cells = SLAB_ROWS * BUCKETS;
      slabs.push({ sums: new Float64Array(cells), counts: new Uint8Array(cells), laps: new Uint16Array(cells) });
    }
  };
  const cellOf = (row: number, bucket: number): number => (row % SLAB_ROWS) * BUCKETS + (bucket % BUCKETS);
  // A cell serves one bucket of each lap of the ring; the lap says of which.
  const lapOf = (bucket: number): number => Math.floor(bucket / BUCKETS) & 0xffff;

  return {
    /** Adds one value. Counts stop at 255 per bucket, then the bucket is full and further values are ignored. */
    add(row: number, bucket: number, value: number, newest: number): void {
      const { sums, counts, laps } = slabOf(row);
      const cell = cellOf(row, bucket);
      const heldAge = (lapOf(newest) - (laps[cell] ?? 0)) & 0xffff;
      const age = (lapOf(newest) - lapOf(bucket)) & 0xffff;
      const isEmpty = counts[cell] === 0;
      if (!isEmpty && heldAge === age) {
        const count = counts[cell] ?? 0;
        if (count === 255) return;
        sums[cell] = (sums[cell] ?? 0) + value;
        counts[cell] = count + 1;
        return;
      }
      // A newer bucket keeps its cell against an older one, unless it is in the future: then its clock was wrong.
      if (!isEmpty && heldAge < age) return;
      sums[cell] = value;
      counts[cell] = 1;
      laps[cell] = lapOf(bucket);
    },
    /** Count and sum of one bucket of one row; count 0 when there is nothing. */
    at(row: number, bucket: number): Cell {
      const { sums, counts, laps } = slabOf(row);
      const cell = cellOf(row, bucket);
      return laps[cell] === lapOf(bucket) ? { count: counts[cell] ?? 0, sum: sums[cell] ?? 0 } : { count: 0, sum: 0 };
    },
    set(row: number, bucket: number, { count, sum }: Cell): void {
      const { sums, counts, laps } = slabOf(row);
      const cell = cellOf(row, bucket);
      sums[cell] = sum;
      counts[cell] = count;
      laps[cell] = lapOf(bucket);
    },
    clear(row: number): void {
      const { counts } = slabOf(row);
      const start = cellOf(row, 0);
      counts.fill(0, start, start + BUCKETS);
    },
  };
}
