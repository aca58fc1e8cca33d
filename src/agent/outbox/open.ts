// The outbox in a file of its own. A damaged file is moved aside, at the start or while it runs, and what it held is declared as lost; the outbox
// goes on in a new one. Throws only when no file can be opened at all.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { renderError } from '../../base/errors.ts';
import { diskFault } from '../../base/storage/disk-fault.ts';
import { watchOpenFile } from '../../base/storage/open-file.ts';
import { openOrSetAside, openSqlite, setAside, sqliteFault, throwIfDamaged } from '../../base/storage/sqlite.ts';
import { createOutbox, createShared, type Outbox } from './outbox.ts';
import type { SliceSource } from './outgoing.ts';
import { gapEntry } from './slice.ts';
import { createSpace, type DiskUse } from './space.ts';
import { outboxMigrations } from './store.ts';

export const OUTBOX_FILE = 'outbox.sqlite';
/** Beside it, while the disk is fairly full: room for what must be written, see space.ts. */
export const BALLAST = 'ballast';
const MAX_BYTES = 2 * 1024 ** 3;
/** Of 4 KiB: somewhat more than slices may take, so that the file itself is bounded. */
const MAX_PAGES = 640 * 1024;
/** 8 MiB of log. Most pages are written anew by every slice: the longer the log, the fewer of them go to the file, and each new log costs syncs. */
const CHECKPOINT_PAGES = 2_048;
/** A disk that damages one file after the other is not helped by new ones. */
const AGAIN_AFTER_MS = 60_000;

/** `settings.maxBytes` is at most 2 GiB; a tenth of the disk is never exceeded. */
export function openOutbox(
  folder: string,
  options: Omit<Parameters<typeof createOutbox>[1], 'folder' | 'space' | 'shared' | 'onDamaged'> & {
    readonly diskUse?: (folder: string) => DiskUse;
  },
): Outbox {
  const { clock, log } = options;
  const path = join(folder, OUTBOX_FILE);
  const maxBytes = Math.min(MAX_BYTES, options.settings?.maxBytes ?? MAX_BYTES);
  const ballastPath = join(folder, BALLAST);
  const space = createSpace({ ballastPath, folder, maxBytes, clock, log, diskUse: options.diskUse });
  const shared = createShared(options.settings);
  let uplinks: readonly string[] = [];
  let lastSwapMs: number | undefined;
  let swapping: Promise<void> | undefined;
  let isClosed = false;

  const declare = (aside: { readonly path: string; readonly sinceMs: number; readonly cause?: unknown }) => {
    const nowMs = clock.nowMs();
    // A clock that was set back since makes a file younger than now.
    const fromMs = Math.min(nowMs, oldestWaitingMs(aside.path, nowMs) ?? aside.sinceMs);
    const cause = aside.cause === undefined ? undefined : renderError(aside.cause);
    log.error({ file: aside.path, cause }, 'the outbox was damaged: moved aside, a new one begins');
    shared.queue.add(gapEntry('buffer_damaged', fromMs, nowMs, null));
  };

  const openOnce = () => {
    const db = openSqlite(path, [outboxMigrations]);
    try {
      db.exec(`PRAGMA max_page_count = ${MAX_PAGES}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      const file = watchOpenFile(path);
      const parts = { ...options, folder, space, shared, onDamaged: () => swapSoon(), isInPlace: file.isInPlace };
      return { db, file, outbox: createOutbox(db, parts) };
    } catch (error) {
      db.close();
      throw error;
    }
  };

  const open = () => {
    try {
      return openOrSetAside(path, openOnce, declare, { isDamage });
    } catch (error) {
      if (sqliteFault(error) !== 'full' && diskFault(error, folder) !== 'the disk is full') throw error;
      // A full disk cannot even be opened on: once more without the ballast.
      space.noneLeft(0);
      return openOrSetAside(path, openOnce, declare, { isDamage });
    }
  };

  const closeFiles = () => {
    if (current.db.isOpen) current.db.close();
    current.file.close();
  };

  /** A page that the disk refused to read looks damaged too: as long as it does, what waits in the file is not given up. */
  const swapIfDamaged = async (): Promise<void> => {
    if (!(await current.file.canBeRead()) || isWhole(path)) return;
    lastSwapMs = clock.monotonicMs();
    await swap();
  };

  const swap = async (): Promise<void> => {
    await current.outbox.abandon();
    try {
      closeFiles();
      declare(setAside(path));
    } catch (error) {
      log.error({ error: renderError(error) }, 'a damaged outbox cannot be moved aside');
    }
    current = open();
    await current.outbox.setUplinks(uplinks);
    await current.outbox.flush();
  };

  const swapSoon = () => {
    const nowMs = clock.monotonicMs();
    if (isClosed || swapping !== undefined) return;
    if (lastSwapMs !== undefined && nowMs - lastSwapMs < AGAIN_AFTER_MS) return;
    swapping = Promise.resolve()
      .then(swapIfDamaged)
      .catch((error: unknown) => log.error({ error: renderError(error) }, 'a new outbox cannot be opened'))
      .finally(() => {
        swapping = undefined;
      });
  };

  let current = open();
  const source = (name: string): SliceSource => ({
    epochs: () => current.outbox.source(name).epochs(),
    split: () => current.outbox.source(name).split(),
    read: (range) => current.outbox.source(name).read(range),
    acknowledge: (seq, epoch) => current.outbox.source(name).acknowledge(seq, epoch),
    renewEpoch: (seq, epoch) => current.outbox.source(name).renewEpoch(seq, epoch),
    whyUnkept: () => current.outbox.source(name).whyUnkept(),
    live: (after) => current.outbox.source(name).live(after),
    backlog: () => current.outbox.source(name).backlog(),
    onMore: (listener) => current.outbox.source(name).onMore(listener),
  });

  return {
    offer: (record) => current.outbox.offer(record),
    append: (records) => current.outbox.append(records),
    source,
    async setUplinks(names) {
      uplinks = names;
      await current.outbox.setUplinks(names);
    },
    async flush() {
      await swapping;
      await current.outbox.flush();
    },
    state: () => current.outbox.state(),
    async close() {
      isClosed = true;
      await swapping;
      await current.outbox.close();
      closeFiles();
    },
  };
}

/** Tables that are not as our statements expect were changed by nobody else. */
const isDamage = (error: unknown) => ['damaged', 'logic'].includes(sqliteFault(error) ?? '');

/** A larger one is not read from end to end while the agent waits. */
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

/** Since when what a damaged file held had not been delivered, as far as the file still tells. */
function oldestWaitingMs(path: string, nowMs: number): number | undefined {
  try {
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      const row = db
        .prepare(
          'SELECT first_ms FROM outbox_slices WHERE id > (SELECT min(acked) FROM outbox_epochs) ORDER BY id LIMIT 1',
        )
        .get();
      // The file is damaged: a time that cannot be is not told to anybody.
      return z.object({ first_ms: z.int().min(0).max(nowMs) }).safeParse(row).data?.first_ms;
    } finally {
      db.close();
    }
  } catch {
    return undefined;
  }
}
