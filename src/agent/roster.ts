// What the agent knows of each miner right now, and the records that follow from each look at it. It joins visit, identity, flags and
// averages; it owns no socket and no schedule.
import type { Clock } from '../base/clock.ts';
import { PeerError, renderError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { VisitOutcome } from '../driver/visit.ts';
import { toMinerDocument } from '../model/document.ts';
import { normaliseMac, normaliseSerial } from '../model/identity-facts.ts';
import type { Reading } from '../model/reading.ts';
import { taskNameOf } from '../model/task.ts';
import type { MinerRecord, ReportRecord } from '../wire/records.ts';
import type { Access, MinerTarget, Recognised } from './access.ts';
import { judge, type MinerJudgement } from './anomaly/judge.ts';
import type { AnomalySettings } from './anomaly/settings.ts';
import type { Averages } from './averages/averages.ts';
import type { IdentityBook, IdentityStates } from './identity/book.ts';
import type { Sighting } from './identity/record.ts';

export type MinerState = {
  readonly key: string;
  target: MinerTarget;
  reading: Reading | undefined;
  readingAt: string | undefined;
  judgement: MinerJudgement | undefined;
  isRebooting: boolean;
  record: MinerRecord | undefined;
};

export type Roster = {
  /** Miners of earlier runs, from the identity book. */
  restore(judgements: ReadonlyMap<string, MinerJudgement>): void;
  get(key: string): MinerState | undefined;
  all(): Iterable<MinerState>;
  readonly size: number;
  /** A scan recognised a miner at this address. */
  recognised(ip: string, found: Extract<Recognised, { target: MinerTarget }>, signal: AbortSignal): Promise<void>;
  /** A poll was answered. */
  polled(key: string, outcome: VisitOutcome, signal: AbortSignal): Promise<void>;
  /** A poll failed for good. */
  pollFailed(key: string, error: unknown, consecutive: number): void;
  setRebooting(key: string, isRebooting: boolean): void;
};

type Options = {
  readonly clock: Clock;
  readonly log: Log;
  readonly access: Access;
  readonly book: IdentityBook;
  readonly averages: Averages;
  readonly settings: AnomalySettings;
  readonly emit: (record: ReportRecord) => void;
  /** The poller's list: a miner is polled at this address from now on, or no longer at all. */
  readonly schedule: { set(key: string, ip: string): void; drop(key: string): void };
};

export function createRoster({ clock, log, access, book, averages, settings, emit, schedule }: Options): Roster {
  const miners = new Map<string, MinerState>();

  const stateOf = (key: string, target: MinerTarget): MinerState => {
    const known = miners.get(key);
    if (known !== undefined) {
      known.target = target;
      return known;
    }
    const fresh: MinerState = {
      key,
      target,
      reading: undefined,
      readingAt: undefined,
      judgement: undefined,
      isRebooting: false,
      record: undefined,
    };
    miners.set(key, fresh);
    return fresh;
  };

  /** Whether the miner that we know at `ip` still answers there with the identity of the sighting. */
  const answersAs = async (key: string, ip: string, sighting: Sighting, signal: AbortSignal): Promise<boolean> => {
    const known = miners.get(key);
    if (known === undefined) return false;
    try {
      const { reading } = await access.read({ ...known.target, ip }, signal, 'command');
      return isSame(reading, sighting);
    } catch (error) {
      if (error instanceof PeerError) return false;
      throw error;
    }
  };

  /** The miner stands nowhere any more: it is kept by the identity book, and not polled. */
  const leave = (key: string) => {
    schedule.drop(key);
    miners.delete(key);
  };

  /** The key that this miner has, after looking at its old address if the identity book asks for it. */
  const settle = async (sighting: Sighting, signal: AbortSignal): Promise<string> => {
    let result = book.observe(sighting);
    if (result.kind === 'check-old') {
      const oldIpAnswersAsSame = await answersAs(result.key, result.oldIp, sighting, signal);
      result = book.observe(sighting, { oldIpAnswersAsSame });
    }
    if (result.kind === 'check-old') {
      log.warn({ ip: sighting.ip, oldIp: result.oldIp }, 'identity of a miner stays undecided until its next look');
      return result.key;
    }
    for (const event of result.events) {
      emit(event);
      if (book.get(event.key)?.ip === null) leave(event.key);
    }
    return result.key;
  };

  const statesOf = (key: string): IdentityStates => book.states(key) ?? { mac: 'empty', serial: 'empty', unstableReason: 'ip_only' };

  const sample = (state: MinerState, atMs: number, outcome: VisitOutcome) => {
    state.reading = outcome.reading;
    state.readingAt = new Date(atMs).toISOString();
    if (outcome.reading.hashrateHs !== undefined) averages.add(state.key, outcome.reading.hashrateHs, atMs);
    const identity = statesOf(state.key);
    state.judgement = judge(
      state.judgement,
      { kind: 'ok', reading: outcome.reading, unparsable: outcome.unparsable, isLoginRefused: outcome.isLoginRefused, ...identity, isRebooting: state.isRebooting },
      settings,
      atMs,
    );
    publish(state, true, state.readingAt);
  };

  const publish = (state: MinerState, isLastCheckOk: boolean, at: string) => {
    const { mac, serial, unstableReason } = statesOf(state.key);
    const { document, extras } = toMinerDocument({
      reading: state.reading,
      ip: state.target.ip,
      driverId: state.target.driver.id,
      isLastCheckOk,
      unstableReason,
      flags: state.judgement?.flags ?? [],
      hashrate24hHs: averages.average24h(state.key),
      lastReadingAt: state.readingAt,
    });
    const abilities = Object.keys(state.target.driver.abilities).flatMap((name) => taskNameOf(name) ?? []);
    state.record = { kind: 'miner', key: state.key, at, mac_state: mac, sn_state: serial, document, extras, abilities };
    emit(state.record);
  };

  const observe = async (target: MinerTarget, outcome: VisitOutcome, identity: { mac?: string; serialNumber?: string }, signal: AbortSignal) => {
    const { reading } = outcome;
    const mac = reading.mac ?? identity.mac;
    const serialNumber = reading.serialNumber ?? identity.serialNumber;
    const sighting: Sighting = {
      ip: target.ip,
      driverId: target.driver.id,
      at: clock.nowMs(),
      mac,
      serialNumber,
      generation: target.known.generation,
      make: reading.make ?? target.known.make,
      model: reading.model ?? target.known.model,
      firmwareVersion: reading.firmwareVersion,
    };
    const key = await settle(sighting, signal);
    const state = stateOf(key, target);
    schedule.set(key, target.ip);
    sample(state, sighting.at, outcome);
  };

  return {
    restore(judgements) {
      for (const entry of book.all()) {
        if (entry.ip === null) continue;
        const known = {
          ...(entry.generation === null ? {} : { generation: entry.generation }),
          ...(entry.make === null ? {} : { make: entry.make }),
          ...(entry.model === null ? {} : { model: entry.model }),
        };
        const target = access.targetOf(entry.ip, entry.driverId, known);
        if (target === undefined) continue;
        stateOf(entry.key, target).judgement = judgements.get(entry.key);
        schedule.set(entry.key, entry.ip);
      }
    },
    get: (key) => miners.get(key),
    all: () => miners.values(),
    get size() {
      return miners.size;
    },
    async recognised(ip, found, signal) {
      if (found.outcome !== undefined) await observe({ ...found.target, ip }, found.outcome, found.identity, signal);
    },
    async polled(key, outcome, signal) {
      const state = miners.get(key);
      if (state !== undefined) await observe(state.target, outcome, {}, signal);
    },
    pollFailed(key, error, consecutive) {
      const state = miners.get(key);
      if (state === undefined) return;
      log.debug({ ip: state.target.ip, consecutive, error: renderError(error) }, 'poll failed');
      const identity = statesOf(key);
      const code = error instanceof PeerError ? error.code : 'driver.failed';
      state.judgement = judge(
        state.judgement,
        { kind: 'failed', code, consecutive, ...identity, isRebooting: state.isRebooting },
        settings,
        clock.nowMs(),
      );
      publish(state, false, new Date(clock.nowMs()).toISOString());
    },
    setRebooting(key, isRebooting) {
      const state = miners.get(key);
      if (state !== undefined) state.isRebooting = isRebooting;
    },
  };
}

function isSame(reading: Reading, sighting: Sighting): boolean {
  const mac = sighting.mac === undefined ? undefined : normaliseMac(sighting.mac);
  if (mac !== undefined && reading.mac !== undefined) return normaliseMac(reading.mac) === mac;
  return (
    sighting.serialNumber !== undefined &&
    reading.serialNumber !== undefined &&
    normaliseSerial(reading.serialNumber) === normaliseSerial(sighting.serialNumber)
  );
}
