// The course of one miner through its polls: which slot is next, when a failure counts. Decisions only: no I/O, no timer.
import { CancelledError, PeerError, RefusedError } from '../../base/errors.ts';
import { doublingMs } from '../../base/time/backoff.ts';
import type { Due } from './due-heap.ts';
import type { PollSettings } from './settings.ts';

export type PollTarget = { readonly key: string; readonly ip: string };

export class Course implements Due {
  dueMs = 0;
  place = -1;
  target: PollTarget;
  /** Share of the interval at which its slots lie, [0, 1). */
  readonly phase: number;
  /** Grows when results of a visit under way no longer matter: another address, removed. */
  generation = 0;
  abort: AbortController | undefined;
  /** Asked for while a visit was under way. */
  isWantedAgain = false;
  /** Its last poll failed and is about to be repeated before that counts. */
  isConfirming = false;
  /** Failed polls in a row that counted. */
  failures = 0;
  /** Of these, those that were nobody's fault but the program's. */
  defects = 0;

  constructor(target: PollTarget, phase: number) {
    this.target = target;
    this.phase = phase;
  }
}

type Verdict =
  /** Nothing to tell yet: tried again soon. */
  | { readonly kind: 'confirm' }
  | { readonly kind: 'failed'; readonly error: Error; readonly isDefect: boolean }
  /** Neither a success nor a failure: something more urgent took its turn. */
  | { readonly kind: 'skipped' };

/** Slots keep their phase; the poll falls within this share of the interval after its slot. */
const JITTER = 0.1;
const BUSY_FACTOR = 5;

/**
 * What the failure of a visit means. A miner that failed before is not given a second try each time, nor is one that must not be asked again. A visit
 * that is stuck goes on after its abort and would meet the next one at the same miner: that is a defect, and gets the long pause.
 */
export function judge(course: Course, error: unknown, isStuck: boolean): Verdict {
  if (error instanceof CancelledError) return { kind: 'skipped' };
  const isPeers = error instanceof PeerError;
  const isWorthATry = isPeers && course.failures === 0 && !course.isConfirming && error.retry !== 'never';
  if (isWorthATry && !isStuck) return { kind: 'confirm' };
  const isDefect = isStuck || !(isPeers || error instanceof RefusedError);
  return { kind: 'failed', error: error instanceof Error ? error : new Error(String(error)), isDefect };
}

/** How soon a failed poll is repeated. A busy miner is given more time than a silent one. */
export function confirmDelayMs(
  error: unknown,
  { confirmAfterMs, intervalMs }: PollSettings,
  random: () => number,
): number {
  const factor = error instanceof PeerError && error.retry === 'later' ? BUSY_FACTOR : 1;
  return Math.min(confirmAfterMs * factor, intervalMs / 2) * (1 + 0.25 * random());
}

export function noteSuccess(course: Course): void {
  course.failures = 0;
  course.defects = 0;
  course.isConfirming = false;
}

/** Notes a failure that counts. */
export function noteFailure(course: Course, isDefect: boolean): void {
  course.failures++;
  course.defects = isDefect ? course.defects + 1 : 0;
  course.isConfirming = false;
}

/**
 * When to poll next in its ordinary course: the next slot of its phase, or 1, 2, 4, … slots on while it fails, up to the cap. A defect of
 * ours doubles once more. Never sooner than half an interval, so that a late poll is not followed at once by one that is on time.
 */
export function nextDueMs(course: Course, nowMs: number, settings: PollSettings, random: () => number): number {
  const { intervalMs, backoffCapMs } = settings;
  const doublings = course.failures === 0 ? 0 : course.failures - 1 + (course.defects > 0 ? 1 : 0);
  const capMs = Math.max(intervalMs, backoffCapMs);
  const slots = Math.max(1, Math.floor(doublingMs(doublings, { baseMs: intervalMs, capMs }) / intervalMs));
  const originMs = course.phase * intervalMs;
  const earliestMs = nowMs + (slots - 0.5) * intervalMs;
  const slot = Math.ceil((earliestMs - originMs) / intervalMs);
  return originMs + slot * intervalMs + random() * JITTER * intervalMs;
}
