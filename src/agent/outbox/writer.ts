// Writes what waits to disk: what one round does, and when there is one. It never throws into its callers.
import type { Cancel, Clock } from '../../base/clock.ts';
import { lookAtClocks } from '../../base/time/clock-steps.ts';
import type { WriteHealth } from './health.ts';
import type { Batch, LiveStates, Queue } from './queue.ts';
import { asDated, beginAges, noteProduced } from './slice-ages.ts';
import type { Bookkeeping } from './storage/bookkeeping.ts';
import type { SliceRoom } from './storage/room.ts';
import { compress, headOf, seal } from './storage/slice.ts';

/** With more slices than these to be read an uplink is behind. */
const BEHIND_FROM = 32;
const UNFOLLOWED_FACTOR = 10;

type SliceWriter = ReturnType<typeof createWriter>;

/** Writes the records of the queue, slice by slice, and keeps the slices inside their room. */
export function createWriter(parts: {
  readonly clock: Clock;
  readonly queue: Queue;
  readonly live: LiveStates;
  readonly bookkeeping: Bookkeeping;
  readonly room: SliceRoom;
  readonly health: WriteHealth;
  readonly sliceRecords: number;
}) {
  const { clock, queue, live, bookkeeping, room, health, sliceRecords } = parts;
  let ages = beginAges(bookkeeping.meta.nextId, lookAtClocks(clock));
  let lastCommitAt: number | undefined;
  /** Records at the head of the queue that must not wait for a full slice. */
  let urgent = 0;

  const isSliceDue = () => urgent > 0 || queue.size() >= sliceRecords;

  /** What goes into the next slice; undefined when none is due. A loss alone is declared as soon as there is room. */
  const take = (): Batch | undefined => {
    if (!isSliceDue() && (queue.size() > 0 || queue.loss() === undefined || room.isFull())) return undefined;
    const batch = queue.take({ maxRecords: sliceRecords, isFull: room.isFull() });
    urgent = Math.min(queue.size(), Math.max(0, urgent - (batch?.entries.length ?? urgent)));
    return batch;
  };

  const write = async ({ entries, offsetMs }: Batch): Promise<number> => {
    // What comes while the slice is being written is not in it: should the process be killed then, the gap begins
    // before that.
    const aliveMs = Math.min(clock.nowMs(), queue.oldestMs() ?? Infinity);
    const body = await compress(entries);
    const { nextId, hasSamples } = bookkeeping.meta;
    const now = lookAtClocks(clock);
    const produced = asDated(offsetMs, now);
    const slice = seal(headOf(nextId, produced.wallMs, entries), body);
    ages = noteProduced(ages, nextId, produced);
    const holdsSamples = slice.samples + slice.changes > 0;
    room.commit({ nextId: nextId + 1, isClean: false, hasSamples: hasSamples || holdsSamples, aliveMs }, slice);
    lastCommitAt = now.wallMs;
    return nextId;
  };

  const commit = async (batch: Batch): Promise<void> => {
    try {
      batch.settle(await write(batch));
    } catch (error) {
      batch.putBack();
      throw error;
    }
  };

  return {
    ages: () => ages,
    lastCommitAt: () => lastCommitAt,
    isUrgent: () => urgent > 0,
    /** The next round writes everything that waits now. */
    hurry(): void {
      urgent = queue.size();
    },
    /** Writes all slices that are due. `hasCommitted` = some were written, `hasFailed` = the disk refused one. */
    async round(): Promise<{ readonly hasCommitted: boolean; readonly hasFailed: boolean }> {
      let hasCommitted = false;
      try {
        // A slice that is about to be written takes the deletions along in its own transaction.
        if (!isSliceDue() || room.isOver()) await room.deleteAcknowledged();
        if (room.isOver()) await room.shrink();
        for (let batch = take(); batch !== undefined; batch = take()) {
          await commit(batch);
          hasCommitted = true;
          health.worked();
          live.clear();
          await room.shrink();
        }
        return { hasCommitted, hasFailed: false };
      } catch (error) {
        health.failed(error, queue.size());
        return { hasCommitted, hasFailed: true };
      }
    },
  };
}

/** When the writer works: now for urgent records or a full slice, else after a delay. One round at a time. */
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
    // What others hand over in this same turn goes into the same slice: each one is a write to the disk.
    await Promise.resolve();
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

  /** While no uplink takes what is written, samples wait for a fuller slice, which is smaller and spares the disk. */
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
