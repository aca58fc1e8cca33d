// AES with NUL padding, as devices want it. The modes are the devices' choice, not ours.
import { createCipheriv, createDecipheriv } from 'node:crypto';

const BLOCK_BYTES = 16;

function encryptPadded(
  mode: 'aes-128-cbc' | 'aes-256-ecb',
  text: string,
  key: Uint8Array,
  vector: Buffer | null,
): Buffer {
  const plain = Buffer.from(text);
  const padded = Buffer.alloc(Math.ceil(plain.length / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(plain);
  const cipher = createCipheriv(mode, key, vector).setAutoPadding(false);
  return Buffer.concat([cipher.update(padded), cipher.final()]);
}

/**
 * AES-128-CBC with a vector of zeros, as web pages of miners encrypt a password before they send it. It hides nothing: the key is part of the page.
 * Lower-case hex of the UTF-8 text; `key` has 16 ASCII characters.
 */
export const sealCbc = (text: string, key: string): string =>
  encryptPadded('aes-128-cbc', text, Buffer.from(key), Buffer.alloc(BLOCK_BYTES)).toString('hex');

/** AES-256-ECB, as both Whatsminer write protocols want it. Base64 without line breaks of the UTF-8 text; `key` has 32 bytes. */
export const seal = (text: string, key: Uint8Array): string =>
  encryptPadded('aes-256-ecb', text, key, null).toString('base64');

/** The bytes that `seal` encrypted with their padding still on, or undefined when the text is no whole number of blocks. */
export function unseal(base64: string, key: Uint8Array): Buffer | undefined {
  const sealed = Buffer.from(base64, 'base64');
  if (sealed.length === 0 || sealed.length % BLOCK_BYTES !== 0) return undefined;
  const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  return Buffer.concat([decipher.update(sealed), decipher.final()]);
}
