// Keys, tokens and codes: how they look, how they are made, how they are compared. All carry at least 128 random bits,
// so a plain SHA-256 is enough at rest; codes of people carry 50 and are good for minutes only.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');

export function isSecretOf(secret: string, hashHex: string): boolean {
  const given = Buffer.from(hashSecret(secret), 'hex');
  const stored = Buffer.from(hashHex, 'hex');
  return given.length === stored.length && timingSafeEqual(given, stored);
}

const newSecret = () => randomBytes(32).toString('base64url');

/** A new API key: `text` is shown once, `id` and `hash` are kept. */
export function newApiKey(): { id: string; text: string; hash: string } {
  const id = randomBytes(4).toString('hex');
  const text = `phk_${id}_${newSecret()}`;
  return { id, text, hash: hashSecret(text) };
}

/** The id inside a key, or undefined when the text is no key of ours. */
export function apiKeyId(text: string): string | undefined {
  return /^phk_([0-9a-f]{8})_[A-Za-z0-9_-]{20,128}$/.exec(text)?.[1];
}

export function newAgentToken(): { text: string; hash: string } {
  const text = newSecret();
  return { text, hash: hashSecret(text) };
}

/** A one-time enrolment code, in groups that can be read out. */
export function newEnrolmentCode(): { text: string; hash: string } {
  const text = randomBytes(16).toString('hex').toUpperCase().match(/.{4}/g)?.join('-') ?? '';
  return { text, hash: hashEnrolmentCode(text) };
}

/** Hyphens, blanks and case do not matter: people type codes. */
export const hashEnrolmentCode = (text: string): string => hashSecret(text.replaceAll(/[\s-]/g, '').toUpperCase());

/** Of a session: 256 random bits. */
export function newSessionToken(): { text: string; hash: string } {
  const text = newSecret();
  return { text, hash: hashSecret(text) };
}

export const isSessionToken = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text);

/** Crockford's base 32: without I, L, O and U, which are taken for others or make words. */
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 10;

/** A one-time code of a person: 50 random bits, in two groups that can be read out. */
export function newPersonCode(): { text: string; hash: string } {
  const letters = [...randomBytes(CODE_LENGTH)].map((byte) => CROCKFORD[byte % CROCKFORD.length]).join('');
  const text = `${letters.slice(0, CODE_LENGTH / 2)}-${letters.slice(CODE_LENGTH / 2)}`;
  return { text, hash: hashSecret(letters) };
}

/** Of what a person has typed: case, hyphens and blanks do not matter. Undefined = it is no code. */
export function hashPersonCode(text: string): string | undefined {
  const letters = text.replaceAll(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  const isCode = letters.length === CODE_LENGTH && [...letters].every((letter) => CROCKFORD.includes(letter));
  return isCode ? hashSecret(letters) : undefined;
}
