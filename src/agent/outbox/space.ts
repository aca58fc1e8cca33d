// Keeping the outbox inside its bytes. How much of the disk it may have right now: a share of it, no growth once the disk is nearly full, and a
// ballast file that is let go when nothing is left, so that what must be written still can be. And what gives way: the oldest samples give way to
// gaps that count them, then those that show a change of state; tasks, events and gaps stay.
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { ReportRecord } from '../../wire/records.ts';
import { damagedSlice, isSound, ROW_BYTES, type StoredSlice, withoutSamples } from './slice.ts';
import type { Store } from './store.ts';

export type Space = ReturnType<typeof createSpace>;

export type DiskUse = { readonly totalBytes: number; readonly freeBytes: number };

const SHARE_OF_DISK = 0.1;
const NO_GROWTH_FROM = 0.9;
const GROWTH_AGAIN_BELOW = 0.88;
/** Even a disk that others have filled gives this much. */
const LEAST_BYTES = 1024 * 1024;
/** Giving more way than this frees nothing worth having. */
const FLOOR_BYTES = 256 * 1024;
const MAX_BALLAST_BYTES = 16 * 1024 * 1024;
/** With more room than this nobody needs ballast yet. */
const ROOMY_BYTES = 2 * 1024 ** 3;
const LOOK_EVERY_MS = 500;
/** What gives way at once when a write found no space. */
const GIVE_WAY = 0.9;

export function createSpace(options: {
  /** In the folder of the database. */
  readonly ballastPath: string;
  readonly folder: string;
  readonly maxBytes: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
  readonly diskUse?: ((folder: string) => DiskUse) | undefined;
}) {
  const { ballastPath, folder, clock, log, diskUse = readDiskUse } = options;
  let lookedAtMs: number | undefined;
  let share = options.maxBytes;
  /** Slices may not take more than this while the disk is nearly full. */
  let limit: number | undefined;
  let hasBallast = false;
  let isTight = false;

  const attempt = (what: string, run: () => void): boolean => {
    try {
      run();
      return true;
    } catch {
      log.debug({ what }, 'the disk refuses');
      return false;
    }
  };

  const release = () => {
    // Also one that an earlier run has left.
    if (attempt('let the ballast go', () => rmSync(ballastPath, { force: true }))) hasBallast = false;
  };

  const look = (bytes: number) => {
    const nowMs = clock.monotonicMs();
    if (lookedAtMs !== undefined && nowMs - lookedAtMs < LOOK_EVERY_MS) return;
    lookedAtMs = nowMs;
    attempt('look at the disk', () => {
      const { totalBytes, freeBytes } = diskUse(folder);
      const ballastBytes = Math.min(MAX_BALLAST_BYTES, Math.floor(totalBytes * SHARE_OF_DISK));
      share = Math.min(options.maxBytes, Math.max(LEAST_BYTES, totalBytes * SHARE_OF_DISK));
      const used = 1 - (freeBytes + (hasBallast ? ballastBytes : 0)) / Math.max(1, totalBytes);
      if (used > NO_GROWTH_FROM) limit ??= Math.max(bytes, LEAST_BYTES);
      else if (used < GROWTH_AGAIN_BELOW) {
        limit = undefined;
        if (isTight) log.info({}, 'the disk has room again');
        isTight = false;
      }
      if (freeBytes < ballastBytes / 4) release();
      else if (!hasBallast && freeBytes < ROOMY_BYTES && freeBytes > 2 * ballastBytes && ballastBytes > 0) {
        hasBallast = attempt('put ballast down', () => writeFileSync(ballastPath, Buffer.alloc(ballastBytes, 0xa5)));
      }
    });
  };

  return {
    /** Bytes that slices may take, given what they take now. */
    allowed(bytes: number): number {
      look(bytes);
      return Math.min(share, limit ?? share);
    },
    /** A write found no space. */
    noneLeft(bytes: number): void {
      if (!isTight) log.error({}, 'the disk is full: the oldest samples give way');
      isTight = true;
      limit = Math.max(FLOOR_BYTES, Math.floor(Math.min(limit ?? bytes, bytes) * GIVE_WAY));
      release();
    },
  };
}

function readDiskUse(folder: string): DiskUse {
  const { bsize, blocks, bavail } = statfsSync(folder);
  return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
}

/** Most slices replaced in one transaction. */
const BATCH = 16;
/** Beyond this the memory of states begins anew rather than grow. */
const MAX_MINERS = 200_000;

/**
 * One step towards `maxBytes`, in one transaction: replaces some of the oldest slices that hold samples. Says by how many bytes the outbox
 * shrank, how many samples gave way, how many of them showed a change, and whether none is left to replace. `given` is kept by the caller between steps:
 * slices below these ids are known to hold none, for what has given way never comes back. Throws what the database throws; then nothing has changed.
 */
export function shrinkOnce(
  store: Store,
  { bytes, maxBytes, nowMs }: { bytes: number; maxBytes: number; nowMs: number },
  given: { samples: number; changes: number },
) {
  const plain = store.oldestWithSamples(given.samples, BATCH);
  const keepChanges = plain.length > 0;
  const ids = keepChanges ? plain : store.oldestWithChanges(given.changes, BATCH);
  const smaller: StoredSlice[] = [];
  let freed = 0;
  let samples = 0;
  let changes = 0;
  for (const id of ids) {
    if (bytes - freed <= maxBytes) break;
    const found = store.get(id)?.slice;
    const sound = found !== undefined && isSound(found) ? found : undefined;
    const replacement =
      (sound === undefined ? undefined : withoutSamples(sound, { keepChanges })) ??
      damagedSlice(id, found, { fromMs: nowMs, toMs: nowMs });
    smaller.push(replacement);
    freed += (found?.body.length ?? 0) + ROW_BYTES - (replacement.body.length + ROW_BYTES);
    samples += (found?.samples ?? 0) + (found?.changes ?? 0) - replacement.changes;
    changes += (found?.changes ?? 0) - replacement.changes;
  }
  const last = smaller.at(-1);
  if (last !== undefined) {
    store.replace(smaller);
    given[keepChanges ? 'samples' : 'changes'] = last.id + 1;
  }
  const isExhausted = !keepChanges && ids.length === smaller.length && ids.length < BATCH;
  return { freed, samples, changes, isExhausted };
}

/**
 * Tells a sample that shows a change of state: the first of a miner, and any whose state differs from the one before. It looks at what flags, lists
 * and identity are made of, never at figures that move all the time.
 */
export function createChanges() {
  const last = new Map<string, number>();
  return {
    isChange(record: ReportRecord): boolean {
      if (record.kind !== 'miner') return false;
      const { anomaly_flags, last_check_succeed, is_mining, mining_mode, unstable_reason, ip, mac, firmware_version } =
        record.document;
      const state = [anomaly_flags, last_check_succeed, is_mining, mining_mode, unstable_reason, ip, mac];
      const sum = crc32([...state, firmware_version, record.document.model].join('\n'));
      if (last.get(record.key) === sum) return false;
      if (last.size >= MAX_MINERS) last.clear();
      last.set(record.key, sum);
      return true;
    },
  };
}
