// The bookkeeping of the outbox: next number, epochs of the uplinks, how the last run ended. Acknowledgements are
// written with the next commit: after a crash they are merely older, and the peer tells what it has.
import { acknowledged, byUplink, type Epochs, newCursor, renewed, split, waitingIn } from './epochs.ts';
import type { StoredSlice } from './slice.ts';
import type { EpochCursor, Meta, Store } from './store.ts';

export class Bookkeeping {
  readonly #store: Store;
  readonly #newEpoch: () => string;
  /** Since when samples may be missing, and until when: the last run did not end cleanly. */
  readonly restartGap: { readonly fromMs: number; readonly toMs: number } | undefined;
  /** Until when the run before this one is known to have worked. */
  readonly earlierUntilMs: number;
  #meta: Meta;
  readonly #epochsOf: Map<string, Epochs>;
  /** Epochs whose row is not as it is here. */
  readonly #moved: Set<string>;
  readonly #gone = new Map<string, EpochCursor>();

  constructor(store: Store, { nowMs, newEpoch }: { readonly nowMs: number; readonly newEpoch: () => string }) {
    const stored = store.epochs();
    const before = readMeta(store, stored, nowMs, newEpoch);
    const { epochsOf, made } = byUplink(stored, before.deletedThrough, newEpoch);
    const hasCrashed = !before.isClean && before.hasSamples;
    this.#store = store;
    this.#newEpoch = newEpoch;
    this.#epochsOf = epochsOf;
    this.#moved = new Set(made);
    // Until the gap of a crash is on disk its start must not move: the process may be killed again first.
    this.#meta = { ...before, isClean: false, aliveMs: hasCrashed ? before.aliveMs : nowMs };
    this.restartGap = hasCrashed ? { fromMs: before.aliveMs, toMs: Math.max(nowMs, before.aliveMs) } : undefined;
    this.earlierUntilMs = before.aliveMs;
  }

  get meta(): Meta {
    return this.#meta;
  }

  get isDirty(): boolean {
    return this.#moved.size > 0 || this.#gone.size > 0;
  }

  /** One transaction. Deletes up to `dropLimit` of the slices that all uplinks have, and returns the bytes of each. */
  commit(
    changes: {
      readonly meta?: Partial<Meta>;
      readonly slices?: readonly StoredSlice[];
      readonly dropLimit?: number;
    } = {},
  ): number[] {
    const meta = { ...this.#meta, ...changes.meta, deletedThrough: this.#deletedThrough() };
    const epochs = this.#all().filter(({ epoch }) => this.#moved.has(epoch));
    const deleted = this.#store.commit({ ...changes, meta, epochs, forget: this.#gone.values() });
    this.#meta = meta;
    this.#moved.clear();
    this.#gone.clear();
    return deleted;
  }

  /** The epochs of this uplink that are not done; a first one is stored before it is used. Throws when that fails. */
  epochs(name: string): Epochs {
    const known = this.#epochsOf.get(name);
    if (known !== undefined) return known;
    const made: Epochs = [newCursor(name, this.#newEpoch(), this.#meta.deletedThrough)];
    this.#put(name, made);
    return made;
  }

  /** False when the number is not news. */
  acknowledge(name: string, epoch: string, seq: number): boolean {
    const now = acknowledged(this.epochs(name), { epoch, seq, nextId: this.#meta.nextId });
    if (now === undefined) return false;
    this.#moved.add(epoch);
    for (const done of now.done) this.#gone.set(done.epoch, done);
    this.#epochsOf.set(name, now.epochs);
    return true;
  }

  /** New slices go into an epoch of their own. Throws when that cannot be stored. */
  split(name: string): void {
    const epochs = split(this.epochs(name), this.#meta.nextId, this.#newEpoch);
    if (epochs !== undefined) this.#put(name, epochs);
  }

  /** What the peer does not have of this epoch goes into a new one. Throws when that cannot be stored. */
  renew(name: string, epoch: string, peerAckedSeq: number): void {
    this.#put(name, renewed(this.epochs(name), { epoch, peerAckedSeq }, this.#meta, this.#newEpoch));
  }

  /** The uplinks that exist now. Throws when that cannot be stored. */
  setUplinks(names: readonly string[]): void {
    for (const name of names) this.epochs(name);
    const leaving = [...this.#epochsOf.keys()].filter((name) => !names.includes(name));
    for (const name of leaving) {
      for (const cursor of this.#epochsOf.get(name) ?? []) this.#gone.set(cursor.epoch, cursor);
      this.#epochsOf.delete(name);
    }
    if (leaving.length > 0) this.commit();
  }

  /** Slices that each uplink's peer has not confirmed. */
  backlog(): Record<string, number> {
    const { nextId } = this.#meta;
    const waiting = (epochs: Epochs) => epochs.reduce((sum, cursor) => sum + waitingIn(cursor, nextId), 0);
    return Object.fromEntries([...this.#epochsOf].map(([name, epochs]) => [name, waiting(epochs)]));
  }

  /** Slices that wait in the open epoch of the uplink that has fewest there; 0 without uplinks. */
  leastBehind(): number {
    const open = [...this.#epochsOf.values()].flatMap((epochs) => epochs.at(-1) ?? []);
    return open.length === 0 ? 0 : Math.min(...open.map((cursor) => waitingIn(cursor, this.#meta.nextId)));
  }

  #all(): EpochCursor[] {
    return [...this.#epochsOf.values()].flat();
  }

  #deletedThrough(): number {
    const acked = this.#all().map((cursor) => cursor.acked);
    const { deletedThrough } = this.#meta;
    return acked.length === 0 ? deletedThrough : Math.max(deletedThrough, Math.min(...acked));
  }

  /** Replaces the epochs of an uplink and stores that; nothing has changed when it throws. */
  #put(name: string, epochs: Epochs): void {
    const previous = this.#epochsOf.get(name);
    const dropped = (previous ?? []).filter(({ epoch }) => !epochs.some((cursor) => cursor.epoch === epoch));
    this.#epochsOf.set(name, epochs);
    for (const cursor of epochs) if (!previous?.includes(cursor)) this.#moved.add(cursor.epoch);
    for (const cursor of dropped) this.#gone.set(cursor.epoch, cursor);
    try {
      this.commit();
    } catch (error) {
      if (previous === undefined) this.#epochsOf.delete(name);
      else this.#epochsOf.set(name, previous);
      for (const cursor of dropped) this.#gone.delete(cursor.epoch);
      throw error;
    }
  }
}

/** The bookkeeping as stored; rebuilt from the slices and epochs when it is damaged or older than they are. */
function readMeta(store: Store, epochs: readonly EpochCursor[], nowMs: number, newOutbox: () => string): Meta {
  const stored = store.meta();
  const { first, last } = store.sums();
  const acked = epochs.map((cursor) => cursor.acked);
  const nextId = Math.max(last ?? 0, ...acked) + 1;
  if (stored === undefined && last === null)
    return {
      ...{ nextId, deletedThrough: nextId - 1 },
      ...{ isClean: true, hasSamples: false, aliveMs: nowMs, outbox: newOutbox() },
    };
  if (stored === undefined || stored === 'damaged') {
    const lastSlice = last === null ? undefined : store.get(last)?.slice;
    const aliveMs = Math.min(lastSlice?.producedMs ?? nowMs, nowMs);
    const deletedThrough = Math.min((first ?? nextId) - 1, ...acked);
    return { nextId, deletedThrough, isClean: false, hasSamples: true, aliveMs, outbox: newOutbox() };
  }
  return { ...stored, nextId: Math.max(stored.nextId, nextId) };
}
