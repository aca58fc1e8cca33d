// From a command to its first row in the journal, and from a row to what people see.
import type { Clock } from '../../../base/clock.ts';
import { RefusedError } from '../../../base/errors.ts';
import { type ClockLook, offsetOf } from '../../../base/time/clock-steps.ts';
import type { TaskCommand } from '../../../wire/frames.ts';
import { MAX_PARAMS_LENGTH } from '../../../wire/protocol.ts';
import { failed, type TaskOutcome } from '../contract.ts';
import { type AllowSettings, notAllowed, type TaskSettings } from '../settings.ts';
import type { StoredTask, TaskState } from '../stored-task.ts';
import type { Journal } from './journal.ts';
import type { Rollout } from './rollout-rule.ts';
import type { createRollouts } from './rollouts.ts';

/** What lives longer would have to be remembered longer, so that it is not carried out again. */
const MAX_LIFE_MS = 7 * 24 * 3_600_000;
const KEEP_MS = 7 * 24 * 3_600_000;
const KEEP_LEAST_MS = 2 * 24 * 3_600_000;
const MAX_JOURNAL_ROWS = 200_000;
/** Of these, whatever services fill it with. */
const LOCAL_ROWS = 20_000;

/** What a person on site asks for, as `TaskCommand` is what a service asks for. */
export type LocalCommand = Pick<StoredTask, 'name' | 'minerKey'> & {
  readonly params?: StoredTask['params'];
  /** Name of the system user who asks. */
  readonly by?: string | undefined;
  /** Not started within this: `timeout`. Default 15 min, with a rollout 4 h. */
  readonly expiresInS?: number;
  readonly onState?: (state: TaskState) => void;
};

/** One task as people see it; times by `Clock.elapsedMs`. */
export type TaskView = ReturnType<typeof viewOf>;

export function newRow(
  task: Pick<StoredTask, 'taskId' | 'batchId' | 'name' | 'minerKey' | 'params' | 'source' | 'uplink' | 'expiresMs'> & {
    readonly by?: string | undefined;
  },
  nowMs: number,
): StoredTask {
  return {
    ...task,
    by: task.by ?? null,
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
export function rowOf(command: TaskCommand, now: ClockLook, uplink?: string): StoredTask {
  return newRow(
    {
      taskId: command.task_id,
      batchId: command.batch_id,
      name: command.name,
      minerKey: command.miner_key,
      params: command.params,
      source: 'service',
      uplink: uplink ?? null,
      // Once: from here on the wall clock may be set.
      expiresMs: Math.round(Date.parse(command.expires_at) - offsetOf(now)),
    },
    Math.round(now.elapsedMs),
  );
}

export function expired(): TaskOutcome {
  return { status: 'timeout', message: 'not started before it expired', evidence: {} };
}

/** Of what waited when the host was started without its time. */
export function timeUnknown(): TaskOutcome {
  const message = 'not started before the host was, whose clock does not say how long it was off; ask for it again';
  return { status: 'timeout', message, evidence: {} };
}

/**
 * The state in which a new command enters the journal: waiting, or over at once. `waiting` = tasks that wait or run
 * already.
 */
export function enter(
  row: StoredTask,
  context: {
    isKnown: boolean;
    waiting: number;
    /** How tasks of its batch end that come when it was stopped already. */
    stopped: TaskOutcome | undefined;
    settings: AllowSettings & { maxQueued: number };
  },
): StoredTask {
  const { isKnown, waiting, stopped, settings } = context;
  const over = (outcome: TaskOutcome): StoredTask => ({
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
export const viewOf = ({ params: _, isLegible: __, baseline: ___, unit: ____, ...view }: StoredTask) => view;

type Parts = {
  readonly clock: Clock;
  readonly journal: Pick<Journal, 'get' | 'insert' | 'prune' | 'size'>;
  readonly rollouts: Pick<ReturnType<typeof createRollouts>, 'declare' | 'stopped'>;
  readonly settings: TaskSettings;
  /** Whether this agent can do tasks of the name. */
  readonly isKnown: (name: string) => boolean;
};

/**
 * Lets commands into the journal, each task id once and for ever, and keeps the journal within its bounds. It begins
 * nothing.
 */
export class Admission {
  readonly #parts: Parts;
  #rows: number;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#rows = parts.journal.size();
  }

  /**
   * Journals the rows that are new, some of which are over at once, and names those that were there already. `rules` =
   * of the batches that come with a rule; `open` = tasks that wait or run. Throws RefusedError when the journal is
   * full.
   */
  admit(rows: readonly StoredTask[], rules: ReadonlyMap<string, Rollout> = new Map(), open = 0) {
    const { journal, rollouts, settings, isKnown } = this.#parts;
    const maxRows = rows.every(({ source }) => source === 'local') ? MAX_JOURNAL_ROWS : MAX_JOURNAL_ROWS - LOCAL_ROWS;
    // Before rules of batches are written that have no task in the journal yet.
    if (this.#rows + rows.length > maxRows) this.#prune(KEEP_LEAST_MS);
    const known = new Map<string, StoredTask>();
    const fresh = new Map<string, StoredTask>();
    for (const row of rows) {
      const before = fresh.get(row.taskId) ?? journal.get(row.taskId);
      if (before === undefined) {
        const rule = row.batchId === null ? undefined : rules.get(row.batchId);
        if (row.batchId !== null && rule !== undefined) rollouts.declare(row.batchId, rule);
        const stopped = rollouts.stopped(row.batchId);
        const context = { isKnown: isKnown(row.name), waiting: open + fresh.size, stopped, settings };
        fresh.set(row.taskId, enter(row, context));
      } else if (!fresh.has(row.taskId)) known.set(row.taskId, before);
    }
    if (this.#rows + fresh.size > maxRows) {
      throw new RefusedError('tasks.journal-full', `journal ${fresh.size} tasks: ${this.#rows} are remembered already`);
    }
    if (fresh.size > 0) journal.insert([...fresh.values()]);
    this.#rows += fresh.size;
    return { fresh: [...fresh.values()], known: [...known.values()] };
  }

  /** Forgets old tasks that are over. */
  prune(): void {
    this.#prune(KEEP_MS);
  }

  #prune(keepMs: number): void {
    const nowMs = this.#parts.clock.elapsedMs();
    this.#rows -= this.#parts.journal.prune(nowMs - keepMs, nowMs);
  }
}
