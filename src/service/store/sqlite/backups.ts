// Backups of the embedded database while it is in use: one soon after the start if the newest is too old, then one each
// time that it is. A copy gets its name when it is whole, checked and on the disk. The work is done in small steps
// beside everything else.
import { closeSync, mkdirSync, openSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { type Clock, yieldToEventLoop } from '../../../base/clock.ts';
import { renderError } from '../../../base/errors.ts';
import { createRound, type Part } from '../../../base/lifecycle.ts';
import type { Log } from '../../../base/log.ts';
import { diskFault } from '../../../base/storage/disk-fault.ts';
import { syncFolder } from '../../../base/storage/sync.ts';
import {
  type AboutBackup,
  type BackupSettings,
  backupPath,
  listBackups,
  removeOldest,
  removeUnfinished,
  UNFINISHED,
  writeAbout,
} from './backup-files.ts';
import { NodeSqliteDialect } from './dialect.ts';

/** Whether one is due is looked at this often; first after as long. */
const LOOK_MS = 10_000;
/** After one that failed, and after one that the disk did not take: that is over soon, or people mend it. */
const AGAIN_MS = 3_600_000;
const AGAIN_ON_DISK_MS = 60_000;
/** Of 4 KiB, copied at a time. */
const STEP_PAGES = 64;
/** How long the check of a copy runs before it yields to the event loop. */
const CHECK_STEP_MS = 2;
/** Room for the copy, and for what is written meanwhile. */
const LEAST_FREE = 2;

export type BackupState = {
  readonly dir: string;
  /** Ms since the epoch; undefined = there is none. */
  readonly newestAtMs: number | undefined;
  /** Why the newest try made none, for people; undefined when it did. */
  readonly failure: string | undefined;
};

export type Backups = Part & { state(): BackupState };

type BackupParts = {
  readonly databasePath: string;
  readonly settings: BackupSettings;
  readonly about: Omit<AboutBackup, 'made_at'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Bytes that are free in this folder. */
  readonly freeBytes?: (dir: string) => number;
  /** A try that made none, once per reason. */
  onFailure(type: 'backup_skipped' | 'backup_failed', reason: string): Promise<void>;
};

export function createBackups(parts: BackupParts): Backups {
  const { databasePath, settings, clock, log } = parts;
  const { dir, keep } = settings;
  let failure: string | undefined;
  let lookedAtMs: number | undefined;
  let nextTryMs = clock.monotonicMs();

  const fail = async (type: 'backup_skipped' | 'backup_failed', reason: string, againMs: number) => {
    nextTryMs = clock.monotonicMs() + againMs;
    if (failure === reason) return;
    failure = reason;
    log.error({ dir, reason }, `no backup of the database: ${reason}`);
    await parts.onFailure(type, reason);
  };

  const look = async () => {
    const startedMs = clock.monotonicMs();
    const isFirst = lookedAtMs === undefined;
    lookedAtMs = startedMs;
    // A start has enough to do.
    if (isFirst || startedMs < nextTryMs || !isDue(databasePath, settings, clock.nowMs())) return;
    const lack = lackOfRoom(parts);
    if (lack !== undefined) return fail('backup_skipped', lack, LOOK_MS);
    try {
      const { path, bytes } = await makeBackup(parts);
      removeOldest(dir, databasePath, keep, path);
      failure = undefined;
      log.info(
        { file: path, bytes, elapsedMs: Math.round(clock.monotonicMs() - startedMs) },
        'the database is backed up',
      );
    } catch (error) {
      const fault = diskFault(error, dir);
      if (fault === undefined) await fail('backup_failed', renderError(error), AGAIN_MS);
      else await fail('backup_failed', fault, AGAIN_ON_DISK_MS);
    }
  };

  const round = createRound('backing up the database', LOOK_MS, look, clock, log);
  return {
    name: 'backups',
    start() {
      removeUnfinished(dir, databasePath);
      if (keep > 0) round.start();
    },
    // A copy that is under way is not waited for: it has no name yet, and the next start removes it.
    stop: () => void round.stop(),
    state: () => ({ dir, newestAtMs: listBackups(dir, databasePath)[0]?.atMs, failure }),
  };
}

/**
 * A clock that was set back leaves backups in the future behind: one that is further in the future than this is
 * ignored.
 */
export const isDue = (databasePath: string, { dir, everyMs }: BackupSettings, nowMs: number): boolean =>
  !listBackups(dir, databasePath).some(({ atMs }) => Math.abs(nowMs - atMs) < everyMs);

/** Why there is no room for a copy; undefined where there is. */
function lackOfRoom({ databasePath, settings, freeBytes = readFree }: BackupParts): string | undefined {
  const neededBytes = LEAST_FREE * ['', '-wal'].reduce((sum, part) => sum + sizeOf(`${databasePath}${part}`), 0);
  try {
    mkdirSync(settings.dir, { recursive: true, mode: 0o700 });
    const free = freeBytes(settings.dir);
    if (free >= neededBytes) return undefined;
    return `${settings.dir} has ${inMiB(free)} free, and twice the database is ${inMiB(neededBytes)}: make room, or name another folder in backup.dir`;
  } catch (error) {
    return `${settings.dir} cannot be used: ${diskFault(error) ?? renderError(error)}`;
  }
}

const inMiB = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MiB`;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function readFree(dir: string): number {
  const { bsize, bavail } = statfsSync(dir);
  return bsize * bavail;
}

async function makeBackup({ databasePath, settings, about, clock }: BackupParts) {
  const atMs = clock.nowMs();
  const path = backupPath(settings.dir, databasePath, atMs);
  const unfinished = `${path}${UNFINISHED}`;
  // It holds what the database holds: from its first byte on it is its owner's alone.
  closeSync(openSync(unfinished, 'wx', 0o600));
  try {
    await copyInSteps(databasePath, unfinished);
    using copy = new DatabaseSync(unfinished);
    // One file, with nothing beside it.
    copy.exec('PRAGMA journal_mode = DELETE');
    await readInSteps(copy, clock);
    writeAbout(copy, { made_at: atMs, ...about });
    copy.close();
    const file = await open(unfinished, 'r+');
    await file.sync().finally(() => file.close());
    renameSync(unfinished, path);
    syncFolder(dirname(path));
    return { path, bytes: sizeOf(path) };
  } catch (error) {
    for (const part of ['', '-journal', '-wal', '-shm']) rmSync(`${unfinished}${part}`, { force: true });
    throw error;
  }
}

/** What was committed when it began: without its own view of the database it would begin anew with each write. */
async function copyInSteps(databasePath: string, target: string): Promise<void> {
  using source = new DatabaseSync(databasePath, { readOnly: true });
  source.exec('BEGIN');
  source.prepare('SELECT count(*) FROM sqlite_schema').get();
  await backup(source, target, { rate: STEP_PAGES });
}

/** Reads every row of every table. Throws what the database throws of what it cannot read. */
async function readInSteps(db: DatabaseSync, clock: Clock): Promise<void> {
  const builder = new Kysely<Record<string, Record<string, unknown>>>({
    dialect: new NodeSqliteDialect(db, { begin: 'BEGIN', mayWrite: true }, () => {}),
  });
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  let sinceMs = clock.monotonicMs();
  for (const { name } of tables) {
    const every = builder.selectFrom(String(name)).selectAll().compile();
    for (const _row of db.prepare(every.sql).iterate()) {
      if (clock.monotonicMs() - sinceMs < CHECK_STEP_MS) continue;
      await yieldToEventLoop();
      sinceMs = clock.monotonicMs();
    }
  }
}
