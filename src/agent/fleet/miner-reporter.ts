// Judges each sample of a miner, and reports the miner with its flags. It asks no miner and decides no identity.
import type { Clock } from '../../base/clock.ts';
import type { PeerError } from '../../base/errors.ts';
import { type ClockLook, wallTimeOf } from '../../base/time/clock-steps.ts';
import { algorithmOf } from '../../driver/kit/models/algorithms.ts';
import type { VisitOutcome } from '../../driver/visit/visit.ts';
import { toMinerDocument } from '../../model/document.ts';
import type { Flag } from '../../model/flags/flags.ts';
import type { Reading } from '../../model/reading.ts';
import { taskNamesOf } from '../../model/task.ts';
import type { ReportRecord } from '../../wire/records.ts';
import type { MinerStateStore } from '../state/miner-state-store.ts';
import { isOurs, mayHaveRestarted, type OwnAction, restartAgeMs } from './anomaly/evidence/restarts.ts';
import { judge } from './anomaly/judge.ts';
import type { Sample, SampleContext } from './anomaly/sample.ts';
import type { AnomalySettings } from './anomaly/settings.ts';
import { standingOf } from './anomaly/state.ts';
import type { Averages } from './averages/averages.ts';
import type { IdentityStates, MinerRegistry } from './identity/miner-registry.ts';
import { fullDraw, type MinerState } from './miner-state.ts';
import { wasSilentTogether } from './outages/silence.ts';
import { contradiction, twinsIn } from './sighting.ts';
import type { StoredState } from './stored-state.ts';

export type ReporterParts = {
  readonly clock: Pick<Clock, 'monotonicMs' | 'elapsedMs'>;
  readonly registry: Pick<MinerRegistry, 'get' | 'states' | 'duplicatesOf'>;
  readonly averages: Averages;
  readonly states: MinerStateStore<StoredState>;
  readonly settings: AnomalySettings;
  /** Operators say that the miner is not meant to mine. */
  readonly isOutOfOperation: (key: string) => boolean;
  /** Our own actions since `sinceMs` (`Clock.elapsedMs`) that may restart its mining. Read only after a restart. */
  readonly ownActions: (key: string, ip: string, sinceMs: number) => readonly OwnAction[];
  /** Why its locked pools are not kept, as a text. */
  readonly poolTrouble: (key: string) => string | undefined;
  /** Its flags, with the key of the finding that they belong to. */
  readonly pointed: (key: string, flags: readonly Flag[]) => readonly Flag[];
  readonly emit: (record: ReportRecord) => void;
};

/** More than a slow firmware upload with its late proof takes. */
const LONGEST_ACTION_MS = 3 * 60 * 60_000;
const NO_STATES: IdentityStates = { mac: 'empty', serial: 'empty', unstableReason: 'ip_only' };

/** `isHostUp`: the failure shows that the host takes connections. */
type FailedPoll = { readonly code: PeerError['code']; readonly isHostUp: boolean };
type Shown = { readonly isFactoryLogin?: boolean; readonly isHung?: boolean };

export class MinerReporter {
  readonly #parts: ReporterParts;

  constructor(parts: ReporterParts) {
    this.#parts = parts;
  }

  /** A poll was answered. */
  answered(state: MinerState, outcome: VisitOutcome, now: ClockLook, ipChanged: boolean): void {
    const identity = this.#identityOf(state);
    const { reading, unparsable, isLoginRefused: loginRefused, isFactoryLogin = false } = outcome;
    const context = this.#contextOf(state, identity, ipChanged, reading);
    this.#report(state, { kind: 'ok', reading, unparsable, loginRefused, context }, identity, now, { isFactoryLogin });
  }

  /** A poll failed for good; `consecutive` polls in a row have. */
  failed(state: MinerState, { code, isHostUp }: FailedPoll, consecutive: number, now: ClockLook): void {
    const identity = this.#identityOf(state);
    const context = this.#contextOf(state, identity, false);
    this.#report(state, { kind: 'failed', code, consecutive, context }, identity, now, { isHung: isHostUp });
  }

  #report(state: MinerState, sample: Sample, identity: IdentityStates, now: ClockLook, shown: Shown): void {
    const { clock, registry, averages, states, settings, pointed, emit } = this.#parts;
    const { key, target, judgement: before } = state;
    const nowMs = clock.monotonicMs();
    const elapsedMs = state.judgedMs === undefined ? undefined : nowMs - state.judgedMs;
    const { judgement, believed } = judge(before, sample, settings, now.wallMs, elapsedMs);
    if (believed?.hashrateHs !== undefined) averages.add(key, believed.hashrateHs, now.elapsedMs);
    const reported = toMinerDocument({
      reading: believed,
      previous: state.reported,
      ip: target.ip,
      driverId: target.driver.id,
      isFolderDriver: target.driver.origin !== undefined,
      known: registry.get(key),
      isLastCheckOk: sample.kind === 'ok',
      unstableReason: identity.unstableReason,
      ...shown,
      algorithmOf,
      isMining: judgement.history.mining?.is,
      flags: pointed(key, judgement.flags),
      hashrate24hHs: averages.average24h(key),
      lastReadingAtMs: state.readAt && wallTimeOf(state.readAt, now),
    });
    state.judgement = judgement;
    state.judgedMs = nowMs;
    state.reported = reported;
    if (believed !== undefined) state.fullDrawW = fullDraw(state.fullDrawW, believed);
    const hasMoved = before === undefined || standingOf(before) !== standingOf(judgement);
    const { readAt, fullDrawW } = state;
    states.note(key, { judgement, ...reported, readAt, fullDrawW }, hasMoved);
    const at = new Date(now.wallMs).toISOString();
    if (judgement.history.contradicted !== before?.history.contradicted) emit(contradiction(key, at, believed));
    const abilities = taskNamesOf(Object.keys(target.driver.abilities));
    emit({ kind: 'miner', key, at, mac_state: identity.mac, sn_state: identity.serial, ...reported, abilities });
  }

  #identityOf({ key }: MinerState): IdentityStates {
    return this.#parts.registry.states(key) ?? NO_STATES;
  }

  #contextOf(state: MinerState, identity: IdentityStates, ipChanged: boolean, reading?: Reading): SampleContext {
    const { registry, isOutOfOperation, poolTrouble } = this.#parts;
    const { key, isRebooting, target } = state;
    const { mac: macState, serial: serialState } = identity;
    const twins = (fact: 'mac' | 'serial') =>
      identity[fact] === 'duplicate' ? twinsIn(target.ip, registry.duplicatesOf(key, fact)) : undefined;
    return {
      ...{ macState, serialState, isRebooting, ipChanged },
      macTwins: twins('mac'),
      serialTwins: twins('serial'),
      opsMaintenance: isOutOfOperation(key),
      isExplainedRestart: reading !== undefined && this.#isExplainedRestart(state, reading),
      warmUpS: target.driver.quirks.warmUpS,
      poolTrouble: poolTrouble(key),
    };
  }

  /** Its power was cut together with others', or an action of ours restarted it. */
  #isExplainedRestart({ key, target, judgement, reported }: MinerState, reading: Reading): boolean {
    if (!mayHaveRestarted(judgement?.history ?? {}, reading)) return false;
    if (wasSilentTogether(reported)) return true;
    const nowMs = this.#parts.clock.elapsedMs();
    const sinceMs = nowMs - restartAgeMs(reading) - LONGEST_ACTION_MS;
    return isOurs(reading, this.#parts.ownActions(key, target.ip, sinceMs), nowMs);
  }
}
