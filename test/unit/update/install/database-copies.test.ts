// The way back for data: only if the new version changed what the old one must read, then all databases together, and
// again after a kill.
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import { restoreDatabases, saveDatabases } from '../../../../src/update/install/database-copies.ts';
import { tempFolder } from '../release.ts';

const STEPS = ['CREATE TABLE facts (id INTEGER PRIMARY KEY, fact TEXT) STRICT', 'DROP TABLE facts'];
const NAMES = ['agent.sqlite', 'service.sqlite'];

function farm(): string {
  const folder = join(tempFolder(), 'state');
  mkdirSync(folder, { mode: 0o700 });
  for (const name of NAMES) put(folder, name, 'before');
  return folder;
}
function put(folder: string, name: string, fact: string): void {
  const database = openSqlite(join(folder, name), [{ owner: 'facts', steps: STEPS.slice(0, 1) }]);
  database.prepare('INSERT INTO facts (fact) VALUES (?)').run(fact);
  database.close();
}
function facts(folder: string, name: string): unknown[] {
  const database = new DatabaseSync(join(folder, name));
  const rows = database.prepare('SELECT fact FROM facts ORDER BY id').all();
  database.close();
  return rows.map(({ fact }) => fact);
}
const migrate = (folder: string, name: string) =>
  openSqlite(join(folder, name), [{ owner: 'facts', steps: STEPS }]).close();

test('data that the old version can read is left alone, with what the new one added', () => {
  const folder = farm();
  saveDatabases(folder);
  put(folder, 'agent.sqlite', 'since');
  expect(restoreDatabases(folder)).toEqual([]);
  expect(facts(folder, 'agent.sqlite')).toEqual(['before', 'since']);
});

test('one that was migrated brings all of them back: they belong together', () => {
  const folder = farm();
  saveDatabases(folder);
  put(folder, 'agent.sqlite', 'since');
  migrate(folder, 'service.sqlite');
  expect(restoreDatabases(folder).toSorted()).toEqual(NAMES);
  for (const name of NAMES) expect(facts(folder, name)).toEqual(['before']);
  expect(restoreDatabases(folder)).toEqual([]);
});

test('a database that only the new version has goes with the way back', () => {
  const folder = farm();
  saveDatabases(folder);
  put(folder, 'new.sqlite', 'of the new version');
  expect(restoreDatabases(folder)).toEqual([]);
  expect(existsSync(join(folder, 'new.sqlite'))).toBe(true);
  migrate(folder, 'agent.sqlite');
  restoreDatabases(folder);
  expect(existsSync(join(folder, 'new.sqlite'))).toBe(false);
});

test.each([
  ['is damaged', (path: string) => writeFileSync(path, 'nonsense')],
  ['belongs to a new owner too', (path: string) => openSqlite(path, [{ owner: 'new', steps: ['SELECT 1'] }]).close()],
])('one that %s comes back', (_, spoil) => {
  const folder = farm();
  saveDatabases(folder);
  spoil(join(folder, 'service.sqlite'));
  expect(restoreDatabases(folder).toSorted()).toEqual(NAMES);
  expect(facts(folder, 'service.sqlite')).toEqual(['before']);
});

test('a log that a killed new version left is not played over the copy', () => {
  const folder = farm();
  saveDatabases(folder);
  const open = openSqlite(join(folder, 'service.sqlite'), [{ owner: 'facts', steps: STEPS }]);
  expect(existsSync(join(folder, 'service.sqlite-wal'))).toBe(true);
  restoreDatabases(folder);
  expect(facts(folder, 'service.sqlite')).toEqual(['before']);
  open.close();
});

test('what a kill left half done is done to its end', () => {
  const folder = farm();
  saveDatabases(folder);
  put(folder, 'agent.sqlite', 'since');
  // The migrated one is back already, the other is not: by itself nothing shows that.
  writeFileSync(join(folder, 'before-update', 'restoring'), '');
  expect(restoreDatabases(folder).toSorted()).toEqual(NAMES);
  expect(facts(folder, 'agent.sqlite')).toEqual(['before']);
  expect(readdirSync(join(folder, 'before-update')).toSorted()).toEqual(NAMES);
});

test('there is one copy, for its owner alone, and a failed one does not replace it', () => {
  const folder = farm();
  saveDatabases(folder);
  put(folder, 'agent.sqlite', 'since');
  saveDatabases(folder);
  expect(readdirSync(folder).filter((name) => name.startsWith('before'))).toEqual(['before-update']);
  expect(statSync(join(folder, 'before-update')).mode & 0o777).toBe(0o700);
  expect(facts(join(folder, 'before-update'), 'agent.sqlite')).toEqual(['before', 'since']);
  writeFileSync(join(folder, 'service.sqlite'), 'nonsense');
  expect(() => saveDatabases(folder)).toThrow();
  expect(facts(join(folder, 'before-update'), 'service.sqlite')).toEqual(['before']);
});

test('a host without databases has nothing to copy and nothing to put back', () => {
  const folder = tempFolder();
  expect(saveDatabases(folder)).toEqual([]);
  expect(restoreDatabases(folder)).toEqual([]);
});
