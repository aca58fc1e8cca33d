// Carries out what a sighting means for the registry: the miner is here, moved, is new, or only claims to be another
// one. Every change is committed before it returns. It never talks to a miner.
import type { Clock } from '../../../base/clock.ts';
import { RefusedError } from '../../../base/errors.ts';
import type { EventRecord } from '../../../wire/records.ts';
import type { IdentityChurn } from './churn.ts';
import {
  type Circumstances,
  type Claim,
  claimedFacts,
  contradicts,
  decide,
  displacing,
  hasEnded,
  hasNewPart,
  NO_CLAIM,
  ownFactsOf,
  PATIENCE_LOOKS,
  weigh,
  withoutClaimed,
} from './claims.ts';
import type { IdentityConflicts } from './conflicts.ts';
import { resolve } from './identity-matching.ts';
import type { PendingIdentities } from './pending-identities.ts';
import {
  event,
  type Facts,
  factsOf,
  hasChanged,
  isBrief,
  isVouched,
  type MinerEntry,
  matchOf,
  merge,
  newEntry,
  type Sighting,
} from './record.ts';
import type { Rows } from './storage/rows.ts';

export type Observed =
  /** `left` = miners to poll no more: this sighting took their address, or they were forgotten to make room for it. */
  | {
      readonly kind: 'resolved';
      readonly key: string;
      readonly events: readonly EventRecord[];
      readonly left: readonly string[];
    }
  /** Look what answers at `oldIp`, then observe the same sighting again with the result of `checkOldAddress`. */
  | { readonly kind: 'check-old'; readonly key: string; readonly oldIp: string }
  /** The identity is not certain yet, and nothing is recorded. To be looked at again in a poll interval. */
  | { readonly kind: 'waiting' }
  /** The address has changed its identity too often to count as a miner. */
  | { readonly kind: 'ignored' };

export type OldCheck = Pick<Circumstances, 'old' | 'isExpectedBack'>;

/** A sighting, its facts, and the miner on record at its address. */
type Case = { readonly sighting: Sighting; readonly facts: Facts; readonly displaced: MinerEntry | undefined };

type Parts = {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly rows: Rows;
  readonly conflicts: IdentityConflicts;
  readonly pending: PendingIdentities;
  readonly churn: IdentityChurn;
  /** Units that show nothing of their claim at the moment: since when, by the monotonic clock. */
  readonly ended: Map<string, number>;
  readonly newKey: () => string;
  readonly maxMiners: () => number;
  readonly isLive: (entry: MinerEntry) => boolean;
};

const WAITING: Observed = { kind: 'waiting' };
const IGNORED: Observed = { kind: 'ignored' };
/** A refuted claim is remembered for so long after it has ended. */
const REMEMBER_REFUTED_MS = 3_600_000;

export class IdentityResolver {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  observe(sighting: Sighting, check?: OldCheck): Observed {
    const { rows, pending, isLive } = this.#parts;
    const facts = factsOf(sighting);
    const found = resolve(rows.index, sighting, facts, isLive);
    switch (found.kind) {
      case 'here':
        return hasNewPart(found.entry, facts)
          ? this.#newPart(found.entry, sighting, facts)
          : this.#stay(found.entry, sighting, facts);
      case 'new':
        return this.#register({ sighting, facts, displaced: found.displaced });
      case 'doubtful': {
        const { inARow } = pending.note(sighting.ip, found.entry.key, 'doubtful');
        if (inARow < 2) return WAITING;
        return this.#separate(found.entry, { sighting, facts, displaced: found.entry }, 'refuted');
      }
      case 'elsewhere': {
        const { entry, displaced } = found;
        if (entry.ip === null)
          return this.#judgeClaim(entry, { sighting, facts, displaced }, { old: 'another', isExpectedBack: false });
        if (check === undefined) return { kind: 'check-old', key: entry.key, oldIp: entry.ip };
        return this.#judgeClaim(entry, { sighting, facts, displaced }, check);
      }
    }
  }

  #stay(entry: MinerEntry, sighting: Sighting, facts: Facts, newClaim?: Claim): Observed {
    const before = newClaim === undefined ? this.#lasting(entry, facts) : { ...entry, ...newClaim };
    if (newClaim !== undefined) this.#parts.ended.delete(entry.key);
    const merged = merge(before, sighting, facts);
    const after = before.claimsKey === null ? merged : { ...merged, ...ownFactsOf(before, merged) };
    if (
      isVouched(entry) &&
      facts.reportedMac !== undefined &&
      facts.netMac === entry.mac &&
      facts.reportedMac !== entry.mac
    )
      this.#parts.churn.note(sighting.ip);
    this.#write(entry, after);
    return this.#resolved(entry, after, [], []);
  }

  /** The unit with its claim, as long as that goes on. */
  #lasting(entry: MinerEntry, facts: Facts): MinerEntry {
    const { clock, conflicts, ended } = this.#parts;
    const claimed = conflicts.claimOf(entry);
    const endedMs = ended.get(entry.key) ?? clock.monotonicMs();
    ended.delete(entry.key);
    if (claimed === undefined) return conflicts.isDormant(entry) ? entry : { ...entry, ...NO_CLAIM };
    if (!hasEnded(entry.claimedFacts, claimed, facts)) return entry;
    if (entry.claimState !== 'refuted' || clock.monotonicMs() - endedMs >= REMEMBER_REFUTED_MS)
      return withoutClaimed(entry, claimed);
    ended.set(entry.key, endedMs);
    return entry;
  }

  /** A new part counts when two looks in a row show the same one. */
  #newPart(entry: MinerEntry, sighting: Sighting, facts: Facts): Observed {
    const { pending, churn } = this.#parts;
    const { ip } = sighting;
    const part = `${facts.mac} ${facts.serialKey} ${facts.boardSerials}`;
    const { looks, inARow } = pending.note(ip, entry.key, part);
    if (inARow >= 2) return churn.mayAppear(ip) ? this.#stay(entry, sighting, facts) : IGNORED;
    if (looks < PATIENCE_LOOKS) return WAITING;
    churn.note(ip);
    return IGNORED;
  }

  #judgeClaim(entry: MinerEntry, found: Case, check: OldCheck): Observed {
    const { rows, conflicts, pending } = this.#parts;
    const { sighting, facts, displaced } = found;
    const { ip } = sighting;
    const isDisputed = conflicts.isDisputed(entry);
    const isRejected = rows.isRejected(entry.key, ip, facts.netMac);
    const hasRival = conflicts.isClaimedElsewhere(entry, ip) || pending.isElsewhere(entry.key, ip);
    const weight = weigh(entry, facts, { ...check, isDisputed, hasRival, isRejected });
    const isBackHome = entry.ip === null && entry.lastIp === ip && !isDisputed && !hasRival;
    if (check.old === 'itself') rows.markSeen({ ...entry, lastSeenMs: Math.max(entry.lastSeenMs, sighting.at) });
    const { isBelieved, isRefuted, isOver } = decide(weight, isBackHome, () =>
      // A miner seen at its own address in between is not away: then a silent look starts the count again.
      pending.note(ip, entry.key, weight === 'moves-if-it-lasts' ? `${weight} ${entry.lastSeenMs}` : weight),
    );
    if (isBelieved) return this.#move(entry, found);
    if (isRefuted) return this.#separate(entry, found, 'refuted');
    // A claimant that was reported as a unit of its own stays one until its claim is decided.
    if (displaced?.claimsKey === entry.key) return this.#keepClaimant(displaced, sighting, facts);
    return isOver ? this.#separate(entry, found, 'open') : WAITING;
  }

  #move(entry: MinerEntry, { sighting, facts, displaced }: Case): Observed {
    const after = merge(entry, sighting, facts);
    this.#parts.rows.commit(displacing(displaced, after));
    const { lastIp: from } = entry;
    const detail = { from, to: sighting.ip, ...(displaced && { displaced: displaced.key }) };
    const events = from === sighting.ip ? [] : [event('moved', entry.key, sighting.at, detail)];
    return this.#resolved(entry, after, keysOf(displaced), events);
  }

  #register({ sighting, facts, displaced }: Case, claim: Claim = NO_CLAIM): Observed {
    const { rows, pending, churn, newKey } = this.#parts;
    const { ip, at } = sighting;
    pending.forget(ip);
    if (!churn.mayAppear(ip)) return IGNORED;
    const forgotten = this.#makeRoom();
    const entry = { ...newEntry(newKey(), sighting, facts), ...claim };
    rows.commit(displacing(displaced, entry));
    const detail = {
      ip,
      ...(displaced && { replaces: displaced.key }),
      ...(entry.macSource === 'neighbour' && { macSource: entry.macSource }),
    };
    const replaced = displaced && event('replaced', displaced.key, at, { ip, by: entry.key });
    const events = [...(replaced ? [replaced] : []), event('appeared', entry.key, at, detail)];
    return this.#resolved(undefined, entry, [...forgotten, ...keysOf(displaced)], events);
  }

  /**
   * It is not the miner whose facts it shows, but the unit on record here, or a new one if the facts contradict that.
   */
  #separate(from: MinerEntry, found: Case, claimState: 'open' | 'refuted'): Observed {
    const { sighting, facts, displaced } = found;
    const claim: Claim = {
      claimsKey: from.key,
      claimedFacts: claimedFacts(from, facts),
      claimState,
      claimedSinceMs: displaced?.claimsKey === from.key ? displaced.claimedSinceMs : sighting.at,
    };
    const match = displaced && matchOf(displaced, facts);
    const isStillHere =
      match !== undefined && from.key !== displaced?.key && (match.net === 'same' || !contradicts(match));
    if (displaced !== undefined && isStillHere) return this.#stay(displaced, sighting, facts, claim);
    return this.#register(found, claim);
  }

  #keepClaimant(claimant: MinerEntry, sighting: Sighting, facts: Facts): Observed {
    const after = { ...merge(claimant, sighting, facts), ...ownFactsOf(claimant, claimant) };
    this.#write(claimant, after);
    return { kind: 'resolved', key: after.key, events: [], left: [] };
  }

  #write(before: MinerEntry, after: MinerEntry): void {
    if (hasChanged(before, after)) this.#parts.rows.commit({ put: [after] });
    else this.#parts.rows.markSeen(after);
  }

  #resolved(
    before: MinerEntry | undefined,
    after: MinerEntry,
    left: readonly string[],
    events: readonly EventRecord[],
  ): Observed {
    this.#parts.pending.forget(after.ip ?? '');
    const duplicates = this.#parts.conflicts.duplicateEvents(before, after);
    return { kind: 'resolved', key: after.key, events: [...events, ...duplicates], left };
  }

  /** Drops miners that were only seen briefly, the longest unseen first, and no others. Returns their keys. */
  #makeRoom(): string[] {
    const { rows, maxMiners, isLive } = this.#parts;
    const most = maxMiners();
    if (rows.index.size < most) return [];
    const gone = rows.index
      .all()
      .filter((entry) => isBrief(entry) && !isLive(entry))
      .sort((a, b) => Number(a.ip !== null) - Number(b.ip !== null) || a.lastSeenMs - b.lastSeenMs)
      .slice(0, Math.max(1, Math.floor(most / 100)));
    if (gone.length === 0) {
      throw new RefusedError('identity.full', `register another miner: ${most} are known, as many as may be`);
    }
    const remove = gone.map((entry) => entry.key);
    rows.commit({ remove, put: [] });
    return remove;
  }
}

const keysOf = (entry: MinerEntry | undefined): string[] => (entry === undefined ? [] : [entry.key]);
