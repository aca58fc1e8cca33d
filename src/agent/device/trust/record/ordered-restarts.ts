// The last restart of each miner that a command of this host ordered while no agent ran here. The agent that comes later reads it: what we caused is ours.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { SeenTime } from './seen-time.ts';

export const ORDERED_RESTARTS_STEP = 'CREATE TABLE ordered_restart (who TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT;';

/** `at` is seen time (seen-time.ts). */
const rowSchema = z.object({ at: z.number() });

type Statements = Pick<DatabaseSync, 'prepare'>;
type Tools = {
  using<T>(work: (db: Statements) => T, otherwise: T): T;
  write(work: (db: Statements) => void): boolean;
  trim(db: Statements, table: 'ordered_restart', rows: number): void;
  readonly seenTime: Pick<SeenTime, 'nowMs'>;
};

/** `who` = the names under which a device is held: its MACs and its address. */
export function orderedRestartsIn({ using, write, trim, seenTime }: Tools) {
  return {
    /** Called before the order is sent. False where the disk refuses: the miner is restarted all the same. */
    note: (who: readonly string[]): boolean =>
      write((db) => {
        const statement = db.prepare(
          'INSERT INTO ordered_restart VALUES (?, ?) ON CONFLICT (who) DO UPDATE SET at = excluded.at',
        );
        for (const name of who) statement.run(name, seenTime.nowMs(db));
        trim(db, 'ordered_restart', who.length);
      }),
    /** The last one: when it was ordered, by the clock of `nowMs`. Empty: none was, or the record cannot be used. */
    of: (who: readonly string[], nowMs: number): { readonly startedMs: number; readonly finishedMs: number }[] =>
      using((db) => {
        const statement = db.prepare('SELECT at FROM ordered_restart WHERE who = ?');
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
