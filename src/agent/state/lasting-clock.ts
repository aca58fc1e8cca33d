// The clock of this agent over all its runs: its elapsed time goes on where the run before it ended, so that ages and deadlines may lie on disk. It
// counts the time between two runs by the wall clock, because nothing else knows it.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Migrations } from '../../base/storage/sqlite.ts';
import { type ClockLook, lookAtClocks } from '../../base/time/clock-steps.ts';

export const clockMigrations: Migrations = {
  owner: 'clock',
  steps: [
    `CREATE TABLE agent_clock (one INTEGER PRIMARY KEY CHECK (one = 1), wall_ms INTEGER NOT NULL, elapsed_ms INTEGER NOT NULL) STRICT`,
  ],
};

const rowSchema = z.object({ wallMs: z.int(), elapsedMs: z.int() });

/** `clock` with an elapsed time that lasts; in its first run that begins with the wall time. Never throws for a disk that refuses. */
export function openLastingClock(db: DatabaseSync, clock: Clock, log: Log) {
  const select = db.prepare('SELECT wall_ms AS wallMs, elapsed_ms AS elapsedMs FROM agent_clock');
  const upsert = db.prepare('INSERT OR REPLACE INTO agent_clock VALUES (1, ?, ?)');
  const now = lookAtClocks(clock);
  const earlier = rowSchema.safeParse(select.get()).data;
  const offsetMs = elapsedAt(now.wallMs, earlier) - now.elapsedMs;
  const lasting: Clock = { ...clock, elapsedMs: () => clock.elapsedMs() + offsetMs };
  const keep = (): void => {
    const { wallMs, elapsedMs } = lookAtClocks(lasting);
    try {
      upsert.run(Math.round(wallMs), Math.round(elapsedMs));
    } catch (error) {
      log.error({ cause: renderError(error) }, 'write the time for the next start');
    }
  };
  keep();
  return {
    clock: lasting,
    /** The last wall time that the run before this one kept; in the first run that of its start. */
    earlierWallMs: earlier?.wallMs ?? now.wallMs,
    /** Both clocks as they are now, for the next run. To be called now and then, and when the wall clock was set. */
    keep,
  };
}

/** A wall clock that was set back between two runs shows no time between them. */
function elapsedAt(wallMs: number, earlier: ClockLook | undefined): number {
  return earlier === undefined ? wallMs : earlier.elapsedMs + Math.max(0, wallMs - earlier.wallMs);
}
