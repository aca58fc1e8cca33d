// The outbox as uplinks see it: epochs, acknowledgements, slices read in order. A damaged or missing slice is replaced
// by a declared gap before it is handed out.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { lookAtClocks } from '../../base/time/clock-steps.ts';
import type { LiveHeader, SliceHeader } from '../../wire/frames.ts';
import { MAX_SLICE_RECORDS } from '../../wire/protocol.ts';
import type { LiveStates } from './queue.ts';
import { producedElapsedMs, type SliceAges } from './slice-ages.ts';
import type { Bookkeeping } from './storage/bookkeeping.ts';
import { compress, damagedSlice, isSound, MAX_BODY_BYTES, type StoredSlice } from './storage/slice.ts';
import type { EpochCursor, Meta, Store } from './storage/store.ts';

/** The outbox as one uplink sees it. Calls take effect in the order in which they are made. */
export type SliceSource = ReturnType<typeof createSource>;
/** A slice as it goes on the wire. `producedElapsedMs` is of this process's `Clock.elapsedMs`. */
export type OutgoingSlice = {
  readonly header: SliceHeader;
  readonly body: Uint8Array;
  readonly producedElapsedMs: number;
};
/** Where an uplink stands in one of its epochs. */
export type EpochPosition = Readonly<ReturnType<typeof positionOf>>;
type SliceRange = Readonly<Record<'afterSeq' | 'maxSlices' | 'maxBytes', number>> & Pick<EpochCursor, 'epoch'>;

const MAX_FAULT = 128;
const LIVE_LIMITS = { maxRecords: MAX_SLICE_RECORDS, maxBytes: MAX_BODY_BYTES };

export type SourceParts = {
  readonly store: Store;
  readonly bookkeeping: Bookkeeping;
  readonly clock: Pick<Clock, 'nowMs' | 'elapsedMs'>;
  readonly log: Log;
  readonly listeners: Set<() => void>;
  readonly live: LiveStates;
  readonly ages: () => SliceAges;
  readonly whyUnkept: () => string | undefined;
  /** How many slices the waiting records may become at most. */
  readonly waitingSlices: () => number;
  readonly onFailure: (error: unknown) => void;
  /** Damaged slices were replaced. */
  readonly onRepaired: () => void;
  /** An acknowledgement was news. */
  readonly onAcknowledged: () => void;
  /** A new epoch has begun: what the peer may lack is to be declared. */
  readonly onRenewed: () => void;
};

/** `parts` are asked for at each call: a new file has others. */
export function createSource(name: string, parts: () => SourceParts) {
  return {
    /** What waits, oldest first; new slices join the last one. Rejects when a first epoch cannot be stored. */
    async epochs(): Promise<readonly [EpochPosition, ...EpochPosition[]]> {
      const { bookkeeping } = parts();
      const [oldest, ...rest] = bookkeeping.epochs(name);
      const { meta } = bookkeeping;
      return [positionOf(oldest, meta), ...rest.map((cursor) => positionOf(cursor, meta))];
    },
    /** New slices go into an epoch of their own, ahead of the backlog. Rejects when that cannot be stored. */
    split: async () => parts().bookkeeping.split(name),
    /** Slices after `afterSeq` in order and without holes; at least one if there is one. */
    read: async (range: SliceRange) => read(name, range, parts()),
    /** Everything up to `seq` is stored by the peer. Numbers that go backwards or are not ours are ignored. */
    async acknowledge(seq: number, epoch: string): Promise<void> {
      const { bookkeeping, onAcknowledged } = parts();
      if (bookkeeping.acknowledge(name, epoch, seq)) onAcknowledged();
    },
    /**
     * What the peer has cannot be matched with what is here (it has more than was ever written, or less than is still
     * kept): what it does not have goes out as a new epoch, with a declared gap. Rejects when the new epoch cannot be
     * stored.
     */
    async renewEpoch(peerAckedSeq: number, epoch: string): Promise<void> {
      const { bookkeeping, log, onRenewed } = parts();
      bookkeeping.renew(name, epoch, peerAckedSeq);
      log.warn({ uplink: name }, 'a new epoch begins: what the service has does not match what is stored here');
      onRenewed();
    },
    /** From memory: why reports are not kept, undefined = they are. */
    whyUnkept: () => parts().whyUnkept(),
    /** Newest states after this number that are not kept (yet), with their frame; `last` is the next `after`. */
    live: async (after: number) => liveStates(after, parts()),
    /** From memory: slices that the peer has not confirmed; undefined before a first epoch is stored. */
    backlog: (): number | undefined => parts().bookkeeping.backlog()[name],
    /** Calls back whenever there may be more to read; the function returned ends that. */
    onMore(listener: () => void): () => void {
      const { listeners } = parts();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function read(name: string, range: SliceRange, parts: SourceParts): readonly OutgoingSlice[] {
  const { store, bookkeeping, clock, log, ages, onFailure, onRepaired } = parts;
  const cursor = bookkeeping.epochs(name).find(({ epoch }) => epoch === range.epoch);
  if (cursor === undefined) return [];
  const { deletedThrough, nextId } = bookkeeping.meta;
  const endId = cursor.through === null ? nextId : cursor.through + 1;
  const afterId = Math.max(cursor.base + range.afterSeq, deletedThrough, cursor.base);
  const now = lookAtClocks(clock);
  try {
    const result = readSlices(store, { ...range, afterId, nextId: endId, nowMs: now.wallMs });
    if (result.failure !== undefined) onFailure(result.failure);
    if (result.repaired > 0) {
      onRepaired();
      log.warn({ slices: result.repaired }, 'damaged slices were replaced by declared gaps');
    }
    return result.slices.map(({ id, producedMs, body }) => ({
      header: {
        epoch: cursor.epoch,
        seq: id - cursor.base,
        order: id,
        produced_at: new Date(producedMs).toISOString(),
      },
      body,
      producedElapsedMs: producedElapsedMs(ages(), { id, producedMs }, now),
    }));
  } catch (error) {
    onFailure(error);
    return [];
  }
}

async function liveStates(after: number, { live, bookkeeping, clock, whyUnkept, waitingSlices }: SourceParts) {
  const { entries, last } = live.news(after, LIVE_LIMITS);
  const fault = whyUnkept();
  const { nextId } = bookkeeping.meta;
  const header: LiveHeader = {
    live: true,
    produced_at: new Date(clock.nowMs()).toISOString(),
    order: nextId,
    through: nextId + waitingSlices(),
    ...(fault !== undefined && { fault: fault.slice(0, MAX_FAULT) }),
  };
  return { header, count: entries.length, last, body: await compress(entries) };
}

function positionOf({ epoch, base, acked, through }: EpochCursor, { nextId, deletedThrough, outbox }: Meta) {
  return {
    epoch,
    /** Names what `order` of its slices counts in. */
    outbox,
    /** The oldest that can still be read. */
    firstSeq: Math.max(deletedThrough, base) - base + 1,
    ackedSeq: acked - base,
    /** The next that will be written or, once the epoch is closed, one more than its last. */
    nextSeq: (through === null ? nextId : through + 1) - base,
  };
}

/**
 * Slices afterId + 1, afterId + 2, … without holes, at least one if there is one. `repaired` = how many were replaced;
 * when they cannot be replaced on disk (`failure`), reading ends before the first of them.
 */
function readSlices(
  store: Store,
  range: { afterId: number; nextId: number; maxSlices: number; maxBytes: number; nowMs: number },
): { slices: readonly StoredSlice[]; repaired: number; failure?: unknown } {
  const { afterId, nextId, maxSlices, maxBytes, nowMs } = range;
  const found = new Map(store.read(afterId, nextId, maxSlices).map((row) => [row.id, row.slice]));
  const lastId = Math.min(nextId - 1, afterId + maxSlices);
  const slices: StoredSlice[] = [];
  const repaired: StoredSlice[] = [];
  let bytes = 0;
  for (let id = afterId + 1; id <= lastId; id++) {
    const row = found.get(id);
    const slice = row !== undefined && isSound(row) ? row : replacement(id, row, found, nowMs);
    bytes += slice.body.length;
    if (slices.length > 0 && bytes > maxBytes) break;
    slices.push(slice);
    if (slice !== row) repaired.push(slice);
  }
  const [firstBad] = repaired;
  if (firstBad === undefined) return { slices, repaired: 0 };
  try {
    store.replace(repaired);
    return { slices, repaired: repaired.length };
  } catch (failure) {
    return { slices: slices.slice(0, slices.indexOf(firstBad)), repaired: 0, failure };
  }
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
