// The header of a token, where a web login yields one. Who keeps the grant, and when it is asked for again, is the core's business.

/** The grant of a token; undefined (refused) when the answer has none. */
export function bearer(token: unknown): { readonly Authorization: string } | undefined {
  // What would break a header is no token.
  return typeof token === 'string' && /^[\x21-\x7e]{1,8192}$/.test(token)
    ? { Authorization: `Bearer ${token}` }
    : undefined;
}
