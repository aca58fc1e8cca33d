// Sees when the clock that the service goes by was set, while it runs or before it started, says so, and has the store carry over what lives. Where copies of
// the service share a database it measures the clock of that, which all of them go by. It sets no clock.
import type { Clock } from '../base/clock.ts';
import { renderError } from '../base/errors.ts';
import { createRound, type Part } from '../base/lifecycle.ts';
import type { Log } from '../base/log.ts';
import { type ClockLook, lookAtClocks, stepBetween } from '../base/time/clock-steps.ts';
import { measureDatabase, type ReferenceStep, type ServiceClock } from './service-clock.ts';
import type { ClockRepairs } from './store/store.ts';

type WatchParts = {
  readonly store: ClockRepairs;
  /** Of this host. */
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  /** How far it is behind the time that the service had at its end, ms; 0 = it is not. */
  readonly behindMs: number;
  readonly log: Log;
  /** The clock of this host was set; `stepMs` < 0 = back. */
  readonly onStep: (stepMs: number) => void;
  /** The service goes by another time from now on. */
  readonly onTaken: () => void;
  /** Of all copies the one that carried a step over. */
  readonly onCarried: (step: ReferenceStep) => Promise<void>;
  /** How far the clock of this host is ahead of the one that copies of the service share. */
  readonly onDifference: (aheadMs: number) => void;
};

const LOOK_MS = 1_000;
/** What is kept for the next start may be as old as this. */
const KEEP_MS = 10_000;
/** Once one copy has seen a step, the others have seen it too, and what they were about to write is written. */
const ALL_SEE_MS = 3_000;
/** A clock that is off by more is worth a line in the log, again each hour. */
const DIFFERENCE_MS = 60_000;
const WARN_MS = 3_600_000;

/** What has been taken over and is not finished. A step back is carried over when all copies go by it: until then nothing goes stale for it. */
type Taken = { readonly byMs: number; readonly atElapsedMs: number; readonly isCarried: boolean };

export function createClockWatch(parts: WatchParts) {
  const { store, clock, serviceClock, log } = parts;
  const isShared = store.sharedNowMs !== undefined;
  let last: ClockLook = lookAtClocks(clock);
  let kept: { readonly elapsedMs: number; readonly certainMs: number } | undefined;
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  let isHistorySettled = false;
  let taken: Taken | undefined;
  if (parts.behindMs > 0) taken = { byMs: -parts.behindMs, atElapsedMs: clock.elapsedMs(), isCarried: false };

  const measure = async (): Promise<void> => {
    if (store.sharedNowMs === undefined) return;
    const said = await measureDatabase(clock, store.sharedNowMs);
    if (said === undefined) return;
    serviceClock.measured(said);
    const now = lookAtClocks(clock);
    const aheadMs = now.wallMs - said.wallMs - (now.elapsedMs - said.elapsedMs);
    parts.onDifference(aheadMs);
    if (Math.abs(aheadMs) <= DIFFERENCE_MS || now.elapsedMs - warnedAtMs < WARN_MS) return;
    warnedAtMs = now.elapsedMs;
    log.warn(
      { aheadMs: Math.round(aheadMs) },
      'the clock of this host differs from that of the database, which the service goes by: set it, or let a time server keep it',
    );
  };

  const carry = async (step: ReferenceStep, freshMs: number): Promise<void> => {
    const miners = await store.carryOver(step, freshMs);
    if (miners !== undefined) await parts.onCarried(step);
  };

  const takeOver = async (step: ReferenceStep): Promise<void> => {
    const byMs = step.toMs - step.fromMs + (taken?.isCarried === false ? taken.byMs : 0);
    // Forward: before anything goes by it, because everything would be stale.
    if (byMs > 0) await carry({ fromMs: step.toMs - byMs, toMs: step.toMs }, 0);
    else await store.endWhatIsOver(step, isShared ? ALL_SEE_MS : 0);
    serviceClock.takeOver(step);
    taken = { byMs, atElapsedMs: clock.elapsedMs(), isCarried: byMs > 0 };
    isHistorySettled = false;
    if (isShared) log.warn({ stepMs: byMs }, 'the clock of the database was set: let a time server keep it');
    parts.onTaken();
  };

  /** What is left to be done; what fails now is tried again with the next look. */
  const finish = async (): Promise<void> => {
    if (taken === undefined) return;
    const { byMs, atElapsedMs, isCarried } = taken;
    const toMs = serviceClock.nowMs();
    const step = { fromMs: toMs - byMs, toMs };
    const sinceMs = Math.round(clock.elapsedMs() - atElapsedMs);
    if (!isCarried && (!isShared || sinceMs >= ALL_SEE_MS)) {
      if (byMs < 0) await carry(step, sinceMs);
      if (byMs < 0) await store.redate(toMs, -byMs);
      taken = { ...taken, isCarried: true };
    }
    if (!isCarried || sinceMs < ALL_SEE_MS) return;
    await store.carryStragglers(step);
    taken = undefined;
  };

  const repairHistory = async (): Promise<void> => {
    const found = await store.repairHistory(serviceClock.nowMs());
    isHistorySettled = true;
    if (found.setAside > 0) log.warn(found, 'history that is later than now is set aside: the clock was set back');
    else if (found.broughtBack > 0) log.info(found, 'history that was set aside while the clock was behind is back');
  };

  const keep = async (): Promise<void> => {
    // Not by a time that others still have to see.
    if (taken !== undefined || serviceClock.step() !== undefined) return;
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
    await measure();
    const step = serviceClock.step();
    if (step !== undefined) await takeOver(step);
    await finish();
    if (!isHistorySettled) await repairHistory();
    if (kept === undefined || clock.elapsedMs() - kept.elapsedMs >= KEEP_MS) await keep();
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
        log.warn({ error: renderError(error) }, 'settle the times in the database'),
      );
      round.start();
    },
    async stop() {
      await round.stop();
      await keep().catch((error: unknown) => log.debug({ error: renderError(error) }, 'keep the time'));
    },
    /** Until when time has passed for certain; see `keepTime` of the store. */
    certainMs: (): number => (kept === undefined ? 0 : Math.min(serviceClock.nowMs(), kept.certainMs)),
  } satisfies Part & { certainMs(): number };
}
