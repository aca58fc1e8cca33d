// Copies of the databases from before an update, and the way back to them if the new version changed the databases to a
// form that the old one cannot read. It runs with the agent's rights, in the agent's folder, while the service is
// stopped.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BugError } from '../../base/errors.ts';
import { moveOver } from '../../base/storage/atomic-file.ts';
import { syncFile, syncFolder } from '../../base/storage/sync.ts';

/** One copy is kept, of the last update: a small host has no room for more. */
const FOLDER = 'before-update';
/** In the folder of the copies: they are being put back, and what lies there now is a mixture. */
const MARKER = 'restoring';
const BUSY_MS = 5_000;

const databasesIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.sqlite')) : [];

/** Throws when there is no whole copy of each; the copy of the update before is gone only when there is. */
export function saveDatabases(stateDir: string): readonly string[] {
  const [target, unfinished] = [join(stateDir, FOLDER), join(stateDir, `${FOLDER}.new`)];
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const names = databasesIn(stateDir);
  try {
    for (const name of names) copyDatabase(join(stateDir, name), join(unfinished, name));
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
  syncFolder(unfinished);
  rmSync(target, { recursive: true, force: true });
  moveOver(unfinished, target);
  syncFolder(stateDir);
  return names;
}

function copyDatabase(from: string, to: string): void {
  using database = new DatabaseSync(from, { timeout: BUSY_MS });
  database.prepare('VACUUM INTO ?').run(to);
  // It holds what the database holds: no other user may read it.
  chmodSync(to, statSync(from).mode & 0o777);
  syncFile(to);
}

/**
 * Restores all copies together if a newer version changed one of the databases or one cannot be read. Returns their
 * names.
 */
export function restoreDatabases(stateDir: string): readonly string[] {
  const folder = join(stateDir, FOLDER);
  const names = databasesIn(folder);
  const marker = join(folder, MARKER);
  const isNeeded = existsSync(marker) || names.some((name) => isChanged(join(stateDir, name), join(folder, name)));
  if (!isNeeded) return [];
  writeFileSync(marker, '');
  syncFolder(folder);
  for (const name of names) {
    const [copy, place] = [join(folder, name), join(stateDir, name)];
    const unfinished = `${place}.restoring`;
    copyFileSync(copy, unfinished);
    syncFile(unfinished);
    // The log belongs to the file that goes.
    for (const suffix of ['-wal', '-shm']) rmSync(`${place}${suffix}`, { force: true });
    moveOver(unfinished, place);
  }
  // What only the new version had would be out of step when it comes again.
  const added = databasesIn(stateDir).filter((name) => !names.includes(name));
  for (const name of added)
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(stateDir, `${name}${suffix}`), { force: true });
  syncFolder(stateDir);
  rmSync(marker);
  syncFolder(folder);
  return names;
}

function isChanged(place: string, copy: string): boolean {
  const before = versionsOf(copy);
  if (before === undefined) throw new BugError(`read the copy ${copy}`);
  const now = existsSync(place) ? versionsOf(place) : undefined;
  if (now === undefined) return true;
  return [...now].some(([owner, version]) => version !== before.get(owner));
}

/** Schema version by owner; undefined when the file cannot be read. */
function versionsOf(path: string): ReadonlyMap<string, number> | undefined {
  try {
    using database = new DatabaseSync(path, { timeout: BUSY_MS });
    const rows = database.prepare('SELECT owner, version FROM schema_version').all();
    return new Map(rows.map(({ owner, version }) => [String(owner), Number(version)]));
  } catch {
    return undefined;
  }
}
