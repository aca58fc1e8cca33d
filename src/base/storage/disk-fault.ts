// Why the disk refuses a write, in words for people, and what they can do. No text names a file: services and other
// hosts show it too.
import { accessSync, closeSync, constants, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SQLITE, sqliteCode } from './sqlite.ts';

export type DiskFault =
  | 'the disk is full'
  | 'the disk holds no more files'
  | 'the disk is read-only'
  | 'the disk does not answer'
  | 'a file cannot be opened'
  | 'the file is damaged'
  | 'the file is not where it was opened';

/** What to do about it, for people. */
export const REMEDIES: Readonly<Record<DiskFault, string>> = {
  'the disk is full': 'free some space on it',
  'the disk holds no more files': 'remove some of the files on it: how small they are does not matter',
  'the disk is read-only': "look into the kernel's log (dmesg) for why, then mount it for writing",
  'the disk does not answer': "look into the kernel's log (dmesg): the disk may be about to fail",
  'a file cannot be opened': 'see that it belongs to the user of the service, and that so many files may be open',
  'the file is damaged': 'see pithead doctor',
  'the file is not where it was opened':
    'its disk was unmounted, or it was moved or removed: what is written now is gone with the end of the process. Put it back, then restart Pithead',
};

/**
 * Undefined when the error is not about the disk. With the folder of the file, the disk itself is probed where the
 * error is vague: a page that cannot be written may mean any of these.
 */
export function diskFault(error: unknown, folder?: string): DiskFault | undefined {
  const said = faultSaid(error);
  const isClear = said === undefined || said === 'the disk is full' || said === 'the file is damaged';
  if (isClear || folder === undefined) return said;
  // A file that may not be written on a disk that may: it belongs to another user.
  return faultSeen(folder) ?? (said === 'the disk is read-only' ? 'a file cannot be opened' : said);
}

function faultSaid(error: unknown): DiskFault | undefined {
  switch (sqliteCode(error)) {
    case SQLITE.full:
      return 'the disk is full';
    case SQLITE.readOnly:
      return 'the disk is read-only';
    case SQLITE.ioError:
      return 'the disk does not answer';
    case SQLITE.cannotOpen:
      return 'a file cannot be opened';
    case SQLITE.corrupt:
    case SQLITE.notADatabase:
      return 'the file is damaged';
    default:
      return FILE_FAULTS[error instanceof Error && 'code' in error ? String(error.code) : ''];
  }
}

const FILE_FAULTS: Readonly<Record<string, DiskFault>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EROFS: 'the disk is read-only',
  EIO: 'the disk does not answer',
};

/** With less than this a database cannot even be opened. */
const LEAST_BYTES = 128 * 1024;

function faultSeen(folder: string): DiskFault | undefined {
  try {
    accessSync(folder, constants.W_OK);
    const { bsize, bavail, files, ffree } = statfsSync(folder);
    if (bsize * bavail < LEAST_BYTES) return 'the disk is full';
    // Some file systems count no files: they are limited by space alone.
    if (files > 0 && ffree === 0) return 'the disk holds no more files';
    // A file system that has met an error may refuse all writes and still call itself writable.
    writeProbe(folder, 1);
    return undefined;
  } catch (error) {
    return faultSaid(error);
  }
}

const PROBE_BYTES = 512 * 1024;

/**
 * Writes a test file and removes it. Undefined = the disk accepts writes. Throws errors that are not about the disk.
 */
export function probeDisk(folder: string): DiskFault | undefined {
  try {
    writeProbe(folder, PROBE_BYTES);
    return undefined;
  } catch (error) {
    const fault = faultSaid(error);
    if (fault === undefined) throw error;
    return faultSeen(folder) ?? fault;
  }
}

function writeProbe(folder: string, bytes: number): void {
  const path = join(folder, `.probe-${process.pid}`);
  rmSync(path, { force: true });
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    writeSync(descriptor, Buffer.alloc(bytes, 1));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
    rmSync(path, { force: true });
  }
}
