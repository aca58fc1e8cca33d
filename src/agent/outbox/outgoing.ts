// The outbox as uplinks see it: epochs, acknowledgements, slices read in order. No damaged slice is handed out: one that fails its checksum, or is
// missing, is first replaced by a declared gap. New slices are made in writer.ts.
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
export type SliceSource = { readonly [Name in keyof UplinkSource]: UplinkSource[Name] };
/** A slice as it goes on the wire: `seq` counts from 1 within the uplink's epoch. `producedElapsedMs` is of this process's `Clock.elapsedMs`. */
export type OutgoingSlice = {
  readonly header: SliceHeader;
  readonly body: Uint8Array;
  readonly producedElapsedMs: number;
};
/** Where an uplink stands in one of its epochs. */
export type EpochPosition = Readonly<ReturnType<typeof positionOf>>;
/** States of `count` miners as they go on the wire; `last` is the next `after`. */
type OutgoingStates = {
  readonly header: LiveHeader;
  readonly body: Uint8Array;
  readonly count: number;
  readonly last: number;
};
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

export class UplinkSource {
  readonly #name: string;
  readonly #parts: SourceParts;

  constructor(name: string, parts: SourceParts) {
    this.#name = name;
    this.#parts = parts;
  }

  /** What waits to be sent, oldest first; the last epoch is open, and new slices join it. Rejects when a first epoch cannot be stored. */
  async epochs(): Promise<readonly [EpochPosition, ...EpochPosition[]]> {
    const { bookkeeping } = this.#parts;
    const [oldest, ...rest] = bookkeeping.epochs(this.#name);
    const { meta } = bookkeeping;
    return [positionOf(oldest, meta), ...rest.map((cursor) => positionOf(cursor, meta))];
  }

  /** What is written from now on goes into an epoch of its own, so that it need not wait for what came before. Rejects when that cannot be stored. */
  async split(): Promise<void> {
    this.#parts.bookkeeping.split(this.#name);
  }

  /** Slices after `afterSeq` in order and without holes; at least one if there is one. */
  async read(range: SliceRange): Promise<readonly OutgoingSlice[]> {
    const { bookkeeping, clock, log, ages, onFailure, onRepaired } = this.#parts;
    const cursor = bookkeeping.epochs(this.#name).find(({ epoch }) => epoch === range.epoch);
    if (cursor === undefined) return [];
    const { deletedThrough, nextId } = bookkeeping.meta;
    const endId = cursor.through === null ? nextId : cursor.through + 1;
    const afterId = Math.max(cursor.base + range.afterSeq, deletedThrough, cursor.base);
    const now = lookAtClocks(clock);
    try {
      const result = readSlices(this.#parts.store, { ...range, afterId, nextId: endId, nowMs: now.wallMs });
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

  /** Everything up to `seq` is stored by the peer. Numbers that go backwards or are not ours are ignored. */
  async acknowledge(seq: number, epoch: string): Promise<void> {
    if (this.#parts.bookkeeping.acknowledge(this.#name, epoch, seq)) this.#parts.onAcknowledged();
  }

  /**
   * What the peer has cannot be matched with what is here (it has more than was ever written, or less than is still kept): what it does not have
   * goes out as a new epoch, with a declared gap. Rejects when the new epoch cannot be stored.
   */
  async renewEpoch(peerAckedSeq: number, epoch: string): Promise<void> {
    this.#parts.bookkeeping.renew(this.#name, epoch, peerAckedSeq);
    this.#parts.log.warn(
      { uplink: this.#name },
      'a new epoch begins: what the service knows of us does not match what is stored here',
    );
    this.#parts.onRenewed();
  }

  /** From memory: why reports are not kept, undefined = they are. */
  whyUnkept(): string | undefined {
    return this.#parts.whyUnkept();
  }

  /** Newest states after this number, which are not kept (yet), with the frame for them; also when there are none. */
  async live(after: number): Promise<OutgoingStates> {
    const { live, bookkeeping, clock, whyUnkept, waitingSlices } = this.#parts;
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

  /** From memory: slices that the peer has not confirmed; undefined before a first epoch is stored. */
  backlog(): number | undefined {
    return this.#parts.bookkeeping.backlog()[this.#name];
  }

  /** Calls back whenever there may be more to read; the function returned ends that. */
  onMore(listener: () => void): () => void {
    const { listeners } = this.#parts;
    listeners.add(listener);
    return () => listeners.delete(listener);
  }
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
 * Slices afterId + 1, afterId + 2, … without holes, at least one if there is one. `repaired` = how many were replaced; when they cannot be
 * replaced on disk (`failure`), reading ends before the first of them.
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
