// The trials of logins: one per factory login and device, one per visit for a configured login. A login that a device
// refused is not tried there again for a day, whatever program of this host asks.
import { hash } from 'node:crypto';
import { LruMap } from 'toad-cache';
import type { Clock } from '../../base/clock.ts';
import type { Driver } from '../../driver/contract.ts';
import type { Login } from '../../transport/request.ts';
import { type LoginTrial, newTrial } from './login-attempts.ts';
import { KEPT_ROLES, type KeptRole } from './passwords/kept-password.ts';
import type { DeviceTrust } from './trust/device-trust.ts';
import { CONFIGURED } from './trust/record/attempts.ts';

/** While the disk refuses, visits do not try a refused configured login again for so long; commands do. */
const COOLDOWN_MS = 10 * 60_000;
/**
 * Pauses after the first, the second and each later time that a login was left without an answer. One packet that was
 * lost must not keep a technician out for long; a device that counts attempts gets three of them in 70 seconds.
 */
const UNANSWERED_PAUSES_MS = [10_000, 60_000, COOLDOWN_MS] as const;
const MAX_TRIALS = 100_000;

/** What the login is: '' = one of the configuration; else one that a task has set. */
type Role = KeptRole | '';
const ROLES: readonly Role[] = ['', ...KEPT_ROLES];

/** `sentMs` = when the login last went out, monotonic; `sends` = how often it did. */
export type Trial = LoginTrial & { sentMs: number; sends: number };
type Device = { readonly ip: string; readonly driver: Pick<Driver, 'id'> };

export class LoginTrials {
  readonly #clock: Clock;
  readonly #trust: Pick<DeviceTrust, 'attempts' | 'namesOf'>;
  readonly #factory = new LruMap<Trial>(MAX_TRIALS);
  readonly #configured = new LruMap<{ readonly trial: Trial; readonly startedMs: number }>(MAX_TRIALS);

  constructor(clock: Clock, trust: Pick<DeviceTrust, 'attempts' | 'namesOf'>) {
    this.#clock = clock;
    this.#trust = trust;
  }

  /**
   * A new trial for each visit, unless this login was refused there: what another process of this host tried counts.
   */
  ofConfigured({ ip, driver }: Device, login: Login, isCommand: boolean, role: Role = ''): Trial {
    const { attempts } = this.#trust;
    const who = triedAs(this.#trust.namesOf(ip), login, role);
    const before = attempts.last(who, driver.id);
    if (before === 'refused') return this.#trial({ verdict: 'refused' });
    const key = configuredKey(driver.id, ip, role);
    const last = this.#coolingAt(key);
    if (before === undefined && !isCommand && last !== undefined) return last;
    const trial = this.#trial({
      onVerdict(verdict) {
        // What was never sent was not refused.
        if (verdict === 'refused' && trial.sentMs > Number.NEGATIVE_INFINITY) attempts.begin(who, driver.id);
      },
    });
    this.#configured.set(key, { trial, startedMs: this.#clock.monotonicMs() });
    return trial;
  }

  /** The device refused it, and it is not tried again for now. */
  isRefused({ ip, driver }: Device, login: Login, role: Role): boolean {
    const { attempts } = this.#trust;
    const before = attempts.last(triedAs(this.#trust.namesOf(ip), login, role), driver.id);
    return (
      before === 'refused' ||
      (before === undefined && this.#coolingAt(configuredKey(driver.id, ip, role)) !== undefined)
    );
  }

  /** If it was refused, it may be tried once more. */
  forget({ ip, driver }: Device, login: Login, role: Role): void {
    this.#configured.delete(configuredKey(driver.id, ip, role));
    this.#trust.attempts.settle(triedAs(this.#trust.namesOf(ip), login, role), driver.id, undefined);
  }

  /** What another process of this host tried counts. */
  ofFactory({ ip, driver }: Device): Trial {
    const { attempts } = this.#trust;
    const who = this.#trust.namesOf(ip);
    const before = attempts.last(who, driver.id);
    const key = factoryKey(driver.id, who);
    const last = this.#factory.get(key);
    if (before === 'refused') return this.#trial({ verdict: 'refused' });
    if (last !== undefined && last.verdict !== 'refused' && (before === 'accepted') === (last.verdict === 'accepted'))
      return last;
    const trial = this.#trial({
      verdict: before === 'accepted' ? 'accepted' : 'unproven',
      begin: () => attempts.begin(who, driver.id),
      onVerdict: (verdict) => void attempts.settle(who, driver.id, verdict),
    });
    this.#factory.set(key, trial);
    return trial;
  }

  /** The device asked for the factory login and accepted it. */
  isFactoryAccepted({ ip, driver }: Device): boolean {
    const trial = this.#factory.get(factoryKey(driver.id, this.#trust.namesOf(ip)));
    return trial?.isTaken === true && trial.verdict === 'accepted';
  }

  /** Another unit stands at this address now: configured logins that the one before refused are tried again. */
  forgetRefusals(ip: string, drivers: readonly Pick<Driver, 'id'>[]): void {
    for (const { id } of drivers) {
      for (const role of ROLES) {
        const key = configuredKey(id, ip, role);
        if (this.#configured.get(key)?.trial.verdict === 'refused') this.#configured.delete(key);
      }
    }
    this.#trust.attempts.retry([{ ip, macs: [] }]);
  }

  /** That was refused a moment ago, where no record says so. */
  #coolingAt(key: string): Trial | undefined {
    const last = this.#configured.get(key);
    const isCooling = last !== undefined && this.#clock.monotonicMs() - last.startedMs < COOLDOWN_MS;
    return isCooling && last.trial.verdict === 'refused' ? last.trial : undefined;
  }

  #trial(more: Partial<LoginTrial>): Trial {
    const trial: Trial = {
      ...newTrial(),
      ...more,
      sentMs: Number.NEGATIVE_INFINITY,
      sends: 0,
      isUnanswered: () => this.#clock.monotonicMs() - trial.sentMs < pauseAfter(trial.sends),
    };
    return trial;
  }
}

const pauseAfter = (sends: number): number => UNANSWERED_PAUSES_MS[sends - 1] ?? COOLDOWN_MS;
const configuredKey = (driverId: string, ip: string, role: Role) => `${driverId} ${ip} ${role}`;
const factoryKey = (driverId: string, who: readonly string[]) => `${driverId} ${who.join(' ')}`;

/**
 * The names under which attempts with this login are counted: another login has others. Eight bits of a hash, the same
 * for every device, so that the records of any number of devices show no more of a password. A new login with the same
 * bits waits for a day, or for `pithead trust retry`. Those that tasks have set are told apart by their role: one that
 * was refused must not hold back the one that counts until then.
 */
function triedAs(who: readonly string[], { user, password }: Login, role: Role): string[] {
  const macs = who.filter((name) => name.startsWith('mac:'));
  const bits = hash('sha256', `${user}\0${password.reveal()}`, 'hex').slice(0, 2);
  return (macs.length > 0 ? macs : who).map((name) => `${name} ${CONFIGURED}${role}${bits}`);
}
