// Reports to the services what becomes of tasks: each step of their own; of those that people on site asked for the
// end only, as an event. A final outcome is marked as reported once it is on disk in the outbox, many at a time; until
// then it is reported again.
import type { Clock } from '../../../base/clock.ts';
import { renderError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { type ClockLook, lookAtClocks, wallTimeAt } from '../../../base/time/clock-steps.ts';
import { personOfHost, shownActor } from '../../../model/task.ts';
import { commandWords } from '../../../model/tasks/command-words.ts';
import type { EventRecord, TaskRecord } from '../../../wire/records.ts';
import type { TaskDeps } from '../contract.ts';
import type { StoredTask } from '../stored-task.ts';
import { isReported, type Journal } from './journal.ts';

const BATCH = 200;
const REPEAT_MS = 5_000;
const CLOSE_MS = 2_000;
/** Each time that some are marked is a write to the disk; after a crash those that are not are reported again. */
const MARK_MS = 1_000;

export function createReports(parts: {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: Journal;
  readonly report: TaskDeps['report'];
}) {
  const { clock, log, journal } = parts;
  const underWay = new Set<string>();
  /** On disk in the outbox, not marked yet. */
  let unmarked: string[] = [];
  const beingSent = new Set<Promise<void>>();
  let isClosed = false;
  const recent = new Map<string, { readonly status: string; readonly atMs: number }>();
  const isLate = (atMs: number) => clock.monotonicMs() - atMs >= REPEAT_MS;

  const flush = () => {
    if (unmarked.length === 0) return;
    journal.reported(unmarked);
    for (const taskId of unmarked) underWay.delete(taskId);
    unmarked = [];
  };
  const flushSoon = () => {
    if (isClosed) return;
    try {
      flush();
    } catch (error) {
      log.warn(
        { tasks: unmarked.length, error: renderError(error) },
        'that tasks were reported could not be written yet',
      );
    }
  };

  const send = (row: StoredTask): void => {
    const { taskId, status } = row;
    const isFinal = row.state === 'final';
    if (row.source === 'local' && !(isFinal && isReported(row))) return;
    if (isFinal && underWay.has(taskId)) return;
    if (isFinal) underWay.add(taskId);
    recent.set(taskId, { status, atMs: clock.monotonicMs() });
    const now = lookAtClocks(clock);
    const work = Promise.resolve()
      .then(() => parts.report(recordOf(row, now)))
      .then(() => {
        if (!isFinal) return;
        const count = unmarked.push(taskId);
        if (count === 1) clock.after(MARK_MS, flushSoon, { unref: true });
        else if (count % BATCH === 0) flushSoon();
      })
      .catch((error: unknown) => {
        underWay.delete(taskId);
        log.warn({ taskId, status, error: renderError(error) }, 'a task could not be reported yet');
      })
      .finally(() => beingSent.delete(work));
    beingSent.add(work);
  };

  return {
    /** The present state of the task, as a record. */
    send,
    /** Again, unless it was reported just now: each report is a record that the outbox keeps. */
    sendAgain(row: StoredTask): void {
      if (row.source === 'local') return;
      const last = recent.get(row.taskId);
      if (last === undefined || last.status !== row.status || isLate(last.atMs)) send(row);
    },
    open(): void {
      isClosed = false;
    },
    /** Waits a moment for reports under way, so that they are marked. From then on nothing is written here. */
    async close(): Promise<void> {
      const enough = new AbortController();
      const wait = clock.sleep(CLOSE_MS, enough.signal).catch(() => {});
      await Promise.race([Promise.all(beingSent), wait]);
      enough.abort();
      // What is not marked is reported again, which is harmless.
      flushSoon();
      isClosed = true;
    },
    /** Final outcomes that are not marked as reported, a bounded number per call. */
    sendMissing(): void {
      for (const [taskId, { atMs }] of recent) if (isLate(atMs)) recent.delete(taskId);
      flush();
      for (const row of journal.unreported(BATCH)) send(row);
    },
  };
}

function recordOf(row: StoredTask, now: ClockLook): TaskRecord | EventRecord {
  const isoAt = (elapsedMs: number) => new Date(wallTimeAt(elapsedMs, now)).toISOString();
  const { taskId: task_id, batchId: batch_id, name, minerKey: key, status, message, evidence, startedMs } = row;
  const at = isoAt(row.finishedMs ?? now.elapsedMs);
  if (row.source === 'service') return { kind: 'task', task_id, status, at, message, evidence };
  const started_at = startedMs === null ? null : isoAt(startedMs);
  const command = commandWords(name, row.params);
  return {
    ...{ kind: 'event' as const, type: 'task_on_site', key, at },
    detail: {
      ...{ task_id, batch_id, name, status, message, started_at },
      ...(command !== undefined && { command }),
      ...(row.by !== null && { actor: shown(row.by) }),
    },
  };
}

const shown = (user: string) => shownActor(personOfHost(user));

/** Of what is over as it comes: one line per reason, however many there are. */
export function reportRefused(log: Log, rows: readonly StoredTask[]): void {
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
