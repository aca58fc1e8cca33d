// Keys, tokens and codes: their form, their comparison, what passes for one.
import { expect, test } from 'vitest';
import {
  apiKeyId,
  hashEnrolmentCode,
  hashSecret,
  isSecretOf,
  newAgentToken,
  newApiKey,
  newEnrolmentCode,
} from '../../../../src/service/auth/secrets.ts';

test('a key carries its id, and only its hash is needed to know it again', () => {
  const { id, text, hash } = newApiKey();
  expect(text).toMatch(/^phk_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/);
  expect(apiKeyId(text)).toBe(id);
  expect(hash).not.toContain(text.slice(13));
  expect(isSecretOf(text, hash)).toBe(true);
  expect(isSecretOf(`${text}x`, hash)).toBe(false);
  expect(isSecretOf(newApiKey().text, hash)).toBe(false);
  expect(isSecretOf(text, '')).toBe(false);
  expect(isSecretOf(text, 'not hex')).toBe(false);
});

test.each([
  '',
  'phk_',
  'phk_1234567_abcdefghijklmnopqrstuvwxyz',
  'PHK_12345678_abcdefghijklmnopqrstuvwxyz',
  'phk_12345678_',
  "phk_12345678_' OR 1=1 --aaaaaaaaaaaaaaa",
])('%j is no key', (text) => {
  expect(apiKeyId(text)).toBeUndefined();
});

test('no two secrets are alike', () => {
  const texts = Array.from({ length: 50 }, () => [
    newApiKey().text,
    newAgentToken().text,
    newEnrolmentCode().text,
  ]).flat();
  expect(new Set(texts).size).toBe(150);
});

test('a code is the same however it is typed', () => {
  const { text, hash } = newEnrolmentCode();
  expect(text).toMatch(/^([0-9A-F]{4}-){7}[0-9A-F]{4}$/);
  for (const typed of [text, text.toLowerCase(), text.replaceAll('-', ''), ` ${text.replaceAll('-', ' ')} `])
    expect(hashEnrolmentCode(typed)).toBe(hash);
  expect(hashSecret(text)).not.toBe(hash);
});
