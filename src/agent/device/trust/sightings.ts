// What each device showed when it was asked who it is, in this process or an earlier one, and whether that still holds.
// It asks no device and decides nothing.
import { LruMap } from 'toad-cache';
import { type DeviceFacts, type OldAddress, pinKeyOf } from './rules.ts';
import { factsOf, type StoredPin, type TrustRecord } from './trust-record.ts';

type Sighting = {
  facts: DeviceFacts;
  /** The driver that reads it: another one than `facts.family` where a question behind the login decided so. */
  readonly driverId: string;
  /** It may be another device by now: nothing is sent to it before it was asked again. */
  isStale: boolean;
  /** Nothing has answered there since. */
  isSilent: boolean;
  /** When it was asked, monotonic. */
  readonly askedMs: number;
};

const MAX_DEVICES = 50_000;

/** What the network reports of an address (ARP). `isShared` = several addresses have that MAC. */
export type NeighbourAt = (ip: string) => { readonly mac: string; readonly isShared: boolean } | undefined;

export class Sightings {
  readonly #record: Pick<TrustRecord, 'device'>;
  readonly #neighbourAt: NeighbourAt;
  readonly #sightings = new LruMap<Sighting>(MAX_DEVICES);

  constructor(record: Pick<TrustRecord, 'device'>, neighbourAt: NeighbourAt) {
    this.#record = record;
    this.#neighbourAt = neighbourAt;
  }

  networkMacAt(ip: string): string | undefined {
    const neighbour = this.#neighbourAt(ip);
    return neighbour === undefined || neighbour.isShared ? undefined : neighbour.mac;
  }

  set(ip: string, sighting: Omit<Sighting, 'isSilent'>): void {
    this.#sightings.set(ip, { ...sighting, isSilent: false });
  }

  /** A sighting of an earlier process holds as long as the network shows the same MAC. */
  get(ip: string): Sighting | undefined {
    const seen = this.#sightings.get(ip);
    if (seen !== undefined) return seen;
    const stored = this.#record.device(ip);
    if (stored === undefined) return undefined;
    const isStale = stored.networkMac === null || stored.networkMac !== this.networkMacAt(ip);
    this.set(ip, { facts: factsOf(stored), driverId: stored.driver, isStale, askedMs: Number.NEGATIVE_INFINITY });
    return this.#sightings.get(ip);
  }

  /** Only where it still holds. */
  current(ip: string): Sighting | undefined {
    const sighting = this.get(ip);
    return sighting === undefined || sighting.isStale || !this.isSameUnit(ip, sighting) ? undefined : sighting;
  }

  /**
   * False where the network shows another MAC than when the device was asked. The first MAC may come after the answers:
   * the network only knows addresses that have answered.
   */
  isSameUnit(ip: string, sighting: Sighting): boolean {
    const networkMac = this.networkMacAt(ip);
    if (sighting.facts.networkMac === undefined) sighting.facts = { ...sighting.facts, networkMac };
    return sighting.facts.networkMac === networkMac;
  }

  /** With the MAC that the network shows now. */
  factsNow(ip: string): DeviceFacts | undefined {
    const facts = this.get(ip)?.facts;
    return facts && { ...facts, networkMac: this.networkMacAt(ip) };
  }

  /** What answers where a device was accepted, as far as this process asked it. */
  atOldAddress({ name, ip }: StoredPin): OldAddress {
    const sighting = this.#sightings.get(ip);
    if (sighting === undefined) return 'unknown';
    if (sighting.isStale) return sighting.isSilent ? 'silent' : 'unknown';
    return pinKeyOf(ip, { ...sighting.facts, networkMac: this.networkMacAt(ip) }) === name ? 'itself' : 'another';
  }
}
