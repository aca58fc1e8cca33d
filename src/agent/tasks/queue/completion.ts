// How tasks end: journaled first, then reported to the service, to listeners of this process and to the rest of the
// agent. Tried again while the disk refuses. It decides nothing about them.
import type { Clock } from '../../../base/clock.ts';
import { renderError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { TaskDeps, TaskOutcome } from '../contract.ts';
import type { StoredTask, TaskState } from '../stored-task.ts';
import type { Ended, Journal } from './journal.ts';

type Listener = {
  onState(state: TaskState): void;
  resolve(outcome: TaskOutcome): void;
  reject(error: Error): void;
};

/** Per `retry`: where so many cannot be written, it is the disk. */
const MOST_REFUSED = 20;
const UNWRITTEN = 'the end of tasks could not be journaled yet';

export function createCompletion(parts: {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: Journal;
  readonly reports: { send(row: StoredTask): void };
  readonly onEnd: TaskDeps['onEnd'];
  /** Tasks that are over on disk, before they are reported. */
  onFinished(ends: readonly Ended[]): void;
  /** After they were reported. */
  onReported(): void;
}) {
  const { clock, log, journal, reports } = parts;
  const listeners = new Map<string, Listener>();
  const unwritten = new Map<string, Ended>();

  const guarded = (what: string, run: () => void) => {
    try {
      run();
    } catch (error) {
      log.error({ error: renderError(error) }, what);
    }
  };

  const reportState = (taskId: string, state: TaskState): void =>
    guarded('a listener of a task failed', () => listeners.get(taskId)?.onState(state));

  /** Reports the present state to the service and to listeners. */
  const publish = (row: StoredTask): void => {
    reports.send(row);
    const listener = listeners.get(row.taskId);
    if (listener === undefined) return;
    reportState(row.taskId, row.state);
    if (row.state !== 'final') return;
    listeners.delete(row.taskId);
    const { status, message, evidence } = row;
    if (status !== 'pending' && status !== 'running') listener.resolve({ status, message, evidence });
  };

  /** In one transaction; throws, with nothing done, when the journal refuses. */
  const finish = (ends: readonly Ended[]): void => {
    const nowMs = Math.round(clock.elapsedMs());
    journal.finished(ends, nowMs, () => {
      for (const { row, outcome } of ends) if (row.startedMs !== null) parts.onEnd?.(row, outcome);
    });
    parts.onFinished(ends);
    for (const { row, outcome } of ends) {
      // Without the evidence: it may hold a miner's own log.
      const { status, message, evidence } = outcome;
      log.info({ taskId: row.taskId, miner: row.minerKey, task: row.name, status, message }, 'task ended');
      publish({ ...row, status, message, evidence, state: 'final', finishedMs: nowMs });
    }
    guarded('go on after the end of tasks', parts.onReported);
  };

  /** One by one; those that the disk refuses go to the end. */
  const retryEach = () => {
    let refused = 0;
    for (const [taskId, ended] of [...unwritten]) {
      if (refused >= MOST_REFUSED) return;
      unwritten.delete(taskId);
      try {
        finish([ended]);
      } catch {
        refused++;
        unwritten.set(taskId, ended);
      }
    }
  };

  return {
    publish,
    reportState,
    /**
     * In one transaction, and again with each `retry` while the disk refuses: they are over in any case. Never throws.
     */
    settle(ends: readonly Ended[]): void {
      try {
        finish(ends);
      } catch (error) {
        for (const ended of ends) unwritten.set(ended.row.taskId, ended);
        const taskId = ends[0]?.row.taskId;
        log.error({ taskId, tasks: ends.length, error: renderError(error) }, UNWRITTEN);
      }
    },
    /** Those that can be written are, whatever becomes of the others. Throws the first cause when some cannot. */
    retry(): void {
      if (unwritten.size === 0) return;
      const all = [...unwritten.values()];
      try {
        finish(all);
        for (const { row } of all) unwritten.delete(row.taskId);
      } catch (error) {
        retryEach();
        if (unwritten.size > 0) throw error;
      }
    },
    /** Over, but the disk refused so far. */
    isUnwritten: (taskId: string): boolean => unwritten.has(taskId),
    listen: (taskId: string, listener: Listener): void => void listeners.set(taskId, listener),
    forget: (taskId: string): void => void listeners.delete(taskId),
    /** Ends all listeners: they hear nothing more. */
    close(error: Error): void {
      unwritten.clear();
      for (const { reject } of listeners.values()) reject(error);
      listeners.clear();
    },
  };
}

/** Work that is tried again and again: one step that fails holds up no other, and is logged when its cause is news. */
export function createRepeatableSteps(log: Log) {
  const causes = new Map<string, string>();
  return {
    /** Never throws. `what` is a fixed text: what was tried. */
    run(what: string, step: () => void): void {
      try {
        step();
        causes.delete(what);
      } catch (error) {
        const cause = renderError(error);
        if (causes.get(what) !== cause) log.error({ error: cause }, what);
        causes.set(what, cause);
      }
    },
  };
}
