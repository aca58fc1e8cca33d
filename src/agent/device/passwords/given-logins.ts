// Logins that a person has entered for devices which refuse those that are known: each is kept, encrypted, while it is
// tried, and stays kept only where the device has accepted it. It sends nothing: the next visit tries what is kept.
import { Secret } from '../../../base/secrets.ts';
import type { LoadedDriver } from '../../../driver/load/loaded-driver.ts';
import type { PlainLogin } from '../../../transport/request.ts';
import type { LoginTrials } from '../login-trials.ts';
import type { DeviceTrust } from '../trust/device-trust.ts';
import type { KeptLogins } from './kept-logins.ts';
import { changeBegun, KEPT_ROLES, type KeptPassword } from './kept-password.ts';
import type { Found, PasswordRows } from './password-rows.ts';

/** `untried` = no login was sent there: it does not answer, or the rules of trust keep it back. */
export type GivenShown = 'taken' | 'refused' | 'untried';

/** A login that is being tried. `before` = what was kept until then. */
export type GivenTrial = {
  readonly name: string;
  readonly before: KeptPassword | undefined;
  readonly written: KeptPassword;
};

type Parts = {
  readonly rows: PasswordRows;
  readonly kept: Pick<KeptLogins, 'lastSaid' | 'forgetSaid'>;
  readonly trust: Pick<DeviceTrust, 'keptAs'>;
  readonly trials: Pick<LoginTrials, 'forget'>;
  readonly keyFile: () => string;
};

export class GivenLogins {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Why none can be kept here, and so none tried; undefined = it can. */
  get whyNot(): string | undefined {
    const { rows, keyFile } = this.#parts;
    if (rows.hasKey) return undefined;
    return `no key file: passwords are kept encrypted, and ${keyFile()} holds no key; make one: pithead config seal`;
  }

  /** It is tried first from now on, or the reason why not. A password that a task has set is not lost by it. */
  begin(ip: string, login: PlainLogin, drivers: readonly Pick<LoadedDriver, 'id'>[]): GivenTrial | string {
    const { rows, kept, trust, trials } = this.#parts;
    const names = [...trust.keptAs(ip), `ip:${ip}`];
    const found = rows.of(names);
    const name = found?.name ?? names[0] ?? `ip:${ip}`;
    const before = found?.kept;
    const written = givenTo(before, login);
    if (typeof written === 'string') return written;
    if (!rows.replace(found, name, written)) return 'it cannot be kept here: see the disk of this host';
    kept.forgetSaid(name);
    const secret = { user: login.user, password: new Secret(login.password) };
    for (const driver of drivers) for (const role of KEPT_ROLES) trials.forget({ ip, driver }, secret, role);
    return { name, before, written };
  }

  /** What visits have shown of it since. One that was not accepted is forgotten, and what was kept before is back. */
  end({ name, before, written }: GivenTrial): GivenShown {
    const { rows, kept } = this.#parts;
    const said = kept.lastSaid({ name });
    if (said?.isTaken === true && said.role !== 'usual') return 'taken';
    const now = rows.of([name]);
    if (now !== undefined && isSame(now.kept, written)) rows.replace(now, name, before);
    return said === undefined ? 'untried' : 'refused';
  }
}

/** A password that counts already is tried beside the new one, under the user that it is of. */
function givenTo(before: KeptPassword | undefined, login: PlainLogin): KeptPassword | string {
  const { user, password } = login;
  if (before === undefined || !before.isSet) return { user, current: password, isSet: true, next: null };
  if (before.next !== null) return 'a change of its password is still open: it is settled when the miner is next read';
  if (before.user !== user)
    return `a password that a task has set is kept for its user ${before.user}: enter that user`;
  return before.current === password ? before : changeBegun(before, { user, password: before.current }, password);
}

const isSame = (one: Found['kept'], other: KeptPassword): boolean =>
  one.user === other.user && one.current === other.current && one.next === other.next;
