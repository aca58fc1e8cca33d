// Sees when the clock of the service was set, while the service runs or before it started: logs it, and has the store
// carried over (clock-carrier.ts). Where copies of the service share a database it measures the clock of the database,
// which all of them go by. It sets no clock.
import { renderError } from '../base/errors.ts';
import { createRound, type Part } from '../base/lifecycle.ts';
import { type ClockLook, lookAtClocks, stepBetween } from '../base/time/clock-steps.ts';
import { type CarrierParts, StepCarrier } from './clock-carrier.ts';
import { measureDatabase } from './service-clock.ts';

type WatchParts = CarrierParts & {
  /** The clock of this host was set; `stepMs` < 0 = back. */
  readonly onStep: (stepMs: number) => void;
  /** How far the clock of this host is ahead of the one that copies of the service share. */
  readonly onDifference: (aheadMs: number) => void;
};

const LOOK_MS = 1_000;
/** What is kept for the next start may be as old as this. */
const KEEP_MS = 10_000;
/** A clock that is off by more is worth a line in the log, again each hour. */
const DIFFERENCE_MS = 60_000;
const WARN_MS = 3_600_000;

export function createClockWatch(parts: WatchParts) {
  const { store, clock, serviceClock, log } = parts;
  const carrier = new StepCarrier(parts);
  let last: ClockLook = lookAtClocks(clock);
  let kept: { readonly elapsedMs: number; readonly certainMs: number } | undefined;
  let warnedAtMs = Number.NEGATIVE_INFINITY;

  /** False when the database answered too late to say its time. */
  const measure = async (): Promise<boolean> => {
    if (store.sharedNowMs === undefined) return true;
    const measured = await measureDatabase(clock, store.sharedNowMs);
    if (measured === undefined) return false;
    serviceClock.measured(measured);
    const now = lookAtClocks(clock);
    const aheadMs = now.wallMs - measured.wallMs - (now.elapsedMs - measured.elapsedMs);
    parts.onDifference(aheadMs);
    if (Math.abs(aheadMs) <= DIFFERENCE_MS || now.elapsedMs - warnedAtMs < WARN_MS) return true;
    warnedAtMs = now.elapsedMs;
    log.warn(
      { aheadMs: Math.round(aheadMs) },
      'the clock of this host differs from that of the database, which the service goes by: set it, or let a time server keep it',
    );
    return true;
  };

  /** Call it right after the clock was measured: the time of a host that stood still is hours old. */
  const keep = async (): Promise<void> => {
    // Not by a time that other copies still have to see.
    if (carrier.isBusy || serviceClock.step() !== undefined) return;
    const elapsedMs = clock.elapsedMs();
    const passedMs = kept === undefined ? 0 : elapsedMs - kept.elapsedMs;
    kept = { elapsedMs, certainMs: await store.keepTime(serviceClock.nowMs(), passedMs, !serviceClock.isUnset()) };
  };

  const look = async (): Promise<void> => {
    const now = lookAtClocks(clock);
    const stepMs = stepBetween(last, now);
    last = now;
    if (stepMs !== 0) {
      log.warn({ stepMs }, 'the clock of this host was set: let a time server keep it');
      parts.onStep(stepMs);
    }
    const isMeasured = await measure();
    const step = serviceClock.step();
    if (step !== undefined) await carrier.takeOver(step);
    await carrier.finish();
    if (isMeasured && (kept === undefined || clock.elapsedMs() - kept.elapsedMs >= KEEP_MS)) await keep();
  };

  const round = createRound('looking at the clock', LOOK_MS, look, clock, log);
  return {
    name: 'clock',
    async start() {
      if (parts.behindMs > DIFFERENCE_MS)
        log.warn(
          { aheadMs: parts.behindMs },
          'the database has times that are later than now: the clock of this host was set back, or is behind',
        );
      // Before a request is answered; what fails now is tried again each second.
      await look().catch((error: unknown) =>
        log.warn({ error: renderError(error) }, 'correct the times in the database'),
      );
      round.start();
    },
    async stop() {
      await round.stop();
      try {
        if (await measure()) await keep();
      } catch (error) {
        log.debug({ error: renderError(error) }, 'keep the time');
      }
    },
    /** Until when time has passed for certain; see `keepTime` of the store. */
    certainMs: (): number => (kept === undefined ? 0 : Math.min(serviceClock.nowMs(), kept.certainMs)),
  } satisfies Part & { certainMs(): number };
}
