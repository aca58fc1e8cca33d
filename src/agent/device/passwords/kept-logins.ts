// Which of the passwords that tasks have set is tried at a device now, and what follows from its answer: a new one that
// was accepted counts from then on; one that is out of date is forgotten. It sends nothing.
import { LruMap } from 'toad-cache';
import { Secret } from '../../../base/secrets.ts';
import type { Driver } from '../../../driver/contract.ts';
import type { Login, PlainLogin } from '../../../transport/request.ts';
import type { LoginTrials } from '../login-trials.ts';
import type { DeviceTrust } from '../trust/device-trust.ts';
import { changeProven, type KeptRole, loginsOf } from './kept-password.ts';
import type { Found, PasswordRows } from './password-rows.ts';

type Device = { readonly ip: string; readonly driver: Pick<Driver, 'id'> };

/** `usual` = what configuration and factory say. */
type TriedRole = KeptRole | 'usual';

export type Chosen = { readonly found: Found; readonly role: KeptRole; readonly login: Login };

/** Of the last login that the device answered to, in this process. */
type Said = { readonly role: TriedRole; readonly isTaken: boolean };

const MAX_DEVICES = 50_000;

export const plainOf = ({ user, password }: Login): PlainLogin => ({ user, password: password.reveal() });

export class KeptLogins {
  readonly #rows: PasswordRows;
  readonly #trust: Pick<DeviceTrust, 'keptAs'>;
  readonly #trials: Pick<LoginTrials, 'isRefused' | 'forget'>;
  readonly #said = new LruMap<Said>(MAX_DEVICES);

  constructor(
    rows: PasswordRows,
    trust: Pick<DeviceTrust, 'keptAs'>,
    trials: Pick<LoginTrials, 'isRefused' | 'forget'>,
  ) {
    this.#rows = rows;
    this.#trust = trust;
    this.#trials = trials;
  }

  find({ ip }: Device): Found | undefined {
    return this.#rows.of(this.#trust.keptAs(ip));
  }

  /** The login to try in place of the usual one; undefined = that one: none is kept, or the device refused all. */
  chosen(device: Device, usual: PlainLogin | undefined): Chosen | undefined {
    const found = this.find(device);
    if (found === undefined) return undefined;
    for (const { role, user, password } of loginsOf(found.kept, usual)) {
      const login = { user, password: new Secret(password) };
      if (!this.#trials.isRefused(device, login, role)) return { found, role, login };
    }
    return undefined;
  }

  /** The device asked for a login and accepted this one. */
  taken(device: Device, found: Found, role: TriedRole, login: PlainLogin): void {
    const { kept, name } = found;
    this.#said.set(name, { role, isTaken: true });
    if (role === 'next') {
      if (this.#rows.replace(found, name, changeProven(kept)))
        this.#trials.forget(device, { user: login.user, password: new Secret(login.password) }, 'current');
      return;
    }
    const isOutOfDate = role === 'usual' && (kept.user !== login.user || kept.current !== login.password);
    // What is kept under another name may be of another device that stood here.
    if (isOutOfDate && this.#trust.keptAs(device.ip)[0] === name) this.#rows.replace(found, name, undefined);
  }

  refused({ name }: Found, role: TriedRole): void {
    this.#said.set(name, { role, isTaken: false });
  }

  lastSaid({ name }: Pick<Found, 'name'>): Said | undefined {
    return this.#said.get(name);
  }

  forgetSaid(name: string): void {
    this.#said.delete(name);
  }
}
