// The key that an agent proves: kept sealed for its owner alone, the same after a restart, and worth nothing without the key file.
import { createPublicKey, verify } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadIdentityKey, newIdentityKey } from '../../../src/agent/identity-key.ts';
import { ConfigError } from '../../../src/base/errors.ts';
import { proofBytes } from '../../../src/wire/proof.ts';

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-identity-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { path: join(folder, 'agent.identity'), keyFile: join(folder, 'keys', 'key') };
}

test('what is kept proves the same key after a restart, and lies sealed for its owner alone', () => {
  const { path, keyFile } = place();
  const key = newIdentityKey();
  key.keep(path, keyFile);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).toMatch(/^sealed:1:/);
  const proof = loadIdentityKey(path, keyFile)?.('a', 'c') ?? '';
  const publicKey = createPublicKey({ key: Buffer.from(key.publicKey, 'base64'), format: 'der', type: 'spki' });
  expect(verify(null, proofBytes('a', 'c'), publicKey, Buffer.from(proof, 'base64'))).toBe(true);
  expect(verify(null, proofBytes('a', 'd'), publicKey, Buffer.from(proof, 'base64'))).toBe(false);
});

test('an identity from before there were keys has none; one that cannot be opened is told by its file', () => {
  const { path, keyFile } = place();
  expect(loadIdentityKey(path, keyFile)).toBeUndefined();
  newIdentityKey().keep(path, keyFile);
  rmSync(keyFile);
  expect(() => loadIdentityKey(path, keyFile)).toThrow(ConfigError);
});

test('one that cannot be read is not taken for none: the agent would go on without a proof', () => {
  const { path, keyFile } = place();
  mkdirSync(path);
  expect(() => loadIdentityKey(path, keyFile)).toThrow(ConfigError);
});
