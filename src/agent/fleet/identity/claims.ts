// Whether a unit that shows a miner's facts at another address is that miner. A device may report anything, so one fact
// alone moves nothing: the network decides, or several facts that agree more than once. Pure: no storage, no clock.
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

/** What answers at the old address: the miner, a unit with another identity, or nothing that identifies a unit. */
export type OldAddress = 'itself' | 'another' | 'silent';

/** Looks after which an undecided unit is registered as a unit of its own. */
export const PATIENCE_LOOKS = 3;

export type Circumstances = {
  readonly old: OldAddress;
  /** A task restarts it: it is silent for a while and comes back. */
  readonly isExpectedBack: boolean;
  /** Another unit showed its facts before and was found not to be it. */
  readonly isDisputed: boolean;
  /** Another undecided address shows its facts at the same time. */
  readonly hasRival: boolean;
  /** A person said that the unit at this address is not it. */
  readonly isRejected: boolean;
};

/**
 * `moves` = it is the miner. `moves-if-it-lasts` = it probably is: a second look must agree. `waits` = too little
 * agrees. `refuted` = it is not. `refuted-if-it-lasts` = a contradiction that may be out of date: the network's table,
 * or values that an earlier unit reported at the address.
 */
export type Weight = 'moves' | 'moves-if-it-lasts' | 'waits' | 'refuted' | 'refuted-if-it-lasts';

/** What a unit away from the miner's address is to the miner that it shows facts of. */
export function weigh(entry: MinerEntry, facts: Facts, circumstances: Circumstances): Weight {
  const { old, isExpectedBack, isDisputed, hasRival, isRejected } = circumstances;
  const match = matchOf(entry, facts);
  if (old === 'itself' || isRejected) return 'refuted';
  const isNamed = isVouchedFor(entry, match);
  // Hashboards are replaced while a miner is away.
  if (reportsOther(isNamed ? { ...match, boards: 'unknown' } : match) || deniedByNetwork(entry, facts, match))
    return 'refuted-if-it-lasts';
  if (isNamed) return 'moves';
  if (isDisputed) return 'refuted';
  if (hasRival) return 'waits';
  const same = FACTS.filter((fact) => match[fact] === 'same');
  const isWhole = same.length >= 2 && !hasGoneMissing(entry, facts);
  // A device that notices a restart can show all of these facts meanwhile: only the network proves it then.
  if (isExpectedBack && isVouched(entry)) return 'waits';
  if (isExpectedBack)
    return isWhole && match.serial === 'same' && match.boards === 'same' ? 'moves-if-it-lasts' : 'waits';
  // MAC and serial are easy to read in the network and on the case. Hashboard serials need a login.
  return isWhole || (old === 'another' && match.boards === 'same') ? 'moves-if-it-lasts' : 'waits';
}

/**
 * The network shows another MAC here than the miner's. A MAC at several addresses identifies no unit. It still refutes
 * a miner that the network knows by another MAC: otherwise a unit would only have to answer at two addresses.
 */
const deniedByNetwork = (entry: MinerEntry, { netMac, sharedMac }: Facts, { net }: Match): boolean =>
  (net === 'other' && !isBridged(entry)) ||
  (netMac === undefined && sharedMac !== undefined && isVouched(entry) && sharedMac !== entry.mac);

/** The device itself reports another value. */
const reportsOther = ({ mac, serial, boards }: Match): boolean => [mac, serial, boards].includes('other');

/** The network shows the miner's MAC; behind a bridge, where it shows the bridge's, the device reports a fact too. */
const isVouchedFor = (entry: UnitFacts, { net, mac, serial }: Match): boolean =>
  net === 'same' && (!isBridged(entry) || mac === 'same' || serial === 'same');

/** A fact that the miner used to report is missing here. */
const hasGoneMissing = (entry: MinerEntry, facts: Facts): boolean =>
  (entry.macSource === 'device' && entry.mac !== null && facts.reportedMac === undefined) ||
  (entry.serialNumber !== null && facts.serialKey === undefined) ||
  (entry.boardSerials !== null && facts.boardSerials === undefined);

/** What answers at the miner's old address, by the facts that it shows. */
export function judgeOldAddress(entry: MinerEntry, facts: Facts): OldAddress {
  const match = matchOf(entry, facts);
  if (contradictedByNetwork(entry, match)) return facts.reportedMac === entry.mac ? 'silent' : 'another';
  if (match.mac === 'same' || match.serial === 'same' || match.net === 'same') return 'itself';
  return reportsOther(match) ? 'another' : 'silent';
}

/** At the miner's address the network shows another MAC than before. */
export const contradictedByNetwork = (entry: UnitFacts, { net }: Match): boolean =>
  net === 'other' && !isBridged(entry) && entry.netMac !== null;

/** Those of the facts that are the other miner's; `''` = none. */
export function claimedFacts(of: MinerEntry, facts: Facts): string {
  const match = matchOf(of, facts);
  return FACTS.filter((fact) => match[fact] === 'same').join(' ');
}

/**
 * Whether a unit that showed these facts of the miner shows others now. Missing facts end no claim: a disputed unit
 * gets no login and so reports less.
 */
export function hasEnded(claimed: string, of: MinerEntry, facts: Facts): boolean {
  const match = matchOf(of, facts);
  const names = claimed.split(' ');
  const verdicts = FACTS.flatMap((fact) => (names.includes(fact) && factOf(of, fact) !== null ? match[fact] : []));
  if (verdicts.includes('same')) return false;
  const isElsewhere = match.net === 'other' && !isBridged(of) && facts.reportedMac === undefined;
  return isElsewhere || verdicts.length === 0 || verdicts.includes('other');
}

const FACTS = ['mac', 'serial', 'boards'] as const;
const factOf = (entry: MinerEntry, fact: (typeof FACTS)[number]): string | null =>
  ({ mac: entry.mac, serial: entry.serialNumber, boards: entry.boardSerials })[fact];

export type Likeness = 'same' | 'other' | 'unsure';

/**
 * Whether the unit at `ip` is the one with these facts. At another address two facts that are hard to copy must agree.
 */
export function compareUnits(unit: UnitFacts, ip: string, facts: Facts): Likeness {
  const match = matchOf(unit, facts);
  if (contradictedByNetwork(unit, match) || contradicts(match)) return 'other';
  if (ip === unit.ip) return 'same';
  if (reportsOther(match)) return 'other';
  const agreeing = [isVouchedFor(unit, match), match.serial === 'same', match.boards === 'same'].filter(Boolean).length;
  return agreeing >= 2 ? 'same' : 'unsure';
}

/** Neither MAC nor serial matches and one of them differs. */
export function contradicts(match: Match): boolean {
  return match.mac !== 'same' && match.serial !== 'same' && (match.mac === 'other' || match.serial === 'other');
}

/** The decision on a claim. A look that decides nothing by itself is counted by `note`. */
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
 * One of its facts is as before and another is new. It may have a new part; or another unit took its address and some
 * values of the first unit are still cached: the next look asks everything again.
 */
export function hasNewPart(entry: MinerEntry, facts: Facts): boolean {
  const { mac, serial, boards, net } = matchOf(entry, facts);
  const isKnownByNetwork = net === 'same' && isVouched(entry);
  return [mac, serial, boards].includes('other') && !isKnownByNetwork && entry.claimsKey === null;
}

/** The facts of another miner that a unit shows. */
export type Claim = Pick<MinerEntry, 'claimsKey' | 'claimedFacts' | 'claimState' | 'claimedSinceMs'>;
export const NO_CLAIM: Claim = { claimsKey: null, claimedFacts: '', claimState: null, claimedSinceMs: null };

/** A claimant keeps the facts that it had before. */
export const ownFactsOf = (entry: MinerEntry, merged: MinerEntry): Partial<MinerEntry> => ({
  ...(entry.mac === null ? {} : { mac: entry.mac, macSource: entry.macSource, macState: entry.macState }),
  ...(entry.serialNumber === null ? {} : { serialNumber: entry.serialNumber, serialState: entry.serialState }),
  boardSerials: entry.boardSerials ?? merged.boardSerials,
});

/** The displaced unit keeps its row, unless nothing can identify it again or it was never a unit of its own. */
export function displacing(displaced: MinerEntry | undefined, entry: MinerEntry) {
  if (displaced === undefined) return { put: [entry] };
  const isNameless = displaced.mac === null && displaced.serialNumber === null;
  const isClaimant = displaced.claimsKey === entry.key;
  const isNoOther = isClaimant && displaced.firstSeenMs >= (displaced.claimedSinceMs ?? 0);
  if (isNameless || isNoOther) return { remove: [displaced.key], put: [entry] };
  return { put: [{ ...displaced, ip: null, ...(isClaimant && NO_CLAIM) }, entry] };
}

/** The unit after its claim has ended, without the claimed facts: shown again, they are a new claim. */
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
