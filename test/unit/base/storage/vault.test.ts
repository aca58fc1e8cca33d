// What is sealed can be opened with its key and with no other, and shows nothing of what it holds.
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createVault, isSealed, openOrCreateVault, openVault } from '../../../../src/base/storage/vault.ts';

const vault = createVault(Buffer.alloc(32, 1));

test('a text comes back as it was, and twice sealed is twice different', () => {
  for (const text of ['', 'secret', 'päss: "wörd"\n'.repeat(100)]) {
    const [sealed, again] = [vault.seal(text), vault.seal(text)];
    expect(isSealed(sealed)).toBe(true);
    expect(sealed).not.toBe(again);
    if (text !== '') expect(sealed).not.toContain(text);
    expect(vault.open(sealed)).toBe(text);
  }
});

test('another key, a changed letter or a cut end opens nothing', () => {
  const sealed = vault.seal('secret');
  expect(createVault(Buffer.alloc(32, 2)).open(sealed)).toBeUndefined();
  for (let at = 'sealed:1:'.length; at < sealed.length; at++) {
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
    expect(vault.open(changed) ?? 'nothing').not.toBe('secret!');
    if (at < sealed.length - 1) expect(vault.open(changed)).toBeUndefined();
  }
  expect(vault.open(sealed.slice(0, 20))).toBeUndefined();
  expect(vault.open('secret')).toBeUndefined();
});

test('the key is made once, for its owner alone, and not believed when others can read it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-vault-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'keys', 'pithead.key');
  expect(openVault(path)).toBeUndefined();
  const sealed = openOrCreateVault(path)?.seal('secret') ?? '';
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(openOrCreateVault(path)?.open(sealed)).toBe('secret');
  chmodSync(path, 0o644);
  expect(openVault(path)).toBeUndefined();
});
