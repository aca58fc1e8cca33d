// The farm's registry of miners: which unit is which across reboots, moves, board swaps and restarts of the agent.
// Every change is on disk before `observe` returns, except last-seen times. It never talks to a miner.
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../../base/clock.ts';
import { RefusedError } from '../../../base/errors.ts';
import type { EventRecord } from '../../../wire/records.ts';
import { createIdentityChurn, type IdentityChurn } from './churn.ts';
import { compareUnits, displacing, judgeOldAddress, type Likeness, type OldAddress } from './claims.ts';
import {
  type Dispute,
  IdentityConflicts,
  type IdentityStates,
  type NamedUnit,
  type Suspect,
  type Unit,
} from './conflicts.ts';
import { resolve } from './identity-matching.ts';
import { IdentityResolver, type Observed, type OldCheck } from './identity-resolver.ts';
import { createPendingIdentities, type PendingIdentities } from './pending-identities.ts';
import {
  event,
  type Facts,
  factsOf,
  isBrief,
  type MinerEntry,
  type Rejection,
  type Shown,
  type Sighting,
  type UnitFacts,
} from './record.ts';
import { createRows, type Rows } from './storage/rows.ts';

export type { Dispute, IdentityStates, Suspect } from './conflicts.ts';

export type IdentityOptions = {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  /** A new UUID. */
  readonly newKey: () => string;
  /** Read with each use. */
  readonly maxMiners?: () => number;
  /** How often each miner is polled. */
  readonly pollMs?: () => number;
};

/** A miner seen within this time counts as live in the search for duplicates. */
const LIVE_MS = 15 * 60_000;
const PRUNE_AFTER_MS = 7 * 24 * 3_600_000;

export class MinerRegistry {
  readonly #clock: IdentityOptions['clock'];
  readonly #rows: Rows;
  readonly #ended = new Map<string, number>();
  readonly #conflicts: IdentityConflicts;
  readonly #pending: PendingIdentities;
  readonly #churn: IdentityChurn;
  readonly #resolver: IdentityResolver;
  readonly #isLive: (entry: MinerEntry) => boolean;

  constructor(db: DatabaseSync, options: IdentityOptions) {
    const { clock, newKey, maxMiners = () => 100_000, pollMs = () => 60_000 } = options;
    const rows = createRows(db, clock);
    const ended = this.#ended;
    const isLive = (entry: MinerEntry): boolean => entry.ip !== null && rows.unseenMs(entry) <= LIVE_MS;
    this.#clock = clock;
    this.#rows = rows;
    this.#isLive = isLive;
    this.#conflicts = new IdentityConflicts(rows.index, {
      ...{ unseenMs: rows.unseenMs, isLive, hasEnded: ({ key }) => ended.has(key) },
      isRejected: ({ key }, { ip, lastIp, netMac }) => rows.isRejected(key, ip ?? lastIp, netMac),
    });
    this.#pending = createPendingIdentities(clock, pollMs);
    this.#churn = createIdentityChurn(clock);
    this.#resolver = new IdentityResolver({
      ...{ clock, rows, conflicts: this.#conflicts, pending: this.#pending, churn: this.#churn },
      ...{ ended, newKey, maxMiners, isLive },
    });
  }

  /** Takes in one successful look at one address. Throws RefusedError `identity.full` when the registry is full. */
  observe(sighting: Sighting, check?: OldCheck): Observed {
    return this.#resolver.observe(sighting, check);
  }

  /** What the unit with these facts, at the old address of the miner `key`, is to that miner. */
  checkOldAddress(key: string, shown: Shown): OldAddress {
    const entry = this.get(key);
    return entry === undefined ? 'silent' : judgeOldAddress(entry, ownAddressFacts(shown));
  }

  /** Whether an address that shows these facts shows the miner `key`. False without a valid fact. */
  answersAs(key: string, shown: Shown): boolean {
    return this.checkOldAddress(key, shown) === 'itself';
  }

  /** The miner that these facts at this address belong to, undefined for an unknown one. Changes nothing. */
  whoIs(shown: Pick<Sighting, 'ip'> & Shown): MinerEntry | undefined {
    const found = resolve(this.#rows.index, shown, factsOf(shown), this.#isLive);
    return found.kind === 'new' || found.kind === 'doubtful' ? undefined : found.entry;
  }

  /** Whether the unit at `ip` with these facts is the unit that had those. */
  compare(unit: UnitFacts, ip: string, shown: Shown): Likeness {
    return compareUnits(unit, ip, ownAddressFacts(shown));
  }

  /** Undefined when the key is not known. */
  states(key: string): IdentityStates | undefined {
    const entry = this.get(key);
    return entry && this.#conflicts.states(entry);
  }

  /** The other units that show its MAC or its serial number; of many, some. */
  duplicatesOf(key: string, fact: 'mac' | 'serial'): readonly NamedUnit[] {
    const entry = this.get(key);
    return entry === undefined ? [] : this.#conflicts.duplicatesOf(entry, fact);
  }

  /** Others that show its facts, or whose facts it shows. While there are any, neither gets a secret or a change. */
  rivals(key: string): readonly Unit[] {
    const entry = this.get(key);
    return entry === undefined ? [] : this.#conflicts.rivals(entry);
  }

  /** Whether the unit at this address must get no secret and no change. */
  isContested(ip: string): boolean {
    const entry = this.byIp(ip);
    return this.#churn.isChurning(ip) || (entry !== undefined && this.#conflicts.hasRivals(entry));
  }

  /** Addresses that show another miner's facts or change their identity. */
  suspects(): Suspect[] {
    const byIp = new Map<string, Suspect>();
    for (const { ip, sinceMs } of this.#churn.list())
      byIp.set(ip, { ip, sinceMs, reason: 'changes', claims: undefined });
    for (const suspect of this.#conflicts.suspects()) byIp.set(suspect.ip, suspect);
    return [...byIp.values()];
  }

  /** Pairs of units that show the same facts, oldest first. */
  disputes(): Dispute[] {
    return this.#conflicts.disputes();
  }

  /** Addresses that may be the miner `key` and are not resolved yet. */
  undecided(): { readonly ip: string; readonly key: string }[] {
    return this.#pending.list().filter(({ ip, key }) => this.get(key) !== undefined && this.byIp(ip)?.key !== key);
  }

  /**
   * A person says: the unit on record at `ip` is the miner `key`, and the `rejected` units are not, whatever they show.
   * Call it with pairs of `disputes`. It lasts until a person says otherwise, or the network shows another unit at a
   * rejected address. `left` = units to poll no more.
   */
  settle(
    key: string,
    ip: string,
    rejected: readonly Omit<Rejection, 'key' | 'atMs'>[],
  ): { readonly events: readonly EventRecord[]; readonly left: readonly string[] } {
    const [entry, unit] = [this.get(key), this.byIp(ip)];
    if (entry === undefined || unit === undefined)
      throw new RefusedError('identity.gone', `settle the identity at ${ip}: the unit is no longer known; list again`);
    const at = this.#clock.nowMs();
    const decision = { key, ip, rejected: rejected.map((one) => ({ ...one, key, atMs: at })) };
    const claimants = this.#conflicts.asRejected(entry, rejected);
    if (unit.key === key) {
      this.#rows.commit({ put: claimants, decision });
      return { events: [], left: [] };
    }
    const { netMac, driverId, generation, lastSeenMs } = unit;
    const after = { ...entry, ip, lastIp: ip, netMac, driverId, generation, lastSeenMs };
    const { remove = [], put } = displacing(unit, after);
    this.#rows.commit({ remove, put: [...claimants.filter((other) => other.key !== unit.key), ...put], decision });
    this.#pending.forget(ip);
    return { events: [event('moved', key, at, { from: entry.lastIp, to: ip })], left: [unit.key] };
  }

  /** Forgets miners that were only ever seen briefly, and not for a week; returns their keys. */
  prune(): string[] {
    const isForgotten = (entry: MinerEntry) => isBrief(entry) && this.#rows.unseenMs(entry) > PRUNE_AFTER_MS;
    const keys = this.all().flatMap((entry) => (isForgotten(entry) ? entry.key : []));
    if (keys.length > 0) this.#rows.commit({ remove: keys, put: [] });
    for (const key of this.#ended.keys()) if (this.get(key) === undefined) this.#ended.delete(key);
    return keys;
  }

  get(key: string): MinerEntry | undefined {
    return this.#rows.index.get(key);
  }

  byIp(ip: string): MinerEntry | undefined {
    return this.#rows.index.byIp(ip);
  }

  all(): MinerEntry[] {
    return this.#rows.index.all();
  }

  /** Writes the last-seen times that wait. For a clean stop. */
  flush(): void {
    this.#rows.flush();
  }
}

/** Two addresses with one MAC are the question at the old address: a shared MAC counts there. */
const ownAddressFacts = ({ neighbour, ...shown }: Shown): Facts =>
  factsOf({ ...shown, neighbour: neighbour && { ...neighbour, isShared: false } });
