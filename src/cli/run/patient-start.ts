// A start on a disk that is full, read-only or broken. Nothing is left half made, and no enrolment code is used up. It
// says what to do, and goes on when the disk accepts writes.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { BALLAST } from '../../agent/outbox/open.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { type DiskFault, diskFault, probeDisk, REMEDIES } from '../../base/storage/disk-fault.ts';
import { CommandFailed } from '../output/exit.ts';

const LOOK_MS = 2_000;
/** Then a service manager starts it anew: seldom enough that it never gives up. */
const PATIENCE_MS = 60_000;

const PASSING: ReadonlySet<DiskFault> = new Set([
  'the disk is full',
  'the disk holds no more files',
  'the disk is read-only',
  'the disk does not answer',
]);

/**
 * Throws CommandFailed when the disk still refuses after a minute or when the signal aborts, and any other error of
 * `start`.
 */
export async function startPatiently<T>(
  start: () => Promise<T>,
  { stateDir, clock, log, signal }: { stateDir: string; clock: Clock; log: Log; signal: AbortSignal },
): Promise<T> {
  const endMs = clock.monotonicMs() + PATIENCE_MS;
  let told: string | undefined;
  /** What is started, or why the disk did not let it after all. */
  const attempt = async (): Promise<DiskFault | { readonly started: T }> => {
    try {
      return { started: await start() };
    } catch (error) {
      const fault = diskFault(error, stateDir);
      if (fault === undefined || !PASSING.has(fault)) throw error;
      return fault;
    }
  };
  for (;;) {
    const fault = probe(stateDir) ?? (await attempt());
    if (typeof fault !== 'string') return fault.started;
    const message = `cannot start: ${fault} (${stateDir}). Nothing that is there is lost: ${REMEDIES[fault]}`;
    if (told !== fault) log.error({ stateDir, fault }, `${message}; it is tried again until then`);
    told = fault;
    if (signal.aborted || clock.monotonicMs() >= endMs) throw new CommandFailed(message);
    await clock.sleep(LOOK_MS, signal).catch(() => {});
  }
}

/** Room that was set aside for this is let go first. */
function probe(stateDir: string): DiskFault | undefined {
  const fault = probeDisk(stateDir);
  if (fault !== 'the disk is full') return fault;
  try {
    rmSync(join(stateDir, BALLAST), { force: true });
  } catch (error) {
    return diskFault(error, stateDir) ?? fault;
  }
  return probeDisk(stateDir);
}
