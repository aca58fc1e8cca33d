// Which units show the same facts, and therefore must be doubted. It reads the registry's index and writes nothing.
import { type FactState, type UnstableReason, unstableReason } from '../../../model/identity-facts.ts';
import type { EventRecord } from '../../../wire/records.ts';
import { event, isVouched, type MinerEntry, serialKey } from './record.ts';
import type { MinerIndex } from './storage/registry-index.ts';

export type IdentityStates = {
  readonly mac: FactState;
  readonly serial: FactState;
  readonly unstableReason: UnstableReason | null;
};

/** A unit and its address, or its last one. */
export type Unit = { readonly key: string; readonly ip: string };

/** An address whose unit shows another miner's facts, or changes its identity. Times in ms since the epoch. */
export type Suspect = {
  readonly ip: string;
  readonly sinceMs: number;
  readonly reason: 'claims' | 'changes';
  /** The miner whose facts it shows, and which of them. `isRejected` = a person said that it is not that miner. */
  readonly claims: (Unit & { readonly facts: readonly string[]; readonly isRejected: boolean }) | undefined;
};

/** Two units, of which at most one is the miner. */
export type Dispute = {
  readonly miner: MinerEntry;
  /** The unit that shows facts of it, too. */
  readonly claimant: MinerEntry;
  readonly facts: readonly Fact[];
  /**
   * `open` = too little is known. `refuted` = the miner answered at the same time, or the network contradicts.
   * `rejected` = a person said that the claimant is not the miner; the miner itself is no longer in doubt.
   */
  readonly state: 'open' | 'refuted' | 'rejected';
  readonly sinceMs: number;
};

type Fact = 'mac' | 'serial' | 'boards';
type SingleFact = Exclude<Fact, 'boards'>;

type ConflictOptions = {
  unseenMs(entry: MinerEntry): number;
  isLive(entry: MinerEntry): boolean;
  /** At the moment it shows nothing of what it claims. */
  hasEnded(entry: MinerEntry): boolean;
  /** A person said that `unit` is not the miner `of`. */
  isRejected(of: MinerEntry, unit: MinerEntry): boolean;
};

/** A miner unseen for this long is given up: its facts then belong to the unit that shows them. */
const GIVEN_UP_MS = 7 * 24 * 3_600_000;
const MAX_NAMED = 16;
/** A maker may write one serial number into all its units. More units than this with one serial are not in doubt. */
const MAX_SAME_SERIAL = 8;

const factValue = (entry: MinerEntry, fact: SingleFact): string | undefined =>
  fact === 'mac' ? (entry.mac ?? undefined) : serialKey(entry.serialNumber);

const unitOf = ({ key, ip, lastIp }: MinerEntry): Unit => ({ key, ip: ip ?? lastIp });

/** For people and integrators who must find it. */
const namedUnitOf = (entry: MinerEntry) => ({ ...unitOf(entry), make: entry.make, model: entry.model });
export type NamedUnit = ReturnType<typeof namedUnitOf>;

export class IdentityConflicts {
  readonly #index: MinerIndex;
  readonly #options: ConflictOptions;

  constructor(index: MinerIndex, options: ConflictOptions) {
    this.#index = index;
    this.#options = options;
  }

  /** The miner whose facts this unit shows. */
  claimOf(entry: MinerEntry): MinerEntry | undefined {
    const of = this.#claimedBy(entry);
    if (of === undefined || this.#isGivenUp(of, entry)) return undefined;
    if (entry.claimedFacts === 'serial' && this.#isCommonSerial(of)) return undefined;
    // The device and the network agree on its MAC: it may have got the chassis of a miner that is gone.
    const isKnown = isVouched(entry) && entry.macSource === 'device';
    return isKnown && entry.claimedFacts === 'serial' && !this.#options.isLive(of) ? undefined : of;
  }

  /** It claims to be a miner that was given up and may come back. */
  isDormant(entry: MinerEntry): boolean {
    const of = this.#claimedBy(entry);
    return of !== undefined && this.#options.unseenMs(of) > GIVEN_UP_MS;
  }

  isClaimedElsewhere(entry: MinerEntry, ip: string): boolean {
    for (const other of this.#index.byClaim(entry.key))
      if (other.ip !== ip && this.#isClaimant(entry, other)) return true;
    return false;
  }

  /** Another unit showed its facts and was found not to be it: the facts prove nothing any more. */
  isDisputed(entry: MinerEntry): boolean {
    for (const other of this.#index.byClaim(entry.key))
      if (other.claimState === 'refuted' && this.claimOf(other) !== undefined) return true;
    return false;
  }

  /** The units on record at the rejected addresses that claim to be the miner: refuted. */
  asRejected(miner: MinerEntry, rejected: readonly { readonly ip: string }[]): MinerEntry[] {
    return rejected.flatMap(({ ip }) => {
      const unit = this.#index.byIp(ip);
      return unit?.claimsKey === miner.key ? [{ ...unit, claimState: 'refuted' as const }] : [];
    });
  }

  states(entry: MinerEntry): IdentityStates {
    const mac = this.#isDuplicate(entry, 'mac') ? 'duplicate' : entry.macState;
    const serial = this.#isDuplicate(entry, 'serial') ? 'duplicate' : entry.serialState;
    return { mac, serial, unstableReason: unstableReason(mac, serial) };
  }

  hasRivals(entry: MinerEntry): boolean {
    if (this.claimOf(entry) !== undefined) return true;
    for (const other of this.#index.byClaim(entry.key)) if (this.#isClaimant(entry, other)) return true;
    return this.#hasTwin(entry, 'mac') || (this.#hasTwin(entry, 'serial') && !this.#isCommonSerial(entry));
  }

  /** The others that show its facts, or whose facts it shows; of many, some. Empty = its identity is certain. */
  rivals(entry: MinerEntry): Unit[] {
    return distinct(this.#rivalsOf(entry), unitOf);
  }

  /** The others that show the same fact; of many, some. */
  duplicatesOf(entry: MinerEntry, fact: SingleFact): NamedUnit[] {
    return distinct(this.#othersOf(entry, fact), namedUnitOf);
  }

  /** One event when a unit begins to show a value that another one shows too, with both. */
  duplicateEvents(before: MinerEntry | undefined, after: MinerEntry): EventRecord[] {
    const report = (fact: string, value: string | undefined, others: readonly NamedUnit[]) =>
      event('duplicate', after.key, after.lastSeenMs, { fact, value: value ?? null, ...namedUnitOf(after), others });
    const claimed = this.#claimedBy(after);
    if (claimed !== undefined && before?.claimsKey !== after.claimsKey) {
      const fact = after.claimedFacts.startsWith('serial') ? 'serial' : 'mac';
      return [report(fact, factValue(claimed, fact), [namedUnitOf(claimed)])];
    }
    if (claimed !== undefined) return [];
    return SINGLE_FACTS.flatMap((fact) => {
      const value = factValue(after, fact);
      if (value === undefined || (before !== undefined && factValue(before, fact) === value)) return [];
      const others = [...take(this.#twinsOf(after, fact), MAX_NAMED)].map(namedUnitOf);
      return others.length === 0 ? [] : [report(fact, value, others)];
    });
  }

  /** All pairs, oldest first. */
  disputes(): Dispute[] {
    return this.#index
      .all()
      .flatMap((entry) => {
        const miner = this.#options.isLive(entry) ? this.claimOf(entry) : undefined;
        return miner === undefined ? this.#twinDisputes(entry) : [this.#disputeOf(entry, miner)];
      })
      .toSorted((a, b) => a.sinceMs - b.sinceMs);
  }

  suspects(): Suspect[] {
    return this.disputes().flatMap(({ claimant, miner, facts, state, sinceMs }) => {
      const isRejected = state === 'rejected';
      if (claimant.ip === null || (claimant.claimsKey !== miner.key && !isRejected)) return [];
      return [{ ip: claimant.ip, sinceMs, reason: 'claims', claims: { ...unitOf(miner), facts, isRejected } }];
    });
  }

  #claimedBy({ claimsKey }: MinerEntry): MinerEntry | undefined {
    return claimsKey === null ? undefined : this.#index.get(claimsKey);
  }

  /** A person's decision holds also while the miner is away. */
  #isGivenUp(of: MinerEntry, unit: MinerEntry): boolean {
    return this.#options.unseenMs(of) > GIVEN_UP_MS && !this.#options.isRejected(of, unit);
  }

  #isCommonSerial(entry: MinerEntry): boolean {
    const serial = factValue(entry, 'serial');
    if (serial === undefined) return false;
    return [...take(this.#index.bySerial(serial), MAX_SAME_SERIAL + 1)].length > MAX_SAME_SERIAL;
  }

  // Each poll asks whether there is a claimant or a twin: those questions create no generator.
  #isClaimant(entry: MinerEntry, other: MinerEntry): boolean {
    return this.#isLiveOther(entry, other) && this.claimOf(other) !== undefined;
  }

  #isLiveOther(entry: MinerEntry, other: MinerEntry): boolean {
    return this.#options.isLive(other) && !this.#options.isRejected(entry, other);
  }

  #hasTwin(entry: MinerEntry, fact: SingleFact): boolean {
    for (const other of this.#holdersOf(entry, fact))
      if (other.key !== entry.key && this.#isLiveOther(entry, other)) return true;
    return false;
  }

  /** Live miners that show the same valid value as `entry`, except those that a person rejected. */
  *#twinsOf(entry: MinerEntry, fact: SingleFact): Iterable<MinerEntry> {
    for (const other of this.#holdersOf(entry, fact))
      if (other.key !== entry.key && this.#isLiveOther(entry, other)) yield other;
  }

  /** Miners on record with the value that `entry` shows, itself included; none where the value is not valid. */
  #holdersOf(entry: MinerEntry, fact: SingleFact): Iterable<MinerEntry> {
    const isValid = (fact === 'mac' ? entry.macState : entry.serialState) === 'ok';
    const value = factValue(entry, fact);
    if (!isValid || !value) return [];
    return fact === 'mac' ? this.#index.byMac(value) : this.#index.bySerial(value);
  }

  #claimsNow(entry: MinerEntry, fact: SingleFact): boolean {
    return entry.claimedFacts.includes(fact) && !this.#options.hasEnded(entry);
  }

  #isDuplicate(entry: MinerEntry, fact: SingleFact): boolean {
    if (this.#hasTwin(entry, fact)) return true;
    if (this.#claimsNow(entry, fact) && this.claimOf(entry) !== undefined) return true;
    for (const other of this.#index.byClaim(entry.key))
      if (this.#isClaimant(entry, other) && this.#claimsNow(other, fact)) return true;
    return false;
  }

  *#rivalsOf(entry: MinerEntry): Iterable<MinerEntry> {
    const claimed = this.claimOf(entry);
    if (claimed !== undefined) yield claimed;
    for (const other of this.#index.byClaim(entry.key)) if (this.#isClaimant(entry, other)) yield other;
    yield* this.#twinsOf(entry, 'mac');
    if (!this.#isCommonSerial(entry)) yield* this.#twinsOf(entry, 'serial');
  }

  /** The other units that make it a duplicate. */
  *#othersOf(entry: MinerEntry, fact: SingleFact): Iterable<MinerEntry> {
    const claimed = this.#claimsNow(entry, fact) ? this.claimOf(entry) : undefined;
    if (claimed !== undefined) yield claimed;
    for (const other of this.#index.byClaim(entry.key))
      if (this.#isClaimant(entry, other) && this.#claimsNow(other, fact)) yield other;
    yield* this.#twinsOf(entry, fact);
  }

  #disputeOf(claimant: MinerEntry, miner: MinerEntry): Dispute {
    const claimed = claimant.claimedFacts.split(' ');
    return {
      ...{ claimant, miner, facts: FACTS.filter((fact) => claimed.includes(fact)) },
      state: this.#options.isRejected(miner, claimant) ? 'rejected' : (claimant.claimState ?? 'open'),
      sinceMs: claimant.claimedSinceMs ?? claimant.firstSeenMs,
    };
  }

  /** Two units that show the same value without a claim: the one known for longer counts as the miner. */
  #twinDisputes(entry: MinerEntry): Dispute[] {
    if (!this.#options.isLive(entry) || this.claimOf(entry) !== undefined) return [];
    const found = new Map<string, Dispute>();
    for (const fact of SINGLE_FACTS) {
      if (fact === 'serial' && this.#isCommonSerial(entry)) continue;
      for (const miner of take(this.#twinsOf(entry, fact), MAX_NAMED)) {
        const isFirst = miner.firstSeenMs - entry.firstSeenMs || (miner.key < entry.key ? -1 : 1);
        const state = this.#options.isRejected(miner, entry) ? 'rejected' : 'open';
        if ((isFirst > 0 && state === 'open') || this.claimOf(miner) !== undefined) continue;
        const facts = [...(found.get(miner.key)?.facts ?? []), fact];
        found.set(miner.key, { claimant: entry, miner, facts, state, sinceMs: entry.firstSeenMs });
      }
    }
    return [...found.values()];
  }
}

const FACTS = ['mac', 'serial', 'boards'] as const satisfies readonly Fact[];
const SINGLE_FACTS = ['mac', 'serial'] as const satisfies readonly SingleFact[];

function distinct<U extends Unit>(entries: Iterable<MinerEntry>, asUnit: (entry: MinerEntry) => U): U[] {
  const units = new Map<string, U>();
  for (const entry of take(entries, MAX_NAMED)) units.set(entry.key, asUnit(entry));
  return [...units.values()];
}

function* take<T>(items: Iterable<T>, count: number): Iterable<T> {
  let left = count;
  for (const item of items) {
    if (left-- <= 0) return;
    yield item;
  }
}
