// The bookkeeping of the outbox: next number, cursors of the uplinks, how the last run ended. Acknowledgements are kept in memory and written
// with the next commit: after a crash they are merely older, and the peer says at once what it has.

import type { StoredSlice } from './slice.ts';
import type { Cursor, Meta, Store } from './store.ts';

export type Books = {
  meta(): Meta;
  /** One transaction: slices, bookkeeping and every cursor that moved. */
  commit(changes: { readonly meta: Meta; readonly slices?: readonly StoredSlice[] }): void;
  /** Writes cursors that moved, if any. */
  persist(): void;
  isDirty(): boolean;
  /** The cursor of this uplink, made and stored on first use. Throws when it cannot be stored: an epoch must not be forgotten once used. */
  cursor(name: string): Cursor;
  /** False when the number is not news. */
  acknowledge(name: string, seq: number): boolean;
  renew(name: string, peerAckedSeq: number): void;
  setUplinks(names: readonly string[]): void;
  /** Since when samples may be missing because the last run did not end cleanly. */
  restartGap(): { readonly fromMs: number; readonly toMs: number } | undefined;
  backlog(): Record<string, number>;
};

export function openBooks(store: Store, options: { nowMs: number; newEpoch: () => string }): Books {
  const { nowMs, newEpoch } = options;
  const cursors = new Map(store.cursors().map((cursor) => [cursor.name, cursor]));
  const before = readMeta(store, [...cursors.values()], nowMs);
  const hasCrashed = !before.isClean && before.hasSamples;
  // Until the gap of a crash is on disk its start must not move: the process may be killed again first.
  let meta: Meta = { ...before, isClean: false, aliveMs: hasCrashed ? before.aliveMs : nowMs };
  const moved = new Set<string>();

  const deletedThrough = () => {
    const acked = [...cursors.values()].map((cursor) => cursor.acked);
    return acked.length === 0 ? meta.deletedThrough : Math.max(meta.deletedThrough, Math.min(...acked));
  };

  const commit = (changes: {
    readonly meta: Meta;
    readonly slices?: readonly StoredSlice[];
    readonly forget?: readonly string[];
  }) => {
    const next = { ...changes.meta, deletedThrough: deletedThrough() };
    store.commit({ ...changes, meta: next, cursors: [...moved].flatMap((name) => cursors.get(name) ?? []) });
    meta = next;
    moved.clear();
  };

  const put = (cursor: Cursor) => {
    const previous = cursors.get(cursor.name);
    cursors.set(cursor.name, cursor);
    moved.add(cursor.name);
    try {
      commit({ meta });
    } catch (error) {
      if (previous === undefined) cursors.delete(cursor.name);
      else cursors.set(cursor.name, previous);
      throw error;
    }
  };

  const cursorOf = (name: string): Cursor => {
    const known = cursors.get(name);
    if (known !== undefined) return known;
    const made = { name, epoch: newEpoch(), base: meta.deletedThrough, acked: meta.deletedThrough };
    put(made);
    return made;
  };

  return {
    meta: () => meta,
    commit,
    persist() {
      if (moved.size > 0) commit({ meta });
    },
    isDirty: () => moved.size > 0,
    cursor: cursorOf,
    acknowledge(name, seq) {
      const cursor = cursorOf(name);
      const id = cursor.base + seq;
      if (!Number.isSafeInteger(id) || id <= cursor.acked || id >= meta.nextId) return false;
      cursors.set(name, { ...cursor, acked: id });
      moved.add(name);
      return true;
    },
    renew(name, peerAckedSeq) {
      const cursor = cursorOf(name);
      const peerHas = cursor.base + peerAckedSeq;
      const base = peerHas >= meta.nextId ? cursor.acked : Math.max(meta.deletedThrough, peerHas);
      put({ name, epoch: newEpoch(), base, acked: base });
    },
    setUplinks(names) {
      const forget = [...cursors.keys()].filter((name) => !names.includes(name));
      for (const name of names) cursorOf(name);
      for (const name of forget) cursors.delete(name);
      if (forget.length > 0) commit({ meta, forget });
    },
    restartGap: () => (hasCrashed ? { fromMs: before.aliveMs, toMs: Math.max(nowMs, before.aliveMs) } : undefined),
    backlog: () => Object.fromEntries([...cursors.values()].map(({ name, acked }) => [name, meta.nextId - 1 - acked])),
  };
}

/** The bookkeeping as stored; rebuilt from what the slices and cursors show when it is damaged or lags behind them. */
function readMeta(store: Store, cursors: readonly Cursor[], nowMs: number): Meta {
  const stored = store.meta();
  const { first, last } = store.sums();
  const acked = cursors.map((cursor) => cursor.acked);
  const leastNext = Math.max(last ?? 0, ...acked) + 1;
  if (stored === undefined && last === null) {
    return { nextId: leastNext, deletedThrough: leastNext - 1, isClean: true, hasSamples: false, aliveMs: nowMs };
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
    };
  }
  return { ...stored, nextId: Math.max(stored.nextId, leastNext) };
}
