// The last restart of each miner that a command of this host caused while no agent ran. The next agent reads it and
// knows that the restart was ours.
import { z } from 'zod';
import type { TrustDatabase } from './trust-database.ts';

/** `at` is seen time (seen-time.ts). */
const rowSchema = z.object({ at: z.number() });

/** `who` = the names of the device: its MACs and its address. */
export function commandRestartsIn(database: TrustDatabase) {
  const { seenTime } = database;
  return {
    /**
     * Called before the restart command is sent. False where the disk refuses: the miner is restarted all the same.
     */
    note: (who: readonly string[]): boolean =>
      database.write((db) => {
        const statement = db.prepare('INSERT OR REPLACE INTO command_restart VALUES (?, ?)');
        for (const name of who) statement.run(name, seenTime.nowMs(db));
        database.trim(db, 'command_restart', who.length);
      }),
    /** The last one, by the clock of `nowMs`. Empty: there was none, or the record cannot be used. */
    of: (who: readonly string[], nowMs: number): { readonly startedMs: number; readonly finishedMs: number }[] =>
      database.read((db) => {
        const statement = db.prepare('SELECT at FROM command_restart WHERE who = ?');
        const times = who
          .map((name) => statement.get(name))
          .filter((row) => row !== undefined)
          .map((row) => rowSchema.parse(row).at);
        if (times.length === 0) return [];
        const startedMs = nowMs - (seenTime.nowMs(db) - Math.max(...times));
        return [{ startedMs, finishedMs: startedMs }];
      }, []),
  };
}
