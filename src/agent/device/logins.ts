// The login that goes along with the requests to one device: which one it is, whether it may be sent, and how often it is tried.
// A login that a device refused is not tried there again for a day, whatever program of this host asks: one of the factory at all, one of the
// configuration until it is another one there.
import { hash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import { covers, type ScanRanges } from '../../base/net/ranges.ts';
import { Secret } from '../../base/secrets.ts';
import type { Driver, Known } from '../../driver/contract.ts';
import type { VisitMemory } from '../../driver/memory.ts';
import { BoundedMap } from '../../transport/limits/bounded-map.ts';
import type { Login, MinerLink } from '../../transport/request.ts';
import type { Transport } from '../../transport/transport.ts';
import { type LoginTrial, newTrial, withTrial } from './login-attempts.ts';
import type { DeviceTrust } from './trust/device-trust.ts';
import { CONFIGURED } from './trust/record/attempts.ts';
import { WITHHELD_TEXT, type Withheld } from './trust/rules.ts';

/** A miner as far as reaching it needs to know: where it is, which driver, and what earlier visits left. */
export type MinerTarget = {
  readonly ip: string;
  readonly driver: Driver;
  readonly known: Known;
  readonly memory: VisitMemory;
};

/** The first rule that fits counts; it has `family`, `ranges` or both. */
export type LoginRule = { readonly family?: string; readonly ranges?: ScanRanges; readonly login: Login };

export type Credentials = { readonly factoryDefaults: boolean; readonly logins: readonly LoginRule[] };

/** While nothing can be remembered on disk, a refused configured login is not tried again for this long by visits. Orders try at once. */
const REFUSED_HOLD_MS = 10 * 60_000;
/** Devices whose logins are remembered. */
const MAX_TRIALS = 100_000;

/** `sentMs` = when it went out last, monotonic. */
type Trial = LoginTrial & { sentMs: number };
type StartedTrial = { readonly trial: Trial; readonly startedMs: number };

export const ruleFor = (logins: readonly LoginRule[], driverId: string, ip: string): LoginRule | undefined =>
  logins.find(
    ({ family, ranges }) =>
      (family === undefined || family === driverId) && (ranges === undefined || covers(ranges, ip)),
  );

export function createLogins(parts: {
  readonly clock: Clock;
  readonly link: Transport['link'];
  readonly credentials: () => Credentials;
  readonly trust: DeviceTrust;
  /** Asks the device who it is where it may be another one than it was. Throws PeerError where it does not answer. */
  readonly confirm: (target: MinerTarget, signal: AbortSignal | undefined) => Promise<void>;
}) {
  const { clock, link, trust, credentials } = parts;
  const factoryTrials = new BoundedMap<Trial>(MAX_TRIALS);
  const configuredTrials = new BoundedMap<StartedTrial>(MAX_TRIALS);
  /** Memories of visits that had no login because it was withheld. */
  const withheldFrom = new WeakSet<VisitMemory>();

  const configuredKey = ({ driver, ip }: MinerTarget) => `${driver.id} ${ip}`;
  const factoryKey = ({ driver, ip }: MinerTarget, who = trust.heldAs(ip)) => `${driver.id} ${who.join(' ')}`;
  const ownRule = ({ driver, ip }: MinerTarget) => ruleFor(credentials().logins, driver.id, ip);

  /** A fresh trial for each visit, unless this login was refused there: what another process of this host tried counts. */
  const configuredTrial = (target: MinerTarget, login: Login, isOrder: boolean): Trial => {
    const key = configuredKey(target);
    const who = triedAs(trust.heldAs(target.ip), login);
    const held = trust.attempts.last(who, target.driver.id);
    if (held === 'refused') return trialOf({ verdict: 'refused' });
    const last = configuredTrials.get(key);
    const isYoung = last !== undefined && clock.monotonicMs() - last.startedMs < REFUSED_HOLD_MS;
    if (held === undefined && !isOrder && isYoung && last.trial.verdict === 'refused') return last.trial;
    const trial = trialOf({
      onVerdict(verdict) {
        // What was never sent was not refused.
        if (verdict === 'refused' && trial.sentMs > Number.NEGATIVE_INFINITY)
          trust.attempts.begin(who, target.driver.id);
      },
    });
    configuredTrials.set(key, { trial, startedMs: clock.monotonicMs() });
    return trial;
  };

  /** The trial of the factory login at one device. What another process of this host tried counts. */
  const factoryTrial = (target: MinerTarget): Trial => {
    const { driver, ip } = target;
    const who = trust.heldAs(ip);
    const last = trust.attempts.last(who, driver.id);
    const key = factoryKey(target, who);
    const kept = factoryTrials.get(key);
    if (last === 'refused') return trialOf({ verdict: 'refused' });
    if (kept !== undefined && kept.verdict !== 'refused' && (last === 'accepted') === (kept.verdict === 'accepted'))
      return kept;
    const trial = trialOf({
      verdict: last === 'accepted' ? 'accepted' : 'unproven',
      begin: () => trust.attempts.begin(who, driver.id),
      onVerdict: (verdict) => void trust.attempts.settle(who, driver.id, verdict),
    });
    factoryTrials.set(key, trial);
    return trial;
  };

  /**
   * With the realm that the device had when it was identified: the transport answers no challenge of another realm. Before it goes out anew the device
   * says once more who it is, where nothing else tells that it is the same.
   */
  const guarded = (target: MinerTarget, login: Login, trial: Trial): Login => {
    const { ip } = target;
    const realm = trust.realmOf(ip);
    const beforeSending = async (signal: AbortSignal | undefined) => {
      await parts.confirm(target, signal);
      const why = withheldOf(target);
      if (why !== undefined && why !== 'refused-before')
        throw new PeerError('peer.unreachable', `log in to ${ip}: not sent, because ${WITHHELD_TEXT[why]}`, 'later');
      trial.sentMs = clock.monotonicMs();
    };
    return { ...login, beforeSending, ...(realm !== undefined && { realm }) };
  };

  const trialOf = (more: Partial<LoginTrial>): Trial => {
    const trial: Trial = {
      ...newTrial(),
      ...more,
      sentMs: Number.NEGATIVE_INFINITY,
      isUnanswered: () => clock.monotonicMs() - trial.sentMs < REFUSED_HOLD_MS,
    };
    return trial;
  };

  /** To the device that was asked who it is: over TLS the transport asks no other one. */
  const linkOf = ({ ip }: MinerTarget, login?: Login) => link(ip, login, trust.tlsKeyOf(ip));
  const tried = (target: MinerTarget, login: Login, trial: Trial) =>
    withTrial(linkOf(target, guarded(target, login, trial)), trial);

  const withheldOf = (target: MinerTarget): Withheld | undefined => {
    const { driver, ip } = target;
    if (driver.login.kind === 'none') return undefined;
    if (ownRule(target) !== undefined) return trust.why(ip, driver.id, 'configured');
    return hasFactoryLogin(target) ? trust.why(ip, driver.id, 'factory') : undefined;
  };

  const hasFactoryLogin = ({ driver, known }: MinerTarget) =>
    credentials().factoryDefaults && factoryLoginOf(driver, known) !== undefined;

  /** What was refused for want of a login is asked for again as soon as there is one. */
  const noteWithheld = ({ memory }: MinerTarget, isWithheld: boolean) => {
    if (isWithheld) withheldFrom.add(memory);
    else if (withheldFrom.delete(memory)) memory.isStale = true;
  };

  /** Requests that want a login get it where the rules allow it, and go without it otherwise. `isOrder` = a person waits for it. */
  const linkFor = (target: MinerTarget, isOrder = false): MinerLink => {
    const { driver, known } = target;
    if (driver.login.kind === 'none') return linkOf(target);
    const why = withheldOf(target);
    noteWithheld(target, why !== undefined && why !== 'refused-before');
    const rule = ownRule(target);
    if (rule !== undefined) {
      if (why !== undefined) return linkOf(target);
      return tried(target, rule.login, configuredTrial(target, rule.login, isOrder));
    }
    const factory = factoryLoginOf(driver, known);
    const isHeld = why !== undefined && why !== 'refused-before';
    if (factory === undefined || !credentials().factoryDefaults || isHeld) return linkOf(target);
    const trial = factoryTrial(target);
    const onTaken = () => {
      trial.isTaken = true;
    };
    const login = { user: factory.user, password: new Secret(factory.password), onTaken };
    return tried(target, login, trial);
  };

  return {
    linkFor,
    /**
     * For a question behind the login, of another family that looks like the target's from outside: with the login that is configured for that one, else
     * with the target's own. Undefined where no login may be sent: the question would tell nothing.
     */
    linkBehindLogin(target: MinerTarget, other: Driver): MinerLink | undefined {
      const rule = ownRule({ ...target, driver: other });
      const { ip, driver } = target;
      if (rule === undefined || rule === ownRule(target)) {
        const hasLogin = driver.login.kind !== 'none' && (rule !== undefined || hasFactoryLogin(target));
        return hasLogin && withheldOf(target) === undefined ? linkFor(target) : undefined;
      }
      if (trust.why(ip, driver.id, 'configured') !== undefined) return undefined;
      const trial = configuredTrial({ ...target, driver: other }, rule.login, false);
      return tried(target, rule.login, trial);
    },
    /** The device accepted the factory login. */
    usesFactoryLogin(target: MinerTarget): boolean {
      if (target.driver.login.kind === 'none' || ownRule(target) !== undefined) return false;
      const trial = factoryTrials.get(factoryKey(target));
      return trial?.isTaken === true && trial.verdict === 'accepted';
    },
    /** Throws PeerError before anything is sent where the device may not be changed, or waits for a person before it gets its login. */
    mustBeChangeable(target: MinerTarget, what: string): void {
      const { driver, ip } = target;
      const isWaiting = driver.login.kind !== 'none' && ownRule(target) !== undefined;
      const why = trust.why(ip, driver.id, isWaiting ? 'configured' : 'change');
      if (why === undefined) return;
      const remedy = why === 'contested' ? 'find the other one' : 'pithead trust list';
      const message = `${what} ${ip}: nothing that changes it is sent, because ${WITHHELD_TEXT[why]}; ${remedy}`;
      throw new PeerError('peer.auth', message, 'later', undefined, { wasSent: false });
    },
    /** Another unit stands at this address now: a configured login that the one before refused is tried again. */
    forgetRefusals(ip: string, drivers: readonly Driver[]): void {
      for (const { id } of drivers) {
        const key = `${id} ${ip}`;
        if (configuredTrials.get(key)?.trial.verdict === 'refused') configuredTrials.delete(key);
      }
      trust.attempts.retry([{ ip, macs: [] }]);
    },
  };
}

/**
 * Under which names attempts with this login are held: another login has others. Eight bits of a hash, the same for every device, so that the record of
 * any number of devices tells no more of a password than these. A new login that shares them waits for its day, or for `pithead trust retry`.
 */
function triedAs(who: readonly string[], { user, password }: Login): string[] {
  const named = who.some((name) => name.startsWith('mac:')) ? who.filter((name) => name.startsWith('mac:')) : who;
  const bits = hash('sha256', `${user}\0${password.reveal()}`, 'hex').slice(0, 2);
  return named.map((name) => `${name} ${CONFIGURED}${bits}`);
}

const factoryLoginOf = ({ login }: Driver, { generation }: Known) =>
  login.factoryDefaultOf?.[generation ?? ''] ?? login.factoryDefault;
