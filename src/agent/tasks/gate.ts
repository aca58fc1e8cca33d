// The one gate for all writes to miners: journal before act, bounded per kind and per miner, power spread over time, cancelled or expired while
// it waits, proven after. How one task goes is carry-out.ts.
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { type Clock, loop } from '../../base/clock.ts';
import { CancelledError, RefusedError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { AbilityName } from '../../driver/contract.ts';
import type { TaskOrder } from '../../wire/frames.ts';
import { abilityOf, type CarryOutParts, carryOut, expired, goesAway, goOn } from './carry-out.ts';
import {
  failed,
  type LocalTask,
  type TaskDeps,
  type TaskEnd,
  type TaskGate,
  type TaskOutcome,
  type TaskState,
  type TaskView,
} from './contract.ts';
import { type JournalRow, openJournal } from './journal.ts';
import { createPowerGate } from './power-gate.ts';
import { createReports } from './reports.ts';
import type { TaskSettings } from './settings.ts';

export type { TaskDeps, TaskGate, TaskOutcome, TaskView } from './contract.ts';

const TICK_MS = 1_000;
const TELL_EVERY_TICKS = 30;
const PRUNE_EVERY_TICKS = 3_600;
const KEEP_MS = 7 * 24 * 3_600_000;
const KEEP_LEAST_MS = 2 * 24 * 3_600_000;
const MAX_JOURNAL_ROWS = 200_000;
const MAX_PARAMS_BYTES = 16 * 1024;
const LOCAL_EXPIRY_S = 900;

/** `stage` moves one way: waiting for a place, in a place but not started, started. */
type Job = {
  row: JournalRow;
  readonly ability: AbilityName;
  readonly giveUp: AbortController;
  readonly isRecovered: boolean;
  stage: 'waiting' | 'checking' | 'started';
  givenUp: TaskOutcome | undefined;
};

type Listener = {
  onState(state: TaskState): void;
  resolve(outcome: TaskOutcome): void;
  reject(error: Error): void;
};

export function createTaskGate(
  db: DatabaseSync,
  options: {
    readonly clock: Clock;
    readonly random: () => number;
    readonly log: Log;
    readonly settings: TaskSettings;
    readonly deps: TaskDeps;
  },
): TaskGate {
  const { clock, random, log, settings, deps } = options;
  const journal = openJournal(db);
  const reports = createReports({ clock, log, journal, report: deps.report });
  const jobs = new Map<string, Job>();
  const queues = new Map<AbilityName, Job[]>();
  const taken = new Map<AbilityName, number>();
  const busyMiners = new Set<string>();
  const listeners = new Map<string, Listener>();
  const unwritten = new Map<string, { readonly row: JournalRow; readonly end: TaskEnd }>();
  let journalRows = journal.size();
  let ticks = 0;
  let running:
    | { stop: AbortController; parts: CarryOutParts; work: Set<Promise<void>>; ticker: Promise<void> }
    | undefined;

  const queueOf = (ability: AbilityName) => {
    const queue = queues.get(ability) ?? [];
    queues.set(ability, queue);
    return queue;
  };

  const publish = (row: JournalRow) => {
    reports.tell(row);
    const listener = listeners.get(row.taskId);
    if (listener === undefined) return;
    guarded('a listener of a task failed', () => listener.onState(row.state));
    if (row.state !== 'final') return;
    listeners.delete(row.taskId);
    const { status, message, evidence } = row;
    if (status !== 'pending' && status !== 'running') listener.resolve({ status, message, evidence });
  };

  /** In one transaction. */
  const finish = (ends: readonly { readonly row: JournalRow; readonly end: TaskEnd }[]) => {
    const nowMs = clock.nowMs();
    journal.finished(ends, nowMs);
    for (const { row, end } of ends) {
      jobs.delete(row.taskId);
      // Without the evidence: a miner's own log has no place in ours.
      const { status, message } = end.outcome;
      log.info({ taskId: row.taskId, miner: row.minerKey, task: row.name, status, message }, 'task ended');
      publish({ ...row, ...end.outcome, state: 'final', finishedMs: nowMs });
    }
  };

  /** Like finish for one, and again with each tick while the disk refuses. */
  const settle = (row: JournalRow, end: TaskEnd) => {
    try {
      finish([{ row, end }]);
    } catch (error) {
      log.error({ taskId: row.taskId, error: renderError(error) }, 'the end of a task could not be journaled yet');
      unwritten.set(row.taskId, { row, end });
    }
  };

  const guarded = (what: string, run: () => void) => {
    try {
      run();
    } catch (error) {
      log.error({ error: renderError(error) }, what);
    }
  };

  /** Ends those that are not started, and says how many. */
  const giveUp = (candidates: readonly Job[], outcome: TaskOutcome): number => {
    const ending = candidates.filter(({ stage }) => stage !== 'started');
    const waiting = new Set(ending.filter(({ stage }) => stage === 'waiting'));
    for (const job of ending) {
      if (waiting.has(job)) continue;
      job.givenUp = outcome;
      job.giveUp.abort();
    }
    if (waiting.size === 0) return ending.length;
    finish([...waiting].map(({ row }) => ({ row, end: { outcome, tookEffect: false } })));
    for (const [ability, queue] of queues) {
      queues.set(
        ability,
        queue.filter((job) => !waiting.has(job)),
      );
    }
    return ending.length;
  };

  const pump = (ability: AbilityName) => {
    if (running === undefined) return;
    const queue = queueOf(ability);
    while ((taken.get(ability) ?? 0) < settings[ability].concurrency) {
      const index = queue.findIndex((job) => !busyMiners.has(job.row.minerKey));
      const [job] = index < 0 ? [] : queue.splice(index, 1);
      if (job === undefined) return;
      begin(job);
    }
  };

  const begin = (job: Job) => {
    const current = running;
    if (current === undefined) return;
    const work = runJob(job, current.parts, current.stop.signal).finally(() => current.work.delete(work));
    current.work.add(work);
  };

  const runJob = async (job: Job, parts: CarryOutParts, stop: AbortSignal): Promise<void> => {
    const { ability } = job;
    let hasPlace = true;
    taken.set(ability, (taken.get(ability) ?? 0) + 1);
    busyMiners.add(job.row.minerKey);
    const leave = () => {
      if (!hasPlace) return;
      hasPlace = false;
      taken.set(ability, (taken.get(ability) ?? 1) - 1);
      pump(ability);
    };
    const turn = {
      row: job.row,
      giveUp: job.giveUp.signal,
      stop,
      onBack: leave,
      onState(state: 'started' | 'sent' | 'verifying') {
        const isFirst = job.stage !== 'started';
        job.stage = 'started';
        job.row = { ...job.row, state, status: 'running', startedMs: job.row.startedMs ?? clock.nowMs() };
        if (isFirst) publish(job.row);
        else guarded('a listener of a task failed', () => listeners.get(job.row.taskId)?.onState(state));
      },
    };
    job.stage = job.isRecovered ? 'started' : 'checking';
    try {
      const end = job.isRecovered ? await goOn(parts, turn) : await carryOut(parts, turn);
      if (end === undefined) repeat(job);
      else settle(job.row, end);
    } catch (error) {
      if (job.givenUp !== undefined && job.stage !== 'started') {
        settle(job.row, { outcome: job.givenUp, tookEffect: false });
      } else if (!stop.aborted) {
        log.error({ taskId: job.row.taskId, error: renderError(error) }, 'a task failed on our side');
        const outcome = failed('the agent itself failed; see its log');
        settle(job.row, { outcome, tookEffect: job.stage === 'started' });
      }
    } finally {
      busyMiners.delete(job.row.minerKey);
      const rule = deps.find(job.row.minerKey)?.abilities[ability];
      if (goesAway(rule, ability) && job.stage === 'started' && !stop.aborted) {
        guarded('the end of a reboot could not be told', () => deps.onPhase(job.row.minerKey, 'idle'));
      }
      leave();
      for (const other of queues.keys()) pump(other);
    }
  };

  const repeat = (job: Job) => {
    journal.reopened(job.row.taskId);
    enqueue({ ...job.row, state: 'accepted', status: 'pending', startedMs: null, sentMs: null });
  };

  const enqueue = (row: JournalRow) => {
    const ability = abilityOf(row.name);
    if (ability === undefined) return;
    const isRecovered = row.state !== 'accepted';
    const job: Job = { row, ability, giveUp: new AbortController(), isRecovered, stage: 'waiting', givenUp: undefined };
    jobs.set(row.taskId, job);
    if (isRecovered) begin(job);
    else queueOf(ability).push(job);
  };

  /** The state in which a new order enters the journal: waiting, or over at once. */
  const enter = (row: JournalRow, waiting: number): JournalRow => {
    const over = (outcome: TaskOutcome): JournalRow => ({
      ...row,
      ...outcome,
      state: 'final',
      finishedMs: row.acceptedMs,
    });
    if (abilityOf(row.name) === undefined) return over(failed(`unsupported: this agent cannot do ${row.name}`));
    if (row.expiresMs <= row.acceptedMs) return over(expired());
    if (JSON.stringify(row.params).length > MAX_PARAMS_BYTES) {
      return { ...over(failed('refused: the params are too large')), params: {} };
    }
    if (waiting >= settings.maxQueued) {
      return over(failed(`refused: ${settings.maxQueued} tasks wait already`));
    }
    return row;
  };

  const take = (rows: readonly JournalRow[]) => {
    const known = new Map<string, JournalRow>();
    const fresh = new Map<string, JournalRow>();
    for (const row of rows) {
      const before = fresh.get(row.taskId) ?? journal.get(row.taskId);
      if (before === undefined) fresh.set(row.taskId, enter(row, jobs.size + fresh.size));
      else if (!fresh.has(row.taskId)) known.set(row.taskId, before);
    }
    if (journalRows + fresh.size > MAX_JOURNAL_ROWS) makeRoom(KEEP_LEAST_MS);
    if (journalRows + fresh.size > MAX_JOURNAL_ROWS) {
      throw new RefusedError(
        'tasks.journal-full',
        `journal ${fresh.size} tasks: ${journalRows} are remembered already`,
      );
    }
    if (fresh.size > 0) journal.insert([...fresh.values()]);
    journalRows += fresh.size;
    for (const row of fresh.values()) {
      if (row.state === 'accepted') enqueue(row);
      else publish(row);
    }
    for (const row of known.values()) reports.tell(jobs.get(row.taskId)?.row ?? row);
    for (const ability of queues.keys()) pump(ability);
  };

  const makeRoom = (keepMs: number) => {
    journalRows -= journal.prune(clock.nowMs() - keepMs, clock.nowMs());
  };

  const newRow = (
    order: Pick<JournalRow, 'taskId' | 'batchId' | 'name' | 'minerKey' | 'params' | 'source' | 'expiresMs'>,
  ) =>
    ({
      ...order,
      acceptedMs: clock.nowMs(),
      state: 'accepted',
      baseline: undefined,
      startedMs: null,
      sentMs: null,
      finishedMs: null,
      status: 'pending',
      message: null,
      evidence: {},
    }) satisfies JournalRow;

  const fromOrder = (order: TaskOrder): JournalRow =>
    newRow({
      taskId: order.task_id,
      batchId: order.batch_id,
      name: order.name,
      minerKey: order.miner_key,
      params: order.params,
      source: 'service',
      expiresMs: Date.parse(order.expires_at),
    });

  const tick = () => {
    const nowMs = clock.nowMs();
    if (unwritten.size > 0) {
      finish([...unwritten.values()]);
      unwritten.clear();
    }
    const late = [...jobs.values()].filter((job) => job.row.expiresMs <= nowMs && !unwritten.has(job.row.taskId));
    if (late.length > 0) giveUp(late, expired());
    if (ticks % TELL_EVERY_TICKS === 0) reports.tellMissing();
    if (ticks % PRUNE_EVERY_TICKS === 0) makeRoom(KEEP_MS);
    ticks++;
  };

  const cancelled = (message: string): TaskOutcome => ({ status: 'cancelled', message, evidence: {} });

  return {
    accept: (order) => take([fromOrder(order)]),
    acceptAll: (orders) => take(orders.map(fromOrder)),
    cancel(taskId) {
      const job = jobs.get(taskId);
      if (job !== undefined && giveUp([job], cancelled('cancelled before it was started')) > 0) return;
      const row = job?.row ?? journal.get(taskId);
      if (row !== undefined) reports.tell(row);
    },
    abortAll(reason) {
      const count = giveUp([...jobs.values()], cancelled(`given up with all others: ${reason}`));
      log.warn({ reason, tasks: count }, 'all waiting tasks were given up');
      return count;
    },
    runLocal({ name, minerKey, params = {}, expiresInS = LOCAL_EXPIRY_S, onState = () => {} }: LocalTask) {
      const taskId = randomUUID();
      const expiresMs = clock.nowMs() + expiresInS * 1_000;
      const { promise: outcome, resolve, reject } = Promise.withResolvers<TaskOutcome>();
      listeners.set(taskId, { onState, resolve, reject });
      outcome.catch(() => {});
      try {
        take([newRow({ taskId, batchId: null, name, minerKey, params: { ...params }, source: 'local', expiresMs })]);
      } catch (error) {
        listeners.delete(taskId);
        throw error;
      }
      return { taskId, outcome };
    },
    start() {
      if (running !== undefined) return;
      const stop = new AbortController();
      const nowMs = clock.nowMs();
      const { count, windowS } = settings.powerGate;
      const recentMs = journal
        .startsSince('miner.system.reboot', nowMs - windowS * 1_000)
        .map((startedMs) => Math.max(0, nowMs - startedMs));
      const power = createPowerGate(clock, { count, windowS, recentMs });
      const parts = { clock, log, settings, deps, journal, power };
      const ticker = loop(
        clock,
        {
          intervalMs: TICK_MS,
          random,
          signal: stop.signal,
          onError: (error) => log.error({ error: renderError(error) }, 'look after tasks'),
        },
        tick,
      );
      running = { stop, parts, work: new Set(), ticker };
      for (const row of journal.open()) if (!jobs.has(row.taskId)) enqueue(row);
      for (const ability of queues.keys()) pump(ability);
    },
    async stop() {
      const current = running;
      if (current === undefined) return;
      current.stop.abort();
      await Promise.all([...current.work, current.ticker]);
      if (running === current) running = undefined;
      // What is left goes on from the journal with the next start.
      jobs.clear();
      queues.clear();
      unwritten.clear();
      for (const listener of listeners.values())
        listener.reject(new CancelledError('wait for a task: the agent stops'));
      listeners.clear();
    },
    list: (limit = 200): TaskView[] =>
      journal.newest(Math.min(limit, 10_000)).map((row) => ({
        taskId: row.taskId,
        batchId: row.batchId,
        name: row.name,
        minerKey: row.minerKey,
        source: row.source,
        state: row.state,
        status: row.status,
        message: row.message,
        evidence: row.evidence,
        acceptedMs: row.acceptedMs,
        startedMs: row.startedMs,
        finishedMs: row.finishedMs,
      })),
  };
}
