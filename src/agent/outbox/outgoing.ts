// The outbox as uplinks see it: epochs, acknowledgements, slices read in order. None is handed out that is damaged: what fails its checksum, or is
// missing, is replaced by a declared gap first. New slices are made in outbox.ts.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { lookAtClocks } from '../../base/time/clock-steps.ts';
import type { LiveHeader, SliceHeader } from '../../wire/frames.ts';
import { MAX_SLICE_RECORDS } from '../../wire/protocol.ts';
import type { Books } from './books.ts';
import type { LiveNews } from './queue.ts';
import { compress, damagedSlice, isSound, MAX_BODY_BYTES, type StoredSlice } from './slice.ts';
import { producedElapsedMs, type SliceAges } from './slice-ages.ts';
import type { EpochCursor, Meta, Store } from './store.ts';

/** The outbox as one uplink sees it. Calls take effect in the order in which they are made. */
export type SliceSource = ReturnType<ReturnType<typeof createOutgoing>['source']>;
/** A slice as it goes on the wire: `seq` counts from 1 within the uplink's epoch. `producedElapsedMs` is of this process's `Clock.elapsedMs`. */
export type OutgoingSlice = {
  readonly header: SliceHeader;
  readonly body: Uint8Array;
  readonly producedElapsedMs: number;
};
/** A run of slices under an epoch of its own. */
export type EpochPosition = Readonly<ReturnType<typeof positionOf>>;
/** States of `count` miners as they go on the wire. */
type LiveStates = {
  readonly header: LiveHeader;
  readonly body: Uint8Array;
  readonly count: number;
  readonly last: number;
};
const MAX_FAULT = 128;
type SliceRange = Record<'afterSeq' | 'maxSlices' | 'maxBytes', number> & Pick<EpochCursor, 'epoch'>;

/** Slices; with more than these to be read an uplink is behind. */
const BEHIND_FROM = 32;

export function createOutgoing(options: {
  readonly store: Store;
  readonly books: Books;
  readonly clock: Pick<Clock, 'nowMs' | 'elapsedMs'>;
  readonly ages: () => SliceAges;
  readonly log: Log;
  readonly listeners: Set<() => void>;
  readonly live: {
    news(after: number, limits: { readonly maxRecords: number; readonly maxBytes: number }): LiveNews;
    why(): string | undefined;
    waitingSlices(): number;
  };
  readonly onFailure: (error: unknown) => void;
  /** Damaged slices were replaced. */
  readonly onRepaired: () => void;
  /** An acknowledgement was news. */
  readonly onAcknowledged: () => void;
  /** A new epoch has begun: what the peer may lack is to be declared. */
  readonly onRenewed: () => void;
}) {
  const { store, books, clock, log, listeners } = options;

  const read = (name: string, range: SliceRange): readonly OutgoingSlice[] => {
    const cursor = books.epochs(name).find(({ epoch }) => epoch === range.epoch);
    if (cursor === undefined) return [];
    const { deletedThrough } = books.meta();
    const nextId = cursor.through === null ? books.meta().nextId : cursor.through + 1;
    const afterId = Math.max(cursor.base + range.afterSeq, deletedThrough, cursor.base);
    const now = lookAtClocks(clock);
    try {
      const result = readSlices(store, { ...range, afterId, nextId, nowMs: now.wallMs });
      if (result.failure !== undefined) options.onFailure(result.failure);
      if (result.repaired.length > 0) {
        options.onRepaired();
        log.warn({ slices: result.repaired.length }, 'damaged slices were replaced by declared gaps');
      }
      return result.slices.map(({ id, producedMs, body }) => ({
        header: {
          epoch: cursor.epoch,
          seq: id - cursor.base,
          order: id,
          produced_at: new Date(producedMs).toISOString(),
        },
        body,
        producedElapsedMs: producedElapsedMs(options.ages(), { id, producedMs }, now),
      }));
    } catch (error) {
      options.onFailure(error);
      return [];
    }
  };

  return {
    source: (name: string) => ({
      /** What waits to be sent, oldest first; the last epoch is open, and new slices join it. Rejects when a first epoch cannot be stored. */
      async epochs(): Promise<readonly [EpochPosition, ...EpochPosition[]]> {
        const [oldest, ...rest] = books.epochs(name);
        const meta = books.meta();
        return [positionOf(oldest, meta), ...rest.map((cursor) => positionOf(cursor, meta))];
      },
      /** What is written from now on goes into an epoch of its own, so that it need not wait for what came before. Rejects when that cannot be stored. */
      split: async () => books.split(name),
      /** Slices after `afterSeq` in order and without holes; at least one if there is one. */
      read: async (range: SliceRange) => read(name, range),
      /** Everything up to `seq` is stored by the peer. Numbers that go backwards or are not ours are ignored. */
      async acknowledge(seq: number, epoch: string) {
        if (books.acknowledge(name, epoch, seq)) options.onAcknowledged();
      },
      /**
       * The peer's account cannot be matched with ours (it has more than we ever wrote, or less than we still hold): what it does not have goes
       * out as a new epoch, with a declared gap. Rejects when the new epoch cannot be stored.
       */
      async renewEpoch(peerAckedSeq: number, epoch: string) {
        books.renew(name, epoch, peerAckedSeq);
        log.warn(
          { uplink: name },
          'a new epoch begins: what the service knows of us does not match what is stored here',
        );
        options.onRenewed();
      },
      /** From memory: why reports are not kept, undefined = they are. */
      whyUnkept: () => options.live.why(),
      /** Newest states after this number, which are not kept (yet), with the frame for them; also when there are none. */
      async live(after: number): Promise<LiveStates> {
        const { entries, last } = options.live.news(after, { maxRecords: MAX_SLICE_RECORDS, maxBytes: MAX_BODY_BYTES });
        const fault = options.live.why();
        const { nextId } = books.meta();
        const header: LiveHeader = {
          live: true,
          produced_at: new Date(clock.nowMs()).toISOString(),
          order: nextId,
          through: nextId + options.live.waitingSlices(),
          ...(fault !== undefined && { fault: fault.slice(0, MAX_FAULT) }),
        };
        return { header, count: entries.length, last, body: await compress(entries) };
      },
      /** From memory: slices that the peer has not confirmed; undefined before a first epoch is stored. */
      backlog: () => books.backlog()[name],
      /** Calls back whenever there may be more to read; the function returned ends that. */
      onMore(listener: () => void): () => void {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    }),
    /** Some uplink takes what is written about as fast as it comes. */
    isFollowed: () => books.leastBehind() <= BEHIND_FROM,
  };
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
 * Slices afterId + 1, afterId + 2, … without holes, at least one if there is one. `repaired` lists ids that were replaced; when they cannot be
 * replaced on disk (`failure`), reading ends before the first of them.
 */
function readSlices(
  store: Store,
  range: { afterId: number; nextId: number; maxSlices: number; maxBytes: number; nowMs: number },
): { slices: StoredSlice[]; repaired: number[]; failure?: unknown } {
  const { afterId, nextId, maxSlices, maxBytes, nowMs } = range;
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
