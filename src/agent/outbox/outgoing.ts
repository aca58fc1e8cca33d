// The outbox as uplinks see it: lanes, slices read in order, acknowledgements. It writes nothing but what keeps those accounts; new slices are made in
// outbox.ts.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Books } from './books.ts';
import type { LanePosition, OutgoingSlice, SliceRange, SliceSource } from './contract.ts';
import { readSlices } from './reader.ts';
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
