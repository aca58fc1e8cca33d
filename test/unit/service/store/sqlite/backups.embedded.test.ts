// Backups of a database that is in use: made beside everything else, so many kept, none where there is no room; put
// back whole, with the right key.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../../../src/base/log.ts';
import { openOrCreateVault } from '../../../../../src/base/storage/vault.ts';
import { backupPath, listBackups } from '../../../../../src/service/store/sqlite/backup-files.ts';
import { createBackups } from '../../../../../src/service/store/sqlite/backups.ts';
import { restore } from '../../../../../src/service/store/sqlite/restore.ts';
import { openStore, type Store } from '../../../../../src/service/store/store.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';

const HOUR_MS = 3_600_000;
/** Fewer than a day of them. */
const MAX_LOOKS = 8_000;

async function site(rows = 0) {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-backups-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const databasePath = join(folder, 'service.sqlite');
  const keyFile = join(folder, 'pithead.key');
  const vault = openOrCreateVault(keyFile);
  const store = await openStore(databasePath, silentLog, () => vault);
  onTestFinished(() => store.close());
  await store.tenants.ensure({ id: 'w', name: 'W', slug: 'default' }, { id: 'f', name: 'F' }, 1);
  await store.taskKeys.current(() => ({ publicKey: 'public', privateKey: 'private' }), 1);
  const db = new DatabaseSync(databasePath);
  const insert = db.prepare("INSERT INTO events VALUES ('f', -1 - ?1, 'a', NULL, 'moved', ?1, ?2)");
  db.exec('BEGIN');
  for (let row = 0; row < rows; row++) insert.run(row, JSON.stringify({ text: 'x'.repeat(900) }));
  db.exec('COMMIT');
  db.close();
  return { folder, databasePath, keyFile, vault, store, dir: join(folder, 'backups') };
}

type Site = Awaited<ReturnType<typeof site>>;

function backupsOf({ databasePath, dir, vault, keyFile }: Site, freeBytes?: () => number, everyMs = 24 * HOUR_MS) {
  const clock = createVirtualClock();
  const failures: string[] = [];
  const backups = createBackups({
    ...{ databasePath, clock, log: silentLog, settings: { dir, everyMs, keep: 7 } },
    about: { version: '1.2.3', key_fingerprint: vault?.fingerprint() ?? null, key_file: keyFile },
    ...(freeBytes && { freeBytes }),
    onFailure: async (type, reason) => void failures.push(`${type}: ${reason}`),
  });
  void backups.start();
  onTestFinished(() => backups.stop());
  /** Moves on until a backup younger than this instant is there. */
  const next = async () => {
    const before = backups.state().newestAtMs;
    for (let looks = 0; backups.state().newestAtMs === before; looks++) {
      if (looks === MAX_LOOKS) throw new Error(`no backup was made: ${failures.join('; ')}`);
      await clock.advance(10_000);
      // The copy itself takes real time.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return { clock, failures, backups, next };
}

const window = { limit: 10, offset: 0 };
const countEvents = async (store: Store) => (await store.events.list({ farmId: 'f', window })).total;

test('the first soon after the start, then one an interval, for its owner alone, and the newest seven are kept', async () => {
  const here = await site(10);
  // Short, because each look in between takes real time.
  const everyMs = HOUR_MS;
  const { clock, next, backups } = backupsOf(here, undefined, everyMs);
  for (let made = 0; made < 9; made++) {
    await next();
    await clock.advance(everyMs - 60_000);
  }
  // The oldest goes after the newest has come.
  await expect.poll(() => readdirSync(here.dir), { interval: 10 }).toHaveLength(7);
  const files = listBackups(here.dir, here.databasePath);
  expect(files).toHaveLength(7);
  expect(files.map(({ path }) => statSync(path).mode & 0o777)).toEqual(files.map(() => 0o600));
  expect(backups.state()).toEqual({ dir: here.dir, newestAtMs: files[0]?.atMs, failure: undefined });
  const times = files.map(({ atMs }) => atMs).toSorted((a, b) => a - b);
  for (const [index, at] of times.slice(1).entries())
    expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(everyMs - 60_000);
});

test('made while slices are stored it holds up nobody, and holds one moment', async () => {
  const here = await site(60_000);
  const { next } = backupsOf(here);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let isOver = false;
  const writing = (async () => {
    let count = 0;
    for (; !isOver; count++) {
      await here.store.events.recordForService({ type: 'backup_skipped', atMs: count, detail: {} });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return count;
  })();
  delay.enable();
  await next();
  delay.disable();
  isOver = true;
  expect(await writing).toBeGreaterThan(10);
  // A copy in one go of what is 60 MiB here, or a check of it, would stand still for a multiple of this.
  expect(delay.percentile(90) / 1e6).toBeLessThan(50);
  const [made] = listBackups(here.dir, here.databasePath);
  using copy = new DatabaseSync(made?.path ?? '', { readOnly: true });
  expect(copy.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect(copy.prepare("SELECT count(*) AS n FROM events WHERE type = 'moved'").get()).toEqual({ n: 60_000 });
});

test('where twice the database does not fit, none is made; it says so once, and makes one when there is room', async () => {
  const here = await site(100);
  let free = 1024;
  const { clock, failures, backups, next } = backupsOf(here, () => free);
  await clock.advance(10 * 60_000);
  expect(listBackups(here.dir, here.databasePath)).toEqual([]);
  expect(failures).toEqual([
    expect.stringMatching(/^backup_skipped: .*has 1 MiB free, and twice the database is \d+ MiB/),
  ]);
  expect(backups.state().failure).toContain('make room');
  free = 1024 ** 3;
  await next();
  expect(backups.state().failure).toBeUndefined();
});

test('what an earlier process left unfinished is removed; copies of the schema and other files stay', async () => {
  const here = await site(10);
  const { next } = backupsOf(here);
  await next();
  const left = `${backupPath(here.dir, here.databasePath, 0)}.unfinished`;
  const schemaCopy = `${here.databasePath}.schema-1.backup`;
  for (const path of [left, schemaCopy, join(here.dir, 'notes.txt')]) writeFileSync(path, 'x');
  backupsOf(here);
  expect(readdirSync(here.dir).toSorted()).toEqual([
    'notes.txt',
    expect.stringMatching(/^service-\d{8}T\d{6}Z\.backup$/),
  ]);
  expect(readFileSync(schemaCopy, 'utf8')).toBe('x');
});

test('put back it is the database again, what was there is kept, and what came after is declared', async () => {
  const here = await site(10);
  const { next } = backupsOf(here);
  await next();
  await here.store.events.recordForService({ type: 'backup_skipped', atMs: 5, detail: {} });
  await here.store.close();
  const file = listBackups(here.dir, here.databasePath)[0]?.path ?? '';
  const restored = restore({ ...here, file, nowMs: Date.UTC(2026, 5, 1) });
  expect(restored).toMatchObject({ miners: 0, agents: 0, about: { version: '1.2.3' } });
  const store = await openStore(here.databasePath, silentLog, () => here.vault);
  expect(await countEvents(store)).toBe(10);
  await store.close();
  const kept = await openStore(restored.keptAside ?? '', silentLog, () => here.vault);
  expect(await countEvents(kept)).toBe(11);
  await kept.close();
  expect(statSync(here.databasePath).mode & 0o777).toBe(0o600);
});

test('with another key nothing is changed, and both keys are named', async () => {
  const here = await site(10);
  const { next } = backupsOf(here);
  await next();
  await here.store.close();
  const file = listBackups(here.dir, here.databasePath)[0]?.path ?? '';
  const before = readFileSync(here.databasePath);
  const other = openOrCreateVault(join(here.folder, 'other.key'));
  const attempt = () => restore({ ...here, file, vault: other, keyFile: join(here.folder, 'other.key'), nowMs: 1 });
  expect(attempt).toThrow(
    expect.objectContaining({
      problems: [
        {
          path: file,
          message: expect.stringContaining(
            `needs the key ${here.vault?.fingerprint()}, which was in ${here.keyFile} when it was made; ${join(here.folder, 'other.key')} holds the key ${other?.fingerprint()}`,
          ),
        },
      ],
    }),
  );
  expect(readFileSync(here.databasePath).equals(before)).toBe(true);
  expect(readdirSync(here.folder).filter((name) => /restoring|before/.test(name))).toEqual([]);
});

test('a file that is damaged or no database is refused', async () => {
  const here = await site(3_000);
  const { next } = backupsOf(here);
  await next();
  await here.store.close();
  const file = listBackups(here.dir, here.databasePath)[0]?.path ?? '';
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xa5, bytes.length - 400 * 4_096));
  expect(() => restore({ ...here, file, nowMs: 1 })).toThrow(
    expect.objectContaining({ problems: [{ path: file, message: expect.stringContaining('is damaged') }] }),
  );
  writeFileSync(file, 'x'.repeat(5_000));
  expect(() => restore({ ...here, file, nowMs: 1 })).toThrow('restore the database');
  expect(() => restore({ ...here, file: `${file}.gone`, nowMs: 1 })).toThrow('restore the database');
});
