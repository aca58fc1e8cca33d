// Everything that the agent reports, on disk before it is sent. Stored + declared gaps = produced. It never throws into
// the modules that report, and of an uplink it knows only a name and epochs.
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../base/clock.ts';
import { CancelledError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { lookAtClocks, offsetOf } from '../../base/time/clock-steps.ts';
import type { ReportRecord } from '../../wire/records.ts';
import { createHealth } from './health.ts';
import { createSource, type SliceSource, type SourceParts } from './outgoing.ts';
import { createChanges, createLiveStates, createQueue, type Queue, queueFull } from './queue.ts';
import { Bookkeeping } from './storage/bookkeeping.ts';
import { createRoom } from './storage/room.ts';
import { type Entry, gapEntry, isSample, toEntry } from './storage/slice.ts';
import type { Space } from './storage/space.ts';
import { openStore } from './storage/store.ts';
import { createSchedule, createWriter } from './writer.ts';

const DEFAULTS = {
  /** Compressed slices on disk, all uplinks together. */
  maxBytes: 256 * 1024 * 1024,
  sliceRecords: 250,
  /** A sample waits at most this long for its slice to fill, ten times as long while no uplink takes what is stored. */
  flushMs: 1_000,
  /** Records and bytes that wait in memory while the disk refuses. */
  maxPendingRecords: 20_000,
  maxPendingBytes: 64 * 1024 * 1024,
};
const NO_ROOM = 'there is no room left for reports';

export type OutboxSettings = Readonly<Partial<typeof DEFAULTS>>;

/** Records that wait, and callbacks that wait for slices. */
export type Shared = { readonly queue: Queue; readonly listeners: Set<() => void> };

export function createShared(settings: OutboxSettings = {}): Shared {
  const { maxPendingRecords: maxRecords, maxPendingBytes: maxBytes } = { ...DEFAULTS, ...settings };
  return { queue: createQueue({ maxRecords, maxBytes }), listeners: new Set() };
}

export type OutboxOptions = {
  readonly clock: Clock;
  readonly log: Log;
  /** Makes a UUID, for the outbox itself too. */
  readonly newEpoch: () => string;
  readonly settings?: OutboxSettings;
  readonly space?: Space;
  /** Of the database, where it is in a file. */
  readonly folder?: string;
  /** What outlives this database: an outbox on another one goes on with it. */
  readonly shared?: Shared;
  /** The database is damaged. Called at every such error. */
  readonly onDamaged?: () => void;
  /** Whether the name of the file still leads to it. Absent = it does. */
  readonly isInPlace?: () => boolean;
};

/** The outbox as other modules see it. */
export type Outbox = Omit<ReturnType<typeof createOutbox>, 'abandon' | 'sources'>;

/** Throws what the database throws when it cannot even be read. */
export function createOutbox(db: DatabaseSync, options: OutboxOptions) {
  const parts = partsOf(db, options);
  const { clock, queue, bookkeeping, health, schedule, writer, sources } = parts;
  const enqueue = createEnqueue(parts);
  let isClosed = false;

  health.guarded('the outbox cannot mark its start', () => {
    bookkeeping.commit();
    // In the file itself: should the log be lost, the mark must not be lost with it.
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  });
  const { restartGap } = bookkeeping;
  if (restartGap !== undefined) parts.declareNow('restart', restartGap.fromMs, restartGap.toMs);

  return {
    sources,
    /** Stores a sample within `flushMs`, or ten times that while no uplink takes what is stored. */
    offer(record: ReportRecord): void {
      if (isClosed) return;
      enqueue(record);
      if (health.fault() === undefined && queue.size() >= parts.sliceRecords) void schedule.run();
      else schedule.wakeForSamples();
    },
    /** Stores these now, in order. Resolves with the number of their slice; rejects when too much waits or on close. */
    append(records: readonly ReportRecord[]): Promise<number> {
      if (isClosed) return Promise.reject(new CancelledError('store records: the outbox is closed'));
      if (records.length === 0) return Promise.resolve(bookkeeping.meta.nextId - 1);
      return new Promise((resolve, reject) => {
        for (const [index, record] of records.entries())
          enqueue(record, index === records.length - 1 ? { resolve, reject } : undefined);
        writer.hurry();
        if (health.fault() === undefined) void schedule.run();
        else schedule.wake();
      });
    },
    /** The outbox as this uplink sees it. */
    source: (name: string): SliceSource => createSource(name, () => sources),
    /** The uplinks that exist now: new ones get an epoch, those that are gone no longer hold slices back. */
    async setUplinks(names: readonly string[]): Promise<void> {
      health.guarded('the outbox cannot store its uplinks', () => bookkeeping.setUplinks(names));
    },
    /** Resolves when everything handed over so far is on disk, or the disk has refused it. */
    async flush(): Promise<void> {
      do {
        await schedule.runNow();
      } while (queue.pending() > 0 && health.fault() === undefined);
    },
    /** From memory. */
    state: () => stateOf(parts),
    /** Writes nothing any more: another outbox goes on with what is shared. */
    abandon: schedule.abandon,
    /** Stores what waits and marks the end as clean. */
    async close(): Promise<void> {
      if (isClosed) return;
      isClosed = true;
      schedule.close();
      await schedule.runNow();
      if (queue.size() > 0) await schedule.runNow();
      health.guarded('the outbox cannot mark its end', () => {
        const isClean = queue.size() === 0 && queue.loss() === undefined;
        bookkeeping.commit({ meta: isClean ? { isClean, aliveMs: clock.nowMs() } : { isClean } });
      });
      queue.rejectAll();
    },
  };
}

type Parts = ReturnType<typeof partsOf>;

function partsOf(db: DatabaseSync, options: OutboxOptions) {
  const { clock, log, space, newEpoch, folder, isInPlace, onDamaged } = options;
  const { flushMs, sliceRecords, maxBytes } = { ...DEFAULTS, ...options.settings };
  const { queue, listeners } = options.shared ?? createShared(options.settings);
  const live = createLiveStates();
  const store = openStore(db);
  const bookkeeping = new Bookkeeping(store, { nowMs: clock.nowMs(), newEpoch });
  const room = createRoom(store, bookkeeping, clock, (bytes) => space?.allowed(bytes) ?? maxBytes);
  const onFull = () => space?.noneLeft(room.bytes());
  const health = createHealth({ clock, log, folder, isInPlace, onDamaged, onFull });
  const writer = createWriter({ clock, queue, live, bookkeeping, room, health, sliceRecords });
  const onWritten = () => {
    for (const listener of listeners) health.guarded('a listener of the outbox failed', listener);
  };
  const schedule = createSchedule({ clock, queue, bookkeeping, writer, health, flushMs, onWritten });
  /** Stores a gap whose count is not known. */
  const declareNow = (reason: 'restart' | 'buffer_damaged', fromMs: number, toMs: number) => {
    queue.add(gapEntry(reason, fromMs, toMs, null));
    void schedule.runNow();
  };
  /** Why samples that come now are not kept soon, for people. */
  const whyUnkept = () => (room.isFull() ? NO_ROOM : health.whyUnkept());
  const sources: SourceParts = {
    ...{ store, bookkeeping, clock, log, listeners, live, whyUnkept, ages: writer.ages },
    waitingSlices: () => Math.ceil(queue.pending() / sliceRecords) + 1,
    onFailure: (error) => health.failed(error, queue.size()),
    onRepaired: room.recount,
    onAcknowledged: schedule.wakeForPeer,
    onRenewed: () => declareNow('buffer_damaged', writer.lastCommitAt() ?? clock.nowMs(), clock.nowMs()),
  };
  return {
    ...{ clock, log, sliceRecords, queue, live, bookkeeping, room, health, writer, schedule, sources },
    ...{ declareNow, whyUnkept },
  };
}

const stateOf = ({ room, queue, writer, bookkeeping, health }: Parts) => ({
  slices: room.slices(),
  bytes: room.bytes(),
  pendingRecords: queue.pending(),
  /** Lost and not yet declared on disk. */
  undeclaredRecords: queue.loss()?.count ?? 0,
  /** Samples that gave way on disk although they showed a change, since the start. */
  droppedChanges: room.dropped().changes,
  /** Samples given up since the start, because disk or memory was short. */
  droppedRecords: room.dropped().samples + queue.lost(),
  /** Nothing is left that could give way: new samples are counted, not kept. */
  isFull: room.isFull(),
  lastCommitAt: writer.lastCommitAt(),
  /** Until when the run before this one is known to have worked, ms since the epoch; of a new outbox its start. */
  earlierUntil: bookkeeping.earlierUntilMs,
  /** Why what was committed last is not kept; undefined when it is. */
  fault: health.unkept(),
  backlog: bookkeeping.backlog(),
});

function createEnqueue({ clock, log, queue, live, health, bookkeeping, whyUnkept }: Parts) {
  const changes = createChanges();

  /** Undefined for a record that cannot be stored. */
  const entryOf = (record: ReportRecord): Entry | undefined => {
    try {
      const plain = toEntry(record);
      const entry: Entry = changes.isChange(record) ? { ...plain, kind: 'change' } : plain;
      if (record.kind === 'miner' && whyUnkept() !== undefined) live.note(record.key, entry);
      return entry;
    } catch (error) {
      log.error({ kind: record.kind, error: renderError(error) }, 'a record cannot be stored');
      return undefined;
    }
  };

  return (record: ReportRecord, done?: Parameters<Queue['add']>[1]): void => {
    const entry = entryOf(record);
    if (entry === undefined) {
      queue.lose({ count: 1, firstMs: clock.nowMs(), lastMs: clock.nowMs() });
      done?.resolve(0);
      return;
    }
    // Once in the life of an outbox: from here on, an end without close means that samples may be missing.
    if (isSample(entry) && !bookkeeping.meta.hasSamples && health.fault() === undefined)
      health.guarded('the outbox cannot mark its first sample', () =>
        bookkeeping.commit({ meta: { hasSamples: true } }),
      );
    if (queue.add(entry, done, offsetOf(lookAtClocks(clock)))) return;
    queue.lose({ count: 1, firstMs: entry.firstMs, lastMs: entry.lastMs });
    done?.reject(queueFull());
  };
}
