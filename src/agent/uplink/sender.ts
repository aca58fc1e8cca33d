// Which slices are sent next and which are on the way: the newest epoch first, older ones fill the rest of the window.
// It knows no socket and ends no connection.
import type { Clock } from '../../base/clock.ts';
import { encodeSlice } from '../../wire/frames.ts';
import type { SliceSource } from '../outbox/outgoing.ts';

const MAX_SLICES_IN_FLIGHT = 8;
const MAX_BYTES_IN_FLIGHT = 4 * 1024 * 1024;
const FIRST_BYTES = 256 * 1024;
const LEAST_BYTES = 16 * 1024;
const QUICK_MS = 2_000;
const SLOW_MS = 10_000;

export type Window = ReturnType<typeof createWindow>;

/** Bytes that may be on the way. They grow with quick acknowledgements, so that a slow connection is never clogged. */
export function createWindow() {
  let bytes = FIRST_BYTES;
  return {
    /** Bytes that may be on the way. One slice may always go, however large. */
    bytes: () => bytes,
    acknowledged(tookMs: number): void {
      if (tookMs < QUICK_MS) bytes = Math.min(MAX_BYTES_IN_FLIGHT, bytes * 2);
      else if (tookMs > SLOW_MS) bytes = Math.max(LEAST_BYTES, bytes / 2);
    },
    /** The connection died with slices on the way. */
    broke(): void {
      bytes = Math.max(LEAST_BYTES, bytes / 4);
    },
  };
}

type OnTheWay = { readonly epoch: string; readonly seq: number; readonly bytes: number; readonly sentAtMs: number };

/** Slices in the window that a backlog leaves to new slices. */
const KEPT_FOR_NEW = 2;

export function createSender(options: {
  readonly source: SliceSource;
  readonly window: Window;
  readonly clock: Clock;
  transmit(frame: Buffer): void;
  /** Called when slices go on their way, when some arrive while others wait, and when none is left. */
  waits(isWaiting: boolean): void;
  cannot(reason: string): void;
}) {
  const { source, window, clock } = options;
  const sentSeqs = new Map<string, number>();
  let onTheWay: OnTheWay[] = [];
  let isStopped = false;

  /** False when the window is full, or the epoch cannot be continued. */
  const sendEpoch = async (epoch: string, maxOnTheWay: number): Promise<boolean> => {
    for (;;) {
      const sentSeq = sentSeqs.get(epoch) ?? 0;
      const room = window.bytes() - onTheWay.reduce((sum, { bytes }) => sum + bytes, 0);
      const maxSlices = maxOnTheWay - onTheWay.length;
      if (maxSlices <= 0 || (room <= 0 && onTheWay.length > 0)) return false;
      const slices = await source.read({ epoch, afterSeq: sentSeq, maxSlices, maxBytes: Math.max(1, room) });
      if (isStopped) return false;
      if (slices.length === 0) return true;
      for (const [index, { header, body, producedElapsedMs }] of slices.entries()) {
        if (header.epoch !== epoch || header.seq !== sentSeq + 1 + index) {
          options.cannot('the stored slices do not follow each other');
          return false;
        }
        const ageMs = Math.max(0, Math.round(clock.elapsedMs() - producedElapsedMs));
        const frame = encodeSlice({ ...header, age_ms: ageMs }, body);
        if (onTheWay.length === 0) options.waits(true);
        onTheWay.push({ epoch, seq: header.seq, bytes: frame.length, sentAtMs: clock.monotonicMs() });
        sentSeqs.set(epoch, header.seq);
        options.transmit(frame);
      }
    }
  };

  return {
    /** The slices of this epoch after `sentSeq` may be sent. The newest epoch is the one that the source names last. */
    join: (epoch: string, sentSeq: number): void => void sentSeqs.set(epoch, sentSeq),
    /** One call at a time. Rejects when the source does. */
    async sendMore(): Promise<void> {
      const joined = (await source.epochs()).filter(({ epoch }) => sentSeqs.has(epoch));
      for (const [age, { epoch }] of joined.toReversed().entries()) {
        const isBacklog = age > 0;
        const isWindowOpen = await sendEpoch(epoch, MAX_SLICES_IN_FLIGHT - (isBacklog ? KEPT_FOR_NEW : 0));
        if (isStopped || (!isWindowOpen && !isBacklog)) return;
      }
    },
    /** `news` = more may be sent; `stale` = nothing new; `stranger`, `early` = the peer is wrong. */
    async acknowledged(epoch: string, seq: number) {
      const sentSeq = sentSeqs.get(epoch);
      if (sentSeq === undefined) return 'stranger';
      if (seq > sentSeq) return 'early';
      const newest = onTheWay.findLast((slice) => slice.epoch === epoch && slice.seq <= seq);
      if (newest === undefined) return 'stale';
      window.acknowledged(clock.monotonicMs() - newest.sentAtMs);
      onTheWay = onTheWay.filter((slice) => slice.epoch !== epoch || slice.seq > seq);
      options.waits(onTheWay.length > 0);
      await source.acknowledge(seq, epoch);
      return 'news';
    },
    /** Whether slices are on the way. */
    isWaiting: () => onTheWay.length > 0,
    /** Whether all epochs that have joined are closed and confirmed. */
    async isDone(): Promise<boolean> {
      const [oldest] = await source.epochs();
      return onTheWay.length === 0 && !sentSeqs.has(oldest.epoch);
    },
    /** The connection is over: nothing is transmitted from now on. */
    stop(): void {
      isStopped = true;
    },
  };
}
