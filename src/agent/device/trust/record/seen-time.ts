// Time that has certainly passed, for cooldowns that outlive process and host. It follows the uptime of the host, never
// the wall clock. Time around a restart of the host may not count: cooldowns then last longer.
import { uptime } from 'node:os';
import { z } from 'zod';
import type { Clock } from '../../../../base/clock.ts';
import type { Statements } from '../../../../base/storage/sqlite.ts';

/** `seen_ms` had passed when the host was up for `uptime_ms`. */
export const SEEN_TIME_STEP = `CREATE TABLE seen_time (one INTEGER PRIMARY KEY CHECK (one = 1), seen_ms INTEGER NOT NULL, uptime_ms INTEGER NOT NULL) STRICT;
   INSERT INTO seen_time VALUES (1, 0, 0);`;

/** How often it is written. The times of two processes differ by no more than this. */
export const SEEN_TIME_EVERY_MS = 10 * 60_000;

const rowSchema = z.object({ seenMs: z.int(), uptimeMs: z.int() });

export type SeenTime = ReturnType<typeof createSeenTime>;

/** `hostUptimeMs` may stand still, as in some containers: then the time of this process counts. */
export function createSeenTime(
  { elapsedMs }: Pick<Clock, 'elapsedMs'>,
  hostUptimeMs: () => number = () => uptime() * 1_000,
) {
  let base: (z.output<typeof rowSchema> & { readonly readMs: number }) | undefined;

  /** Takes over what any process of this host wrote last. */
  const read = (db: Statements) => {
    const row = rowSchema.parse(db.prepare('SELECT seen_ms AS seenMs, uptime_ms AS uptimeMs FROM seen_time').get());
    if (base?.seenMs !== row.seenMs || base.uptimeMs !== row.uptimeMs) base = { ...row, readMs: elapsedMs() };
    return base;
  };

  const nowMs = (db: Statements): number => {
    const { seenMs, uptimeMs, readMs } = base ?? read(db);
    // Each of the two is at most what has passed. After a restart of the host its uptime starts again.
    return Math.round(seenMs + Math.max(hostUptimeMs() - uptimeMs, elapsedMs() - readMs));
  };

  return {
    /** ms; starts at the same moment for all processes that have the database open. */
    nowMs,
    /** Call it now and then. Where the disk refuses, cooldowns last longer. */
    keep(db: Statements): void {
      const { seenMs } = read(db);
      const now = nowMs(db);
      if (now - seenMs < SEEN_TIME_EVERY_MS) return;
      try {
        db.prepare('UPDATE seen_time SET seen_ms = ?, uptime_ms = ? WHERE seen_ms = ?').run(
          ...[now, Math.round(hostUptimeMs()), seenMs],
        );
      } catch {
        return;
      }
      read(db);
    },
    /** Another database may lie there now. */
    forget(): void {
      base = undefined;
    },
  };
}
