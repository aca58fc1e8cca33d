// What `setup` writes as root into the folder of another user goes through no link of that user.
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeFirstConfig, writeOwn, writePrivate } from '../../../src/cli/setup/config-file.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-setup-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test.runIf(process.geteuid?.() === 0)('root writes through no link', () => {
  const [folder, elsewhere] = [newFolder(), newFolder()];
  chownSync(folder, 61_234, 61_234);
  const target = join(elsewhere, 'of-root');
  writeFileSync(target, 'untouched', { mode: 0o644 });
  for (const name of ['pithead.yaml', 'secrets.yaml']) symlinkSync(target, join(folder, name));
  expect(() => writeOwn(join(folder, 'pithead.yaml'), 'new')).toThrow(/it is a link/);
  expect(() => writePrivate(join(folder, 'secrets.yaml'), 'new')).toThrow(/it is a link/);
  symlinkSync(join(elsewhere, 'not-there'), join(folder, 'other.yaml'));
  expect(() => writeOwn(join(folder, 'other.yaml'), 'new')).toThrow(/it is a link/);
  expect([readFileSync(target, 'utf8'), statSync(target).mode]).toEqual(['untouched', 0o100644]);
});

test.skipIf(process.platform === 'win32')(
  'a file that others could read before is closed when it gets a secret',
  () => {
    const path = join(newFolder(), 'secrets.yaml');
    writeFileSync(path, 'old');
    chmodSync(path, 0o644);
    writePrivate(path, 'a: secret');
    expect([readFileSync(path, 'utf8'), statSync(path).mode]).toEqual(['a: secret', 0o100600]);
  },
);

test('the first configuration stays as it is when it is there', () => {
  const folder = newFolder();
  writeFirstConfig(folder, '/var/lib/pithead');
  writeFileSync(join(folder, 'pithead.yaml'), 'mine');
  writeFirstConfig(folder, '/var/lib/pithead');
  expect(readFileSync(join(folder, 'pithead.yaml'), 'utf8')).toBe('mine');
});
