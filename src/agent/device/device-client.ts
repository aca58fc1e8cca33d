// Reaching one miner: recognise it, read it, act on it; with its login, one exchange at a time, within deadlines. The
// agent's modules and the technician's commands go through here. It keeps no registry and does not decide when.
import type { Clock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { ScanRanges } from '../../base/net/ranges.ts';
import type { AbilityName, Evidence, FirmwareImage, Known } from '../../driver/contract.ts';
import type { DriverMatch } from '../../driver/identify.ts';
import type { DriverSet } from '../../driver/load/driver-set.ts';
import type { LoadedDriver } from '../../driver/load/loaded-driver.ts';
import { VisitMemory } from '../../driver/visit/memory.ts';
import type { PlainLogin } from '../../transport/request.ts';
import type { Recorder } from '../../transport/tcp/recorder.ts';
import { createTransport } from '../../transport/transport.ts';
import { Identification } from './identification.ts';
import { type Credentials, Logins, type MinerTarget, ruleFor } from './logins.ts';
import type { GivenTrial } from './passwords/given-logins.ts';
import { passwordActs } from './passwords/password-acts.ts';
import { createQuestions } from './questions.ts';
import { Recognition } from './recognition.ts';
import { targetMaker } from './targets.ts';
import { DeviceTrust, type TrustParts } from './trust/device-trust.ts';
import { type PollSettings, visitWithLogin } from './visits.ts';

export type { LoginRule, MinerTarget } from './logins.ts';
export type { Recognised } from './recognised.ts';
export { knownFrom } from './targets.ts';

export type DeviceClient = ReturnType<typeof createDeviceClient>;

/** Read with each exchange: they may change while the agent runs. Times in ms. */
export type DeviceSettings = {
  readonly portMap: ReadonlyMap<number, number>;
  /** The networks that the configuration names. */
  readonly ranges: ScanRanges;
  readonly credentials: Credentials & { readonly trust: 'pinned' | 'network'; readonly keyFile: string };
  readonly poll: PollSettings;
};

type DeviceClientOptions = {
  readonly clock: Clock;
  readonly log: Log;
  readonly drivers: DriverSet;
  readonly config: DeviceSettings;
  /** Addresses that may be reached at all. */
  readonly mayReach: (ip: string) => boolean;
  /** The driver of the registered miner at this address: it stays one while its proof is missing for a moment. */
  readonly driverOnRecord?: (ip: string) => string | undefined;
  /** Who may get a login; shared by all that reach miners from this process. */
  readonly trust: TrustSources;
  /** Listens to every answer. */
  readonly recorder?: Recorder;
};

/** The code that opened `record` closes it. */
export type TrustSources = Pick<TrustParts, 'record' | 'neighbourAt' | 'mayLogIn'>;

/** Poll intervals for which a question or a visit counts as recent: polls have jitter, and may be late. */
const RECENT_INTERVALS = 1.5;

export function createDeviceClient(options: DeviceClientOptions) {
  const { clock, log, drivers, config, mayReach, driverOnRecord, recorder } = options;
  const { record } = options.trust;
  const transport = createTransport({ clock, log, portMap: config.portMap, mayReach, ...(recorder && { recorder }) });
  const questions = createQuestions({
    ...{ clock, drivers },
    recentMs: () => RECENT_INTERVALS * config.poll.interval,
  });
  const link = (...to: Parameters<typeof transport.link>) => questions.noted(transport.link(...to));
  const coveredBy = (driverId: string, ip: string): 'family' | 'range' | undefined => {
    // A password that a task has set is for this device alone.
    if (record.passwords.of(trust.keptAs(ip)) !== undefined) return 'family';
    const rule = ruleFor(config.credentials.logins, driverId, ip);
    return rule && (rule.family === undefined ? 'range' : 'family');
  };
  const trust: DeviceTrust = new DeviceTrust({ ...options.trust, clock, settings: config, coveredBy });
  const logins: Logins = new Logins({
    ...{ clock, link, trust, credentials: () => config.credentials, passwords: record.passwords },
    keyFile: () => config.credentials.keyFile,
    confirm: (target, signal) => identification.confirm(target, signal),
  });
  const newTarget = targetMaker();
  const identification: Identification = new Identification({
    ...{ clock, drivers, trust, questions, logins, newTarget, link, driverOnRecord },
  });
  const visitParts = { clock, settings: config, trust, questions, logins, identification };
  const visit = visitWithLogin.bind(undefined, visitParts);
  const { deviceMutex } = transport;
  const recognition = new Recognition({
    ...{ clock, drivers, settings: config, deviceMutex, trust, questions, identification, newTarget, link, visit },
  });
  const asCommand = <T>({ ip }: MinerTarget, signal: AbortSignal, work: () => Promise<T>) =>
    deviceMutex.run(ip, 'command', signal, work);

  return {
    transport,
    drivers,
    /** The caller holds the device mutex. */
    selectDriver: (ip: string, evidence: Evidence, signal: AbortSignal) =>
      identification.selectDriver(ip, evidence, { signal, identifying: questions.identifying(ip) }),
    /** Whether a device is more than a hint: a capture asks it what a driver asks. */
    isLasting: async (ip: string, match: DriverMatch, evidence: Evidence) =>
      (await identification.lasting(ip, match, evidence)) !== undefined,
    recognise: recognition.recognise.bind(recognition),
    /** Throws PeerError when nothing at all was answered. */
    read: (target: MinerTarget, signal: AbortSignal, priority: 'poll' | 'command' = 'poll', deadlineMs?: number) =>
      deviceMutex.run(target.ip, priority, signal, () => visit(target, signal, { deadlineMs })),
    /** The same as a command, every question asked and nothing taken from memory: what it reports is true now. */
    readFresh: (target: MinerTarget, signal: AbortSignal) =>
      asCommand(target, signal, () => visit(target, signal, { memory: new VisitMemory() })),
    /** With the miner's login, which is tried once. The caller holds the device mutex. */
    linkFor: (target: MinerTarget) => logins.linkFor(target),
    /** Devices that were met until now are on disk afterwards, as far as the disk takes them. */
    writeMet: () => record.flush(),
    /** For programs that keep no journal: an agent that starts later knows by it who caused the restart. */
    noteRestart: (ip: string) => record.commandRestarts.note(trust.namesOf(ip)),
    commandRestarts: (ip: string) => record.commandRestarts.of(trust.namesOf(ip), clock.elapsedMs()),
    /** Why the record of login attempts cannot be used; then no factory login is tried. */
    trustFault: () => record.fault(),
    /**
     * Passwords that operators and tasks have set, of all miners: one that looked like another family may have got the
     * other's.
     */
    secrets: (): string[] => [
      ...config.credentials.logins.map(({ login }) => login.password.reveal()),
      ...record.passwords.all(),
    ],
    givenLogins: {
      whyNot: () => logins.given.whyNot,
      begin: (ip: string, login: PlainLogin) => logins.given.begin(ip, login, drivers.all),
      end: (trial: GivenTrial) => logins.given.end(trial),
      /** In words; undefined = the rules of trust let a login go there. */
      withheld: (ip: string) => trust.whyNoLogin(ip),
    },
    act: actWith({ logins, asCommand, identification, questions }),
    ...passwordActs({ logins, asCommand, identification, questions }),
    targetOf(ip: string, driverId: string, known: Known): MinerTarget | undefined {
      const driver = drivers.get(driverId);
      return driver && newTarget(ip, driver, known);
    },
    /** Another unit stands at this address now: logins that the one before refused are tried again. */
    forgetRefusals: (ip: string) => logins.forgetRefusals(ip, drivers.all),
    close: () => transport.close(),
  };
}

/** One write, before anything else that waits for this miner. The next visit asks everything again. */
const actWith =
  ({ logins, asCommand, identification, questions }: Parameters<typeof passwordActs>[0] & Acting) =>
  (target: MinerTarget, name: AbilityName, params: unknown, signal: AbortSignal, image?: FirmwareImage) =>
    asCommand(target, signal, async () => {
      const { ip, driver, known, memory } = target;
      const ability = driver.abilities[name];
      if (ability === undefined)
        throw new PeerError(
          'peer.unsupported',
          `${name} on ${ip}: driver ${driver.id} ${whyNot(driver, name)}`,
          'never',
        );
      const isChange = ability.effect !== 'read-only';
      if (isChange || driver.login.kind !== 'none')
        await identification.askAgain(target, { signal, identifying: questions.identifying(ip) });
      if (isChange) {
        await identification.confirm(target, signal);
        logins.mustBeChangeable(target, name);
        memory.isStale = true;
      }
      const given = ability.params.parse(params);
      if (name !== 'password') return ability.act(logins.linkFor(target, true), given, known, image);
      return logins.passwords.change(target, given, (link) => ability.act(link, given, known));
    });
type Acting = { readonly identification: Pick<Identification, 'askAgain' | 'confirm'> };

const whyNot = ({ id, withheld }: LoadedDriver, name: AbilityName): string =>
  withheld?.includes(name)
    ? `only reads until the configuration allows more: drivers.${id}.allow: [${name}]`
    : 'cannot do it';
