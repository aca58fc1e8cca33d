// The rules of trust, pure: a device that proved its family without a login may get the factory login and be changed; a
// configured login also needs a device that a person accepted.
import type { Identity } from '../../../driver/contract.ts';

/** `factory` = the one that the family leaves the factory with; `configured` = one of `credentials.logins`. */
type LoginSource = 'factory' | 'configured';

/** What a device shows of itself before anybody logs in. MACs as `AA:BB:…`. */
export type DeviceFacts = {
  readonly family: string;
  readonly confidence: Identity['confidence'];
  /** Of its digest challenge on the start page. */
  readonly realm?: string | undefined;
  /** As the network shows it (ARP): of direct neighbours only. */
  readonly networkMac?: string | undefined;
  /** As the device reports it without a login. */
  readonly mac?: string | undefined;
  readonly serialNumber?: string | undefined;
  /** Of its web, where that is read over TLS: SHA-256 of the public key (SPKI), hex. */
  readonly tlsKey?: string | undefined;
};

/** A device as a person accepted it. */
export type Pin = {
  readonly ip: string;
  readonly family: string;
  readonly realm: string | null;
  readonly networkMac: string | null;
  readonly mac: string | null;
  readonly serialNumber: string | null;
  readonly tlsKey: string | null;
  /** The person vouched for the family: the device itself gives no proof of it. */
  readonly isVouchedFor: boolean;
};

/**
 * `unseen` = the pin names the network's MAC, and the network says nothing of this address at the moment; `moved` = the
 * device says that it is one that was accepted at another address, and too little agrees with it.
 */
type Standing = 'known' | 'new' | 'changed' | 'moved' | 'unseen';

/** Why something is not done. */
export const WITHHELD = [
  'contested',
  'no-proof',
  'new',
  'changed',
  'moved',
  'unseen',
  'refused-before',
  'no-record',
] as const;
export type Withheld = (typeof WITHHELD)[number];

/** The name under which a device is pinned: its MAC where known, else its serial number, else its address. */
export function pinKeyOf(ip: string, { networkMac, mac, serialNumber }: Omit<DeviceFacts, 'family' | 'confidence'>) {
  const shown = networkMac ?? mac;
  if (shown !== undefined) return `mac:${shown}`;
  return serialNumber === undefined ? `ip:${ip}` : `serial:${serialNumber}`;
}

/**
 * Whether the device is the one that was accepted. `pin` is the one under its own name (`pinKeyOf`); `pinHere` is any
 * other that was accepted at this address, which makes a new device a stranger. `old` = who answers where
 * `pin` was accepted; undefined: it was accepted here.
 */
export function standingOf(
  facts: DeviceFacts,
  pin: Pin | undefined,
  pinHere: Pin | undefined,
  old?: OldAddress,
): Standing {
  const accepted = pin ?? pinHere;
  if (accepted === undefined) return 'new';
  const isOutOfSight = accepted.networkMac !== null && facts.networkMac === undefined;
  if (!agrees(facts, accepted)) return 'changed';
  if (isOutOfSight) return 'unseen';
  if (pin === undefined) return 'changed';
  return old === undefined || mayHaveMoved(facts, pin, old) ? 'known' : 'moved';
}

/** What answers where a device was accepted. `unknown` = this process has not asked there. */
export type OldAddress = 'itself' | 'another' | 'silent' | 'unknown';

/**
 * Whether a device may be the one that was accepted at another address. Its name is no secret, and a miner can be made
 * silent: without the network's word it needs a second fact, or another device at the old address.
 */
function mayHaveMoved({ networkMac, mac, serialNumber }: DeviceFacts, pin: Pin, old: OldAddress): boolean {
  if (networkMac !== undefined || old === 'another') return true;
  const isTwofold = mac !== undefined && serialNumber !== undefined;
  return old === 'silent' && isTwofold && pin.mac === mac && pin.serialNumber === serialNumber;
}

/**
 * What the device shows is what the pin names. A fact that it does not show at the moment contradicts nothing: its name
 * in the record is one that it shows. The TLS key is the exception: a device that shows its web in the clear, where it
 * was accepted with a key, may be another one that has not the key.
 */
function agrees(facts: DeviceFacts, pin: Pin): boolean {
  const isSame = (pinned: string | null, shown: string | undefined) =>
    pinned === null || shown === undefined || pinned === shown;
  return (
    pin.family === facts.family &&
    pin.tlsKey === (facts.tlsKey ?? null) &&
    isSame(pin.realm, facts.realm) &&
    isSame(pin.networkMac, facts.networkMac) &&
    isSame(pin.mac, facts.mac) &&
    isSame(pin.serialNumber, facts.serialNumber)
  );
}

export type TrustQuestion = {
  /** `change` = a command that changes the device, with or without a login. */
  readonly what: LoginSource | 'change';
  readonly confidence: Identity['confidence'];
  readonly standing: Standing;
  readonly isVouchedFor: boolean;
  /** Two live devices claim to be one. */
  readonly isContested: boolean;
  /** `credentials.trust: network`, and the address is of the configured networks. */
  readonly trustsNetwork: boolean;
  /** The record of login attempts can be read and written. */
  readonly hasRecord: boolean;
  /** A factory login was refused by this MAC or at this address within a day. */
  readonly wasRefused: boolean;
};

/** Undefined = it may be done. */
export function whyWithheld(question: TrustQuestion): Withheld | undefined {
  const { what, confidence, standing, isVouchedFor } = question;
  if (question.isContested) return 'contested';
  const isKnown = standing === 'known';
  if (confidence !== 'sure' && !(isKnown && isVouchedFor)) return isVouchedFor ? unknownOf(standing) : 'no-proof';
  switch (what) {
    case 'change':
      return undefined;
    case 'configured':
      if (isKnown || question.trustsNetwork) return undefined;
      return unknownOf(standing);
    case 'factory':
      // Without the record it is not known how often the login was tried.
      if (!question.hasRecord) return 'no-record';
      return question.wasRefused ? 'refused-before' : undefined;
  }
}

const unknownOf = (standing: Standing): Withheld => (standing === 'known' ? 'no-proof' : standing);

/** For people: why a device waits. */
export const WITHHELD_TEXT: Readonly<Record<Withheld, string>> = {
  contested: 'two devices claim to be this one',
  'no-proof': 'it gives no proof of what it is: accept it with --as <driver>',
  new: 'no person has accepted it yet',
  changed: 'it is not the one that was accepted',
  moved: 'it says that it is one that was accepted at another address, and too little agrees with that',
  unseen: 'the network does not say its MAC address at the moment',
  'refused-before': 'it refused the factory login within the last 24 hours',
  'no-record': 'the record of login attempts cannot be read or written',
};
