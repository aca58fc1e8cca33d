// A damaged database of the service: cut, overwritten, empty or no database at all, found at the start or while it is
// in use. The service begins anew with another one, and what it had lies beside it.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../../src/base/clock.ts';
import type { Log } from '../../../../../src/base/log.ts';
import { openStorage } from '../../../../../src/service/storage.ts';
import { holdDatabase } from '../../../../../src/service/store/sqlite/database-lock.ts';
import { openStore } from '../../../../../src/service/store/store.ts';

const ROWS = 4_000;

/** A folder with a database that holds some MiB, in one file. */
async function makeDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-damage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const databasePath = join(folder, 'service.sqlite');
  const store = await openStore(databasePath);
  await store.tenants.ensure({ id: 'w', name: 'W', slug: 'default' }, { id: 'f', name: 'F' }, 1);
  await store.close();
  const db = new DatabaseSync(databasePath);
  const insert = db.prepare("INSERT INTO events VALUES ('f', -1 - ?1, 'a', NULL, 'moved', ?1, ?2)");
  db.exec('BEGIN');
  for (let row = 0; row < ROWS; row++) insert.run(row, JSON.stringify({ text: 'x'.repeat(900) }));
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  return databasePath;
}

function recorder() {
  const lines: { level: string; message: string; fields: unknown }[] = [];
  const at = (level: string) => (fields: unknown, message: string) => void lines.push({ level, message, fields });
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return { log, lines, errors: () => lines.filter(({ level }) => level === 'error').map(({ message }) => message) };
}

const openAt = (databasePath: string, log: Log) =>
  openStorage({ databasePath, clock: systemClock, log, version: '0.0.0' });

const overwrite = (path: string, change: (bytes: Buffer) => void) => {
  const bytes = readFileSync(path);
  change(bytes);
  writeFileSync(path, bytes);
};

const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  'cut in the middle': (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  'cut to nothing': (path) => truncateSync(path, 0),
  'all zeros': (path) => overwrite(path, (bytes) => bytes.fill(0)),
  'another file': (path) => writeFileSync(path, 'these are not the bytes of a database '.repeat(200)),
  'a page of noise in the middle': (path) =>
    overwrite(path, (bytes) => bytes.fill(0xa5, Math.floor(bytes.length / 8_192) * 4_096, bytes.length)),
  'a flipped byte in its header': (path) => overwrite(path, (bytes) => void bytes.writeUInt8(0x7f, 18)),
  'a flipped byte in its first page': (path) => overwrite(path, (bytes) => void bytes.writeUInt8(0xff, 103)),
};

test.each(Object.entries(DAMAGES))(
  '%s: it is set aside under its name, and the service begins anew',
  async (_, damage) => {
    const databasePath = await makeDatabase();
    damage(databasePath);
    const before = readFileSync(databasePath);
    const { log, errors } = recorder();
    const storage = await openAt(databasePath, log);
    onTestFinished(() => storage.close());
    expect(readFileSync(`${databasePath}.damaged`).equals(before)).toBe(true);
    expect(errors()).toHaveLength(1);
    expect(errors()[0]).toContain('it is set aside and a new one begins');
    expect(errors()[0]).toContain('There is no backup of it');
    expect(storage.fault()).toBeUndefined();
    expect(await storage.store.tenants.listWorkspaces()).toEqual([]);
    await storage.store.tenants.createWorkspace({ id: 'n', name: 'N', slug: 'n' }, 1);
  },
);

test('the first one that was set aside is kept, whatever is damaged after it', async () => {
  const databasePath = await makeDatabase();
  for (const text of ['first', 'second', 'third']) {
    writeFileSync(databasePath, text.repeat(400));
    await (await openAt(databasePath, recorder().log)).close();
  }
  expect(readFileSync(`${databasePath}.damaged`, 'utf8')).toContain('first');
  expect(readFileSync(`${databasePath}.damaged-later`, 'utf8')).toContain('third');
});

test('damage that shows while it is in use: nothing can be stored, the service is told to end, and the next start is with a new one', async () => {
  const databasePath = await makeDatabase();
  const { log, errors } = recorder();
  const storage = await openAt(databasePath, log);
  expect(storage.damaged?.aborted).toBe(false);
  // Beside the open database, as a failing disk does it; the first pages are in memory.
  overwrite(databasePath, (bytes) => bytes.fill(0xa5, 64 * 4_096));
  const readAll = () => storage.store.events.list({ farmId: 'f', window: { limit: ROWS, offset: 0 } });
  await expect(readAll()).rejects.toThrow();
  // A page that the disk refused to read looks the same, until the disk has read the file.
  expect(storage.fault()).toBe('the disk does not answer');
  expect(storage.damaged?.aborted).toBe(false);
  await storage.store.storage?.probe();
  await expect(readAll()).rejects.toThrow();
  expect(storage.fault()).toBe('the file is damaged');
  expect(storage.damaged?.aborted).toBe(true);
  await storage.close();
  expect(existsSync(databasePath)).toBe(false);
  expect(existsSync(`${databasePath}.damaged`)).toBe(true);
  expect(errors().at(-1)).toContain('it is set aside and a new one begins');
  const anew = await openAt(databasePath, log);
  expect(anew.fault()).toBeUndefined();
  await anew.close();
});

test('a database that is whole, or of a newer version, is never set aside', async () => {
  const databasePath = await makeDatabase();
  const whole = await openAt(databasePath, recorder().log);
  expect((await whole.store.tenants.listWorkspaces()).map(({ id }) => id)).toEqual(['w']);
  await whole.close();
  const db = new DatabaseSync(databasePath);
  db.exec("UPDATE schema_version SET version = 999 WHERE owner = 'service'");
  db.close();
  await expect(openAt(databasePath, recorder().log)).rejects.toThrow('use the newer version');
  expect(existsSync(`${databasePath}.damaged`)).toBe(false);
});

test('two services do not serve one file', async () => {
  const databasePath = await makeDatabase();
  const storage = await openAt(databasePath, recorder().log);
  await expect(holdDatabase(databasePath, 0)).rejects.toThrow('a service runs on it');
  await storage.close();
  await (await openAt(databasePath, recorder().log)).close();
});
