// Tasks that the agent carries out by itself, without an order to a miner (a scan, a lock): journaled, expired and told like all others. They are
// repeatable: after a restart of the agent one runs again from the beginning, unless it has expired meanwhile.
import { CancelledError } from '../../base/errors.ts';
import { notAllowed } from './allow.ts';
import type { CarryOutParts, Turn } from './carry-out.ts';
import { failed, type OwnTask, type TaskEnd } from './contract.ts';
import { expired } from './intake.ts';

/** Rejects with CancelledError when it is given up before it is started, or the agent stops. */
export async function carryOutOwn(
  { clock, journal, settings, deps }: Pick<CarryOutParts, 'clock' | 'journal' | 'settings' | 'deps'>,
  { row, isExpired, giveUp, stop, onState }: Turn,
  task: OwnTask,
  onProgress: (evidence: Readonly<Record<string, unknown>>) => void,
): Promise<TaskEnd> {
  if (giveUp.aborted) throw new CancelledError(`begin ${row.name}`);
  const refusal = notAllowed(row.name, settings);
  if (refusal !== undefined) return { outcome: failed(refusal), tookEffect: false };
  if (isExpired()) return { outcome: expired(), tookEffect: false };
  journal.started(row.taskId, undefined, false, clock.nowMs());
  onState('started');
  const { taskId, minerKey, params } = row;
  const { find, mayReach, observe } = deps;
  const reach = { find, mayReach, observe, onProgress };
  const outcome = await task.run({ taskId, minerKey, params }, AbortSignal.any([giveUp, stop]), reach);
  // It was cut short by us and goes on from the journal.
  if (stop.aborted && outcome.status === 'cancelled' && !giveUp.aborted) throw new CancelledError(`finish ${row.name}`);
  return { outcome, tookEffect: outcome.status === 'succeeded' };
}

/** What becomes of one that an earlier run of the agent had started; undefined = it runs again. */
export function recoverOwn({ isExpired }: Pick<Turn, 'isExpired'>): TaskEnd | undefined {
  if (!isExpired()) return undefined;
  const message = 'interrupted by a restart of the agent, and expired since';
  return { outcome: failed(message, { interrupted: true }), tookEffect: false };
}
