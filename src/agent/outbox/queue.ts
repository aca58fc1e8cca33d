// Records that wait for their commit, in order and bounded. Records beyond the bound are dropped, oldest samples first,
// counted, and declared as a gap with the next slice. It knows neither disk nor time.
import { crc32 } from 'node:zlib';
import { CancelledError, RefusedError } from '../../base/errors.ts';
import { isStep } from '../../base/time/clock-steps.ts';
import type { ReportRecord } from '../../wire/records.ts';
import { type Entry, gapEntry, isSample, MAX_BODY_BYTES } from './storage/slice.ts';

type Waiting = {
  readonly entry: Entry;
  readonly done?: { resolve(id: number): void; reject(error: Error): void } | undefined;
  /** What the wall clock that dated it was ahead of elapsed time, ms. Absent = its times are of several moments. */
  readonly offsetMs?: number | undefined;
};

/** Records that were produced and are gone; the span is that of their own times. */
type Loss = { readonly count: number; readonly firstMs: number; readonly lastMs: number };

/** What goes into the next slice, dated by one setting of the clock. Call `settle` after the commit, or `putBack`. */
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

  /** Drops the oldest samples until both bounds hold, or no sample is left; samples that show a change go last. */
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
    /** The oldest records that fit one slice, with the gap for those lost before; undefined when there are none. */
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

/** How many of the first records fit one slice, in number and bytes, dated by a clock that was not set in between. */
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

/** Far more than the records of the largest farm; beyond it the states that changed longest ago are dropped. */
const MAX_LIVE_BYTES = 64 * 1024 * 1024;

export type LiveStates = ReturnType<typeof createLiveStates>;

/** The newest record of each miner while the disk takes nothing: a service may show it although it is not kept. */
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
    /** States after this number, the oldest first, as many as the limits allow. `last` is the next `after`. */
    news(after: number, limits: { readonly maxRecords: number; readonly maxBytes: number }) {
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

/** With more miners than this all states are forgotten rather than kept without bound. */
const MAX_MINERS = 200_000;

/**
 * Recognises samples that show a change of state: the first of a miner, and each whose state differs from the one
 * before. The state is that of flags, lists and identity, never figures that move all the time.
 */
export function createChanges() {
  const last = new Map<string, number>();
  return {
    isChange(record: ReportRecord): boolean {
      if (record.kind !== 'miner') return false;
      const { anomaly_flags, last_check_succeed, is_mining, mining_mode, unstable_reason, ip, mac, firmware_version } =
        record.document;
      const state = [anomaly_flags, last_check_succeed, is_mining, mining_mode, unstable_reason, ip, mac];
      const sum = crc32([...state, firmware_version, record.document.model].join('\n'));
      if (last.get(record.key) === sum) return false;
      if (last.size >= MAX_MINERS) last.clear();
      last.set(record.key, sum);
      return true;
    },
  };
}
