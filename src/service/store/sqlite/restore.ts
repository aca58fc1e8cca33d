// Replaces an embedded database that no service has open by a backup. The backup is copied beside the database and
// checked there as a whole, so that exactly what was checked is used; the old database is kept under another name.
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { ConfigError, renderError } from '../../../base/errors.ts';
import { giveToFolderOwner } from '../../../base/storage/foreign-files.ts';
import { throwIfDamaged, throwIfNoDatabase } from '../../../base/storage/sqlite.ts';
import { syncFile, syncFolder } from '../../../base/storage/sync.ts';
import { isEncrypted, type Vault } from '../../../base/storage/vault.ts';
import { STEPS } from '../migrations/migrations.ts';
import { type AboutBackup, forgetAbout, readAbout } from './backup-files.ts';

type Restored = {
  /** Undefined for a file without a description, such as one that was set aside. */
  readonly about: AboutBackup | undefined;
  readonly miners: number;
  readonly apiKeys: number;
  readonly agents: number;
  /** Whether it knows the agent of this host; undefined where there is none. */
  readonly knowsOwnAgent: boolean | undefined;
  /** Where the database lies that was there before; undefined = there was none. */
  readonly keptAside: string | undefined;
  /** Head of its audit trail, as `seq:hash`: what was done after the backup is only there. */
  readonly lostHead: string | undefined;
};

type RestoreRequest = {
  readonly file: string;
  readonly databasePath: string;
  /** The key of this host, and the file that it should lie in. */
  readonly vault: Vault | undefined;
  readonly keyFile: string | undefined;
  /** Id of the agent that runs in the process of the service; undefined where there is none. */
  readonly ownAgent?: string | undefined;
  readonly nowMs: number;
};

/**
 * The caller must hold the lock of the database. Throws ConfigError when the file is no whole database of a service, or
 * needs another key; then nothing has changed.
 */
export function restore({ file, databasePath, ...request }: RestoreRequest): Restored {
  const copy = copyOf(databasePath);
  removeAll(copy);
  try {
    copyWhole(file, copy);
    const found = prepare(copy, { file, ...request });
    syncFile(copy);
    const lostHead = trailHeadOf(databasePath);
    const keptAside = keepBeside(databasePath, `${databasePath}.before-${stampOf(request.nowMs)}`);
    renameSync(copy, databasePath);
    syncFolder(dirname(databasePath));
    return { ...found, keptAside, lostHead };
  } finally {
    removeAll(copy);
  }
}

/**
 * Gives the database a second name; its first one goes to the copy in one step, so that after a kill at any time one of
 * both is there. What its log holds comes into the file first, or stays beside the second name: by the first one, it
 * would be taken for the log of the copy. Gives the second name, undefined where there is no database.
 */
function keepBeside(databasePath: string, kept: string): string | undefined {
  emptyLog(databasePath);
  const log = `${databasePath}-wal`;
  const hasLog = (lstatSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const hasFile = lstatSync(databasePath, { throwIfNoEntry: false }) !== undefined;
  if (hasFile) secondName(databasePath, kept);
  if (hasLog) secondName(log, `${kept}-wal`);
  syncFolder(dirname(databasePath));
  for (const part of ['-wal', '-shm']) rmSync(`${databasePath}${part}`, { force: true });
  return hasFile || hasLog ? kept : undefined;
}

/** As far as the database is whole. */
function emptyLog(databasePath: string): void {
  try {
    throwIfNoDatabase(databasePath);
    using db = new DatabaseSync(databasePath, { timeout: 5_000 });
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Its log is kept beside it.
  }
}

/** Undefined where there is none, or the database cannot be read. */
function trailHeadOf(databasePath: string): string | undefined {
  try {
    using db = new DatabaseSync(databasePath, { readOnly: true, timeout: 5_000 });
    const row = db.prepare('SELECT seq, hash FROM audit_head WHERE one = 1').get();
    return row === undefined ? undefined : `${row.seq}:${row.hash}`;
  } catch {
    return undefined;
  }
}

function secondName(path: string, name: string): void {
  try {
    linkSync(path, name);
  } catch {
    // Not every file system has links.
    copyFileSync(path, name, constants.COPYFILE_EXCL);
    syncFile(name);
  }
}

/** What a kill has left of a restore that did not get to its end. The caller must hold the lock of the database. */
export const removeUnfinishedRestore = (databasePath: string): void => removeAll(copyOf(databasePath));

const copyOf = (databasePath: string) => `${databasePath}.restoring`;

const stampOf = (nowMs: number) => new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');

function removeAll(path: string): void {
  for (const part of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${part}`, { force: true });
}

const unfit = (file: string, message: string, cause?: unknown): ConfigError =>
  new ConfigError('restore the database', [{ path: file, message }], cause);

/** With what lies beside it: a database that was set aside may have its newest part there. */
function copyWhole(file: string, copy: string): void {
  if (!existsSync(file)) throw unfit(file, 'there is no such file; `pithead restore --list` shows the backups');
  try {
    throwIfNoDatabase(file);
    for (const part of ['', '-wal'])
      if (existsSync(`${file}${part}`)) copyFileSync(`${file}${part}`, `${copy}${part}`, constants.COPYFILE_EXCL);
  } catch (error) {
    throw unfit(file, `cannot be used: ${renderError(error)}`, error);
  }
  const descriptor = openSync(copy, 'r+');
  try {
    fchmodSync(descriptor, 0o600);
    giveToFolderOwner(descriptor, copy);
  } finally {
    closeSync(descriptor);
  }
}

const countsSchema = z.object({ miners: z.int(), apiKeys: z.int(), agents: z.int() });
const COUNTS = `SELECT (SELECT count(*) FROM miners) AS miners, (SELECT count(*) FROM api_keys WHERE revoked_at IS NULL) AS apiKeys,
  (SELECT count(*) FROM agents WHERE revoked_at IS NULL) AS agents`;
const versionSchema = z.object({ version: z.int() });

/** The copy is checked from end to end and made one file, without its description as a backup. */
function prepare(copy: string, request: Omit<RestoreRequest, 'databasePath'>) {
  using db = openCopy(copy, request.file);
  const about = readAbout(db);
  mustOpen(db, about, request);
  const counts = countsSchema.parse(db.prepare(COUNTS).get());
  declareGaps(db, about?.made_at ?? request.nowMs, request.nowMs);
  forgetAbout(db);
  db.exec('PRAGMA journal_mode = DELETE');
  return { about, ...counts, knowsOwnAgent: request.ownAgent === undefined ? undefined : knows(db, request.ownAgent) };
}

const knows = (db: DatabaseSync, agentId: string): boolean =>
  db.prepare('SELECT 1 FROM agents WHERE id = ?').get(agentId) !== undefined;

function openCopy(copy: string, file: string): DatabaseSync {
  const db = new DatabaseSync(copy);
  try {
    throwIfDamaged(db, file);
    const { version } = versionSchema.parse(
      db.prepare("SELECT version FROM schema_version WHERE owner = 'service'").get(),
    );
    if (version > STEPS.length)
      throw unfit(file, `has schema ${version}, this version knows ${STEPS.length}: use the newer version of Pithead`);
    return db;
  } catch (error) {
    db.close();
    if (error instanceof ConfigError) throw error;
    throw unfit(file, `is damaged, or no database of a service: ${renderError(error)}. Take an older one`, error);
  }
}

/** Throws ConfigError when what is encrypted in it cannot be opened with the key of this host. */
function mustOpen(
  db: DatabaseSync,
  about: AboutBackup | undefined,
  { file, vault, keyFile = '(no key file)' }: Pick<RestoreRequest, 'file' | 'vault' | 'keyFile'>,
): void {
  const row = db.prepare('SELECT private_key AS text FROM task_keys ORDER BY id DESC LIMIT 1').get();
  const encrypted = row === undefined ? undefined : String(row.text);
  if (encrypted === undefined || !isEncrypted(encrypted) || vault?.decrypt(encrypted) !== undefined) return;
  const needed =
    about?.key_fingerprint == null
      ? 'the key that it was encrypted with'
      : `the key ${about.key_fingerprint}, which was in ${about.key_file ?? 'a key file'} when it was made`;
  const own =
    vault === undefined
      ? `${keyFile} holds no key that this user may read`
      : `${keyFile} holds the key ${vault.fingerprint()}`;
  throw unfit(
    file,
    `needs ${needed}; ${own}. Put that key file back, or name it in credentials.keyFile; nothing was changed`,
  );
}

/** What the agents reported after the backup is not in it, and they have it no more. */
function declareGaps(db: DatabaseSync, madeAtMs: number, nowMs: number): void {
  db.prepare(
    `INSERT INTO gaps (agent_id, epoch, seq, from_at, to_at, reason, count)
     SELECT agents.id, '', 0, min(coalesce((SELECT max(updated_at) FROM ingest_cursors WHERE agent_id = agents.id), ?), ?), ?, 'restored', NULL
     FROM agents WHERE revoked_at IS NULL`,
  ).run(madeAtMs, nowMs, nowMs);
}
