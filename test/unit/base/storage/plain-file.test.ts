// Small files that are none: what would be waited for or read for ever is refused at once, with its name.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFileAtomic } from '../../../../src/base/storage/atomic-file.ts';
import { takeLock } from '../../../../src/base/storage/lock.ts';
import { readSmallFile } from '../../../../src/base/storage/plain-file.ts';
import { openSqlite, throwIfNoDatabase } from '../../../../src/base/storage/sqlite.ts';

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-plain-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'file');
}

const NO_FILES: Readonly<Record<string, readonly [make: (path: string) => void, why: string]>> = {
  'a pipe': [(path) => execFileSync('mkfifo', [path]), 'a pipe, a socket or a device'],
  'a device': [(path) => symlinkSync('/dev/zero', path), 'a pipe, a socket or a device'],
  'a folder': [(path) => mkdirSync(path), 'it is a folder'],
  'a link to nothing': [(path) => symlinkSync(`${path}.gone`, path), 'a link that leads nowhere'],
  'a link to itself': [(path) => symlinkSync(path, path), 'a link that leads nowhere'],
};
const OPENERS: Readonly<Record<string, (path: string) => unknown>> = {
  'read as a text': readSmallFile,
  'made as a text': (path) => createFileAtomic(path, 'text', 0o600),
  'opened as a database': (path) => openSqlite(path, []),
  'looked at as a database': throwIfNoDatabase,
  'taken as a lock': takeLock,
};

test
  .skipIf(process.platform === 'win32')
  .each(
    Object.entries(NO_FILES).flatMap(([what, [make, why]]) =>
      Object.entries(OPENERS).map(([how, open]) => ({ what, how, make, why, open })),
    ),
  )('$what, $how, is refused with its name and why', ({ make, why, open }) => {
  const path = newPath();
  make(path);
  expect(() => open(path)).toThrow(path);
  expect(() => open(path)).toThrow(why);
});

test.skipIf(process.platform === 'win32').each(['-wal', '-shm'])(
  'so is what lies beside a database as its %s',
  (part) => {
    const path = newPath();
    openSqlite(path, []).close();
    mkdirSync(`${path}${part}`);
    expect(() => openSqlite(path, [])).toThrow(`${path}${part}: it is a folder`);
  },
);

test('a file of more bytes than any of ours is not read', () => {
  const path = newPath();
  writeFileSync(path, '');
  truncateSync(path, 5 * 1024 ** 3);
  expect(() => readSmallFile(path)).toThrow(/it has 5368709120 bytes/);
});
