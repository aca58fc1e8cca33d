// Time that continues while the host is suspended and that cannot be set. It comes from the host's uptime, which costs
// a file to read, so it is read seldom.

/** Each in ms since a start of its own. */
type Sources = {
  /** Stands still while the host is suspended, on Linux. */
  monotonicMs(): number;
  /** May be set. */
  wallMs(): number;
  /** Counts what the host was suspended; in steps of 10 ms or so. */
  uptimeMs(): number;
};

const READ_EVERY_MS = 100;
/** Wall time that goes ahead of monotonic time by so much: the host was suspended, or the clock was set. */
const LEAP_MS = 50;

/**
 * Returns a function that gives ms since the start of `monotonicMs`, plus the time for which the host was suspended
 * since now. It never decreases. A suspend counts from the next call on; one that wall time does not show, within 0.1
 * s.
 */
export function createElapsedTime({ monotonicMs, wallMs, uptimeMs }: Sources): () => number {
  let readAtMs = monotonicMs();
  let readAtWallMs = wallMs();
  const aheadMs = uptimeMs() - readAtMs;
  let suspendedMs = 0;
  return () => {
    const nowMs = monotonicMs();
    const nowWallMs = wallMs();
    const sinceMs = nowMs - readAtMs;
    if (sinceMs >= READ_EVERY_MS || Math.abs(nowWallMs - readAtWallMs - sinceMs) >= LEAP_MS) {
      readAtMs = nowMs;
      readAtWallMs = nowWallMs;
      // Where a container shows an uptime that stands still, this is monotonic time.
      suspendedMs = Math.max(suspendedMs, uptimeMs() - nowMs - aheadMs);
    }
    return nowMs + suspendedMs;
  };
}
