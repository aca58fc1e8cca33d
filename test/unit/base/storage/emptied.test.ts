// A database that has lost what was in it is damaged, and no new one: what lies beside it is kept with it.
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openOrSetAside, openSqlite } from '../../../../src/base/storage/sqlite.ts';

const owner = { owner: 'notes', steps: ['CREATE TABLE notes (text TEXT NOT NULL) STRICT'] };
const LONG_AGO_S = 1_700_000_000;

/** A database with one note in its log, as a kill leaves it. */
function makeKilled() {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-emptied-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'notes.sqlite');
  const db = openSqlite(path, [owner]);
  db.exec("INSERT INTO notes VALUES ('kept')");
  const parts = ['', '-wal'].map((part) => ({ part, bytes: readFileSync(`${path}${part}`) }));
  db.close();
  for (const { part, bytes } of parts) writeFileSync(`${path}${part}`, bytes);
  return path;
}

const agePast = (path: string) => {
  for (const part of ['', '-wal'])
    if (existsSync(`${path}${part}`)) utimesSync(`${path}${part}`, LONG_AGO_S, LONG_AGO_S);
};

const WITHOUT_CONTENT: Readonly<Record<string, (path: string) => void>> = {
  'cut to nothing, its log beside it': (path) => truncateSync(path, 0),
  'gone, its log still there': (path) => rmSync(path),
  'without its log, which held all': (path) => {
    truncateSync(path, 4_096);
    rmSync(`${path}-wal`);
  },
};

test.each(Object.entries(WITHOUT_CONTENT))('%s: it is set aside and a new one begins', (_, damage) => {
  const path = makeKilled();
  damage(path);
  agePast(path);
  const log = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : undefined;
  const asides: string[] = [];
  const open = () => openSqlite(path, [owner]);
  using db = openOrSetAside(path, open, (aside) => asides.push(aside.path));
  expect(asides).toEqual([`${path}.damaged`]);
  if (log !== undefined) expect(readFileSync(`${path}.damaged-wal`).equals(log)).toBe(true);
  expect(db.prepare('SELECT count(*) AS n FROM notes').get()).toEqual({ n: 0 });
});

test('one that another program wrote is not taken for ours', () => {
  const path = makeKilled();
  agePast(path);
  expect(() => openSqlite(path, [{ owner: 'others', steps: [] }])).toThrow("nothing of 'others' is in it");
  using db = openSqlite(path, [owner]);
  expect(db.prepare('SELECT text FROM notes').get()).toEqual({ text: 'kept' });
});

test('an empty file of this moment is one that is being made', () => {
  const path = makeKilled();
  rmSync(`${path}-wal`);
  writeFileSync(path, '');
  expect(statSync(path).size).toBe(0);
  openSqlite(path, [owner]).close();
});

test.each([
  ['empty', ''],
  ['without a table', '-wal'],
])('one that a power cut left half made, %s, is made again, and counts as damaged from then on', (_, lost) => {
  const path = makeKilled();
  if (lost === '') truncateSync(path, 0);
  else truncateSync(path, 4_096);
  rmSync(`${path}-wal`);
  writeFileSync(`${path}.making`, '');
  agePast(path);
  openSqlite(path, [owner]).close();
  expect(existsSync(`${path}.making`)).toBe(false);
  truncateSync(path, 0);
  agePast(path);
  expect(() => openSqlite(path, [owner])).toThrow('the file is empty');
});
