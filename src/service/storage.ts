// The embedded database as a file on the disk of this host: held by one service alone, set aside when it is damaged,
// watched while the disk refuses, backed up. A database server sees to itself, and needs nothing of this.
import type { Clock } from '../base/clock.ts';
import { renderError } from '../base/errors.ts';
import { createRound, type Part } from '../base/lifecycle.ts';
import type { Log } from '../base/log.ts';
import { diskFault } from '../base/storage/disk-fault.ts';
import { canBeRead } from '../base/storage/open-file.ts';
import { setAside } from '../base/storage/sqlite.ts';
import { type KeyFiles, keyFileOf, openServiceVault } from './auth/key-file.ts';
import { isPostgresUrl } from './store/postgres/postgres.ts';
import { type BackupSettings, listBackups } from './store/sqlite/backup-files.ts';
import { type BackupState, type Backups, createBackups } from './store/sqlite/backups.ts';
import { holdDatabase } from './store/sqlite/database-lock.ts';
import { removeUnfinishedRestore } from './store/sqlite/restore.ts';
import { type OnAside, serviceAsideOf } from './store/sqlite/sqlite.ts';
import { openStore, type Store } from './store/store.ts';

/** While the disk refuses, whether it does still. */
const PROBE_MS = 5_000;

export type StorageOptions = {
  /** A file, or a `postgres://` URL: several copies of the service may share that. */
  readonly databasePath: string;
  /** What the secrets in the database are encrypted with. Absent: they lie open. */
  readonly keyFiles?: KeyFiles | undefined;
  /**
   * Other services have the same file open, as tests of copies do: then it is not locked, set aside or backed up.
   * Default: false.
   */
  readonly isShared?: boolean;
  /** Of an embedded database. Absent: none are made. */
  readonly backups?: BackupSettings | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
};

/** The store of the service, with the state of its file and the work that the file needs. */
export type Storage = {
  readonly store: Store;
  /** To be started after the store and stopped before it. */
  readonly parts: readonly Part[];
  /** Why nothing can be stored, for people; undefined = it can. */
  fault(): string | undefined;
  /** Aborts when the database is damaged: the process has to end, and begins anew with another one. */
  readonly damaged: AbortSignal | undefined;
  /** Undefined where none are made. */
  backups(): BackupState | undefined;
  /** Closes the store and lets go of the database; a damaged one is set aside first. */
  close(): Promise<void>;
};

/** Throws RefusedError when another service runs on the database, and what opening it throws. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { databasePath, keyFiles, log } = options;
  const findVault = (isEncrypted: boolean) => openServiceVault(databasePath, keyFiles, isEncrypted, log);
  if (isPostgresUrl(databasePath) || options.isShared) {
    const store = await openStore(databasePath, log, findVault);
    return {
      ...{ store, parts: [], damaged: undefined, backups: () => undefined },
      fault: () => store.availability.unavailable()?.message,
      close: () => store.close(),
    };
  }
  const release = await holdDatabase(databasePath);
  try {
    removeUnfinishedRestore(databasePath);
    return embedded(options, await openStore(databasePath, log, findVault, onAsideOf(options)), release);
  } catch (error) {
    release();
    throw error;
  }
}

/** Says where the damaged database lies, what has become of what was in it, and how it comes back. */
function onAsideOf({ databasePath, backups, log }: StorageOptions): OnAside {
  return (aside) => {
    const newest = backups && listBackups(backups.dir, databasePath)[0]?.path;
    log.error(
      { file: aside.path, cause: renderError(aside.cause), backup: newest ?? null },
      `the database of the service was damaged: it is set aside and a new one begins, which knows no key of integrators, no history and no agent of another host. ${remedyOf(newest)}`,
    );
  };
}

export const remedyOf = (newestBackup: string | undefined): string =>
  newestBackup === undefined
    ? 'There is no backup of it. Make keys for the integrators anew (pithead key create) and enrol agents of other hosts again (pithead enroll)'
    : `Put a backup back: stop Pithead, then: pithead restore ${newestBackup}`;

function embedded(options: StorageOptions, store: Store, release: () => void): Storage {
  const { databasePath, clock, log } = options;
  const { storage } = store;
  const backups = backupsOf(options, store);
  let reported: string | undefined;
  let isClosed = false;
  const tend = async () => {
    await storage
      ?.probe()
      .catch((error: unknown) => log.debug({ cause: renderError(error) }, 'the disk still refuses'));
    const fault = storage?.fault();
    if (fault === reported) return;
    if (fault === undefined) log.info({}, 'what is reported can be stored again');
    else log.error({ fault, database: databasePath }, 'nothing can be stored: lists show what was stored before');
    reported = fault;
  };
  return {
    store,
    parts: [createRound('looking after the database', PROBE_MS, tend, clock, log), ...(backups ? [backups] : [])],
    fault: () => storage?.fault(),
    damaged: storage?.damaged,
    backups: () => backups?.state(),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await store.close();
      if (storage?.damaged.aborted) endWithAside(options);
      release();
    },
  };
}

/** So that the next start begins with a new one, however large the file is and wherever in it the damage lies. */
function endWithAside(options: StorageOptions): void {
  try {
    if (!canBeRead(options.databasePath)) {
      options.log.error(
        { database: options.databasePath },
        'the disk does not read the database: it stays where it is',
      );
      return;
    }
    const aside = setAside(options.databasePath, serviceAsideOf(options.databasePath));
    onAsideOf(options)({ ...aside, cause: 'met while it was in use' });
  } catch (error) {
    options.log.error(
      { database: options.databasePath, cause: diskFault(error) ?? renderError(error) },
      'the damaged database cannot be set aside: the next start tries again',
    );
  }
}

function backupsOf({ databasePath, keyFiles, backups, clock, log, version }: StorageOptions, store: Store) {
  if (backups === undefined || backups.keep === 0 || databasePath === ':memory:') return undefined;
  const { vault } = store;
  const made: Backups = createBackups({
    ...{ databasePath, settings: backups, clock, log },
    about: {
      version,
      key_fingerprint: vault?.fingerprint() ?? null,
      key_file: vault === undefined ? null : (keyFileOf(databasePath, keyFiles) ?? null),
    },
    onFailure: (type, reason) => store.events.recordForService({ type, atMs: clock.nowMs(), detail: { reason } }),
  });
  return made;
}
