// The farm's register of miners: who is who across reboots, moves, board swaps and restarts of the agent. Every change is on disk before
// `observe` returns; only last-seen times wait, at most a minute. It never talks to a miner: when an old address must be looked at, it says so.
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../../base/clock.ts';
import { RefusedError } from '../../../base/errors.ts';
import { type FactState, type UnstableReason, unstableReason } from '../../../model/identity-facts.ts';
import type { EventRecord } from '../../../wire/records.ts';
import { contradicts, resolve } from './identity-matching.ts';
import {
  type Facts,
  factsOf,
  hasChanged,
  type MinerEntry,
  matchOf,
  merge,
  newEntry,
  type Sighting,
  serialKey,
} from './record.ts';
import { createMinerIndex } from './registry-index.ts';
import { createIdentityStore } from './store.ts';

export type Observed =
  /** `left` = miners that stand nowhere any more because of this sighting: not to be polled at that address. */
  | {
      readonly kind: 'settled';
      readonly key: string;
      readonly events: readonly EventRecord[];
      readonly left: readonly string[];
    }
  /** Look whether `oldIp` still answers with the same MAC (or serial), then observe the same sighting again with the result. */
  | { readonly kind: 'check-old'; readonly key: string; readonly oldIp: string };

export type IdentityStates = {
  readonly mac: FactState;
  readonly serial: FactState;
  readonly unstableReason: UnstableReason | null;
};

export type IdentityBook = {
  /** Takes in one successful look at one address. Throws RefusedError `identity.full` when the book is full of miners that stand somewhere. */
  observe(sighting: Sighting, check?: { readonly oldIpAnswersAsSame: boolean }): Observed;
  /** Whether an address that shows these facts shows the miner `key`. Silence proves nothing: without a valid fact it is false. */
  answersAs(key: string, shown: Pick<Sighting, 'mac' | 'serialNumber' | 'neighbour'>): boolean;
  /** The miner that these facts name at this address, before anything is made of it; undefined = nobody that is known. */
  whoIs(shown: Pick<Sighting, 'ip' | 'mac' | 'serialNumber' | 'neighbour'>): MinerEntry | undefined;
  /** Undefined when the key is not known. */
  states(key: string): IdentityStates | undefined;
  get(key: string): MinerEntry | undefined;
  byIp(ip: string): MinerEntry | undefined;
  all(): MinerEntry[];
  /** Writes the last-seen times that wait. For a clean stop. */
  flush(): void;
};

export type IdentityOptions = {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  /** A new UUID. */
  readonly newKey: () => string;
  /** A miner seen within this time counts as live when duplicates are looked for. */
  readonly liveMs?: number;
  readonly maxMiners?: number;
};

const FLUSH_EVERY_MS = 60_000;
/** A farm's worth of last-seen times is written in slices, so that no write holds the process long. */
const FLUSH_AT_ROWS = 500;

export function createIdentityBook(db: DatabaseSync, options: IdentityOptions): IdentityBook {
  const { clock, newKey, liveMs = 15 * 60_000, maxMiners = 100_000 } = options;
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
  let flushedAtMs = clock.monotonicMs();

  const isLive = ({ ip, key }: MinerEntry): boolean =>
    ip !== null && clock.monotonicMs() - (seenMs.get(key) ?? Number.NEGATIVE_INFINITY) <= liveMs;

  const writeSeen = (entries: readonly MinerEntry[]) => {
    flushedAtMs = clock.monotonicMs();
    if (entries.length > 0) store.writeLastSeen(entries);
    unwritten.clear();
    for (const entry of entries) writtenSeenMs.set(entry.key, entry.lastSeenMs);
  };

  const markSeen = (entry: MinerEntry) => {
    index.put(entry);
    seenMs.set(entry.key, clock.monotonicMs());
    if (Math.abs(entry.lastSeenMs - (writtenSeenMs.get(entry.key) ?? 0)) >= FLUSH_EVERY_MS) unwritten.add(entry.key);
    if (unwritten.size >= FLUSH_AT_ROWS || clock.monotonicMs() - flushedAtMs >= FLUSH_EVERY_MS) {
      writeSeen([...unwritten].flatMap((key) => index.get(key) ?? []));
    }
  };

  const commit = (change: { remove?: readonly string[]; put: readonly MinerEntry[] }) => {
    store.write(change);
    for (const key of change.remove ?? []) drop(key);
    for (const entry of change.put) {
      index.put(entry);
      if (entry.ip !== null) seenMs.set(entry.key, clock.monotonicMs());
      unwritten.delete(entry.key);
      writtenSeenMs.set(entry.key, entry.lastSeenMs);
    }
  };

  const drop = (key: string) => {
    index.remove(key);
    seenMs.delete(key);
    unwritten.delete(key);
    writtenSeenMs.delete(key);
  };

  /** What leaves an address to another keeps its row without an address, unless nothing could ever name it again. */
  const takePlaceOf = (displaced: MinerEntry | undefined, entry: MinerEntry) => {
    if (displaced === undefined) commit({ put: [entry] });
    else if (displaced.mac === null && displaced.serialNumber === null)
      commit({ remove: [displaced.key], put: [entry] });
    else commit({ put: [{ ...displaced, ip: null }, entry] });
  };

  /** Units that stand nowhere make room, the longest unseen first; a unit that stands somewhere is never dropped for another. */
  const makeRoom = () => {
    if (index.size < maxMiners) return;
    const gone = index
      .all()
      .filter((entry) => entry.ip === null)
      .sort((a, b) => a.lastSeenMs - b.lastSeenMs)
      .slice(0, Math.max(1, Math.floor(maxMiners / 100)));
    if (gone.length === 0) {
      throw new RefusedError(
        'identity.full',
        `register another miner: the book holds ${maxMiners}, all of them in place`,
      );
    }
    commit({ remove: gone.map((entry) => entry.key), put: [] });
  };

  /** Live miners that show the same valid value as `entry`. */
  const twinsOf = (entry: MinerEntry, fact: 'mac' | 'serial', atMost: number): MinerEntry[] => {
    const isValid = (fact === 'mac' ? entry.macState : entry.serialState) === 'ok';
    const value = factValue(entry, fact);
    const twins: MinerEntry[] = [];
    if (!isValid || !value) return twins;
    for (const other of fact === 'mac' ? index.byMac(value) : index.bySerial(value)) {
      if (other.key !== entry.key && isLive(other)) twins.push(other);
      if (twins.length >= atMost) break;
    }
    return twins;
  };

  /** A value that a miner did not show before and that a live one shows too is told once. */
  const duplicateEvents = (before: MinerEntry | undefined, after: MinerEntry, at: number): EventRecord[] =>
    (['mac', 'serial'] as const).flatMap((fact) => {
      const value = factValue(after, fact);
      if (value === undefined || (before !== undefined && factValue(before, fact) === value)) return [];
      const others = twinsOf(after, fact, 16).map(({ key, ip }) => ({ key, ip }));
      return others.length === 0 ? [] : [event('duplicate', after.key, at, { fact, value, ip: after.ip, others })];
    });

  const settled = (
    before: MinerEntry | undefined,
    after: MinerEntry,
    displaced: MinerEntry | undefined,
    events: readonly EventRecord[],
  ): Observed => ({
    kind: 'settled',
    key: after.key,
    events: [...events, ...duplicateEvents(before, after, after.lastSeenMs)],
    left: displaced === undefined ? [] : [displaced.key],
  });

  const settleHere = (entry: MinerEntry, sighting: Sighting, facts: Facts): Observed => {
    const after = merge(entry, sighting, facts);
    if (hasChanged(entry, after)) commit({ put: [after] });
    else markSeen(after);
    return settled(entry, after, undefined, []);
  };

  const settleMoved = (
    entry: MinerEntry,
    displaced: MinerEntry | undefined,
    sighting: Sighting,
    facts: Facts,
  ): Observed => {
    const after = merge(entry, sighting, facts);
    takePlaceOf(displaced, after);
    const { lastIp: from } = entry;
    const detail = { from, to: sighting.ip, ...(displaced && { displaced: displaced.key }) };
    const events = from === sighting.ip ? [] : [event('moved', entry.key, sighting.at, detail)];
    return settled(entry, after, displaced, events);
  };

  const settleNew = (displaced: MinerEntry | undefined, sighting: Sighting, facts: Facts): Observed => {
    makeRoom();
    const { ip, at } = sighting;
    const entry = newEntry(newKey(), sighting, facts);
    takePlaceOf(displaced, entry);
    const detail = {
      ip,
      ...(displaced && { replaces: displaced.key }),
      ...(entry.macSource === 'neighbour' && { macSource: entry.macSource }),
    };
    return settled(undefined, entry, displaced, [
      ...(displaced === undefined ? [] : [event('replaced', displaced.key, at, { ip, by: entry.key })]),
      event('appeared', entry.key, at, detail),
    ]);
  };

  return {
    observe(sighting, check) {
      const facts = factsOf(sighting);
      const found = resolve(index, sighting, facts, isLive);
      switch (found.kind) {
        case 'here':
          return settleHere(found.entry, sighting, facts);
        case 'new':
          return settleNew(found.displaced, sighting, facts);
        case 'elsewhere': {
          const { entry, displaced } = found;
          if (entry.ip === null) return settleMoved(entry, displaced, sighting, facts);
          if (check === undefined) return { kind: 'check-old', key: entry.key, oldIp: entry.ip };
          if (!check.oldIpAnswersAsSame) return settleMoved(entry, displaced, sighting, facts);
          markSeen({ ...entry, lastSeenMs: Math.max(entry.lastSeenMs, sighting.at) });
          // The miner on record here only now shows the value that another has: it is still the miner of this address.
          const isStillHere = displaced !== undefined && !contradicts(matchOf(displaced, facts));
          return isStillHere ? settleHere(displaced, sighting, facts) : settleNew(displaced, sighting, facts);
        }
      }
    },
    answersAs(key, shown) {
      const entry = index.get(key);
      if (entry === undefined) return false;
      // Two addresses with one MAC are what is asked about here.
      const neighbour = shown.neighbour && { ...shown.neighbour, isShared: false };
      const match = matchOf(entry, factsOf({ ...shown, neighbour }));
      return match.mac === 'same' || match.serial === 'same';
    },
    whoIs(shown) {
      const found = resolve(index, shown, factsOf(shown), isLive);
      return found.kind === 'new' ? undefined : found.entry;
    },
    states(key) {
      const entry = index.get(key);
      if (entry === undefined) return undefined;
      const mac = twinsOf(entry, 'mac', 1).length > 0 ? 'duplicate' : entry.macState;
      const serial = twinsOf(entry, 'serial', 1).length > 0 ? 'duplicate' : entry.serialState;
      return { mac, serial, unstableReason: unstableReason(mac, serial) };
    },
    get: (key) => index.get(key),
    byIp: (ip) => index.byIp(ip),
    all: () => index.all(),
    flush: () => writeSeen(index.all().filter((entry) => writtenSeenMs.get(entry.key) !== entry.lastSeenMs)),
  };
}

const factValue = (entry: MinerEntry, fact: 'mac' | 'serial'): string | undefined =>
  fact === 'mac' ? (entry.mac ?? undefined) : serialKey(entry.serialNumber);

function event(type: EventRecord['type'], key: string, at: number, detail: Record<string, unknown>): EventRecord {
  return { kind: 'event', type, key, at: new Date(at).toISOString(), detail };
}
