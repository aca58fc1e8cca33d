// Reading slices in order without ever handing out a damaged one: what fails its checksum, or is not there, is replaced by a declared gap first.
import { damagedSlice, isSound, type StoredSlice } from './slice.ts';
import type { Store } from './store.ts';

export type ReadRange = {
  readonly afterId: number;
  readonly nextId: number;
  readonly maxSlices: number;
  readonly maxBytes: number;
  readonly nowMs: number;
};

/**
 * Slices afterId + 1, afterId + 2, … without holes, at least one if there is one. `repaired` lists ids that were replaced; when they cannot be
 * replaced on disk (`failure`), reading ends before the first of them.
 */
export function readSlices(
  store: Store,
  { afterId, nextId, maxSlices, maxBytes, nowMs }: ReadRange,
): { slices: StoredSlice[]; repaired: number[]; failure?: unknown } {
  const found = new Map(store.read(afterId, nextId, maxSlices).map((row) => [row.id, row.slice]));
  const lastId = Math.min(nextId - 1, afterId + maxSlices);
  const slices: StoredSlice[] = [];
  const repaired: number[] = [];
  let bytes = 0;
  for (let id = afterId + 1; id <= lastId; id++) {
    const row = found.get(id);
    const slice = row !== undefined && isSound(row) ? row : replacement(id, row, found, nowMs);
    bytes += slice.body.length;
    if (slices.length > 0 && bytes > maxBytes) break;
    slices.push(slice);
    if (slice !== row) repaired.push(id);
  }
  if (repaired.length > 0) {
    const isRepaired = new Set(repaired);
    try {
      store.replace(slices.filter(({ id }) => isRepaired.has(id)));
    } catch (failure) {
      const firstBad = slices.findIndex(({ id }) => isRepaired.has(id));
      return { slices: slices.slice(0, firstBad), repaired: [], failure };
    }
  }
  return { slices, repaired };
}

/** A gap that spans from the nearest sound slice before to the nearest one after, as far as this reading sees them. */
function replacement(
  id: number,
  row: StoredSlice | undefined,
  found: ReadonlyMap<number, StoredSlice | undefined>,
  nowMs: number,
): StoredSlice {
  const sound = [...found.values()].flatMap((slice) => (slice !== undefined && isSound(slice) ? [slice] : []));
  const before = sound.findLast((slice) => slice.id < id);
  const after = sound.find((slice) => slice.id > id);
  const toMs = after?.producedMs ?? nowMs;
  return damagedSlice(id, row, { fromMs: before?.producedMs ?? toMs, toMs });
}
