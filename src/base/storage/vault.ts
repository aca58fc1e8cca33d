// Secrets at rest: texts encrypted with AES-256-GCM under a key in a file of its own, away from the data. A copy of the
// data alone (a backup, a lost disk) gives nothing away; both files together do.
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { createFileAtomic } from './atomic-file.ts';
import { readSmallFile } from './plain-file.ts';

export type Vault = ReturnType<typeof createVault>;

const PREFIX = 'sealed:1:';
const CIPHER = 'aes-256-gcm';
const [KEY_BYTES, VECTOR_BYTES, TAG_BYTES, FINGERPRINT_BYTES] = [32, 12, 16, 8];

export const isEncrypted = (text: string): boolean => text.startsWith(PREFIX);

/** Text as it is kept: encrypted where there is a key. */
export const encryptWith = (vault: Vault | undefined, text: string): string => vault?.encrypt(text) ?? text;

/**
 * The text of one that is stored encrypted or, from a time without a key, in plain text. Undefined when it cannot be
 * decrypted.
 */
export const decryptWith = (vault: Vault | undefined, kept: string): string | undefined =>
  isEncrypted(kept) ? vault?.decrypt(kept) : kept;

export function createVault(bytes: Uint8Array) {
  // To take bytes for a key costs more than to encrypt a short text with it.
  const key = createSecretKey(bytes);
  return {
    encrypt(text: string): string {
      const vector = randomBytes(VECTOR_BYTES);
      const cipher = createCipheriv(CIPHER, key, vector);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return PREFIX + Buffer.concat([vector, cipher.getAuthTag(), body]).toString('base64url');
    },
    /** Undefined when it was encrypted with another key, or changed since. */
    decrypt(encrypted: string): string | undefined {
      const kept = Buffer.from(encrypted.slice(PREFIX.length), 'base64url');
      if (!isEncrypted(encrypted) || kept.length < VECTOR_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv(CIPHER, key, kept.subarray(0, VECTOR_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAuthTag(kept.subarray(VECTOR_BYTES, VECTOR_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(kept.subarray(VECTOR_BYTES + TAG_BYTES)), decipher.final()]).toString();
      } catch {
        return undefined;
      }
    },
    /** Names the key without giving it away, for people to compare: `1a2b-3c4d-5e6f-7788`. */
    fingerprint(): string {
      const print = Buffer.from(hkdfSync('sha256', key, '', 'pithead: fingerprint of this key', FINGERPRINT_BYTES));
      return print.toString('hex').match(/.{4}/g)?.join('-') ?? '';
    },
    /**
     * 32 bytes, the same for the same key and purpose. They reveal neither the key nor the bytes of another purpose.
     */
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
 * The vault of this file. Makes a new key where there is no file or an empty one: no key is lost with that. The key is
 * on the disk before it encrypts anything, and all processes that ask at once get the same. Undefined when no key can
 * be made.
 */
export function openOrCreateVault(keyFile: string): Vault | undefined {
  try {
    createFileAtomic(keyFile, `${randomBytes(KEY_BYTES).toString('base64')}\n`, 0o600);
  } catch {
    // This user may not write here: what can be read decides.
  }
  return openVault(keyFile);
}
