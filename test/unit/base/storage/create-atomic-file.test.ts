// A file that is made once: on the disk before its name is there, by one of all who make it at the same time, and never
// in the place of something.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openOrCreateVault, openVault } from '../../../../src/base/storage/vault.ts';

/** What was done to files, in its order, and what stood at the name of the key after each of it. */
const done: { readonly call: string; readonly key: string | undefined }[] = [];
let keyFile = '';
let refusesLinks = false;

/** The functions of the system, seen by whoever imports them. */
function listen() {
  const { openSync, writeFileSync, fsyncSync, linkSync, renameSync } = fs;
  const note = (call: string) => {
    done.push({ call, key: fs.existsSync(keyFile) ? fs.readFileSync(keyFile, 'utf8') : undefined });
  };
  vi.spyOn(fs, 'openSync').mockImplementation((...given) => {
    const descriptor = openSync(...given);
    note('open');
    return descriptor;
  });
  vi.spyOn(fs, 'writeFileSync').mockImplementation((...given) => {
    writeFileSync(...given);
    note('write');
  });
  vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
    fsyncSync(descriptor);
    note(fs.fstatSync(descriptor).isDirectory() ? 'sync folder' : 'sync');
  });
  vi.spyOn(fs, 'linkSync').mockImplementation((...given) => {
    if (refusesLinks) throw new Error('this file system has no links');
    linkSync(...given);
    note('link');
  });
  vi.spyOn(fs, 'renameSync').mockImplementation((...given) => {
    renameSync(...given);
    note('rename');
  });
  syncBuiltinESMExports();
}

beforeEach(() => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'pithead-create-'));
  keyFile = join(folder, 'keys', 'pithead.key');
  refusesLinks = false;
  done.length = 0;
  listen();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    fs.rmSync(folder, { recursive: true, force: true });
  });
});

const WHOLE = /^[A-Za-z0-9+/]{43}=\n$/;

test.each([true, false])(
  'the key is nowhere or whole, and on the disk before it has its name (links: %s)',
  (hasLinks) => {
    refusesLinks = !hasLinks;
    expect(openOrCreateVault(keyFile)).toBeDefined();
    for (const { call, key } of done) if (key !== undefined) expect(key, call).toMatch(WHOLE);
    const named = done.findIndex(({ key }) => key !== undefined);
    const calls = done.map(({ call }) => call);
    expect(calls.slice(0, named)).toContain('write');
    expect(calls.slice(calls.indexOf('write'), named)).toContain('sync');
    if (process.platform !== 'win32') expect(calls.slice(named)).toContain('sync folder');
    expect(fs.readdirSync(join(keyFile, '..'))).toEqual(['pithead.key']);
  },
);

test.each([true, false])('an empty file, as a power cut leaves it, is no key for ever (links: %s)', (hasLinks) => {
  refusesLinks = !hasLinks;
  fs.mkdirSync(join(keyFile, '..'));
  fs.closeSync(fs.openSync(keyFile, 'w', 0o600));
  const encrypted = openOrCreateVault(keyFile)?.encrypt('secret') ?? '';
  expect(openOrCreateVault(keyFile)?.decrypt(encrypted)).toBe('secret');
  expect(fs.readdirSync(join(keyFile, '..'))).toEqual(['pithead.key']);
});

test('a file with something in it stays as it is, also when it is no key', () => {
  fs.mkdirSync(join(keyFile, '..'));
  fs.writeFileSync(keyFile, 'half of a k', { mode: 0o600 });
  expect(openOrCreateVault(keyFile)).toBeUndefined();
  expect(fs.readFileSync(keyFile, 'utf8')).toBe('half of a k');
});

test('processes that begin at once have the same key', async () => {
  const module = JSON.stringify(new URL('../../../../src/base/storage/vault.ts', import.meta.url).href);
  // They wait for a byte, so that what they took to start makes no difference.
  const program = `
    import { openOrCreateVault } from ${module};
    process.stdin.once('data', () => {
      process.stdout.write(openOrCreateVault(${JSON.stringify(keyFile)})?.encrypt('secret') ?? 'none');
      process.exit();
    });
    process.stderr.write('ready');`;
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'pipe' }),
  );
  await Promise.all(children.map(({ stderr }) => new Promise((resolve) => stderr.once('data', resolve))));
  for (const { stdin } of children) stdin.write('go');
  const encrypted = await Promise.all(children.map(({ stdout }) => text(stdout)));
  expect(encrypted.map((each) => openVault(keyFile)?.decrypt(each))).toEqual(children.map(() => 'secret'));
});
