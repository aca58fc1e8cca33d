// The clock of this agent over all its runs: its elapsed time goes on where the run before it ended, so that ages and
// deadlines may lie on disk. It counts the time between two runs by the uptime of the host and, where the host was
// started in between, by the wall clock, because nothing else knows it.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { type HostBoot, readHostBoot } from '../../base/platform/host-boot.ts';
import type { Migrations } from '../../base/storage/sqlite.ts';
import { type ClockLook, isStep, lookAtClocks } from '../../base/time/clock-steps.ts';

export const clockMigrations: Migrations = {
  owner: 'clock',
  steps: [
    `CREATE TABLE agent_clock (one INTEGER PRIMARY KEY CHECK (one = 1), wall_ms INTEGER NOT NULL, elapsed_ms INTEGER NOT NULL, boot_id TEXT,
      uptime_ms INTEGER NOT NULL) STRICT`,
  ],
};

const rowSchema = z.object({
  wallMs: z.int(),
  elapsedMs: z.int(),
  bootId: z.string().nullable(),
  uptimeMs: z.int(),
});
type Kept = z.output<typeof rowSchema>;

/**
 * `clock` with an elapsed time that lasts; in its first run that begins with the wall time. Never throws for a disk
 * that refuses.
 */
export function openLastingClock(db: DatabaseSync, clock: Clock, log: Log, boot: HostBoot = readHostBoot()) {
  const select = db.prepare(
    'SELECT wall_ms AS wallMs, elapsed_ms AS elapsedMs, boot_id AS bootId, uptime_ms AS uptimeMs FROM agent_clock',
  );
  const upsert = db.prepare('INSERT OR REPLACE INTO agent_clock VALUES (1, ?, ?, ?, ?)');
  const now = lookAtClocks(clock);
  const kept = rowSchema.safeParse(select.get()).data;
  const away = awayMs(kept, now, boot);
  const offsetMs = (kept === undefined ? now.wallMs : kept.elapsedMs + away.ms) - now.elapsedMs;
  const lasting: Clock = { ...clock, elapsedMs: () => clock.elapsedMs() + offsetMs };
  const keep = (): void => {
    const { wallMs, elapsedMs } = lookAtClocks(lasting);
    const uptimeMs = boot.uptimeMs + elapsedMs - offsetMs - now.elapsedMs;
    try {
      upsert.run(Math.round(wallMs), Math.round(elapsedMs), boot.id, Math.round(uptimeMs));
    } catch (error) {
      log.error({ cause: renderError(error) }, 'write the time for the next start');
    }
  };
  keep();
  return {
    clock: lasting,
    /** The last wall time that the run before this one kept; in the first run that of its start. */
    earlierWallMs: kept?.wallMs ?? now.wallMs,
    /**
     * What the wall clock would have said at the start, had it not been set since; undefined where nothing but that
     * clock says how long ago it was.
     */
    expectedWallMs: kept !== undefined && away.isCertain ? kept.wallMs + away.ms : undefined,
    /** The wall clock is behind what it must be: for how long no run was there is not known. */
    isTimeUnsure: away.isUnsure,
    /** Both clocks as they are now, for the next run. To be called now and then, and when the wall clock was set. */
    keep,
  };
}

/** A wall clock that was set back between two runs shows no time between them. */
function awayMs(kept: Kept | undefined, now: ClockLook, boot: HostBoot) {
  if (kept === undefined) return { ms: 0, isCertain: false, isUnsure: false };
  if (boot.id !== null && boot.id === kept.bootId && boot.uptimeMs >= kept.uptimeMs)
    return { ms: boot.uptimeMs - kept.uptimeMs, isCertain: true, isUnsure: false };
  const byWallMs = now.wallMs - kept.wallMs;
  // The host was started since: it was away at least for as long as it has been up.
  const leastMs = boot.id === null ? 0 : boot.uptimeMs;
  return { ms: Math.max(0, byWallMs), isCertain: false, isUnsure: byWallMs < leastMs && isStep(leastMs - byWallMs) };
}
