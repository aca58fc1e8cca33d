// The logins of a replayed device: digest (RFC 7616, MD5) as small web servers do it, HTTP basic, and sessions whose
// login was recorded. Without the login the device refuses the page.
import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { writtenForms } from '../../base/secrets.ts';
import { type Exchange, LOGIN_PLACEHOLDERS } from '../format.ts';

export type ReplayLogin = { readonly user: string; readonly password: string };

export type WebRequest = { readonly method: string; readonly url: string; readonly headers: IncomingHttpHeaders };

const MAX_NONCES = 256;
const md5 = (text: string) => hash('md5', text, 'hex');

/** Guards the pages of one port. */
export function createDigestGuard(realm: string, { user, password }: ReplayLogin) {
  const nonces = new Set<string>();
  return {
    challenge(): string {
      const nonce = randomBytes(16).toString('hex');
      const [oldest] = nonces;
      if (nonces.size >= MAX_NONCES && oldest !== undefined) nonces.delete(oldest);
      nonces.add(nonce);
      return `Digest realm="${realm}", qop="auth", nonce="${nonce}", algorithm=MD5`;
    },
    letsIn({ method, url, headers: { authorization = '' } }: WebRequest): boolean {
      if (!/^digest /i.test(authorization)) return false;
      const { username, nonce = '', nc, cnonce, qop, uri, response } = fieldsOf(authorization);
      const ha1 = md5(`${user}:${realm}:${password}`);
      const wanted = md5(`${ha1}:${nonce}:${nc}:${cnonce}:${qop}:${md5(`${method}:${uri}`)}`);
      return username === user && uri === url && nonces.has(nonce) && response === wanted;
    },
  };
}

function fieldsOf(header: string): Readonly<Record<string, string>> {
  const fields = header.slice('digest '.length).matchAll(/([a-z]+)\s*=\s*(?:"([^"]*)"|([^\s,]+))/gi);
  return Object.fromEntries(
    [...fields].map(([, name = '', quoted, bare]) => [name.toLowerCase(), quoted ?? bare ?? '']),
  );
}

/** Whether the login of a session, or one that goes along with a request, holds the password. */
export function holdsPassword(sent: string, { password }: ReplayLogin): boolean {
  return writtenForms(password).some((form) => sent.includes(form));
}

/** False where the password was hashed before it was sent: then any login is taken. */
export const isPasswordVisible = ({ body }: Exchange): boolean =>
  JSON.stringify(body ?? null).includes(LOGIN_PLACEHOLDERS.password);

const LEAST_WORD = 4;

/** What a session may be known by afterwards: the cookies that the login set, and the texts of its answer. */
export function grantsOf({ headers = {}, status = 0 }: Exchange, answer: string): readonly string[] {
  if (status >= 400) return [];
  const cookies = (headers['set-cookie'] ?? '').split('\n').flatMap((line) => /=([^;]+)/.exec(line)?.[1] ?? []);
  const texts = [...answer.matchAll(/"([^"\\]{4,})"(?!\s*:)/g)].map(([, text = '']) => text);
  const isToken = texts.length === 0 && /^\S+$/.test(answer.trim());
  const words = [...cookies, ...texts, ...(isToken ? [answer.trim()] : [])];
  return words.filter((word) => word.length >= LEAST_WORD && word.length < 4_096);
}
