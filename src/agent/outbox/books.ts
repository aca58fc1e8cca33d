// The bookkeeping of the outbox: next number, lanes of the uplinks, how the last run ended. Acknowledgements are kept in memory and written
// with the next commit: after a crash they are merely older, and the peer says at once what it has.

import type { StoredSlice } from './slice.ts';
import type { Lane, Meta, Store } from './store.ts';

export type Books = ReturnType<typeof openBooks>;

export function openBooks(store: Store, { nowMs, newEpoch }: { nowMs: number; newEpoch: () => string }) {
  const stored = store.lanes();
  const before = readMeta(store, stored, nowMs, newEpoch);
  const { lanesOf, made } = groupLanes(stored, before.deletedThrough, newEpoch);
  const hasCrashed = !before.isClean && before.hasSamples;
  // Until the gap of a crash is on disk its start must not move: the process may be killed again first.
  let meta: Meta = { ...before, isClean: false, aliveMs: hasCrashed ? before.aliveMs : nowMs };
  /** Lanes whose row differs from what is known here, by epoch. */
  const moved = new Set<string>(made);
  const gone = new Map<string, Lane>();
  const all = () => [...lanesOf.values()].flat();

  const deletedThrough = () => {
    const acked = all().map((lane) => lane.acked);
    return acked.length === 0 ? meta.deletedThrough : Math.max(meta.deletedThrough, Math.min(...acked));
  };

  /**
   * One transaction: slices, bookkeeping and every lane that moved. Deletes up to `dropLimit` of the slices that all uplinks have; gives the bytes
   * of each that went.
   */
  const commit = (changes: {
    readonly meta: Meta;
    readonly slices?: readonly StoredSlice[];
    readonly dropLimit?: number;
  }): number[] => {
    const next = { ...changes.meta, deletedThrough: deletedThrough() };
    const lanes = all().filter(({ epoch }) => moved.has(epoch));
    const dropped = store.commit({ ...changes, meta: next, lanes, forget: gone.values() });
    meta = next;
    moved.clear();
    gone.clear();
    return dropped;
  };

  const keep = (name: string, [first, ...rest]: readonly Lane[]) => {
    if (first !== undefined) lanesOf.set(name, [first, ...rest]);
  };

  /** Replaces the lanes of an uplink and stores that; nothing has changed when it throws. */
  const put = (name: string, lanes: readonly Lane[]) => {
    const previous = lanesOf.get(name);
    const dropped = (previous ?? []).filter(({ epoch }) => !lanes.some((lane) => lane.epoch === epoch));
    const fresh = lanes.filter((lane) => !previous?.includes(lane));
    keep(name, lanes);
    for (const { epoch } of fresh) moved.add(epoch);
    for (const lane of dropped) gone.set(lane.epoch, lane);
    try {
      commit({ meta });
    } catch (error) {
      if (previous === undefined) lanesOf.delete(name);
      else lanesOf.set(name, previous);
      for (const lane of dropped) gone.delete(lane.epoch);
      throw error;
    }
  };

  /**
   * The lanes of this uplink that are not done, oldest first; the last one is open. The first is made and stored on first use. Throws when it
   * cannot be stored: an epoch must not be forgotten once used.
   */
  const lanes = (name: string): readonly [Lane, ...Lane[]] => {
    const known = lanesOf.get(name);
    if (known !== undefined) return known;
    const made: readonly [Lane] = [laneOf(name, newEpoch(), meta.deletedThrough)];
    put(name, made);
    return made;
  };

  const lastOf = (lane: Lane) => lane.through ?? meta.nextId - 1;

  return {
    meta: () => meta,
    commit,
    isDirty: () => moved.size > 0 || gone.size > 0,
    lanes,
    /** False when the number is not news. */
    acknowledge(name: string, epoch: string, seq: number): boolean {
      const known = lanes(name);
      const lane = known.find((each) => each.epoch === epoch);
      if (lane === undefined) return false;
      const id = lane.base + seq;
      if (!Number.isSafeInteger(id) || id <= lane.acked || id > lastOf(lane)) return false;
      moved.add(epoch);
      const now = known.map((each) => (each === lane ? { ...lane, acked: id } : each));
      // Only from the front, so that a lane that is missing in the middle is known to be damage. The last one is open, and stays.
      const firstLeft = now.findIndex(({ acked, through }) => acked !== through);
      for (const done of now.slice(0, firstLeft)) gone.set(done.epoch, done);
      keep(name, now.slice(firstLeft));
      return true;
    },
    /** What follows goes into a lane of its own. Throws when that cannot be stored. */
    split(name: string): void {
      const known = lanes(name);
      const open = known.at(-1);
      const at = meta.nextId - 1;
      if (open === undefined || open.acked >= at) return;
      put(name, [...known.slice(0, -1), { ...open, through: at }, laneOf(name, newEpoch(), at)]);
    },
    renew(name: string, epoch: string, peerAckedSeq: number): void {
      const renewed = lanes(name).flatMap((lane, index): Lane[] => {
        if (lane.epoch !== epoch) return [lane];
        const peerHas = lane.base + peerAckedSeq;
        const base = peerHas > lastOf(lane) ? lane.acked : Math.max(meta.deletedThrough, peerHas);
        const rest = { ...lane, epoch: newEpoch(), base, acked: base };
        // What the peer has stays accounted for, so that it does not look like a lane that is missing.
        return index === 0 || base <= lane.base ? [rest] : [{ ...lane, acked: base, through: base }, rest];
      });
      put(name, renewed);
    },
    setUplinks(names: readonly string[]): void {
      for (const name of names) lanes(name);
      const leaving = [...lanesOf.keys()].filter((name) => !names.includes(name));
      for (const name of leaving) {
        for (const lane of lanesOf.get(name) ?? []) gone.set(lane.epoch, lane);
        lanesOf.delete(name);
      }
      if (leaving.length > 0) commit({ meta });
    },
    /** Since when samples may be missing because the last run did not end cleanly. */
    restartGap: () => (hasCrashed ? { fromMs: before.aliveMs, toMs: Math.max(nowMs, before.aliveMs) } : undefined),
    /** Until when the run before this one is known to have worked. */
    earlierUntilMs: () => before.aliveMs,
    backlog: (): Record<string, number> =>
      Object.fromEntries(
        [...lanesOf].map(([name, own]) => [name, own.reduce((sum, lane) => sum + lastOf(lane) - lane.acked, 0)]),
      ),
    /** Slices that wait in the open lane of the uplink that has fewest there; 0 without uplinks. */
    leastBehind(): number {
      const open = [...lanesOf.values()].flatMap((own) => own.at(-1) ?? []);
      return open.length === 0 ? 0 : Math.min(...open.map((lane) => lastOf(lane) - lane.acked));
    },
  };
}

function laneOf(name: string, epoch: string, base: number, through: number | null = null): Lane {
  return { name, epoch, base, acked: base, through };
}

/**
 * Lanes by uplink, oldest first, each beginning where the one before ends, the last one open. Where a row is missing, because it was damaged,
 * a new lane takes its place: what it may have delivered goes out again rather than not at all.
 */
function groupLanes(
  stored: readonly Lane[],
  firstId: number,
  newEpoch: () => string,
): { lanesOf: Map<string, readonly [Lane, ...Lane[]]>; made: string[] } {
  const made: string[] = [];
  const make = (name: string, base: number, through: number | null): Lane => {
    const epoch = newEpoch();
    made.push(epoch);
    return laneOf(name, epoch, base, through);
  };
  const lanesOf = new Map<string, readonly [Lane, ...Lane[]]>();
  for (const name of new Set(stored.map((lane) => lane.name))) {
    const whole: Lane[] = [];
    let at: number | null = firstId;
    for (const lane of stored.filter((each) => each.name === name)) {
      if (at === null) break;
      if (lane.base > at) whole.push(make(name, at, lane.base));
      whole.push(lane);
      at = lane.through;
    }
    if (at !== null) whole.push(make(name, at, null));
    const [first, ...rest] = whole;
    if (first !== undefined) lanesOf.set(name, [first, ...rest]);
  }
  return { lanesOf, made };
}

/** The bookkeeping as stored; rebuilt from what the slices and lanes show when it is damaged or lags behind them. */
function readMeta(store: Store, lanes: readonly Lane[], nowMs: number, newOutbox: () => string): Meta {
  const stored = store.meta();
  const { first, last } = store.sums();
  const acked = lanes.map((lane) => lane.acked);
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
