// What one exchange may cost unless its caller says otherwise, and one total deadline over several steps (login, then request).
import type { Clock } from '../../base/clock.ts';
import { peerError } from '../peer-errors.ts';
import type { ExchangeLimits } from '../request.ts';

export const DEFAULT_DEADLINE_MS = 5_000;
export const DEFAULT_MAX_BYTES = 256 * 1024;
/** Slow flash, slow links: a device may take this long for a file of firmware. */
export const UPLOAD_DEADLINE_MS = 30 * 60_000;

export type TimeBudget = {
  /** Limits for the next step: what is left. Throws PeerError `peer.timeout` when nothing is. */
  next(what: string): ExchangeLimits & { readonly deadlineMs: number };
};

export function timeBudget(clock: Clock, limits: ExchangeLimits, defaultMs: number): TimeBudget {
  const endsAtMs = clock.monotonicMs() + (limits.deadlineMs ?? defaultMs);
  return {
    next(what) {
      const deadlineMs = Math.ceil(endsAtMs - clock.monotonicMs());
      if (deadlineMs <= 0) throw peerError('peer.timeout', what, { wasSent: false });
      return { ...limits, deadlineMs };
    },
  };
}
