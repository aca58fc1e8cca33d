// The lock that the one process of an embedded database holds, against a second service and against commands that
// replace the file. Commands that only read or write rows do not need it.
import { systemClock } from '../../../base/clock.ts';
import { RefusedError } from '../../../base/errors.ts';
import { takeLock } from '../../../base/storage/lock.ts';

const STOP_MS = 10_000;
const LOOK_MS = 250;

/** Waits `waitMs` for a service that stops. Gives the release. Throws RefusedError when one runs on the database. */
export async function holdDatabase(databasePath: string, waitMs = STOP_MS): Promise<() => void> {
  const endMs = systemClock.monotonicMs() + waitMs;
  for (;;) {
    const release = takeLock(`${databasePath}.lock`);
    if (release !== undefined) return release;
    if (systemClock.monotonicMs() >= endMs)
      throw new RefusedError(
        'service.not-alone',
        `take the database ${databasePath}: a service runs on it. Stop it first, for example: systemctl stop pithead`,
      );
    await systemClock.sleep(LOOK_MS);
  }
}
