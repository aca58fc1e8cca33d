// The header of a token from a web login. The core keeps the token and asks for a new one.

/** The grant of a token; undefined (refused) when the answer has none. */
export function bearer(token: unknown): { readonly Authorization: string } | undefined {
  // What would break a header is no token.
  return typeof token === 'string' && /^[\x21-\x7e]{1,8192}$/.test(token)
    ? { Authorization: `Bearer ${token}` }
    : undefined;
}
