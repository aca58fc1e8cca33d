// Text of a device made fit to show and store: no control or direction codes, no half characters, bounded. It does not escape for any markup.

/** One line of at most `maxLength` characters; undefined when nothing is left. */
export function plainText(text: string | null | undefined, maxLength = 256): string | undefined {
  if (text === undefined || text === null) return undefined;
  // Cut before cleaning, so that a giant costs no more than what is kept of it.
  const clean = text
    .slice(0, maxLength)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .trim();
  return clean === '' ? undefined : clean;
}

/** A pool address without the user and password that some people write into it (`stratum+tcp://user:password@host`). */
export function withoutLogin(url: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0] ?? '';
  const rest = url.slice(scheme.length);
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? '';
  return scheme + authority.slice(authority.lastIndexOf('@') + 1) + rest.slice(authority.length);
}
