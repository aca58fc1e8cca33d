// Whether a unit that shows a miner's facts at another address is that miner. A device says of itself what it likes: its word alone moves nothing.
// What the network says decides; else several facts must agree, and go on to. Pure: no storage, no clock.
import {
  type Facts,
  isBridged,
  isVouched,
  type Match,
  type MinerEntry,
  matchOf,
  serialKey,
  type UnitFacts,
} from './record.ts';

/** What answers at the address where the miner stood: the miner, a unit with another identity of its own, or nothing that says who it is. */
export type OldAddress = 'itself' | 'another' | 'silent';

/** Looks after which a unit is its own, although it may be another one. */
export const PATIENCE_LOOKS = 3;

export type Circumstances = {
  readonly old: OldAddress;
  /** A task restarts it, so that it is away and comes back. */
  readonly isExpectedBack: boolean;
  /** Another unit showed its facts before and was found not to be it. */
  readonly isDisputed: boolean;
  /** Another address shows its facts at the same time, and nothing is known of that one either. */
  readonly hasRival: boolean;
  /** A person said that the unit at this address is not it. */
  readonly isRejected: boolean;
};

/**
 * `moves` = it is the miner. `moves-if-it-lasts` = so it seems: a second look must say the same. `waits` = too little agrees. `refuted` = it is not.
 * `refuted-if-it-lasts` = something contradicts that may be a moment old: the network's table, or what an earlier unit told at the address.
 */
export type Weight = 'moves' | 'moves-if-it-lasts' | 'waits' | 'refuted' | 'refuted-if-it-lasts';

/** What a unit away from the miner's address is to the miner that it shows facts of. */
export function weigh(entry: MinerEntry, facts: Facts, circumstances: Circumstances): Weight {
  const { old, isExpectedBack, isDisputed, hasRival, isRejected } = circumstances;
  const match = matchOf(entry, facts);
  if (old === 'itself' || isRejected) return 'refuted';
  const isNamed = isVouchedFor(entry, match);
  // Hashboards are replaced while a miner is away.
  if (toldOther(isNamed ? { ...match, boards: 'unknown' } : match) || deniedByNetwork(entry, facts, match))
    return 'refuted-if-it-lasts';
  if (isNamed) return 'moves';
  if (isDisputed) return 'refuted';
  if (hasRival) return 'waits';
  const same = FACTS.filter((fact) => match[fact] === 'same');
  const isWhole = same.length >= 2 && !hasGoneMissing(entry, facts);
  // A device that sees when it restarts can show all of it meanwhile: where the network knew it, the network must know it again.
  if (isExpectedBack && isVouched(entry)) return 'waits';
  if (isExpectedBack)
    return isWhole && match.serial === 'same' && match.boards === 'same' ? 'moves-if-it-lasts' : 'waits';
  // A MAC is read off the network and a serial number off the case: whatever stands at the old address, they are not enough. Hashboards tell only a login.
  return isWhole || (old === 'another' && match.boards === 'same') ? 'moves-if-it-lasts' : 'waits';
}

/**
 * The network shows another MAC here than the miner's. A MAC that several addresses show names no unit, but is not that of a miner that the network knows:
 * a unit would only have to answer at two addresses.
 */
const deniedByNetwork = (entry: MinerEntry, { netMac, sharedMac }: Facts, { net }: Match): boolean =>
  (net === 'other' && !isBridged(entry)) ||
  (netMac === undefined && sharedMac !== undefined && isVouched(entry) && sharedMac !== entry.mac);

/** The device itself says something else. */
const toldOther = ({ mac, serial, boards }: Match): boolean => [mac, serial, boards].includes('other');

/** The network shows the MAC that the miner is known by; behind a bridge the bridge's, where the device says the miner's own facts. */
const isVouchedFor = (entry: UnitFacts, { net, mac, serial }: Match): boolean =>
  net === 'same' && (!isBridged(entry) || mac === 'same' || serial === 'same');

/** Something that the miner used to tell is not told here. */
const hasGoneMissing = (entry: MinerEntry, facts: Facts): boolean =>
  (entry.macSource === 'device' && entry.mac !== null && facts.toldMac === undefined) ||
  (entry.serialNumber !== null && facts.serialKey === undefined) ||
  (entry.boardSerials !== null && facts.boardSerials === undefined);

/** What answers at the miner's own address, by the facts that it shows. */
export function judgeOldAddress(entry: MinerEntry, facts: Facts): OldAddress {
  const match = matchOf(entry, facts);
  if (contradictedByNetwork(entry, match)) return facts.toldMac === entry.mac ? 'silent' : 'another';
  if (match.mac === 'same' || match.serial === 'same' || match.net === 'same') return 'itself';
  return toldOther(match) ? 'another' : 'silent';
}

/** At the miner's own address the network shows another MAC than the one that it always showed there. */
export const contradictedByNetwork = (entry: UnitFacts, { net }: Match): boolean =>
  net === 'other' && !isBridged(entry) && entry.netMac !== null;

/** Those of the facts that are the other miner's; `''` = none. */
export function claimedFacts(of: MinerEntry, facts: Facts): string {
  const match = matchOf(of, facts);
  return FACTS.filter((fact) => match[fact] === 'same').join(' ');
}

/**
 * Whether a unit that showed these facts of the miner shows others now. Silence ends no claim: a disputed unit gets no login, and so tells less than before.
 */
export function hasEnded(claimed: string, of: MinerEntry, facts: Facts): boolean {
  const match = matchOf(of, facts);
  const names = claimed.split(' ');
  const verdicts = FACTS.flatMap((fact) => (names.includes(fact) && factOf(of, fact) !== null ? match[fact] : []));
  if (verdicts.includes('same')) return false;
  const isElsewhere = match.net === 'other' && !isBridged(of) && facts.toldMac === undefined;
  return isElsewhere || verdicts.length === 0 || verdicts.includes('other');
}

const FACTS = ['mac', 'serial', 'boards'] as const;
const factOf = (entry: MinerEntry, fact: (typeof FACTS)[number]): string | null =>
  ({ mac: entry.mac, serial: entry.serialNumber, boards: entry.boardSerials })[fact];

export type Likeness = 'same' | 'other' | 'unsure';

/** Whether the unit at `ip` is the one that had these facts. At another address two that no stranger has at hand must agree. */
export function compareUnits(unit: UnitFacts, ip: string, facts: Facts): Likeness {
  const match = matchOf(unit, facts);
  if (contradictedByNetwork(unit, match) || contradicts(match)) return 'other';
  if (ip === unit.ip) return 'same';
  if (toldOther(match)) return 'other';
  const agreeing = [isVouchedFor(unit, match), match.serial === 'same', match.boards === 'same'].filter(Boolean).length;
  return agreeing >= 2 ? 'same' : 'unsure';
}

/** Neither MAC nor serial matches and one of them differs. */
export function contradicts(match: Match): boolean {
  return match.mac !== 'same' && match.serial !== 'same' && (match.mac === 'other' || match.serial === 'other');
}

/** What becomes of a claim. A look that decides nothing by itself is noted. */
export function decide(
  weight: Weight,
  isBackHome: boolean,
  note: () => { readonly looks: number; readonly inARow: number },
): { isBelieved: boolean; isRefuted: boolean; isOver: boolean } {
  const found = { isBelieved: false, isRefuted: false, isOver: false };
  switch (weight) {
    case 'moves':
      return { ...found, isBelieved: true };
    case 'refuted':
      return { ...found, isRefuted: true };
    case 'moves-if-it-lasts':
      return { ...found, isBelieved: isBackHome || note().inARow >= 2 };
    case 'refuted-if-it-lasts':
      return { ...found, isRefuted: note().inARow >= 2 };
    case 'waits':
      return isBackHome ? { ...found, isBelieved: true } : { ...found, isOver: note().looks >= PATIENCE_LOOKS };
  }
}

/**
 * It tells one of its facts as before and another anew. It may have a new part; or another unit took its place, and what the first one told is still
 * remembered: the next look asks everything again.
 */
export function hasNewPart(entry: MinerEntry, facts: Facts): boolean {
  const { mac, serial, boards, net } = matchOf(entry, facts);
  const isKnownByNetwork = net === 'same' && isVouched(entry);
  return [mac, serial, boards].includes('other') && !isKnownByNetwork && entry.claimsKey === null;
}

/** What a unit shows of another one. */
export type Claim = Pick<MinerEntry, 'claimsKey' | 'claimedFacts' | 'claimState' | 'claimedSinceMs'>;
export const NO_CLAIM: Claim = { claimsKey: null, claimedFacts: '', claimState: null, claimedSinceMs: null };

/** Who shows another one's facts keeps those that it had before. */
export const ownFactsOf = (entry: MinerEntry, merged: MinerEntry): Partial<MinerEntry> => ({
  ...(entry.mac === null ? {} : { mac: entry.mac, macSource: entry.macSource, macState: entry.macState }),
  ...(entry.serialNumber === null ? {} : { serialNumber: entry.serialNumber, serialState: entry.serialState }),
  boardSerials: entry.boardSerials ?? merged.boardSerials,
});

/** What leaves an address to another keeps its row without an address, unless nothing could ever name it again, or it was never another unit. */
export function displacing(displaced: MinerEntry | undefined, entry: MinerEntry) {
  if (displaced === undefined) return { put: [entry] };
  const isNameless = displaced.mac === null && displaced.serialNumber === null;
  const isClaimant = displaced.claimsKey === entry.key;
  const isNoOther = isClaimant && displaced.firstSeenMs >= (displaced.claimedSinceMs ?? 0);
  if (isNameless || isNoOther) return { remove: [displaced.key], put: [entry] };
  return { put: [{ ...displaced, ip: null, ...(isClaimant && NO_CLAIM) }, entry] };
}

/** The unit after its claim has ended. What it showed of the other miner was never its own: shown again, it is a claim again. */
export function withoutClaimed(entry: MinerEntry, of: MinerEntry): MinerEntry {
  const isClaimed = (fact: string) => entry.claimedFacts.split(' ').includes(fact);
  const noMac = { mac: null, macSource: null, macState: 'empty' } as const;
  const noSerial = { serialNumber: null, serialState: 'empty' } as const;
  return {
    ...{ ...entry, ...NO_CLAIM },
    ...(isClaimed('mac') && entry.mac === of.mac && noMac),
    ...(isClaimed('serial') && serialKey(entry.serialNumber) === serialKey(of.serialNumber) && noSerial),
    ...(isClaimed('boards') && entry.boardSerials === of.boardSerials && { boardSerials: null }),
  };
}
