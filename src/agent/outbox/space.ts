// How much of the disk the outbox may have right now: a share of it, no growth once the disk is nearly full, and a ballast file that is let go
// when nothing is left, so that what must be written still can be. It never throws.
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';

export type Space = {
  /** Bytes that slices may take, given what they take now. */
  allowed(bytes: number): number;
  /** A write found no space. */
  noneLeft(bytes: number): void;
};

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
  readonly diskUse?: (folder: string) => DiskUse;
}): Space {
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
    allowed(bytes) {
      look(bytes);
      return Math.min(share, limit ?? share);
    },
    noneLeft(bytes) {
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
