// The device's own ciphers against vectors of another implementation (openssl passwd -1, openssl enc -aes-256-ecb).
import { expect, test } from 'vitest';
import { md5CryptHash, seal, sha256, unseal } from './farm-crypt.ts';

test.each([
  ['admin', 'BQ5hoXV9', 'RxmaDUO33TS7O26yeMHZ81'],
  ['admin', 'ab', 'XAY7Cxo/ue.AAKn2rbkP3.'],
  ['a longer password than sixteen', 'BQ5hoXV9', 'UO4L6OhNk2f5uJEGA0tys/'],
  ['a longer password than sixteen', 'ab', '3NTp/gS8AlNfUacMUFbYu/'],
  ['', '12345678', 'xek.CpjQUVgdf/P2N9KQf/'],
])('md5-crypt of %j with salt %s', (password, salt, hash) => {
  expect(md5CryptHash(password, salt)).toBe(hash);
});

test('a salt counts with its first eight characters', () => {
  expect(md5CryptHash('admin', 'BQ5hoXV9more')).toBe(md5CryptHash('admin', 'BQ5hoXV9'));
});

test('encryption is AES-256-ECB with zero padding', () => {
  expect(seal('{"cmd":"reboot"}', sha256('key'))).toBe('OBWQ/fT6sM2SyAp2fiYauw==');
});

test('what is sealed with one key opens with it and with no other', () => {
  const text = '{"cmd":"set_led","param":"auto"}!';
  expect(unseal(seal(text, sha256('a')), sha256('a'))).toBe(text.slice(0, -1));
  expect(unseal(seal(text, sha256('a')), sha256('b'))).not.toContain('set_led');
  expect(unseal('AAAA', sha256('a'))).toBeUndefined();
});
