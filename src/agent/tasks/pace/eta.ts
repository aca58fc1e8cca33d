// How long tasks will take until the last one is over: as many at once as may be, each start within the power budget.
// It plays the queue through. Pure; tasks that fail take longer, which it cannot foresee.
import type { BudgetBounds } from './power-budget.ts';

/** Seconds of one task. */
export type TaskTimes = {
  /** From its turn until it may start, the power budget apart. */
  readonly checkS: number;
  /** From its start until another may have its capacity, and until it is over. */
  readonly holdS: number;
  readonly totalS: number;
};

/** `startingW` = what it counts for in the power budget; 0 = nothing. */
export type PlannedTask = TaskTimes & { readonly startingW: number };

export type Pace = {
  readonly atOnce: number;
  readonly budget: BudgetBounds;
  /** So many go first, the others only when these are over; 0 = all alike. */
  readonly canary?: number;
};

/** Seconds from now; 0 for none. `tasks` in their order. */
export function etaS(tasks: readonly PlannedTask[], { atOnce, budget, canary = 0 }: Pace): number {
  const first = play(tasks.slice(0, canary), { atOnce, budget }, { startS: 0, window: [] });
  return play(tasks.slice(canary), { atOnce, budget }, { startS: first.endS, window: first.window }).endS;
}

type Start = { readonly atS: number; readonly powerW: number };

function play(
  tasks: readonly PlannedTask[],
  { atOnce, budget }: Omit<Pace, 'canary'>,
  { startS, window }: { readonly startS: number; readonly window: readonly Start[] },
) {
  const freeS = new Float64Array(Math.max(1, Math.min(atOnce, tasks.length))).fill(startS);
  const admit = admission(budget, window);
  let endS = startS;
  for (const { checkS, holdS, totalS, startingW } of tasks) {
    const slot = earliest(freeS);
    const readyS = (freeS[slot] ?? 0) + checkS;
    const actS = startingW > 0 ? admit.pass(readyS, startingW) : readyS;
    freeS[slot] = actS + holdS;
    endS = Math.max(endS, actS + totalS);
  }
  return { endS, window: admit.window() };
}

/** As the power budget admits: in order, and one that is larger than all of it goes alone. */
function admission({ limitW, windowMs }: BudgetBounds, before: readonly Start[]) {
  const starts = [...before];
  let oldest = 0;
  let usedW = starts.reduce((sum, { powerW }) => sum + powerW, 0);
  let lastS = 0;
  const leave = (untilS: number) => {
    for (let start = starts[oldest]; start !== undefined; start = starts[oldest]) {
      if (start.atS + windowMs / 1_000 > untilS) return;
      usedW -= start.powerW;
      oldest++;
    }
  };
  return {
    pass(readyS: number, powerW: number): number {
      let atS = Math.max(readyS, lastS);
      leave(atS);
      for (let start = starts[oldest]; start !== undefined && usedW + powerW > limitW; start = starts[oldest]) {
        atS = start.atS + windowMs / 1_000;
        leave(atS);
      }
      starts.push({ atS, powerW });
      usedW += powerW;
      lastS = atS;
      return atS;
    },
    window: () => starts.slice(oldest),
  };
}

function earliest(freeS: Float64Array): number {
  let best = 0;
  for (let slot = 1; slot < freeS.length; slot++) if ((freeS[slot] ?? 0) < (freeS[best] ?? 0)) best = slot;
  return best;
}
