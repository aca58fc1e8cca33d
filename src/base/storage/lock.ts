// A lock that one process of a host holds for as long as it likes. It is the operating system's, through SQLite: it
// ends with its process, also after a kill and on Windows. It does not say which process holds it, and it never waits.
import { accessSync, closeSync, constants, ftruncateSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { refuseForeign } from './foreign-files.ts';
import { createEmpty, sqliteFault } from './sqlite.ts';

const BUSY = 5;

/**
 * Takes the lock at `path`, an empty file that is made if it is missing; its folder must exist. Returns the release
 * function, which the caller must keep, or undefined when another process holds the lock. Throws what the file system
 * throws, and RefusedError when root would open what another user put there.
 */
export function takeLock(path: string): (() => void) | undefined {
  refuseForeign(path);
  createEmpty(path);
  // A process that may only read the file would share the lock.
  accessSync(path, constants.W_OK);
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Nothing is ever written: a journal beside it would have to be tidied away after a kill.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    if (sqliteFault(error) !== 'damaged') throw error;
    // It is not held, or it would be busy; and the file has no content to lose.
    empty(path);
    return takeLock(path);
  }
}

function empty(path: string): void {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    ftruncateSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether a process holds it; undefined when this user may not read the file. Leaves nothing behind. */
export function isLocked(path: string): boolean | undefined {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? false : undefined;
  }
  const database = new DatabaseSync(path, { readOnly: true, timeout: 0 });
  try {
    database.prepare('SELECT count(*) FROM sqlite_master').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    if (sqliteFault(error) === 'damaged') return false;
    throw error;
  } finally {
    database.close();
  }
}

const isBusy = (error: unknown) =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && error.errcode % 256 === BUSY;
