// What is kept of the password of one device, and how that changes: asked for, proven, refused, found to be out of
// date. Pure: no database, no device.
import type { PlainLogin } from '../../../transport/request.ts';

export type KeptPassword = {
  readonly user: string;
  /** In force as long as no login with `next` was accepted. */
  readonly current: string;
  /** `current` was set by a task; false = it is a copy of what the configuration or the factory said at that time. */
  readonly isSet: boolean;
  /** Sent to the device, or about to be; null = no change is open. */
  readonly next: string | null;
};

/** `next` is tried before the one that counted until now; `other` = what configuration and factory say. */
export const KEPT_ROLES = ['next', 'current'] as const;
export type KeptRole = (typeof KEPT_ROLES)[number];

/** A change to `next` begins. `inForce` = the login that counts now. An open change that was refused is given up. */
export function changeBegun(before: KeptPassword | undefined, inForce: PlainLogin, next: string): KeptPassword {
  const { user, password: current } = inForce;
  const isSet = before?.isSet === true && before.user === user && before.current === current;
  return { user, current, isSet, next };
}

/** A login with `next` was accepted. */
export const changeProven = (before: KeptPassword): KeptPassword =>
  before.next === null ? before : { ...before, current: before.next, isSet: true, next: null };

/** The device refused the change itself. Undefined = nothing is left that configuration or factory do not say. */
export const changeRefused = (before: KeptPassword): KeptPassword | undefined =>
  before.isSet ? { ...before, next: null } : undefined;

/**
 * The logins to try, in this order, before those that configuration and factory say: `usual`. A copy of that is left
 * out, so that one and the same login is not tried twice.
 */
export function loginsOf(
  { user, current, next }: KeptPassword,
  usual: PlainLogin | undefined,
): readonly (PlainLogin & { readonly role: KeptRole })[] {
  const isUsual = usual?.user === user && usual.password === current;
  return [
    ...(next === null ? [] : [{ role: 'next' as const, user, password: next }]),
    ...(isUsual ? [] : [{ role: 'current' as const, user, password: current }]),
  ];
}
