// When slices were produced, by a clock that is never set: their age is right whatever the wall clock is set to. Kept
// in memory: of slices of an earlier run only the wall time on disk is known.
import { type ClockLook, isStep, offsetOf } from '../../base/time/clock-steps.ts';

/** From this id on, wall time was `offsetMs` ahead of elapsed time. */
type Span = { readonly fromId: number; readonly offsetMs: number; readonly sinceMs: number };
/** Oldest first; never empty. */
export type SliceAges = readonly [Span, ...Span[]];

/** A clock that is slewed makes one span per so many ms, one that is set makes one per step. */
const SAME_OFFSET_MS = 500;
const MAX_SPANS = 32;

/** `nextId` = the first slice that this run will write. */
export const beginAges = (nextId: number, now: ClockLook): SliceAges => [
  { fromId: nextId, offsetMs: offsetOf(now), sinceMs: now.elapsedMs },
];

/** Now, by the wall clock as it was set when the records were dated: one age then fits slice and records. */
export const asDated = (offsetMs: number | undefined, now: ClockLook): ClockLook =>
  offsetMs !== undefined && isStep(offsetOf(now) - offsetMs)
    ? { wallMs: Math.round(now.elapsedMs + offsetMs), elapsedMs: now.elapsedMs }
    : now;

/** Slice `id` is produced now. Beyond `MAX_SPANS` the oldest slices are treated as those of an earlier run. */
export function noteProduced(ages: SliceAges, id: number, now: ClockLook): SliceAges {
  const [first, ...rest] = ages;
  const offsetMs = offsetOf(now);
  if (Math.abs(offsetMs - (rest.at(-1) ?? first).offsetMs) <= SAME_OFFSET_MS) return ages;
  const span = { fromId: id, offsetMs, sinceMs: now.elapsedMs };
  const [second, ...others] = rest;
  return second === undefined || ages.length < MAX_SPANS ? [first, ...rest, span] : [second, ...others, span];
}

/**
 * Elapsed time at which the slice was produced, from its wall time; never after now. One of an earlier run was produced
 * at the latest when this run began, and otherwise as long ago as the wall clock says now.
 */
export function producedElapsedMs(
  ages: SliceAges,
  { id, producedMs }: { readonly id: number; readonly producedMs: number },
  now: ClockLook,
): number {
  const span = ages.findLast(({ fromId }) => fromId <= id);
  if (span !== undefined) return Math.min(now.elapsedMs, producedMs - span.offsetMs);
  return Math.min(ages[0].sinceMs, producedMs - offsetOf(now));
}
