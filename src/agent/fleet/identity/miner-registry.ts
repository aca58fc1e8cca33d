// The farm's register of miners: who is who across reboots, moves, board swaps and restarts of the agent. Every change is on disk before
// `observe` returns; only last-seen times wait, at most a minute. It never talks to a miner: when an old address must be looked at, it says so.
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../../base/clock.ts';
import { RefusedError } from '../../../base/errors.ts';
import type { EventRecord } from '../../../wire/records.ts';
import {
  type Circumstances,
  type Claim,
  claimedFacts,
  compareUnits,
  contradicts,
  decide,
  displacing,
  hasEnded,
  hasNewPart,
  judgeOldAddress,
  type Likeness,
  NO_CLAIM,
  type OldAddress,
  ownFactsOf,
  PATIENCE_LOOKS,
  weigh,
  withoutClaimed,
} from './claims.ts';
import { createContest, type Dispute, type IdentityStates, type Suspect, type Unit } from './contest.ts';
import { resolve } from './identity-matching.ts';
import { createLooks } from './looks.ts';
import {
  event,
  type Facts,
  factsOf,
  hasChanged,
  isVouched,
  type MinerEntry,
  matchOf,
  merge,
  newEntry,
  type Rejection,
  type Shown,
  type Sighting,
  type UnitFacts,
} from './record.ts';
import { createRows } from './rows.ts';
import { createTurnover } from './turnover.ts';

export type { Dispute, IdentityStates, Suspect, Unit } from './contest.ts';

export type Observed =
  /** `left` = miners that stand nowhere any more because of this sighting, or were forgotten to make room for it: not to be polled any more. */
  | {
      readonly kind: 'settled';
      readonly key: string;
      readonly events: readonly EventRecord[];
      readonly left: readonly string[];
    }
  /** Look what answers at `oldIp`, then observe the same sighting again with what `standsAt` makes of it. */
  | { readonly kind: 'check-old'; readonly key: string; readonly oldIp: string }
  /** It is not clear yet who it is: nothing that it says is anyone's. To be looked at again in a poll interval. */
  | { readonly kind: 'waiting' }
  /** The address has changed its identity too often: this is taken for no miner. */
  | { readonly kind: 'ignored' };

/** `left` = units that stand nowhere any more. */
export type SettledByHand = { readonly events: readonly EventRecord[]; readonly left: readonly string[] };

export type OldCheck = Pick<Circumstances, 'old' | 'isExpectedBack'>;

export type MinerRegistry = {
  /** Takes in one successful look at one address. Throws RefusedError `identity.full` when there is no room for another miner. */
  observe(sighting: Sighting, check?: OldCheck): Observed;
  /** What answers where the miner `key` stood, if it shows these facts. */
  standsAt(key: string, shown: Shown): OldAddress;
  /** Whether an address that shows these facts shows the miner `key`. Silence proves nothing: without a valid fact it is false. */
  answersAs(key: string, shown: Shown): boolean;
  /** The miner that these facts name at this address, before anything is made of it; undefined = none that is known. */
  whoIs(shown: Pick<Sighting, 'ip'> & Shown): MinerEntry | undefined;
  /** Whether what answers at `ip` with these facts is the unit that had those. */
  compare(unit: UnitFacts, ip: string, shown: Shown): Likeness;
  /** Undefined when the key is not known. */
  states(key: string): IdentityStates | undefined;
  /** The other units that show its MAC or its serial number; of many, some. */
  duplicatesOf(key: string, fact: 'mac' | 'serial'): readonly (Unit & Pick<MinerEntry, 'make' | 'model'>)[];
  /** Others that show its facts, or whose facts it shows. While there are any, neither gets a secret or anything that changes it. */
  rivals(key: string): readonly Unit[];
  /** Whether what stands at this address must not be told a secret or anything that changes it. */
  isContested(ip: string): boolean;
  /** Addresses that show another miner's facts or change who they are. */
  suspects(): Suspect[];
  /** Pairs of units that show the same facts, oldest first. */
  disputes(): Dispute[];
  /** Addresses of which it is not clear yet whether the miner `key` is there. */
  undecided(): { readonly ip: string; readonly key: string }[];
  /**
   * A person says: the unit on record at `ip` is the miner `key`, and `rejected` are not it, whatever they show. To be asked with pairs of `disputes`.
   * It lasts until a person says otherwise, or the network shows another unit at a rejected address.
   */
  settle(key: string, ip: string, rejected: readonly Omit<Rejection, 'key' | 'atMs'>[]): SettledByHand;
  /** Forgets miners that were only ever seen for a moment, and not for a week; returns their keys. */
  prune(): string[];
  get(key: string): MinerEntry | undefined;
  byIp(ip: string): MinerEntry | undefined;
  all(): MinerEntry[];
  /** Writes the last-seen times that wait. For a clean stop. */
  flush(): void;
};

export type IdentityOptions = {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  /** A new UUID. */
  readonly newKey: () => string;
  /** A miner seen within this time counts as live when duplicates are looked for. */
  readonly liveMs?: number;
  /** Read anew with each use. */
  readonly maxMiners?: () => number;
  /** How often each miner is polled. */
  readonly pollMs?: () => number;
};

const HOUR_MS = 3_600_000;
const PRUNE_AFTER_MS = 7 * 24 * HOUR_MS;

export function createMinerRegistry(db: DatabaseSync, options: IdentityOptions): MinerRegistry {
  const { clock, newKey, liveMs = 15 * 60_000, maxMiners = () => 100_000, pollMs = () => 60_000 } = options;
  const rows = createRows(db, clock);
  const { index, commit, markSeen, unseenMs } = rows;
  const isLive = (entry: MinerEntry): boolean => entry.ip !== null && unseenMs(entry) <= liveMs;
  /** Units whose claim is remembered and that show nothing of it at the moment: since when, by the monotonic clock. */
  const ended = new Map<string, number>();
  const contest = createContest(index, {
    ...{ unseenMs, isLive, hasEnded: ({ key }) => ended.has(key) },
    isRejected: ({ key }, { ip, lastIp, netMac }) => rows.isRejected(key, ip ?? lastIp, netMac),
  });
  const looks = createLooks(clock, pollMs);
  const turnover = createTurnover(clock);

  /** Those that were only seen for a moment make room, the longest unseen first; no other is dropped, wherever it is. Gives their keys. */
  const makeRoom = (): string[] => {
    const most = maxMiners();
    if (index.size < most) return [];
    const gone = index
      .all()
      .filter((entry) => isBrief(entry) && !isLive(entry))
      .sort((a, b) => Number(a.ip !== null) - Number(b.ip !== null) || a.lastSeenMs - b.lastSeenMs)
      .slice(0, Math.max(1, Math.floor(most / 100)));
    if (gone.length === 0) {
      throw new RefusedError('identity.full', `register another miner: ${most} are known, as many as may be`);
    }
    const keys = gone.map((entry) => entry.key);
    commit({ remove: keys, put: [] });
    return keys;
  };

  const settled = (
    before: MinerEntry | undefined,
    after: MinerEntry,
    left: readonly string[],
    events: readonly EventRecord[],
  ): Observed => {
    looks.forget(after.ip ?? '');
    return {
      kind: 'settled',
      key: after.key,
      events: [...events, ...contest.duplicateEvents(before, after)],
      left,
    };
  };

  /** The unit with its claim, as far as that goes on: one that was refuted is remembered for an hour after it has ended. */
  const lasting = (entry: MinerEntry, facts: Facts): MinerEntry => {
    const claimed = contest.claimOf(entry);
    const endedMs = ended.get(entry.key) ?? clock.monotonicMs();
    ended.delete(entry.key);
    if (claimed === undefined) return contest.isDormant(entry) ? entry : { ...entry, ...NO_CLAIM };
    if (!hasEnded(entry.claimedFacts, claimed, facts)) return entry;
    if (entry.claimState !== 'refuted' || clock.monotonicMs() - endedMs >= HOUR_MS)
      return withoutClaimed(entry, claimed);
    ended.set(entry.key, endedMs);
    return entry;
  };

  const settleHere = (entry: MinerEntry, sighting: Sighting, facts: Facts, newClaim?: Claim): Observed => {
    const before = newClaim === undefined ? lasting(entry, facts) : { ...entry, ...newClaim };
    if (newClaim !== undefined) ended.delete(entry.key);
    const merged = merge(before, sighting, facts);
    const after = before.claimsKey === null ? merged : { ...merged, ...ownFactsOf(before, merged) };
    if (isVouched(entry) && facts.toldMac !== undefined && facts.netMac === entry.mac && facts.toldMac !== entry.mac)
      turnover.noteRestless(sighting.ip);
    if (hasChanged(entry, after)) commit({ put: [after] });
    else markSeen(after);
    return settled(entry, after, [], []);
  };

  /** The same part at two looks, and not another one each time. */
  const settleNewPart = (entry: MinerEntry, sighting: Sighting, facts: Facts): Observed => {
    const { ip } = sighting;
    const part = `${facts.mac} ${facts.serialKey} ${facts.boardSerials}`;
    const { looks: count, inARow } = looks.note(ip, entry.key, part);
    if (inARow >= 2) return turnover.mayAppear(ip) ? settleHere(entry, sighting, facts) : { kind: 'ignored' };
    if (count < PATIENCE_LOOKS) return { kind: 'waiting' };
    turnover.noteRestless(ip);
    return { kind: 'ignored' };
  };

  const settleMoved = (
    entry: MinerEntry,
    displaced: MinerEntry | undefined,
    sighting: Sighting,
    facts: Facts,
  ): Observed => {
    const after = merge(entry, sighting, facts);
    commit(displacing(displaced, after));
    const { lastIp: from } = entry;
    const detail = { from, to: sighting.ip, ...(displaced && { displaced: displaced.key }) };
    const events = from === sighting.ip ? [] : [event('moved', entry.key, sighting.at, detail)];
    return settled(entry, after, keysOf(displaced), events);
  };

  const settleNew = (
    displaced: MinerEntry | undefined,
    sighting: Sighting,
    facts: Facts,
    claim: Claim = NO_CLAIM,
  ): Observed => {
    const { ip, at } = sighting;
    looks.forget(ip);
    if (!turnover.mayAppear(ip)) return { kind: 'ignored' };
    const forgotten = makeRoom();
    const entry = { ...newEntry(newKey(), sighting, facts), ...claim };
    commit(displacing(displaced, entry));
    const detail = {
      ip,
      ...(displaced && { replaces: displaced.key }),
      ...(entry.macSource === 'neighbour' && { macSource: entry.macSource }),
    };
    return settled(
      undefined,
      entry,
      [...forgotten, ...keysOf(displaced)],
      [
        ...(displaced === undefined ? [] : [event('replaced', displaced.key, at, { ip, by: entry.key })]),
        event('appeared', entry.key, at, detail),
      ],
    );
  };

  /** It is not the miner whose facts it shows: the one on record here, as far as nothing speaks against it, or a new one. */
  const settleApart = (
    from: MinerEntry,
    displaced: MinerEntry | undefined,
    sighting: Sighting,
    facts: Facts,
    claimState: 'open' | 'refuted',
  ): Observed => {
    const claim: Claim = {
      claimsKey: from.key,
      claimedFacts: claimedFacts(from, facts),
      claimState,
      claimedSinceMs: displaced?.claimsKey === from.key ? displaced.claimedSinceMs : sighting.at,
    };
    const match = displaced && matchOf(displaced, facts);
    const isStillHere =
      match !== undefined && from.key !== displaced?.key && (match.net === 'same' || !contradicts(match));
    if (displaced !== undefined && isStillHere) return settleHere(displaced, sighting, facts, claim);
    return settleNew(displaced, sighting, facts, claim);
  };

  const settleClaim = (
    entry: MinerEntry,
    displaced: MinerEntry | undefined,
    sighting: Sighting,
    facts: Facts,
    check: OldCheck,
  ): Observed => {
    const isDisputed = contest.isDisputed(entry);
    const isRejected = rows.isRejected(entry.key, sighting.ip, facts.netMac);
    const hasRival = contest.isClaimedElsewhere(entry, sighting.ip) || looks.isElsewhere(entry.key, sighting.ip);
    const weight = weigh(entry, facts, { ...check, isDisputed, hasRival, isRejected });
    const isBackHome = entry.ip === null && entry.lastIp === sighting.ip && !isDisputed && !hasRival;
    if (check.old === 'itself') markSeen({ ...entry, lastSeenMs: Math.max(entry.lastSeenMs, sighting.at) });
    const { isBelieved, isRefuted, isOver } = decide(weight, isBackHome, () =>
      // A miner that was seen at its own address meanwhile is not away: that it did not answer this time is this host's haste.
      looks.note(sighting.ip, entry.key, weight === 'moves-if-it-lasts' ? `${weight} ${entry.lastSeenMs}` : weight),
    );
    if (isBelieved) return settleMoved(entry, displaced, sighting, facts);
    if (isRefuted) return settleApart(entry, displaced, sighting, facts, 'refuted');
    // What has been reported as a unit of its own goes on as one until it is settled.
    if (displaced?.claimsKey === entry.key) return keepWaiting(displaced, sighting, facts);
    return isOver ? settleApart(entry, displaced, sighting, facts, 'open') : { kind: 'waiting' };
  };

  const keepWaiting = (claimant: MinerEntry, sighting: Sighting, facts: Facts): Observed => {
    const after = { ...merge(claimant, sighting, facts), ...ownFactsOf(claimant, claimant) };
    if (hasChanged(claimant, after)) commit({ put: [after] });
    else markSeen(after);
    return { kind: 'settled', key: after.key, events: [], left: [] };
  };

  return {
    observe(sighting, check) {
      const facts = factsOf(sighting);
      const found = resolve(index, sighting, facts, isLive);
      switch (found.kind) {
        case 'here':
          return hasNewPart(found.entry, facts)
            ? settleNewPart(found.entry, sighting, facts)
            : settleHere(found.entry, sighting, facts);
        case 'new':
          return settleNew(found.displaced, sighting, facts);
        case 'doubtful': {
          const { inARow } = looks.note(sighting.ip, found.entry.key, 'doubtful');
          if (inARow < 2) return { kind: 'waiting' };
          return settleApart(found.entry, found.entry, sighting, facts, 'refuted');
        }
        case 'elsewhere': {
          const { entry, displaced } = found;
          if (entry.ip === null)
            return settleClaim(entry, displaced, sighting, facts, { old: 'another', isExpectedBack: false });
          if (check === undefined) return { kind: 'check-old', key: entry.key, oldIp: entry.ip };
          return settleClaim(entry, displaced, sighting, facts, check);
        }
      }
    },
    standsAt(key, shown) {
      const entry = index.get(key);
      return entry === undefined ? 'silent' : judgeOldAddress(entry, ownAddressFacts(shown));
    },
    answersAs(key, shown) {
      const entry = index.get(key);
      return entry !== undefined && judgeOldAddress(entry, ownAddressFacts(shown)) === 'itself';
    },
    whoIs(shown) {
      const found = resolve(index, shown, factsOf(shown), isLive);
      return found.kind === 'new' || found.kind === 'doubtful' ? undefined : found.entry;
    },
    compare: (unit, ip, shown) => compareUnits(unit, ip, ownAddressFacts(shown)),
    states(key) {
      const entry = index.get(key);
      return entry && contest.states(entry);
    },
    duplicatesOf: (key, fact) => contest.duplicatesOf(index.get(key), fact),
    rivals: (key) => contest.rivals(index.get(key)),
    isContested(ip) {
      const entry = index.byIp(ip);
      return turnover.isRestless(ip) || (entry !== undefined && contest.hasRivals(entry));
    },
    suspects() {
      const changing = turnover.restless().map(({ ip, sinceMs }) => [ip, changes(ip, sinceMs)] as const);
      return [
        ...new Map([...changing, ...contest.suspects().map((suspect) => [suspect.ip, suspect] as const)]).values(),
      ];
    },
    disputes: contest.disputes,
    undecided: () =>
      looks.waiting().filter(({ ip, key }) => index.get(key) !== undefined && index.byIp(ip)?.key !== key),
    settle(key, ip, rejected) {
      const [entry, unit] = [index.get(key), index.byIp(ip)];
      if (entry === undefined || unit === undefined)
        throw new RefusedError('identity.gone', `settle who stands at ${ip}: it is not known any more; list again`);
      const at = clock.nowMs();
      const word = { key, ip, rejected: rejected.map((one) => ({ ...one, key, atMs: at })) };
      if (unit.key === key) {
        commit({ put: contest.asRejected(entry, rejected), word });
        return { events: [], left: [] };
      }
      const { netMac, driverId, generation, lastSeenMs } = unit;
      const after = { ...entry, ip, lastIp: ip, netMac, driverId, generation, lastSeenMs };
      const claimants = contest.asRejected(entry, rejected).filter((other) => other.key !== unit.key);
      const { remove = [], put } = displacing(unit, after);
      commit({ remove, put: [...claimants, ...put], word });
      looks.forget(ip);
      return { events: [event('moved', key, at, { from: entry.lastIp, to: ip })], left: [unit.key] };
    },
    prune() {
      const isForgotten = (entry: MinerEntry) => isBrief(entry) && unseenMs(entry) > PRUNE_AFTER_MS;
      const keys = index.all().flatMap((entry) => (isForgotten(entry) ? entry.key : []));
      if (keys.length > 0) commit({ remove: keys, put: [] });
      for (const key of ended.keys()) if (index.get(key) === undefined) ended.delete(key);
      return keys;
    },
    get: (key) => index.get(key),
    byIp: (ip) => index.byIp(ip),
    all: () => index.all(),
    flush: rows.flush,
  };
}

const keysOf = (entry: MinerEntry | undefined): string[] => (entry === undefined ? [] : [entry.key]);

/** Two addresses with one MAC are what is asked about at the old one. */
const ownAddressFacts = ({ neighbour, ...shown }: Shown): Facts =>
  factsOf({ ...shown, neighbour: neighbour && { ...neighbour, isShared: false } });

const changes = (ip: string, sinceMs: number): Suspect => ({ ip, sinceMs, reason: 'changes', claims: undefined });

/** Only ever seen for a moment. A wall clock that was set in between makes nothing look like that. */
const isBrief = ({ firstSeenMs, lastSeenMs }: MinerEntry): boolean => Math.abs(lastSeenMs - firstSeenMs) < HOUR_MS;
