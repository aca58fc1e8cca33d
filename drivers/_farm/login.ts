// The login of a simulated device: that of the factory until its owner sets another, over its API or behind our back.
// How it is asked for, and whether sessions outlive it, is the family's.
import type { FaultSet } from './faults.ts';

export type Login = { readonly user: string; readonly password: string };

type Owned = {
  readonly variant: { readonly login?: Login };
  readonly identity: { readonly tag: string };
  readonly faults: FaultSet;
  later(delayS: number, run: () => void): void;
};

/** Of devices that take a new password over late. */
const LATE_S = 20;

export class DeviceLogin {
  readonly #device: Owned;
  #password: string | undefined;
  #changes = 0;

  constructor(device: Owned) {
    this.#device = device;
  }

  /** What opens it; undefined = it asks for no login. */
  get now(): Login | undefined {
    const { variant, identity, faults } = this.#device;
    if (variant.login === undefined) return undefined;
    const { user, password } = variant.login;
    if (faults.has('wrong-password')) return { user, password: `changed-${identity.tag}` };
    return { user, password: this.#password ?? password };
  }

  /** Grows and shrinks, so that it is never the same for two passwords in a row. */
  get changes(): number {
    return this.#changes * 2 + Number(this.#device.faults.has('wrong-password'));
  }

  /** It says yes in any case. What it has already takes nothing, and undoes nothing that is on its way. */
  change(password: string): void {
    const { faults } = this.#device;
    if (password === this.now?.password) return;
    if (faults.has('keeps-password') || faults.has('ignores-writes')) return;
    const take = () => {
      this.#password = password;
      this.#changes++;
    };
    const lateS = faults.number('late-password', LATE_S);
    if (lateS === undefined) take();
    else this.#device.later(lateS, take);
  }

  /** The connection dies where the answer to a new password should come. */
  get losesReply(): boolean {
    return this.#device.faults.has('loses-password-reply');
  }
}
