// The backups of an embedded database as files: names, folder, descriptions. It makes and restores none.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';

/** Where and how often backups are made, and how many are kept; 0 = none are made. */
export type BackupSettings = { readonly dir: string; readonly everyMs: number; readonly keep: number };

type BackupFile = { readonly path: string; readonly atMs: number; readonly bytes: number };

export const UNFINISHED = '.unfinished';

const prefixOf = (databasePath: string) => `${basename(databasePath).replace(/\.sqlite$/, '')}-`;
const STAMP = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/;

/** `service-20261122T190958Z.backup` of `service.sqlite`. */
export function backupPath(dir: string, databasePath: string, atMs: number): string {
  const stamp = new Date(atMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return join(dir, `${prefixOf(databasePath)}${stamp}.backup`);
}

/** Newest first; empty where there is no such folder, or this user may not look into it. */
export function listBackups(dir: string, databasePath: string): readonly BackupFile[] {
  const prefix = prefixOf(databasePath);
  return namesIn(dir)
    .flatMap((name): BackupFile[] => {
      const atMs = name.startsWith(prefix) ? timeOf(name.slice(prefix.length)) : undefined;
      const found = atMs === undefined ? undefined : statSync(join(dir, name), { throwIfNoEntry: false });
      return atMs === undefined || !found?.isFile() ? [] : [{ path: join(dir, name), atMs, bytes: found.size }];
    })
    .toSorted((a, b) => b.atMs - a.atMs);
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function timeOf(text: string): number | undefined {
  const parts = STAMP.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second] = parts;
  const atMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isFinite(atMs) ? atMs : undefined;
}

/** Removes what an earlier process could not finish. */
export function removeUnfinished(dir: string, databasePath: string): void {
  const prefix = prefixOf(databasePath);
  for (const name of namesIn(dir))
    if (name.startsWith(prefix) && name.includes(`.backup${UNFINISHED}`)) rmSync(join(dir, name), { force: true });
}

/** Keeps the newest ones, and `made` whatever its time is. */
export function removeOldest(dir: string, databasePath: string, keep: number, made: string): void {
  const others = listBackups(dir, databasePath).filter(({ path }) => path !== made);
  for (const { path } of others.slice(Math.max(0, keep - 1))) rmSync(path, { force: true });
}

/** The description inside a backup; a database that is restored from it does not keep it. */
const aboutSchema = z.object({
  made_at: z.int(),
  version: z.string(),
  /**
   * Of the key that secrets in it are encrypted with, and the file that held it then; null = they are not encrypted.
   */
  key_fingerprint: z.string().nullable(),
  key_file: z.string().nullable(),
});
export type AboutBackup = Readonly<z.output<typeof aboutSchema>>;

export function writeAbout(db: DatabaseSync, about: AboutBackup): void {
  db.exec(
    `CREATE TABLE backup_about (made_at INTEGER NOT NULL, version TEXT NOT NULL, key_fingerprint TEXT, key_file TEXT) STRICT`,
  );
  db.prepare('INSERT INTO backup_about VALUES (:made_at, :version, :key_fingerprint, :key_file)').run(about);
}

/** Undefined for a database that is no backup of ours. */
export function readAbout(db: DatabaseSync): AboutBackup | undefined {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'backup_about'").get();
  return table === undefined ? undefined : aboutSchema.parse(db.prepare('SELECT * FROM backup_about').get());
}

export function forgetAbout(db: DatabaseSync): void {
  db.exec('DROP TABLE IF EXISTS backup_about');
}

/** Of a backup that this user can read and whose description is whole. */
export function aboutOf(path: string): AboutBackup | undefined {
  try {
    using db = new DatabaseSync(path, { readOnly: true });
    return readAbout(db);
  } catch {
    return undefined;
  }
}
