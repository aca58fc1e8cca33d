// One update at a time on a host. The lock ends with its process, however that ends.
import { join } from 'node:path';
import { type Clock, sleepOn } from '../../base/clock.ts';
import { RefusedError } from '../../base/errors.ts';
import { takeLock } from '../../base/storage/lock.ts';

const RETRY_MS = 250;

/** Waits for another one at most `waitMs`, then throws RefusedError. Gives the release. */
export async function lockUpdates(
  folder: string,
  { clock, waitMs, signal }: { readonly clock: Clock; readonly waitMs: number; readonly signal?: AbortSignal },
): Promise<() => void> {
  const endsMs = clock.monotonicMs() + waitMs;
  for (;;) {
    const release = takeLock(join(folder, 'lock.sqlite'));
    if (release !== undefined) return release;
    if (clock.monotonicMs() >= endsMs)
      throw new RefusedError(
        'update.busy',
        'begin an update: another one is under way; `pithead update --status` shows it',
      );
    await sleepOn(clock, RETRY_MS, signal);
  }
}
