// The outbox in a file of its own. A damaged file is moved aside, its content is declared as lost, and the outbox
// continues in a new file. Throws only when no file can be opened at all.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { renderError } from '../../base/errors.ts';
import { diskFault } from '../../base/storage/disk-fault.ts';
import { watchOpenFile } from '../../base/storage/open-file.ts';
import {
  openOrSetAside,
  openSqlite,
  SMALL_CACHE,
  setAside,
  sqliteFault,
  throwIfDamaged,
} from '../../base/storage/sqlite.ts';
import { createOutbox, createShared, type Outbox, type OutboxOptions, type Shared } from './outbox.ts';
import { createSource } from './outgoing.ts';
import { gapEntry } from './storage/slice.ts';
import { createSpace, type DiskUse, type Space } from './storage/space.ts';
import { outboxMigrations } from './storage/store.ts';

export const OUTBOX_FILE = 'outbox.sqlite';
/** Beside it, while the disk is fairly full: room for urgent records, see storage/space.ts. */
export const BALLAST = 'ballast';
const MAX_BYTES = 2 * 1024 ** 3;
/** Pages of 4 KiB: somewhat more than slices may take, so that the file itself is bounded. */
const MAX_PAGES = 640 * 1024;
/** 8 MiB of log. Each slice changes the same pages: a longer log writes fewer of them, and each new log costs syncs. */
const CHECKPOINT_PAGES = 2_048;
/** A disk that damages one file after the other is not helped by new ones. */
const AGAIN_AFTER_MS = 60_000;

type FileOptions = Omit<OutboxOptions, 'folder' | 'space' | 'shared' | 'onDamaged' | 'isInPlace'> & {
  readonly diskUse?: (folder: string) => DiskUse;
};

/** `settings.maxBytes` is at most 2 GiB; a tenth of the disk is never exceeded. */
export function openOutbox(folder: string, options: FileOptions): Outbox {
  const file = new OutboxFile(folder, options);
  return {
    offer: (record) => file.outbox.offer(record),
    append: (records) => file.outbox.append(records),
    source: (name) => createSource(name, () => file.outbox.sources),
    setUplinks: (names) => file.setUplinks(names),
    flush: () => file.flush(),
    state: () => file.outbox.state(),
    close: () => file.close(),
  };
}

type OpenFile = {
  readonly db: DatabaseSync;
  readonly file: ReturnType<typeof watchOpenFile>;
  readonly outbox: ReturnType<typeof createOutbox>;
};
type Aside = { readonly path: string; readonly sinceMs: number; readonly cause?: unknown };

class OutboxFile {
  readonly #folder: string;
  readonly #path: string;
  readonly #options: FileOptions;
  readonly #space: Space;
  readonly #shared: Shared;
  #uplinks: readonly string[] = [];
  #lastSwapMs: number | undefined;
  #swapping: Promise<void> | undefined;
  #isClosed = false;
  #current: OpenFile;

  constructor(folder: string, options: FileOptions) {
    const { clock, log, settings, diskUse } = options;
    const maxBytes = Math.min(MAX_BYTES, settings?.maxBytes ?? MAX_BYTES);
    this.#folder = folder;
    this.#path = join(folder, OUTBOX_FILE);
    this.#options = options;
    this.#space = createSpace({ ballastPath: join(folder, BALLAST), folder, maxBytes, clock, log, diskUse });
    this.#shared = createShared(settings);
    this.#current = this.#open();
  }

  /** Another one after the file was replaced. */
  get outbox(): OpenFile['outbox'] {
    return this.#current.outbox;
  }

  setUplinks(names: readonly string[]): Promise<void> {
    this.#uplinks = names;
    return this.outbox.setUplinks(names);
  }

  async flush(): Promise<void> {
    await this.#swapping;
    await this.outbox.flush();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#swapping;
    await this.outbox.close();
    this.#closeFiles();
  }

  #open() {
    const openOnce = () => this.#openOnce();
    const declare = (aside: Aside) => this.#declare(aside);
    try {
      return openOrSetAside(this.#path, openOnce, declare, { isDamage });
    } catch (error) {
      if (sqliteFault(error) !== 'full' && diskFault(error, this.#folder) !== 'the disk is full') throw error;
      // On a full disk even opening fails: once more without the ballast.
      this.#space.noneLeft(0);
      return openOrSetAside(this.#path, openOnce, declare, { isDamage });
    }
  }

  #openOnce(): OpenFile {
    const db = openSqlite(this.#path, [outboxMigrations]);
    try {
      db.exec(`PRAGMA max_page_count = ${MAX_PAGES}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; ${SMALL_CACHE}`);
      const file = watchOpenFile(this.#path);
      const outbox = createOutbox(db, {
        ...this.#options,
        folder: this.#folder,
        space: this.#space,
        shared: this.#shared,
        onDamaged: () => this.#swapSoon(),
        isInPlace: file.isInPlace,
      });
      return { db, file, outbox };
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** Declares what the file that was moved aside held. */
  #declare(aside: Aside): void {
    const nowMs = this.#options.clock.nowMs();
    // A clock that was set back since makes a file younger than now.
    const fromMs = Math.min(nowMs, oldestWaitingMs(aside.path, nowMs) ?? aside.sinceMs);
    const cause = aside.cause === undefined ? undefined : renderError(aside.cause);
    this.#options.log.error({ file: aside.path, cause }, 'the outbox was damaged: moved aside, a new one begins');
    this.#shared.queue.add(gapEntry('buffer_damaged', fromMs, nowMs, null));
  }

  #swapSoon(): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (this.#isClosed || this.#swapping !== undefined) return;
    if (this.#lastSwapMs !== undefined && nowMs - this.#lastSwapMs < AGAIN_AFTER_MS) return;
    this.#swapping = Promise.resolve()
      .then(() => this.#swapIfDamaged())
      .catch((error: unknown) =>
        this.#options.log.error({ error: renderError(error) }, 'a new outbox cannot be opened'),
      )
      .finally(() => {
        this.#swapping = undefined;
      });
  }

  /** An unreadable page looks like damage: while the disk refuses, what waits in the file is not given up. */
  async #swapIfDamaged(): Promise<void> {
    if (!(await this.#current.file.canBeRead()) || isWhole(this.#path)) return;
    this.#lastSwapMs = this.#options.clock.monotonicMs();
    await this.#current.outbox.abandon();
    try {
      this.#closeFiles();
      this.#declare(setAside(this.#path));
    } catch (error) {
      this.#options.log.error({ error: renderError(error) }, 'a damaged outbox cannot be moved aside');
    }
    this.#current = this.#open();
    await this.#current.outbox.setUplinks(this.#uplinks);
    await this.#current.outbox.flush();
  }

  #closeFiles(): void {
    if (this.#current.db.isOpen) this.#current.db.close();
    this.#current.file.close();
  }
}

/** Tables that do not fit our statements are damage, too: no other program changes them. */
const isDamage = (error: unknown) => ['damaged', 'logic'].includes(sqliteFault(error) ?? '');

/** A larger file is not read from end to end while the agent waits. */
const MAX_CHECKED_BYTES = 1024 ** 3;

/** Whether another connection finds nothing wrong with it. */
function isWhole(path: string): boolean {
  try {
    if (statSync(path).size > MAX_CHECKED_BYTES) return false;
    using db = new DatabaseSync(path, { readOnly: true });
    throwIfDamaged(db, path);
    return true;
  } catch {
    return false;
  }
}

/** Since when the content of a damaged file had not been delivered, as far as the file can still be read. */
function oldestWaitingMs(path: string, nowMs: number): number | undefined {
  try {
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      const row = db
        .prepare(
          'SELECT first_ms FROM outbox_slices WHERE id > (SELECT min(acked) FROM outbox_epochs) ORDER BY id LIMIT 1',
        )
        .get();
      // The file is damaged: a time that cannot be is not reported.
      return z.object({ first_ms: z.int().min(0).max(nowMs) }).safeParse(row).data?.first_ms;
    } finally {
      db.close();
    }
  } catch {
    return undefined;
  }
}
