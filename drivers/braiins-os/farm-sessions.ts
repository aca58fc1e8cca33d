// Tokens of Braiins OS: its REST and its gRPC face hand out the same ones. They die after an hour without use, and at a
// reboot.
import type { SimDevice } from '../_farm/device.ts';
import { rollText } from '../_farm/noise.ts';

export const TOKEN_LIFE_S = 3_600;
const MAX_TOKENS = 16;

export type BraiinsSessions = {
  /** A new token; undefined = refused. */
  login(given: { readonly username?: unknown; readonly password?: unknown }): string | undefined;
  isLetIn(token: string | undefined): boolean;
  forget(): void;
};

/** Where no password is set any will do: the usual clients come with one. */
export function opens(device: SimDevice, user: unknown, given: unknown): boolean {
  const { login } = device;
  return login !== undefined && user === login.user && (login.password === '' || given === login.password);
}

export function braiinsSessions(device: SimDevice): BraiinsSessions {
  /** When each was last used; the oldest goes when there are many. */
  const tokens = new Map<string, number>();
  let logins = 0;
  let ended = device.endedSessions;
  return {
    login({ username, password }) {
      if (!opens(device, username, password)) return undefined;
      if (ended !== device.endedSessions) tokens.clear();
      ended = device.endedSessions;
      logins++;
      const token = rollText('abcdefghijkmnpqrstuvwxyz23456789', 24, device.site.seed, device.index, 600 + logins);
      tokens.set(token, device.nowS());
      const [oldest] = tokens.keys();
      if (tokens.size > MAX_TOKENS && oldest !== undefined) tokens.delete(oldest);
      return token;
    },
    isLetIn(token) {
      if (ended !== device.endedSessions) tokens.clear();
      ended = device.endedSessions;
      const usedS = token === undefined ? undefined : tokens.get(token);
      if (token === undefined || usedS === undefined || device.nowS() - usedS > TOKEN_LIFE_S) return false;
      tokens.set(token, device.nowS());
      return true;
    },
    forget: () => tokens.clear(),
  };
}
