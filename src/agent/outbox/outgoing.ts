// The outbox as uplinks see it: lanes, acknowledgements, slices read in order. None is handed out that is damaged: what fails its checksum, or is
// missing, is replaced by a declared gap first. New slices are made in outbox.ts.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Books } from './books.ts';
import type { LanePosition, OutgoingSlice, SliceRange, SliceSource } from './contract.ts';
import { damagedSlice, isSound, type StoredSlice } from './slice.ts';
import type { Lane, Store } from './store.ts';

/** Slices; with more than these to be read an uplink is behind. */
const BEHIND_FROM = 32;

export function createOutgoing(options: {
  readonly store: Store;
  readonly books: Books;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Log;
  readonly listeners: Set<() => void>;
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
    const lane = books.lanes(name).find(({ epoch }) => epoch === range.epoch);
    if (lane === undefined) return [];
    const { deletedThrough } = books.meta();
    const nextId = lane.through === null ? books.meta().nextId : lane.through + 1;
    const afterId = Math.max(lane.base + range.afterSeq, deletedThrough, lane.base);
    try {
      const result = readSlices(store, { ...range, afterId, nextId, nowMs: clock.nowMs() });
      if (result.failure !== undefined) options.onFailure(result.failure);
      if (result.repaired.length > 0) {
        options.onRepaired();
        log.warn({ slices: result.repaired.length }, 'damaged slices were replaced by declared gaps');
      }
      return result.slices.map(({ id, producedMs, body }) => ({
        header: { epoch: lane.epoch, seq: id - lane.base, produced_at: new Date(producedMs).toISOString() },
        body,
      }));
    } catch (error) {
      options.onFailure(error);
      return [];
    }
  };

  const positionOf = ({ epoch, base, acked, through }: Lane): LanePosition => {
    const { nextId, deletedThrough } = books.meta();
    return {
      epoch,
      firstSeq: Math.max(deletedThrough, base) - base + 1,
      ackedSeq: acked - base,
      nextSeq: (through === null ? nextId : through + 1) - base,
    };
  };

  return {
    source: (name: string): SliceSource => ({
      async lanes() {
        const [oldest, ...rest] = books.lanes(name);
        return [positionOf(oldest), ...rest.map(positionOf)];
      },
      split: async () => books.split(name),
      read: async (range) => read(name, range),
      async acknowledge(seq, epoch) {
        if (books.acknowledge(name, epoch, seq)) options.onAcknowledged();
      },
      async renewEpoch(peerAckedSeq, epoch) {
        books.renew(name, epoch, peerAckedSeq);
        log.warn(
          { uplink: name },
          'a new epoch begins: what the service knows of us does not match what is stored here',
        );
        options.onRenewed();
      },
      backlog: () => books.backlog()[name],
      onMore(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    }),
    /** Some uplink takes what is written about as fast as it comes. */
    isFollowed: () => books.leastBehind() <= BEHIND_FROM,
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
