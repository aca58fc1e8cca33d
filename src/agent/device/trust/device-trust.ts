// Which login goes to which device now: what was seen of each device, held against the rules (rules.ts) and what this host remembers (trust-record.ts).
// It asks no device: the device client hands over what a device said.
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../base/clock.ts';
import { covers, type ScanRanges } from '../../../base/net/ranges.ts';
import type { Evidence, Identity } from '../../../driver/contract.ts';
import { isSentToTls } from '../../../driver/identify.ts';
import { macState, normaliseMac, serialState } from '../../../model/identity-facts.ts';
import { parseDigestChallenge } from '../../../transport/http/digest.ts';
import { BoundedMap } from '../../../transport/limits/bounded-map.ts';
import {
  type DeviceFacts,
  type OldAddress,
  pinKeyOf,
  standingOf,
  type TrustQuestion,
  type Withheld,
  whyWithheld,
} from './rules.ts';
import { factsOf, type MetDevice, type StoredPin, type TrustRecord } from './trust-record.ts';

type Sighting = {
  facts: DeviceFacts;
  /** The driver that reads it: another one than `family` where a question behind the login told more. */
  driverId: string;
  /** It may be another device by now: nothing is sent on the strength of this before the device was asked again. */
  isStale: boolean;
  /** Nothing answers there since. */
  isSilent: boolean;
  /** When it was asked, monotonic. */
  readonly askedMs: number;
};

export type TrustParts = {
  readonly clock: Clock;
  readonly record: TrustRecord;
  /** Read anew with each question. */
  readonly settings: { readonly ranges: ScanRanges; readonly credentials: { readonly trust: 'pinned' | 'network' } };
  /** What the network says of the address (ARP). */
  readonly neighbourAt: (ip: string) => { readonly mac: string; readonly isShared: boolean } | undefined;
  /** False while two live devices claim to be the one at this address. */
  readonly mayLogIn: (ip: string) => boolean;
  /** Tells whether a configured login is meant for it. */
  readonly coveredBy: (driverId: string, ip: string) => 'family' | 'range' | undefined;
};

/** `lookAlikes` = families that may hide behind this one and that only a question behind the login would tell apart. */
type Seen = {
  readonly identity: Identity;
  readonly evidence: Evidence;
  readonly family: string;
  readonly driverId: string;
  readonly lookAlikes: readonly string[];
  /** The family is asked at the port of the start page: the key of that page is the key that a login goes to. */
  readonly isReadByWeb: boolean;
};

/** Devices whose facts are held in memory. */
const MAX_DEVICES = 50_000;
/** Who has said who it is is not asked again within so long: a visit follows its identification. */
const CONFIRMED_MS = 15_000;
/** A device that has not changed is written again after so long, so that the record knows that it is still there. */
const REWRITE_MS = 12 * 3_600_000;

export type DeviceTrust = ReturnType<typeof createDeviceTrust>;

export function createDeviceTrust(parts: TrustParts) {
  const { clock, record, settings, mayLogIn } = parts;
  const sightings = new BoundedMap<Sighting>(MAX_DEVICES);

  const networkMacAt = (ip: string): string | undefined => {
    const neighbour = parts.neighbourAt(ip);
    return neighbour === undefined || neighbour.isShared ? undefined : neighbour.mac;
  };

  /**
   * False where the network shows another MAC than when the device was asked who it is: what that one showed, this one has not shown. Its first MAC may
   * come after the answers: the network tells it only of who has answered.
   */
  const isSameUnit = (ip: string, sighting: Sighting): boolean => {
    const networkMac = networkMacAt(ip);
    if (sighting.facts.networkMac === undefined) sighting.facts = { ...sighting.facts, networkMac };
    return sighting.facts.networkMac === networkMac;
  };

  /** What is known of the device, in this process or from an earlier one; an earlier one's is good as long as the network shows the same MAC. */
  const sightingOf = (ip: string): Sighting | undefined => {
    const kept = sightings.get(ip);
    if (kept !== undefined) return kept;
    const stored = record.device(ip);
    if (stored === undefined) return undefined;
    const isStale = stored.networkMac === null || stored.networkMac !== networkMacAt(ip);
    const sighting = {
      facts: factsOf(stored),
      driverId: stored.driver,
      isStale,
      isSilent: false,
      askedMs: Number.NEGATIVE_INFINITY,
    };
    sightings.set(ip, sighting);
    return sighting;
  };

  /** The facts of now: the network is asked each time, it costs nothing. */
  const factsNow = (ip: string): DeviceFacts | undefined => {
    const facts = sightingOf(ip)?.facts;
    return facts && { ...facts, networkMac: networkMacAt(ip) };
  };

  const atOldAddress = ({ name, ip }: StoredPin): OldAddress => {
    const sighting = sightings.get(ip);
    if (sighting === undefined) return 'unknown';
    if (sighting.isStale) return sighting.isSilent ? 'silent' : 'unknown';
    return pinKeyOf(ip, { ...sighting.facts, networkMac: networkMacAt(ip) }) === name ? 'itself' : 'another';
  };

  const questionOf = (ip: string, what: TrustQuestion['what'], facts: DeviceFacts): TrustQuestion => {
    const pin = record.pinNamed(pinKeyOf(ip, facts));
    const pinHere = pin ?? record.pinAt(ip);
    const old = pin === undefined || pin.ip === ip ? undefined : atOldAddress(pin);
    const last = what === 'factory' ? record.attempts.last(heldAs(ip, facts), facts.family) : 'none';
    return {
      what,
      confidence: facts.confidence,
      standing: standingOf(facts, pin, pinHere, old),
      isVouchedFor: pin?.isVouchedFor ?? false,
      isContested: !mayLogIn(ip) || (facts.networkMac === undefined && old === 'itself'),
      trustsNetwork: settings.credentials.trust === 'network' && covers(settings.ranges, ip),
      hasRecord: last !== undefined,
      wasRefused: last === 'refused',
    };
  };

  /** Why this is withheld from the device that `driverId` reads; undefined = it may be done. */
  const why = (ip: string, driverId: string, what: TrustQuestion['what']): Withheld | undefined => {
    const sighting = sightingOf(ip);
    const facts = factsNow(ip);
    if (sighting === undefined || facts === undefined) return 'no-proof';
    if (facts.networkMac !== undefined && !isSameUnit(ip, sighting)) return 'changed';
    if (driverId !== facts.family && driverId !== sighting.driverId) return 'changed';
    // Asked again, it would have been seen anew: what answers there now is nothing that is known.
    return whyWithheld(questionOf(ip, what, facts)) ?? (sighting.isStale ? 'changed' : undefined);
  };

  /** Known by its own word at another address than it was accepted at: from now on the pin is of this one. */
  const follow = (ip: string, facts: DeviceFacts) => {
    const pin = record.pinNamed(pinKeyOf(ip, facts));
    if (pin === undefined || pin.ip === ip || facts.networkMac !== undefined) return;
    const { standing, isContested } = questionOf(ip, 'configured', facts);
    if (standing === 'known' && !isContested) record.movePin(pin, ip);
  };

  /** Notes the device for people to see, where it is new or says something new. */
  const keep = (ip: string, facts: DeviceFacts, { driverId, lookAlikes, identity: { model } }: Seen) => {
    const nowMs = clock.nowMs();
    const before = record.device(ip);
    const rules = [driverId, ...lookAlikes].map((id) => parts.coveredBy(id, ip));
    const covered = rules.find((by) => by === 'family') ?? rules.find((by) => by !== undefined);
    const device: MetDevice = {
      ...{ ip, family: facts.family, driver: driverId, confidence: facts.confidence, model: model ?? null },
      ...{ realm: facts.realm ?? null, networkMac: facts.networkMac ?? null, mac: facts.mac ?? null },
      ...{ serialNumber: facts.serialNumber ?? null, tlsKey: facts.tlsKey ?? null },
      // A hint alone does not make a device one of those that the owner meant by a range.
      isCovered: covered === 'family' || (covered === 'range' && facts.confidence === 'sure'),
      why: why(ip, driverId, covered === undefined ? 'change' : 'configured') ?? null,
      sinceMs: nowMs,
      seenAtMs: nowMs,
    };
    if (before !== undefined) {
      const { sinceMs, seenAtMs } = before;
      const isSame = isDeepStrictEqual({ ...device, sinceMs, seenAtMs }, before);
      if (isSame && nowMs - seenAtMs < REWRITE_MS && nowMs >= seenAtMs) return;
      if (before.why === device.why) device.sinceMs = Math.min(sinceMs, nowMs);
    }
    record.met(device, before);
  };

  return {
    /** A device was asked who it is. `driverId` = the driver that will read it. */
    saw(ip: string, seen: Seen): void {
      const { identity, evidence, family, driverId, isReadByWeb } = seen;
      const tlsKey = isReadByWeb ? tlsKeyOf(evidence.web, sightingOf(ip)?.facts) : undefined;
      // A login in the clear is not what it asks for: without its key nothing there proves who would get one.
      const hidesItsKey = isReadByWeb && tlsKey === undefined && isSentToTls(evidence.web);
      const facts: DeviceFacts = {
        family,
        confidence: hidesItsKey && identity.confidence === 'sure' ? 'likely' : identity.confidence,
        realm: parseDigestChallenge(evidence.web?.authenticate)?.realm,
        networkMac: networkMacAt(ip),
        ...ownNames(identity),
        tlsKey,
      };
      const pin = record.pinNamed(pinKeyOf(ip, facts)) ?? record.pinAt(ip);
      // Perhaps it only starts: it is asked again before each visit, until it shows a key or a person accepts it without one.
      const isWithoutItsKey = tlsKey === undefined && (pin?.tlsKey ?? null) !== null;
      const isStale = isWithoutItsKey || (hidesItsKey && pin?.isVouchedFor !== true);
      sightings.set(ip, { facts, driverId, isStale, isSilent: false, askedMs: clock.monotonicMs() });
      follow(ip, facts);
      keep(ip, facts, seen);
    },
    why,
    /** Takes notice now of what other programs of this host wrote: a person may have accepted a device a moment ago. */
    reread: () => record.reread(),
    /** Whether the device must be asked who it is before anything is sent on the strength of it. */
    mustAskAgain(ip: string, driverId: string): boolean {
      const sighting = sightingOf(ip);
      if (sighting === undefined || sighting.isStale || !isSameUnit(ip, sighting)) return true;
      return sighting.facts.family !== driverId && sighting.driverId !== driverId;
    },
    /** Whether it must be asked who it is before a login goes out anew: behind a router nothing else tells that it is the same. */
    mustConfirm(ip: string): boolean {
      const sighting = sightingOf(ip);
      if (sighting === undefined || sighting.isStale || !isSameUnit(ip, sighting)) return true;
      return sighting.facts.networkMac === undefined && clock.monotonicMs() - sighting.askedMs >= CONFIRMED_MS;
    },
    /** What answers there is nothing that is known. */
    doubt(ip: string): void {
      const sighting = sightingOf(ip);
      if (sighting !== undefined) sighting.isStale = true;
    },
    /** It was silent: who answers there next may be another device. */
    lost(ip: string): void {
      const sighting = sightingOf(ip);
      if (sighting === undefined) return;
      sighting.isStale = true;
      sighting.isSilent = true;
    },
    /** The driver that a person named for the device, where it gives no proof itself. */
    vouchedFor(ip: string, facts: Pick<DeviceFacts, 'mac' | 'serialNumber'>): string | undefined {
      const pin = record.pinNamed(pinKeyOf(ip, { ...facts, networkMac: networkMacAt(ip) }));
      return pin?.isVouchedFor === true ? pin.family : undefined;
    },
    /** The driver that a question behind the login chose before, while the family in front of it is the same. */
    driverOf(ip: string, family: string): string | undefined {
      const sighting = sightingOf(ip);
      return sighting?.facts.family === family ? sighting.driverId : undefined;
    },
    /** It has proved this family, and has answered ever since. */
    isSure(ip: string, family: string): boolean {
      const sighting = sightingOf(ip);
      if (sighting === undefined || sighting.isStale || !isSameUnit(ip, sighting)) return false;
      return sighting.facts.family === family && sighting.facts.confidence === 'sure';
    },
    /** The realm of its digest challenge, as it was when it was asked who it is. */
    realmOf: (ip: string) => sightingOf(ip)?.facts.realm,
    /** The TLS key of its web, as it was when it was asked who it is: the transport asks no other one. */
    tlsKeyOf: (ip: string) => sightingOf(ip)?.facts.tlsKey,
    /** The names under which attempts with factory logins are held. */
    heldAs: (ip: string): string[] => heldAs(ip, factsNow(ip)),
    attempts: record.attempts,
    fault: () => record.fault(),
  };
}

/** What names it by its own word. Zeros and fillers, which many devices show, name none: a pin of one must not be good for the others. */
const ownNames = ({ mac, serialNumber }: Identity): Pick<DeviceFacts, 'mac' | 'serialNumber'> => ({
  mac: mac !== undefined && macState(mac) === 'ok' ? normaliseMac(mac) : undefined,
  serialNumber: serialState(serialNumber) === 'ok' ? serialNumber : undefined,
});

const heldAs = (ip: string, facts: Pick<DeviceFacts, 'networkMac' | 'mac'> | undefined): string[] => {
  const macs = [facts?.networkMac, facts?.mac].filter((mac) => mac !== undefined);
  return [`ip:${ip}`, ...new Set(macs.map((mac) => `mac:${mac}`))];
};

/** A device that does not show its page at the moment is asked with the key that it had, and no other one hears it. One that shows its page in the clear has none. */
function tlsKeyOf(web: Evidence['web'], before: DeviceFacts | undefined): string | undefined {
  if (web?.tlsKey !== undefined) return web.tlsKey;
  return web === undefined || isSentToTls(web) ? before?.tlsKey : undefined;
}
