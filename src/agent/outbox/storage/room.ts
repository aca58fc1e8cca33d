// Makes room on disk: slices that all uplinks have are deleted, then gaps that count them replace the oldest samples,
// samples that show a change of state last. Tasks, events and gaps stay.
import { type Clock, yieldToEventLoop } from '../../../base/clock.ts';
import type { Bookkeeping } from './bookkeeping.ts';
import { damagedSlice, isSound, ROW_BYTES, type StoredSlice, withoutSamples } from './slice.ts';
import type { Meta, Store } from './store.ts';

/** Most slices deleted in one transaction. */
const DELETE_BATCH = 256;
/** Most slices replaced in one transaction. */
const REPLACE_BATCH = 16;

export type SliceRoom = ReturnType<typeof createRoom>;

/** `allowed`: bytes that slices may take, given what they take now. */
export function createRoom(
  store: Store,
  bookkeeping: Bookkeeping,
  clock: Pick<Clock, 'nowMs'>,
  allowed: (bytes: number) => number,
) {
  let { bytes, slices } = store.sums();
  let isFull = false;
  let dropped: Given = { samples: 0, changes: 0 };
  /** Slices below these ids are known to hold none, for what gave way never comes back. */
  let givenBelow: Given = { samples: 0, changes: 0 };
  /** Up to which slice rows are known to be deleted. */
  let clearedThrough = -1;

  /** Stores the bookkeeping, and the slice if there is one, and deletes some slices that all uplinks have. */
  const commit = (meta: Partial<Meta> = {}, slice?: StoredSlice) => {
    const added = slice === undefined ? [] : [slice];
    const deleted = bookkeeping.commit({ meta, slices: added, dropLimit: DELETE_BATCH });
    for (const { body } of added) bytes += body.length + ROW_BYTES;
    for (const gone of deleted) bytes -= gone;
    slices += added.length - deleted.length;
    if (deleted.length < DELETE_BATCH) clearedThrough = bookkeeping.meta.deletedThrough;
  };

  return {
    commit,
    /** Whether slices take more than they may. If not, new samples are kept again. */
    isOver(): boolean {
      const isOver = bytes > allowed(bytes);
      if (!isOver) isFull = false;
      return isOver;
    },
    async deleteAcknowledged(): Promise<void> {
      while (bookkeeping.isDirty || clearedThrough !== bookkeeping.meta.deletedThrough) {
        commit();
        await yieldToEventLoop();
      }
    },
    async shrink(): Promise<void> {
      isFull = false;
      for (let limit = allowed(bytes); bytes > limit && !isFull; limit = allowed(bytes)) {
        const step = shrinkOnce(store, givenBelow, { bytes, maxBytes: limit, nowMs: clock.nowMs() });
        givenBelow = step.givenBelow;
        bytes -= step.freed;
        dropped = add(dropped, step.dropped);
        isFull = step.isExhausted && bytes > limit;
        await yieldToEventLoop();
      }
    },
    /** Slices were replaced by others of another size. */
    recount(): void {
      ({ bytes, slices } = store.sums());
    },
    bytes: () => bytes,
    slices: () => slices,
    /** Nothing is left that could give way: new samples are counted, not kept. */
    isFull: () => isFull,
    /** What gave way since the start: all samples, and those that showed a change. */
    dropped: () => dropped,
  };
}

type Given = { readonly samples: number; readonly changes: number };

const add = (a: Given, b: Given): Given => ({ samples: a.samples + b.samples, changes: a.changes + b.changes });

/**
 * One step towards `maxBytes`, in one transaction: replaces some of the oldest slices that hold samples. `freed` in
 * bytes; `isExhausted` = none is left to replace. Throws what the database throws; then nothing has changed.
 */
function shrinkOnce(
  store: Store,
  givenBelow: Given,
  { bytes, maxBytes, nowMs }: { readonly bytes: number; readonly maxBytes: number; readonly nowMs: number },
) {
  const plain = store.oldestWithSamples(givenBelow.samples, REPLACE_BATCH);
  const keepChanges = plain.length > 0;
  const ids = keepChanges ? plain : store.oldestWithChanges(givenBelow.changes, REPLACE_BATCH);
  const smaller: StoredSlice[] = [];
  let freed = 0;
  let dropped: Given = { samples: 0, changes: 0 };
  for (const id of ids) {
    if (bytes - freed <= maxBytes) break;
    const found = store.get(id)?.slice;
    const sound = found !== undefined && isSound(found) ? found : undefined;
    const replacement =
      (sound && withoutSamples(sound, { keepChanges })) ?? damagedSlice(id, found, { fromMs: nowMs, toMs: nowMs });
    smaller.push(replacement);
    freed += (found?.body.length ?? 0) - replacement.body.length;
    dropped = add(dropped, {
      samples: (found?.samples ?? 0) + (found?.changes ?? 0) - replacement.changes,
      changes: (found?.changes ?? 0) - replacement.changes,
    });
  }
  const last = smaller.at(-1);
  if (last !== undefined) store.replace(smaller);
  return {
    freed,
    dropped,
    givenBelow: last === undefined ? givenBelow : { ...givenBelow, [keepChanges ? 'samples' : 'changes']: last.id + 1 },
    isExhausted: !keepChanges && ids.length === smaller.length && ids.length < REPLACE_BATCH,
  };
}
