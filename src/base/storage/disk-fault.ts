// Why a disk does not take what is written, in words for people. No word names a file: they are shown far from this host too.
import { accessSync, closeSync, constants, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SQLITE, sqliteCode } from './sqlite.ts';

export type DiskFault =
  | 'the disk is full'
  | 'the disk is read-only'
  | 'the disk does not answer'
  | 'a file cannot be opened'
  | 'the file is damaged';

/**
 * Undefined when the error is not about the disk. With the folder of the file, the disk itself is asked where the error says little: that a page cannot be
 * written may mean each of these.
 */
export function diskFault(error: unknown, folder?: string): DiskFault | undefined {
  const said = faultSaid(error);
  const isClear = said === undefined || said === 'the disk is full' || said === 'the file is damaged';
  if (isClear || folder === undefined) return said;
  // A file that may not be written on a disk that may: it belongs to somebody else.
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
    const { bsize, bavail } = statfsSync(folder);
    return bsize * bavail < LEAST_BYTES ? 'the disk is full' : undefined;
  } catch (error) {
    return faultSaid(error);
  }
}

const PROBE_BYTES = 512 * 1024;

/** Writes some, in earnest, and takes it away again. Undefined = the disk takes it. Throws what the file system throws of anything but the disk. */
export function probeDisk(folder: string): DiskFault | undefined {
  const path = join(folder, `.probe-${process.pid}`);
  try {
    rmSync(path, { force: true });
    const descriptor = openSync(path, 'wx', 0o600);
    try {
      writeSync(descriptor, Buffer.alloc(PROBE_BYTES, 1));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
      rmSync(path, { force: true });
    }
    return undefined;
  } catch (error) {
    const fault = diskFault(error, folder);
    if (fault === undefined) throw error;
    return fault;
  }
}
