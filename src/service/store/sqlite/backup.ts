// Copies the embedded database beside it before its schema changes, so that the version before can be used again. The
// newest few copies are kept. A copy gets its name when it is whole and on the disk.
import { chmodSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sql } from 'kysely';
import { syncFile, syncFolder } from '../../../base/storage/sync.ts';
import type { Db } from '../schema.ts';

const KEPT = 2;

const backupPath = (path: string, version: number): string => `${path}.schema-${version}.backup`;

/**
 * `version` is that of the schema before the change. Throws when there is no room for the copy: then nothing should be
 * changed either.
 */
export async function backUp(db: Db, path: string, version: number): Promise<void> {
  const target = backupPath(path, version);
  // Several may open the file at the same time: each has its own, the last name wins.
  const unfinished = `${target}.${process.pid}`;
  rmSync(unfinished, { force: true });
  try {
    await sql`VACUUM INTO ${unfinished}`.execute(db);
    // It holds what the database holds: only the owner may read it.
    chmodSync(unfinished, statSync(path).mode & 0o777);
    syncFile(unfinished);
    renameSync(unfinished, target);
    syncFolder(dirname(path));
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  removeOldest(path);
}

function removeOldest(path: string): void {
  const folder = dirname(path);
  const prefix = `${basename(path)}.schema-`;
  const versions = readdirSync(folder).flatMap((name) => {
    const match = name.startsWith(prefix) ? /^(\d+)\.backup$/.exec(name.slice(prefix.length)) : null;
    return match === null ? [] : [{ name, version: Number(match[1]) }];
  });
  for (const { name } of versions.toSorted((a, b) => b.version - a.version).slice(KEPT)) rmSync(join(folder, name));
}
