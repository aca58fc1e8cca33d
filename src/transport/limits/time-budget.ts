// One total deadline over several steps (login, then request): each step gets what is left of it.
import type { Clock } from '../../base/clock.ts';
import { peerError } from '../peer-errors.ts';
import type { ExchangeLimits } from '../request.ts';

export type TimeBudget = {
  /** Limits for the next step. Throws PeerError `peer.timeout` when nothing is left. */
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
