// What tasks would come to before they are asked for: which miners are left out and why, how many go at once, the power
// that is concerned, and how long it will take. And how long tasks took, which it learns from. It begins nothing.
import { type Clock, yieldToEventLoop } from '../../../base/clock.ts';
import { sumOfAll } from '../../../base/numbers.ts';
import { taskKindOf } from '../../../model/task.ts';
import type { TaskParts } from '../contract.ts';
import { checkTask, planTask, startingPower } from '../execution/plan.ts';
import type { LocalCommand } from '../queue/admission.ts';
import { type Job, type Kind, kindOf } from '../queue/job.ts';
import type { Journal } from '../queue/journal.ts';
import { notAllowed } from '../settings.ts';
import type { StoredTask } from '../stored-task.ts';
import { Durations, usualTimes } from './durations.ts';
import { etaS, type PlannedTask, type TaskTimes } from './eta.ts';
import type { BudgetBounds } from './power-budget.ts';
import { minersAtOnce, startingKw } from './share.ts';

/** Of the journal, when the agent starts. */
const LEARNT_FROM = 500;
/** Commands that are judged before the event loop goes on: polls do not wait for a forecast of thousands. */
const PORTION = 500;

type Parts = Pick<TaskParts, 'clock' | 'settings' | 'deps'> & {
  readonly journal: Journal;
  readonly jobs: ReadonlyMap<string, Job>;
};

/** `drawW` = at full load; null where it is not known. */
export type Selected = { readonly minerKey: string; readonly drawW: number | null };

type Limits = { readonly concurrency?: number | undefined; readonly canary?: number | undefined };

export type Outlook = {
  readonly selected: readonly Selected[];
  readonly leftOut: readonly { readonly minerKey: string; readonly reason: string }[];
  readonly atOnce: number;
  /** Of all that are selected; undefined where the draw of one is not known. */
  readonly drawW: number | undefined;
  /** Null = this agent cannot do such tasks at all. */
  readonly etaS: number | null;
  /** Of some of them too few have ended here: it is what is usual. */
  readonly isEtaGuessed: boolean;
};

export class Forecast {
  readonly #parts: Parts;
  readonly #durations = new Durations();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** How many tasks of the kind run at once, on the farm as it is now. */
  capacityOf(kind: Kind): number {
    const { settings, deps } = this.#parts;
    if (kind.ability === undefined) return kind.agentTask.concurrency;
    return minersAtOnce(settings[kind.queue].concurrency, deps.draw?.farm().miners ?? 0);
  }

  /** Of the power budget. */
  bounds(): BudgetBounds {
    const { settings, deps } = this.#parts;
    const { kw, windowS } = settings.powerGate;
    return { limitW: startingKw(kw, deps.draw?.farm().drawW ?? 0) * 1_000, windowMs: windowS * 1_000 };
  }

  /** How long tasks took in earlier runs of the agent. */
  learnFromJournal(): void {
    const { journal, deps } = this.#parts;
    for (const { name, minerKey, isPowered, totalS, backS } of journal.durations(LEARNT_FROM)) {
      // What a power mode was is not kept, but only sleep needs no power.
      const kind = kindOf({ name, params: isPowered ? {} : { mode: 'sleep' } }, deps.agentTasks);
      const driverId = deps.find(minerKey)?.driverId;
      if (kind !== undefined && driverId !== undefined)
        this.#durations.learn(kind.queue, driverId, { holdS: backS ?? totalS, totalS });
    }
  }

  /** Measures one task from its turn to its end. */
  measure({ kind, row }: Job) {
    const { clock, deps } = this.#parts;
    const times = stopwatch(clock);
    const learn = this.#durations.learn.bind(this.#durations);
    return {
      onPassed: times.passed,
      onStarted: times.started,
      onBack: times.back,
      /** `isWhole` = it ended by itself, and was seen from its begin. */
      onEnd(isWhole: boolean) {
        const sample = times.end();
        const driverId = deps.find(row.minerKey)?.driverId;
        if (isWhole && sample !== undefined && driverId !== undefined) learn(kind.queue, driverId, sample);
      },
    };
  }

  /** `concurrency` and `canary` as of a run. All commands are of one name and the same params. */
  async outlook(commands: readonly LocalCommand[], limits: Limits = {}): Promise<Outlook> {
    const { deps, jobs } = this.#parts;
    const [first] = commands;
    const kind = first && kindOf({ params: {}, ...first }, deps.agentTasks);
    const judged = await this.#judge(commands);
    const leftOut = judged.flatMap(({ minerKey, reason }) => (reason === undefined ? [] : [{ minerKey, reason }]));
    const going = judged.filter(({ reason }) => reason === undefined);
    const selected = going.map(({ minerKey }) => ({ minerKey, drawW: deps.draw?.of(minerKey) ?? null }));
    const drawW = sumOfAll(selected.map((each) => each.drawW ?? undefined));
    if (kind === undefined) return { selected, leftOut, atOnce: 0, drawW, etaS: null, isEtaGuessed: false };
    const capacity = this.capacityOf(kind);
    const { concurrency = capacity, canary = 0 } = limits;
    const ahead = [...jobs.values()].filter((job) => job.kind.queue === kind.queue).map(({ row }) => row);
    const tasks = going.map((command, turn): PlannedTask => {
      const task = this.#timesOf(kind, { params: {}, ...command }, turn);
      // The next of a run with a bound of its own begins when the one before is over.
      return limits.concurrency === undefined ? task : { ...task, holdS: task.totalS };
    });
    const atOnce = Math.min(concurrency, capacity);
    const pace = { atOnce, budget: this.bounds() };
    const seconds =
      canary > 0 || ahead.length === 0
        ? etaS(tasks, { ...pace, canary })
        : etaS([...ahead.map((row, turn) => this.#timesOf(kind, row, turn)), ...tasks], pace);
    const isEtaGuessed = going.some(
      ({ minerKey }) => !this.#durations.isKnown(kind.queue, deps.find(minerKey)?.driverId ?? ''),
    );
    return { selected, leftOut, atOnce, drawW, etaS: seconds, isEtaGuessed };
  }

  async #judge(commands: readonly LocalCommand[]) {
    const judged: (LocalCommand & { readonly reason: string | undefined })[] = [];
    for (let from = 0; from < commands.length; from += PORTION) {
      if (from > 0) await yieldToEventLoop();
      const portion = commands.slice(from, from + PORTION);
      judged.push(...portion.map((command) => ({ ...command, reason: this.#whyNot(command) })));
    }
    return judged;
  }

  /** `turn` = its place among the planned: each takes as long as another one of those that ended. */
  #timesOf(kind: Kind, task: Pick<StoredTask, 'minerKey' | 'params'>, turn: number): PlannedTask {
    const { deps } = this.#parts;
    const { driverId = '', abilities = {} } = deps.find(task.minerKey) ?? {};
    const rule = kind.ability && abilities[kind.ability];
    const usual = usualTimes(kind.ability, rule);
    const times: TaskTimes = this.#durations.of(kind.queue, driverId, usual, evenlySpread(turn));
    const startingW =
      kind.ability === undefined || rule === undefined
        ? 0
        : startingPower(this.#parts, { ability: kind.ability, rule }, task);
    return { ...times, startingW };
  }

  /** Why this miner would not get the task; undefined = it would. */
  #whyNot({ name, minerKey, params = {} }: LocalCommand): string | undefined {
    const { deps, settings } = this.#parts;
    const retired = deps.retiredAs?.(minerKey);
    if (retired !== undefined) return `it is ${retired}`;
    const kind = taskKindOf(name);
    if (kind?.doneBy === 'driver') {
      const task = { name, minerKey, params };
      const isExpired = () => false;
      // What the pools of a miner become is known when they are filled in: see pool-runs.ts.
      const plan =
        kind.ability === 'pools'
          ? checkTask(this.#parts, task, { isExpired })
          : planTask(this.#parts, task, { isExpired }, params);
      return 'status' in plan ? (plan.message ?? undefined) : undefined;
    }
    const target = deps.find(minerKey);
    if (target === undefined) return 'this agent does not know the miner';
    const ability = kind?.ability ?? undefined;
    if (ability !== undefined && target.abilities[ability] === undefined)
      return `unsupported: driver ${target.driverId} cannot do ${name}`;
    return notAllowed(name, settings);
  }
}

/** From 0 to 1, the middle first: each next one falls into the widest gap that those before it left. */
const evenlySpread = (turn: number): number => (0.5 + turn * GOLDEN) % 1;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** Seconds of one task, the wait for the power budget apart. */
function stopwatch(clock: Pick<Clock, 'monotonicMs'>) {
  const beginMs = clock.monotonicMs();
  let waitedMs = 0;
  let startMs: number | undefined;
  let backMs: number | undefined;
  const seconds = (fromMs: number, toMs: number) => (toMs - fromMs) / 1_000;
  return {
    passed(ms: number): void {
      waitedMs = ms;
    },
    started(): void {
      startMs ??= clock.monotonicMs();
    },
    back(): void {
      backMs ??= clock.monotonicMs();
    },
    /** Undefined = it was not started. */
    end(): TaskTimes | undefined {
      if (startMs === undefined) return undefined;
      const endMs = clock.monotonicMs();
      const checkS = seconds(beginMs, startMs - waitedMs);
      return { checkS, holdS: seconds(startMs, backMs ?? endMs), totalS: seconds(startMs, endMs) };
    },
  };
}
