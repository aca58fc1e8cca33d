// Secrets at rest: texts sealed with AES-256-GCM under a key that lies in a file of its own, away from the data. Who can read both files can read the
// secrets; a copy of the data alone, a backup or a lost disk, gives nothing away.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { createWhole } from './atomic-file.ts';
import { readSmallFile } from './plain-file.ts';

export type Vault = ReturnType<typeof createVault>;

const PREFIX = 'sealed:1:';
const CIPHER = 'aes-256-gcm';
const [KEY_BYTES, VECTOR_BYTES, TAG_BYTES, FINGERPRINT_BYTES] = [32, 12, 16, 8];

export const isSealed = (text: string): boolean => text.startsWith(PREFIX);

/** Text as it is kept: sealed where there is a key. */
export const sealWith = (vault: Vault | undefined, text: string): string => vault?.seal(text) ?? text;

/** The text of one that is kept sealed or, from a time without a key, in the open. Undefined when it cannot be opened. */
export const openWith = (vault: Vault | undefined, kept: string): string | undefined =>
  isSealed(kept) ? vault?.open(kept) : kept;

export function createVault(key: Uint8Array) {
  return {
    seal(text: string): string {
      const vector = randomBytes(VECTOR_BYTES);
      const cipher = createCipheriv(CIPHER, key, vector);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return PREFIX + Buffer.concat([vector, cipher.getAuthTag(), body]).toString('base64url');
    },
    /** Undefined when it was sealed with another key, or changed since. */
    open(sealed: string): string | undefined {
      const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64url');
      if (!isSealed(sealed) || bytes.length < VECTOR_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, VECTOR_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(VECTOR_BYTES, VECTOR_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(VECTOR_BYTES + TAG_BYTES)), decipher.final()]).toString();
      } catch {
        return undefined;
      }
    },
    /** Names the key without giving it away, for people to compare: `1a2b-3c4d-5e6f-7788`. */
    fingerprint(): string {
      const bytes = Buffer.from(hkdfSync('sha256', key, '', 'pithead: fingerprint of this key', FINGERPRINT_BYTES));
      return bytes.toString('hex').match(/.{4}/g)?.join('-') ?? '';
    },
    /** 32 bytes, the same for the same key and purpose; they give neither the key away nor those for another purpose. */
    derive: (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES)),
  };
}

/** Undefined when there is no such file, it holds no key, or others may read it. */
export function openVault(keyFile: string): Vault | undefined {
  try {
    if (process.platform !== 'win32' && (statSync(keyFile).mode & 0o077) !== 0) return undefined;
    const key = Buffer.from(readSmallFile(keyFile).trim(), 'base64');
    return key.length === KEY_BYTES ? createVault(key) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The vault of this file, with a new key if there is no file yet, or an empty one: no key is lost with that. The key is on the disk before anything
 * can be sealed with it, and all who ask at once get the same. Undefined when there is none and none can be made.
 */
export function openOrCreateVault(keyFile: string): Vault | undefined {
  try {
    createWhole(keyFile, `${randomBytes(KEY_BYTES).toString('base64')}\n`, 0o600);
  } catch {
    // This user may not write here: what can be read decides.
  }
  return openVault(keyFile);
}
