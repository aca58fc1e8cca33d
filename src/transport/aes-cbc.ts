// AES-128-CBC with a vector of zeros and NUL padding, as web pages of miners seal a password before they send it. It hides nothing: the key is
// part of the page. The mode is the devices' choice, not ours.
import { createCipheriv } from 'node:crypto';

const BLOCK_BYTES = 16;

/** Lower-case hex of the sealed UTF-8 text; `key` has 16 ASCII characters. */
export function sealCbc(text: string, key: string): string {
  const plain = Buffer.from(text);
  const padded = Buffer.alloc(Math.ceil(plain.length / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(plain);
  const cipher = createCipheriv('aes-128-cbc', Buffer.from(key), Buffer.alloc(BLOCK_BYTES)).setAutoPadding(false);
  return Buffer.concat([cipher.update(padded), cipher.final()]).toString('hex');
}
