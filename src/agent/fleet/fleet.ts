// What the agent knows of each miner right now, and the records that follow from each look at it. It joins visit, identity, flags and
// averages; it owns no socket and no schedule.
import type { Clock } from '../../base/clock.ts';
import { PeerError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { ageOf, type ClockLook, lookAtClocks, wallTimeOf } from '../../base/time/clock-steps.ts';
import type { VisitOutcome } from '../../driver/visit.ts';
import { toMinerDocument } from '../../model/document.ts';
import type { Flag } from '../../model/flags.ts';
import type { Reading } from '../../model/reading.ts';
import { taskNamesOf } from '../../model/task.ts';
import type { MinerRecord, ReportRecord } from '../../wire/records.ts';
import type { DeviceClient, MinerTarget } from '../device/device-client.ts';
import type { RecognisedMiner } from '../device/recognised.ts';
import type { MinerStateStore } from '../state/miner-state-store.ts';
import { isOurs, mayHaveRestarted, type OwnAction, restartAgeMs } from './anomaly/evidence/restarts.ts';
import { judge } from './anomaly/judge.ts';
import type { Sample, SampleContext } from './anomaly/sample.ts';
import type { AnomalySettings } from './anomaly/settings.ts';
import { type MinerJudgement, standingOf } from './anomaly/state.ts';
import type { Averages } from './averages/averages.ts';
import type { OldAddress } from './identity/claims.ts';
import type { IdentityStates, MinerRegistry } from './identity/miner-registry.ts';
import type { MinerEntry, Sighting } from './identity/record.ts';
import { wasSilentTogether } from './outages/silence.ts';
import { caughtUp, type Remembered } from './remembered.ts';
import { contradiction, factsIn, isHeldBack, knownOf, sightingOf, twinsIn } from './sighting.ts';
import { createUnsettled } from './unsettled.ts';

export type MinerState = {
  readonly key: string;
  target: MinerTarget;
  /** As the device says, with what cannot be true. */
  reading: Reading | undefined;
  readAt: ClockLook | undefined;
  /** When it last said something, and whether it refused our login then. */
  answered: { readonly atMs: number; readonly isLoginRefused: boolean } | undefined;
  judgement: MinerJudgement | undefined;
  /** When that was, by the monotonic clock; undefined = in an earlier run. */
  judgedMs: number | undefined;
  /** What was reported last. */
  reported: Pick<MinerRecord, 'document' | 'extras'> | undefined;
  isRebooting: boolean;
  /** Since when a task restarts it, or has, without an answer of its own since; by the monotonic clock. */
  awaitedMs: number | undefined;
};

export type Fleet = {
  /** Miners of earlier runs, from the miner registry, as far as they may be reached. `untilMs`: wall time until which those runs went on. */
  restore(untilMs: number): Promise<void>;
  /** The networks are others now: who stands outside is let go, who is inside again is back. The miner registry keeps all. */
  confine(): void;
  get(key: string): MinerState | undefined;
  /** What a poll of this key of the schedule asks: a miner, or an address of which it is not settled who answers there. */
  targetOf(key: string): MinerTarget | undefined;
  all(): Iterable<MinerState>;
  readonly size: number;
  /** A scan recognised a miner at this address. */
  recognised(ip: string, found: RecognisedMiner, signal: AbortSignal): Promise<void>;
  /** A poll was answered. */
  polled(key: string, outcome: VisitOutcome, signal: AbortSignal): Promise<void>;
  /** A poll failed for good. */
  pollFailed(key: string, error: Error, consecutive: number): void;
  setRebooting(key: string, isRebooting: boolean): void;
  /** A task restarts it, or has and it is not back. */
  isExpectedBack(key: string): boolean;
  /** A person said who it is: it is polled where it is on record now, and `left` nowhere any more. */
  settledByHand(key: string, left: readonly string[]): void;
  /** Lets go of miners that were only ever seen for a moment, long ago. To be called every hour or so. */
  prune(): void;
};

type Parts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly client: Pick<DeviceClient, 'read' | 'targetOf' | 'forgetRefusals'>;
  readonly mayReach: (ip: string) => boolean;
  readonly registry: MinerRegistry;
  /** What this host knows of its direct neighbours. */
  readonly neighbours: { at(ip: string): Sighting['neighbour'] };
  readonly averages: Averages;
  readonly states: MinerStateStore<Remembered>;
  readonly settings: AnomalySettings;
  /** Operators say that the miner is not meant to mine. */
  readonly isOutOfOperation: (key: string) => boolean;
  /** What we did to it that may restart its mining, begun since then; by `Clock.elapsedMs`. They are asked for after a restart and some minutes more. */
  readonly ownActions: (key: string, ip: string, sinceMs: number) => readonly OwnAction[];
  /** Why its locked pools are not kept, in words. */
  readonly poolTrouble: (key: string) => string | undefined;
  /** Its flags, with the key of what it suffers from together with others. */
  readonly pointed: (key: string, flags: readonly Flag[]) => readonly Flag[];
  readonly emit: (record: ReportRecord) => void;
  /** The poller's list: a miner is polled at this address from now on, or no longer at all. */
  readonly schedule: { set(key: string, ip: string): void; drop(key: string): void };
};

/** `isNewHere` = another miner stood at this address before, or none. */
type Settled = { readonly key: string; readonly ipChanged: boolean; readonly isNewHere: boolean };

/** How long a miner's own driver is believed against a scan that sees only a stranger. */
const BELIEVED_MS = 15 * 60_000;
/** How long a miner that was restarted and has not come back is expected. */
const AWAITED_MS = 60 * 60_000;
/** A firmware that is sent slowly and proven late takes less. */
const LONGEST_ACTION_MS = 3 * 60 * 60_000;
/** While many miners move, another one may turn out to be meant by the time that an old address has been looked at. */
const MAX_OLD_LOOKS = 3;

export function createFleet(parts: Parts): Fleet {
  const { clock, log, client, mayReach, registry, neighbours, averages, states, emit, schedule } = parts;
  const miners = new Map<string, MinerState>();
  /** Miners of an earlier run that have not been heard of in this one. */
  const remembered = new Map<string, Remembered>();
  const unsettled = createUnsettled(schedule);

  const stateOf = (key: string, target: MinerTarget): MinerState => {
    const present = miners.get(key);
    if (present !== undefined) {
      present.target = target;
      return present;
    }
    const earlier = remembered.get(key);
    remembered.delete(key);
    const fresh: MinerState = {
      key,
      target,
      reading: undefined,
      readAt: earlier?.readAt,
      answered: undefined,
      judgement: earlier?.judgement,
      judgedMs: undefined,
      reported: earlier,
      isRebooting: false,
      awaitedMs: undefined,
    };
    miners.set(key, fresh);
    return fresh;
  };

  /** The miner is at no address any more: the registry keeps it, no poll reaches it. */
  const leave = (key: string) => {
    schedule.drop(key);
    miners.delete(key);
  };

  /** What answers now at the address where the miner stood. */
  const lookAtOld = async (key: string, ip: string, signal: AbortSignal): Promise<OldAddress> => {
    const present = miners.get(key);
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
  };

  /** A task restarts it, or has and it is not back. */
  const isExpectedBack = (key: string): boolean => {
    const { isRebooting = false, awaitedMs } = miners.get(key) ?? {};
    return isRebooting || (awaitedMs !== undefined && clock.monotonicMs() - awaitedMs < AWAITED_MS);
  };

  /** The key that this miner has, after a look at its old address if the miner registry asks for one; undefined = it is none, or not clear yet. */
  const settle = async (seen: Sighting, target: MinerTarget, signal: AbortSignal): Promise<Settled | undefined> => {
    const sighting = { ...seen, neighbour: neighbours.at(seen.ip) };
    let result = registry.observe(sighting);
    for (let looks = 0; result.kind === 'check-old' && looks < MAX_OLD_LOOKS; looks++) {
      const { key, oldIp } = result;
      const old = await lookAtOld(key, oldIp, signal);
      result = registry.observe(sighting, { old, isExpectedBack: isExpectedBack(key) });
    }
    switch (result.kind) {
      case 'check-old':
        throw new PeerError('peer.busy', `settle who answers at ${sighting.ip}: the farm is changing`, 'soon');
      case 'waiting':
        lookAgain(target);
        return undefined;
      case 'ignored':
        unsettled.release(sighting.ip);
        return undefined;
      case 'resolved':
        break;
    }
    unsettled.release(sighting.ip);
    for (const event of result.events) emit(event);
    for (const left of result.left) leave(left);
    const { key, events } = result;
    const isOf = (type: string) => events.some((event) => event.key === key && event.type === type);
    return { key, ipChanged: isOf('moved'), isNewHere: isOf('moved') || isOf('appeared') };
  };

  /** Soon, and with nothing that an earlier unit said there. */
  const lookAgain = ({ ip, driver, known }: MinerTarget) => {
    const fresh = client.targetOf(ip, driver.id, known);
    if (fresh !== undefined) unsettled.hold(fresh);
    const onRecord = miners.get(registry.byIp(ip)?.key ?? '');
    if (onRecord !== undefined) onRecord.target.memory.isStale = true;
  };

  const statesOf = (key: string): IdentityStates =>
    registry.states(key) ?? { mac: 'empty', serial: 'empty', unstableReason: 'ip_only' };

  const isOursNow = (key: string, ip: string, reading: Reading): boolean => {
    const nowMs = clock.elapsedMs();
    return isOurs(reading, parts.ownActions(key, ip, nowMs - restartAgeMs(reading) - LONGEST_ACTION_MS), nowMs);
  };

  const contextOf = (
    { key, isRebooting, target, judgement, reported }: MinerState,
    { mac: macState, serial: serialState }: IdentityStates,
    ipChanged: boolean,
    reading?: Reading,
  ): SampleContext => {
    const hasNews = reading !== undefined && mayHaveRestarted(judgement?.history ?? {}, reading);
    const isExplainedRestart = hasNews && (wasSilentTogether(reported) || isOursNow(key, target.ip, reading));
    const opsMaintenance = parts.isOutOfOperation(key);
    const poolTrouble = parts.poolTrouble(key);
    const { warmUpS } = target.driver.quirks;
    const twins = (fact: 'mac' | 'serial') => twinsIn(target.ip, registry.duplicatesOf(key, fact));
    const macTwins = macState === 'duplicate' ? twins('mac') : undefined;
    const serialTwins = serialState === 'duplicate' ? twins('serial') : undefined;
    return {
      macState,
      serialState,
      macTwins,
      serialTwins,
      isRebooting,
      opsMaintenance,
      ipChanged,
      isExplainedRestart,
      warmUpS,
      poolTrouble,
    };
  };

  const judgeAndReport = (
    state: MinerState,
    sample: Sample,
    { mac, serial, unstableReason }: IdentityStates,
    now: ClockLook,
    isFactoryLogin = false,
  ) => {
    const before = state.judgement;
    const nowMs = clock.monotonicMs();
    const elapsedMs = state.judgedMs === undefined ? undefined : nowMs - state.judgedMs;
    const { judgement, believed } = judge(before, sample, parts.settings, now.wallMs, elapsedMs);
    if (believed?.hashrateHs !== undefined) averages.add(state.key, believed.hashrateHs, now.elapsedMs);
    const reported = toMinerDocument({
      reading: believed,
      previous: state.reported,
      ip: state.target.ip,
      driverId: state.target.driver.id,
      known: registry.get(state.key),
      isLastCheckOk: sample.kind === 'ok',
      unstableReason,
      isFactoryLogin,
      isMining: judgement.history.mining?.is,
      flags: parts.pointed(state.key, judgement.flags),
      hashrate24hHs: averages.average24h(state.key),
      lastReadingAtMs: state.readAt && wallTimeOf(state.readAt, now),
    });
    state.judgement = judgement;
    state.judgedMs = nowMs;
    state.reported = reported;
    const hasMoved = before === undefined || standingOf(before) !== standingOf(judgement);
    states.note(state.key, { judgement, ...reported, readAt: state.readAt }, hasMoved);
    const at = new Date(now.wallMs).toISOString();
    if (judgement.history.contradicted !== before?.history.contradicted) emit(contradiction(state.key, at, believed));
    const abilities = taskNamesOf(Object.keys(state.target.driver.abilities));
    emit({ kind: 'miner', key: state.key, at, mac_state: mac, sn_state: serial, ...reported, abilities });
  };

  /** A cut answer makes any miner look like a stranger: what its own driver read lately is believed before that. */
  const isKnownBetter = (ip: string, found: MinerTarget): boolean => {
    const present = miners.get(registry.byIp(ip)?.key ?? '');
    if (present === undefined || present.target.driver.id === found.driver.id) return false;
    return present.readAt !== undefined && ageOf(present.readAt, lookAtClocks(clock)) < BELIEVED_MS;
  };

  /** A miner that was recognised but gave no reading now: it is known and polled from now on, and reported with its first poll. */
  const meet = async (target: MinerTarget, identity: Pick<Sighting, 'mac' | 'serialNumber'>, signal: AbortSignal) => {
    if (registry.byIp(target.ip) !== undefined || unsettled.has(target.ip)) return;
    const settled = await settle(sightingOf(target, identity, clock.nowMs()), target, signal);
    if (settled === undefined) return;
    stateOf(settled.key, target);
    schedule.set(settled.key, target.ip);
  };

  const observe = async (
    target: MinerTarget,
    outcome: VisitOutcome,
    identity: Pick<Sighting, 'mac' | 'serialNumber'>,
    signal: AbortSignal,
  ) => {
    const { reading } = outcome;
    const now = lookAtClocks(clock);
    const sighting = sightingOf(target, identity, now.wallMs, reading);
    const hadAnother = registry.byIp(target.ip) !== undefined;
    const settled = await settle(sighting, target, signal);
    if (settled === undefined) return;
    const { key, ipChanged, isNewHere } = settled;
    if (hadAnother && isNewHere && isHeldBack(outcome)) client.forgetRefusals(target.ip);
    const state = stateOf(key, target);
    schedule.set(key, target.ip);
    state.reading = reading;
    state.readAt = now;
    state.awaitedMs = state.isRebooting ? state.awaitedMs : undefined;
    state.answered = { atMs: clock.monotonicMs(), isLoginRefused: outcome.isLoginRefused };
    const { unparsable, isLoginRefused: loginRefused } = outcome;
    const identityStates = statesOf(key);
    const context = contextOf(state, identityStates, ipChanged, reading);
    const sample: Sample = { kind: 'ok', reading, unparsable, loginRefused, context };
    judgeAndReport(state, sample, identityStates, now, outcome.isFactoryLogin);
  };

  /** It is polled where it is on record, if that may be reached. */
  const place = (entry: MinerEntry) => {
    if (entry.ip === null || !mayReach(entry.ip)) return;
    const target = client.targetOf(entry.ip, entry.driverId, knownOf(entry));
    if (target === undefined) return;
    unsettled.release(entry.ip);
    stateOf(entry.key, target);
    schedule.set(entry.key, entry.ip);
  };

  /** Those of the miner registry that are not here although they may be reached. */
  const meetAgain = () => {
    for (const entry of registry.all()) if (!miners.has(entry.key)) place(entry);
  };

  return {
    async restore(untilMs) {
      for (const [key, stored] of await states.load()) remembered.set(key, caughtUp(stored, untilMs));
      meetAgain();
      remembered.clear();
    },
    confine() {
      for (const { key, target } of [...miners.values()]) if (!mayReach(target.ip)) leave(key);
      unsettled.confine(mayReach);
      meetAgain();
    },
    get: (key) => miners.get(key),
    targetOf: (key) => unsettled.get(key) ?? miners.get(key)?.target,
    all: () => miners.values(),
    get size() {
      return miners.size;
    },
    async recognised(ip, { target, identity, outcome }, signal) {
      // Networks may have changed since it was asked.
      if (!mayReach(ip)) return;
      if (identity.confidence === 'generic' && isKnownBetter(ip, target)) return;
      if (outcome === undefined) await meet({ ...target, ip }, identity, signal);
      else await observe({ ...target, ip }, outcome, identity, signal);
    },
    async polled(key, outcome, signal) {
      const waiting = unsettled.get(key);
      if (waiting !== undefined) {
        unsettled.answered(key);
        return observe(waiting, outcome, {}, signal);
      }
      const state = miners.get(key);
      // What it says may be another unit's, as long as it is not settled who answers there.
      if (state === undefined || unsettled.has(state.target.ip)) return;
      await observe(state.target, outcome, {}, signal);
    },
    pollFailed(key, error, consecutive) {
      const state = miners.get(key);
      if (unsettled.failed(key) || state === undefined) return;
      log.debug({ ip: state.target.ip, consecutive, cause: renderError(error) }, 'a miner does not answer');
      const code = error instanceof PeerError ? error.code : 'peer.unparsable';
      if (code === 'peer.auth') state.answered = { atMs: clock.monotonicMs(), isLoginRefused: true };
      const identityStates = statesOf(key);
      const sample: Sample = { kind: 'failed', code, consecutive, context: contextOf(state, identityStates, false) };
      judgeAndReport(state, sample, identityStates, lookAtClocks(clock));
    },
    setRebooting(key, isRebooting) {
      const state = miners.get(key);
      if (state === undefined) return;
      const isFirst = isRebooting && !state.isRebooting;
      state.isRebooting = isRebooting;
      if (isFirst) state.awaitedMs = clock.monotonicMs();
      else if (!isRebooting && state.reported?.document.last_check_succeed === true) state.awaitedMs = undefined;
    },
    isExpectedBack,
    settledByHand(key, left) {
      for (const gone of left) leave(gone);
      const entry = registry.get(key);
      if (entry !== undefined) place(entry);
    },
    prune() {
      for (const key of registry.prune()) leave(key);
    },
  };
}
