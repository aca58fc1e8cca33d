// The clock that the service decides by. It follows its reference, which is the clock of this host or, where copies
// share a database, that of the database, and runs on with a clock that is never set: a step of the reference counts
// only once what lives has been carried over it.
import { uptime } from 'node:os';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { type ClockLook, EARLIEST_MS, isStep, lookAtClocks, offsetOf } from '../base/time/clock-steps.ts';
import type { ClockRepairs } from './store/store.ts';

/** From the time of this clock to that of the reference, ms since the epoch, at one moment. */
export type ReferenceStep = { readonly fromMs: number; readonly toMs: number };

export type ServiceClock = Clock & {
  /** Where the reference stands, if it was set. Until `takeOver` this clock goes on as if it had not been. */
  step(): ReferenceStep | undefined;
  takeOver(step: ReferenceStep): void;
  /** The time of the database at that elapsed time; from the first time on the database is the reference. */
  measured(look: ClockLook): void;
  /** The reference is not followed, because it is too early to be right. */
  isUnset(): boolean;
  /** It is at least that late: for `forMs` the reference is not followed to an earlier time. */
  continueFrom(wallMs: number, forMs: number): void;
};

/** Between two readings of the clocks of a process: beyond it the wall clock was set, or the host slept. */
const SAME_PACE_MS = 100;

export function createServiceClock(clock: Clock): ServiceClock {
  let last = { ...lookAtClocks(clock), monotonicMs: clock.monotonicMs() };
  let offsetMs = offsetOf(last);
  let databaseOffsetMs: number | undefined;
  let goesOnUntilMs = Number.NEGATIVE_INFINITY;

  // Reading elapsed time takes longer than most of what asks for the time.
  const look = (): ClockLook => {
    const wallMs = clock.nowMs();
    const passedMs = clock.monotonicMs() - last.monotonicMs;
    if (Math.abs(wallMs - last.wallMs - passedMs) <= SAME_PACE_MS)
      return { wallMs, elapsedMs: last.elapsedMs + passedMs };
    last = { ...lookAtClocks(clock), monotonicMs: clock.monotonicMs() };
    return last;
  };
  const referenceOffsetMs = (now: ClockLook): number => {
    const referenceMs = databaseOffsetMs ?? offsetOf(now);
    const isTooEarly = now.elapsedMs < goesOnUntilMs || now.elapsedMs + referenceMs < EARLIEST_MS;
    return referenceMs < offsetMs && isTooEarly ? offsetMs : referenceMs;
  };
  const read = (): ReferenceStep => {
    const now = look();
    const referenceMs = referenceOffsetMs(now);
    if (!isStep(referenceMs - offsetMs)) offsetMs = referenceMs;
    return { fromMs: Math.round(now.elapsedMs + offsetMs), toMs: Math.round(now.elapsedMs + referenceMs) };
  };

  return {
    ...clock,
    nowMs: () => read().fromMs,
    step() {
      const step = read();
      return isStep(step.toMs - step.fromMs) ? step : undefined;
    },
    takeOver({ fromMs, toMs }) {
      offsetMs += toMs - fromMs;
    },
    measured(at) {
      databaseOffsetMs = offsetOf(at);
    },
    isUnset() {
      const now = look();
      return referenceOffsetMs(now) !== (databaseOffsetMs ?? offsetOf(now));
    },
    continueFrom(wallMs, forMs) {
      const { elapsedMs } = look();
      offsetMs = Math.max(wallMs, EARLIEST_MS) - elapsedMs;
      goesOnUntilMs = elapsedMs + forMs;
    },
  };
}

/** An answer that took longer is too imprecise. */
const SLOWEST_ANSWER_MS = 1_000;

/**
 * The time of the database, and when it was read; undefined when the answer took too long. Throws what the database
 * throws.
 */
export async function measureDatabase(
  clock: Clock,
  sharedNowMs: () => Promise<number>,
): Promise<ClockLook | undefined> {
  const askedMs = clock.elapsedMs();
  const sharedMs = await sharedNowMs();
  const tookMs = clock.elapsedMs() - askedMs;
  // It was read somewhere between the two.
  return tookMs > SLOWEST_ANSWER_MS ? undefined : { wallMs: sharedMs, elapsedMs: askedMs + tookMs / 2 };
}

const MEASURE_TRIES = 5;
/**
 * Hosts without a battery begin with the time at which they ended, or at which their system was built; by then a time
 * server has set them.
 */
const BOOTING_MS = 15 * 60_000;

type Beginning = {
  readonly store: Pick<ClockRepairs, 'sharedNowMs' | 'lastMs'>;
  /** Of this host. */
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly log: Log;
  readonly hostUptimeMs?: (() => number) | undefined;
};

/**
 * Makes the clock right before anything goes by it. Gives by how much it is behind what the service had at its end, ms;
 * 0 = it is not.
 */
export async function beginTime({ store, clock, serviceClock, log, hostUptimeMs }: Beginning): Promise<number> {
  const { sharedNowMs } = store;
  for (let tries = 0; sharedNowMs !== undefined && tries < MEASURE_TRIES; tries++) {
    const measured = await measureDatabase(clock, sharedNowMs);
    if (measured === undefined) continue;
    serviceClock.measured(measured);
    break;
  }
  const first = serviceClock.step();
  if (first !== undefined) serviceClock.takeOver(first);
  const lastMs = (await store.lastMs()) ?? 0;
  const nowMs = serviceClock.nowMs();
  const bootingMs = BOOTING_MS - (hostUptimeMs?.() ?? uptime() * 1_000);
  if (nowMs >= Math.max(EARLIEST_MS, lastMs)) return 0;
  if (sharedNowMs === undefined && (bootingMs > 0 || nowMs < EARLIEST_MS)) {
    log.warn(
      { at: new Date(nowMs).toISOString() },
      'the clock of this host is not set yet: time goes on from where the service ended until it is',
    );
    serviceClock.continueFrom(lastMs, Math.max(0, bootingMs));
    return 0;
  }
  // Two measures of one clock differ by a little.
  return isStep(lastMs - nowMs) ? lastMs - nowMs : 0;
}
