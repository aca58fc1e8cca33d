// What is encrypted can be opened with its key and with no other, and shows nothing of what it holds.
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createVault, isEncrypted, openOrCreateVault, openVault } from '../../../../src/base/storage/vault.ts';

const vault = createVault(Buffer.alloc(32, 1));

test('a text comes back as it was, and twice encrypted is twice different', () => {
  for (const text of ['', 'secret', 'päss: "wörd"\n'.repeat(100)]) {
    const [encrypted, again] = [vault.encrypt(text), vault.encrypt(text)];
    expect(isEncrypted(encrypted)).toBe(true);
    expect(encrypted).not.toBe(again);
    if (text !== '') expect(encrypted).not.toContain(text);
    expect(vault.decrypt(encrypted)).toBe(text);
  }
});

test('another key, a changed letter or a cut end opens nothing', () => {
  const encrypted = vault.encrypt('secret');
  expect(createVault(Buffer.alloc(32, 2)).decrypt(encrypted)).toBeUndefined();
  for (let at = 'encrypted:1:'.length; at < encrypted.length; at++) {
    const changed = encrypted.slice(0, at) + (encrypted[at] === 'A' ? 'B' : 'A') + encrypted.slice(at + 1);
    expect(vault.decrypt(changed) ?? 'nothing').not.toBe('secret!');
    if (at < encrypted.length - 1) expect(vault.decrypt(changed)).toBeUndefined();
  }
  expect(vault.decrypt(encrypted.slice(0, 20))).toBeUndefined();
  expect(vault.decrypt('secret')).toBeUndefined();
});

test('the key is made once, for its owner alone, and not believed when others can read it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-vault-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'keys', 'pithead.key');
  expect(openVault(path)).toBeUndefined();
  const encrypted = openOrCreateVault(path)?.encrypt('secret') ?? '';
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(openOrCreateVault(path)?.decrypt(encrypted)).toBe('secret');
  chmodSync(path, 0o644);
  expect(openVault(path)).toBeUndefined();
});
