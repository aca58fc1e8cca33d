// How tasks end: journaled first, then told to the service, to who waits for them here, and to the rest of the agent; tried again while the disk
// refuses. It decides nothing about them.
import type { Clock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { TaskDeps, TaskEnd, TaskOutcome, TaskState } from './contract.ts';
import type { Journal, JournalRow } from './journal.ts';
import type { Reports } from './reports.ts';

export type Listener = {
  onState(state: TaskState): void;
  resolve(outcome: TaskOutcome): void;
  reject(error: Error): void;
};
export type Ended = { readonly row: JournalRow; readonly end: TaskEnd };

export type Endings = {
  /** The present state, to all who want to know it. */
  publish(row: JournalRow): void;
  tellState(taskId: string, state: TaskState): void;
  /** In one transaction; throws, with nothing done, when the journal refuses. */
  finish(ends: readonly Ended[]): void;
  /** Like finish for one, and again with each `retry` while the disk refuses. */
  settle(row: JournalRow, end: TaskEnd): void;
  retry(): void;
  /** Over, but the disk refused so far. */
  isUnwritten(taskId: string): boolean;
  listen(taskId: string, listener: Listener): void;
  forget(taskId: string): void;
  /** Nobody will hear any more. */
  close(error: Error): void;
};

export function createEndings(parts: {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: Journal;
  readonly reports: Reports;
  readonly onEnd: TaskDeps['onEnd'];
  /** Those that are over on disk, before anybody hears of it. */
  onFinished(ends: readonly Ended[]): void;
  /** When all have heard of it. */
  onTold(): void;
}): Endings {
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

  const tellState = (taskId: string, state: TaskState) =>
    guarded('a listener of a task failed', () => listeners.get(taskId)?.onState(state));

  const publish = (row: JournalRow) => {
    reports.tell(row);
    const listener = listeners.get(row.taskId);
    if (listener === undefined) return;
    tellState(row.taskId, row.state);
    if (row.state !== 'final') return;
    listeners.delete(row.taskId);
    const { status, message, evidence } = row;
    if (status !== 'pending' && status !== 'running') listener.resolve({ status, message, evidence });
  };

  const finish = (ends: readonly Ended[]) => {
    const nowMs = clock.nowMs();
    journal.finished(ends, nowMs);
    parts.onFinished(ends);
    for (const { row, end } of ends) {
      // Without the evidence: a miner's own log has no place in ours.
      const { status, message } = end.outcome;
      log.info({ taskId: row.taskId, miner: row.minerKey, task: row.name, status, message }, 'task ended');
      publish({ ...row, ...end.outcome, state: 'final', finishedMs: nowMs });
      if (row.startedMs !== null) guarded('take in the end of a task', () => parts.onEnd?.(row, end.outcome));
    }
    guarded('go on after the end of tasks', parts.onTold);
  };

  return {
    publish,
    tellState,
    finish,
    settle(row, end) {
      try {
        finish([{ row, end }]);
      } catch (error) {
        log.error({ taskId: row.taskId, error: renderError(error) }, 'the end of a task could not be journaled yet');
        unwritten.set(row.taskId, { row, end });
      }
    },
    retry() {
      if (unwritten.size === 0) return;
      finish([...unwritten.values()]);
      unwritten.clear();
    },
    isUnwritten: (taskId) => unwritten.has(taskId),
    listen: (taskId, listener) => void listeners.set(taskId, listener),
    forget: (taskId) => void listeners.delete(taskId),
    close(error) {
      unwritten.clear();
      for (const { reject } of listeners.values()) reject(error);
      listeners.clear();
    },
  };
}
