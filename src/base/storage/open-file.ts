// Checks a file that a database has open: whether the disk can read it, and whether its name still leads to it. SQLite
// reports a page that the disk cannot read as damaged, and it goes on writing to a file whose disk was unmounted.
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { yieldToEventLoop } from '../clock.ts';

const CHUNK_BYTES = 1024 * 1024;
/** The rest of a larger file is not looked at: a start waits for that. */
const MAX_BYTES = 256 * 1024 ** 2;
/** So far in small steps. */
const MAX_STEPPED_BYTES = 4 * 1024 ** 3;

const isOf = (error: unknown, ...codes: string[]) =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

/** Reads a part of it. False where the disk refuses, undefined at the end. */
function canReadAt(descriptor: number, buffer: Buffer, at: number): boolean | undefined {
  try {
    return readSync(descriptor, buffer, 0, CHUNK_BYTES, at) > 0 || undefined;
  } catch (error) {
    if (isOf(error, 'EIO', 'ENXIO')) return false;
    throw error;
  }
}

/**
 * Whether the disk can read the file; true where there is none. Nothing in this process may have it open: closing it
 * here would release its locks.
 */
export function canBeRead(path: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return !isOf(error, 'EIO', 'ENXIO');
  }
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = 0; at < MAX_BYTES; at += CHUNK_BYTES) {
      const found = canReadAt(descriptor, buffer, at);
      if (found !== true) return found === undefined;
    }
    return true;
  } finally {
    closeSync(descriptor);
  }
}

export type OpenFile = {
  /** Whether its name leads to it. */
  isInPlace(): boolean;
  /** Reads it in small steps beside everything else. */
  canBeRead(): Promise<boolean>;
  /** Only after the database was closed: see above. */
  close(): void;
};

/** `path` = of a database that is open. Throws what the file system throws. */
export function watchOpenFile(path: string): OpenFile {
  const descriptor = openSync(path, 'r');
  const { dev, ino } = fstatSync(descriptor);
  let isOpen = true;
  return {
    isInPlace() {
      // There a file that is open can neither be moved nor removed.
      if (process.platform === 'win32') return true;
      try {
        const found = statSync(path, { throwIfNoEntry: false });
        return found !== undefined && found.dev === dev && found.ino === ino;
      } catch {
        // What the disk says of itself is for others to find out.
        return true;
      }
    },
    async canBeRead() {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      for (let at = 0; isOpen && at < MAX_STEPPED_BYTES; at += CHUNK_BYTES) {
        const found = canReadAt(descriptor, buffer, at);
        if (found !== true) return found === undefined;
        await yieldToEventLoop();
      }
      return true;
    },
    close() {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}
