// The registry in memory and its rows on disk, kept the same: a change is written before it counts, only last-seen times wait.
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../../../base/clock.ts';
import { diskFault } from '../../../../base/storage/disk-fault.ts';
import type { MinerEntry, Rejection } from '../record.ts';
import { createMinerIndex } from './registry-index.ts';
import { createIdentityStore, type StoreChange } from './store.ts';

const FLUSH_EVERY_MS = 60_000;
/** A farm's worth of last-seen times is written in slices, so that no write holds the process long. */
const FLUSH_AT_ROWS = 500;
/** Units that a person may have rejected for one miner; of more, the oldest is forgotten. */
const MAX_REJECTIONS = 64;

type Change = Omit<StoreChange, 'put' | 'rejections'> & {
  readonly put: readonly MinerEntry[];
  /** A person's newest word on a miner: what is not it, and the address where it is. */
  readonly word?: { readonly key: string; readonly ip: string; readonly rejected: readonly Rejection[] };
};

export type Rows = ReturnType<typeof createRows>;

export function createRows(db: DatabaseSync, clock: Pick<Clock, 'nowMs' | 'monotonicMs'>) {
  const store = createIdentityStore(db);
  const index = createMinerIndex();
  const unwritten = new Set<string>();
  const writtenSeenMs = new Map<string, number>();
  /** By the monotonic clock: `lastSeenMs` is the wall clock's, and that may be set. */
  const seenMs = new Map<string, number>();
  for (const entry of store.load()) {
    index.put(entry);
    writtenSeenMs.set(entry.key, entry.lastSeenMs);
    seenMs.set(entry.key, clock.monotonicMs() - Math.max(0, clock.nowMs() - entry.lastSeenMs));
  }
  const rejections = Map.groupBy(store.loadRejections(), ({ key }) => key);
  let flushedAtMs = clock.monotonicMs();

  const writeSeen = (entries: readonly MinerEntry[]) => {
    flushedAtMs = clock.monotonicMs();
    if (entries.length > 0) store.writeLastSeen(entries);
    unwritten.clear();
    for (const entry of entries) writtenSeenMs.set(entry.key, entry.lastSeenMs);
  };

  /** A disk that refuses is asked again a minute later: a miner is no less known because the time of its last sighting is not written. */
  let refusedAtMs = Number.NEGATIVE_INFINITY;
  const writeSeenSoon = () => {
    const nowMs = clock.monotonicMs();
    const isDue = unwritten.size >= FLUSH_AT_ROWS || nowMs - flushedAtMs >= FLUSH_EVERY_MS;
    if (!isDue || nowMs - refusedAtMs < FLUSH_EVERY_MS) return;
    try {
      writeSeen([...unwritten].flatMap((key) => index.get(key) ?? []));
    } catch (error) {
      if (diskFault(error) === undefined) throw error;
      refusedAtMs = nowMs;
    }
  };

  /** All that there are of the miners that it is about. What was said the other way round is taken back. */
  const afterWord = ({ key, ip, rejected }: NonNullable<Change['word']>): Map<string, Rejection[]> => {
    const isMeant = (one: Rejection) => one.ip === ip || rejected.some((other) => isSameUnit(one, other));
    const before = (rejections.get(key) ?? []).filter((one) => !isMeant(one));
    const changed = new Map([[key, [...before, ...rejected].slice(-MAX_REJECTIONS)]]);
    for (const { key: other } of rejected.flatMap((one) => index.byIp(one.ip) ?? [])) {
      const spoken = rejections.get(other);
      if (other !== key && spoken !== undefined)
        changed.set(
          other,
          spoken.filter((one) => one.ip !== ip),
        );
    }
    return changed;
  };

  return {
    index,
    /** A person said that the unit there is not the miner `key`. What the network does not say at the moment contradicts nothing. */
    isRejected: (key: string, ip: string, netMac: string | null | undefined): boolean =>
      rejections.get(key)?.some((one) => one.ip === ip && (!one.netMac || !netMac || one.netMac === netMac)) ?? false,
    /** For how long it has not been seen. */
    unseenMs: ({ key }: MinerEntry): number => clock.monotonicMs() - (seenMs.get(key) ?? Number.NEGATIVE_INFINITY),
    /** Nothing but the time of the last sighting has changed. */
    markSeen(entry: MinerEntry) {
      index.put(entry);
      seenMs.set(entry.key, clock.monotonicMs());
      if (Math.abs(entry.lastSeenMs - (writtenSeenMs.get(entry.key) ?? 0)) >= FLUSH_EVERY_MS) unwritten.add(entry.key);
      writeSeenSoon();
    },
    /** One transaction; throws and changes nothing when it cannot be written. */
    commit({ remove = [], put, word }: Change) {
      const changed = word === undefined ? new Map<string, Rejection[]>() : afterWord(word);
      store.write({ remove, put, rejections: changed });
      for (const [key, all] of changed) rejections.set(key, all);
      for (const key of remove) {
        index.remove(key);
        rejections.delete(key);
        seenMs.delete(key);
        unwritten.delete(key);
        writtenSeenMs.delete(key);
      }
      for (const entry of put) {
        index.put(entry);
        if (entry.ip !== null) seenMs.set(entry.key, clock.monotonicMs());
        unwritten.delete(entry.key);
        writtenSeenMs.set(entry.key, entry.lastSeenMs);
      }
    },
    /** Writes the last-seen times that wait. */
    flush: () => writeSeen(index.all().filter((entry) => writtenSeenMs.get(entry.key) !== entry.lastSeenMs)),
  };
}

const isSameUnit = (a: Rejection, b: Rejection): boolean => a.ip === b.ip && a.netMac === b.netMac;
