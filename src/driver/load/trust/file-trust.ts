// Who may have written a driver file: only root, the user that runs this program, or, on Windows, administrators. It
// reads owners and modes, and changes none.
import { lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { renderError } from '../../../base/errors.ts';
import { windowsDoubt } from './windows-acl.ts';

/** A folder driver with more is no driver. */
const MAX_FILES = 500;
const MAX_DEPTH = 8;

/** What makes the file, or all of a folder, unsafe to load; undefined = nothing. */
export async function doubtOf(path: string): Promise<string | undefined> {
  try {
    const real = realpathSync(path);
    // The names on the way to it count too: a link that others can change leads where they like.
    const parents = [...new Set([...parentsOf(path), ...parentsOf(real)])];
    const files = [real, ...below(real)];
    if (process.platform === 'win32') return await windowsDoubt(files, parents);
    for (const file of files) {
      const doubt = doubtOfEntry(file, lstatSync(file), false);
      if (doubt !== undefined) return doubt;
    }
    for (const parent of parents) {
      const doubt = doubtOfEntry(parent, lstatSync(parent), true);
      if (doubt !== undefined) return doubt;
    }
    return undefined;
  } catch (error) {
    return `cannot be looked at: ${renderError(error)}`;
  }
}

function doubtOfEntry(path: string, stats: Stats, isParent: boolean): string | undefined {
  const { uid, mode } = stats;
  if (stats.isSymbolicLink()) {
    if (isParent) return uid === 0 || uid === ownUid() ? undefined : `${path} is a link of user ${uid}`;
    return `${path} is a link: put the file itself there`;
  }
  if (uid !== 0 && uid !== ownUid())
    return `${path} belongs to user ${uid}: only root and user ${ownUid()} may own it (chown)`;
  const isSticky = isParent && (mode & 0o1000) !== 0;
  if ((mode & 0o022) !== 0 && !isSticky)
    return `${path} can be written by ${(mode & 0o002) === 0 ? 'its group' : 'all users'}: chmod go-w ${path}`;
  return undefined;
}

const ownUid = (): number => process.geteuid?.() ?? -1;

function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...parentsOf(parent)];
}

/** All that lies in a folder, also below it. Throws where that is more than a driver has. */
export function below(path: string, depth = 0): string[] {
  if (!lstatSync(path).isDirectory()) return [];
  if (depth >= MAX_DEPTH) throw new Error(`${path} lies deeper than ${MAX_DEPTH} folders`);
  const found = readdirSync(path)
    .toSorted()
    .flatMap((name) => {
      const entry = join(path, name);
      return [entry, ...below(entry, depth + 1)];
    });
  if (found.length > MAX_FILES) throw new Error(`${path} holds more than ${MAX_FILES} files`);
  return found;
}
