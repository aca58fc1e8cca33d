// The registry in memory and its rows on disk: a change is written before it takes effect; only last-seen times wait.
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../../../base/clock.ts';
import { diskFault } from '../../../../base/storage/disk-fault.ts';
import type { MinerEntry, Rejection } from '../record.ts';
import { MinerIndex } from './registry-index.ts';
import { createIdentityStore, type StoreChange } from './store.ts';

const FLUSH_EVERY_MS = 60_000;
/** The last-seen times of a farm are written in slices, so that no write blocks the process for long. */
const FLUSH_AT_ROWS = 500;
/** Units that a person may have rejected for one miner; of more, the oldest is forgotten. */
const MAX_REJECTIONS = 64;

type Change = Omit<StoreChange, 'put' | 'rejections'> & {
  readonly put: readonly MinerEntry[];
  /** A person's newest decision on a miner: its address, and the units that are not it. */
  readonly decision?: { readonly key: string; readonly ip: string; readonly rejected: readonly Rejection[] };
};

export type Rows = ReturnType<typeof createRows>;

export function createRows(db: DatabaseSync, clock: Pick<Clock, 'nowMs' | 'monotonicMs'>) {
  const store = createIdentityStore(db);
  const index = new MinerIndex();
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

  /** After a disk fault the next try comes a minute later: only last-seen times are late. */
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

  /** All rejections of the miners concerned. An opposite decision is withdrawn. */
  const afterDecision = ({ key, ip, rejected }: NonNullable<Change['decision']>): Map<string, Rejection[]> => {
    const isMeant = (one: Rejection) => one.ip === ip || rejected.some((other) => isSameUnit(one, other));
    const before = (rejections.get(key) ?? []).filter((one) => !isMeant(one));
    const changed = new Map([[key, [...before, ...rejected].slice(-MAX_REJECTIONS)]]);
    for (const { key: other } of rejected.flatMap((one) => index.byIp(one.ip) ?? [])) {
      const opposite = rejections.get(other);
      if (other !== key && opposite !== undefined)
        changed.set(
          other,
          opposite.filter((one) => one.ip !== ip),
        );
    }
    return changed;
  };

  return {
    index,
    /** A person said that the unit there is not the miner `key`. Without a MAC, every unit at the address is meant. */
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
    commit({ remove = [], put, decision }: Change) {
      const changed = decision === undefined ? new Map<string, Rejection[]>() : afterDecision(decision);
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
