// The one queue for all writes to miners: journal before act, bounded per kind and per miner, power spread over time, cancelled or expired while
// it waits, proven after. Who waits for whom is queues.ts, the life of one task job.ts.
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { loop } from '../../../base/clock.ts';
import { BugError, CancelledError, RefusedError, renderError } from '../../../base/errors.ts';
import type { Vault } from '../../../base/storage/vault.ts';
import { lookAtClocks } from '../../../base/time/clock-steps.ts';
import type { TaskCommand } from '../../../wire/frames.ts';
import { cancelled, failed, type TaskOutcome, type TaskParts } from '../contract.ts';
import { type ExecutionParts, mayRestart } from '../execution/execute.ts';
import { enter, expired, type LocalTask, newRow, rowOfOrder, timeUnknown, viewOf } from './admission.ts';
import { createCompletion, createRepeatableSteps } from './completion.ts';
import { isOver, type Job, kindOf as kindOfName, newJob, runJob } from './job.ts';
import { type JournalRow, openJournal } from './journal.ts';
import { createPowerBudget } from './power-budget.ts';
import { createQueues } from './queues.ts';
import { createReports, reportRefused } from './reports.ts';
import { type Rollout, ruleOf } from './rollout-rule.ts';
import { createRollouts } from './rollouts.ts';

export type TaskQueue = ReturnType<typeof createTaskQueue>;

const TICK_MS = 1_000;
const REPORT_EVERY_TICKS = 30;
const PRUNE_EVERY_TICKS = 3_600;
const KEEP_MS = 7 * 24 * 3_600_000;
const KEEP_LEAST_MS = 2 * 24 * 3_600_000;
const MAX_JOURNAL_ROWS = 200_000;
/** Of these, whatever services fill it with. */
const LOCAL_ROWS = 20_000;
const LOCAL_EXPIRY_S = 900;
const LOCAL_ROLLOUT_EXPIRY_S = 4 * 3_600;
const ILLEGIBLE =
  'its params cannot be opened with the key in use: if it was begun before it may have been done, and is not done again';

export function createTaskQueue(
  db: DatabaseSync,
  /** `vault` seals the params of tasks at rest. `isTimeUnsure`: how long those of the run before have waited is not known. */
  options: TaskParts & { readonly vault?: Vault | undefined; readonly isTimeUnsure?: boolean },
) {
  const { clock, log, settings, deps, vault, isTimeUnsure = false } = options;
  const journal = openJournal(db, vault);
  const reports = createReports({ clock, log, journal, report: deps.report });
  const jobs = new Map<string, Job>();
  const rollouts = createRollouts(journal);
  const steps = createRepeatableSteps(log);
  /** Tasks may wait whose batch was stopped. */
  let isStopDue = false;
  let journalRows = journal.size();
  let ticks = 0;
  let running:
    | { stop: AbortController; parts: ExecutionParts; work: Set<Promise<void>>; ticker: Promise<void> }
    | undefined;

  const kindOf = (name: string) => kindOfName(name, deps.own);
  const completion = createCompletion({
    clock,
    log,
    journal,
    reports,
    onEnd: (row, outcome) => deps.onEnd?.(row, outcome),
    onFinished(ends) {
      for (const { row, end } of ends) {
        jobs.delete(row.taskId);
        if (rollouts.ended(row, end.outcome.status)) isStopDue = true;
      }
    },
    onReported: () => endStopped(),
  });
  const queues = createQueues({
    capacityOf: ({ kind: { ability, own } }) =>
      ability === undefined ? own.concurrency : settings[ability].concurrency,
    // While it stops, places become free for nobody: what was judged now would be judged by half.
    isHeld: ({ row }) => running === undefined || running.stop.signal.aborted || rollouts.isHeld(row),
    begin: (job) => begin(job),
  });

  /** Ends those that are not started, and says how many. */
  const giveUp = (candidates: readonly Job[], outcome: TaskOutcome): number => {
    const ending = candidates.filter(({ stage, row }) => stage !== 'started' && !completion.isUnwritten(row.taskId));
    const { waiting = [], checking = [] } = Object.groupBy(ending, ({ stage }) => stage);
    for (const job of checking) {
      job.givenUp = outcome;
      job.giveUp.abort();
    }
    if (waiting.length === 0) return ending.length;
    completion.settle(waiting.map(({ row }) => ({ row, end: { outcome, tookEffect: false } })));
    queues.drop(new Set(waiting));
    return ending.length;
  };

  /** Ends what is the agent's own and under way, and says how many. */
  const endOwn = (candidates: readonly Job[]): number => {
    const ending = candidates.filter(({ stage, kind }) => stage === 'started' && kind.own !== undefined);
    for (const { giveUp } of ending) giveUp.abort();
    return ending.length;
  };

  const begin = (job: Job) => {
    const current = running;
    if (current === undefined) return;
    const capacity = queues.occupy(job);
    rollouts.began(job.row);
    const work = runJob(job, current.parts, current.stop.signal, {
      onStarted: completion.publish,
      onState: completion.reportState,
      onProgress: reports.send,
      settle: (row, end) => completion.settle([{ row, end }]),
      repeat,
      capacity: { onBack: capacity.leave, onUnproven: capacity.leaveUnproven },
    }).finally(() => {
      capacity.end();
      current.work.delete(work);
    });
    current.work.add(work);
  };

  const repeat = (job: Job) => {
    journal.reopened(job.row.taskId);
    rollouts.returned(job.row);
    enqueue({ ...job.row, state: 'accepted', status: 'pending', startedMs: null, sentMs: null });
  };

  const shown = (row: JournalRow) => {
    const whyHeld = row.state === 'accepted' ? rollouts.whyHeld(row) : undefined;
    return whyHeld === undefined ? viewOf(row) : { ...viewOf(row), message: whyHeld };
  };
  const enqueue = (row: JournalRow) => {
    rollouts.join(row);
    const kind = kindOf(row.name);
    if (kind === undefined || !row.isLegible) {
      // Without a kind it was taken by a version that knew more than this one.
      const outcome = failed(kind === undefined ? `unsupported: this agent cannot do ${row.name}` : ILLEGIBLE);
      completion.settle([{ row, end: { outcome, tookEffect: kind !== undefined && row.state !== 'accepted' } }]);
      return;
    }
    const job = newJob(row, kind);
    jobs.set(row.taskId, job);
    if (job.isRecovered) begin(job);
    else queues.push(job);
  };

  const waitingOf = (rows: readonly JournalRow[]): Job[] =>
    rows
      .flatMap(({ taskId }) => jobs.get(taskId) ?? [])
      .filter(({ stage, isRecovered }) => stage === 'waiting' && !isRecovered);

  /** Gives up what waits of batches that were stopped. */
  const endStopped = () => steps.run('end what waits of stopped batches', endDue);
  const endDue = () => {
    if (!isStopDue) return;
    const causes: unknown[] = [];
    const waiting = Map.groupBy(
      [...jobs.values()].filter(({ stage, givenUp }) => stage !== 'started' && givenUp === undefined),
      ({ row }) => row.batchId,
    );
    isStopDue = false;
    for (const [batchId, candidates] of waiting) {
      try {
        const outcome = rollouts.stopped(batchId);
        if (outcome === undefined) continue;
        log.warn({ batchId, message: outcome.message, waiting: candidates.length }, 'a batch was stopped');
        giveUp(candidates, outcome);
      } catch (error) {
        isStopDue = true;
        causes.push(error);
      }
    }
    if (causes.length > 0) throw causes[0];
  };

  /** `rules` = of the batches that come with a rule. */
  const take = (rows: readonly JournalRow[], rules: ReadonlyMap<string, Rollout> = new Map()) => {
    const maxRows = rows.every(({ source }) => source === 'local') ? MAX_JOURNAL_ROWS : MAX_JOURNAL_ROWS - LOCAL_ROWS;
    // Before rules of batches are written that have no task in the journal yet.
    if (journalRows + rows.length > maxRows) makeRoom(KEEP_LEAST_MS);
    const known = new Map<string, JournalRow>();
    const fresh = new Map<string, JournalRow>();
    for (const row of rows) {
      const before = fresh.get(row.taskId) ?? journal.get(row.taskId);
      const waiting = jobs.size + fresh.size;
      const isKnown = kindOf(row.name) !== undefined;
      if (before === undefined) {
        const rule = row.batchId === null ? undefined : rules.get(row.batchId);
        if (row.batchId !== null && rule !== undefined) rollouts.declare(row.batchId, rule);
        const stopped = rollouts.stopped(row.batchId);
        fresh.set(row.taskId, enter(row, { isKnown, waiting, stopped, settings }));
      } else if (!fresh.has(row.taskId)) known.set(row.taskId, before);
    }
    if (journalRows + fresh.size > maxRows) {
      throw new RefusedError(
        'tasks.journal-full',
        `journal ${fresh.size} tasks: ${journalRows} are remembered already`,
      );
    }
    if (fresh.size > 0) journal.insert([...fresh.values()]);
    journalRows += fresh.size;
    reportRefused(log, [...fresh.values()]);
    for (const row of fresh.values()) {
      if (row.state === 'accepted') enqueue(row);
      else {
        if (row.status === 'failed' || row.status === 'timeout') {
          rollouts.join(row);
          isStopDue = rollouts.ended(row, row.status) || isStopDue;
        }
        completion.publish(row);
      }
    }
    endStopped();
    for (const row of known.values()) reports.sendAgain(jobs.get(row.taskId)?.row ?? row);
    queues.pump();
  };

  const makeRoom = (keepMs: number) => {
    const nowMs = clock.elapsedMs();
    journalRows -= journal.prune(nowMs - keepMs, nowMs);
  };

  const tick = () => {
    steps.run('journal the end of tasks', completion.retry);
    steps.run('end what has expired', () => {
      const late = [...jobs.values()].filter((job) => isOver(job, clock));
      giveUp(late, expired());
    });
    endStopped();
    steps.run('keep which batches were stopped', rollouts.tidy);
    if (ticks % REPORT_EVERY_TICKS === 0) steps.run('report tasks again', reports.sendMissing);
    if (ticks % PRUNE_EVERY_TICKS === 0) steps.run('forget old tasks', () => makeRoom(KEEP_MS));
    ticks++;
  };

  /**
   * Journals the orders before it returns, each task id once and for ever; known ones report their state again. Throws when it cannot journal.
   * `uplink` = over which they came.
   */
  const acceptAll = (orders: readonly TaskCommand[], uplink?: string): void => {
    const rules = orders.flatMap(({ batch_id, rollout }): [string, Rollout][] =>
      rollout === undefined ? [] : [[batch_id, ruleOf(rollout)]],
    );
    // The first of a batch is the one that counts.
    const rows = orders.map((order) => rowOfOrder(order, lookAtClocks(clock), uplink));
    take(rows, new Map(rules.toReversed()));
  };

  const runLocal = (tasks: readonly LocalTask[], batchId: string | null, rollout?: Rollout) => {
    const nowMs = Math.round(clock.elapsedMs());
    const usualS = rollout === undefined ? LOCAL_EXPIRY_S : LOCAL_ROLLOUT_EXPIRY_S;
    const rows = tasks.map(({ name, minerKey, params = {}, expiresInS = usualS }) => {
      const task = { taskId: randomUUID(), batchId, name, minerKey, params: { ...params } };
      return newRow({ ...task, source: 'local', uplink: null, expiresMs: nowMs + expiresInS * 1_000 }, nowMs);
    });
    const runs = rows.map(({ taskId }, index) => {
      const { promise: outcome, resolve, reject } = Promise.withResolvers<TaskOutcome>();
      completion.listen(taskId, { onState: tasks[index]?.onState ?? (() => {}), resolve, reject });
      outcome.catch(() => {});
      return { taskId, outcome };
    });
    try {
      take(rows, rollout === undefined || batchId === null ? undefined : new Map([[batchId, rollout]]));
    } catch (error) {
      for (const { taskId } of runs) completion.forget(taskId);
      throw error;
    }
    return runs;
  };

  /** Like `cancel` for many in one transaction; says how many. While the journal refuses they are over all the same, and it is tried again. */
  const cancelAll = (taskIds: readonly string[]): number => {
    const asked = [...new Set(taskIds)].map((taskId) => ({ taskId, job: jobs.get(taskId) }));
    const going = asked.filter(
      ({ job }) => job === undefined || (job.stage === 'started' && job.kind.own === undefined),
    );
    const candidates = asked.flatMap(({ job }) => job ?? []);
    const outcome = cancelled('cancelled before it was started');
    const count = giveUp(candidates, outcome) + endOwn(candidates);
    for (const { taskId, job } of going) {
      const row = job?.row ?? journal.get(taskId);
      if (row !== undefined) reports.sendAgain(row);
    }
    return count;
  };

  /** Who ordered it over this uplink may; the farm may in any case. */
  const mayCancel = (taskId: string, uplink: string | undefined): boolean => {
    if (uplink === undefined) return true;
    const row = jobs.get(taskId)?.row ?? journal.get(taskId);
    return row?.source === 'service' && (row.uplink ?? uplink) === uplink;
  };

  return {
    acceptAll,
    /**
     * Gives a task up that has not been started, and ends one of the agent's own; others go on to be proven, and it is false. Over an uplink only
     * what came over it.
     */
    cancel: (taskId: string, uplink?: string): boolean => mayCancel(taskId, uplink) && cancelAll([taskId]) > 0,
    cancelAll,
    /** Gives up everything that has not been started, and what is the agent's own; says how many. */
    abortAll(reason: string): number {
      const all = [...jobs.values()];
      const count = endOwn(all) + giveUp(all, cancelled(`given up with all others: ${reason}`));
      log.warn({ reason, tasks: count }, 'all waiting tasks were given up');
      return count;
    },
    /** A technician's task through the same queue. The outcome rejects with CancelledError when the queue stops first. */
    runLocal(task: LocalTask) {
      const [run] = runLocal([task], null);
      if (run === undefined) throw new BugError('run a local task: none came of it');
      return run;
    },
    /**
     * The same for many, in the order in which they are to go. `batchId` is for what comes bit by bit, so that one rule holds for all of it: the
     * first rule of a batch is the one that counts.
     */
    runLocalBatch(tasks: readonly LocalTask[], batchId: string = randomUUID(), rollout?: Rollout) {
      return { batchId, runs: runLocal(tasks, batchId, rollout) };
    },
    start(): void {
      if (running !== undefined) return;
      const stop = new AbortController();
      const nowMs = clock.elapsedMs();
      const { count, windowS } = settings.powerGate;
      const recentMs = journal.poweredSince(nowMs - windowS * 1_000).map((startedMs) => Math.max(0, nowMs - startedMs));
      const power = createPowerBudget(clock, { count, windowS, recentMs });
      const parts = { clock, log, settings, deps, journal, power };
      const ticker = loop(
        clock,
        {
          intervalMs: TICK_MS,
          signal: stop.signal,
          onError: (error) => log.error({ error: renderError(error) }, 'look after tasks'),
        },
        tick,
      );
      reports.open();
      running = { stop, parts, work: new Set(), ticker };
      const earlier = journal.open().filter(({ taskId }) => !jobs.has(taskId));
      for (const row of earlier) enqueue(row);
      if (isTimeUnsure) giveUp(waitingOf(earlier), timeUnknown());
      isStopDue = true;
      endStopped();
      queues.pump();
    },
    async stop(): Promise<void> {
      const current = running;
      if (current === undefined) return;
      current.stop.abort();
      await Promise.all([...current.work, current.ticker]);
      await reports.close();
      if (running === current) running = undefined;
      // What is left goes on from the journal with the next start.
      jobs.clear();
      queues.clear();
      rollouts.clear();
      completion.close(new CancelledError('wait for a task: the agent stops'));
    },
    /** A task about this miner waits or runs. */
    isBusy: (minerKey: string): boolean => [...jobs.values()].some(({ row }) => row.minerKey === minerKey),
    /** How often the miner may have been acted on by tasks of this name since then, ms since the epoch. */
    effectsSince: journal.effectsSince,
    /** Tasks that may have restarted the miner's mining, begun since then; newest first. */
    restartsSince: (minerKey: string, sinceMs: number) =>
      journal
        .actionsSince(minerKey, sinceMs)
        .filter(({ name }) => mayRestart(name))
        .map(({ startedMs, finishedMs }) => ({ startedMs, finishedMs: finishedMs ?? undefined })),
    /** What waits or runs. */
    open: () => [...jobs.values()].map(({ row }) => shown(row)),
    /** Newest first. */
    list: (limit = 200) => journal.newest(Math.min(limit, 10_000)).map(shown),
  };
}
