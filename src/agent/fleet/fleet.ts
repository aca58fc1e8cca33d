// All miners that the agent polls, and what a scan or a poll changes in them. It joins identity, flags and averages; it
// owns no socket and no timer.
import type { Clock } from '../../base/clock.ts';
import { PeerError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { ageOf, lookAtClocks } from '../../base/time/clock-steps.ts';
import type { VisitOutcome } from '../../driver/visit/visit.ts';
import type { DeviceClient, MinerTarget } from '../device/device-client.ts';
import type { RecognisedMiner } from '../device/recognised.ts';
import type { OldAddress } from './identity/claims.ts';
import type { MinerRegistry } from './identity/miner-registry.ts';
import type { MinerEntry, Sighting } from './identity/record.ts';
import { MinerReporter, type ReporterParts } from './miner-reporter.ts';
import { isExpectedBack, type MinerState, newMinerState, setRebooting } from './miner-state.ts';
import { factsIn, isHeldBack, knownOf, showsHost, sightingOf } from './sighting.ts';
import { caughtUp, type StoredState } from './stored-state.ts';
import { createUnresolved, type UnresolvedAddresses } from './unresolved.ts';

type Parts = Omit<ReporterParts, 'clock' | 'registry'> & {
  readonly clock: Clock;
  readonly log: Log;
  readonly client: Pick<DeviceClient, 'read' | 'targetOf' | 'forgetRefusals'>;
  readonly mayReach: (ip: string) => boolean;
  readonly registry: MinerRegistry;
  /** What this host knows of its direct neighbours. */
  readonly neighbours: { at(ip: string): Sighting['neighbour'] };
  /** The poller's list: a miner is polled at this address from now on, or no longer at all. */
  readonly schedule: { set(key: string, ip: string): void; drop(key: string): void };
};

type Identity = Pick<Sighting, 'mac' | 'serialNumber'>;

/** `isNewHere` = another miner was at this address before, or none. */
type Resolved = { readonly key: string; readonly ipChanged: boolean; readonly isNewHere: boolean };

/** For how long a miner's own driver is believed against a scan that finds only a generic device. */
const BELIEVED_MS = 15 * 60_000;
/** While many miners move, the sighting may belong to another miner by the time that an old address was checked. */
const MAX_OLD_LOOKS = 3;

export class Fleet {
  readonly #parts: Parts;
  readonly #reporter: MinerReporter;
  readonly #unresolved: UnresolvedAddresses;
  readonly #miners = new Map<string, MinerState>();
  /** Miners of an earlier run that have not answered in this one. */
  readonly #earlier = new Map<string, StoredState>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#reporter = new MinerReporter(parts);
    this.#unresolved = createUnresolved(parts.schedule);
  }

  /** Takes up the miners of earlier runs that may be reached. `untilMs` = wall time at which the last run ended. */
  async restore(untilMs: number): Promise<void> {
    for (const [key, stored] of await this.#parts.states.load()) this.#earlier.set(key, caughtUp(stored, untilMs));
    this.#placeAll();
    this.#earlier.clear();
  }

  /** After a change of the configured networks: drops miners outside, takes up those inside. The registry keeps all. */
  confine(): void {
    const { mayReach } = this.#parts;
    for (const { key, target } of [...this.#miners.values()]) if (!mayReach(target.ip)) this.#drop(key);
    this.#unresolved.confine(mayReach);
    this.#placeAll();
  }

  get(key: string): MinerState | undefined {
    return this.#miners.get(key);
  }

  /** The target of a poll of this key: a miner, or an address whose identity is not resolved. */
  targetOf(key: string): MinerTarget | undefined {
    return this.#unresolved.get(key) ?? this.get(key)?.target;
  }

  all(): Iterable<MinerState> {
    return this.#miners.values();
  }

  get size(): number {
    return this.#miners.size;
  }

  /** A scan recognised a miner at this address. */
  async recognised(ip: string, found: RecognisedMiner, signal: AbortSignal): Promise<void> {
    // Networks may have changed since it was asked.
    if (!this.#parts.mayReach(ip)) return;
    const { identity, outcome } = found;
    const target = { ...found.target, ip };
    if (identity.confidence === 'generic' && this.#isKnownBetter(target)) return;
    if (outcome === undefined) await this.#meet(target, identity, signal);
    else await this.#observe(target, outcome, identity, signal);
  }

  /** A poll was answered. */
  async polled(key: string, outcome: VisitOutcome, signal: AbortSignal): Promise<void> {
    const waiting = this.#unresolved.get(key);
    if (waiting !== undefined) {
      this.#unresolved.answered(key);
      return this.#observe(waiting, outcome, {}, signal);
    }
    const state = this.get(key);
    // Until the identity at an address is resolved, its answers may be another unit's.
    if (state === undefined || this.#unresolved.has(state.target.ip)) return;
    await this.#observe(state.target, outcome, {}, signal);
  }

  /** A poll failed for good. */
  pollFailed(key: string, error: Error, consecutive: number): void {
    const { clock, log } = this.#parts;
    const state = this.get(key);
    if (this.#unresolved.failed(key) || state === undefined) return;
    log.debug({ ip: state.target.ip, consecutive, cause: renderError(error) }, 'a miner does not answer');
    const code = error instanceof PeerError ? error.code : 'peer.unparsable';
    const isHostUp = error instanceof PeerError && showsHost(error);
    if (code === 'peer.auth') state.answered = { atMs: clock.monotonicMs(), isLoginRefused: true };
    this.#reporter.failed(state, { code, isHostUp }, consecutive, lookAtClocks(clock));
  }

  setRebooting(key: string, isRebooting: boolean): void {
    const state = this.get(key);
    if (state !== undefined) setRebooting(state, isRebooting, this.#parts.clock.monotonicMs());
  }

  /** A task restarts it, or has restarted it and it has not answered yet. */
  isExpectedBack(key: string): boolean {
    const state = this.get(key);
    return state !== undefined && isExpectedBack(state, this.#parts.clock.monotonicMs());
  }

  /** The drivers in use are other ones: miners of one that is gone are polled no more until a scan finds them again. */
  takeDrivers(): void {
    for (const [key, state] of this.#miners) {
      const { ip, driver, known } = state.target;
      const target = this.#parts.client.targetOf(ip, driver.id, known);
      if (target === undefined) this.#drop(key);
      else if (target.driver !== driver) state.target = target;
    }
    this.#placeAll();
  }

  /** A person settled its identity: polls it where it is on record now, and the units in `left` no more. */
  settledByHand(key: string, left: readonly string[]): void {
    for (const gone of left) this.#drop(gone);
    const entry = this.#parts.registry.get(key);
    if (entry !== undefined) this.#place(entry);
  }

  /** Drops miners that were only ever seen briefly, long ago. To be called about once an hour. */
  prune(): void {
    for (const key of this.#parts.registry.prune()) this.#drop(key);
  }

  #stateOf(key: string, target: MinerTarget): MinerState {
    const present = this.#miners.get(key);
    if (present !== undefined) {
      present.target = target;
      return present;
    }
    const added = newMinerState(key, target, this.#earlier.get(key));
    this.#earlier.delete(key);
    this.#miners.set(key, added);
    return added;
  }

  /** It is polled no more; the registry keeps it. */
  #drop(key: string): void {
    this.#parts.schedule.drop(key);
    this.#miners.delete(key);
  }

  /** It is polled where it is on record, if that may be reached. */
  #place(entry: MinerEntry): void {
    const { client, mayReach, schedule } = this.#parts;
    if (entry.ip === null || !mayReach(entry.ip)) return;
    const target = client.targetOf(entry.ip, entry.driverId, knownOf(entry));
    if (target === undefined) return;
    this.#unresolved.release(entry.ip);
    this.#stateOf(entry.key, target);
    schedule.set(entry.key, entry.ip);
  }

  #placeAll(): void {
    for (const entry of this.#parts.registry.all()) if (!this.#miners.has(entry.key)) this.#place(entry);
  }

  #onRecordAt(ip: string): MinerState | undefined {
    return this.#miners.get(this.#parts.registry.byIp(ip)?.key ?? '');
  }

  /** A cut answer makes any miner look generic: a recent reading by the miner's own driver is better evidence. */
  #isKnownBetter({ ip, driver }: MinerTarget): boolean {
    const present = this.#onRecordAt(ip);
    if (present === undefined || present.target.driver.id === driver.id) return false;
    return present.readAt !== undefined && ageOf(present.readAt, lookAtClocks(this.#parts.clock)) < BELIEVED_MS;
  }

  /** A miner that was recognised without a reading: it is polled from now on and reported with its first poll. */
  async #meet(target: MinerTarget, identity: Identity, signal: AbortSignal): Promise<void> {
    const { clock, registry, schedule } = this.#parts;
    if (registry.byIp(target.ip) !== undefined || this.#unresolved.has(target.ip)) return;
    const resolved = await this.#resolveIdentity(sightingOf(target, identity, clock.nowMs()), target, signal);
    if (resolved === undefined) return;
    this.#stateOf(resolved.key, target);
    schedule.set(resolved.key, target.ip);
  }

  async #observe(target: MinerTarget, outcome: VisitOutcome, identity: Identity, signal: AbortSignal): Promise<void> {
    const { clock, client, registry, schedule } = this.#parts;
    const { reading, isLoginRefused } = outcome;
    const now = lookAtClocks(clock);
    const sighting = sightingOf(target, identity, now.wallMs, reading);
    const hadAnother = registry.byIp(target.ip) !== undefined;
    const resolved = await this.#resolveIdentity(sighting, target, signal);
    if (resolved === undefined) return;
    const { key, ipChanged, isNewHere } = resolved;
    if (hadAnother && isNewHere && isHeldBack(outcome)) client.forgetRefusals(target.ip);
    const state = this.#stateOf(key, target);
    schedule.set(key, target.ip);
    state.reading = reading;
    state.readAt = now;
    if (!state.isRebooting) state.awaitedMs = undefined;
    state.answered = { atMs: clock.monotonicMs(), isLoginRefused };
    this.#reporter.answered(state, outcome, now, ipChanged);
  }

  /** The miner of this sighting, after a look at its old address if needed; undefined = none, or not certain yet. */
  async #resolveIdentity(seen: Sighting, target: MinerTarget, signal: AbortSignal): Promise<Resolved | undefined> {
    const { registry, neighbours, emit } = this.#parts;
    const sighting = { ...seen, neighbour: neighbours.at(seen.ip) };
    let result = registry.observe(sighting);
    for (let looks = 0; result.kind === 'check-old' && looks < MAX_OLD_LOOKS; looks++) {
      const { key, oldIp } = result;
      const old = await this.#lookAtOld(key, oldIp, signal);
      result = registry.observe(sighting, { old, isExpectedBack: this.isExpectedBack(key) });
    }
    switch (result.kind) {
      case 'check-old':
        throw new PeerError('peer.busy', `resolve the identity at ${sighting.ip}: the farm is changing`, 'soon');
      case 'waiting':
        this.#lookAgain(target);
        return undefined;
      case 'ignored':
        this.#unresolved.release(sighting.ip);
        return undefined;
      case 'resolved':
        break;
    }
    this.#unresolved.release(sighting.ip);
    for (const event of result.events) emit(event);
    for (const left of result.left) this.#drop(left);
    const { key, events } = result;
    const isOf = (type: string) => events.some((event) => event.key === key && event.type === type);
    return { key, ipChanged: isOf('moved'), isNewHere: isOf('moved') || isOf('appeared') };
  }

  /** What answers now at the address where the miner was. */
  async #lookAtOld(key: string, ip: string, signal: AbortSignal): Promise<OldAddress> {
    const { client, registry, neighbours } = this.#parts;
    const present = this.get(key);
    if (present === undefined) return 'silent';
    try {
      const { driver, known } = present.target;
      const again = client.targetOf(ip, driver.id, known);
      if (again === undefined) return 'silent';
      const { reading } = await client.read(again, signal, 'command');
      return registry.checkOldAddress(key, { ...factsIn(reading), neighbour: neighbours.at(ip) });
    } catch (error) {
      if (error instanceof PeerError) return 'silent';
      throw error;
    }
  }

  /** Soon, and without what an earlier unit reported at this address. */
  #lookAgain({ ip, driver, known }: MinerTarget): void {
    const fresh = this.#parts.client.targetOf(ip, driver.id, known);
    if (fresh !== undefined) this.#unresolved.hold(fresh);
    const onRecord = this.#onRecordAt(ip);
    if (onRecord !== undefined) onRecord.target.memory.isStale = true;
  }
}
