// Which units show the same facts, and so which must be doubted: read from the register. It writes nothing.
import { type FactState, type UnstableReason, unstableReason } from '../../../model/identity-facts.ts';
import { isVouched, type MinerEntry, serialKey } from './record.ts';
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
  /** The miner whose facts it shows, and which of them. */
  readonly claims: (Unit & { readonly facts: readonly string[] }) | undefined;
};

/** A miner that was not seen for so long is given up: what another one shows of it is that one's. */
const GIVEN_UP_MS = 7 * 24 * 3_600_000;
const MAX_NAMED = 16;
/** A serial number that more units show is what their maker wrote into all of them: it names none, and casts doubt on none. */
const MAX_SAME_SERIAL = 8;

export const factValue = (entry: MinerEntry, fact: 'mac' | 'serial'): string | undefined =>
  fact === 'mac' ? (entry.mac ?? undefined) : serialKey(entry.serialNumber);

export const unitOf = ({ key, ip, lastIp }: MinerEntry): Unit => ({ key, ip: ip ?? lastIp });

export function createContest(
  index: MinerIndex,
  {
    unseenMs,
    isLive,
    hasEnded,
  }: {
    unseenMs(entry: MinerEntry): number;
    isLive(entry: MinerEntry): boolean;
    /** It shows nothing of what it claims at the moment. */
    hasEnded(entry: MinerEntry): boolean;
  },
) {
  const isCommonSerial = (entry: MinerEntry): boolean => {
    const serial = factValue(entry, 'serial');
    if (serial === undefined) return false;
    return [...take(index.bySerial(serial), MAX_SAME_SERIAL + 1)].length > MAX_SAME_SERIAL;
  };

  /** The miner whose facts this unit shows. */
  const claimOf = (entry: MinerEntry): MinerEntry | undefined => {
    const of = entry.claimsKey === null ? undefined : index.get(entry.claimsKey);
    if (of === undefined || unseenMs(of) > GIVEN_UP_MS) return undefined;
    if (entry.claimedFacts === 'serial' && isCommonSerial(of)) return undefined;
    // It says who it is, and so does the network: it may have got the chassis of a miner that is gone.
    const isKnown = isVouched(entry) && entry.macSource === 'device';
    return isKnown && entry.claimedFacts === 'serial' && !isLive(of) ? undefined : of;
  };

  function* claimantsOf(entry: MinerEntry): Iterable<MinerEntry> {
    for (const other of index.byClaim(entry.key)) if (isLive(other) && claimOf(other) !== undefined) yield other;
  }

  /** Live miners that show the same valid value as `entry`. */
  function* twinsOf(entry: MinerEntry, fact: 'mac' | 'serial'): Iterable<MinerEntry> {
    const isValid = (fact === 'mac' ? entry.macState : entry.serialState) === 'ok';
    const value = factValue(entry, fact);
    if (!isValid || !value) return;
    for (const other of fact === 'mac' ? index.byMac(value) : index.bySerial(value))
      if (other.key !== entry.key && isLive(other)) yield other;
  }

  const claimsNow = (entry: MinerEntry, fact: 'mac' | 'serial'): boolean =>
    entry.claimedFacts.includes(fact) && !hasEnded(entry);

  const isDuplicate = (entry: MinerEntry, fact: 'mac' | 'serial'): boolean => {
    if (!isNone(twinsOf(entry, fact))) return true;
    if (claimsNow(entry, fact) && claimOf(entry) !== undefined) return true;
    for (const other of claimantsOf(entry)) if (claimsNow(other, fact)) return true;
    return false;
  };

  function* rivalsOf(entry: MinerEntry): Iterable<MinerEntry> {
    const claimed = claimOf(entry);
    if (claimed !== undefined) yield claimed;
    yield* claimantsOf(entry);
    yield* twinsOf(entry, 'mac');
    if (!isCommonSerial(entry)) yield* twinsOf(entry, 'serial');
  }

  return {
    claimOf,
    states(entry: MinerEntry): IdentityStates {
      const mac = isDuplicate(entry, 'mac') ? 'duplicate' : entry.macState;
      const serial = isDuplicate(entry, 'serial') ? 'duplicate' : entry.serialState;
      return { mac, serial, unstableReason: unstableReason(mac, serial) };
    },
    twins: (entry: MinerEntry, fact: 'mac' | 'serial'): Unit[] =>
      [...take(twinsOf(entry, fact), MAX_NAMED)].map(unitOf),
    /** The others that show its facts, or whose facts it shows; of many, some. Empty = it is sure who it is. */
    rivals(entry: MinerEntry): Unit[] {
      const units = [...take(rivalsOf(entry), MAX_NAMED)].map((other) => [other.key, unitOf(other)] as const);
      return [...new Map(units).values()];
    },
    /** Another unit showed its facts and was found not to be it: they say nothing any more. */
    isDisputed(entry: MinerEntry): boolean {
      for (const other of index.byClaim(entry.key))
        if (other.claimState === 'refuted' && claimOf(other) !== undefined) return true;
      return false;
    },
    suspects: (): Suspect[] =>
      index.all().flatMap((entry) => {
        const of = claimOf(entry);
        if (of === undefined || entry.ip === null || !isLive(entry)) return [];
        const claims = { ...unitOf(of), facts: entry.claimedFacts.split(' ') };
        return [{ ip: entry.ip, sinceMs: entry.claimedSinceMs ?? entry.firstSeenMs, reason: 'claims', claims }];
      }),
  };
}

function* take<T>(items: Iterable<T>, count: number): Iterable<T> {
  let left = count;
  for (const item of items) {
    if (left-- <= 0) return;
    yield item;
  }
}

const isNone = (items: Iterable<unknown>): boolean => {
  for (const _ of items) return false;
  return true;
};
