// Reaching one miner: recognise it, read it, act on it; with its login, its turn and its deadlines. The agent's organs and the technician's
// commands go through here. It keeps no registry and decides nothing about when.
import type { Clock } from '../../base/clock.ts';
import { type PeerCode, PeerError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { ScanRanges } from '../../base/net/ranges.ts';
import type {
  AbilityName,
  Driver,
  Evidence,
  FirmwareImage,
  Identity,
  Known,
  MinerLink,
} from '../../driver/contract.ts';
import {
  type DriverMatch,
  gatherEvidence,
  IDENTIFY_DEADLINE_MS,
  matchDriver,
  SCAN_PORTS,
} from '../../driver/identify.ts';
import { VisitMemory } from '../../driver/memory.ts';
import { type VisitOutcome, visit } from '../../driver/visit.ts';
import { HTTP_PORT } from '../../transport/http/ask.ts';
import type { Recorder } from '../../transport/tcp/recorder.ts';
import { createTransport } from '../../transport/transport.ts';
import { type Credentials, createLogins, type MinerTarget, ruleFor } from './logins.ts';
import { createQuestions, type Identifying } from './questions.ts';
import type { Recognised } from './recognised.ts';
import { createDeviceTrust, type TrustParts } from './trust/device-trust.ts';

export type { LoginRule, MinerTarget } from './logins.ts';
export type { Recognised } from './recognised.ts';

export type DeviceClient = ReturnType<typeof createDeviceClient>;

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

type DeviceClientOptions = {
  readonly clock: Clock;
  readonly log: Log;
  readonly drivers: readonly Driver[];
  readonly config: DeviceSettings;
  /** Addresses that may be reached at all. */
  readonly mayReach: (ip: string) => boolean;
  /** The driver of the miner that stands on record at this address: it stays one while its proof is missing for a moment. */
  readonly driverOnRecord?: (ip: string) => string | undefined;
  /** Who may get a login; shared by all that reach miners from this process. */
  readonly trust: TrustSources;
  /** Listens to every answer. */
  readonly recorder?: Recorder;
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
const GONE: ReadonlySet<PeerCode> = new Set(['peer.timeout', 'peer.refused', 'peer.unreachable', 'peer.reset']);
/** Poll intervals for which a question or a visit counts as recent: polls come with jitter, and a little late on a busy host. */
const RECENT_INTERVALS = 1.5;
/** Multiples of it fall evenly between 0 and 1, however many there are. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

export function createDeviceClient({
  clock,
  log,
  drivers,
  config,
  mayReach,
  driverOnRecord,
  trust: sources,
  recorder,
}: DeviceClientOptions) {
  const transport = createTransport({ clock, log, portMap: config.portMap, mayReach, ...(recorder && { recorder }) });
  const coveredBy = (driverId: string, ip: string) => {
    const rule = ruleFor(config.credentials.logins, driverId, ip);
    return rule && (rule.family === undefined ? 'range' : 'family');
  };
  const trust = createDeviceTrust({ ...sources, clock, settings: config, coveredBy });
  const recentMs = () => RECENT_INTERVALS * config.poll.interval;
  const questions = createQuestions({ clock, drivers, recentMs });
  const linkOf = (...to: Parameters<typeof transport.link>) => questions.noted(transport.link(...to));
  const logins = createLogins({
    clock,
    link: linkOf,
    credentials: () => config.credentials,
    trust,
    confirm: (target, signal) => confirm(target, signal),
  });
  let memories = 0;
  const newMemory = () => new VisitMemory((memories++ * GOLDEN) % 1);

  const visitOnce = async (
    target: MinerTarget,
    signal: AbortSignal,
    { memory = target.memory, deadlineMs = config.poll.deadline, identifying = questions.identifying(target.ip) } = {},
  ): Promise<VisitOutcome> => {
    const { driver, known, ip } = target;
    const visited = (status: 'identified' | 'login_refused' | 'failed') =>
      questions.visited(ip, { driverId: driver.id, status });
    const rhythms = { slowMs: config.poll.interval * config.poll.slowEvery, staticMs: config.poll.staticEvery };
    const startMs = clock.monotonicMs();
    let hasAnswered = false;
    let isGone = false;
    // The error of the visit may be an older one, of a question that was refused and is not asked for now.
    const heard = (link: MinerLink): MinerLink => ({
      ip,
      async send(request, limits) {
        try {
          const answer = await link.send(request, limits);
          hasAnswered = true;
          return answer;
        } catch (error) {
          if (error instanceof PeerError && error.code === 'peer.tls-key') trust.lost(ip);
          if (error instanceof PeerError && GONE.has(error.code)) isGone = true;
          else hasAnswered ||= error instanceof PeerError && error.wasSent !== false;
          throw error;
        }
      },
    });
    try {
      // What is known by a key answers to no other one until it is asked again.
      if (driver.login.kind !== 'none' || trust.tlsKeyOf(ip) !== undefined) await askAgain(target, signal, identifying);
      const leftMs = deadlineMs - (clock.monotonicMs() - startMs);
      const link = identifying.completed(heard(logins.linkFor(target)));
      const outcome = await visit({ driver, link, known, memory, rhythms, clock, signal, deadlineMs: leftMs });
      visited(outcome.isLoginRefused ? 'login_refused' : 'identified');
      return logins.usesFactoryLogin(target) ? { ...outcome, isFactoryLogin: true } : outcome;
    } catch (error) {
      visited(error instanceof PeerError && error.code === 'peer.auth' ? 'login_refused' : 'failed');
      if (isGone && !hasAnswered) trust.lost(ip);
      throw error;
    }
  };

  /** The device is asked who it is, where it may be another one than it was. The caller holds the turn. Throws PeerError when it does not answer. */
  const askAgain = async (
    { ip, driver }: MinerTarget,
    signal: AbortSignal,
    identifying = questions.identifying(ip),
  ): Promise<void> => {
    if (!trust.mustAskAgain(ip, driver.id)) return;
    await selectDriver(ip, await askWho(ip, signal, identifying), signal, { identifying });
  };

  /** The same in the middle of a visit, just before a login goes out anew: no question behind the login. */
  const confirm = async ({ ip }: MinerTarget, signal: AbortSignal | undefined): Promise<void> => {
    if (trust.mustConfirm(ip)) meet(ip, await askWho(ip, signal, questions.identifying(ip)));
  };

  const askWho = async (ip: string, signal: AbortSignal | undefined, identifying: Identifying): Promise<Evidence> => {
    const { evidence, failures } = await gatherEvidence(identifying.heardByProbe(linkOf(ip)), new Set(SCAN_PORTS), {
      ...{ clock, deadlineMs: ASK_AGAIN_MS, ...(signal && { signal }) },
    });
    const { version, web, whatsminer3, api4028 } = evidence;
    const isSilent = [version, web, whatsminer3, api4028].every((answer) => answer === undefined);
    if (isSilent && failures[0] !== undefined) {
      trust.lost(ip);
      throw failures[0];
    }
    return evidence;
  };

  /**
   * The driver for what was found, after a question behind the login where families look alike. The caller holds the turn.
   */
  const selectDriver = async (
    ip: string,
    evidence: Evidence,
    signal: AbortSignal,
    {
      expected,
      identifying = questions.identifying(ip),
    }: { expected?: string | undefined; identifying?: Identifying } = {},
  ): Promise<DriverMatch | undefined> => {
    const met = meet(ip, evidence, expected);
    if (met === undefined) return undefined;
    const { likely, seen, before } = met;
    const told = await resolveLookAlikes(ip, likely, evidence, { signal, identifying });
    if (told.driver.id !== before) trust.saw(ip, { ...seen, driverId: told.driver.id });
    return told;
  };

  /** What the device shows without a login is what is known of it from now on. */
  const meet = (ip: string, evidence: Evidence, expected?: string) => {
    const likely = likelyBy(ip, evidence);
    if (likely === undefined) {
      trust.doubt(ip);
      return undefined;
    }
    const { driver } = likely;
    // What it proved a moment ago is not asked for again.
    const isProven = expected === driver.id && trust.isSure(ip, driver.id);
    const identity = isProven ? { ...likely.identity, confidence: 'sure' as const } : likely.identity;
    const before = trust.driverOf(ip, driver.id) ?? driver.id;
    const lookAlikes = drivers.flatMap(({ id, afterLogin }) => (afterLogin?.mayBe(evidence) ? [id] : []));
    const isReadByWeb = Object.values(driver.asks).some(
      (ask) => ask.via === 'http' && (ask.port ?? HTTP_PORT) === HTTP_PORT,
    );
    const seen = { identity, evidence, family: driver.id, lookAlikes, isReadByWeb };
    trust.saw(ip, { ...seen, driverId: before });
    return { likely, seen, before };
  };

  const likelyBy = (ip: string, evidence: Evidence) => vouchedFor(ip, evidence) ?? matchDriver(drivers, evidence);

  /** A person said what it is, where it gives no proof itself and no other family is sure of it. */
  const vouchedFor = (ip: string, evidence: Evidence): DriverMatch | undefined => {
    const shown = matchDriver(drivers, evidence);
    if (shown === undefined || shown.identity.confidence === 'sure') return undefined;
    const driver = drivers.find(({ id }) => id === trust.vouchedFor(ip, shown.identity));
    if (driver === undefined) return undefined;
    return { driver, identity: driver.identify(evidence) ?? { confidence: 'likely', make: driver.make } };
  };

  /**
   * Families that look like the likely one from outside each have one question. It goes with the login configured for them, else with that of the
   * likely family, whose refusal counts as its own: no device gets a second password for the sake of a question.
   */
  const resolveLookAlikes = async (
    ip: string,
    likely: DriverMatch,
    evidence: Evidence,
    { signal, identifying }: { readonly signal: AbortSignal; readonly identifying: Identifying },
  ): Promise<DriverMatch> => {
    for (const driver of drivers) {
      const { afterLogin } = driver;
      if (driver === likely.driver || !afterLogin?.mayBe(evidence)) continue;
      const known = knownFrom(likely.identity);
      const own: MinerTarget = { ip, driver: likely.driver, known, memory: newMemory() };
      const link = logins.linkBehindLogin(own, driver);
      if (link === undefined) continue;
      try {
        const answer = await identifying.heard(link).send(afterLogin.ask, { deadlineMs: SETTLE_MS, signal });
        const identity = afterLogin.identify(answer);
        if (identity !== undefined) return { driver, identity };
      } catch (error) {
        if (!(error instanceof PeerError)) throw error;
      }
    }
    return likely;
  };

  /**
   * Stage two of a scan: who is it, and everything that it says. Never throws for what the peer does, only CancelledError. Whoever does not say that
   * there will be another try gets all the patience. Its questions and its visit take a turn each, so that an order waits for one of them and not for
   * both. `isGentle` = no person waits for it: no question and no visit of the last while is repeated, and what was read then stands.
   */
  const recognise = async (
    ip: string,
    openPorts: ReadonlySet<number>,
    signal: AbortSignal,
    isLastTry = true,
    isGentle = false,
  ): Promise<Recognised> => {
    const endMs = clock.monotonicMs() + IDENTIFY_DEADLINE_MS;
    if (!isGentle) trust.reread();
    const inTurn = <T>(work: () => Promise<T>) => transport.deviceMutex.run(ip, 'scan', signal, work);
    const identifying = questions.identifying(ip, isGentle);
    const lastVisit = () => (isGentle ? questions.visitOf(ip) : undefined);
    const { evidence, choice } = await inTurn(async () => {
      const last = lastVisit();
      const expected = last?.status === 'failed' ? undefined : last?.driverId;
      const { evidence: shown, failures } = await gatherEvidence(identifying.heardByProbe(linkOf(ip)), openPorts, {
        ...{ clock, signal, expected, isLastTry: isLastTry || isGentle },
      });
      if (expected !== undefined && (failures.length > 0 || isToldAs(ip, shown, expected))) {
        return { evidence: shown, choice: standing(expected, shown) };
      }
      // Half of the answers may name the wrong family.
      if (identifying.hasSpared) return { evidence: shown };
      return { evidence: shown, choice: await selectDriver(ip, shown, signal, { expected, identifying }) };
    });
    if (choice === undefined) return { status: 'unknown', evidence };
    const lasting = lastingBy(ip, choice, evidence);
    const { driver, identity } = lasting ?? choice;
    const target: MinerTarget = { ip, driver, known: knownFrom(identity), memory: newMemory() };
    const found = { target, identity, evidence };
    if (lasting === undefined) return { ...found, status: 'likely' };
    const visitNow = async (): Promise<Recognised> => {
      const last = lastVisit();
      if (last?.driverId === driver.id) return { ...found, status: statusOf(last.status === 'login_refused') };
      const leftMs = Math.max(LEAST_VISIT_MS, endMs - clock.monotonicMs() - LEAST_VISIT_MS);
      const deadlineMs = Math.min(config.poll.deadline, leftMs);
      const outcome = await visitOnce(target, signal, { deadlineMs, identifying });
      return { ...found, status: statusOf(outcome.isLoginRefused), outcome };
    };
    try {
      return await inTurn(visitNow);
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      return { ...found, status: statusOf(error.code === 'peer.auth') };
    }
  };

  /** Undefined where it gives no proof, no person said what it is, and no miner stands on record there. */
  const lastingBy = (ip: string, choice: DriverMatch, evidence: Evidence): DriverMatch | undefined => {
    const { driver, identity } = choice;
    if (identity.confidence !== 'likely' || trust.vouchedFor(ip, identity) === driver.id) return choice;
    if (questions.visitOf(ip)?.driverId === driver.id) return choice;
    const onRecord = driverOnRecord?.(ip);
    return onRecord === undefined ? undefined : standing(onRecord, evidence);
  };

  /** The answers show what was read a moment ago, and no question behind the login is open. */
  const isToldAs = (ip: string, evidence: Evidence, expected: string): boolean => {
    const likely = likelyBy(ip, evidence)?.driver.id;
    if (likely === undefined) return false;
    if (likely !== expected) return trust.driverOf(ip, likely) === expected;
    return !drivers.some(({ id, afterLogin }) => id !== likely && afterLogin?.mayBe(evidence));
  };

  const standing = (driverId: string, evidence: Evidence): DriverMatch | undefined => {
    const driver = drivers.find(({ id }) => id === driverId);
    return driver && { driver, identity: driver.identify(evidence) ?? { confidence: 'likely', make: driver.make } };
  };

  return {
    transport,
    drivers,
    selectDriver,
    /** Whether a device is more than a hint: a capture asks it what a driver asks. */
    isLasting: (ip: string, choice: DriverMatch, evidence: Evidence) => lastingBy(ip, choice, evidence) !== undefined,
    recognise,
    /** One visit in the miner's turn. Throws PeerError when nothing at all was answered. */
    read: (target: MinerTarget, signal: AbortSignal, priority: 'poll' | 'command' = 'poll', deadlineMs?: number) =>
      transport.deviceMutex.run(target.ip, priority, signal, () => visitOnce(target, signal, { deadlineMs })),
    /** The same as a command, every question asked and nothing taken from memory: what it says is true now. */
    readFresh: (target: MinerTarget, signal: AbortSignal) =>
      transport.deviceMutex.run(target.ip, 'command', signal, () =>
        visitOnce(target, signal, { memory: new VisitMemory() }),
      ),
    /** With the miner's login, held to its trial. The caller holds the turn. */
    linkFor: (target: MinerTarget) => logins.linkFor(target),
    /** Who was met until now is on disk afterwards, as far as the disk takes it. */
    writeMet: () => sources.record.flush(),
    /** For programs that keep no journal: an agent that comes later knows by it whose restart it was. */
    noteRestart: (ip: string) => sources.record.orderedRestarts.note(trust.heldAs(ip)),
    orderedRestarts: (ip: string) => sources.record.orderedRestarts.of(trust.heldAs(ip), clock.elapsedMs()),
    /** Why the record of login attempts cannot be used; then no factory login is tried. */
    trustFault: () => trust.fault(),
    /** Passwords that an operator has set, of whichever miners: one that looked like another family may have got the other's. */
    secrets: (): string[] => config.credentials.logins.map(({ login }) => login.password.reveal()),
    /** One write, before anything else that waits for this miner. What earlier visits learned is asked again with the next one. */
    act(target: MinerTarget, abilityName: AbilityName, params: unknown, signal: AbortSignal, image?: FirmwareImage) {
      return transport.deviceMutex.run(target.ip, 'command', signal, async () => {
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
          await confirm(target, signal);
          logins.mustBeChangeable(target, abilityName);
          target.memory.isStale = true;
        }
        return ability.act(logins.linkFor(target, true), ability.params.parse(params), target.known, image);
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

const statusOf = (isLoginRefused: boolean) => (isLoginRefused ? 'login_refused' : 'identified');

export const knownFrom = ({ generation, make, model }: Identity): Known => ({
  ...(generation !== undefined && { generation }),
  ...(make !== undefined && { make }),
  ...(model !== undefined && { model }),
});
