// Whether the disk takes what the outbox writes, and if not why. The transitions are pure; `createHealth` logs them and
// calls back.
import type { Clock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { type DiskFault, diskFault } from '../../base/storage/disk-fault.ts';
import { sqliteFault } from '../../base/storage/sqlite.ts';
import { doublingMs } from '../../base/time/backoff.ts';

const RETRY = { baseMs: 1_000, capMs: 30_000 };
/** A disk that takes one write and refuses the next is not well yet. */
const SETTLE_MS = 15_000;

type Health = {
  /** Why the last write failed; undefined = it worked. */
  readonly fault: string | undefined;
  /** It worked, and what was written is gone with the end of the process. */
  readonly misplaced: DiskFault | undefined;
  readonly lastFault: { readonly text: string; readonly atMs: number } | undefined;
  /** Failures since the last write that worked. */
  readonly failures: number;
};

export const WELL: Health = { fault: undefined, misplaced: undefined, lastFault: undefined, failures: 0 };

export const failed = (health: Health, text: string, atMs: number): Health => ({
  ...health,
  fault: text,
  lastFault: { text, atMs },
  failures: health.failures + 1,
});

export const worked = (health: Health, misplaced: DiskFault | undefined): Health => ({
  ...health,
  fault: undefined,
  misplaced,
  failures: 0,
});

/** Why records that come now are not kept soon, for people; undefined = they are. */
export function whyUnkept({ fault, misplaced, lastFault }: Health, nowMs: number): string | undefined {
  const isRecent = lastFault !== undefined && nowMs - lastFault.atMs < SETTLE_MS;
  return fault ?? misplaced ?? (isRecent ? lastFault.text : undefined);
}

export type WriteHealth = ReturnType<typeof createHealth>;

export function createHealth(options: {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
  /** Of the database, where it is in a file. */
  readonly folder: string | undefined;
  /** A write found no space. */
  readonly onFull: () => void;
  /** Called at every such error. */
  readonly onDamaged: (() => void) | undefined;
  /** Whether the name of the file still leads to it. Absent = it does. */
  readonly isInPlace: (() => boolean) | undefined;
}) {
  const { clock, log, folder, onFull, onDamaged, isInPlace } = options;
  let health = WELL;
  return {
    /** Why the last write failed; undefined = it worked. */
    fault: () => health.fault,
    /** Why what was committed last is not kept; undefined = it is. */
    unkept: () => health.fault ?? health.misplaced,
    whyUnkept: () => whyUnkept(health, clock.monotonicMs()),
    retryMs: () => doublingMs(health.failures - 1, RETRY),
    failed(error: unknown, pending: number): void {
      const kind = sqliteFault(error);
      // A page that the disk refused to read looks damaged, too; a file that is damaged is moved aside at once.
      const fromDisk = kind === 'damaged' ? 'the disk does not answer' : diskFault(error, folder);
      const text = fromDisk ?? renderError(error);
      if (health.fault !== text) log.error({ error: renderError(error), pending }, 'the outbox cannot write');
      health = failed(health, text, clock.monotonicMs());
      if (kind === 'full') onFull();
      if (kind === 'damaged') onDamaged?.();
    },
    worked(): void {
      health = worked(health, isInPlace?.() === false ? 'the file is not where it was opened' : undefined);
    },
    /** Runs what may fail without harm. */
    guarded(what: string, run: () => void): void {
      try {
        run();
      } catch (error) {
        log.error({ error: renderError(error) }, what);
        if (sqliteFault(error) === 'damaged') onDamaged?.();
      }
    },
  };
}
