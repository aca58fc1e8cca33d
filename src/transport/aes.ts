// AES with NUL padding, as devices want it. The mode is the devices' choice, not ours.
import { createCipheriv, createDecipheriv } from 'node:crypto';

const BLOCK_BYTES = 16;

/** AES-256-ECB, for both Whatsminer write protocols. Base64 without line breaks of UTF-8; `key` has 32 bytes. */
export function encrypt(text: string, key: Uint8Array): string {
  const plain = Buffer.from(text);
  const padded = Buffer.alloc(Math.ceil(plain.length / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(plain);
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  return Buffer.concat([cipher.update(padded), cipher.final()]).toString('base64');
}

/** The decrypted bytes, padding included; undefined when the text is no whole number of blocks. */
export function decrypt(base64: string, key: Uint8Array): Buffer | undefined {
  const encrypted = Buffer.from(base64, 'base64');
  if (encrypted.length === 0 || encrypted.length % BLOCK_BYTES !== 0) return undefined;
  const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  return Buffer.concat([decipher.update(encrypted), decipher.final()]);
}
