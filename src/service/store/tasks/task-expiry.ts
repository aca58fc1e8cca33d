// Ends tasks whose time is over or whose params cannot be decrypted. A later outcome from the agent replaces this one.

import { SYSTEM } from '../../../model/audit/entry.ts';
import type { TaskStatus } from '../../../model/task.ts';
import { tasksEnded } from '../audit/task-acts.ts';
import type { Audited, Databases } from '../databases.ts';
import { recordTasksEnded } from '../events/task-events.ts';
import { CLOCKS_DIFFER_MS, chunks } from '../rows.ts';
import type { Db, Row } from '../schema.ts';
import { OPEN_STATUSES, recountBatches } from './task-outcomes.ts';

const UNDECRYPTABLE =
  'What the task needs was encrypted with a key file that the service no longer has, so it could not be given to the agent; create it again';

export const endUndecryptable = (
  { transact, audit }: Audited<Pick<Databases, 'transact'>>,
  taskIds: readonly string[],
  nowMs: number,
): Promise<void> =>
  transact(async (trx) => {
    for (const part of chunks(taskIds)) {
      const tasks = await trx
        .selectFrom('tasks')
        .select(['id', 'batch_id'])
        .where('id', 'in', part)
        .orderBy('id')
        .execute();
      const verdicts = tasks.map((task) => ({ ...task, status: 'failed' as const, message: UNDECRYPTABLE }));
      await presume(trx, verdicts, nowMs, audit);
    }
  });

export async function expireTasks(
  { read, transact, audit }: Audited<Pick<Databases, 'read' | 'transact'>>,
  nowMs: number,
  outcomeGraceMs: number,
): Promise<number> {
  const due = read
    .selectFrom('tasks')
    .select('id')
    .where('status', 'in', OPEN_STATUSES)
    .where((eb) =>
      eb.or([
        eb.and([eb('received_at', 'is', null), eb('expires_at', '<=', nowMs)]),
        eb.and([eb('received_at', 'is', null), eb('created_at', '>', nowMs + CLOCKS_DIFFER_MS)]),
        // A task whose progress still arrives is not silent.
        eb.and([eb('expires_at', '<=', nowMs - outcomeGraceMs), eb('updated_at', '<=', nowMs - outcomeGraceMs)]),
      ]),
    );
  if ((await due.limit(1).executeTakeFirst()) === undefined) return 0;
  return transact(async (trx) => {
    const tasks = await trx
      .selectFrom('tasks')
      .select(['id', 'batch_id', 'created_at', 'sent_at', 'received_at'])
      .where('id', 'in', due)
      .orderBy('id')
      .execute();
    const verdicts = tasks.map(({ id, batch_id, ...task }): Verdict => {
      return { id, batch_id, status: 'timeout', message: timeoutMessage(task, nowMs) };
    });
    return presume(trx, verdicts, nowMs, audit);
  });
}

type TaskTimes = Pick<Row<'tasks'>, 'created_at' | 'sent_at' | 'received_at'>;

function timeoutMessage({ created_at, sent_at, received_at }: TaskTimes, nowMs: number): string {
  if (received_at !== null) return 'The agent took the task but did not say what became of it';
  if (created_at > nowMs + CLOCKS_DIFFER_MS)
    return 'The clock of the service was set back after the task was created, so how long it may still wait is not known; create it again';
  if (sent_at === null) return 'The agent was not there to take the task before it expired';
  return 'The agent was sent the task but did not confirm it before it expired; if it refused it, its log and its events say why';
}

type Verdict = Pick<Row<'tasks'>, 'id' | 'batch_id'> & { readonly status: TaskStatus; readonly message: string };

/** Ends those that are open, until the agent reports an outcome; gives how many. */
async function presume(trx: Db, verdicts: readonly Verdict[], nowMs: number, audit: Audited['audit']): Promise<number> {
  const ended: Verdict[] = [];
  for (const verdict of verdicts) {
    const { id, status, message } = verdict;
    const { numUpdatedRows } = await trx
      .updateTable('tasks')
      .set({ status, is_presumed: 1, message, updated_at: nowMs })
      .where('id', '=', id)
      // The agent may just have reported an outcome to another copy.
      .where('status', 'in', OPEN_STATUSES)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) ended.push(verdict);
  }
  await recountBatches(trx, new Set(ended.map(({ batch_id }) => batch_id)));
  await recordTasksEnded(trx, ended, nowMs);
  await audit(trx, await tasksEnded(trx, ended, SYSTEM, nowMs));
  return ended.length;
}
