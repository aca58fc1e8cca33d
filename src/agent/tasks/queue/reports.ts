// Tells the services what becomes of tasks: step by step of their own, and once it is over of those that a person on site had carried out, which they
// did not order and have no task for. A final outcome is marked as told once it is on disk in the outbox, many at a time; until then it is told again.
import type { Clock } from '../../../base/clock.ts';
import { renderError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { type ClockLook, lookAtClocks, wallTimeAt } from '../../../base/time/clock-steps.ts';
import type { EventRecord, TaskRecord } from '../../../wire/records.ts';
import type { TaskDeps } from '../contract.ts';
import { isTold, type Journal, type JournalRow } from './journal.ts';

const BATCH = 200;
const REPEAT_MS = 5_000;
const CLOSE_MS = 2_000;

export function createReports(parts: {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: Journal;
  readonly report: TaskDeps['report'];
}) {
  const { clock, log, journal } = parts;
  const underWay = new Set<string>();
  /** On disk in the outbox, not marked yet. */
  let told: string[] = [];
  const beingTold = new Set<Promise<void>>();
  let isClosed = false;
  const lately = new Map<string, { readonly status: string; readonly atMs: number }>();
  const isLate = (atMs: number) => clock.monotonicMs() - atMs >= REPEAT_MS;

  const flush = () => {
    if (told.length === 0) return;
    journal.reported(told);
    for (const taskId of told) underWay.delete(taskId);
    told = [];
  };
  const flushSoon = () => {
    if (isClosed) return;
    try {
      flush();
    } catch (error) {
      log.warn({ tasks: told.length, error: renderError(error) }, 'that tasks were reported could not be written yet');
    }
  };

  const tell = (row: JournalRow): void => {
    const { taskId, status } = row;
    const isFinal = row.state === 'final';
    if (row.source === 'local' && !(isFinal && isTold(row))) return;
    if (isFinal && underWay.has(taskId)) return;
    if (isFinal) underWay.add(taskId);
    lately.set(taskId, { status, atMs: clock.monotonicMs() });
    const now = lookAtClocks(clock);
    const work = Promise.resolve()
      .then(() => parts.report(recordOf(row, now)))
      .then(() => {
        if (!isFinal) return;
        // The outbox writes many at once, and says so of all of them in one turn.
        if (told.push(taskId) === 1) clock.after(0, flushSoon, { unref: true });
      })
      .catch((error: unknown) => {
        underWay.delete(taskId);
        log.warn({ taskId, status, error: renderError(error) }, 'a task could not be reported yet');
      })
      .finally(() => beingTold.delete(work));
    beingTold.add(work);
  };

  return {
    /** The present state of the task, as a record. */
    tell,
    /** For who asks again: not when it was told just now. Each is a record that the outbox keeps. */
    tellAgain(row: JournalRow): void {
      if (row.source === 'local') return;
      const last = lately.get(row.taskId);
      if (last === undefined || last.status !== row.status || isLate(last.atMs)) tell(row);
    },
    open(): void {
      isClosed = false;
    },
    /** Waits a moment for what is being told, so that it is marked; from then on nothing is written here. */
    async close(): Promise<void> {
      const enough = new AbortController();
      const wait = clock.sleep(CLOSE_MS, enough.signal).catch(() => {});
      await Promise.race([Promise.all(beingTold), wait]);
      enough.abort();
      // What is not marked is told again, which is harmless.
      flushSoon();
      isClosed = true;
    },
    /** Final outcomes that are not marked as told, a bounded number per call. */
    tellMissing(): void {
      for (const [taskId, { atMs }] of lately) if (isLate(atMs)) lately.delete(taskId);
      flush();
      for (const row of journal.unreported(BATCH)) tell(row);
    },
  };
}

function recordOf(row: JournalRow, now: ClockLook): TaskRecord | EventRecord {
  const isoAt = (elapsedMs: number) => new Date(wallTimeAt(elapsedMs, now)).toISOString();
  const { taskId: task_id, batchId: batch_id, name, minerKey: key, status, message, evidence, startedMs } = row;
  const at = isoAt(row.finishedMs ?? now.elapsedMs);
  if (row.source === 'service') return { kind: 'task', task_id, status, at, message, evidence };
  const started_at = startedMs === null ? null : isoAt(startedMs);
  return {
    ...{ kind: 'event' as const, type: 'task_on_site', key, at },
    detail: { task_id, batch_id, name, status, message, started_at },
  };
}

/** Of what is over as it comes: one line per reason, however many there are. */
export function tellRefused(log: Log, rows: readonly JournalRow[]): void {
  const refused = Map.groupBy(
    rows.filter(({ state }) => state === 'final'),
    ({ name, source, message }) => `${name} ${source} ${message}`,
  );
  for (const same of refused.values()) {
    const [first] = same;
    if (first === undefined) continue;
    const { name, source, message, taskId, minerKey } = first;
    log.warn({ task: name, source, message, count: same.length, taskId, miner: minerKey }, 'tasks refused');
  }
}
