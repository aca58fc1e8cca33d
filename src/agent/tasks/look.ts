// One bounded look at a miner while a task is being proven, and the time since the order. It judges nothing.
import type { Clock } from '../../base/clock.ts';
import { PeerError, RefusedError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { withDeadline } from '../../base/time/deadline.ts';
import type { Reading } from '../../model/reading.ts';
import type { TaskDeps } from './contract.ts';
import type { Baseline } from './journal.ts';
import type { TaskSettings } from './settings.ts';

/** After a crash the windows may be over already: the miner is looked at for at least this long. */
export const SETTLE_S = 120;

export type WatchParts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: TaskSettings;
  readonly observe: TaskDeps['observe'];
};

export type WatchStart = {
  readonly minerKey: string;
  readonly baseline: Baseline | undefined;
  /** When the order was sent, ms since the epoch. */
  readonly actedMs: number;
  /** The order was given before a restart of the agent: nobody looked in between, and nobody knows whether it was sent. */
  readonly isRecovered: boolean;
  readonly isReplyLost: boolean;
};

/** `away` = it does not answer; `unclear` = nothing can be said of this look; an empty reading = it is there, but tells nothing. */
export type Look = 'away' | 'unclear' | Reading;

/** Rejects with CancelledError when `signal` aborts, and with nothing else. `isFresh` = nothing that it said earlier is taken for an answer. */
export async function lookAt(
  { clock, log, settings, observe }: WatchParts,
  minerKey: string,
  signal: AbortSignal,
  isFresh = false,
): Promise<Look> {
  const what = `look at miner ${minerKey}`;
  try {
    return await withDeadline(
      clock,
      { deadlineMs: settings.observeS * 1_000, signal, onDeadline: () => new PeerError('peer.timeout', what, 'soon') },
      (within) => observe(minerKey, within, isFresh),
    );
  } catch (error) {
    if (signal.aborted) throw error;
    // Who answers is another unit: wherever the miner is, it is not there.
    if (error instanceof RefusedError) return 'away';
    if (!(error instanceof PeerError)) {
      log.warn({ minerKey, error: renderError(error) }, 'a look at a miner failed on our side');
      return 'unclear';
    }
    switch (error.code) {
      case 'peer.refused':
      case 'peer.unreachable':
      case 'peer.timeout':
      case 'peer.reset':
        return 'away';
      case 'peer.busy':
        return 'unclear';
      case 'peer.too-large':
      case 'peer.unparsable':
      case 'peer.auth':
      case 'peer.permission':
      case 'peer.unsupported':
      case 'peer.rejected':
        return {};
    }
  }
}

/** Monotonic from here on; what lies before a restart of the agent can only be told by the wall clock. */
export function stopwatch(clock: Clock, { actedMs, baseline, isRecovered }: WatchStart) {
  const startMs = clock.monotonicMs();
  const beforeMs = isRecovered ? Math.max(0, clock.nowMs() - actedMs) : 0;
  const baselineAgeMs = baseline === undefined ? 0 : Math.max(0, actedMs - baseline.atMs);
  const sinceActS = () => (beforeMs + clock.monotonicMs() - startMs) / 1_000;
  return { sinceActS, sinceBaselineS: () => sinceActS() + baselineAgeMs / 1_000 };
}
