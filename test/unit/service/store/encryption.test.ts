// What the service keeps of a request with a password: whoever has the database alone can try no guess on it.
import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createVault } from '../../../../src/base/storage/vault.ts';
import { createEncryption } from '../../../../src/service/store/encryption.ts';

const BODY = '{"params":{"password":"n3w-Pa55"}}';
const withKey = (byte: number) => createEncryption(createVault(Buffer.alloc(32, byte)));

test('with a key, a text has one digest, which says nothing without the key', () => {
  const digest = withKey(1).digest(BODY);
  expect(withKey(1).digest(BODY)).toBe(digest);
  expect(withKey(1).digest(`${BODY} `)).not.toBe(digest);
  expect(withKey(2).digest(BODY)).not.toBe(digest);
  expect(digest).not.toBe(hash('sha256', BODY));
});

test('without a key texts are told apart all the same', () => {
  const { digest } = createEncryption(undefined);
  expect(digest(BODY)).toBe(digest(BODY));
  expect(digest(BODY)).not.toBe(digest(`${BODY} `));
});
