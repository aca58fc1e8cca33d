// One update at a time on a host. The lock is the operating system's, through SQLite: it ends with its process, however that ends.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Clock, sleepOn } from '../base/clock.ts';
import { RefusedError } from '../base/errors.ts';

const RETRY_MS = 250;

/** Waits for another one at most `waitMs`, then throws RefusedError. Gives the release. */
export async function lockUpdates(
  folder: string,
  { clock, waitMs, signal }: { readonly clock: Clock; readonly waitMs: number; readonly signal?: AbortSignal },
): Promise<() => void> {
  const database = new DatabaseSync(join(folder, 'lock.sqlite'), { timeout: 0 });
  const endsMs = clock.monotonicMs() + waitMs;
  for (;;) {
    try {
      database.exec('BEGIN EXCLUSIVE');
      return () => database.close();
    } catch (error) {
      if (clock.monotonicMs() >= endsMs) {
        database.close();
        throw new RefusedError(
          'update.busy',
          'begin an update: another one is under way; `pithead update --status` shows it',
          error,
        );
      }
    }
    try {
      await sleepOn(clock, RETRY_MS, signal);
    } catch (error) {
      database.close();
      throw error;
    }
  }
}
