// When the writer works: at once for urgent records or a full slice, else after a delay; again after a failure. One round at a time.
import type { Cancel, Clock } from '../../base/clock.ts';
import type { WriteHealth } from './health.ts';
import type { Queue } from './queue/queue.ts';
import type { Bookkeeping } from './storage/bookkeeping.ts';
import type { SliceWriter } from './writer.ts';

/** With more slices than these to be read an uplink is behind. */
const BEHIND_FROM = 32;
const UNFOLLOWED_FACTOR = 10;

export function createSchedule(parts: {
  readonly clock: Clock;
  readonly queue: Queue;
  readonly bookkeeping: Bookkeeping;
  readonly writer: SliceWriter;
  readonly health: WriteHealth;
  readonly flushMs: number;
  /** Slices were written. */
  readonly onWritten: () => void;
}) {
  const { clock, queue, bookkeeping, writer, health, flushMs, onWritten } = parts;
  let timer: Cancel | undefined;
  /** The timer is one of samples that wait for a fuller slice. */
  let isPatient = false;
  let running: Promise<void> | undefined;
  let end: 'closing' | 'abandoned' | undefined;

  /** Runs a round, or joins the one that runs. Never rejects. */
  const run = (): Promise<void> => {
    running ??= round().finally(() => {
      running = undefined;
      if (end !== undefined) return;
      if (writer.isUrgent() && health.fault() === undefined) void run();
      else if (bookkeeping.isDirty) wake();
      else if (queue.size() > 0) wakeForSamples();
    });
    return running;
  };

  const round = async () => {
    if (end === 'abandoned') return;
    const { hasCommitted, hasFailed } = await writer.round();
    if (hasFailed) wake(health.retryMs());
    if (hasCommitted) onWritten();
  };

  /** Writes everything that waits now. */
  const runNow = (): Promise<void> => {
    writer.hurry();
    return run();
  };

  const wake = (delayMs = flushMs) => {
    if (end !== undefined || timer !== undefined) return;
    timer = clock.after(delayMs, () => {
      timer = undefined;
      isPatient = false;
      void runNow();
    });
  };

  const stopTimer = () => {
    timer?.();
    timer = undefined;
    isPatient = false;
  };

  /** While no uplink takes what is written, samples wait for a fuller slice: it is smaller for what it holds, and the disk is spared. */
  const wakeForSamples = () => {
    if (timer !== undefined) return;
    isPatient = bookkeeping.leastBehind() > BEHIND_FROM;
    wake(flushMs * (isPatient ? UNFOLLOWED_FACTOR : 1));
  };

  return {
    run,
    runNow,
    wake,
    wakeForSamples,
    /** An uplink takes what is written again. */
    wakeForPeer(): void {
      if (isPatient) stopTimer();
      wake();
    },
    /** From now on only `run` and `runNow` start a round. */
    close(): void {
      end = 'closing';
      stopTimer();
    },
    /** No round begins any more. Resolves when the last one is over. */
    async abandon(): Promise<void> {
      end = 'abandoned';
      stopTimer();
      await running;
    },
  };
}
