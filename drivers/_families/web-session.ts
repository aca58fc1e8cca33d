// What families with a web login that yields a cookie or a token have alike: the types, and the header of a bearer token.
// Who keeps the grant, and when it is asked for again, is the core's business.
import type { Ability, Ask } from '../../src/driver/contract.ts';

type HttpAsk = Extract<Ask, { readonly via: 'http' }>;

export type MinerLink = Parameters<Ability['act']>[0];
export type WebSession = Extract<HttpAsk['auth'], { readonly name: string }>;

/** The grant of a token; undefined (refused) when the answer has none. */
export function bearer(token: unknown): { readonly Authorization: string } | undefined {
  // What would break a header is no token.
  return typeof token === 'string' && /^[\x21-\x7e]{1,8192}$/.test(token)
    ? { Authorization: `Bearer ${token}` }
    : undefined;
}
