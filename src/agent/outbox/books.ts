// The bookkeeping of the outbox: next number, epochs of the uplinks, how the last run ended. Acknowledgements are kept in memory and written
// with the next commit: after a crash they are merely older, and the peer says at once what it has.

import type { StoredSlice } from './slice.ts';
import type { EpochCursor, Meta, Store } from './store.ts';

export type Books = ReturnType<typeof openBooks>;

export function openBooks(store: Store, { nowMs, newEpoch }: { nowMs: number; newEpoch: () => string }) {
  const stored = store.epochs();
  const before = readMeta(store, stored, nowMs, newEpoch);
  const { epochsOf, made } = groupByUplink(stored, before.deletedThrough, newEpoch);
  const hasCrashed = !before.isClean && before.hasSamples;
  // Until the gap of a crash is on disk its start must not move: the process may be killed again first.
  let meta: Meta = { ...before, isClean: false, aliveMs: hasCrashed ? before.aliveMs : nowMs };
  /** Epochs whose row differs from what is known here, by epoch. */
  const moved = new Set<string>(made);
  const gone = new Map<string, EpochCursor>();
  const all = () => [...epochsOf.values()].flat();

  const deletedThrough = () => {
    const acked = all().map((cursor) => cursor.acked);
    return acked.length === 0 ? meta.deletedThrough : Math.max(meta.deletedThrough, Math.min(...acked));
  };

  /**
   * One transaction: slices, bookkeeping and every epoch that moved. Deletes up to `dropLimit` of the slices that all uplinks have; gives the bytes
   * of each that went.
   */
  const commit = (changes: {
    readonly meta: Meta;
    readonly slices?: readonly StoredSlice[];
    readonly dropLimit?: number;
  }): number[] => {
    const next = { ...changes.meta, deletedThrough: deletedThrough() };
    const epochs = all().filter(({ epoch }) => moved.has(epoch));
    const dropped = store.commit({ ...changes, meta: next, epochs, forget: gone.values() });
    meta = next;
    moved.clear();
    gone.clear();
    return dropped;
  };

  const keep = (name: string, [first, ...rest]: readonly EpochCursor[]) => {
    if (first !== undefined) epochsOf.set(name, [first, ...rest]);
  };

  /** Replaces the epochs of an uplink and stores that; nothing has changed when it throws. */
  const put = (name: string, epochs: readonly EpochCursor[]) => {
    const previous = epochsOf.get(name);
    const dropped = (previous ?? []).filter(({ epoch }) => !epochs.some((cursor) => cursor.epoch === epoch));
    const fresh = epochs.filter((cursor) => !previous?.includes(cursor));
    keep(name, epochs);
    for (const { epoch } of fresh) moved.add(epoch);
    for (const cursor of dropped) gone.set(cursor.epoch, cursor);
    try {
      commit({ meta });
    } catch (error) {
      if (previous === undefined) epochsOf.delete(name);
      else epochsOf.set(name, previous);
      for (const cursor of dropped) gone.delete(cursor.epoch);
      throw error;
    }
  };

  /**
   * The epochs of this uplink that are not done, oldest first; the last one is open. The first is made and stored on first use. Throws when it
   * cannot be stored: an epoch must not be forgotten once used.
   */
  const epochs = (name: string): readonly [EpochCursor, ...EpochCursor[]] => {
    const known = epochsOf.get(name);
    if (known !== undefined) return known;
    const made: readonly [EpochCursor] = [cursorOf(name, newEpoch(), meta.deletedThrough)];
    put(name, made);
    return made;
  };

  const lastOf = (cursor: EpochCursor) => cursor.through ?? meta.nextId - 1;

  return {
    meta: () => meta,
    commit,
    isDirty: () => moved.size > 0 || gone.size > 0,
    epochs,
    /** False when the number is not news. */
    acknowledge(name: string, epoch: string, seq: number): boolean {
      const known = epochs(name);
      const cursor = known.find((each) => each.epoch === epoch);
      if (cursor === undefined) return false;
      const id = cursor.base + seq;
      if (!Number.isSafeInteger(id) || id <= cursor.acked || id > lastOf(cursor)) return false;
      moved.add(epoch);
      const now = known.map((each) => (each === cursor ? { ...cursor, acked: id } : each));
      // Only from the front, so that an epoch that is missing in the middle is known to be damage. The last one is open, and stays.
      const firstLeft = now.findIndex(({ acked, through }) => acked !== through);
      for (const done of now.slice(0, firstLeft)) gone.set(done.epoch, done);
      keep(name, now.slice(firstLeft));
      return true;
    },
    /** What follows goes into an epoch of its own. Throws when that cannot be stored. */
    split(name: string): void {
      const known = epochs(name);
      const open = known.at(-1);
      const at = meta.nextId - 1;
      if (open === undefined || open.acked >= at) return;
      put(name, [...known.slice(0, -1), { ...open, through: at }, cursorOf(name, newEpoch(), at)]);
    },
    renew(name: string, epoch: string, peerAckedSeq: number): void {
      const renewed = epochs(name).flatMap((cursor, index): EpochCursor[] => {
        if (cursor.epoch !== epoch) return [cursor];
        const peerHas = cursor.base + peerAckedSeq;
        const base = peerHas > lastOf(cursor) ? cursor.acked : Math.max(meta.deletedThrough, peerHas);
        const rest = { ...cursor, epoch: newEpoch(), base, acked: base };
        // What the peer has stays accounted for, so that it does not look like an epoch that is missing.
        return index === 0 || base <= cursor.base ? [rest] : [{ ...cursor, acked: base, through: base }, rest];
      });
      put(name, renewed);
    },
    setUplinks(names: readonly string[]): void {
      for (const name of names) epochs(name);
      const leaving = [...epochsOf.keys()].filter((name) => !names.includes(name));
      for (const name of leaving) {
        for (const cursor of epochsOf.get(name) ?? []) gone.set(cursor.epoch, cursor);
        epochsOf.delete(name);
      }
      if (leaving.length > 0) commit({ meta });
    },
    /** Since when samples may be missing because the last run did not end cleanly. */
    restartGap: () => (hasCrashed ? { fromMs: before.aliveMs, toMs: Math.max(nowMs, before.aliveMs) } : undefined),
    /** Until when the run before this one is known to have worked. */
    earlierUntilMs: () => before.aliveMs,
    backlog: (): Record<string, number> =>
      Object.fromEntries(
        [...epochsOf].map(([name, own]) => [name, own.reduce((sum, cursor) => sum + lastOf(cursor) - cursor.acked, 0)]),
      ),
    /** Slices that wait in the open epoch of the uplink that has fewest there; 0 without uplinks. */
    leastBehind(): number {
      const open = [...epochsOf.values()].flatMap((own) => own.at(-1) ?? []);
      return open.length === 0 ? 0 : Math.min(...open.map((cursor) => lastOf(cursor) - cursor.acked));
    },
  };
}

function cursorOf(name: string, epoch: string, base: number, through: number | null = null): EpochCursor {
  return { name, epoch, base, acked: base, through };
}

/**
 * Epochs by uplink, oldest first, each beginning where the one before ends, the last one open. Where a row is missing, because it was damaged,
 * a new epoch takes its place: what it may have delivered goes out again rather than not at all.
 */
function groupByUplink(
  stored: readonly EpochCursor[],
  firstId: number,
  newEpoch: () => string,
): { epochsOf: Map<string, readonly [EpochCursor, ...EpochCursor[]]>; made: string[] } {
  const made: string[] = [];
  const make = (name: string, base: number, through: number | null): EpochCursor => {
    const epoch = newEpoch();
    made.push(epoch);
    return cursorOf(name, epoch, base, through);
  };
  const epochsOf = new Map<string, readonly [EpochCursor, ...EpochCursor[]]>();
  for (const name of new Set(stored.map((cursor) => cursor.name))) {
    const whole: EpochCursor[] = [];
    let at: number | null = firstId;
    for (const cursor of stored.filter((each) => each.name === name)) {
      if (at === null) break;
      if (cursor.base > at) whole.push(make(name, at, cursor.base));
      whole.push(cursor);
      at = cursor.through;
    }
    if (at !== null) whole.push(make(name, at, null));
    const [first, ...rest] = whole;
    if (first !== undefined) epochsOf.set(name, [first, ...rest]);
  }
  return { epochsOf, made };
}

/** The bookkeeping as stored; rebuilt from what the slices and epochs show when it is damaged or lags behind them. */
function readMeta(store: Store, epochs: readonly EpochCursor[], nowMs: number, newOutbox: () => string): Meta {
  const stored = store.meta();
  const { first, last } = store.sums();
  const acked = epochs.map((cursor) => cursor.acked);
  const leastNext = Math.max(last ?? 0, ...acked) + 1;
  if (stored === undefined && last === null) {
    return {
      nextId: leastNext,
      deletedThrough: leastNext - 1,
      isClean: true,
      hasSamples: false,
      aliveMs: nowMs,
      outbox: newOutbox(),
    };
  }
  if (stored === undefined || stored === 'damaged') {
    const lastSlice = last === null ? undefined : store.get(last)?.slice;
    const deletedThrough = Math.min((first ?? leastNext) - 1, ...acked);
    return {
      nextId: leastNext,
      deletedThrough,
      isClean: false,
      hasSamples: true,
      aliveMs: Math.min(lastSlice?.producedMs ?? nowMs, nowMs),
      outbox: newOutbox(),
    };
  }
  return { ...stored, nextId: Math.max(stored.nextId, leastNext) };
}
