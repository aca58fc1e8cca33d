// New passwords on simulated devices: each set over one link, as the core does, and each tried as the core proves it.
import { expect } from 'vitest';
import type { Device } from '../../fixtures/farm/farm.ts';
import type { PeerCode } from '../../src/base/errors.ts';
import type { ActResult, Driver, Known } from '../../src/driver/contract.ts';
import { acting } from './acting.ts';
import type { Simulated } from './simulated.ts';

export type Passwords = {
  set(device: Device, password: string): Promise<ActResult>;
  /** Whether the device says that it lets in with it. */
  opens(device: Device, password: string): Promise<boolean>;
  /**
   * The new password opens it and the old one does not; a device that keeps the old one is found out; refusals change
   * nothing.
   */
  hold(device: Device, off?: PeerCode): Promise<void>;
  /** The same of one whose answer is lost, and of one that takes its time. */
  holdUnclear(device: Device): Promise<void>;
  /** Only what no script of a device can take for something else, and so many characters at most. */
  arePlain(longest: number): void;
};

/** Some devices say the same to a wrong password and to a command that is not allowed. */
const WRONG: unknown = expect.stringMatching(/^peer\.(auth|permission)$/);

/** Longer than any test. */
const NEVER_S = 36_000;

export function passwordsOf(driver: Driver, site: () => Simulated, known: Known = {}): Passwords {
  const miner = acting(driver, site, known);
  const ability = miner.ability('password');
  const set = (device: Device, password: string) => miner.act(device, 'password', { password });
  const passwordOf = ({ login }: Device) => login?.password ?? '';
  const opens = async ({ ip, login }: Device, password: string) => {
    let isTaken = false;
    const link = site().linkAs(ip, login?.user ?? '', password, () => {
      isTaken = true;
    });
    const outcome = await ability.provesLogin?.(link, known).catch((error: unknown) => error);
    if (!isTaken) expect(outcome).toMatchObject({ code: WRONG });
    return isTaken;
  };
  const opensOnly = async (device: Device, yes: string, no: string) =>
    expect([await opens(device, yes), await opens(device, no)]).toEqual([true, false]);
  return {
    set,
    opens,
    async hold(device, off = 'peer.permission') {
      const [old, first, second] = [passwordOf(device), 'n3w-Pa55', 'an0ther_'];
      await opensOnly(device, old, first);
      expect(await set(device, first)).toMatchObject({ kind: 'accepted' });
      await opensOnly(device, first, old);
      await miner.withFault(device, 'keeps-password', async () => {
        expect(await set(device, second)).toMatchObject({ kind: 'accepted' });
        await opensOnly(device, first, second);
      });
      await miner.forbids(device, 'password', { password: second }, off);
      const link = site().link(device.ip);
      await miner.withFault(device, 'wrong-password', () =>
        expect(miner.actOver(link, 'password', { password: second })).rejects.toMatchObject({ code: WRONG }),
      );
      await opensOnly(device, first, second);
    },
    async holdUnclear(device) {
      const [old, first, second] = [passwordOf(device), 'unhe4rd_', 'l4ter_on'];
      await miner.withFault(device, 'loses-password-reply', async () =>
        expect(await set(device, first)).toEqual({ kind: 'lost-reply' }),
      );
      await opensOnly(device, first, old);
      await miner.withFault(device, 'late-password', () => set(device, second), NEVER_S);
      await opensOnly(device, first, second);
      await miner.withFault(device, 'late-password', () => set(device, second), 0.1);
      await expect.poll(() => passwordOf(device)).toBe(second);
      await opensOnly(device, second, first);
    },
    arePlain(longest) {
      const fits = (password: string) => ability.params.safeParse({ password }).success;
      expect(['n3w-Pa55', 'x'.repeat(longest)].filter(fits)).toHaveLength(2);
      expect(['', 'a b', 'a$b', 'é', 'x'.repeat(longest + 1)].filter(fits)).toEqual([]);
    },
  };
}
