// Opens a node:sqlite database as durably as we promise: WAL, synchronous FULL (read back), foreign keys, numbered
// migrations per owner. It knows no table: each owner brings its own migrations, and no other module touches its
// tables.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { systemClock } from '../clock.ts';
import { BugError, DatabaseError } from '../errors.ts';
import { giveToFolderOwner, refuseForeign } from './foreign-files.ts';
import { canBeRead } from './open-file.ts';
import { syncFolder } from './sync.ts';

/** Tables of one owner. `steps[n]` brings its schema from version n to n + 1; steps are never edited once released. */
export type Migrations = { readonly owner: string; readonly steps: readonly string[] };

export type Statements = Pick<DatabaseSync, 'prepare'>;

/** What the log of a database may keep of the disk once its content is in the file. */
const MAX_LOG_BYTES = 4 * 1024 * 1024;
const CHECKPOINT_PAGES = 512;

/** For databases that are read seldom: a quarter of the pages that SQLite would keep in memory. */
export const SMALL_CACHE = 'PRAGMA cache_size = -512';

/**
 * Opens (and creates) the file and applies missing migrations. Throws when the file is damaged or of a newer version,
 * RefusedError when root would open what another user put there. An older file without the tables of `mainOwner` has
 * lost its content: it counts as damaged.
 */
export function openSqlite(
  path: string,
  owners: readonly Migrations[],
  mainOwner: string | undefined = owners[0]?.owner,
): DatabaseSync {
  const wasThere = path !== ':memory:' && isOld(path) && !isHalfMade(path);
  if (wasThere) throwIfWithoutContent(path);
  const isMade = path !== ':memory:' && keepToOwner(path, owners.length > 0);
  const db = open(path, isMade);
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
    if (path !== ':memory:') throwIfOnlyRead(db, path);
    db.exec('PRAGMA busy_timeout = 5000');
    db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA journal_size_limit = ${MAX_LOG_BYTES}`);
    const synchronous = db.prepare('PRAGMA synchronous').get()?.synchronous;
    if (synchronous !== 2)
      throw new BugError(`open database ${path}: synchronous is ${String(synchronous)} where FULL was asked for`);
    if (wasThere && mainOwner !== undefined) throwIfEmptied(db, path, mainOwner);
    db.exec('CREATE TABLE IF NOT EXISTS schema_version (owner TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT');
    for (const owner of owners) migrate(db, path, owner);
    if (isMade && owners.length > 0) rmSync(makingMark(path), { force: true });
    return db;
  } catch (error) {
    db.close();
    throw named(error, path);
  }
}

function open(path: string, isMade: boolean): DatabaseSync {
  try {
    return new DatabaseSync(isMade ? existing(path) : path, { timeout: 5_000 });
  } catch (error) {
    throw named(error, path);
  }
}

/**
 * Where the disk refuses once to open the file for writing, SQLite opens it for reading, and it would stay so until the
 * end of the process. A file on a disk that is mounted for reading is still read.
 */
function throwIfOnlyRead(db: DatabaseSync, path: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch {
    return;
  }
  try {
    // Only a change shows it: this one reaches no file.
    db.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; PRAGMA user_version = 0');
  } catch (error) {
    // Another one may be writing just now.
    if (sqliteCode(error) === SQLITE.readOnly) throw error;
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

/** The same error: what SQLite says names no file. */
function named(error: unknown, path: string): unknown {
  if (sqliteCode(error) !== undefined && error instanceof Error && !error.message.includes(path))
    error.message = `open database ${path}: ${error.message}`;
  return error;
}

/**
 * A younger file may be one that another process is making now, or that a kill left half made: it holds nothing to
 * lose.
 */
const NEW_MS = 5_000;

/** Whether there is a database already, or what SQLite had beside one. */
function isOld(path: string): boolean {
  const nowMs = systemClock.nowMs();
  return ['', '-wal'].some((part) => {
    const found = lstatSync(`${path}${part}`, { throwIfNoEntry: false });
    return found?.isFile() === true && Math.abs(nowMs - madeMsOf(found)) > NEW_MS;
  });
}

/** Not every file system knows when a file was made. */
const madeMsOf = ({ birthtimeMs, mtimeMs }: Stats) => (birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs);

/**
 * Lies beside a database from before there is one until its tables are in it: what a kill or a power cut has left half
 * made has lost nothing. Should a power cut bring it back later, the tables are there.
 */
const makingMark = (path: string): string => `${path}.making`;
const isHalfMade = (path: string): boolean => existsSync(makingMark(path));

/** SQLite takes an empty file for a new database, and throws away what lies in the log beside it. */
function throwIfWithoutContent(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const hasLog = (lstatSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (found === undefined && hasLog) throw new DamagedError(`check database ${path}: only its log is there`);
  if (found?.isFile() && found.size === 0) throw new DamagedError(`check database ${path}: the file is empty`);
}

function throwIfEmptied(db: DatabaseSync, path: string, owner: string): void {
  const hasVersions = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_version'").get() !== undefined;
  const isIts = hasVersions && db.prepare('SELECT 1 FROM schema_version WHERE owner = ?').get(owner) !== undefined;
  if (!isIts) throw new DamagedError(`check database ${path}: nothing of '${owner}' is in it`);
}

/**
 * Opens the file with `open`. A damaged file is moved aside, and `open` gets a new one. `onAside` gets the name of the
 * old file and since when it existed (ms since the epoch). Throws what `open` throws of anything but damage. A disk
 * that cannot read is retried for some seconds.
 */
export function openOrSetAside<T>(
  path: string,
  open: () => T,
  onAside: (aside: Aside & { readonly cause: unknown }) => void,
  { isDamage = (error: unknown) => sqliteFault(error) === 'damaged', asideOf = asideNameOf }: AsideRules = {},
): T {
  for (let attempt = 1; ; attempt++) {
    try {
      return open();
    } catch (cause) {
      if (!isDamage(cause)) throw cause;
      if (attempt < READ_ATTEMPTS && !canBeRead(path)) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, READ_PAUSE_MS);
        continue;
      }
      onAside({ ...setAside(path, asideOf(path)), cause });
      return open();
    }
  }
}

const READ_ATTEMPTS = 5;
const READ_PAUSE_MS = 1_000;

/** What counts as damage, and the name that a damaged file gets. */
type AsideRules = { isDamage?(error: unknown): boolean; asideOf?(path: string): string };

/** The file that was moved aside, and since when it existed, ms since the epoch. */
export type Aside = { readonly path: string; readonly sinceMs: number };

/** Says of itself what SQLite says of a damaged file. */
export class DamagedError extends Error {
  readonly errcode = SQLITE.corrupt;
}

/** Reads the whole file: for databases of some megabytes. */
export function throwIfDamaged(db: DatabaseSync, path: string): void {
  const found = db.prepare('PRAGMA quick_check(1)').get()?.quick_check;
  if (found !== 'ok') throw new DamagedError(`check database ${path}: ${String(found)}`);
}

/** A flip in the text of the schema is no fault to SQLite: a table lacks a column, for ever. */
export function throwIfColumnsMissing(db: DatabaseSync, path: string, owners: readonly Migrations[]): void {
  const due = openSqlite(':memory:', owners);
  try {
    const have = new Set(columnsOf(db));
    const missing = columnsOf(due).find((column) => !have.has(column));
    if (missing !== undefined) throw new DamagedError(`check database ${path}: it has no column ${missing}`);
  } finally {
    due.close();
  }
}

const columnsOf = (db: DatabaseSync): string[] =>
  db
    .prepare(
      "SELECT t.name || '.' || c.name AS path FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'",
    )
    .all()
    .map(({ path }) => String(path));

const HEADER_BYTES = 100;

/**
 * Checks the first bytes of a file: SQLite takes an empty one for a new database, and some broken ones for read-only.
 */
export function throwIfNoDatabase(path: string): void {
  refuseForeign(path);
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(path, 'r');
  let read = 0;
  try {
    read = readSync(descriptor, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(descriptor);
  }
  if (read === 0) throw new DamagedError(`check database ${path}: the file is empty`);
  const isDatabase =
    read === HEADER_BYTES &&
    header.toString('latin1', 0, 16) === 'SQLite format 3\0' &&
    [1, 2].includes(header.readUInt8(18)) &&
    [1, 2].includes(header.readUInt8(19)) &&
    header.readUIntBE(21, 3) === 0x40_20_20;
  if (!isDatabase) throw new DamagedError(`check database ${path}: the file does not begin as a database does`);
}

/** What the name of a file that was moved aside ends with. One is kept, with its log: the newest. */
export const ASIDE = '.damaged';

const asideNameOf = (path: string): string => `${path}${ASIDE}`;

/** A database is the file and what SQLite keeps beside it. */
const PARTS = ['', '-wal', '-shm'];

/** Moves a closed database to another name and replaces what has that name. Throws what the file system throws. */
export function setAside(path: string, aside = asideNameOf(path)): Aside {
  const found = lstatSync(path, { throwIfNoEntry: false }) ?? lstatSync(`${path}-wal`);
  // Without its file this is what a kill has left of being set aside: the log then goes to where the file is.
  const parts = existsSync(path) ? PARTS : PARTS.slice(1);
  for (const part of parts) {
    rmSync(`${aside}${part}`, { force: true });
    if (existsSync(`${path}${part}`)) renameSync(`${path}${part}`, `${aside}${part}`);
  }
  return { path: aside, sinceMs: madeMsOf(found) };
}

/**
 * The kind of a database error. `logic` = the tables are not as the statement expects. Undefined = no database error.
 */
export function sqliteFault(error: unknown): 'damaged' | 'full' | 'logic' | 'other' | undefined {
  const primary = sqliteCode(error);
  if (primary === undefined) return undefined;
  if (primary === SQLITE.corrupt || primary === SQLITE.notADatabase) return 'damaged';
  if (primary === SQLITE.error) return 'logic';
  return primary === SQLITE.full ? 'full' : 'other';
}

/** The primary result code of SQLite, also of an error that the store has translated. */
export function sqliteCode(error: unknown): number | undefined {
  if (error instanceof DatabaseError) return sqliteCode(error.cause);
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code % 256 : undefined;
}

export const SQLITE = {
  error: 1,
  busy: 5,
  locked: 6,
  noMemory: 7,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

/**
 * Only the owner may read it; SQLite gives the files beside it the same rights. Returns whether the file exists now.
 * `isMarked` = a new one gets its tables from `openSqlite`.
 */
function keepToOwner(path: string, isMarked: boolean): boolean {
  for (const part of PARTS) refuseForeign(`${path}${part}`);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    // Where the folder is missing too, SQLite says so.
    if (!existsSync(dirname(path))) return false;
    if (isMarked) {
      createEmpty(makingMark(path));
      syncFolder(dirname(path));
    }
    createEmpty(path);
  }
  closeToOthers(path);
  return true;
}

/** Never through a link: the name is new, or it is that of a process which opens the same database just now. */
export function createEmpty(path: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    refuseForeign(path);
    return;
  }
  try {
    giveToFolderOwner(descriptor, path);
  } finally {
    closeSync(descriptor);
  }
}

/** Where the file is ours and others may read it, they may no longer. */
function closeToOthers(path: string): void {
  const found = lstatSync(path);
  if (!found.isFile() || (found.mode & 0o077) === 0 || found.uid !== process.getuid?.()) return;
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { dev, ino } = fstatSync(descriptor);
    if (dev === found.dev && ino === found.ino) fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
}

/** The same path, for SQLite to open and never to create: a link that replaces the file meanwhile creates nothing. */
function existing(path: string): string | URL {
  // A share of Windows has no such address.
  if (process.platform === 'win32') return path;
  const address = pathToFileURL(path);
  address.searchParams.set('mode', 'rw');
  return address;
}

function migrate(db: DatabaseSync, path: string, { owner, steps }: Migrations): void {
  const found = db.prepare('SELECT version FROM schema_version WHERE owner = ?').get(owner)?.version;
  const version = typeof found === 'number' ? found : 0;
  if (version > steps.length) {
    throw new BugError(
      `open database ${path}: '${owner}' has schema ${version}, this version knows ${steps.length}; use the newer version`,
    );
  }
  for (const [index, step] of steps.entries()) {
    if (index < version) continue;
    transact(db, () => {
      db.exec(step);
      db.prepare(
        'INSERT INTO schema_version VALUES (?, ?) ON CONFLICT (owner) DO UPDATE SET version = excluded.version',
      ).run(owner, index + 1);
    });
  }
}

/** Removes what was deleted or overwritten from the files. It rewrites the whole database: for rare occasions. */
export function forgetDeleted(db: DatabaseSync): void {
  db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
}

/** Prepares each statement once. For texts of the code: it keeps them all, until the database is closed. */
export function preparedOnce(db: DatabaseSync): Statements {
  const kept = new Map<string, StatementSync>();
  return {
    prepare(sql) {
      const known = kept.get(sql);
      if (known !== undefined) return known;
      const statement = db.prepare(sql);
      kept.set(sql, statement);
      return statement;
    },
  };
}

/** Runs `work` in one transaction; rolls back and throws on when it throws. */
export function transact<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
