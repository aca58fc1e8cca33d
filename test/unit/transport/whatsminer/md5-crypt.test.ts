import { describe, expect, test } from 'vitest';
import { md5CryptHash } from '../../../../src/transport/whatsminer/md5-crypt.ts';

describe('md5-crypt agrees with published vectors', () => {
  test.each([
    ['hunter2', '1234abcd', 'k941IFPqhCBpKvhOnZqRd/'],
    ['password', '01234567', 'b5lh2mHyD2PdJjFfALlEz1'],
    // Longer than one MD5 block of output: `openssl passwd -1` says the same.
    ['p'.repeat(40), 'salt', 'I7Q3yYwGPpQZdFN5.iPGw/'],
    ['Hello world!', 'saltstri', 'YMyguxXMBpd2TEZ.vS/3q1'],
  ])('%s with %s', (password, salt, hash) => {
    expect(md5CryptHash(password, salt)).toBe(hash);
  });
  test('a salt counts with its first eight bytes, and ends at a dollar', () => {
    expect(md5CryptHash('Hello world!', 'saltstring')).toBe(md5CryptHash('Hello world!', 'saltstri'));
    expect(md5CryptHash('x', 'ab$cd')).toBe(md5CryptHash('x', 'ab'));
  });
  test('an empty password is hashed', () => {
    expect(md5CryptHash('', 'salt')).toMatch(/^[./0-9A-Za-z]{22}$/);
  });
});
