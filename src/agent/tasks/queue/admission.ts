// From an order to its first row in the journal, and from a row to what people see. Pure; writing rows down is the task queue.
import { type ClockLook, offsetOf } from '../../../base/time/clock-steps.ts';
import type { TaskCommand } from '../../../wire/frames.ts';
import { MAX_PARAMS_LENGTH } from '../../../wire/protocol.ts';
import { failed, type TaskOutcome, type TaskState } from '../contract.ts';
import { type AllowSettings, notAllowed } from '../settings.ts';
import type { JournalRow } from './journal.ts';

/** What lives longer would have to be remembered longer, so that it is not carried out again. */
const MAX_LIFE_MS = 7 * 24 * 3_600_000;

export type LocalTask = Pick<JournalRow, 'name' | 'minerKey'> & {
  readonly params?: JournalRow['params'];
  /** Not started within this: `timeout`. Default 15 min, with a rollout 4 h. */
  readonly expiresInS?: number;
  readonly onState?: (state: TaskState) => void;
};

/** One task as people see it; times by `Clock.elapsedMs`. */
export type TaskView = ReturnType<typeof viewOf>;

export function newRow(
  task: Pick<JournalRow, 'taskId' | 'batchId' | 'name' | 'minerKey' | 'params' | 'source' | 'uplink' | 'expiresMs'>,
  nowMs: number,
): JournalRow {
  return {
    ...task,
    acceptedMs: nowMs,
    isLegible: true,
    state: 'accepted',
    baseline: undefined,
    unit: undefined,
    startedMs: null,
    sentMs: null,
    finishedMs: null,
    status: 'pending',
    message: null,
    evidence: {},
  };
}

/** `uplink` = over which it came. */
export function rowOfOrder(order: TaskCommand, now: ClockLook, uplink?: string): JournalRow {
  return newRow(
    {
      taskId: order.task_id,
      batchId: order.batch_id,
      name: order.name,
      minerKey: order.miner_key,
      params: order.params,
      source: 'service',
      uplink: uplink ?? null,
      // Once: from here on the wall clock may be set.
      expiresMs: Math.round(Date.parse(order.expires_at) - offsetOf(now)),
    },
    Math.round(now.elapsedMs),
  );
}

export function expired(): TaskOutcome {
  return { status: 'timeout', message: 'not started before it expired', evidence: {} };
}

/** Of what waited when the host was started without its time. */
export function timeUnknown(): TaskOutcome {
  const message = 'not started before the host was, whose clock does not say how long it was off; order it again';
  return { status: 'timeout', message, evidence: {} };
}

/** The state in which a new order enters the journal: waiting, or over at once. `waiting` = tasks that wait or run already. */
export function enter(
  row: JournalRow,
  context: {
    isKnown: boolean;
    waiting: number;
    /** How tasks of its batch end that come when it was stopped already. */
    stopped: TaskOutcome | undefined;
    settings: AllowSettings & { maxQueued: number };
  },
): JournalRow {
  const { isKnown, waiting, stopped, settings } = context;
  const over = (outcome: TaskOutcome): JournalRow => ({
    ...row,
    ...outcome,
    state: 'final',
    finishedMs: row.acceptedMs,
  });
  if (row.expiresMs > row.acceptedMs + MAX_LIFE_MS)
    return { ...over(failed('refused: it would expire in more than 7 days')), expiresMs: row.acceptedMs };
  if (stopped !== undefined) return over(stopped);
  if (!isKnown) return over(failed(`unsupported: this agent cannot do ${row.name}`));
  const refusal = notAllowed(row.name, settings);
  if (refusal !== undefined) return over(failed(refusal));
  if (row.expiresMs <= row.acceptedMs) return over(expired());
  if (JSON.stringify(row.params).length > MAX_PARAMS_LENGTH) {
    return { ...over(failed('refused: the params are too large')), params: {} };
  }
  if (waiting >= settings.maxQueued) return over(failed(`refused: ${settings.maxQueued} tasks wait already`));
  return row;
}

/** Without its params, which may hold passwords. */
export const viewOf = ({ params: _, isLegible: __, baseline: ___, unit: ____, ...view }: JournalRow) => view;
