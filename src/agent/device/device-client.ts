// Reaching one miner: recognise it, read it, act on it; with its login, its turn and its deadlines. The agent's organs and the technician's
// commands go through here. It keeps no registry and decides nothing about when.
import type { Clock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { ScanRanges } from '../../base/net/ranges.ts';
import type { AbilityName, Driver, Evidence, FirmwareImage, Identity, Known } from '../../driver/contract.ts';
import {
  chooseDriver,
  type DriverChoice,
  gatherEvidence,
  IDENTIFY_DEADLINE_MS,
  SCAN_PORTS,
} from '../../driver/identify.ts';
import { VisitMemory } from '../../driver/memory.ts';
import { type VisitOutcome, visit } from '../../driver/visit.ts';
import type { Tap } from '../../transport/tcp/recorder.ts';
import { createTransport } from '../../transport/transport.ts';
import { createDeviceTrust, type TrustParts } from './device-trust.ts';
import { type Credentials, createLogins, type MinerTarget, ruleFor } from './logins.ts';

export type { LoginRule, MinerTarget } from './logins.ts';

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

/** Read anew with each exchange: they may change while the agent runs. Times in ms. */
export type DeviceSettings = {
  readonly portMap: ReadonlyMap<number, number>;
  /** The networks that the configuration names. */
  readonly ranges: ScanRanges;
  readonly credentials: Credentials & { readonly trust: 'pinned' | 'network' };
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
  /** Who may get a login; shared by all that reach miners from this process. */
  readonly trust: TrustSources;
  /** Listens to every answer. */
  readonly tap?: Tap;
};

/** The code that opened `record` closes it. */
export type TrustSources = Pick<TrustParts, 'record' | 'neighbourAt' | 'mayLogIn'>;

/** A visit that follows identification has what is left of that, and at least this long. */
const LEAST_VISIT_MS = 2_000;
/** For one question behind the login. */
const SETTLE_MS = 4_000;
/** To ask a device again who it is, before a login goes to it. */
const ASK_AGAIN_MS = 4_000;
/** After these errors another device may answer at the address. */
const GONE: ReadonlySet<string> = new Set(['peer.timeout', 'peer.refused', 'peer.unreachable', 'peer.reset']);
/** Multiples of it fall evenly between 0 and 1, however many there are. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

export function createAccess({ clock, log, drivers, config, mayReach, trust: sources, tap }: AccessOptions) {
  const transport = createTransport({ clock, log, portMap: config.portMap, mayReach, ...(tap && { tap }) });
  const coveredBy = (driverId: string, ip: string) => {
    const rule = ruleFor(config.credentials.logins, driverId, ip);
    return rule && (rule.family === undefined ? 'range' : 'family');
  };
  const trust = createDeviceTrust({ ...sources, clock, settings: config, coveredBy });
  const logins = createLogins({ clock, transport, credentials: () => config.credentials, trust });
  let memories = 0;
  const newMemory = () => new VisitMemory((memories++ * GOLDEN) % 1);

  const visitOnce = async (
    target: MinerTarget,
    signal: AbortSignal,
    { memory = target.memory, deadlineMs = config.poll.deadline } = {},
  ): Promise<VisitOutcome> => {
    const { driver, known } = target;
    const rhythms = { slowMs: config.poll.interval * config.poll.slowEvery, staticMs: config.poll.staticEvery };
    const startMs = clock.monotonicMs();
    if (driver.login.kind !== 'none') await askAgain(target, signal);
    const leftMs = deadlineMs - (clock.monotonicMs() - startMs);
    const link = logins.linkTo(target);
    try {
      const outcome = await visit({ driver, link, known, memory, rhythms, clock, signal, deadlineMs: leftMs });
      return logins.usesFactoryLogin(target) ? { ...outcome, isFactoryLogin: true } : outcome;
    } catch (error) {
      if (error instanceof PeerError && GONE.has(error.code)) trust.lost(target.ip);
      throw error;
    }
  };

  /** The device is asked who it is, where it may be another one than it was. The caller holds the turn. Throws PeerError when it does not answer. */
  const askAgain = async ({ ip, driver }: MinerTarget, signal: AbortSignal): Promise<void> => {
    if (!trust.mustAskAgain(ip, driver.id)) return;
    const { evidence, failures } = await gatherEvidence(transport.link(ip), new Set(SCAN_PORTS), {
      ...{ clock, signal, deadlineMs: ASK_AGAIN_MS },
    });
    const { version, web, whatsminer3, api4028 } = evidence;
    const isSilent = [version, web, whatsminer3, api4028].every((answer) => answer === undefined);
    if (isSilent && failures[0] !== undefined) {
      trust.lost(ip);
      throw failures[0];
    }
    await choose(ip, evidence, signal);
  };

  /**
   * The driver for what was found, after a question behind the login where families look alike. The caller holds the turn.
   */
  const choose = async (
    ip: string,
    evidence: Evidence,
    signal: AbortSignal,
    expected?: string,
  ): Promise<DriverChoice | undefined> => {
    const likely = vouchedFor(ip, evidence) ?? chooseDriver(drivers, evidence);
    if (likely === undefined) return undefined;
    const { driver } = likely;
    // What it proved a moment ago is not asked for again.
    const isProven = expected === driver.id && trust.isSure(ip, driver.id);
    const identity = isProven ? { ...likely.identity, confidence: 'sure' as const } : likely.identity;
    const before = trust.driverOf(ip, driver.id) ?? driver.id;
    const lookAlikes = drivers.flatMap(({ id, afterLogin }) => (afterLogin?.mayBe(evidence) ? [id] : []));
    const seen = { identity, evidence, family: driver.id, lookAlikes };
    trust.saw(ip, { ...seen, driverId: before });
    const told = await tellApart(ip, likely, evidence, signal);
    if (told.driver.id !== before) trust.saw(ip, { ...seen, driverId: told.driver.id });
    return told;
  };

  /** A person said what it is, where it gives no proof itself and no other family is sure of it. */
  const vouchedFor = (ip: string, evidence: Evidence): DriverChoice | undefined => {
    const shown = chooseDriver(drivers, evidence);
    if (shown === undefined || shown.identity.confidence === 'sure') return undefined;
    const driver = drivers.find(({ id }) => id === trust.vouchedFor(ip, shown.identity));
    if (driver === undefined) return undefined;
    return { driver, identity: driver.identify(evidence) ?? { confidence: 'likely', make: driver.make } };
  };

  /**
   * Families that look like the likely one from outside each have one question. It goes with the login configured for them, else with that of the
   * likely family, whose refusal counts as its own: no device gets a second password for the sake of a question.
   */
  const tellApart = async (
    ip: string,
    likely: DriverChoice,
    evidence: Evidence,
    signal: AbortSignal,
  ): Promise<DriverChoice> => {
    for (const driver of drivers) {
      const { afterLogin } = driver;
      if (driver === likely.driver || !afterLogin?.mayBe(evidence)) continue;
      const known = knownFrom(likely.identity);
      const own: MinerTarget = { ip, driver: likely.driver, known, memory: newMemory() };
      const link = logins.linkBehindLogin(own, driver);
      if (link === undefined) continue;
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
      return { evidence: gathered.evidence, choice: await choose(ip, gathered.evidence, signal, lately?.driverId) };
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
    linkTo: (target: MinerTarget) => logins.linkTo(target),
    /** Who was met until now is on disk afterwards, as far as the disk takes it. */
    writeMet: () => sources.record.flush(),
    /** Why the record of login attempts cannot be used; then no factory login is tried. */
    trustFault: () => trust.fault(),
    /** Passwords that an operator has set, of whichever miners: one that looked like another family may have got the other's. */
    secrets: (): string[] => config.credentials.logins.map(({ login }) => login.password.reveal()),
    /** One write, before anything else that waits for this miner. What earlier visits learned is asked again with the next one. */
    act(target: MinerTarget, abilityName: AbilityName, params: unknown, signal: AbortSignal, image?: FirmwareImage) {
      return transport.turns.run(target.ip, 'command', signal, async () => {
        const ability = target.driver.abilities[abilityName];
        if (ability === undefined) {
          throw new PeerError(
            'peer.unsupported',
            `${abilityName} on ${target.ip}: driver ${target.driver.id} cannot do it`,
            'never',
          );
        }
        if (ability.effect !== 'read-only' || target.driver.login.kind !== 'none') await askAgain(target, signal);
        if (ability.effect !== 'read-only') {
          logins.mustBeChangeable(target, abilityName);
          target.memory.isStale = true;
        }
        return ability.act(logins.linkTo(target, true), ability.params.parse(params), target.known, image);
      });
    },
    targetOf(ip: string, driverId: string, known: Known): MinerTarget | undefined {
      const driver = drivers.find(({ id }) => id === driverId);
      return driver === undefined ? undefined : { ip, driver, known, memory: newMemory() };
    },
    /** Another unit stands at this address now: logins that the one before refused are tried again. */
    forgetRefusals: (ip: string) => logins.forgetRefusals(ip, drivers),
    close: () => transport.close(),
  };
}

export const knownFrom = ({ generation, make, model }: Identity): Known => ({
  ...(generation !== undefined && { generation }),
  ...(make !== undefined && { make }),
  ...(model !== undefined && { model }),
});
