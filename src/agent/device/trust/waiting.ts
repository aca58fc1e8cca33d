// The devices that wait for a person before they get their login, and what a person's word does to them. Pure but for
// the record that it reads.
import { type Ipv4Range, isInRange, parseIpv4, parseIpv4Range } from '../../../base/net/ipv4.ts';
import { normaliseMac } from '../../../model/identity-facts.ts';
import { pinKeyOf, standingOf, type Withheld } from './rules.ts';
import { factsOf, type MetDevice, type TrustRecord } from './trust-record.ts';

/** A device that was not seen for so long has left, or never was of this farm. */
const LEFT_MS = 2 * 24 * 3_600_000;

/** A device that a person may accept. `isHeldUp` = a login of the configuration is for it and is not sent. */
export type Waiting = MetDevice & { readonly why: Withheld; readonly isHeldUp: boolean };

/** Reasons that a person's word ends. */
const ENDED_BY_A_PERSON: ReadonlySet<Withheld> = new Set(['no-proof', 'new', 'changed', 'moved', 'unseen']);

export function waitingDevices(record: Pick<TrustRecord, 'devices'>, nowMs: number): Waiting[] {
  return record.devices().flatMap((device): Waiting[] => {
    const { why, confidence, seenAtMs, isCovered } = device;
    if (why === null || !ENDED_BY_A_PERSON.has(why) || confidence === 'generic') return [];
    if (Math.abs(nowMs - seenAtMs) > LEFT_MS) return [];
    return [{ ...device, why, isHeldUp: isCovered }];
  });
}

/**
 * Those that wait, and those that need no person's word yet because they have the login of the factory: a password is
 * changed only where a person has accepted the device.
 */
export function acceptableDevices(
  record: Pick<TrustRecord, 'devices' | 'pinNamed' | 'pinAt'>,
  nowMs: number,
): Waiting[] {
  const others = record.devices().flatMap((device): Waiting[] => {
    const { ip, why, confidence, seenAtMs } = device;
    if (why !== null || confidence !== 'sure' || Math.abs(nowMs - seenAtMs) > LEFT_MS) return [];
    const facts = factsOf(device);
    const standing = standingOf(facts, record.pinNamed(pinKeyOf(ip, facts)), record.pinAt(ip));
    return standing === 'known' ? [] : [{ ...device, why: standing, isHeldUp: false }];
  });
  return [...waitingDevices(record, nowMs), ...others];
}

/** What a person writes to mean devices: addresses and ranges, MACs, ids of drivers. */
export type Selector = { readonly text: string; matches(device: Named): boolean };
type Named = Pick<MetDevice, 'ip' | 'networkMac' | 'mac' | 'family'>;

/** Undefined where it is none of these. */
export function readSelector(text: string, driverIds: readonly string[]): Selector | undefined {
  const range = parseIpv4Range(text);
  if (typeof range !== 'string') return { text, matches: ({ ip }) => isIn(range, ip) };
  const mac = normaliseMac(text);
  if (mac !== undefined) return { text, matches: (device) => device.networkMac === mac || device.mac === mac };
  return driverIds.includes(text) ? { text, matches: ({ family }) => family === text } : undefined;
}

function isIn(range: Ipv4Range, ip: string): boolean {
  const address = parseIpv4(ip);
  return address !== undefined && isInRange(range, address);
}

type Acceptance = {
  readonly accepted: readonly Waiting[];
  /** Not accepted, because only a person who says what they are can vouch for them. */
  readonly unproven: readonly Waiting[];
};

/**
 * Splits those that were selected. `vouchedFor` = the driver that the person names: it is for devices without a proof
 * and for no others; of all that wait (`isAll`) it means those that look like it.
 */
export function toAccept(selected: readonly Waiting[], vouchedFor: string | undefined, isAll: boolean): Acceptance {
  const isUnproven = ({ confidence }: Waiting) => confidence !== 'sure';
  if (vouchedFor === undefined) {
    return { accepted: selected.filter((device) => !isUnproven(device)), unproven: selected.filter(isUnproven) };
  }
  const accepted = selected.filter((device) => isUnproven(device) && (!isAll || device.family === vouchedFor));
  return { accepted, unproven: isAll ? [] : selected.filter((device) => !isUnproven(device)) };
}
