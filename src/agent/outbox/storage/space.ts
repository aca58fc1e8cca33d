// How much of the disk the outbox may have now: a share of it, no growth while the disk is nearly full, and a ballast
// file that is deleted when no space is left, so that urgent records can still be written.
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';

export type Space = ReturnType<typeof createSpace>;

export type DiskUse = { readonly totalBytes: number; readonly freeBytes: number };

const SHARE_OF_DISK = 0.1;
const NO_GROWTH_FROM = 0.9;
const GROWTH_AGAIN_BELOW = 0.88;
/** The share even of a disk that other programs have filled. */
const LEAST_BYTES = 1024 * 1024;
/** Shrinking below this frees too little to help. */
const FLOOR_BYTES = 256 * 1024;
const MAX_BALLAST_BYTES = 16 * 1024 * 1024;
/** With more free space than this no ballast is needed yet. */
const ROOMY_BYTES = 2 * 1024 ** 3;
const LOOK_EVERY_MS = 500;
/** The new limit when a write found no space, as a share of what slices take. */
const SHRINK_TO = 0.9;

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
    // Also the ballast of an earlier run.
    if (attempt('delete the ballast', () => rmSync(ballastPath, { force: true }))) hasBallast = false;
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
        hasBallast = attempt('write the ballast', () => writeFileSync(ballastPath, Buffer.alloc(ballastBytes, 0xa5)));
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
      limit = Math.max(FLOOR_BYTES, Math.floor(Math.min(limit ?? bytes, bytes) * SHRINK_TO));
      release();
    },
  };
}

function readDiskUse(folder: string): DiskUse {
  const { bsize, blocks, bavail } = statfsSync(folder);
  return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
}
