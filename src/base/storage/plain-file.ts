// Reads small files of our own as a whole. A pipe is not waited for, a device or a huge file is not read.
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { RefusedError } from '../errors.ts';
import { whyNoFile } from './foreign-files.ts';

/** Far more than any of them has. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Throws RefusedError for what is no plain file, leads nowhere or is too large, and what the file system throws. */
export function readSmallFile(path: string): string {
  // A link that leads nowhere is not the same as no file: what should be there has gone.
  const why = lstatSync(path, { throwIfNoEntry: false }) === undefined ? undefined : whyNoFile(path);
  if (why !== undefined) throw refused(path, why);
  // Should a pipe take its place just now: without a writer, opening it in this way fails instead of waiting.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw refused(path, 'it is no plain file');
    if (found.size > MAX_BYTES) throw refused(path, `it has ${found.size} bytes, more than ${MAX_BYTES}`);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

const refused = (path: string, why: string) => new RefusedError('storage.no-file', `read ${path}: ${why}`);
