// HTTP digest authentication (RFC 7616, and RFC 2617 servers without qop): reads challenges, writes answers. MD5 and SHA-256, qop=auth.
// It sends nothing; digest-login.ts keeps the nonces and decides when to try again.
import { hash } from 'node:crypto';

export type DigestAlgorithm = 'MD5' | 'SHA-256';

export type DigestChallenge = {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | undefined;
  readonly algorithm: DigestAlgorithm;
  /** Whether the server named the algorithm; then the answer names it too. */
  readonly namesAlgorithm: boolean;
  readonly hasQop: boolean;
  readonly isStale: boolean;
};

const HASHES = { MD5: 'md5', 'SHA-256': 'sha256' } as const;
/** One `name=value` or `name="value"`, with what separates it from the next. Sticky, and without nested repetition: linear. */
const PARAMETER = /\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))\s*(?:,|$)/y;
const SCHEME = /(?:^|,)\s*digest\s+/gi;
const MAX_HEADER_CHARS = 4_096;

/** The strongest challenge that we can answer, from one or several WWW-Authenticate headers. */
export function parseDigestChallenge(header: string | readonly string[] | undefined): DigestChallenge | undefined {
  const headers = header === undefined ? [] : typeof header === 'string' ? [header] : header;
  const challenges = headers.slice(0, 8).flatMap(parseHeader);
  return challenges.find(({ algorithm }) => algorithm === 'SHA-256') ?? challenges[0];
}

function parseHeader(header: string): DigestChallenge[] {
  const text = header.slice(0, MAX_HEADER_CHARS);
  return [...text.matchAll(SCHEME)].slice(0, 8).flatMap((scheme) => {
    const challenge = toChallenge(parseParameters(text, scheme.index + scheme[0].length));
    return challenge ? [challenge] : [];
  });
}

function parseParameters(text: string, from: number): Map<string, string> {
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = from;
  for (let match = PARAMETER.exec(text); match; match = PARAMETER.exec(text)) {
    const [, name = '', quoted, bare = ''] = match;
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted === undefined ? bare : quoted.replaceAll(/\\(.)/g, '$1'));
    if (PARAMETER.lastIndex >= text.length) break;
  }
  return parameters;
}

function toChallenge(parameters: ReadonlyMap<string, string>): DigestChallenge | undefined {
  const nonce = parameters.get('nonce');
  const named = parameters.get('algorithm');
  const algorithm = (named ?? 'MD5').toUpperCase();
  const qop = parameters.get('qop');
  // What comes back in our header must not be able to break it.
  if ([...parameters.values()].some((value) => /[^\t\x20-\x7e\x80-\xff]/.test(value))) return undefined;
  if (nonce === undefined || (algorithm !== 'MD5' && algorithm !== 'SHA-256')) return undefined;
  if (qop !== undefined && !qop.split(',').some((option) => option.trim().toLowerCase() === 'auth')) return undefined;
  return {
    realm: parameters.get('realm') ?? '',
    nonce,
    opaque: parameters.get('opaque'),
    algorithm,
    namesAlgorithm: named !== undefined,
    hasQop: qop !== undefined,
    isStale: parameters.get('stale')?.toLowerCase() === 'true',
  };
}

export type DigestAnswer = {
  readonly challenge: DigestChallenge;
  readonly user: string;
  readonly password: string;
  readonly method: string;
  readonly uri: string;
  /** How often this nonce has been used, this time included. */
  readonly count: number;
  /** Our own nonce: printable ASCII without quotes. */
  readonly cnonce: string;
};

/** Value of the Authorization header. */
export function digestAuthorization(answer: DigestAnswer): string {
  const { challenge, user, password, method, uri, cnonce } = answer;
  const digest = (text: string) => hash(HASHES[challenge.algorithm], text, 'hex');
  const nc = answer.count.toString(16).padStart(8, '0');
  const ha1 = digest(`${user}:${challenge.realm}:${password}`);
  const ha2 = digest(`${method}:${uri}`);
  const response = challenge.hasQop
    ? digest(`${ha1}:${challenge.nonce}:${nc}:${cnonce}:auth:${ha2}`)
    : digest(`${ha1}:${challenge.nonce}:${ha2}`);
  return [
    `Digest username=${quote(Buffer.from(user).toString('latin1'))}`,
    `realm=${quote(challenge.realm)}`,
    `nonce=${quote(challenge.nonce)}`,
    `uri=${quote(uri)}`,
    ...(challenge.namesAlgorithm ? [`algorithm=${challenge.algorithm}`] : []),
    `response="${response}"`,
    ...(challenge.hasQop ? [`qop=auth, nc=${nc}, cnonce=${quote(cnonce)}`] : []),
    ...(challenge.opaque === undefined ? [] : [`opaque=${quote(challenge.opaque)}`]),
  ].join(', ');
}

const quote = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
