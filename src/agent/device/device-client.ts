// Reaching one miner: recognise it, read it, act on it; with its login, its turn and its deadlines. The agent's organs and the technician's
// commands go through here. It keeps no registry and decides nothing about when.
import type { Clock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { covers, type ScanRanges } from '../../base/net/ranges.ts';
import { Secret } from '../../base/secrets.ts';
import type { AbilityName, Driver, Evidence, FirmwareImage, Identity, Known } from '../../driver/contract.ts';
import { chooseDriver, type DriverChoice, gatherEvidence, IDENTIFY_DEADLINE_MS } from '../../driver/identify.ts';
import { VisitMemory } from '../../driver/memory.ts';
import { type VisitOutcome, visit } from '../../driver/visit.ts';
import { BoundedMap } from '../../transport/limits/bounded-map.ts';
import type { Login, MinerLink } from '../../transport/request.ts';
import type { Tap } from '../../transport/tcp/recorder.ts';
import { createTransport } from '../../transport/transport.ts';
import { type LoginTrial, newTrial, withTrial } from './login-attempts.ts';

/** A miner as far as reaching it needs to know: where it is, which driver, and what earlier visits left. */
export type MinerTarget = {
  readonly ip: string;
  readonly driver: Driver;
  readonly known: Known;
  readonly memory: VisitMemory;
};

export type Recognised =
  | {
      readonly status: 'identified' | 'login_refused';
      readonly target: MinerTarget;
      readonly identity: Identity;
      readonly evidence: Evidence;
      /** Absent when it was read lately, or was recognised but then gave no answer to any ask. */
      readonly outcome?: VisitOutcome;
    }
  | { readonly status: 'unknown'; readonly evidence: Evidence };

/** What came of a reading of an address not long ago. */
export type ReadLately = { readonly driverId: string; readonly status: 'identified' | 'login_refused' };

export type Access = ReturnType<typeof createAccess>;

/** The first rule that fits counts; without `family` or `ranges` it fits each. */
export type LoginRule = { readonly family?: string; readonly ranges?: ScanRanges; readonly login: Login };

/** Read anew with each exchange: they may change while the agent runs. Times in ms. */
export type DeviceSettings = {
  readonly portMap: ReadonlyMap<number, number>;
  readonly credentials: { readonly factoryDefaults: boolean; readonly logins: readonly LoginRule[] };
  readonly poll: {
    readonly interval: number;
    readonly slowEvery: number;
    readonly staticEvery: number;
    readonly deadline: number;
  };
};

type AccessOptions = {
  readonly clock: Clock;
  readonly log: Log;
  readonly drivers: readonly Driver[];
  readonly config: DeviceSettings;
  /** Addresses that may be reached at all. */
  readonly mayReach: (ip: string) => boolean;
  /** Listens to every answer. */
  readonly tap?: Tap;
};

/** After a refusal a configured login is not tried again for this long by visits: control boards lock out. Orders try at once. */
const REFUSED_HOLD_MS = 10 * 60_000;
/** A factory login is not tried again at the same unit for this long: its owner has changed it, and hardly back. */
const FACTORY_HOLD_MS = 24 * 3_600_000;
/** A visit that follows identification has what is left of that, and at least this long. */
const LEAST_VISIT_MS = 2_000;
/** For one question behind the login. */
const SETTLE_MS = 4_000;
/** Devices whose logins are remembered. */
const MAX_TRIALS = 100_000;
const trialKey = ({ id }: Driver, ip: string) => `${id} ${ip}`;
/** Multiples of it fall evenly between 0 and 1, however many there are. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

type StartedTrial = { readonly trial: LoginTrial; readonly startedMs: number };

export function createAccess({ clock, log, drivers, config, mayReach, tap }: AccessOptions) {
  const transport = createTransport({ clock, log, portMap: config.portMap, mayReach, ...(tap && { tap }) });
  const factoryTrials = new BoundedMap<StartedTrial>(MAX_TRIALS);
  const configuredTrials = new BoundedMap<StartedTrial>(MAX_TRIALS);
  let memories = 0;
  const newMemory = () => new VisitMemory((memories++ * GOLDEN) % 1);

  /** Whether it ended in a refusal that is younger than that. */
  const isHeld = (last: StartedTrial | undefined, holdMs: number): last is StartedTrial =>
    last?.trial.verdict === 'refused' && clock.monotonicMs() - last.startedMs < holdMs;

  const begin = (trials: BoundedMap<StartedTrial>, key: string): LoginTrial => {
    const trial = newTrial();
    trials.set(key, { trial, startedMs: clock.monotonicMs() });
    return trial;
  };

  /** The trial of the factory login at one device: tried once, and after a refusal at most once a day. */
  const factoryTrial = (driver: Driver, ip: string): LoginTrial => {
    const key = trialKey(driver, ip);
    const last = factoryTrials.get(key);
    const isOver = last?.trial.verdict === 'refused' && !isHeld(last, FACTORY_HOLD_MS);
    return last === undefined || isOver ? begin(factoryTrials, key) : last.trial;
  };

  const ruleFor = ({ driver, ip }: MinerTarget) =>
    config.credentials.logins.find((entry) => matches(entry, driver, ip));

  /** A fresh trial for each visit, unless the last one ended in a refusal that is young. */
  const configuredTrial = (driver: Driver, ip: string, isOrder: boolean): LoginTrial => {
    const key = trialKey(driver, ip);
    const last = configuredTrials.get(key);
    return !isOrder && isHeld(last, REFUSED_HOLD_MS) ? last.trial : begin(configuredTrials, key);
  };

  /** A configured login is tried once per visit, and seldom while it is refused; a factory login once at all. */
  const linkTo = (target: MinerTarget, isOrder = false): MinerLink => {
    const { driver, ip, known } = target;
    if (driver.login.kind === 'none') return transport.link(ip);
    const rule = ruleFor(target);
    if (rule !== undefined) return withTrial(transport.link(ip, rule.login), configuredTrial(driver, ip, isOrder));
    const factory = driver.login.factoryDefaultOf?.[known.generation ?? ''] ?? driver.login.factoryDefault;
    if (factory === undefined || !config.credentials.factoryDefaults) return transport.link(ip);
    const trial = factoryTrial(driver, ip);
    const onTaken = () => {
      trial.isTaken = true;
    };
    return withTrial(
      transport.link(ip, { user: factory.user, password: new Secret(factory.password), onTaken }),
      trial,
    );
  };

  const usesFactoryLogin = (target: MinerTarget) => {
    const { driver, ip } = target;
    if (driver.login.kind === 'none' || ruleFor(target) !== undefined) return false;
    const trial = factoryTrials.get(trialKey(driver, ip))?.trial;
    return trial?.isTaken === true && trial.verdict === 'accepted';
  };

  const visitOnce = async (
    target: MinerTarget,
    signal: AbortSignal,
    { memory = target.memory, deadlineMs = config.poll.deadline } = {},
  ): Promise<VisitOutcome> => {
    const { driver, known } = target;
    const rhythms = { slowMs: config.poll.interval * config.poll.slowEvery, staticMs: config.poll.staticEvery };
    const link = linkTo(target);
    const outcome = await visit({ driver, link, known, memory, rhythms, clock, signal, deadlineMs });
    return usesFactoryLogin(target) ? { ...outcome, isFactoryLogin: true } : outcome;
  };

  /**
   * The driver for what was found, after a question behind the login where families look alike. The caller holds the turn.
   * Families that look like the likely one from outside each have one question. It goes with the login configured for them, else with that of the
   * likely family, whose refusal counts as its own: no device gets a second password for the sake of a question.
   */
  const choose = async (ip: string, evidence: Evidence, signal: AbortSignal): Promise<DriverChoice | undefined> => {
    const likely = chooseDriver(drivers, evidence);
    if (likely === undefined) return undefined;
    for (const driver of drivers) {
      const { afterLogin } = driver;
      if (driver === likely.driver || !afterLogin?.mayBe(evidence)) continue;
      const other: MinerTarget = { ip, driver, known: {}, memory: newMemory() };
      const own: MinerTarget = { ip, driver: likely.driver, known: knownFrom(likely.identity), memory: newMemory() };
      const rule = ruleFor(other);
      const link = linkTo(rule === undefined || rule === ruleFor(own) ? own : other);
      try {
        const identity = afterLogin.identify(await link.send(afterLogin.ask, { deadlineMs: SETTLE_MS, signal }));
        if (identity !== undefined) return { driver, identity };
      } catch (error) {
        if (!(error instanceof PeerError)) throw error;
      }
    }
    return likely;
  };

  /**
   * Stage two of a scan: who is it, and everything that it says. Never throws for what the peer does, only CancelledError. A reading of
   * `lately` by the same driver stands for another one. Whoever does not say that there will be another try gets all the patience.
   * Its questions and its visit take a turn each, so that an order waits for one of them and not for both.
   */
  const recognise = async (
    ip: string,
    openPorts: ReadonlySet<number>,
    signal: AbortSignal,
    isLastTry = true,
    lately?: ReadLately,
  ): Promise<Recognised> => {
    const endMs = clock.monotonicMs() + IDENTIFY_DEADLINE_MS;
    const inTurn = <T>(work: () => Promise<T>) => transport.turns.run(ip, 'scan', signal, work);
    const { evidence, choice } = await inTurn(async () => {
      const gathered = await gatherEvidence(transport.link(ip), openPorts, {
        ...{ clock, signal, isLastTry },
        expected: lately?.driverId,
      });
      return { evidence: gathered.evidence, choice: await choose(ip, gathered.evidence, signal) };
    });
    if (choice === undefined) return { status: 'unknown', evidence };
    const { driver, identity } = choice;
    const target: MinerTarget = { ip, driver, known: knownFrom(identity), memory: newMemory() };
    if (lately?.driverId === driver.id) return { status: lately.status, target, identity, evidence };
    try {
      const outcome = await inTurn(() => {
        const leftMs = Math.max(LEAST_VISIT_MS, endMs - clock.monotonicMs() - LEAST_VISIT_MS);
        return visitOnce(target, signal, { deadlineMs: Math.min(config.poll.deadline, leftMs) });
      });
      return { status: outcome.isLoginRefused ? 'login_refused' : 'identified', target, identity, evidence, outcome };
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      return { status: error.code === 'peer.auth' ? 'login_refused' : 'identified', target, identity, evidence };
    }
  };

  return {
    transport,
    drivers,
    choose,
    recognise,
    /** One visit in the miner's turn. Throws PeerError when nothing at all was answered. */
    read: (target: MinerTarget, signal: AbortSignal, priority: 'poll' | 'command' = 'poll') =>
      transport.turns.run(target.ip, priority, signal, () => visitOnce(target, signal)),
    /** The same as a command, every question asked and nothing taken from memory: what it says is true now. */
    readAfresh: (target: MinerTarget, signal: AbortSignal) =>
      transport.turns.run(target.ip, 'command', signal, () => visitOnce(target, signal, { memory: new VisitMemory() })),
    /** With the miner's login, held to its trial. The caller holds the turn. */
    linkTo: (target: MinerTarget) => linkTo(target),
    /** Passwords that an operator has set for this miner. */
    secretsOf(target: MinerTarget): string[] {
      const rule = ruleFor(target);
      return rule === undefined ? [] : [rule.login.password.reveal()];
    },
    /** One write, before anything else that waits for this miner. What earlier visits learned is asked again with the next one. */
    act(target: MinerTarget, abilityName: AbilityName, params: unknown, signal: AbortSignal, image?: FirmwareImage) {
      return transport.turns.run(target.ip, 'command', signal, () => {
        const ability = target.driver.abilities[abilityName];
        if (ability === undefined) {
          throw new PeerError(
            'peer.unsupported',
            `${abilityName} on ${target.ip}: driver ${target.driver.id} cannot do it`,
            'never',
          );
        }
        if (ability.effect !== 'read-only') target.memory.isStale = true;
        return ability.act(linkTo(target, true), ability.params.parse(params), target.known, image);
      });
    },
    targetOf(ip: string, driverId: string, known: Known): MinerTarget | undefined {
      const driver = drivers.find(({ id }) => id === driverId);
      return driver === undefined ? undefined : { ip, driver, known, memory: newMemory() };
    },
    /** Another unit stands at this address now: logins that the one before refused are tried again. */
    forgetRefusals(ip: string) {
      for (const trials of [factoryTrials, configuredTrials]) {
        for (const driver of drivers) {
          const key = trialKey(driver, ip);
          if (trials.get(key)?.trial.verdict === 'refused') trials.delete(key);
        }
      }
    },
    close: () => transport.close(),
  };
}

export const knownFrom = ({ generation, make, model }: Identity): Known => ({
  ...(generation !== undefined && { generation }),
  ...(make !== undefined && { make }),
  ...(model !== undefined && { model }),
});

function matches(rule: LoginRule, driver: Driver, ip: string): boolean {
  if (rule.family !== undefined && rule.family !== driver.id) return false;
  return rule.ranges === undefined || covers(rule.ranges, ip);
}
