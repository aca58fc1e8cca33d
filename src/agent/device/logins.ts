// The login that goes along with the requests to one device: which one it is, and whether it may be sent. It keeps no
// login and tries none itself.
import type { Clock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import { covers, type ScanRanges } from '../../base/net/ranges.ts';
import { Secret } from '../../base/secrets.ts';
import type { Known } from '../../driver/contract.ts';
import type { LoadedDriver } from '../../driver/load/loaded-driver.ts';
import type { VisitMemory } from '../../driver/visit/memory.ts';
import type { Login, MinerLink } from '../../transport/request.ts';
import type { Transport } from '../../transport/transport.ts';
import { withTrial } from './login-attempts.ts';
import { LoginTrials, type Trial } from './login-trials.ts';
import { GivenLogins } from './passwords/given-logins.ts';
import { type Chosen, KeptLogins, plainOf } from './passwords/kept-logins.ts';
import type { KeptRole } from './passwords/kept-password.ts';
import { PasswordChanges } from './passwords/password-changes.ts';
import type { Found, PasswordRows } from './passwords/password-rows.ts';
import type { DeviceTrust } from './trust/device-trust.ts';
import { WITHHELD_TEXT, type Withheld } from './trust/rules.ts';

/** A miner as far as reaching it needs to know: where it is, which driver, and what earlier visits left. */
export type MinerTarget = {
  readonly ip: string;
  readonly driver: LoadedDriver;
  readonly known: Known;
  readonly memory: VisitMemory;
};

/** The first rule that fits counts; it has `family`, `ranges` or both. */
export type LoginRule = { readonly family?: string; readonly ranges?: ScanRanges; readonly login: Login };

export type Credentials = { readonly factoryDefaults: boolean; readonly logins: readonly LoginRule[] };

export const ruleFor = (logins: readonly LoginRule[], driverId: string, ip: string): LoginRule | undefined =>
  logins.find(
    ({ family, ranges }) =>
      (family === undefined || family === driverId) && (ranges === undefined || covers(ranges, ip)),
  );

type LoginParts = {
  readonly clock: Clock;
  readonly link: Transport['link'];
  readonly credentials: () => Credentials;
  readonly trust: DeviceTrust;
  /** That tasks have set. */
  readonly passwords: PasswordRows;
  /** What encrypts those. */
  readonly keyFile: () => string;
  /** Asks the device who it is where it may be another one than it was. Throws PeerError where it does not answer. */
  readonly confirm: (target: MinerTarget, signal: AbortSignal | undefined) => Promise<void>;
};

/** `source` = which rules hold for it. */
type Usual = { readonly login: Login; readonly source: 'configured' | 'factory' };

export class Logins {
  readonly #parts: LoginParts;
  readonly #trust: DeviceTrust;
  readonly #trials: LoginTrials;
  readonly #kept: KeptLogins;
  /** Changes of the passwords of devices. */
  readonly passwords: PasswordChanges<MinerTarget>;
  /** Logins that people enter for devices. */
  readonly given: GivenLogins;
  /** Memories of visits whose login was withheld. */
  readonly #withheldFrom = new WeakSet<VisitMemory>();

  constructor(parts: LoginParts) {
    const { clock, trust, passwords: rows, keyFile } = parts;
    const trials = new LoginTrials(clock, trust);
    const kept = new KeptLogins(rows, trust, trials);
    this.#parts = parts;
    this.#trust = trust;
    this.#trials = trials;
    this.#kept = kept;
    this.given = new GivenLogins({ rows, kept, trust, trials, keyFile });
    this.passwords = new PasswordChanges({ rows, kept, trust, trials, logins: this, keyFile });
  }

  /** Requests that need a login get it where the rules allow it. `isCommand` = a person waits for it. */
  linkFor(target: MinerTarget, isCommand = false): MinerLink {
    const { driver, ip } = target;
    if (driver.login.kind === 'none') return this.#linkWith(target);
    const usual = this.#usualOf(target);
    const chosen = this.#kept.chosen(target, usual && plainOf(usual.login));
    const source = chosen === undefined ? usual?.source : 'configured';
    const why = source && this.#trust.why(ip, driver.id, source);
    const isWithheld = why !== undefined && why !== 'refused-before';
    this.#noteWithheld(target, isWithheld);
    if (chosen !== undefined) {
      const { login, role } = chosen;
      if (why !== undefined) return this.#linkWith(target);
      return this.#tryKept(target, chosen, this.#trials.ofConfigured(target, login, isCommand, role), 'configured');
    }
    if (usual === undefined) return this.#linkWith(target);
    const { login, source: itsSource } = usual;
    const isConfigured = itsSource === 'configured';
    if (isConfigured ? why !== undefined : isWithheld) return this.#linkWith(target);
    const trials = this.#trials;
    const trial = isConfigured ? trials.ofConfigured(target, login, isCommand) : trials.ofFactory(target);
    return this.#tryKept(target, { found: this.#kept.find(target), role: 'usual', login }, trial, itsSource);
  }

  /** What is tried there now; without a login where the device has refused all that are known. */
  inForce(target: MinerTarget) {
    const usual = this.#usualOf(target);
    const plain = usual && plainOf(usual.login);
    const chosen = this.#kept.chosen(target, plain);
    if (chosen !== undefined) return { chosen, login: plainOf(chosen.login) };
    const { ip, driver } = target;
    const isRefused =
      usual?.source === 'factory'
        ? this.#trust.why(ip, driver.id, 'factory') !== undefined
        : usual !== undefined && this.#trials.isRefused(target, usual.login, '');
    return { chosen, login: isRefused ? undefined : plain };
  }

  /**
   * For a question behind the login, of another family that looks like the target's from outside: with the login that
   * is configured for that family, else with the target's own. Undefined where no login may be sent: the question would
   * answer nothing.
   */
  linkBehindLogin(target: MinerTarget, other: LoadedDriver): MinerLink | undefined {
    const ownRule = this.#ruleOf(target);
    const rule = this.#ruleOf({ ...target, driver: other });
    const { ip, driver } = target;
    const isKept = this.#kept.find(target) !== undefined;
    if (isKept || rule === undefined || rule === ownRule) {
      const hasLogin =
        driver.login.kind !== 'none' && (isKept || rule !== undefined || this.#factoryLoginOf(target) !== undefined);
      return hasLogin && this.#withheldOf(target) === undefined ? this.linkFor(target) : undefined;
    }
    if (this.#trust.why(ip, driver.id, 'configured') !== undefined) return undefined;
    const trial = this.#trials.ofConfigured({ ip, driver: other }, rule.login, false);
    return this.#tryWith(target, rule.login, trial, 'configured');
  }

  /** The device accepted the factory login. */
  usesFactoryLogin(target: MinerTarget): boolean {
    if (target.driver.login.kind === 'none' || this.#sourceOf(target) !== 'factory') return false;
    return this.#trials.isFactoryAccepted(target);
  }

  /** Throws PeerError where the device may not be changed, or a person must accept it before it gets its login. */
  mustBeChangeable(target: MinerTarget, what: string): void {
    const { driver, ip } = target;
    const isConfigured = driver.login.kind !== 'none' && this.#sourceOf(target) === 'configured';
    const why = this.#trust.why(ip, driver.id, isConfigured ? 'configured' : 'change');
    if (why === undefined) return;
    const remedy = why === 'contested' ? 'find the other one' : 'pithead trust list';
    const message = `${what} ${ip}: nothing that changes it is sent, because ${WITHHELD_TEXT[why]}; ${remedy}`;
    throw new PeerError('peer.auth', message, 'later', undefined, { wasSent: false });
  }

  forgetRefusals(ip: string, drivers: readonly LoadedDriver[]): void {
    this.#trials.forgetRefusals(ip, drivers);
  }

  #ruleOf({ driver, ip }: MinerTarget): LoginRule | undefined {
    return ruleFor(this.#parts.credentials().logins, driver.id, ip);
  }

  #factoryLoginOf({ driver: { login }, known: { generation } }: MinerTarget) {
    if (!this.#parts.credentials().factoryDefaults) return undefined;
    return login.factoryDefaultOf?.[generation ?? ''] ?? login.factoryDefault;
  }

  #usualOf(target: MinerTarget): Usual | undefined {
    const rule = this.#ruleOf(target);
    if (rule !== undefined) return { login: rule.login, source: 'configured' };
    const factory = this.#factoryLoginOf(target);
    if (factory === undefined) return undefined;
    return { login: { user: factory.user, password: new Secret(factory.password) }, source: 'factory' };
  }

  /** Which rules hold for the login that is tried there now; undefined = there is none. */
  #sourceOf(target: MinerTarget): Usual['source'] | undefined {
    const usual = this.#usualOf(target);
    return this.#kept.chosen(target, usual && plainOf(usual.login)) === undefined ? usual?.source : 'configured';
  }

  #withheldOf(target: MinerTarget): Withheld | undefined {
    const { driver, ip } = target;
    const source = driver.login.kind === 'none' ? undefined : this.#sourceOf(target);
    return source && this.#trust.why(ip, driver.id, source);
  }

  /** With what the device says of this login noted, where `found` is kept of it. */
  #tryKept(
    target: MinerTarget,
    {
      found,
      role,
      login,
    }: Omit<Chosen, 'found' | 'role'> & {
      readonly found: Found | undefined;
      readonly role: KeptRole | 'usual';
    },
    trial: Trial,
    source: Usual['source'],
  ): MinerLink {
    const kept = this.#kept;
    let isNoted = found === undefined;
    const onTaken = () => {
      trial.isTaken = true;
      if (found !== undefined && !isNoted) kept.taken(target, found, role, plainOf(login));
      isNoted = true;
    };
    const link = this.#tryWith(target, { ...login, onTaken }, trial, source);
    if (found === undefined) return link;
    return {
      ip: link.ip,
      async send(...request) {
        const before = trial.verdict;
        try {
          return await link.send(...request);
        } finally {
          const isRefused = before !== 'refused' && trial.verdict === 'refused';
          if (isRefused && trial.sentMs > Number.NEGATIVE_INFINITY) kept.refused(found, role);
        }
      },
    };
  }

  /** What was refused for want of a login is asked again as soon as there is one. */
  #noteWithheld({ memory }: MinerTarget, isWithheld: boolean): void {
    if (isWithheld) this.#withheldFrom.add(memory);
    else if (this.#withheldFrom.delete(memory)) memory.isStale = true;
  }

  /** To the device that was asked who it is: over TLS the transport asks no other one. */
  #linkWith({ ip }: MinerTarget, login?: Login): MinerLink {
    return this.#parts.link(ip, login, this.#trust.tlsKeyOf(ip));
  }

  /**
   * With the realm that the device had when it was identified: the transport answers no challenge of another realm.
   * Before the login goes out again the device is asked once more who it is, where nothing else shows that it is the
   * same.
   */
  #tryWith(target: MinerTarget, login: Login, trial: Trial, source: Usual['source']): MinerLink {
    const { ip, driver } = target;
    const realm = this.#trust.realmOf(ip);
    const beforeSending = async (signal: AbortSignal | undefined) => {
      await this.#parts.confirm(target, signal);
      const why = this.#trust.why(ip, driver.id, source);
      if (why !== undefined && why !== 'refused-before')
        throw new PeerError('peer.unreachable', `log in to ${ip}: not sent, because ${WITHHELD_TEXT[why]}`, 'later');
      trial.sentMs = this.#parts.clock.monotonicMs();
      trial.sends++;
    };
    const guarded = { ...login, beforeSending, ...(realm !== undefined && { realm }) };
    return withTrial(this.#linkWith(target, guarded), trial);
  }
}
