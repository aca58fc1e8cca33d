// Which login goes to which device now: it applies the rules (rules.ts) to what each device showed (sightings.ts) and
// to what this host remembers (trust-record.ts). It asks no device: the device client hands over the answers.
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../base/clock.ts';
import { covers, type ScanRanges } from '../../../base/net/ranges.ts';
import type { Evidence, Identity } from '../../../driver/contract.ts';
import { isSentToTls } from '../../../driver/family.ts';
import { macState, normaliseMac, serialState } from '../../../model/identity-facts.ts';
import { parseDigestChallenge } from '../../../transport/http/digest.ts';
import {
  type DeviceFacts,
  pinKeyOf,
  standingOf,
  type TrustQuestion,
  WITHHELD_TEXT,
  type Withheld,
  whyWithheld,
} from './rules.ts';
import { type NeighbourAt, Sightings } from './sightings.ts';
import type { MetDevice, TrustRecord } from './trust-record.ts';

export type TrustParts = {
  readonly clock: Clock;
  readonly record: TrustRecord;
  /** Read with each question. */
  readonly settings: { readonly ranges: ScanRanges; readonly credentials: { readonly trust: 'pinned' | 'network' } };
  readonly neighbourAt: NeighbourAt;
  /** False while two live devices claim to be the one at this address. */
  readonly mayLogIn: (ip: string) => boolean;
  /** By what a configured login is meant for it. */
  readonly coveredBy: (driverId: string, ip: string) => 'family' | 'range' | undefined;
};

/** `lookAlikes` = families that may hide behind this one: only a question behind the login could show it. */
type Seen = {
  readonly identity: Identity;
  readonly evidence: Evidence;
  readonly family: string;
  readonly driverId: string;
  readonly lookAlikes: readonly string[];
  /** The family is asked at the port of the start page: a login goes to the TLS key of that page. */
  readonly isReadByWeb: boolean;
};

/** A device that was asked who it is a moment ago is not asked again: a visit follows its identification. */
const CONFIRMED_MS = 15_000;
/** A device that has not changed is written again after this long, so that the record shows that it is still there. */
const REWRITE_MS = 12 * 3_600_000;

export class DeviceTrust {
  readonly #parts: TrustParts;
  readonly #record: TrustRecord;
  readonly #sightings: Sightings;

  constructor(parts: TrustParts) {
    this.#parts = parts;
    this.#record = parts.record;
    this.#sightings = new Sightings(parts.record, parts.neighbourAt);
  }

  get attempts(): TrustRecord['attempts'] {
    return this.#record.attempts;
  }

  /** A device was asked who it is. `driverId` = the driver that will read it. */
  saw(ip: string, seen: Seen): void {
    const { identity, evidence, family, driverId, isReadByWeb } = seen;
    const tlsKey = isReadByWeb ? tlsKeyOf(evidence.web, this.#sightings.get(ip)?.facts) : undefined;
    // A device that sends to TLS does not ask for a login in the clear: without its key nothing proves who would get
    // one.
    const hidesItsKey = isReadByWeb && tlsKey === undefined && isSentToTls(evidence.web);
    const facts: DeviceFacts = {
      family,
      confidence: hidesItsKey && identity.confidence === 'sure' ? 'likely' : identity.confidence,
      realm: parseDigestChallenge(evidence.web?.authenticate)?.realm,
      networkMac: this.#sightings.networkMacAt(ip),
      ...ownNames(identity),
      tlsKey,
    };
    const pin = this.#record.pinNamed(pinKeyOf(ip, facts)) ?? this.#record.pinAt(ip);
    // Perhaps it is still starting: it is asked again before each visit, until it shows a key or a person accepts it
    // without one.
    const isWithoutItsKey = tlsKey === undefined && (pin?.tlsKey ?? null) !== null;
    const isStale = isWithoutItsKey || (hidesItsKey && pin?.isVouchedFor !== true);
    this.#sightings.set(ip, { facts, driverId, isStale, askedMs: this.#parts.clock.monotonicMs() });
    this.#movePin(ip, facts);
    this.#noteMet(ip, facts, seen);
  }

  /** Why this is withheld from the device that `driverId` reads; undefined = it may be done. */
  why(ip: string, driverId: string, what: TrustQuestion['what']): Withheld | undefined {
    const sighting = this.#sightings.get(ip);
    const facts = this.#sightings.factsNow(ip);
    if (sighting === undefined || facts === undefined) return 'no-proof';
    if (facts.networkMac !== undefined && !this.#sightings.isSameUnit(ip, sighting)) return 'changed';
    if (driverId !== facts.family && driverId !== sighting.driverId) return 'changed';
    // A device that was asked again would be a new sighting: nothing is known of what answers there now.
    return whyWithheld(this.#questionOf(ip, what, facts)) ?? (sighting.isStale ? 'changed' : undefined);
  }

  /** Why no login that a person has given goes there, in words; undefined = it may. */
  whyNoLogin(ip: string): string | undefined {
    const driverId = this.#sightings.get(ip)?.driverId;
    const why = driverId === undefined ? undefined : this.why(ip, driverId, 'configured');
    return why && WITHHELD_TEXT[why];
  }

  /** Takes notice now of what other programs of this host wrote: a person may have accepted a device a moment ago. */
  reread(): void {
    this.#record.reread();
  }

  /** Whether the device must be asked who it is before anything is sent to it. */
  mustAskAgain(ip: string, driverId: string): boolean {
    const sighting = this.#sightings.current(ip);
    return sighting === undefined || (sighting.facts.family !== driverId && sighting.driverId !== driverId);
  }

  /** Whether it must be asked before a login goes out again: behind a router nothing else shows that it is the same. */
  mustConfirm(ip: string): boolean {
    const sighting = this.#sightings.current(ip);
    if (sighting === undefined) return true;
    return (
      sighting.facts.networkMac === undefined && this.#parts.clock.monotonicMs() - sighting.askedMs >= CONFIRMED_MS
    );
  }

  /** What answers there is nothing that is known. */
  doubt(ip: string): void {
    const sighting = this.#sightings.get(ip);
    if (sighting !== undefined) sighting.isStale = true;
  }

  /** It was silent: another device may answer there next. */
  lost(ip: string): void {
    const sighting = this.#sightings.get(ip);
    if (sighting === undefined) return;
    sighting.isStale = true;
    sighting.isSilent = true;
  }

  /** The driver that a person named for the device, where it gives no proof itself. */
  vouchedFor(ip: string, facts: Pick<DeviceFacts, 'mac' | 'serialNumber'>): string | undefined {
    const networkMac = this.#sightings.networkMacAt(ip);
    const pin = this.#record.pinNamed(pinKeyOf(ip, { ...facts, networkMac }));
    return pin?.isVouchedFor === true ? pin.family : undefined;
  }

  /** The driver that a question behind the login selected before, while the family in front of it is the same. */
  driverOf(ip: string, family: string): string | undefined {
    const sighting = this.#sightings.get(ip);
    return sighting?.facts.family === family ? sighting.driverId : undefined;
  }

  /** It has proved this family, and has answered ever since. */
  isSure(ip: string, family: string): boolean {
    const facts = this.#sightings.current(ip)?.facts;
    return facts?.family === family && facts.confidence === 'sure';
  }

  /** The realm of its digest challenge, as it was when it was asked who it is. */
  realmOf(ip: string): string | undefined {
    return this.#sightings.get(ip)?.facts.realm;
  }

  /** The TLS key of its web, as it was when it was asked who it is: the transport asks no other one. */
  tlsKeyOf(ip: string): string | undefined {
    return this.#sightings.get(ip)?.facts.tlsKey;
  }

  /** The names under which its login attempts are counted. */
  namesOf(ip: string): string[] {
    return namesOf(ip, this.#sightings.factsNow(ip));
  }

  /**
   * The names under which a password that was set on it is kept, the first of them for a new one: its own; while the
   * network does not show it, that of the device that was accepted here; and its address, where it had no name.
   */
  keptAs(ip: string): string[] {
    const facts = this.#sightings.factsNow(ip);
    if (facts === undefined) return [];
    const own = pinKeyOf(ip, facts);
    const pin = this.#record.pinNamed(own);
    const pinHere = this.#record.pinAt(ip);
    const isUnseen = pin === undefined && standingOf(facts, undefined, pinHere) === 'unseen';
    return [...new Set([own, ...(isUnseen && pinHere !== undefined ? [pinHere.name] : []), `ip:${ip}`])];
  }

  #questionOf(ip: string, what: TrustQuestion['what'], facts: DeviceFacts): TrustQuestion {
    const { settings, mayLogIn } = this.#parts;
    const pin = this.#record.pinNamed(pinKeyOf(ip, facts));
    const pinHere = pin ?? this.#record.pinAt(ip);
    const old = pin === undefined || pin.ip === ip ? undefined : this.#sightings.atOldAddress(pin);
    const last = what === 'factory' ? this.attempts.last(namesOf(ip, facts), facts.family) : 'none';
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
  }

  /** A device that is known by its own names at another address than it was accepted at takes its pin along. */
  #movePin(ip: string, facts: DeviceFacts): void {
    const pin = this.#record.pinNamed(pinKeyOf(ip, facts));
    if (pin === undefined || pin.ip === ip || facts.networkMac !== undefined) return;
    const { standing, isContested } = this.#questionOf(ip, 'configured', facts);
    if (standing === 'known' && !isContested) this.#record.movePin(pin, ip);
  }

  /** Notes the device for people to see, where it is new or shows something new. */
  #noteMet(ip: string, facts: DeviceFacts, { driverId, lookAlikes, identity: { model } }: Seen): void {
    const nowMs = this.#parts.clock.nowMs();
    const before = this.#record.device(ip);
    const rules = [driverId, ...lookAlikes].map((id) => this.#parts.coveredBy(id, ip));
    const covered = rules.find((by) => by === 'family') ?? rules.find((by) => by !== undefined);
    const device: MetDevice = {
      ...{ ip, family: facts.family, driver: driverId, confidence: facts.confidence, model: model ?? null },
      ...{ realm: facts.realm ?? null, networkMac: facts.networkMac ?? null, mac: facts.mac ?? null },
      ...{ serialNumber: facts.serialNumber ?? null, tlsKey: facts.tlsKey ?? null },
      // A hint alone does not make a device one of those that the owner meant by a range.
      isCovered: covered === 'family' || (covered === 'range' && facts.confidence === 'sure'),
      why: this.why(ip, driverId, covered === undefined ? 'change' : 'configured') ?? null,
      sinceMs: nowMs,
      seenAtMs: nowMs,
    };
    if (before !== undefined) {
      const { sinceMs, seenAtMs } = before;
      const isSame = isDeepStrictEqual({ ...device, sinceMs, seenAtMs }, before);
      if (isSame && nowMs - seenAtMs < REWRITE_MS && nowMs >= seenAtMs) return;
      if (before.why === device.why) device.sinceMs = Math.min(sinceMs, nowMs);
    }
    this.#record.met(device, before);
  }
}

/** The names that it shows itself. Zeros and fillers, which many devices show, name none. */
const ownNames = ({ mac, serialNumber }: Identity): Pick<DeviceFacts, 'mac' | 'serialNumber'> => ({
  mac: mac !== undefined && macState(mac) === 'ok' ? normaliseMac(mac) : undefined,
  serialNumber: serialState(serialNumber) === 'ok' ? serialNumber : undefined,
});

const namesOf = (ip: string, facts: Pick<DeviceFacts, 'networkMac' | 'mac'> | undefined): string[] => {
  const macs = [facts?.networkMac, facts?.mac].filter((mac) => mac !== undefined);
  return [`ip:${ip}`, ...new Set(macs.map((mac) => `mac:${mac}`))];
};

/**
 * A device that does not show its page at the moment is asked with the key that it had, and no other one hears it. One
 * that shows its page in the clear has none.
 */
function tlsKeyOf(web: Evidence['web'], before: DeviceFacts | undefined): string | undefined {
  if (web?.tlsKey !== undefined) return web.tlsKey;
  return web === undefined || isSentToTls(web) ? before?.tlsKey : undefined;
}
