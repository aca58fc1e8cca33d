// Which units show the same facts, and so which must be doubted: read from the register. It writes nothing.
import { type FactState, type UnstableReason, unstableReason } from '../../../model/identity-facts.ts';
import type { EventRecord } from '../../../wire/records.ts';
import { event, isVouched, type MinerEntry, serialKey } from './record.ts';
import type { MinerIndex } from './registry-index.ts';

export type IdentityStates = {
  readonly mac: FactState;
  readonly serial: FactState;
  readonly unstableReason: UnstableReason | null;
};

/** A unit and where it stands, or stood last. */
export type Unit = { readonly key: string; readonly ip: string };

/** An address whose unit shows another miner's facts, or changes who it is. Times in ms since the epoch. */
export type Suspect = {
  readonly ip: string;
  readonly sinceMs: number;
  readonly reason: 'claims' | 'changes';
  /** The miner whose facts it shows, and which of them. `isRejected` = a person said that it is not that miner. */
  readonly claims: (Unit & { readonly facts: readonly string[]; readonly isRejected: boolean }) | undefined;
};

/** Two units of which one at most is the miner. */
export type Dispute = {
  readonly miner: MinerEntry;
  /** The unit that shows facts of it, too. */
  readonly claimant: MinerEntry;
  readonly facts: readonly Fact[];
  /**
   * `open` = too little is known. `refuted` = the miner answered at the same time, or the network contradicts. `rejected` = a person said that it is not
   * the miner, which is free of it since.
   */
  readonly state: 'open' | 'refuted' | 'rejected';
  readonly sinceMs: number;
};

type Fact = 'mac' | 'serial' | 'boards';

/** A miner that was not seen for so long is given up: what another one shows of it is that one's. */
const GIVEN_UP_MS = 7 * 24 * 3_600_000;
const MAX_NAMED = 16;
/** A serial number that more units show is what their maker wrote into all of them: it names none, and casts doubt on none. */
const MAX_SAME_SERIAL = 8;

export const factValue = (entry: MinerEntry, fact: 'mac' | 'serial'): string | undefined =>
  fact === 'mac' ? (entry.mac ?? undefined) : serialKey(entry.serialNumber);

export const unitOf = ({ key, ip, lastIp }: MinerEntry): Unit => ({ key, ip: ip ?? lastIp });

/** For people and integrators who must find it. */
const namedUnitOf = (entry: MinerEntry) => ({ ...unitOf(entry), make: entry.make, model: entry.model });
export type NamedUnit = ReturnType<typeof namedUnitOf>;

export function createContest(
  index: MinerIndex,
  {
    unseenMs,
    isLive,
    hasEnded,
    isRejected,
  }: {
    unseenMs(entry: MinerEntry): number;
    isLive(entry: MinerEntry): boolean;
    /** It shows nothing of what it claims at the moment. */
    hasEnded(entry: MinerEntry): boolean;
    /** A person said that what stands at `unit` is not the miner. */
    isRejected(of: MinerEntry, unit: MinerEntry): boolean;
  },
) {
  const isCommonSerial = (entry: MinerEntry): boolean => {
    const serial = factValue(entry, 'serial');
    if (serial === undefined) return false;
    return [...take(index.bySerial(serial), MAX_SAME_SERIAL + 1)].length > MAX_SAME_SERIAL;
  };

  /** What a person said outlasts the miner's absence. */
  const isGivenUp = (of: MinerEntry, unit: MinerEntry): boolean => unseenMs(of) > GIVEN_UP_MS && !isRejected(of, unit);

  /** The miner whose facts this unit shows. */
  const claimOf = (entry: MinerEntry): MinerEntry | undefined => {
    const of = entry.claimsKey === null ? undefined : index.get(entry.claimsKey);
    if (of === undefined || isGivenUp(of, entry)) return undefined;
    if (entry.claimedFacts === 'serial' && isCommonSerial(of)) return undefined;
    // It says who it is, and so does the network: it may have got the chassis of a miner that is gone.
    const isKnown = isVouched(entry) && entry.macSource === 'device';
    return isKnown && entry.claimedFacts === 'serial' && !isLive(of) ? undefined : of;
  };

  // Each poll asks whether there is one: those questions make no generator.
  const isClaimant = (entry: MinerEntry, other: MinerEntry): boolean =>
    isLive(other) && !isRejected(entry, other) && claimOf(other) !== undefined;
  const isTwin = (entry: MinerEntry, other: MinerEntry): boolean =>
    other.key !== entry.key && isLive(other) && !isRejected(entry, other);

  /** Miners on record with the value that `entry` shows, itself too; none where that is not valid. */
  const holdersOf = (entry: MinerEntry, fact: 'mac' | 'serial'): Iterable<MinerEntry> => {
    const isValid = (fact === 'mac' ? entry.macState : entry.serialState) === 'ok';
    const value = factValue(entry, fact);
    if (!isValid || !value) return [];
    return fact === 'mac' ? index.byMac(value) : index.bySerial(value);
  };

  /** Live miners that show the same valid value as `entry`, as far as no person said that they are not it. */
  function* twinsOf(entry: MinerEntry, fact: 'mac' | 'serial'): Iterable<MinerEntry> {
    for (const other of holdersOf(entry, fact)) if (isTwin(entry, other)) yield other;
  }

  const hasTwin = (entry: MinerEntry, fact: 'mac' | 'serial'): boolean => {
    for (const other of holdersOf(entry, fact)) if (isTwin(entry, other)) return true;
    return false;
  };

  const claimsNow = (entry: MinerEntry, fact: 'mac' | 'serial'): boolean =>
    entry.claimedFacts.includes(fact) && !hasEnded(entry);

  const isDuplicate = (entry: MinerEntry, fact: 'mac' | 'serial'): boolean => {
    if (hasTwin(entry, fact)) return true;
    if (claimsNow(entry, fact) && claimOf(entry) !== undefined) return true;
    for (const other of index.byClaim(entry.key)) if (isClaimant(entry, other) && claimsNow(other, fact)) return true;
    return false;
  };

  function* rivalsOf(entry: MinerEntry): Iterable<MinerEntry> {
    const claimed = claimOf(entry);
    if (claimed !== undefined) yield claimed;
    for (const other of index.byClaim(entry.key)) if (isClaimant(entry, other)) yield other;
    yield* twinsOf(entry, 'mac');
    if (!isCommonSerial(entry)) yield* twinsOf(entry, 'serial');
  }

  const twins = (entry: MinerEntry, fact: 'mac' | 'serial'): NamedUnit[] =>
    [...take(twinsOf(entry, fact), MAX_NAMED)].map(namedUnitOf);

  /** The other units that make it a duplicate. */
  function* othersOf(entry: MinerEntry, fact: 'mac' | 'serial'): Iterable<MinerEntry> {
    const claimed = claimsNow(entry, fact) ? claimOf(entry) : undefined;
    if (claimed !== undefined) yield claimed;
    for (const other of index.byClaim(entry.key)) if (isClaimant(entry, other) && claimsNow(other, fact)) yield other;
    yield* twinsOf(entry, fact);
  }

  const disputeOf = (claimant: MinerEntry, miner: MinerEntry): Dispute => ({
    ...{ claimant, miner, facts: factNames(claimant.claimedFacts) },
    state: isRejected(miner, claimant) ? 'rejected' : (claimant.claimState ?? 'open'),
    sinceMs: claimant.claimedSinceMs ?? claimant.firstSeenMs,
  });

  /** Two units that show the same and claim nothing of each other: the one that was known first is taken for the miner. */
  const twinDisputes = (entry: MinerEntry): Dispute[] => {
    if (!isLive(entry) || claimOf(entry) !== undefined) return [];
    const found = new Map<string, Dispute>();
    for (const fact of ['mac', 'serial'] as const) {
      if (fact === 'serial' && isCommonSerial(entry)) continue;
      for (const miner of take(twinsOf(entry, fact), MAX_NAMED)) {
        const isFirst = miner.firstSeenMs - entry.firstSeenMs || (miner.key < entry.key ? -1 : 1);
        const state = isRejected(miner, entry) ? 'rejected' : 'open';
        if ((isFirst > 0 && state === 'open') || claimOf(miner) !== undefined) continue;
        const facts = [...(found.get(miner.key)?.facts ?? []), fact];
        found.set(miner.key, { claimant: entry, miner, facts, state, sinceMs: entry.firstSeenMs });
      }
    }
    return [...found.values()];
  };

  /** All pairs, oldest first. */
  const disputes = (): Dispute[] =>
    index
      .all()
      .flatMap((entry) => {
        const miner = isLive(entry) ? claimOf(entry) : undefined;
        return miner === undefined ? twinDisputes(entry) : [disputeOf(entry, miner)];
      })
      .toSorted((a, b) => a.sinceMs - b.sinceMs);

  return {
    claimOf,
    /** It claims to be a miner that was given up, and that may come back. */
    isDormant({ claimsKey }: MinerEntry): boolean {
      const of = claimsKey === null ? undefined : index.get(claimsKey);
      return of !== undefined && unseenMs(of) > GIVEN_UP_MS;
    },
    isClaimedElsewhere(entry: MinerEntry, ip: string): boolean {
      for (const other of index.byClaim(entry.key)) if (other.ip !== ip && isClaimant(entry, other)) return true;
      return false;
    },
    /** The units on record at the rejected addresses that claim to be the miner: refuted. */
    asRejected: (miner: MinerEntry, rejected: readonly { readonly ip: string }[]): MinerEntry[] =>
      rejected.flatMap(({ ip }) => {
        const unit = index.byIp(ip);
        return unit?.claimsKey === miner.key ? [{ ...unit, claimState: 'refuted' }] : [];
      }),
    states(entry: MinerEntry): IdentityStates {
      const mac = isDuplicate(entry, 'mac') ? 'duplicate' : entry.macState;
      const serial = isDuplicate(entry, 'serial') ? 'duplicate' : entry.serialState;
      return { mac, serial, unstableReason: unstableReason(mac, serial) };
    },
    /** A value that a unit did not show before and that another one shows too is told once, with both. */
    duplicateEvents(before: MinerEntry | undefined, after: MinerEntry): EventRecord[] {
      const tell = (fact: string, value: string | undefined, others: readonly NamedUnit[]) =>
        event('duplicate', after.key, after.lastSeenMs, { fact, value: value ?? null, ...namedUnitOf(after), others });
      const claimed = after.claimsKey === null ? undefined : index.get(after.claimsKey);
      if (claimed !== undefined && before?.claimsKey !== after.claimsKey) {
        const fact = after.claimedFacts.startsWith('serial') ? 'serial' : 'mac';
        return [tell(fact, factValue(claimed, fact), [namedUnitOf(claimed)])];
      }
      if (claimed !== undefined) return [];
      return (['mac', 'serial'] as const).flatMap((fact) => {
        const value = factValue(after, fact);
        if (value === undefined || (before !== undefined && factValue(before, fact) === value)) return [];
        const others = twins(after, fact);
        return others.length === 0 ? [] : [tell(fact, value, others)];
      });
    },
    disputes,
    /** The others that show the same; of many, some. */
    duplicatesOf: (entry: MinerEntry | undefined, fact: 'mac' | 'serial'): NamedUnit[] => {
      if (entry === undefined) return [];
      const units = [...take(othersOf(entry, fact), MAX_NAMED)].map(
        (other) => [other.key, namedUnitOf(other)] as const,
      );
      return [...new Map(units).values()];
    },
    /** The others that show its facts, or whose facts it shows; of many, some. Empty = it is sure who it is. */
    rivals(entry: MinerEntry | undefined): Unit[] {
      if (entry === undefined) return [];
      const units = [...take(rivalsOf(entry), MAX_NAMED)].map((other) => [other.key, unitOf(other)] as const);
      return [...new Map(units).values()];
    },
    hasRivals(entry: MinerEntry): boolean {
      if (claimOf(entry) !== undefined) return true;
      for (const other of index.byClaim(entry.key)) if (isClaimant(entry, other)) return true;
      return hasTwin(entry, 'mac') || (hasTwin(entry, 'serial') && !isCommonSerial(entry));
    },
    /** Another unit showed its facts and was found not to be it: they say nothing any more. */
    isDisputed(entry: MinerEntry): boolean {
      for (const other of index.byClaim(entry.key))
        if (other.claimState === 'refuted' && claimOf(other) !== undefined) return true;
      return false;
    },
    suspects: (): Suspect[] =>
      disputes().flatMap(({ claimant, miner, facts, state, sinceMs }) => {
        const isRejected = state === 'rejected';
        if (claimant.ip === null || (claimant.claimsKey !== miner.key && !isRejected)) return [];
        return [{ ip: claimant.ip, sinceMs, reason: 'claims', claims: { ...unitOf(miner), facts, isRejected } }];
      }),
  };
}

const FACTS = ['mac', 'serial', 'boards'] as const satisfies readonly Fact[];
const factNames = (claimed: string): Fact[] => FACTS.filter((fact) => claimed.split(' ').includes(fact));

function* take<T>(items: Iterable<T>, count: number): Iterable<T> {
  let left = count;
  for (const item of items) {
    if (left-- <= 0) return;
    yield item;
  }
}
