// What others may ask of the outbox. Types only.
import type { SliceHeader } from '../../wire/frames.ts';
import type { ReportRecord } from '../../wire/records.ts';

export type OutboxSettings = {
  /** Compressed slices on disk, all uplinks together. Default 256 MiB. */
  readonly maxBytes?: number;
  readonly sliceRecords?: number;
  /** A sample waits at most this long for its slice to fill, ten times as long while nobody takes what is stored. */
  readonly flushMs?: number;
  /** Records and bytes that wait in memory while the disk refuses. */
  readonly maxPendingRecords?: number;
  readonly maxPendingBytes?: number;
};

/** A slice as it goes on the wire: `seq` counts from 1 within the uplink's epoch. */
export type OutgoingSlice = { readonly header: SliceHeader; readonly body: Uint8Array };

/**
 * A run of slices under an epoch of its own. `firstSeq` is the oldest that can still be read; `nextSeq` the next that will be written or, once
 * the lane is closed, one more than its last.
 */
export type LanePosition = {
  readonly epoch: string;
  readonly firstSeq: number;
  readonly ackedSeq: number;
  readonly nextSeq: number;
};

export type SliceRange = {
  readonly epoch: string;
  readonly afterSeq: number;
  readonly maxSlices: number;
  readonly maxBytes: number;
};

/** The outbox as one uplink sees it. Calls take effect in the order in which they are made. */
export type SliceSource = {
  /** What waits to be sent, oldest first; the last lane is open, and new slices join it. Rejects when a first epoch cannot be stored. */
  lanes(): Promise<readonly [LanePosition, ...LanePosition[]]>;
  /** What is written from now on goes into a lane of its own, so that it need not wait for what came before. Rejects when that cannot be stored. */
  split(): Promise<void>;
  /** Slices after `afterSeq` in order and without holes; at least one if there is one. */
  read(range: SliceRange): Promise<readonly OutgoingSlice[]>;
  /** Everything up to `seq` is stored by the peer. Numbers that go backwards or are not ours are ignored. */
  acknowledge(seq: number, epoch: string): Promise<void>;
  /**
   * The peer's account cannot be matched with ours (it has more than we ever wrote, or less than we still hold): what it does not have goes
   * out as a new epoch, with a declared gap. Rejects when the new epoch cannot be stored.
   */
  renewEpoch(peerAckedSeq: number, epoch: string): Promise<void>;
  /** From memory: slices that the peer has not confirmed; undefined before a first epoch is stored. */
  backlog(): number | undefined;
  /** Calls back whenever there may be more to read; the function returned ends that. */
  onMore(listener: () => void): () => void;
};

export type OutboxState = {
  readonly slices: number;
  readonly bytes: number;
  readonly pendingRecords: number;
  /** Lost and not yet declared on disk. */
  readonly undeclaredRecords: number;
  /** Samples given up since the start, for want of disk or memory. */
  readonly droppedRecords: number;
  /** Nothing is left that could give way: new samples are counted, not kept. */
  readonly isFull: boolean;
  readonly lastCommitAt: number | undefined;
  /** Until when the run before this one is known to have worked, ms since the epoch; in a new outbox the time of its start. */
  readonly earlierUntil: number;
  /** Samples that gave way on disk although they showed a change, since the start. */
  readonly droppedChanges: number;
  /** Why the newest commit failed; undefined when it worked. */
  readonly fault: string | undefined;
  readonly backlog: Readonly<Record<string, number>>;
};

export type Outbox = {
  /** Hands over a sample to memory that is bounded, to be stored within `flushMs`, or ten times that while no uplink takes what is stored. */
  offer(record: ReportRecord): void;
  /** Stores these now, in order. Resolves with the number of the slice once it is on disk; rejects when too much waits or the outbox closes. */
  append(records: readonly ReportRecord[]): Promise<number>;
  source(uplink: string): SliceSource;
  /** The uplinks that exist now: new ones get a cursor, those that are gone no longer hold slices back. */
  setUplinks(names: readonly string[]): Promise<void>;
  /** Resolves when everything handed over so far is on disk, or the disk has refused it. */
  flush(): Promise<void>;
  /** From memory. */
  state(): OutboxState;
  /** Stores what waits and marks the end as clean. */
  close(): Promise<void>;
};
