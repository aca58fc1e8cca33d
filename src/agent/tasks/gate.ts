// The one gate for all writes to miners: journal before act, bounded per kind and per miner, power spread over time, cancelled or expired while
// it waits, proven after. How one task goes is carry-out.ts.
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { type Clock, loop } from '../../base/clock.ts';
import { CancelledError, RefusedError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { AbilityName } from '../../driver/contract.ts';
import { abilityOf, type CarryOutParts, carryOut, goesAway, goOn } from './carry-out.ts';
import {
  failed,
  type LocalTask,
  type OwnTask,
  type TaskDeps,
  type TaskEnd,
  type TaskGate,
  type TaskOutcome,
  type TaskState,
} from './contract.ts';
import { enter, expired, newRow, rowOfOrder, viewOf } from './intake.ts';
import { type JournalRow, openJournal } from './journal.ts';
import { carryOutOwn, recoverOwn } from './own-task.ts';
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
const LOCAL_EXPIRY_S = 900;

/** What stands in one line and shares its places: the tasks of one ability, or those of one name of the agent's own. */
type Kind =
  | { readonly line: string; readonly ability: AbilityName; readonly own?: never }
  | { readonly line: string; readonly ability?: never; readonly own: OwnTask };

/** `stage` moves one way: waiting for a place, in a place but not started, started. */
type Job = {
  row: JournalRow;
  readonly kind: Kind;
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
  const queues = new Map<string, Job[]>();
  const taken = new Map<string, number>();
  const busyMiners = new Set<string>();
  const listeners = new Map<string, Listener>();
  const unwritten = new Map<string, { readonly row: JournalRow; readonly end: TaskEnd }>();
  let journalRows = journal.size();
  let ticks = 0;
  let running:
    | { stop: AbortController; parts: CarryOutParts; work: Set<Promise<void>>; ticker: Promise<void> }
    | undefined;

  const kindOf = (name: string): Kind | undefined => {
    const ability = abilityOf(name);
    if (ability !== undefined) return { line: ability, ability };
    const own = deps.own !== undefined && Object.hasOwn(deps.own, name) ? deps.own[name] : undefined;
    return own && { line: name, own };
  };
  const queueOf = (line: string) => {
    const queue = queues.get(line) ?? [];
    queues.set(line, queue);
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
      if (row.startedMs !== null) guarded('take in the end of a task', () => deps.onEnd?.(row, end.outcome));
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
    for (const [line, queue] of queues) {
      queues.set(
        line,
        queue.filter((job) => !waiting.has(job)),
      );
    }
    return ending.length;
  };

  /** Ends what is the agent's own and under way, and says how many. */
  const endOwn = (candidates: readonly Job[]): number => {
    const ending = candidates.filter(({ stage, kind }) => stage === 'started' && kind.own !== undefined);
    for (const { giveUp } of ending) giveUp.abort();
    return ending.length;
  };

  const pump = (line: string) => {
    if (running === undefined) return;
    const queue = queueOf(line);
    for (;;) {
      const index = queue.findIndex((job) => !busyMiners.has(job.row.minerKey));
      const job = queue[index];
      if (job === undefined || (taken.get(line) ?? 0) >= placesOf(job.kind)) return;
      queue.splice(index, 1);
      begin(job);
    }
  };
  const placesOf = ({ ability, own }: Kind) =>
    ability === undefined ? own.concurrency : settings[ability].concurrency;

  const begin = (job: Job) => {
    const current = running;
    if (current === undefined) return;
    const work = runJob(job, current.parts, current.stop.signal).finally(() => current.work.delete(work));
    current.work.add(work);
  };

  const runJob = async (job: Job, parts: CarryOutParts, stop: AbortSignal): Promise<void> => {
    const { line, ability, own } = job.kind;
    let hasPlace = true;
    taken.set(line, (taken.get(line) ?? 0) + 1);
    busyMiners.add(job.row.minerKey);
    const leave = () => {
      if (!hasPlace) return;
      hasPlace = false;
      taken.set(line, (taken.get(line) ?? 1) - 1);
      pump(line);
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
    const onProgress = (evidence: JournalRow['evidence']) => {
      job.row = { ...job.row, evidence };
      reports.tell(job.row);
    };
    const recover = () => (own === undefined ? goOn(parts, turn) : recoverOwn(parts, turn));
    const act = () => (own === undefined ? carryOut(parts, turn) : carryOutOwn(parts, turn, own, onProgress));
    job.stage = job.isRecovered ? 'started' : 'checking';
    try {
      const end = await (job.isRecovered ? recover() : act());
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
      const rule = ability && deps.find(job.row.minerKey)?.abilities[ability];
      if (ability !== undefined && goesAway(rule, ability) && job.stage === 'started' && !stop.aborted) {
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
    const kind = kindOf(row.name);
    if (kind === undefined) {
      // Taken by a version that knew more than this one.
      settle(row, { outcome: failed(`unsupported: this agent cannot do ${row.name}`), tookEffect: false });
      return;
    }
    const isRecovered = row.state !== 'accepted';
    const job: Job = { row, kind, giveUp: new AbortController(), isRecovered, stage: 'waiting', givenUp: undefined };
    jobs.set(row.taskId, job);
    if (isRecovered) begin(job);
    else queueOf(kind.line).push(job);
  };

  const take = (rows: readonly JournalRow[]) => {
    const known = new Map<string, JournalRow>();
    const fresh = new Map<string, JournalRow>();
    for (const row of rows) {
      const before = fresh.get(row.taskId) ?? journal.get(row.taskId);
      const waiting = jobs.size + fresh.size;
      const isKnown = kindOf(row.name) !== undefined;
      if (before === undefined) fresh.set(row.taskId, enter(row, { isKnown, waiting, maxQueued: settings.maxQueued }));
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
    for (const line of queues.keys()) pump(line);
  };

  const makeRoom = (keepMs: number) => {
    journalRows -= journal.prune(clock.nowMs() - keepMs, clock.nowMs());
  };

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
    accept: (order) => take([rowOfOrder(order, clock.nowMs())]),
    acceptAll: (orders) => take(orders.map((order) => rowOfOrder(order, clock.nowMs()))),
    cancel(taskId) {
      const job = jobs.get(taskId);
      if (job !== undefined && giveUp([job], cancelled('cancelled before it was started')) + endOwn([job]) > 0) return;
      const row = job?.row ?? journal.get(taskId);
      if (row !== undefined) reports.tell(row);
    },
    abortAll(reason) {
      const all = [...jobs.values()];
      const count = endOwn(all) + giveUp(all, cancelled(`given up with all others: ${reason}`));
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
        const task = {
          taskId,
          batchId: null,
          name,
          minerKey,
          params: { ...params },
          source: 'local',
          expiresMs,
        } as const;
        take([newRow(task, clock.nowMs())]);
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
      for (const line of queues.keys()) pump(line);
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
    isBusy: (minerKey) => [...jobs.values()].some(({ row }) => row.minerKey === minerKey),
    effectsSince: (minerKey, name, sinceMs) => journal.effectsSince(minerKey, name, sinceMs),
    list: (limit = 200) => journal.newest(Math.min(limit, 10_000)).map(viewOf),
  };
}
