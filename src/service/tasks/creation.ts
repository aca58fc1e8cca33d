// What a client wants created, and what is answered of it; and which batches that comes to. Pure.
import { RefusedError } from '../../base/errors.ts';
import type { RequestedPools } from '../../model/pools/requested-pools.ts';
import type { PreviewedWorker } from '../../model/pools/resolve-pools.ts';
import { type RolloutRequest, withForcedCanary } from '../../model/task.ts';
import type { ExecutionTaskName } from '../../model/tasks/task-kinds.data.ts';
import type { OutlookAnswer } from '../../wire/outlook.ts';
import type { BatchRequest, TaskCandidate } from '../store/store.ts';
import { type Plan, planBatches } from './plan.ts';
import { planPools } from './plan-pools.ts';

/** What a client wants created: a request to the store, with what the answer and the end of the tasks need. */
export type BatchCreation = Pick<BatchRequest, 'workspaceId' | 'farmId' | 'ids' | 'params' | 'actor' | 'mostOpen'> & {
  readonly name: ExecutionTaskName;
  readonly rollout?: RolloutRequest | undefined;
  /** Of an update of pools, as its params have them. */
  readonly pools?: RequestedPools | undefined;
  /** What the client sent, where the params say more; default: the params. */
  readonly sentParams?: BatchRequest['params'] | undefined;
  /** What the client has written in place of the ids: the same filter may mean others later. */
  readonly filter?: object | undefined;
  /** How many targets there must be. */
  readonly expectCount?: number | undefined;
  /** Says who would get the task, and creates nothing. */
  readonly isDryRun?: boolean | undefined;
  /** Not begun within this, seconds: given up. */
  readonly expiresInS?: number | undefined;
  /** Key of the request, if it has one; it counts per API key. */
  readonly idempotency: Pick<NonNullable<BatchRequest['idempotency']>, 'callerId' | 'key'> | undefined;
  /** Makes the answer, which becomes JSON. The same request in two wordings counts as two requests. */
  readonly wording: 'v1' | 'v2';
  readonly toAnswer: (made: Made) => unknown;
};

/** What was created and what was not. */
export type Made = {
  readonly batches: readonly { readonly id: string; readonly taskCount: number }[];
  readonly skipped: Plan['skipped'];
  /** Of an update of pools: workers that some of the miners get. */
  readonly poolsPreview?: readonly PreviewedWorker[];
  /** They wait until another person has confirmed them. */
  readonly needsSecondPerson?: boolean;
  readonly createdAtMs: number;
  /** Then the batches are those that would be created. */
  readonly dryRun?: DryRun;
};

export type DryRun = { readonly targets: readonly Target[]; readonly outlooks: readonly AgentOutlook[] };

/** Null `reason` = it gets the task. */
export type Target = { readonly id: string; readonly ip: string | null; readonly reason: string | null };

export type AgentOutlook = {
  readonly agentId: string;
  /** How many would get it. */
  readonly taskCount: number;
  /** Undefined = the agent is not connected, cannot answer, or has not answered in time. */
  readonly outlook: Omit<OutlookAnswer, 'type' | 'question_id' | 'left_out'> | undefined;
};

export type CreationPlan = Plan & Pick<Made, 'poolsPreview'>;

/**
 * Throws RefusedError: `request.conflict` when another number is meant than was expected, `request.invalid` when a
 * miner lacks what its pools need.
 */
export function planCreation(
  { name, ids, pools, expectCount, rollout }: BatchCreation,
  candidates: readonly TaskCandidate[],
  newId: () => string,
): CreationPlan {
  mustBeAsMany(expectCount, new Set(ids).size);
  const plan = planBatches(name, ids, candidates, newId, withForcedCanary(name, rollout));
  return pools === undefined ? plan : planPools(plan, pools, candidates);
}

/** Throws RefusedError `request.conflict`. */
function mustBeAsMany(expected: number | undefined, found: number): void {
  if (expected === undefined || expected === found) return;
  throw new RefusedError(
    'request.conflict',
    `expect_count: received ${expected}, and ${found} are meant now; nothing was created`,
  );
}
