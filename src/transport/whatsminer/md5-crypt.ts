// The classic Unix `$1$` password scheme, from which Whatsminer derives keys. Not for storing passwords. The npm
// packages for it are unmaintained or differ; the published vectors are in the test.
import { createHash } from 'node:crypto';

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ROUNDS = 1_000;
const MAX_SALT_BYTES = 8;
/** Which digest bytes make each group of the text, high byte first; the last group is byte 11 alone. */
const GROUPS = [
  [0, 6, 12],
  [1, 7, 13],
  [2, 8, 14],
  [3, 9, 15],
  [4, 10, 5],
] as const;

const md5 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** The last 22 characters of md5-crypt(password, `$1$salt$`). Longer salts count with their first 8 bytes. */
export function md5CryptHash(password: string, salt: string): string {
  const key = Buffer.from(password);
  const saltBytes = Buffer.from(salt.split('$')[0] ?? '').subarray(0, MAX_SALT_BYTES);
  const inner = md5(key, saltBytes, key);
  const parts: Uint8Array[] = [key, Buffer.from('$1$'), saltBytes];
  for (let left = key.length; left > 0; left -= 16) parts.push(inner.subarray(0, Math.min(left, 16)));
  // An oddity of the original program: a zero byte or the first byte of the password, by the bits of its length.
  for (let bits = key.length; bits > 0; bits >>= 1) parts.push(bits & 1 ? Buffer.alloc(1) : key.subarray(0, 1));
  let digest = md5(...parts);
  for (let round = 0; round < ROUNDS; round++) {
    digest = md5(
      round & 1 ? key : digest,
      ...(round % 3 ? [saltBytes] : []),
      ...(round % 7 ? [key] : []),
      round & 1 ? digest : key,
    );
  }
  const at = (index: number) => digest[index] ?? 0;
  const groups = GROUPS.map(([high, middle, low]) => toText((at(high) << 16) | (at(middle) << 8) | at(low), 4));
  return groups.join('') + toText(at(11), 2);
}

function toText(value: number, length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += ALPHABET[(value >> (6 * i)) & 63];
  return text;
}
