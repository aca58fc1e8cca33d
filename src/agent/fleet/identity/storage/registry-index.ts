// The miners in memory, by key, address, MAC and serial number. Only valid values are indexed, so blanks and fillers
// never match. It decides no identity.
import { type MinerEntry, serialKey } from '../record.ts';

const INDEXED = ['ip', 'mac', 'serialNumber', 'claimsKey'] as const satisfies readonly (keyof MinerEntry)[];

export class MinerIndex {
  readonly #byKey = new Map<string, MinerEntry>();
  readonly #keyByIp = new Map<string, string>();
  readonly #keysByMac = new Map<string, Set<string>>();
  readonly #keysBySerial = new Map<string, Set<string>>();
  readonly #keysByClaim = new Map<string, Set<string>>();

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): MinerEntry | undefined {
    return this.#byKey.get(key);
  }

  byIp(ip: string): MinerEntry | undefined {
    const key = this.#keyByIp.get(ip);
    return key === undefined ? undefined : this.get(key);
  }

  byMac(mac: string): Iterable<MinerEntry> {
    return this.#entriesOf(this.#keysByMac.get(mac));
  }

  bySerial(serial: string): Iterable<MinerEntry> {
    return this.#entriesOf(this.#keysBySerial.get(serial));
  }

  /** Units that show facts of this miner. */
  byClaim(key: string): Iterable<MinerEntry> {
    return this.#entriesOf(this.#keysByClaim.get(key));
  }

  all(): MinerEntry[] {
    return [...this.#byKey.values()];
  }

  /** Adds or replaces the entry of that key. */
  put(entry: MinerEntry): void {
    const { key, ip, mac, serialNumber, claimsKey } = entry;
    const before = this.get(key);
    const isIndexed = before !== undefined && INDEXED.every((name) => before[name] === entry[name]);
    if (!isIndexed) {
      this.remove(key);
      if (ip !== null) this.#keyByIp.set(ip, key);
      addTo(this.#keysByMac, mac ?? undefined, key);
      addTo(this.#keysBySerial, serialKey(serialNumber), key);
      addTo(this.#keysByClaim, claimsKey ?? undefined, key);
    }
    this.#byKey.set(key, entry);
  }

  remove(key: string): void {
    const entry = this.get(key);
    if (entry === undefined) return;
    this.#byKey.delete(key);
    if (entry.ip !== null && this.#keyByIp.get(entry.ip) === key) this.#keyByIp.delete(entry.ip);
    dropFrom(this.#keysByMac, entry.mac ?? undefined, key);
    dropFrom(this.#keysBySerial, serialKey(entry.serialNumber), key);
    dropFrom(this.#keysByClaim, entry.claimsKey ?? undefined, key);
  }

  /** Most values belong to one miner. */
  #entriesOf(keys: ReadonlySet<string> | undefined): Iterable<MinerEntry> {
    if (keys === undefined) return [];
    if (keys.size > 1) return this.#eachOf(keys);
    const [key = ''] = keys;
    const entry = this.get(key);
    return entry === undefined ? [] : [entry];
  }

  // Lazy: on a farm of clones that all show one value, a lookup must not copy the whole farm.
  *#eachOf(keys: ReadonlySet<string>): Iterable<MinerEntry> {
    for (const key of keys) {
      const entry = this.get(key);
      if (entry !== undefined) yield entry;
    }
  }
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
