// Records that wait for their commit, in order and bounded. Records beyond the bound are dropped, oldest samples first, counted, and declared as a gap
// with the next slice. It knows neither disk nor time.
import { CancelledError, RefusedError } from '../../../base/errors.ts';
import { isStep } from '../../../base/time/clock-steps.ts';
import { type Entry, gapEntry, isSample, MAX_BODY_BYTES } from '../storage/slice.ts';

type Waiting = {
  readonly entry: Entry;
  readonly done?: { resolve(id: number): void; reject(error: Error): void } | undefined;
  /** By how much the wall clock that dated it was ahead of elapsed time, ms. Absent = its times are not of one moment. */
  readonly offsetMs?: number | undefined;
};

/** Records that were produced and are gone; the span is that of their own times. */
type Loss = { readonly count: number; readonly firstMs: number; readonly lastMs: number };

/**
 * What goes into the next slice, all dated by the wall clock as it was set at `offsetMs`; one at a time. After the commit call `settle`, or `putBack`
 * when the commit failed.
 */
export type Batch = {
  readonly entries: readonly Entry[];
  readonly offsetMs: number | undefined;
  settle(id: number): void;
  putBack(): void;
};

export type Queue = ReturnType<typeof createQueue>;

export function createQueue({ maxRecords, maxBytes }: { readonly maxRecords: number; readonly maxBytes: number }) {
  let waiting: Waiting[] = [];
  let bytes = 0;
  let inFlight = 0;
  let loss: Loss | undefined;
  let lost = 0;

  /** Counts records that could not even be queued. */
  const lose = (more: Loss) => {
    lost += more.count;
    loss = sumOf(loss, more);
  };
  const loseEntry = ({ firstMs, lastMs }: Entry) => lose({ count: 1, firstMs, lastMs });
  const isFullFor = (entry: Entry) => waiting.length + inFlight >= maxRecords || bytes + entry.bytes > maxBytes;

  /** Drops the oldest samples until `keepRecords` and `keepBytes` hold, or no sample is left; samples that show a change go last. */
  const dropSamples = (keepRecords: number, keepBytes: number) => {
    for (const kind of ['sample', 'change'] as const) {
      let left = waiting.length;
      waiting = waiting.filter(({ entry, done }) => {
        if (entry.kind !== kind || (left <= keepRecords && bytes <= keepBytes)) return true;
        left--;
        bytes -= entry.bytes;
        loseEntry(entry);
        done?.reject(queueFull());
        return false;
      });
    }
  };

  return {
    /** False when it was refused: only for records that are not samples, when nothing but such records waits. */
    add(entry: Entry, done?: Waiting['done'], offsetMs?: number): boolean {
      // A tenth of the room is freed at a time: one pass over the queue per many drops.
      if (isFullFor(entry)) dropSamples(Math.floor(maxRecords * 0.9), Math.floor(maxBytes * 0.9));
      if (isFullFor(entry)) {
        if (!isSample(entry)) return false;
        loseEntry(entry);
        done?.reject(queueFull());
        return true;
      }
      waiting.push({ entry, done, offsetMs });
      bytes += entry.bytes;
      return true;
    },
    lose,
    /** The oldest records that fit one slice, with the gap for those lost before them; undefined when there is nothing to write. */
    take(limits: { readonly maxRecords: number; readonly isFull: boolean }): Batch | undefined {
      if (limits.isFull) dropSamples(0, 0);
      const gap = loss;
      if (waiting.length === 0 && (gap === undefined || limits.isFull)) return undefined;
      const gapEntries = gap === undefined ? [] : [gapEntry('buffer_full', gap.firstMs, gap.lastMs, gap.count)];
      const fit = fitting(waiting, limits.maxRecords);
      const batch = waiting.slice(0, fit.taken);
      waiting = waiting.slice(fit.taken);
      bytes -= fit.bytes;
      loss = undefined;
      inFlight = fit.taken;
      return {
        entries: [...gapEntries, ...batch.map(({ entry }) => entry)],
        offsetMs: fit.offsetMs,
        settle(id) {
          inFlight = 0;
          for (const { done } of batch) done?.resolve(id);
        },
        putBack() {
          inFlight = 0;
          waiting = [...batch, ...waiting];
          bytes += fit.bytes;
          if (gap !== undefined) loss = sumOf(loss, gap);
        },
      };
    },
    rejectAll() {
      for (const { done } of waiting) done?.reject(new CancelledError('store records: the outbox closed first'));
    },
    size: () => waiting.length,
    /** Records that wait or are being written. */
    pending: () => waiting.length + inFlight,
    /** Time of the record that waits longest. */
    oldestMs: () => waiting[0]?.entry.firstMs,
    /** What the next slice will declare. */
    loss: () => loss,
    /** All records lost here since the start. */
    lost: () => lost,
  };
}

/** How many of the first records fit one slice: as many as are allowed, in its bytes, and dated by a clock that was not set in between. */
export function fitting(
  waiting: readonly Pick<Waiting, 'entry' | 'offsetMs'>[],
  maxRecords: number,
): { readonly taken: number; readonly bytes: number; readonly offsetMs: number | undefined } {
  let taken = 0;
  let bytes = 0;
  let offsetMs: number | undefined;
  for (const { entry, ...dated } of waiting) {
    if (offsetMs !== undefined && isStep((dated.offsetMs ?? offsetMs) - offsetMs)) break;
    if (taken >= maxRecords || (taken > 0 && bytes + entry.bytes > MAX_BODY_BYTES)) break;
    offsetMs ??= dated.offsetMs;
    taken++;
    bytes += entry.bytes;
  }
  return { taken, bytes, offsetMs };
}

const sumOf = (loss: Loss | undefined, more: Loss): Loss =>
  loss === undefined
    ? more
    : {
        count: loss.count + more.count,
        firstMs: Math.min(loss.firstMs, more.firstMs),
        lastMs: Math.max(loss.lastMs, more.lastMs),
      };

export function queueFull(): RefusedError {
  return new RefusedError('outbox.full');
}
