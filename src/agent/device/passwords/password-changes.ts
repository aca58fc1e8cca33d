// Changing the password of one device: the new one is sealed before it is sent, and both are kept until a login with it
// was accepted. What is sent is the driver's; when it counts as proven is the task's.
import { PeerError, RefusedError } from '../../../base/errors.ts';
import { Secret } from '../../../base/secrets.ts';
import type { ActResult } from '../../../driver/contract.ts';
import type { LoadedDriver } from '../../../driver/load/loaded-driver.ts';
import { PARAMS_FIELDS } from '../../../model/tasks/task-params.ts';
import type { MinerLink, PlainLogin } from '../../../transport/request.ts';
import type { LoginTrials } from '../login-trials.ts';
import type { DeviceTrust } from '../trust/device-trust.ts';
import { WITHHELD_TEXT } from '../trust/rules.ts';
import type { Chosen, KeptLogins } from './kept-logins.ts';
import { changeBegun, changeRefused } from './kept-password.ts';
import type { PasswordRows } from './password-rows.ts';

/**
 * What logins of this process have shown of a new password: `new` = one with it was accepted; `old` = it was refused,
 * and one with the password before it was accepted; `refused` = it was refused, and nothing was accepted since;
 * `open` = it was not tried yet; `none` = it is not kept here: it was never sent, or the device refused the change.
 */
export type PasswordShown = 'new' | 'old' | 'refused' | 'open' | 'none';

/** As far as changing its password needs to know it. */
type Target = { readonly ip: string; readonly driver: Pick<LoadedDriver, 'id' | 'login'> };

type Parts<T extends Target> = {
  readonly rows: PasswordRows;
  readonly kept: KeptLogins;
  readonly trust: Pick<DeviceTrust, 'why' | 'keptAs'>;
  readonly trials: Pick<LoginTrials, 'isRefused' | 'forget'>;
  readonly logins: {
    linkFor(target: T, isCommand?: boolean): MinerLink;
    /** What is tried now: kept, or else what configuration and factory say, where the device has not refused it. */
    inForce(target: T): { readonly chosen: Chosen | undefined; readonly login: PlainLogin | undefined };
  };
  readonly keyFile: () => string;
};

export class PasswordChanges<T extends Target> {
  readonly #parts: Parts<T>;

  constructor(parts: Parts<T>) {
    this.#parts = parts;
  }

  /** Why nothing may be sent; undefined = it may. */
  whyNot(target: T): string | undefined {
    const { rows, trust, logins, keyFile } = this.#parts;
    const { ip, driver } = target;
    if (driver.login.kind === 'none') return 'it asks for no login';
    if (!rows.hasKey)
      return `no key file: passwords are kept encrypted, and ${keyFile()} holds no key; make one: pithead config seal`;
    const withheld = trust.why(ip, driver.id, 'configured');
    if (withheld !== undefined) return `${WITHHELD_TEXT[withheld]}${withheld === 'contested' ? '' : REMEDY}`;
    const { chosen, login } = logins.inForce(target);
    if (login === undefined) return 'no login that it accepts is known here';
    return chosen?.role === 'next'
      ? 'an earlier change of its password is still open: it is settled when the miner is next read'
      : undefined;
  }

  /**
   * Through `send`, with the login that counts until now. Throws RefusedError where nothing may be sent, and what
   * `send` throws where the device did not do it.
   */
  async change(target: T, params: unknown, send: (link: MinerLink) => Promise<ActResult>): Promise<ActResult> {
    const { rows, kept, trust, trials, logins } = this.#parts;
    const wanted = PARAMS_FIELDS['miner.password.update'].password.parse(passwordIn(params));
    const refusal = this.whyNot(target);
    const { chosen, login } = logins.inForce(target);
    if (refusal !== undefined || login === undefined) throw new RefusedError('refused.password', refusal);
    const before = kept.find(target);
    const name = before?.name ?? trust.keptAs(target.ip)[0] ?? `ip:${target.ip}`;
    kept.forgetSaid(name);
    // Sent again it would change nothing: the proof asks for a login with it all the same.
    if (chosen?.role === 'current' && chosen.found.kept.next === null && login.password === wanted)
      return { kind: 'accepted' };
    // Of this login: once the new one is kept, visits begin with that.
    const link = logins.linkFor(target, true);
    const begun = changeBegun(before?.kept, login, wanted);
    if (!rows.replace(before, name, begun)) throw new RefusedError('refused.password', NOT_KEPT);
    trials.forget(target, { user: login.user, password: new Secret(wanted) }, 'next');
    try {
      return await send(link);
    } catch (error) {
      // The password that the request came with counts no more: that may be the change itself.
      if (error instanceof PeerError && error.code === 'peer.auth' && error.wasSent !== false)
        return { kind: 'lost-reply' };
      if (isNotDone(error)) {
        const now = rows.of([name]);
        if (now?.kept.next === wanted) rows.replace(now, name, changeRefused(now.kept));
      }
      throw error;
    }
  }

  shown(target: T, wanted: string): PasswordShown {
    const { kept, trials } = this.#parts;
    const found = kept.find(target);
    if (found === undefined) return 'none';
    const { user, current, next } = found.kept;
    const said = kept.lastSaid(found);
    if (next === null && current === wanted) return said === undefined ? 'open' : said.isTaken ? 'new' : 'refused';
    if (next !== wanted) return 'none';
    if (!trials.isRefused(target, { user, password: new Secret(wanted) }, 'next')) return 'open';
    return said?.isTaken === true ? 'old' : 'refused';
  }

  /** The device may take a while to take it over: the new one, which it refused, may be tried once more. */
  tryAgain(target: T): void {
    const { kept, trials } = this.#parts;
    const found = kept.find(target);
    if (found === undefined) return;
    const { user, current, next } = found.kept;
    kept.forgetSaid(found.name);
    const [role, password] = next === null ? (['current', current] as const) : (['next', next] as const);
    trials.forget(target, { user, password: new Secret(password) }, role);
  }
}

/** As a group of miners is left out: without the address of one. */
const REMEDY = ': pithead trust accept <address>';
const NOT_KEPT = 'the new password cannot be kept here, so it is not sent: see the disk of this host';

const passwordIn = (params: unknown): unknown =>
  typeof params === 'object' && params !== null && 'password' in params ? params.password : undefined;

const REFUSALS: ReadonlySet<string> = new Set(['peer.rejected', 'peer.permission', 'peer.unsupported']);

/** The device has certainly kept its password. */
const isNotDone = (error: unknown): boolean =>
  error instanceof RefusedError ||
  (error instanceof PeerError && (error.wasSent === false || REFUSALS.has(error.code) || NOT_REACHED.has(error.code)));
const NOT_REACHED: ReadonlySet<string> = new Set(['peer.busy', 'peer.refused', 'peer.unreachable', 'peer.tls-key']);
