// The trials of logins: one per factory login and device, one per visit for a configured login. A login that a device
// refused is not tried there again for a day, whatever program of this host asks.
import { hash } from 'node:crypto';
import { LruMap } from 'toad-cache';
import type { Clock } from '../../base/clock.ts';
import type { Driver } from '../../driver/contract.ts';
import type { Login } from '../../transport/request.ts';
import { type LoginTrial, newTrial } from './login-attempts.ts';
import type { DeviceTrust } from './trust/device-trust.ts';
import { CONFIGURED } from './trust/record/attempts.ts';

/** While the disk refuses, visits do not try a refused configured login again for so long; commands do. */
const COOLDOWN_MS = 10 * 60_000;
const MAX_TRIALS = 100_000;

/** `sentMs` = when the login last went out, monotonic. */
export type Trial = LoginTrial & { sentMs: number };
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
  ofConfigured({ ip, driver }: Device, login: Login, isCommand: boolean): Trial {
    const { attempts } = this.#trust;
    const who = triedAs(this.#trust.namesOf(ip), login);
    const before = attempts.last(who, driver.id);
    if (before === 'refused') return this.#trial({ verdict: 'refused' });
    const key = configuredKey(driver.id, ip);
    const last = this.#configured.get(key);
    const isCooling = last !== undefined && this.#clock.monotonicMs() - last.startedMs < COOLDOWN_MS;
    if (before === undefined && !isCommand && isCooling && last.trial.verdict === 'refused') return last.trial;
    const trial = this.#trial({
      onVerdict(verdict) {
        // What was never sent was not refused.
        if (verdict === 'refused' && trial.sentMs > Number.NEGATIVE_INFINITY) attempts.begin(who, driver.id);
      },
    });
    this.#configured.set(key, { trial, startedMs: this.#clock.monotonicMs() });
    return trial;
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
      const key = configuredKey(id, ip);
      if (this.#configured.get(key)?.trial.verdict === 'refused') this.#configured.delete(key);
    }
    this.#trust.attempts.retry([{ ip, macs: [] }]);
  }

  #trial(more: Partial<LoginTrial>): Trial {
    const trial: Trial = {
      ...newTrial(),
      ...more,
      sentMs: Number.NEGATIVE_INFINITY,
      isUnanswered: () => this.#clock.monotonicMs() - trial.sentMs < COOLDOWN_MS,
    };
    return trial;
  }
}

const configuredKey = (driverId: string, ip: string) => `${driverId} ${ip}`;
const factoryKey = (driverId: string, who: readonly string[]) => `${driverId} ${who.join(' ')}`;

/**
 * The names under which attempts with this login are counted: another login has others. Eight bits of a hash, the same
 * for every device, so that the records of any number of devices show no more of a password. A new login with the same
 * bits waits for a day, or for `pithead trust retry`.
 */
function triedAs(who: readonly string[], { user, password }: Login): string[] {
  const macs = who.filter((name) => name.startsWith('mac:'));
  const bits = hash('sha256', `${user}\0${password.reveal()}`, 'hex').slice(0, 2);
  return (macs.length > 0 ? macs : who).map((name) => `${name} ${CONFIGURED}${bits}`);
}
