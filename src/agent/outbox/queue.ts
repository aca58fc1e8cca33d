// Records that wait for their commit, in order and bounded. What does not fit is counted, oldest samples first, and declared as a gap with the next slice.
// It knows neither disk nor time.
import { CancelledError, RefusedError } from '../../base/errors.ts';
import { isStep } from '../../base/time/clock-steps.ts';
import { type Entry, gapEntry, MAX_BODY_BYTES } from './slice.ts';

type Waiting = {
  readonly entry: Entry;
  readonly done?: { resolve(id: number): void; reject(error: Error): void } | undefined;
  /** What the wall clock that dated it was ahead of elapsed time, ms; absent = its times are not of one moment. */
  readonly offsetMs?: number | undefined;
};

/** Records that were produced and are gone; the span is that of their own times. */
type Loss = { readonly count: number; readonly firstMs: number; readonly lastMs: number };

/** What goes into the next slice, all dated by the wall clock as it was set at `offsetMs`; one at a time. Give it back with `putBack` when the commit fails, tell `settle` when it worked. */
export type Batch = {
  readonly entries: readonly Entry[];
  readonly offsetMs: number | undefined;
  settle(id: number): void;
  putBack(): void;
};

export type Queue = ReturnType<typeof createQueue>;

export function createQueue({ maxRecords, maxBytes }: { maxRecords: number; maxBytes: number }) {
  let waiting: Waiting[] = [];
  let bytes = 0;
  let loss: Loss | undefined;
  let lost = 0;
  let inFlight = 0;

  const addLoss = (more: Loss) => {
    const { count, firstMs, lastMs } = loss ?? { count: 0, firstMs: Infinity, lastMs: -Infinity };
    loss = {
      count: count + more.count,
      firstMs: Math.min(firstMs, more.firstMs),
      lastMs: Math.max(lastMs, more.lastMs),
    };
  };

  /** Counts a record that could not even be queued. */
  const lose = (more: Loss) => {
    lost += more.count;
    addLoss(more);
  };

  const loseEntry = ({ firstMs, lastMs }: Entry) => lose({ count: 1, firstMs, lastMs });

  /** Drops the oldest samples until `keepRecords` and `keepBytes` hold, or no sample is left; those that show a change after all others. */
  const dropSamples = (keepRecords: number, keepBytes: number) => {
    for (const gone of ['sample', 'change'] as const) {
      let left = waiting.length;
      waiting = waiting.filter(({ entry, done }) => {
        if (entry.kind !== gone || (left <= keepRecords && bytes <= keepBytes)) return true;
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
      if (waiting.length + inFlight >= maxRecords || bytes + entry.bytes > maxBytes) {
        dropSamples(Math.floor(maxRecords * 0.9), Math.floor(maxBytes * 0.9));
      }
      if (waiting.length + inFlight >= maxRecords || bytes + entry.bytes > maxBytes) {
        if (entry.kind !== 'sample' && entry.kind !== 'change') return false;
        loseEntry(entry);
        done?.reject(queueFull());
        return true;
      }
      waiting.push({ entry, done, offsetMs });
      bytes += entry.bytes;
      return true;
    },
    lose,
    /** The oldest records that fit one slice, with the gap for what was lost before them; undefined when there is nothing to write. */
    take({ maxRecords: limit, isFull }: { maxRecords: number; isFull: boolean }): Batch | undefined {
      if (isFull) dropSamples(0, 0);
      const gap = loss;
      if (waiting.length === 0 && (gap === undefined || isFull)) return undefined;
      const gapEntries = gap === undefined ? [] : [gapEntry('buffer_full', gap.firstMs, gap.lastMs, gap.count)];
      let taken = 0;
      let takenBytes = 0;
      let offsetMs: number | undefined;
      for (const { entry, ...dated } of waiting) {
        if (offsetMs !== undefined && isStep((dated.offsetMs ?? offsetMs) - offsetMs)) break;
        if (taken >= limit || (taken > 0 && takenBytes + entry.bytes > MAX_BODY_BYTES)) break;
        offsetMs ??= dated.offsetMs;
        taken++;
        takenBytes += entry.bytes;
      }
      const batch = waiting.slice(0, taken);
      waiting = waiting.slice(taken);
      bytes -= takenBytes;
      loss = undefined;
      inFlight = taken;
      return {
        entries: [...gapEntries, ...batch.map(({ entry }) => entry)],
        offsetMs,
        settle(id) {
          inFlight = 0;
          for (const { done } of batch) done?.resolve(id);
        },
        putBack() {
          inFlight = 0;
          waiting = [...batch, ...waiting];
          bytes += takenBytes;
          if (gap !== undefined) addLoss(gap);
        },
      };
    },
    rejectAll() {
      for (const { done } of waiting) done?.reject(new CancelledError('store records: the outbox closed first'));
    },
    size: () => waiting.length,
    /** Those that wait and those that are being written. */
    pending: () => waiting.length + inFlight,
    /** Time of the record that waits longest. */
    oldestMs: () => waiting[0]?.entry.firstMs,
    /** What the next slice will declare. */
    loss: () => loss,
    /** All records lost here since the start. */
    lost: () => lost,
  };
}

export function queueFull(): RefusedError {
  return new RefusedError('outbox.full');
}

/** Far more than the records of the largest farm; beyond it those that changed longest ago are not shown. */
const MAX_LIVE_BYTES = 64 * 1024 * 1024;

/** What of it is news: `last` is to be given as `after` the next time. */
export type LiveNews = { readonly entries: readonly Entry[]; readonly last: number };

/** The newest record of each miner while the disk takes nothing: what a service may be shown although it is not kept. */
export function createLiveStates(maxBytes = MAX_LIVE_BYTES) {
  /** By miner, the one that changed longest ago first. */
  const newest = new Map<string, { readonly entry: Entry; readonly number: number }>();
  let bytes = 0;
  let count = 0;

  const drop = (key: string) => {
    bytes -= newest.get(key)?.entry.bytes ?? 0;
    newest.delete(key);
  };

  return {
    note(key: string, entry: Entry): void {
      drop(key);
      newest.set(key, { entry, number: ++count });
      bytes += entry.bytes;
      for (const oldest of newest.keys()) {
        if (bytes <= maxBytes) break;
        drop(oldest);
      }
    },
    /** Those after this number, the oldest first, as many as the limits allow. */
    news(after: number, limits: { readonly maxRecords: number; readonly maxBytes: number }): LiveNews {
      const entries: Entry[] = [];
      let last = after;
      let size = 0;
      for (const { entry, number } of newest.values()) {
        if (number <= after) continue;
        size += entry.bytes;
        if (entries.length >= limits.maxRecords || (entries.length > 0 && size > limits.maxBytes)) break;
        entries.push(entry);
        last = number;
      }
      return { entries, last };
    },
    clear(): void {
      newest.clear();
      bytes = 0;
    },
  };
}
