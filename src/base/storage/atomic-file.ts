// Files that are there whole or not at all, and stay so after a power cut. It says nothing about what is in them.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { giveToFolderOwner, refuseForeign } from './foreign-files.ts';
import { takeLock } from './lock.ts';
import { syncFolder } from './sync.ts';

/**
 * Replaces the file in one step; after the call it is on the disk. `mode` holds whatever the umask is.
 * `isOfFolderOwner`: what root writes belongs to the owner of the folder, who has to read it.
 */
export function writeFileAtomic(
  path: string,
  text: string,
  mode: number,
  { isOfFolderOwner = false }: { readonly isOfFolderOwner?: boolean } = {},
): void {
  const unfinished = `${path}.new`;
  // One that a kill has left, or a link that another user put there: the name goes, and what it leads to stays.
  rmSync(unfinished, { force: true });
  writeSynced(unfinished, text, mode, isOfFolderOwner);
  moveOver(unfinished, path);
  syncFolder(dirname(path));
}

const MOVE_ATTEMPTS = 20;
const MOVE_PAUSE_MS = 100;

/**
 * Replaces a file by another in one step. On Windows another program, such as a virus scanner, may have one of them
 * open for a moment.
 */
export function moveOver(from: string, to: string, attempts = process.platform === 'win32' ? MOVE_ATTEMPTS : 1): void {
  for (let attempt = 1; ; attempt++) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (attempt >= attempts || (code !== 'EPERM' && code !== 'EACCES' && code !== 'EBUSY')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MOVE_PAUSE_MS);
    }
  }
}

/**
 * Makes the file, and its folders for their owner alone. A file with content stays as it is. Of several processes that
 * do so at once one wins, and none sees a part of the file. Throws RefusedError where something else than a file is
 * there.
 */
export function createFileAtomic(path: string, text: string, mode: number): void {
  // A link that leads nowhere for now, to a disk that is not there, is not replaced.
  refuseForeign(path);
  if (hasContent(path)) return;
  makeFolders(dirname(path));
  const unfinished = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    writeSynced(unfinished, text, mode, false);
    if (!tryLink(unfinished, path)) replaceNothing(unfinished, path);
  } finally {
    rmSync(unfinished, { force: true });
  }
  syncFolder(dirname(path));
}

/** A link takes the name only where it is free. False = it is taken, or the file system has no links. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/** In the place of an empty file or none, by one process at a time. */
function replaceNothing(from: string, to: string): void {
  if (hasContent(to)) return;
  const claim = `${to}.lock`;
  const release = takeLock(claim);
  try {
    // Another one may have been here just before.
    if (release !== undefined && !hasContent(to)) renameSync(from, to);
  } finally {
    release?.();
    if (release !== undefined) rmSync(claim, { force: true });
  }
}

const hasContent = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

function makeFolders(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length && dirname(made) !== made; made = dirname(made))
    syncFolder(dirname(made));
}

/** Makes the file: throws where one, or a link, is there already. */
function writeSynced(path: string, text: string, mode: number, isOfFolderOwner: boolean): void {
  const descriptor = openSync(path, 'wx', mode);
  try {
    // The mask of the process may have taken rights away.
    fchmodSync(descriptor, mode);
    if (isOfFolderOwner) giveToFolderOwner(descriptor, path);
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
