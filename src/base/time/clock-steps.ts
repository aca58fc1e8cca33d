// Steps of the wall clock, seen beside a clock that is never set. It looks and compares; it keeps nothing.
import type { Clock } from '../clock.ts';

/** Both clocks at one moment, ms. */
export type ClockLook = { readonly wallMs: number; readonly elapsedMs: number };

/**
 * Between two readings, ms. A time server that slews a clock stays far below it, and a step of a second is above it for
 * sure, also on hosts with coarse clocks.
 */
const LARGEST_SLEW_MS = 1_200;
/** The host may put the process to sleep between two readings: then they are not of one moment. */
const SAME_MOMENT_MS = 100;
const TRIES = 5;

/**
 * A right clock shows a later time: this was written in 2026. Hosts without a battery start in 1970, or at the build of
 * their system.
 */
export const EARLIEST_MS = Date.UTC(2026, 0, 1);

/** Reads both clocks at one moment, as well as that can be had. */
export function lookAtClocks(clock: Pick<Clock, 'nowMs' | 'elapsedMs'>): ClockLook {
  for (let tries = 1; ; tries++) {
    const before = clock.elapsedMs();
    const wallMs = clock.nowMs();
    const elapsedMs = clock.elapsedMs();
    if (elapsedMs - before <= SAME_MOMENT_MS || tries === TRIES) return { wallMs, elapsedMs };
  }
}

/** Whether a wall clock that has moved by this much against elapsed time was set. */
export const isStep = (movedMs: number): boolean => Math.abs(movedMs) > LARGEST_SLEW_MS;

/**
 * By how many ms the wall clock was set forward (negative: back) between two readings; 0 when not. A suspend is no
 * step.
 */
export function stepBetween(before: ClockLook, now: ClockLook): number {
  const stepMs = offsetOf(now) - offsetOf(before);
  return isStep(stepMs) ? Math.round(stepMs) : 0;
}

/** How long ago that was, ms. */
export const ageOf = (look: ClockLook, now: ClockLook): number => Math.max(0, now.elapsedMs - look.elapsedMs);

/**
 * The time of that reading by the wall clock as it is set now: it moves with a step, by whole seconds, and is never
 * after now.
 */
export function wallTimeOf(look: ClockLook, now: ClockLook): number {
  const movedMs = offsetOf(now) - offsetOf(look);
  const stepMs = isStep(movedMs) ? Math.round(movedMs / 1_000) * 1_000 : 0;
  return Math.min(now.wallMs, look.wallMs + stepMs);
}

/** What the wall clock, as it is set now, calls that elapsed time; for what lies in the past. */
export const wallTimeAt = (elapsedMs: number, now: ClockLook): number =>
  Math.min(now.wallMs, Math.round(elapsedMs + offsetOf(now)));

/** What wall time is ahead of elapsed time, ms: it changes only when the wall clock is set. */
export const offsetOf = ({ wallMs, elapsedMs }: ClockLook): number => wallMs - elapsedMs;
