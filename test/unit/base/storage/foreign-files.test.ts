// Root in a folder of another user: it follows no link that this user has put there, opens no file of anybody else, and
// what it makes is the user's.
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeFileAtomic } from '../../../../src/base/storage/atomic-file.ts';
import { whyForeign } from '../../../../src/base/storage/foreign-files.ts';
import { takeLock } from '../../../../src/base/storage/lock.ts';
import { openSqlite, setAside } from '../../../../src/base/storage/sqlite.ts';

const AGENT = 61_234;
const OTHER = 61_235;
const isRoot = process.geteuid?.() === 0;

/** The state directory of the agent's user, and a folder that only root may write. */
function newFolders(owner = AGENT) {
  const state = mkdtempSync(join(tmpdir(), 'pithead-foreign-'));
  const elsewhere = mkdtempSync(join(tmpdir(), 'pithead-elsewhere-'));
  onTestFinished(() => {
    for (const folder of [state, elsewhere]) rmSync(folder, { recursive: true, force: true });
  });
  if (isRoot) chownSync(state, owner, owner);
  return { path: join(state, 'service.sqlite'), elsewhere: join(elsewhere, 'planted') };
}

test.runIf(isRoot)('root follows no link of the user: neither to nothing, nor to a file of root', () => {
  const { path, elsewhere } = newFolders();
  symlinkSync(elsewhere, path);
  expect(() => openSqlite(path, [])).toThrow(/it is a link/);
  expect(() => takeLock(path)).toThrow(/it is a link/);
  expect(existsSync(elsewhere)).toBe(false);

  writeFileSync(elsewhere, '', { mode: 0o644 });
  expect(() => openSqlite(path, [])).toThrow(/it is a link/);
  expect(() => takeLock(path)).toThrow(/it is a link/);
  expect(statSync(elsewhere)).toMatchObject({ size: 0, mode: 0o100644 });
});

test.runIf(isRoot)('nor does it open a second name of its own file, or a file of somebody else', () => {
  const { path, elsewhere } = newFolders();
  writeFileSync(elsewhere, '', { mode: 0o644 });
  linkSync(elsewhere, path);
  expect(() => openSqlite(path, [])).toThrow(/second name/);
  rmSync(path);
  writeFileSync(path, '');
  chownSync(path, OTHER, OTHER);
  expect(() => openSqlite(path, [])).toThrow(/belongs to user 61235, its folder to user 61234/);
  expect(statSync(elsewhere).size).toBe(0);
});

test.runIf(isRoot)('what root makes there belongs to the user, with the files beside it', () => {
  const { path } = newFolders();
  const db = openSqlite(path, [{ owner: 'test', steps: ['CREATE TABLE things (name TEXT)'] }]);
  db.exec("INSERT INTO things VALUES ('a')");
  expect([path, `${path}-wal`].map((file) => statSync(file).uid)).toEqual([AGENT, AGENT]);
  db.close();
  openSqlite(path, []).close();
});

test('a link that leads nowhere makes nothing there, whoever opens it', () => {
  const { path, elsewhere } = newFolders(0);
  symlinkSync(elsewhere, path);
  expect(() => openSqlite(path, [])).toThrow(/leads nowhere/);
  expect(() => takeLock(path)).toThrow(/leads nowhere/);
  expect(existsSync(elsewhere)).toBe(false);
});

test('in a folder of their own, people may keep the database elsewhere', () => {
  const { path, elsewhere } = newFolders(0);
  openSqlite(elsewhere, []).close();
  symlinkSync(elsewhere, path);
  openSqlite(path, []).close();
});

test('a file that is replaced whole is never written through a link', () => {
  const { path, elsewhere } = newFolders();
  writeFileSync(elsewhere, 'of root');
  symlinkSync(elsewhere, `${path}.new`);
  writeFileAtomic(path, 'new', 0o600);
  expect([readFileSync(elsewhere, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['of root', 'new']);
  expect(lstatSync(path).isFile()).toBe(true);
});

test('a damaged file that is a link is moved aside as the link, wherever it leads', () => {
  const { path, elsewhere } = newFolders(0);
  symlinkSync(elsewhere, path);
  expect(setAside(path).path).toBe(`${path}.damaged`);
  expect(existsSync(path)).toBe(false);
});

test('a database that others may read is closed to them', () => {
  const { path } = newFolders(0);
  openSqlite(path, []).close();
  chmodSync(path, 0o644);
  openSqlite(path, []).close();
  expect(statSync(path).mode).toBe(0o100600);
});

test('nothing is refused to those who are not root, and nothing in a folder of root', () => {
  const link = { uid: AGENT, nlink: 1, isLink: true, isFile: false };
  expect([whyForeign(link, AGENT, AGENT), whyForeign(link, 0, 0), whyForeign(link, OTHER, AGENT)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const own = { uid: 0, nlink: 1, isLink: false, isFile: true };
  expect(whyForeign(own, AGENT, 0)).toBeUndefined();
  expect(whyForeign({ ...own, isFile: false }, AGENT, 0)).toBe('it is no plain file');
});
