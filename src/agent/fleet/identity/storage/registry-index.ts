// The miners in memory, by key, address, MAC and serial number. Only valid values are indexed, so blanks and fillers never match. It decides no identity.
import { type MinerEntry, serialKey } from '../record.ts';

export type MinerIndex = {
  readonly size: number;
  get(key: string): MinerEntry | undefined;
  byIp(ip: string): MinerEntry | undefined;
  byMac(mac: string): Iterable<MinerEntry>;
  bySerial(serial: string): Iterable<MinerEntry>;
  /** Units that show facts of this miner. */
  byClaim(key: string): Iterable<MinerEntry>;
  all(): MinerEntry[];
  /** Adds or replaces the entry of that key. */
  put(entry: MinerEntry): void;
  remove(key: string): void;
};

const INDEXED = ['ip', 'mac', 'serialNumber', 'claimsKey'] as const satisfies readonly (keyof MinerEntry)[];

export function createMinerIndex(): MinerIndex {
  const byKey = new Map<string, MinerEntry>();
  const keyByIp = new Map<string, string>();
  const keysByMac = new Map<string, Set<string>>();
  const keysBySerial = new Map<string, Set<string>>();
  const keysByClaim = new Map<string, Set<string>>();

  // Lazy: on a farm of clones that all show one value, a lookup must not copy the whole farm.
  function* eachOf(keys: ReadonlySet<string>): Iterable<MinerEntry> {
    for (const key of keys) {
      const entry = byKey.get(key);
      if (entry !== undefined) yield entry;
    }
  }

  /** Most values belong to one miner. */
  const entriesOf = (keys: ReadonlySet<string> | undefined): Iterable<MinerEntry> => {
    if (keys === undefined) return [];
    if (keys.size > 1) return eachOf(keys);
    for (const key of keys) {
      const entry = byKey.get(key);
      return entry === undefined ? [] : [entry];
    }
    return [];
  };

  const remove = (key: string) => {
    const entry = byKey.get(key);
    if (entry === undefined) return;
    byKey.delete(key);
    if (entry.ip !== null && keyByIp.get(entry.ip) === key) keyByIp.delete(entry.ip);
    dropFrom(keysByMac, entry.mac ?? undefined, key);
    dropFrom(keysBySerial, serialKey(entry.serialNumber), key);
    dropFrom(keysByClaim, entry.claimsKey ?? undefined, key);
  };

  return {
    get size() {
      return byKey.size;
    },
    get: (key) => byKey.get(key),
    byIp(ip) {
      const key = keyByIp.get(ip);
      return key === undefined ? undefined : byKey.get(key);
    },
    byMac: (mac) => entriesOf(keysByMac.get(mac)),
    bySerial: (serial) => entriesOf(keysBySerial.get(serial)),
    byClaim: (key) => entriesOf(keysByClaim.get(key)),
    all: () => [...byKey.values()],
    put(entry) {
      const before = byKey.get(entry.key);
      if (before !== undefined && INDEXED.every((name) => before[name] === entry[name])) {
        byKey.set(entry.key, entry);
        return;
      }
      remove(entry.key);
      byKey.set(entry.key, entry);
      if (entry.ip !== null) keyByIp.set(entry.ip, entry.key);
      addTo(keysByMac, entry.mac ?? undefined, entry.key);
      addTo(keysBySerial, serialKey(entry.serialNumber), entry.key);
      addTo(keysByClaim, entry.claimsKey ?? undefined, entry.key);
    },
    remove,
  };
}

function addTo(index: Map<string, Set<string>>, value: string | undefined, key: string): void {
  if (value === undefined) return;
  const keys = index.get(value);
  if (keys === undefined) index.set(value, new Set([key]));
  else keys.add(key);
}

function dropFrom(index: Map<string, Set<string>>, value: string | undefined, key: string): void {
  if (value === undefined) return;
  const keys = index.get(value);
  keys?.delete(key);
  if (keys?.size === 0) index.delete(value);
}
