// The one queue for all writes to miners: it journals before it acts, bounds tasks per kind and per miner, spreads
// power over time, cancels and expires what waits, and proves what was done. Who waits: queues.ts. The life of one
// task: job.ts.
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { type Clock, loop } from '../../../base/clock.ts';
import { BugError, CancelledError, renderError } from '../../../base/errors.ts';
import type { Vault } from '../../../base/storage/vault.ts';
import { lookAtClocks } from '../../../base/time/clock-steps.ts';
import { withForcedCanary } from '../../../model/task.ts';
import type { TaskCommand } from '../../../wire/frames.ts';
import type { AuditTrail } from '../../state/audit-trail.ts';
import { afterAct, failed, type TaskOutcome, type TaskParts } from '../contract.ts';
import type { ExecutionParts } from '../execution/execution.ts';
import { mayRestart } from '../execution/plan.ts';
import { Forecast, type Outlook } from '../pace/forecast.ts';
import { createPowerBudget } from '../pace/power-budget.ts';
import type { StoredTask } from '../stored-task.ts';
import {
  Admission,
  expired,
  type LocalCommand,
  newRow,
  rowOf,
  type TaskView,
  timeUnknown,
  viewOf,
} from './admission.ts';
import { Cancellation } from './cancellation.ts';
import { createCompletion, createRepeatableSteps } from './completion.ts';
import { isOver, type Job, kindOf, newJob, runJob } from './job.ts';
import { isWithoutSecrets, type Journal, openJournal } from './journal.ts';
import { createQueues } from './queues.ts';
import { createReports, reportRefused } from './reports.ts';
import { type Rollout, ruleOf } from './rollout-rule.ts';
import { createRollouts } from './rollouts.ts';

const TICK_MS = 1_000;
const REPORT_EVERY_TICKS = 30;
const PRUNE_EVERY_TICKS = 3_600;
const LOCAL_EXPIRY_S = 900;
const LOCAL_ROLLOUT_EXPIRY_S = 4 * 3_600;
const ILLEGIBLE =
  'its params cannot be opened with the key in use: if it was begun before it may have been done, and is not done again';

/**
 * `vault` encrypts the params of tasks at rest. `isTimeUnsure`: how long those of the run before have waited is not
 * known.
 */
type Options = TaskParts & {
  readonly vault?: Vault | undefined;
  readonly audit?: Pick<AuditTrail, 'record'> | undefined;
  readonly isTimeUnsure?: boolean;
};

/** From the start of the queue to its stop. */
type Run = {
  readonly stop: AbortController;
  readonly parts: ExecutionParts;
  readonly work: Set<Promise<void>>;
  readonly ticker: Promise<void>;
};

export const createTaskQueue = (db: DatabaseSync, options: Options) => new TaskQueue(db, options);

export class TaskQueue {
  readonly #options: Options;
  readonly #journal: Journal;
  readonly #admission: Admission;
  readonly #reports: ReturnType<typeof createReports>;
  readonly #completion: ReturnType<typeof createCompletion>;
  readonly #rollouts: ReturnType<typeof createRollouts>;
  readonly #queues: ReturnType<typeof createQueues>;
  readonly #cancellation: Cancellation;
  readonly #forecast: Forecast;
  readonly #steps: ReturnType<typeof createRepeatableSteps>;
  readonly #jobs = new Map<string, Job>();
  #ticks = 0;
  #running: Run | undefined;

  constructor(db: DatabaseSync, options: Options) {
    this.#options = options;
    const { clock, log, settings, deps, vault, audit } = options;
    const journal = openJournal(db, vault, audit);
    const rollouts = createRollouts(journal);
    const reports = createReports({ clock, log, journal, report: deps.report });
    const jobs = this.#jobs;
    const forecast = new Forecast({ clock, settings, deps, journal, jobs });
    const completion = createCompletion({
      ...{ clock, log, journal, reports },
      onEnd: (row, outcome) => deps.onEnd?.(row, outcome),
      onFinished(ends) {
        for (const { row, outcome } of ends) {
          jobs.delete(row.taskId);
          if (rollouts.ended(row, outcome.status)) cancellation.expectStop();
        }
      },
      onReported: () => this.#endStopped(),
    });
    const queues = createQueues({
      capacityOf: ({ kind }) => forecast.capacityOf(kind),
      // While it stops, capacity becomes free for nothing: what was judged now would be judged by half.
      isHeld: ({ row }) => this.#running === undefined || this.#running.stop.signal.aborted || rollouts.isHeld(row),
      begin: (job) => this.#begin(job),
    });
    const cancellation = new Cancellation({ log, jobs, journal, reports, completion, rollouts, drop: queues.drop });
    this.#journal = journal;
    this.#admission = new Admission({
      clock,
      journal,
      rollouts,
      settings,
      isKnown: (name) => kindOf({ name, params: {} }, deps.agentTasks) !== undefined,
    });
    this.#reports = reports;
    this.#completion = completion;
    this.#rollouts = rollouts;
    this.#queues = queues;
    this.#cancellation = cancellation;
    this.#forecast = forecast;
    this.#steps = createRepeatableSteps(log);
  }

  /**
   * Journals the commands before it returns, each task id once and for ever; known ones report their state again.
   * Throws when it cannot journal. `uplink` = over which they came.
   */
  acceptAll(commands: readonly TaskCommand[], uplink?: string): void {
    const rules = commands.flatMap(({ batch_id, name, rollout: asked }): [string, Rollout][] => {
      const rollout = withForcedCanary(name, asked);
      return rollout === undefined ? [] : [[batch_id, ruleOf(rollout)]];
    });
    // The first of a batch is the one that counts.
    const rows = commands.map((command) => rowOf(command, lookAtClocks(this.#options.clock), uplink));
    this.#take(rows, new Map(rules.toReversed()));
  }

  /**
   * Gives a task up that has not been started, and ends one of the agent's own; others go on to be proven, and it is
   * false. Over an uplink only what came over it.
   */
  cancel(taskId: string, uplink?: string): boolean {
    return this.#cancellation.mayCancel(taskId, uplink) && this.#cancellation.cancelAll([taskId]) > 0;
  }

  /**
   * Like `cancel` for many in one transaction; says how many. While the journal refuses they are over all the same, and
   * it is tried again.
   */
  cancelAll(taskIds: readonly string[]): number {
    return this.#cancellation.cancelAll(taskIds);
  }

  /** Gives up everything that has not been started, and what is the agent's own; says how many. */
  abortAll(reason: string): number {
    return this.#cancellation.abortAll(reason);
  }

  /** A technician's task through the same queue. The outcome rejects with CancelledError when the queue stops first. */
  runLocal(task: LocalCommand) {
    const [run] = this.#runLocal([task], null);
    if (run === undefined) throw new BugError('run a local task: none came of it');
    return run;
  }

  /**
   * The same for many, in the order in which they are to go. `batchId` is for what comes bit by bit, so that one rule
   * holds for all of it: the first rule of a batch is the one that counts.
   */
  runLocalBatch(tasks: readonly LocalCommand[], batchId: string = randomUUID(), rollout?: Rollout) {
    const [first] = tasks;
    return { batchId, runs: this.#runLocal(tasks, batchId, withForcedCanary(first?.name ?? '', rollout)) };
  }

  /** What these would come to: nothing is begun. */
  outlook(...asked: Parameters<Forecast['outlook']>): Promise<Outlook> {
    return this.#forecast.outlook(...asked);
  }

  start(): void {
    if (this.#running !== undefined) return;
    this.#steps.run('learn how long tasks took', () => this.#forecast.learnFromJournal());
    const { clock, log, isTimeUnsure = false } = this.#options;
    const stop = new AbortController();
    const onError = (error: unknown) => log.error({ error: renderError(error) }, 'look after tasks');
    const parts = this.#executionParts(clock);
    const ticker = loop(clock, { intervalMs: TICK_MS, signal: stop.signal, onError }, () => this.#tick());
    this.#reports.open();
    this.#running = { stop, parts, work: new Set(), ticker };
    const earlier = this.#journal.open().filter(({ taskId }) => !this.#jobs.has(taskId));
    for (const row of earlier) this.#enqueue(row);
    if (isTimeUnsure) this.#cancellation.giveUp(this.#waitingOf(earlier), timeUnknown());
    this.#cancellation.expectStop();
    this.#endStopped();
    this.#queues.pump();
  }

  async stop(): Promise<void> {
    const current = this.#running;
    if (current === undefined) return;
    current.stop.abort();
    await Promise.all([...current.work, current.ticker]);
    await this.#reports.close();
    if (this.#running === current) this.#running = undefined;
    // What is left goes on from the journal with the next start.
    this.#jobs.clear();
    this.#queues.clear();
    this.#rollouts.clear();
    this.#completion.close(new CancelledError('wait for a task: the agent stops'));
  }

  /** A task about this miner waits or runs. */
  isBusy(minerKey: string): boolean {
    return [...this.#jobs.values()].some(({ row }) => row.minerKey === minerKey);
  }

  /** How often the miner may have been acted on by tasks of this name since then, ms since the epoch. */
  effectsSince(minerKey: string, name: string, sinceMs: number): number {
    return this.#journal.effectsSince(minerKey, name, sinceMs);
  }

  /** Tasks that may have restarted the miner's mining, begun since then; newest first. */
  restartsSince(minerKey: string, sinceMs: number) {
    return this.#journal
      .actionsSince(minerKey, sinceMs)
      .filter(({ name }) => mayRestart(name))
      .map(({ startedMs, finishedMs }) => ({ startedMs, finishedMs: finishedMs ?? undefined }));
  }

  /** What waits or runs. */
  open(): TaskView[] {
    return [...this.#jobs.values()].map(({ row }) => this.#shown(row));
  }

  /** Newest first. */
  list(limit = 200): TaskView[] {
    return this.#journal.newest(Math.min(limit, 10_000)).map((row) => this.#shown(row));
  }

  /** All of one batch, oldest first; params where they are known and hold no secret. */
  batch(batchId: string) {
    return this.#journal.ofBatch(batchId).map(({ params, isLegible, ...row }) => ({
      ...viewOf({ params, isLegible, ...row }),
      params: isLegible && Object.keys(params).length > 0 && isWithoutSecrets(params) ? params : undefined,
    }));
  }

  #shown(row: StoredTask): TaskView {
    const whyHeld = row.state === 'accepted' ? this.#rollouts.whyHeld(row) : undefined;
    return whyHeld === undefined ? viewOf(row) : { ...viewOf(row), message: whyHeld };
  }

  #executionParts(clock: Clock): ExecutionParts {
    const { log, settings, deps } = this.#options;
    const bounds = () => this.#forecast.bounds();
    const nowMs = clock.elapsedMs();
    const recent = this.#journal
      .poweredSince(nowMs - bounds().windowMs)
      .map(({ startedMs, powerW }) => ({ ageMs: Math.max(0, nowMs - startedMs), powerW }));
    const power = createPowerBudget(clock, { bounds, recent });
    return { clock, log, settings, deps, journal: this.#journal, power };
  }

  /** `rules` = of the batches that come with a rule. */
  #take(rows: readonly StoredTask[], rules?: ReadonlyMap<string, Rollout>): void {
    const { fresh, known } = this.#admission.admit(rows, rules, this.#jobs.size);
    reportRefused(this.#options.log, fresh);
    for (const row of fresh) {
      if (row.state === 'accepted') this.#enqueue(row);
      else this.#publishRefused(row);
    }
    this.#endStopped();
    for (const row of known) this.#reports.sendAgain(this.#jobs.get(row.taskId)?.row ?? row);
    this.#queues.pump();
  }

  /** It was over as it came. */
  #publishRefused(row: StoredTask): void {
    if (row.status === 'failed' || row.status === 'timeout') {
      this.#rollouts.join(row);
      if (this.#rollouts.ended(row, row.status)) this.#cancellation.expectStop();
    }
    this.#completion.publish(row);
  }

  #runLocal(tasks: readonly LocalCommand[], batchId: string | null, rollout?: Rollout) {
    const nowMs = Math.round(this.#options.clock.elapsedMs());
    const usualS = rollout === undefined ? LOCAL_EXPIRY_S : LOCAL_ROLLOUT_EXPIRY_S;
    const rows = tasks.map(({ name, minerKey, params = {}, by, expiresInS = usualS }) => {
      const task = { taskId: randomUUID(), batchId, name, minerKey, by, params: { ...params } };
      return newRow({ ...task, source: 'local', uplink: null, expiresMs: nowMs + expiresInS * 1_000 }, nowMs);
    });
    const runs = rows.map(({ taskId }, index) => {
      const { promise: outcome, resolve, reject } = Promise.withResolvers<TaskOutcome>();
      this.#completion.listen(taskId, { onState: tasks[index]?.onState ?? (() => {}), resolve, reject });
      outcome.catch(() => {});
      return { taskId, outcome };
    });
    try {
      this.#take(rows, rollout === undefined || batchId === null ? undefined : new Map([[batchId, rollout]]));
    } catch (error) {
      for (const { taskId } of runs) this.#completion.forget(taskId);
      throw error;
    }
    return runs;
  }

  #enqueue(row: StoredTask): void {
    this.#rollouts.join(row);
    const kind = kindOf(row, this.#options.deps.agentTasks);
    if (kind === undefined || !row.isLegible) {
      // Without a kind it was taken by a version that knew more than this one.
      const outcome = failed(kind === undefined ? `unsupported: this agent cannot do ${row.name}` : ILLEGIBLE);
      const tookEffect = kind !== undefined && row.state !== 'accepted';
      this.#completion.settle([{ row, outcome: tookEffect ? afterAct(outcome) : outcome }]);
      return;
    }
    const job = newJob(row, kind);
    this.#jobs.set(row.taskId, job);
    if (job.isRecovered) this.#begin(job);
    else this.#queues.push(job);
  }

  #begin(job: Job): void {
    const current = this.#running;
    if (current === undefined) return;
    const capacity = this.#queues.occupy(job);
    this.#rollouts.began(job.row);
    const completion = this.#completion;
    const times = this.#forecast.measure(job);
    const work = runJob(job, current.parts, current.stop.signal, {
      onStarted(row) {
        times.onStarted();
        completion.publish(row);
      },
      onPassed: times.onPassed,
      onState: completion.reportState,
      onProgress: this.#reports.send,
      settle(row, outcome) {
        times.onEnd(outcome.status !== 'cancelled' && !job.isRecovered);
        completion.settle([{ row, outcome }]);
      },
      repeat: () => this.#repeat(job),
      capacity: {
        onBack() {
          times.onBack();
          capacity.leave();
        },
        onUnproven: capacity.leaveUnproven,
      },
    }).finally(() => {
      capacity.end();
      current.work.delete(work);
    });
    current.work.add(work);
  }

  #repeat({ row }: Job): void {
    this.#journal.reopened(row.taskId);
    this.#rollouts.returned(row);
    this.#enqueue({ ...row, state: 'accepted', status: 'pending', startedMs: null, sentMs: null });
  }

  #waitingOf(rows: readonly StoredTask[]): Job[] {
    return rows
      .flatMap(({ taskId }) => this.#jobs.get(taskId) ?? [])
      .filter(({ stage, isRecovered }) => stage === 'waiting' && !isRecovered);
  }

  #endStopped(): void {
    this.#steps.run('end what waits of stopped batches', () => this.#cancellation.endStopped());
  }

  #tick(): void {
    const { clock } = this.#options;
    const steps = this.#steps;
    steps.run('journal the end of tasks', this.#completion.retry);
    steps.run('end what has expired', () => {
      const late = [...this.#jobs.values()].filter((job) => isOver(job, clock));
      this.#cancellation.giveUp(late, expired());
    });
    this.#endStopped();
    steps.run('keep which batches were stopped', this.#rollouts.tidy);
    if (this.#ticks % REPORT_EVERY_TICKS === 0) steps.run('report tasks again', this.#reports.sendMissing);
    if (this.#ticks % PRUNE_EVERY_TICKS === 0) steps.run('forget old tasks', () => this.#admission.prune());
    this.#ticks++;
  }
}
