// Sees when the clock of this host was set while the service runs, or before it started, says so, and has the store settle what that leaves behind. Where
// copies of the service share a database it also says when their clocks differ. It sets no clock.
import type { Clock } from '../base/clock.ts';
import { renderError } from '../base/errors.ts';
import { createRound, type Part } from '../base/lifecycle.ts';
import type { Log } from '../base/log.ts';
import { type ClockLook, lookAtClocks, stepBetween } from '../base/time/clock-steps.ts';
import type { ClockRepairs } from './store/store.ts';

type WatchParts = {
  readonly store: ClockRepairs;
  readonly clock: Clock;
  readonly log: Log;
  /** `stepMs` < 0 = back. */
  readonly onStep: (stepMs: number) => void;
  /** How far our clock is ahead of the one that copies of the service share. */
  readonly onDifference: (aheadMs: number) => void;
};

const LOOK_MS = 1_000;
const COMPARE_MS = 60_000;
/** A clock that is off by more is worth a line in the log, again each hour. */
const DIFFERENCE_MS = 60_000;
const WARN_MS = 3_600_000;

export function createClockWatch({ store, clock, log, onStep, onDifference }: WatchParts) {
  let last: ClockLook = lookAtClocks(clock);
  let comparedAtMs = Number.NEGATIVE_INFINITY;
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  /** What the last step left behind is not settled yet: the database was away. */
  let isUnsettled = false;
  /** When the service last wrote before this start, by the clock that it had then, and when that was looked up. */
  let before: { readonly newestMs: number; readonly elapsedMs: number } | undefined;

  const settle = async () => {
    isUnsettled = true;
    const found = await store.settle(clock.nowMs());
    isUnsettled = false;
    before ??= { newestMs: found.newestMs, elapsedMs: clock.elapsedMs() };
    if (found.aheadMs > DIFFERENCE_MS || found.setAside > 0)
      log.warn(
        found,
        'the database has times that are later than now: the clock of this host was set back, or is behind',
      );
    else if (found.broughtBack > 0) log.info(found, 'history that was set aside while the clock was behind is back');
  };

  const look = async () => {
    const now = lookAtClocks(clock);
    const stepMs = stepBetween(last, now);
    last = now;
    if (stepMs !== 0) {
      log.warn({ stepMs }, 'the clock of this host was set: let a time server keep it');
      onStep(stepMs);
    }
    if (stepMs !== 0 || isUnsettled) await settle();
    await compare(now);
  };

  const compare = async ({ elapsedMs }: ClockLook) => {
    if (store.sharedNowMs === undefined || elapsedMs - comparedAtMs < COMPARE_MS) return;
    comparedAtMs = elapsedMs;
    const beforeMs = clock.nowMs();
    const sharedMs = await store.sharedNowMs();
    // It was asked for somewhere between the two.
    const aheadMs = (beforeMs + clock.nowMs()) / 2 - sharedMs;
    onDifference(aheadMs);
    if (Math.abs(aheadMs) <= DIFFERENCE_MS || elapsedMs - warnedAtMs < WARN_MS) return;
    warnedAtMs = elapsedMs;
    const fields = { aheadMs: Math.round(aheadMs) };
    log.warn(fields, 'the clock of this host differs from that of the database: set it, or let a time server keep it');
  };

  const round = createRound('looking at the clock', LOOK_MS, look, clock, log);
  return {
    name: 'clock',
    async start() {
      // Before a request is answered; what fails now is tried again each second.
      await settle().catch((error: unknown) =>
        log.warn({ error: renderError(error) }, 'settle the times in the database'),
      );
      round.start();
    },
    stop: round.stop,
    /**
     * Until when time has passed for certain: what is removed because it is old goes by this, so that a clock that is far ahead removes nothing. Behind
     * `nowMs` by the time that the service did not run before this start.
     */
    certainMs: (): number =>
      before === undefined ? 0 : Math.min(clock.nowMs(), before.newestMs + clock.elapsedMs() - before.elapsedMs),
  } satisfies Part & { certainMs(): number };
}
