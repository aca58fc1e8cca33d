// What the uplink needs of others and what it tells them. Types only.
import type { Secret } from '../../base/secrets.ts';
import type {
  Notice,
  SignedNoticeFrame,
  SignedTaskFrame,
  SliceHeader,
  TaskOrder,
  WelcomeFrame,
} from '../../wire/frames.ts';

/** A run of slices with an epoch of its own; `nextSeq` is the next that will be written or, once the lane is closed, one more than its last. */
export type LanePosition = {
  readonly epoch: string;
  readonly firstSeq: number;
  readonly ackedSeq: number;
  readonly nextSeq: number;
};

/** One uplink's view of what waits to be sent; sequence numbers are those of their epoch. */
export type SliceSource = {
  /** What waits to be sent, oldest first; the last lane is open, and new slices join it. */
  lanes(): Promise<readonly [LanePosition, ...LanePosition[]]>;
  /** What is written from now on goes into a lane of its own. */
  split(): Promise<void>;
  /** Slices after `afterSeq` in order and without holes; at least one if there is one. */
  read(range: {
    epoch: string;
    afterSeq: number;
    maxSlices: number;
    maxBytes: number;
  }): Promise<readonly { readonly header: SliceHeader; readonly body: Uint8Array }[]>;
  acknowledge(seq: number, epoch: string): Promise<void>;
  /** The peer's account does not match ours: start a new epoch with what the peer does not have. */
  renewEpoch(peerAckedSeq: number, epoch: string): Promise<void>;
  /** From memory: slices that the peer has not confirmed; undefined when it cannot be told. */
  backlog(): number | undefined;
  onMore(listener: () => void): () => void;
};

export type TaskListener = {
  /** Returns once the orders are journaled: only then are they confirmed. Throws when they are not; they come again. */
  onTasks(orders: readonly TaskOrder[]): void;
  onCancel(taskId: string): void;
};

/** Decides what is the service's own; one session per connection. Absent = everything that is not signed. */
export type OrderCheck = {
  begin(): {
    /** For the hello. */
    readonly nonce: string;
    readonly taskSeq: number;
    onWelcome(welcome: WelcomeFrame): void;
    /** Those to carry out, in order. Throws when they cannot be admitted now; they come again. */
    admit(frames: readonly (TaskOrder | SignedTaskFrame)[]): readonly TaskOrder[];
    /** What to heed of it, if anything. */
    hear(frame: Notice | SignedNoticeFrame): Notice | undefined;
  };
};

export type UplinkCredentials = {
  readonly agentId: string;
  readonly token: Secret;
  /** Signs the challenge of a connection; absent for an identity without a key. */
  readonly prove?: ((agentId: string, challenge: string) => string) | undefined;
};

/** `waiting` = lost or not reached, tried again at `nextTryAt`; `refused` = the service does not accept our identity. Times in ms since the epoch. */
export type UplinkState = {
  readonly name: string;
  readonly phase: 'stopped' | 'connecting' | 'online' | 'waiting' | 'refused';
  readonly connectedSince: number | undefined;
  readonly nextTryAt: number | undefined;
  readonly lastError: string | undefined;
  /** Slices that the service has not confirmed; undefined when it cannot be told. */
  readonly backlog: number | undefined;
  /** Service clock minus ours at the last welcome, ms. */
  readonly skewMs: number | undefined;
};

export type Timing = {
  readonly pingMs: number;
  readonly silenceMs: number;
  /** For the connection, and again for the welcome. */
  readonly answerMs: number;
  /** Without any acknowledgement while slices are on the way. */
  readonly ackMs: number;
  readonly backoff: { readonly baseMs: number; readonly capMs: number };
  /** A connection that lasts this long starts the backoff anew. */
  readonly stableMs: number;
  readonly refusedMs: number;
};
