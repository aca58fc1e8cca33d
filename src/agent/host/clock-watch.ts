// Sees when the wall clock of this host is set, declares it to the services and remembers it for an hour. It corrects
// nothing: what decides by time in this agent goes by clocks that are never set.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { type ClockLook, lookAtClocks, stepBetween } from '../../base/time/clock-steps.ts';
import type { EventRecord, GapRecord } from '../../wire/records.ts';

/**
 * From one wall time to another, ms since the epoch. `stepMs` < 0 = back. `steps` > 1 = several in a row, too many to
 * be declared one by one.
 */
export type ClockStep = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  readonly steps: number;
  /** What was dated by a clock that was wrong lies between these. */
  readonly firstMs: number;
  readonly lastMs: number;
};
/** `agoMs` is right whatever the wall clock says. */
export type RecentStep = Pick<ClockStep, 'stepMs' | 'steps'> & { readonly agoMs: number };

type Declared = Pick<ClockStep, 'stepMs' | 'steps'> & { readonly atElapsedMs: number };
export type WatchState = {
  readonly last: ClockLook;
  /** Of the last hour, oldest first. */
  readonly declared: readonly Declared[];
  /** What is not declared yet. */
  readonly waiting: ClockStep | undefined;
};

const REMEMBERED_MS = 3_600_000;
/** In an hour: two programs that fight about the clock set it every second. What is more is summed up. */
const MAX_DECLARED = 10;

/** What a look shows: the step to declare now, if any. `stepMs` 0 = none was seen. */
export function noteStep(state: WatchState, now: ClockLook, stepMs: number) {
  const declared = state.declared.filter(({ atElapsedMs }) => now.elapsedMs - atElapsedMs < REMEMBERED_MS);
  const waiting = stepMs === 0 ? state.waiting : joined(state.waiting, now.wallMs, stepMs);
  if (waiting === undefined || declared.length >= MAX_DECLARED) {
    return { state: { last: now, declared, waiting }, step: undefined };
  }
  const mark = { stepMs: waiting.stepMs, steps: waiting.steps, atElapsedMs: now.elapsedMs };
  return { state: { last: now, declared: [...declared, mark], waiting: undefined }, step: waiting };
}

function joined(before: ClockStep | undefined, toMs: number, stepMs: number): ClockStep {
  const fromMs = toMs - stepMs;
  return {
    fromMs: before?.fromMs ?? fromMs,
    toMs,
    stepMs: (before?.stepMs ?? 0) + stepMs,
    steps: (before?.steps ?? 0) + 1,
    firstMs: Math.min(before?.firstMs ?? fromMs, fromMs, toMs),
    lastMs: Math.max(before?.lastMs ?? fromMs, fromMs, toMs),
  };
}

export function createClockWatch(parts: {
  readonly clock: Clock;
  readonly log: Log;
  /** What the services call this agent. */
  readonly agentIds: readonly string[];
  emit(record: GapRecord | EventRecord): void;
  /** The wall clock was set: what both clocks said before goes no longer together. */
  onStep(): void;
}) {
  const { clock, log, agentIds, emit } = parts;
  let state: WatchState = { last: lookAtClocks(clock), declared: [], waiting: undefined };

  const note = (now: ClockLook, stepMs: number) => {
    const noted = noteStep(state, now, stepMs);
    state = noted.state;
    if (stepMs !== 0) parts.onStep();
    if (noted.step === undefined) return;
    const { fromMs, toMs, steps, firstMs, lastMs } = noted.step;
    const detail = {
      from: isoOf(fromMs),
      to: isoOf(toMs),
      step_ms: noted.step.stepMs,
      ...(steps > 1 ? { steps } : {}),
    };
    log.warn(detail, 'the clock of this host was set: let a time server keep it');
    // What was produced is kept all the same: only its times are not to be believed.
    emit({ kind: 'gap', from: isoOf(firstMs), to: isoOf(lastMs), reason: 'clock', count: 0 });
    for (const key of agentIds) emit({ kind: 'event', type: 'clock_stepped', key, at: isoOf(toMs), detail });
  };

  return {
    /**
     * At the start: the run before this one came to this wall time, and earlier than that it cannot be. `expectedMs`:
     * it should be that, for certain.
     */
    begin(earlierUntilMs: number, expectedMs?: number): void {
      const now = lookAtClocks(clock);
      const since = (ms: number) => stepBetween({ wallMs: ms, elapsedMs: 0 }, { wallMs: now.wallMs, elapsedMs: 0 });
      note(now, expectedMs === undefined ? Math.min(0, since(earlierUntilMs)) : since(expectedMs));
    },
    /** To be called every second. */
    look(): void {
      const now = lookAtClocks(clock);
      note(now, stepBetween(state.last, now));
    },
    /** Steps of the last hour, oldest first. */
    recent(): readonly RecentStep[] {
      const nowMs = clock.elapsedMs();
      const ago = ({ stepMs, steps, atElapsedMs }: Declared) => ({ stepMs, steps, agoMs: nowMs - atElapsedMs });
      return state.declared.map(ago).filter(({ agoMs }) => agoMs < REMEMBERED_MS);
    },
  };
}

const isoOf = (ms: number): string => new Date(ms).toISOString();
