// Keeping the outbox inside its bytes: the oldest samples give way to gaps that count them, then those that show a change; tasks, events and
// gaps stay.
import { damagedSlice, isSound, ROW_BYTES, type StoredSlice, withoutSamples } from './slice.ts';
import type { Store } from './store.ts';

/** Most slices replaced in one transaction. */
const BATCH = 16;

/** Slices below these ids are known to hold none: what has given way never comes back. */
export type Given = { samples: number; changes: number };

/**
 * One step towards `maxBytes`, in one transaction: replaces some of the oldest slices that hold samples. Says by how many bytes the outbox
 * shrank, how many samples gave way, how many of them showed a change, and whether none is left to replace. `given` is kept by the caller between steps.
 * Throws what the database throws; then nothing has changed.
 */
export function shrinkOnce(
  store: Store,
  { bytes, maxBytes, nowMs, given }: { bytes: number; maxBytes: number; nowMs: number; given: Given },
): { freed: number; samples: number; changes: number; isExhausted: boolean } {
  const plain = store.oldestWithSamples(given.samples, BATCH);
  const keepChanges = plain.length > 0;
  const ids = keepChanges ? plain : store.oldestWithChanges(given.changes, BATCH);
  const smaller: StoredSlice[] = [];
  let freed = 0;
  let samples = 0;
  let changes = 0;
  for (const id of ids) {
    if (bytes - freed <= maxBytes) break;
    const found = store.get(id)?.slice;
    const sound = found !== undefined && isSound(found) ? found : undefined;
    const replacement =
      (sound === undefined ? undefined : withoutSamples(sound, { keepChanges })) ??
      damagedSlice(id, found, { fromMs: nowMs, toMs: nowMs });
    smaller.push(replacement);
    freed += (found?.body.length ?? 0) + ROW_BYTES - (replacement.body.length + ROW_BYTES);
    samples += (found?.samples ?? 0) + (found?.changes ?? 0) - replacement.changes;
    changes += (found?.changes ?? 0) - replacement.changes;
  }
  const last = smaller.at(-1);
  if (last !== undefined) {
    store.replace(smaller);
    given[keepChanges ? 'samples' : 'changes'] = last.id + 1;
  }
  const isExhausted = !keepChanges && ids.length === smaller.length && ids.length < BATCH;
  return { freed, samples, changes, isExhausted };
}
