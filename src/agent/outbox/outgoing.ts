// The outbox as uplinks see it: lanes, slices read in order, acknowledgements. It writes nothing but what keeps those accounts; new slices are made in
// outbox.ts.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Books } from './books.ts';
import type { LanePosition, OutgoingSlice, SliceSource } from './contract.ts';
import { readSlices } from './reader.ts';
import type { Lane, Store } from './store.ts';

/** Where no epoch is named, the oldest lane is meant. */
export type Range = {
  readonly epoch?: string | undefined;
  readonly afterSeq?: number | undefined;
  readonly maxSlices: number;
  readonly maxBytes: number;
};

export type Outgoing = {
  source(name: string): SliceSource;
  read(name: string, range: Range): readonly OutgoingSlice[];
  acknowledge(name: string, seq: number, epoch?: string): void;
  /** Somebody takes what is written about as fast as it comes. */
  isFollowed(): boolean;
};

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
}): Outgoing {
  const { store, books, clock, log, listeners } = options;

  const laneOf = (name: string, epoch: string | undefined): Lane | undefined => {
    const lanes = books.lanes(name);
    return epoch === undefined ? lanes[0] : lanes.find((lane) => lane.epoch === epoch);
  };

  const read = (name: string, range: Range): readonly OutgoingSlice[] => {
    const lane = laneOf(name, range.epoch);
    if (lane === undefined) return [];
    const { deletedThrough } = books.meta();
    const nextId = lane.through === null ? books.meta().nextId : lane.through + 1;
    const wanted = range.afterSeq === undefined ? lane.acked : lane.base + range.afterSeq;
    const afterId = Math.max(wanted, deletedThrough, lane.base);
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

  const acknowledge = (name: string, seq: number, epoch = books.lanes(name)[0].epoch) => {
    if (books.acknowledge(name, epoch, seq)) options.onAcknowledged();
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
    read,
    acknowledge,
    source: (name) => ({
      position: () => positionOf(books.lanes(name)[0]),
      lanes: () => books.lanes(name).map(positionOf),
      split: () => books.split(name),
      read: (range) => read(name, range),
      acknowledge: (seq, epoch) => acknowledge(name, seq, epoch),
      renewEpoch(peerAckedSeq, epoch = books.lanes(name)[0].epoch) {
        books.renew(name, epoch, peerAckedSeq);
        log.warn(
          { uplink: name },
          'a new epoch begins: what the service knows of us does not match what is stored here',
        );
        options.onRenewed();
      },
      onMore(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    }),
    isFollowed: () => books.leastBehind() <= BEHIND_FROM,
  };
}
