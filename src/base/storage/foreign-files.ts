// What root must not open: in a folder of another user, that user can put a link or a foreign file where root expects a
// file of Pithead. It changes nothing; without root's rights nothing is refused.
import { fchownSync, lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { RefusedError } from '../errors.ts';

type Facts = { readonly uid: number; readonly nlink: number; readonly isLink: boolean; readonly isFile: boolean };

/**
 * Why root must not open this file, for people; undefined when it may. `owner` is the user id of the folder's owner,
 * `self` our own. A file of our own must have one name only: a second name may be a link to a file elsewhere.
 */
export function whyForeign(file: Facts, owner: number, self: number): string | undefined {
  if (self !== 0 || owner === self) return undefined;
  if (file.isLink) return 'it is a link, and the owner of its folder decides where that leads';
  if (!file.isFile) return 'it is no plain file';
  if (file.uid !== owner && file.uid !== self) return `it belongs to user ${file.uid}, its folder to user ${owner}`;
  return file.uid === self && file.nlink > 1 ? 'it is a second name of a file of root' : undefined;
}

/**
 * Throws RefusedError when root would open what the owner of the folder put there. For every user it also refuses what
 * is no plain file (a pipe would block, a device has no end) and a link that leads nowhere.
 */
export function refuseForeign(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const folder = statSync(dirname(path), { throwIfNoEntry: false });
  if (found === undefined || folder === undefined) return;
  const facts = { uid: found.uid, nlink: found.nlink, isLink: found.isSymbolicLink(), isFile: found.isFile() };
  const why = whyForeign(facts, folder.uid, process.geteuid?.() ?? -1) ?? whyNoFile(path);
  if (why === undefined) return;
  throw new RefusedError('storage.foreign', `open ${path}: ${why}. Look who made it, move it away, then try again`);
}

/**
 * Why this cannot be opened as a file, for people; undefined when it can. Throws what the file system throws, except
 * for a link that leads nowhere.
 */
export function whyNoFile(path: string): string | undefined {
  const target = targetOf(path);
  if (target === undefined) return 'it is a link that leads nowhere';
  if (target.isFile()) return undefined;
  return target.isDirectory() ? 'it is a folder' : 'it is no file but a pipe, a socket or a device';
}

function targetOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ELOOP') return undefined;
    throw error;
  }
}

/**
 * Gives a file that root has just made to the owner of its folder: the agent could not open its own database otherwise.
 * Where root may not give files away, root keeps it.
 */
export function giveToFolderOwner(descriptor: number, path: string): void {
  const { uid, gid } = statSync(dirname(path));
  if (process.geteuid?.() !== 0 || uid === 0) return;
  try {
    fchownSync(descriptor, uid, gid);
  } catch {
    // A container without that right, or a file system that knows no owners.
  }
}
