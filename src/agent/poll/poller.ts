// Polls every miner once per interval, evenly spread, one visit per miner at a time, whatever some of them do. It knows nothing of what a visit
// asks: `visit` does the talking, `onResult` hears what came of it.
import type { Clock } from '../../base/clock.ts';
import { PeerError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { withDeadline } from '../../base/time/deadline.ts';
import { DueHeap } from './due-heap.ts';
import { createPlaces } from './poll-capacity.ts';
import type { PollTarget } from './poll-schedule.ts';
import { Course, confirmDelayMs, judge, nextDueMs, noteFailure, noteSuccess } from './poll-schedule.ts';
import { firstRoundMs, POLL_SETTINGS, type PollSettings, paceMs } from './settings.ts';

export type PollResult<O> =
  | { readonly kind: 'ok'; readonly outcome: O }
  /** `consecutive` failed polls in a row, this one included; each was tried twice if that made sense. */
  | { readonly kind: 'failed'; readonly error: Error; readonly consecutive: number };

export type PollerOptions<O> = {
  readonly clock: Clock;
  /** Gives [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly settings?: Partial<PollSettings>;
  /** Must end soon after its signal aborts. A CancelledError that we did not cause counts as nothing: the next slot comes. */
  readonly visit: (target: PollTarget, signal: AbortSignal) => Promise<O>;
  readonly onResult: (target: PollTarget, result: PollResult<O>) => void;
};

export type Poller = ReturnType<typeof createPoller>;
export type PollStats = ReturnType<Poller['stats']>;

const GRACE_MS = 250;
/** A late start may be made up for by this much. */
const CATCH_UP_MS = 20;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

export function createPoller<O>(options: PollerOptions<O>) {
  const { clock, random, log } = options;
  let settings: PollSettings = { ...POLL_SETTINGS, ...options.settings };
  const courses = new Map<string, Course>();
  /** Miners that fail wait in their own line, with their own share of the places. */
  const lines = { sound: new DueHeap<Course>(), suspect: new DueHeap<Course>() };
  const places = createPlaces(settings);
  const ending = new Set<Promise<void>>();
  /** Since the start. */
  const totals = { ok: 0, failed: 0, retried: 0, timeouts: 0, defects: 0, skipped: 0 };
  const late = { now: 0, before: 0, sinceMs: 0 };
  const firstPhase = random();
  let seen = 0;
  let nextStartMs = -Infinity;
  let isRunning = false;
  let timer: { readonly atMs: number; readonly cancel: () => void } | undefined;

  const enqueue = (course: Course, dueMs: number) => {
    course.dueMs = dueMs;
    const isUrgent = dueMs === -Infinity;
    const line = !isUrgent && isSuspect(course) ? lines.suspect : lines.sound;
    line.push(course);
    arm();
  };
  const dequeue = (course: Course) => {
    lines.sound.remove(course);
    lines.suspect.remove(course);
  };

  /** The sound line goes first when both are due: many failing miners do not delay those that work. */
  const nextInLine = (nowMs: number) => {
    const sound = lines.sound.peek();
    const suspect = places.hasRoomForSuspect() ? lines.suspect.peek() : undefined;
    if (sound === undefined || suspect === undefined) return sound ?? suspect;
    return sound.dueMs <= Math.max(nowMs, suspect.dueMs) ? sound : suspect;
  };

  /** How long the next miner in line could have been visited already: whoever watches the agent sees watchdog by it. */
  const overdueMs = () => {
    const next = isRunning ? nextInLine(clock.monotonicMs()) : undefined;
    const dueMs = Math.max(next?.dueMs ?? Infinity, nextStartMs);
    return Number.isFinite(dueMs) ? Math.max(0, clock.monotonicMs() - dueMs) : 0;
  };

  const arm = () => {
    const nowMs = clock.monotonicMs();
    const next = nextInLine(nowMs);
    if (!isRunning || next === undefined) return;
    let atMs = Math.max(next.dueMs, nextStartMs);
    if (!places.hasRoom()) {
      const roomMs = places.nextRoomMs();
      if (roomMs === undefined) return;
      atMs = Math.max(atMs, roomMs);
    }
    if (timer !== undefined && timer.atMs <= atMs) return;
    timer?.cancel();
    timer = { atMs, cancel: clock.after(Math.max(0, atMs - nowMs), turn) };
  };

  const turn = () => {
    timer = undefined;
    if (!isRunning) return;
    const nowMs = clock.monotonicMs();
    places.setSlowOnesAside(nowMs);
    for (let next = nextInLine(nowMs); next !== undefined && places.hasRoom(); next = nextInLine(nowMs)) {
      if (next.dueMs > nowMs || nextStartMs > nowMs) break;
      nextStartMs = Math.max(nextStartMs, nowMs - CATCH_UP_MS) + paceMs(courses.size, settings);
      begin(next, nowMs);
    }
    arm();
  };

  const begin = (course: Course, nowMs: number) => {
    dequeue(course);
    if (course.dueMs > -Infinity) noteLate(nowMs - course.dueMs, nowMs);
    const place = places.take(nowMs, isSuspect(course));
    course.isWantedAgain = false;
    const abort = new AbortController();
    course.abort = abort;
    const ended: Promise<void> = attend(course, nowMs, abort.signal).finally(() => {
      ending.delete(ended);
      places.leave(place);
      arm();
    });
    ending.add(ended);
  };

  /** One visit from its start to its consequences. Never rejects. */
  const attend = async (course: Course, startMs: number, signal: AbortSignal) => {
    const { target, generation } = course;
    let isOver = false;
    let hasTimedOut = false;
    let failure: { readonly error: unknown } | undefined;
    let result: PollResult<O> | undefined;
    const onDeadline = () => {
      hasTimedOut = true;
      return new PeerError('peer.timeout', `visit ${target.ip} within ${settings.visitDeadlineMs} ms`, 'soon');
    };
    try {
      const bounds = { deadlineMs: settings.visitDeadlineMs, graceMs: GRACE_MS, signal, onDeadline };
      const outcome = await withDeadline(clock, bounds, async (inner) => {
        try {
          return await options.visit(target, inner);
        } finally {
          isOver = true;
        }
      });
      result = { kind: 'ok', outcome };
    } catch (error) {
      failure = { error };
    }
    course.abort = undefined;
    if (courses.get(target.key) !== course || !isRunning) return;
    if (course.generation !== generation) return enqueue(course, -Infinity);
    if (hasTimedOut) totals.timeouts++;

    let dueMs: number | undefined;
    if (failure === undefined) {
      totals.ok++;
      noteSuccess(course);
    } else {
      const verdict = judge(course, failure.error, !isOver);
      if (verdict.kind === 'skipped') {
        totals.skipped++;
        course.isConfirming = false;
      } else if (verdict.kind === 'confirm') {
        totals.retried++;
        course.isConfirming = true;
        dueMs = clock.monotonicMs() + confirmDelayMs(failure.error, settings, random);
      } else {
        const { error, isDefect } = verdict;
        totals.failed++;
        noteFailure(course, isDefect);
        if (isDefect) tellDefect(course, error, !isOver);
        result = { kind: 'failed', error, consecutive: course.failures };
      }
    }
    if (result !== undefined) hand(target, result);
    // `onResult` may have removed or moved the miner.
    if (courses.get(target.key) !== course || course.place >= 0) return;
    dueMs ??= ordinaryDueMs(course, startMs);
    enqueue(course, course.isWantedAgain || course.generation !== generation ? -Infinity : dueMs);
  };

  const ordinaryDueMs = (course: Course, startMs: number) => {
    const nowMs = clock.monotonicMs();
    const dueMs = nextDueMs(course, startMs, settings, random);
    return dueMs > nowMs ? dueMs : nextDueMs(course, nowMs, settings, random);
  };

  const hand = (target: PollTarget, result: PollResult<O>) => {
    try {
      options.onResult(target, result);
    } catch (error) {
      totals.defects++;
      log.error(
        { miner: target.key, ip: target.ip, cause: renderError(error) },
        'the result of a poll was not taken in',
      );
    }
  };

  const tellDefect = (course: Course, error: Error, isStuck: boolean) => {
    totals.defects++;
    // At the first and then ever more seldom: one poisonous model may be thousands of miners.
    if ((course.defects & (course.defects - 1)) !== 0) return;
    const { key, ip } = course.target;
    const message = isStuck ? 'a visit goes on after it was told to stop' : 'a visit broke';
    log.error({ miner: key, ip, inARow: course.defects, cause: renderError(error) }, message);
  };

  const noteLate = (lateMs: number, nowMs: number) => {
    if (nowMs - late.sinceMs >= settings.intervalMs) {
      late.before = nowMs - late.sinceMs < 2 * settings.intervalMs ? late.now : 0;
      late.now = 0;
      late.sinceMs = nowMs;
    }
    late.now = Math.max(late.now, lateMs);
  };

  const admit = (target: PollTarget, spreadMs: number) => {
    const phase = (firstPhase + seen++ * GOLDEN) % 1;
    const course = new Course(target, phase);
    courses.set(target.key, course);
    if (isRunning) enqueue(course, clock.monotonicMs() + phase * spreadMs);
  };

  /** What was begun for this course no longer counts. */
  const disown = (course: Course) => {
    course.generation++;
    course.abort?.abort();
    dequeue(course);
  };

  const move = (course: Course, ip: string) => {
    if (course.target.ip === ip) return;
    disown(course);
    course.target = { key: course.target.key, ip };
    noteSuccess(course);
    if (isRunning && course.abort === undefined) enqueue(course, -Infinity);
  };

  const remove = (key: string) => {
    const course = courses.get(key);
    if (course === undefined) return;
    courses.delete(key);
    disown(course);
  };

  return {
    /** Adds a miner, or moves it when it is there already. */
    add(target: PollTarget): void {
      const course = courses.get(target.key);
      if (course !== undefined) move(course, target.ip);
      else admit(target, firstRoundMs(1, settings));
    },
    remove,
    /** Ahead of all others, again afterwards when a visit is under way now. False when there is no such miner. */
    pollNow(key: string): boolean {
      const course = courses.get(key);
      if (course === undefined) return false;
      course.isWantedAgain = true;
      if (isRunning && course.abort === undefined) {
        dequeue(course);
        enqueue(course, -Infinity);
      }
      return true;
    },
    /** From now on; each miner takes the new rhythm with its next poll, which comes within the new interval. Places stay as they are. */
    adjust(changed: Pick<PollSettings, 'intervalMs' | 'visitDeadlineMs'>): void {
      settings = { ...settings, ...changed };
      const lastMs = clock.monotonicMs() + settings.intervalMs;
      for (const course of isRunning ? courses.values() : []) {
        // Those that fail keep their pause: it is no shorter for a farm that is polled more often.
        if (course.place < 0 || course.dueMs <= lastMs || course.failures > 0) continue;
        dequeue(course);
        enqueue(course, clock.monotonicMs() + course.phase * settings.intervalMs);
      }
    },
    start(): void {
      if (isRunning) return;
      isRunning = true;
      const nowMs = clock.monotonicMs();
      late.sinceMs = nowMs;
      const spreadMs = firstRoundMs(courses.size, settings);
      for (const course of courses.values()) {
        if (course.abort === undefined) enqueue(course, nowMs + course.phase * spreadMs);
      }
    },
    /** Aborts what is in flight; nothing is reported any more. */
    async stop(): Promise<void> {
      isRunning = false;
      timer?.cancel();
      timer = undefined;
      for (const course of courses.values()) disown(course);
      await Promise.all(ending);
    },
    stats: () => ({
      targets: courses.size,
      /** Of them, those whose newest poll failed. */
      failing: [...courses.values()].filter(({ failures }) => failures > 0).length,
      ...places.counts(),
      ...totals,
      /** Longest time between falling due and starting, in the last one to two intervals. */
      worstLateMs: Math.max(late.now, late.before),
      overdueMs: overdueMs(),
    }),
  };
}

const isSuspect = (course: Course): boolean => course.failures > 0 || course.isConfirming;
