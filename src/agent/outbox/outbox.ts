// Everything the agent reports, on disk before it is sent. Stored + declared gaps = produced: what cannot be kept is counted and said.
// It never throws into those who report, and it does not know what an uplink is beyond a name and a cursor.
import type { DatabaseSync } from 'node:sqlite';
import { type Cancel, type Clock, yieldToEventLoop } from '../../base/clock.ts';
import { CancelledError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { type DiskFault, diskFault } from '../../base/storage/disk-fault.ts';
import { sqliteFault } from '../../base/storage/sqlite.ts';
import { doublingMs } from '../../base/time/backoff.ts';
import { lookAtClocks, offsetOf } from '../../base/time/clock-steps.ts';
import type { ReportRecord } from '../../wire/records.ts';
import { openBooks } from './books.ts';
import { createOutgoing } from './outgoing.ts';
import { type Batch, createLiveStates, createQueue, type Queue, queueFull } from './queue.ts';
import { compress, type Entry, gapEntry, headOf, ROW_BYTES, seal, toEntry } from './slice.ts';
import { asDated, beginAges, noteProduced } from './slice-ages.ts';
import { createChanges, type Space, shrinkOnce } from './space.ts';
import { openStore } from './store.ts';

const RETRY = { baseMs: 1_000, capMs: 30_000 };
const DELETE_BATCH = 256;
const UNFOLLOWED_FACTOR = 10;
const DEFAULTS = {
  /** Compressed slices on disk, all uplinks together. */
  maxBytes: 256 * 1024 * 1024,
  sliceRecords: 250,
  /** A sample waits at most this long for its slice to fill, ten times as long while nobody takes what is stored. */
  flushMs: 1_000,
  /** Records and bytes that wait in memory while the disk refuses. */
  maxPendingRecords: 20_000,
  maxPendingBytes: 64 * 1024 * 1024,
};

/** A disk that takes this and refuses that is not well yet. */
const SETTLE_MS = 15_000;
const NO_ROOM = 'there is no room left for reports';

export type OutboxSettings = Readonly<Partial<typeof DEFAULTS>>;
/** What others may ask of the outbox. */
export type Outbox = Omit<ReturnType<typeof createOutbox>, 'abandon'>;

/** Records that wait, and who waits for slices. */
type Shared = { readonly queue: Queue; readonly listeners: Set<() => void> };

export function createShared(settings: OutboxSettings = {}): Shared {
  const { maxPendingRecords, maxPendingBytes } = { ...DEFAULTS, ...settings };
  return { queue: createQueue({ maxRecords: maxPendingRecords, maxBytes: maxPendingBytes }), listeners: new Set() };
}

/** Throws what the database throws when it cannot even be read. `newEpoch` makes a UUID, for the outbox itself too. */
export function createOutbox(
  db: DatabaseSync,
  options: {
    readonly clock: Clock;
    readonly log: Log;
    readonly newEpoch: () => string;
    readonly settings?: OutboxSettings;
    readonly space?: Space;
    /** Of the database, where it is in a file. */
    readonly folder?: string;
    /** What outlives this database: an outbox on another one goes on with it. */
    readonly shared?: Shared;
    /** The database says that it is damaged. Called at every such error. */
    readonly onDamaged?: () => void;
    /** Whether the name of the file still leads to it. Absent = it does. */
    readonly isInPlace?: () => boolean;
  },
) {
  const { clock, log } = options;
  const settings = { ...DEFAULTS, ...options.settings };
  const store = openStore(db);
  const books = openBooks(store, { nowMs: clock.nowMs(), newEpoch: options.newEpoch });
  const { queue, listeners } = options.shared ?? createShared(settings);
  let ages = beginAges(books.meta().nextId, lookAtClocks(clock));
  const changes = createChanges();
  const live = createLiveStates();

  let { bytes, slices } = store.sums();
  let isFull = false;
  let isClosed = false;
  let isAbandoned = false;
  let droppedBySpace = 0;
  let droppedChanges = 0;
  let lastCommitAt: number | undefined;
  let fault: string | undefined;
  /** It is written, and gone with the end of the process. */
  let misplaced: DiskFault | undefined;
  let lastFault: { readonly text: string; readonly atMs: number } | undefined;
  let failures = 0;
  /** Records at the head of the queue that must not wait for a full slice. */
  let urgent = 0;
  let timer: Cancel | undefined;
  /** The timer is one of samples that wait for a fuller slice. */
  let isPatient = false;
  let working: Promise<void> | undefined;

  const note = (error: unknown) => {
    const kind = sqliteFault(error);
    // So looks a page that the disk refused to read, too; one that is damaged is moved aside at once.
    const fromDisk = kind === 'damaged' ? 'the disk does not answer' : diskFault(error, options.folder);
    const text = fromDisk ?? renderError(error);
    if (fault !== text) log.error({ error: renderError(error), pending: queue.size() }, 'the outbox cannot write');
    fault = text;
    lastFault = { text, atMs: clock.monotonicMs() };
    failures++;
    if (kind === 'full') options.space?.noneLeft(bytes);
    if (kind === 'damaged') options.onDamaged?.();
  };

  /** Why samples that come now are not kept soon, for people. */
  const whyUnkept = () => {
    if (isFull) return NO_ROOM;
    const isFresh = lastFault !== undefined && clock.monotonicMs() - lastFault.atMs < SETTLE_MS;
    return fault ?? misplaced ?? (isFresh ? lastFault?.text : undefined);
  };

  const maxBytes = () => options.space?.allowed(bytes) ?? settings.maxBytes;

  /** While nobody takes what is written, samples wait for a fuller slice: it is smaller for what it holds, and the disk is spared. */
  const wakeForSamples = () => {
    if (timer !== undefined) return;
    isPatient = !outgoing.isFollowed();
    wake(settings.flushMs * (isPatient ? UNFOLLOWED_FACTOR : 1));
  };

  const stopTimer = () => {
    timer?.();
    timer = undefined;
    isPatient = false;
  };

  const wakeForPeer = () => {
    if (isPatient) stopTimer();
    wake(settings.flushMs);
  };

  const wake = (delayMs: number) => {
    if (isClosed || isAbandoned || timer !== undefined) return;
    timer = clock.after(delayMs, () => {
      timer = undefined;
      isPatient = false;
      urgent = queue.size();
      void work();
    });
  };

  const tell = () => {
    for (const listener of listeners) guarded('a listener of the outbox failed', listener);
  };

  const commit = async (batch: Batch): Promise<void> => {
    // What comes while the slice is being written is not in it: should we be killed then, the gap begins before that.
    const aliveMs = Math.min(clock.nowMs(), queue.oldestMs() ?? Infinity);
    const body = await compress(batch.entries);
    const { nextId } = books.meta();
    const now = lookAtClocks(clock);
    const produced = asDated(batch.offsetMs, now);
    const slice = seal(headOf(nextId, produced.wallMs, batch.entries), body);
    ages = noteProduced(ages, nextId, produced);
    const meta = {
      ...books.meta(),
      nextId: nextId + 1,
      isClean: false,
      hasSamples: books.meta().hasSamples || slice.samples + slice.changes > 0,
      aliveMs,
    };
    const gone = books.commit({ meta, slices: [slice], dropLimit: DELETE_BATCH });
    bytes += body.length + ROW_BYTES;
    slices++;
    dropped(gone);
    lastCommitAt = now.wallMs;
    batch.settle(nextId);
  };

  const given = { samples: 0, changes: 0 };
  const shrink = async () => {
    isFull = false;
    for (let limit = maxBytes(); bytes > limit && !isFull; limit = maxBytes()) {
      const step = shrinkOnce(store, { bytes, maxBytes: limit, nowMs: clock.nowMs() }, given);
      bytes -= step.freed;
      droppedBySpace += step.samples;
      droppedChanges += step.changes;
      isFull = step.isExhausted && bytes > limit;
      await yieldToEventLoop();
    }
  };

  /** Up to which slice rows are known to be deleted. */
  let clearedThrough = -1;
  const dropped = (sizes: readonly number[]) => {
    bytes -= sizes.reduce((sum, size) => sum + size, 0);
    slices -= sizes.length;
    if (sizes.length < DELETE_BATCH) clearedThrough = books.meta().deletedThrough;
  };

  const deleteAcknowledged = async () => {
    while (books.isDirty() || clearedThrough !== books.meta().deletedThrough) {
      dropped(books.commit({ meta: books.meta(), dropLimit: DELETE_BATCH }));
      await yieldToEventLoop();
    }
  };

  const workOnce = async (): Promise<void> => {
    if (isAbandoned) return;
    let hasCommitted = false;
    try {
      // A slice that is about to be written takes this along in its own transaction.
      const isAboutToCommit = urgent > 0 || queue.size() >= settings.sliceRecords;
      if (!isAboutToCommit || bytes > maxBytes()) await deleteAcknowledged();
      if (bytes > maxBytes()) await shrink();
      else isFull = false;
      while (
        urgent > 0 ||
        queue.size() >= settings.sliceRecords ||
        (queue.size() === 0 && queue.loss() !== undefined && !isFull)
      ) {
        const batch = queue.take({ maxRecords: settings.sliceRecords, isFull });
        urgent = Math.min(queue.size(), Math.max(0, urgent - (batch?.entries.length ?? urgent)));
        if (batch === undefined) break;
        try {
          await commit(batch);
        } catch (error) {
          batch.putBack();
          throw error;
        }
        hasCommitted = true;
        failures = 0;
        fault = undefined;
        misplaced = options.isInPlace?.() === false ? 'the file is not where it was opened' : undefined;
        live.clear();
        await shrink();
      }
    } catch (error) {
      note(error);
      wake(doublingMs(failures - 1, RETRY));
    }
    if (hasCommitted) tell();
  };

  const work = (): Promise<void> => {
    working ??= workOnce().finally(() => {
      working = undefined;
      if (isClosed || isAbandoned) return;
      if (urgent > 0 && fault === undefined) void work();
      else if (books.isDirty()) wake(settings.flushMs);
      else if (queue.size() > 0) wakeForSamples();
    });
    return working;
  };

  const enqueue = (record: ReportRecord, done?: Parameters<typeof queue.add>[1]): void => {
    let entry: Entry;
    try {
      entry = toEntry(record);
      if (changes.isChange(record)) entry = { ...entry, kind: 'change' };
      if (record.kind === 'miner' && whyUnkept() !== undefined) live.note(record.key, entry);
    } catch (error) {
      log.error({ kind: record.kind, error: renderError(error) }, 'a record cannot be stored');
      queue.lose({ count: 1, firstMs: clock.nowMs(), lastMs: clock.nowMs() });
      done?.resolve(0);
      return;
    }
    // Once in the life of an outbox: from here on, an end without close means that samples may be missing.
    if ((entry.kind === 'sample' || entry.kind === 'change') && !books.meta().hasSamples && fault === undefined) {
      guarded('the outbox cannot mark its first sample', () =>
        books.commit({ meta: { ...books.meta(), hasSamples: true } }),
      );
    }
    if (!queue.add(entry, done, offsetOf(lookAtClocks(clock)))) {
      queue.lose({ count: 1, firstMs: entry.firstMs, lastMs: entry.lastMs });
      done?.reject(queueFull());
    }
  };

  const guarded = (what: string, run: () => void) => {
    try {
      run();
    } catch (error) {
      log.error({ error: renderError(error) }, what);
      if (sqliteFault(error) === 'damaged') options.onDamaged?.();
    }
  };

  const outgoing = createOutgoing({
    store,
    books,
    clock,
    ages: () => ages,
    log,
    listeners,
    live: {
      ...live,
      why: whyUnkept,
      /** How many slices what waits may become at most. */
      waitingSlices: () => Math.ceil(queue.pending() / settings.sliceRecords) + 1,
    },
    onFailure: note,
    onRepaired() {
      ({ bytes, slices } = store.sums());
    },
    onAcknowledged: wakeForPeer,
    onRenewed() {
      const nowMs = clock.nowMs();
      queue.add(gapEntry('buffer_damaged', lastCommitAt ?? nowMs, nowMs, null));
      urgent = queue.size();
      void work();
    },
  });

  const restart = books.restartGap();
  guarded('the outbox cannot mark its start', () => {
    books.commit({ meta: books.meta() });
    // In the file itself: should the log be lost, the mark must not be lost with it.
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  });
  if (restart !== undefined) {
    queue.add(gapEntry('restart', restart.fromMs, restart.toMs, null));
    urgent = queue.size();
    void work();
  }

  return {
    /** Hands over a sample to memory that is bounded, to be stored within `flushMs`, or ten times that while no uplink takes what is stored. */
    offer(record: ReportRecord): void {
      if (isClosed) return;
      enqueue(record);
      if (fault === undefined && queue.size() >= settings.sliceRecords) void work();
      else wakeForSamples();
    },
    /** Stores these now, in order. Resolves with the number of the slice once it is on disk; rejects when too much waits or the outbox closes. */
    append(records: readonly ReportRecord[]): Promise<number> {
      if (isClosed) return Promise.reject(new CancelledError('store records: the outbox is closed'));
      if (records.length === 0) return Promise.resolve(books.meta().nextId - 1);
      return new Promise((resolve, reject) => {
        for (const [index, record] of records.entries()) {
          enqueue(record, index === records.length - 1 ? { resolve, reject } : undefined);
        }
        urgent = queue.size();
        if (fault === undefined) void work();
        else wake(settings.flushMs);
      });
    },
    source: outgoing.source,
    /** The uplinks that exist now: new ones get a cursor, those that are gone no longer hold slices back. */
    async setUplinks(names: readonly string[]): Promise<void> {
      guarded('the outbox cannot store its uplinks', () => books.setUplinks(names));
    },
    /** Resolves when everything handed over so far is on disk, or the disk has refused it. */
    async flush(): Promise<void> {
      do {
        urgent = queue.size();
        await work();
      } while (queue.pending() > 0 && fault === undefined);
    },
    /** From memory. */
    state: () => ({
      slices,
      bytes,
      pendingRecords: queue.pending(),
      /** Lost and not yet declared on disk. */
      undeclaredRecords: queue.loss()?.count ?? 0,
      /** Samples that gave way on disk although they showed a change, since the start. */
      droppedChanges,
      /** Samples given up since the start, for want of disk or memory. */
      droppedRecords: droppedBySpace + queue.lost(),
      /** Nothing is left that could give way: new samples are counted, not kept. */
      isFull,
      lastCommitAt,
      /** Until when the run before this one is known to have worked, ms since the epoch; in a new outbox the time of its start. */
      earlierUntil: books.earlierUntilMs(),
      /** Why what was committed last is not kept; undefined when it is. */
      fault: fault ?? misplaced,
      backlog: books.backlog(),
    }),
    async abandon(): Promise<void> {
      isAbandoned = true;
      stopTimer();
      await working;
    },
    /** Stores what waits and marks the end as clean. */
    async close(): Promise<void> {
      if (isClosed) return;
      isClosed = true;
      stopTimer();
      urgent = queue.size();
      await work();
      urgent = queue.size();
      if (urgent > 0) await work();
      guarded('the outbox cannot mark its end', () => {
        const isClean = queue.size() === 0 && queue.loss() === undefined;
        const aliveMs = isClean ? clock.nowMs() : books.meta().aliveMs;
        books.commit({ meta: { ...books.meta(), isClean, aliveMs } });
      });
      queue.rejectAll();
    },
  };
}
