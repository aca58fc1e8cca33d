// Which of the selected miners get the task, in which batches, and why the others do not. Pure; spec decisions,
// "Tasks".
import { SKIP_REASONS, type SkipReason } from '../../base/error-codes.data.ts';
import { isAboutAgents, type RolloutRequest, type TaskName } from '../../model/task.ts';
import type { NewBatch, TaskCandidate } from '../store/store.ts';

/** `ids` of the targets. */
type Skip = { readonly reason: SkipReason; readonly message: string; readonly ids: readonly string[] };
export type Plan = { readonly batches: readonly NewBatch[]; readonly skipped: readonly Skip[] };

/**
 * `ids` as the client gave them, duplicates included; the ids of batches and tasks come from `newId`. Agents get tasks
 * in the order of their ids, which is that of the client: the first that is named goes first.
 */
export function planBatches(
  name: TaskName,
  ids: readonly string[],
  candidates: readonly TaskCandidate[],
  newId: () => string,
  rollout?: RolloutRequest,
): Plan {
  const known = new Map(candidates.map((candidate) => [candidate.id, candidate]));
  const skipped = new Map<SkipReason, string[]>();
  const perAgent = new Map<string, { rowId: number; minerKey: string }[]>();
  for (const id of new Set(ids)) {
    const verdict = judge(name, known.get(id));
    if (typeof verdict === 'string') {
      skipped.set(verdict, [...(skipped.get(verdict) ?? []), id]);
      continue;
    }
    const tasks = perAgent.get(verdict.agentId) ?? [];
    tasks.push({ rowId: verdict.rowId, minerKey: verdict.minerKey });
    perAgent.set(verdict.agentId, tasks);
  }
  return {
    batches: [...perAgent].map(([agentId, tasks]) => {
      const taskIds = tasks.map(() => newId()).toSorted();
      return {
        id: newId(),
        agentId,
        tasks: tasks.map((task, index) => ({ id: taskIds[index] ?? newId(), ...task })),
        ...(rollout === undefined ? {} : { rollout: rolloutOf(rollout, tasks.length) }),
      };
    }),
    skipped: [...skipped].map(([reason, ofReason]) => ({ reason, message: messageOf(reason, name), ids: ofReason })),
  };
}

function messageOf(reason: SkipReason, name: TaskName): string {
  const { text, agentText } = SKIP_REASONS[reason];
  return isAboutAgents(name) ? agentText : text;
}

function judge(
  name: TaskName,
  miner: TaskCandidate | undefined,
): SkipReason | { agentId: string; minerKey: string; rowId: number } {
  if (miner === undefined) return 'not_found';
  if (miner.opsStatus === 'retired' || miner.opsStatus === 'archived') return 'ops_status';
  if (miner.agentId === null || miner.agentKey === null) return 'no_agent';
  if (!miner.abilities.includes(name)) return 'unsupported';
  if (miner.isBusy) return 'no_change';
  return { agentId: miner.agentId, minerKey: miner.agentKey, rowId: miner.rowId };
}

/**
 * The rollout as the agent of a batch of `size` tasks gets it: percents become numbers, a part of a task counts as a
 * whole one.
 */
function rolloutOf({ canary, stop_after, stop_after_percent }: RolloutRequest, size: number): NewBatch['rollout'] {
  const limits = [
    ...(stop_after === undefined ? [] : [stop_after]),
    ...(stop_after_percent === undefined ? [] : [Math.max(1, Math.ceil((size * stop_after_percent) / 100))]),
  ];
  return {
    ...(canary === undefined ? {} : { canary }),
    ...(limits.length === 0 ? {} : { stop_after: Math.min(...limits) }),
  };
}
